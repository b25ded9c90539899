//! The row found: for each key the rows that list the value, else those without that key; then the bound.

use rust_decimal::Decimal;

use crate::types::Value;

use super::Row;

/// How the bound of a row is held against a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundWord {
    /// The first row whose bound is at least the value.
    UpTo,
    /// The first row whose bound is above the value.
    Below,
    /// The last row whose bound is below the value.
    Over,
    /// The last row whose bound is at most the value.
    From,
}

impl BoundWord {
    /// Every word with its meaning.
    pub const ALL: [(&'static str, Self); 4] =
        [("up_to", Self::UpTo), ("below", Self::Below), ("over", Self::Over), ("from", Self::From)];

    /// The word that is written.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, word)| *word == self).map_or("", |(name, _)| name)
    }

    /// Name of the bound in an answer.
    pub(crate) fn french(self) -> &'static str {
        match self {
            Self::UpTo => "jusqu_a",
            Self::Below => "en_dessous_de",
            Self::Over => "au_dela_de",
            Self::From => "a_partir_de",
        }
    }

    pub(crate) fn read(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| *name == text).map(|(_, word)| *word)
    }

    /// Whether the bound of a row is its upper one, so that the first row that holds is taken.
    pub fn is_upper(self) -> bool {
        matches!(self, Self::UpTo | Self::Below)
    }

    fn holds(self, value: Decimal, bound: Decimal) -> bool {
        match self {
            Self::UpTo => value <= bound,
            Self::Below => value < bound,
            Self::Over => value > bound,
            Self::From => value >= bound,
        }
    }
}

/// Rows arranged by their keys.
#[derive(Debug, Clone)]
pub enum Lookup {
    /// The rows by value of one more key; `other` are those that do not give it.
    ByKey {
        /// Values that rows list.
        cases: Vec<(Value, Lookup)>,
        /// Rows for all other values.
        other: Option<Box<Lookup>>,
    },
    /// The rows left once every key is known, in the order of the file.
    Rows(Vec<usize>),
}

/// Why no row was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Miss {
    /// No row for the value of the key of this rank.
    Key(usize),
    /// No row for this bound.
    Bound,
}

impl Lookup {
    /// Arranges rows that have `keys` keys.
    pub(crate) fn new(rows: &[Row], keys: usize) -> Self {
        Self::of(rows, (0..rows.len()).collect(), 0, keys)
    }

    fn of(rows: &[Row], chosen: Vec<usize>, key: usize, keys: usize) -> Self {
        if key == keys {
            return Self::Rows(chosen);
        }
        let listed =
            |row: usize| rows.get(row).and_then(|row| row.keys.get(key)).map(Vec::as_slice).unwrap_or_default();
        let mut values: Vec<Value> = Vec::new();
        for value in chosen.iter().flat_map(|row| listed(*row)) {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
        let without: Vec<usize> = chosen.iter().copied().filter(|row| listed(*row).is_empty()).collect();
        let cases = values.into_iter().map(|value| {
            let with = chosen.iter().copied().filter(|row| listed(*row).contains(&value)).collect();
            (value, Self::of(rows, with, key + 1, keys))
        });
        let other = (!without.is_empty()).then(|| Box::new(Self::of(rows, without.clone(), key + 1, keys)));
        Self::ByKey { cases: cases.collect(), other }
    }

    /// The rows left for the values of the keys.
    pub(crate) fn rows<'l>(&'l self, keys: &[Value]) -> Result<&'l [usize], Miss> {
        let mut here = self;
        let mut rank = 0;
        loop {
            match here {
                Self::Rows(rows) => return Ok(rows),
                Self::ByKey { cases, other } => {
                    let value = keys.get(rank);
                    let case = cases.iter().find(|(known, _)| Some(known) == value).map(|(_, next)| next);
                    here = case.or(other.as_deref()).ok_or(Miss::Key(rank))?;
                    rank += 1;
                }
            }
        }
    }

    /// Every group of rows that some values of the keys lead to, with those values.
    pub(crate) fn groups(&self) -> Vec<&[usize]> {
        match self {
            Self::Rows(rows) => vec![rows],
            Self::ByKey { cases, other } => {
                let others = other.iter().flat_map(|next| next.groups());
                cases.iter().flat_map(|(_, next)| next.groups()).chain(others).collect()
            }
        }
    }
}

/// The bound of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// How it is held against a value.
    pub word: BoundWord,
    /// The amount or number.
    pub value: Decimal,
}

/// Among rows in order, the one that a value falls in. Bounds are multiplied by `shares`; a bound
/// that cannot be multiplied is beyond every value. `upper`: the bounds of the figure are upper ones.
pub(crate) fn find_bound(rows: &[Row], group: &[usize], upper: bool, value: Decimal, shares: Decimal) -> Option<usize> {
    let holds = |rank: &usize| {
        let Some(row) = rows.get(*rank) else { return false };
        let Some(bound) = row.bound else { return true };
        match bound.value.checked_mul(shares) {
            Some(edge) => bound.word.holds(value, edge),
            None => upper,
        }
    };
    if upper { group.iter().copied().find(holds) } else { group.iter().copied().rev().find(holds) }
}
