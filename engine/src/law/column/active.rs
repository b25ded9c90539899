//! Conditions over a block: true or false in every row, and the rows in which something counts.

use std::sync::Arc;

/// True or false, one a row.
#[derive(Debug, Clone)]
pub(crate) enum Booleans {
    One(bool),
    Each(Arc<[bool]>),
}

impl Booleans {
    /// A condition over the rows; one that is the same in every row says so.
    pub(crate) fn each(values: Vec<bool>) -> Self {
        match values.split_first() {
            Some((first, rest)) if rest.iter().all(|value| value == first) => Self::One(*first),
            _ => Self::Each(values.into()),
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
            (Self::Each(a), Self::Each(b)) => Self::each(a.iter().zip(b.iter()).map(|(a, b)| *a && *b).collect()),
        }
    }

    pub(crate) fn or(&self, other: &Self) -> Self {
        self.not().and(&other.not()).not()
    }

    /// The first where a condition holds, the second where it does not.
    pub(crate) fn select(test: &[bool], yes: &Self, no: &Self) -> Self {
        let chosen = test.iter().enumerate().map(|(row, test)| if *test { yes.at(row) } else { no.at(row) });
        Self::each(chosen.collect())
    }

    pub(crate) fn at(&self, row: usize) -> bool {
        match self {
            Self::One(value) => *value,
            Self::Each(values) => values.get(row).copied().unwrap_or_default(),
        }
    }
}

/// The rows in which the value of something counts: what fails elsewhere harms nobody.
#[derive(Debug, Clone)]
pub(crate) struct Active(Booleans);

impl Active {
    pub(crate) const ALL: Self = Self(Booleans::One(true));

    /// Those in which a condition holds too.
    pub(crate) fn where_true(&self, condition: &Booleans) -> Self {
        Self(self.0.and(condition))
    }

    /// Those in which a condition does not hold.
    pub(crate) fn where_false(&self, condition: &Booleans) -> Self {
        Self(self.0.and(&condition.not()))
    }

    pub(crate) fn at(&self, row: usize) -> bool {
        self.0.at(row)
    }

    pub(crate) fn is_empty(&self) -> bool {
        matches!(self.0, Booleans::One(false))
    }
}
