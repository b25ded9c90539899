//! Masks over a block of rows: conditions, and the rows that a computation is needed for.

use std::sync::Arc;

/// A boolean for each row.
#[derive(Debug, Clone)]
pub(crate) enum Booleans {
    One(bool),
    Each(Arc<[bool]>),
}

impl Booleans {
    /// Booleans of each row, stored once if they are all equal.
    pub(crate) fn each(values: Vec<bool>) -> Self {
        // A mask of equal rows is one value, by which whole steps are skipped or computed. Both are
        // found without a branch for each row.
        let (all, any) = values.iter().fold((true, false), |(all, any), value| {
            (all & value, any | value)
        });
        match (all, any) {
            // Of no rows, any value is that of all.
            (true, _) => Self::One(any),
            (false, false) => Self::One(false),
            (false, true) => Self::Each(values.into()),
        }
    }

    pub(crate) fn not(&self) -> Self {
        match self {
            Self::One(value) => Self::One(!value),
            Self::Each(values) => Self::Each(values.iter().map(|value| !value).collect()),
        }
    }

    pub(crate) fn and(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::One(false), _) | (_, Self::One(false)) => Self::One(false),
            (Self::One(true), rest) | (rest, Self::One(true)) => rest.clone(),
            (Self::Each(a), Self::Each(b)) => {
                Self::each(a.iter().zip(b.iter()).map(|(a, b)| a & b).collect())
            }
        }
    }

    pub(crate) fn or(&self, other: &Self) -> Self {
        // By De Morgan, so that the cases of equal rows are written once.
        self.not().and(&other.not()).not()
    }

    /// Takes each row from `yes` where the condition holds, from `no` elsewhere.
    pub(crate) fn select(test: &[bool], yes: &Self, no: &Self) -> Self {
        let test = Self::Each(test.into());
        yes.and(&test).or(&no.and(&test.not()))
    }

    pub(crate) fn at(&self, row: usize) -> bool {
        match self {
            Self::One(value) => *value,
            Self::Each(values) => values.get(row).copied().unwrap_or_default(),
        }
    }
}

/// The rows that a value is needed for: an error in any other row is ignored.
#[derive(Debug, Clone)]
pub(crate) struct Active(Booleans);

impl Active {
    pub(crate) const ALL: Self = Self(Booleans::One(true));

    /// The rows of these in which a condition holds.
    pub(crate) fn where_true(&self, condition: &Booleans) -> Self {
        Self(self.0.and(condition))
    }

    /// The rows of these in which a condition does not hold.
    pub(crate) fn where_false(&self, condition: &Booleans) -> Self {
        Self(self.0.and(&condition.not()))
    }

    pub(crate) fn at(&self, row: usize) -> bool {
        self.0.at(row)
    }

    /// The rows.
    pub(crate) fn rows(&self) -> &Booleans {
        &self.0
    }

    pub(crate) fn is_empty(&self) -> bool {
        matches!(self.0, Booleans::One(false))
    }
}
