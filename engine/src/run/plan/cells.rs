//! Rows to compute with a plan: columns of cells, as in a file or a table.

use std::borrow::Cow;
use std::ops::Range;

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::text::number::number_text;

use super::PlanError;

/// Rows of parameters, column by column.
///
/// [`Plan`](super::Plan) has an example.
#[derive(Debug, Clone)]
pub struct Rows<'r> {
    count: usize,
    columns: Vec<(&'r str, Cells<'r>)>,
}

/// The cells of a column, one for each row. An empty cell is a parameter that is not sent.
///
/// ```
/// use bareme_engine::run::plan::{Cells, Rows};
///
/// let rows = Rows::new(2, [("territoire", Cells::Texts(vec![Some("guyane"), None]))]);
/// assert_eq!(rows.query(0), [("territoire", "guyane".into())]);
/// assert_eq!(rows.query(1), []);
/// ```
#[derive(Debug, Clone)]
pub enum Cells<'r> {
    /// Texts, as a query sends them; an empty one is not sent.
    Texts(Vec<Option<&'r str>>),
    /// Numbers as integers, to be divided by ten to the power `decimals`, in the unit of queries:
    /// rates in percent.
    Numbers {
        /// Number of decimals.
        decimals: u32,
        /// The integers.
        values: Cow<'r, [i128]>,
        /// Whether each cell has a value; `None`: all have.
        present: Option<Vec<bool>>,
    },
    /// True or false.
    Booleans(Vec<Option<bool>>),
    /// Days.
    Dates(Vec<Option<Date>>),
}

impl<'r> Rows<'r> {
    /// `count` rows, with the cells of each column.
    pub fn new(count: usize, columns: impl IntoIterator<Item = (&'r str, Cells<'r>)>) -> Self {
        Self {
            count,
            columns: columns.into_iter().collect(),
        }
    }

    /// The number of rows.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &'r str> {
        self.columns.iter().map(|(name, _)| *name)
    }

    pub(super) fn column(&self, name: &str) -> Option<&Cells<'r>> {
        self.columns
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, cells)| cells)
    }

    pub(super) fn check_lengths(&self) -> Result<(), PlanError> {
        let wrong = self
            .columns
            .iter()
            .find(|(_, cells)| cells.len() != self.count);
        wrong.map_or(Ok(()), |(name, cells)| {
            Err(PlanError::Length {
                name: (*name).to_owned(),
                found: cells.len(),
                expected: self.count,
            })
        })
    }

    /// The parameters of a row, as a query sends them.
    pub fn query(&self, row: usize) -> Vec<(&'r str, Cow<'r, str>)> {
        self.columns
            .iter()
            .filter_map(|(name, cells)| Some((*name, cells.text(row)?)))
            .collect()
    }
}

impl<'r> Cells<'r> {
    /// The number of cells.
    pub fn len(&self) -> usize {
        match self {
            Self::Texts(texts) => texts.len(),
            Self::Numbers {
                values, present, ..
            } => present
                .as_ref()
                .map_or(values.len(), |present| present.len().min(values.len())),
            Self::Booleans(values) => values.len(),
            Self::Dates(days) => days.len(),
        }
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether every cell has a value, where that needs no look at each.
    pub(super) fn are_all_present(&self) -> bool {
        matches!(self, Self::Numbers { present: None, .. })
    }

    /// Whether the cell of a row has a value.
    pub(super) fn is_present(&self, row: usize) -> bool {
        match self {
            Self::Texts(texts) => texts
                .get(row)
                .is_some_and(|text| text.is_some_and(|text| !text.is_empty())),
            Self::Numbers { present, .. } => present
                .as_ref()
                .is_none_or(|present| present.get(row).copied().unwrap_or_default()),
            Self::Booleans(values) => values.get(row).is_some_and(Option::is_some),
            Self::Dates(days) => days.get(row).is_some_and(Option::is_some),
        }
    }

    /// The text of a cell, as a query sends it.
    pub(super) fn text(&self, row: usize) -> Option<Cow<'r, str>> {
        if !self.is_present(row) {
            return None;
        }
        match self {
            Self::Texts(texts) => texts.get(row).copied().flatten().map(Cow::Borrowed),
            Self::Numbers {
                decimals, values, ..
            } => values
                .get(row)
                .map(|value| Cow::Owned(text_of(*value, *decimals))),
            Self::Booleans(values) => values
                .get(row)
                .copied()
                .flatten()
                .map(|value| Cow::Borrowed(if value { "true" } else { "false" })),
            Self::Dates(days) => days
                .get(row)
                .copied()
                .flatten()
                .map(|day| Cow::Owned(day.to_string())),
        }
    }
}

/// The places of rows that follow each other, as nearly all rows of a block do; `None` for others.
pub(super) fn following(rows: &[usize]) -> Option<Range<usize>> {
    let first = *rows.first()?;
    let follow = rows.iter().zip(first..).all(|(row, place)| *row == place);
    follow.then_some(first..first.checked_add(rows.len())?)
}

/// The text of an integer with some decimals, as a query sends it. A number too long for a decimal
/// is written too: it is refused like the same text in a query.
// The digits are padded so that there is one before the point: 5 with three decimals is 0.005.
fn text_of(value: i128, decimals: u32) -> String {
    match Decimal::try_from_i128_with_scale(value, decimals) {
        Ok(number) => number_text(number),
        Err(_) => {
            let digits = format!(
                "{:0width$}",
                value.unsigned_abs(),
                width = (decimals as usize).saturating_add(1)
            );

            let (whole, fraction) = digits.split_at(digits.len().saturating_sub(decimals as usize));
            let sign = if value < 0 { "-" } else { "" };
            if fraction.is_empty() {
                format!("{sign}{whole}")
            } else {
                format!("{sign}{whole}.{fraction}")
            }
        }
    }
}
