//! Columns: the values of many rows of a calculation.
//!
//! A step is computed over a whole block of rows. Numbers are 64-bit integers with one scale for
//! the column as long as a bound of the column proves that nothing overflows, integers near the
//! numbers where these have more decimals (`near`), else decimals row by row: the values are those
//! of a single calculation in each case. A row that cannot be computed is marked as failed; the
//! caller computes it again alone to get the error.

mod active;
mod block;
mod near;
mod numbers;
mod scaled;

use std::sync::Arc;

use rust_decimal::Decimal;

use crate::law::types::Value;

pub(crate) use active::{Active, Booleans};
pub(crate) use block::{Block, Sent};
pub(crate) use numbers::Numbers;
pub(crate) use scaled::{Operand, Scaled};

/// Values of one kind, one a row.
#[derive(Debug, Clone)]
pub(crate) enum Column {
    /// The same value in every row.
    One(Value),
    /// Numbers.
    Numbers(Numbers),
    /// Numbers in the rows where the mask is true, nothing in the others.
    Sparse(Numbers, Arc<[bool]>),
    Booleans(Arc<[bool]>),
    /// Indices of words.
    Words(Arc<[u16]>),
    /// Distinct values of any kind, and the index among them for each row.
    Listed(Arc<[Value]>, Arc<[u32]>),
}

impl From<Numbers> for Column {
    fn from(numbers: Numbers) -> Self {
        match numbers {
            Numbers::One(value) => Self::One(Value::Number(value)),
            numbers => Self::Numbers(numbers),
        }
    }
}

impl From<Booleans> for Column {
    fn from(booleans: Booleans) -> Self {
        match booleans {
            Booleans::One(value) => Self::One(Value::Boolean(value)),
            Booleans::Each(values) => Self::Booleans(values),
        }
    }
}

impl Default for Column {
    fn default() -> Self {
        Self::One(Value::Nothing)
    }
}

impl Column {
    /// A column of values of any kind, in the form that is quickest to compute with.
    pub(crate) fn of_values(values: &[Value]) -> Self {
        // Equal values first, since a block mostly holds one value of each input that nobody
        // varies.
        if let Some((first, rest)) = values.split_first()
            && rest.iter().all(|value| value == first)
        {
            return Self::One(first.clone());
        }

        let number = |value: &Value| {
            if let Value::Number(number) = value {
                Some(*number)
            } else {
                None
            }
        };
        let is_sparse = |value: &Value| matches!(value, Value::Number(_) | Value::Nothing);

        if let Some(numbers) = values.iter().map(number).collect::<Option<Vec<Decimal>>>() {
            return Self::Numbers(Numbers::of_decimals(numbers));
        }

        if values.iter().all(is_sparse) {
            let numbers = values
                .iter()
                .map(|value| number(value).unwrap_or_default())
                .collect();
            return Self::Sparse(
                Numbers::of_decimals(numbers),
                values
                    .iter()
                    .map(|value| *value != Value::Nothing)
                    .collect(),
            );
        }

        let boolean = |value: &Value| {
            if let Value::Boolean(value) = value {
                Some(*value)
            } else {
                None
            }
        };

        if let Some(booleans) = values.iter().map(boolean).collect::<Option<Vec<bool>>>() {
            return Self::Booleans(booleans.into());
        }

        let word = |value: &Value| {
            if let Value::Word(index) = value {
                Some(*index)
            } else {
                None
            }
        };

        // Texts, and values of several kinds, keep one entry a row.
        match values.iter().map(word).collect::<Option<Vec<u16>>>() {
            Some(words) => Self::Words(words.into()),
            None => Self::Listed(values.into(), (0..).take(values.len()).collect()),
        }
    }

    /// The value in one row.
    pub(crate) fn at(&self, row: usize) -> Value {
        match self {
            Self::One(value) => value.clone(),
            Self::Numbers(numbers) => numbers.at(row).map_or(Value::Nothing, Value::Number),
            Self::Sparse(numbers, there) => {
                let is_there = there.get(row).copied().unwrap_or_default();
                numbers
                    .at(row)
                    .filter(|_| is_there)
                    .map_or(Value::Nothing, Value::Number)
            }
            Self::Booleans(values) => values
                .get(row)
                .copied()
                .map_or(Value::Nothing, Value::Boolean),
            Self::Words(words) => words.get(row).copied().map_or(Value::Nothing, Value::Word),
            Self::Listed(values, indices) => listed(values, indices.get(row))
                .cloned()
                .unwrap_or_default(),
        }
    }

    /// Takes each row from `yes` where the condition holds, from `no` elsewhere.
    pub(crate) fn select(test: &[bool], yes: &Self, no: &Self) -> Self {
        let or_nothing =
            |numbers: &Numbers, there: Arc<[bool]>| Self::Sparse(numbers.clone(), there);

        // The forms that stay in columns; other mixtures are made value by value.
        match (yes, no) {
            (Self::One(a), Self::One(b)) if a == b => return yes.clone(),
            (Self::Numbers(numbers), Self::One(Value::Nothing)) => {
                return or_nothing(numbers, test.into());
            }
            (Self::One(Value::Nothing), Self::Numbers(numbers)) => {
                return or_nothing(numbers, test.iter().map(|test| !test).collect());
            }
            _ => {}
        }

        if let (Some(yes), Some(no)) = (yes.as_booleans(), no.as_booleans()) {
            return Booleans::select(test, &yes, &no).into();
        }
        if let (Some(yes), Some(no)) = (yes.word(), no.word()) {
            let chosen = test.iter().enumerate();
            let chosen = chosen.map(|(row, test)| if *test { yes(row) } else { no(row) });
            return Self::Words(chosen.collect());
        }

        match (yes.as_numbers(), no.as_numbers()) {
            (Some(yes), Some(no)) => Numbers::select(test, &yes, &no).into(),
            _ => {
                let chosen = test
                    .iter()
                    .enumerate()
                    .map(|(row, test)| if *test { yes.at(row) } else { no.at(row) });
                Self::of_values(&chosen.collect::<Vec<_>>())
            }
        }
    }

    /// The column without the mask of empty rows, for a caller that reads only rows with a value.
    pub(crate) fn unmasked(self) -> Self {
        if let Self::Sparse(numbers, _) = self {
            Self::Numbers(numbers)
        } else {
            self
        }
    }

    /// The numbers, if every row has one.
    pub(crate) fn as_numbers(&self) -> Option<Numbers> {
        match self {
            Self::One(Value::Number(value)) => Some(Numbers::One(*value)),
            Self::Numbers(numbers) => Some(numbers.clone()),
            _ => None,
        }
    }

    /// The booleans, if every row has one.
    fn as_booleans(&self) -> Option<Booleans> {
        match self {
            Self::One(Value::Boolean(value)) => Some(Booleans::One(*value)),
            Self::Booleans(values) => Some(Booleans::Each(Arc::clone(values))),
            _ => None,
        }
    }

    /// The index of the word of each row, if every row has one.
    fn word(&self) -> Option<impl Fn(usize) -> u16> {
        let (one, each): (u16, &[u16]) = match self {
            Self::One(Value::Word(word)) => (*word, &[]),
            Self::Words(words) => (0, words),
            _ => return None,
        };
        Some(move |row: usize| each.get(row).copied().unwrap_or(one))
    }

    /// Whether two rows have the same value.
    pub(crate) fn has_same(&self, row: usize, other: usize) -> bool {
        match self {
            Self::One(_) => true,
            Self::Booleans(values) => values.get(row) == values.get(other),
            Self::Words(words) => words.get(row) == words.get(other),
            _ => self.at(row) == self.at(other),
        }
    }

    /// The rows at some indices, in that order.
    pub(crate) fn select_rows(&self, rows: &[usize]) -> Self {
        match self {
            // The same value in every row is that of any choice of rows.
            Self::One(_) => self.clone(),
            Self::Numbers(numbers) => Self::Numbers(numbers.select_rows(rows)),
            Self::Sparse(numbers, there) => {
                Self::Sparse(numbers.select_rows(rows), select_rows(there, rows))
            }
            Self::Booleans(values) => Self::Booleans(select_rows(values, rows)),
            Self::Words(words) => Self::Words(select_rows(words, rows)),
            Self::Listed(values, indices) => {
                Self::Listed(Arc::clone(values), select_rows(indices, rows))
            }
        }
    }
}

/// The value at the index stored for a row.
fn listed<'v>(values: &'v [Value], index: Option<&u32>) -> Option<&'v Value> {
    values.get(usize::try_from(*index?).ok()?)
}

fn select_rows<T: Copy + Default>(values: &[T], rows: &[usize]) -> Arc<[T]> {
    rows.iter()
        .map(|row| values.get(*row).copied().unwrap_or_default())
        .collect()
}
