//! The groups of the rows of a batch.

use bareme_arrow::arrow::array::RecordBatch;
use bareme_arrow::arrow::util::display::array_value_to_string;
use bareme_show::say;
use rust_decimal::Decimal;

use super::super::statistics;
use super::{ImpactResult, Question};
use crate::session::Failure;

/// Greatest number of values of a grouping column.
const MOST_GROUPS: usize = 1_000;

/// Grouping of rows by the values of a column, or by its quantiles.
#[derive(Debug, Clone)]
pub(in crate::command::impact) struct Grouping {
    /// `decile`, or the name of the column.
    pub name: String,
    pub column: usize,
    /// The bounds of the quantile groups; `None` where each value is a group.
    pub bounds: Option<Vec<i64>>,
}

/// A group of rows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::command::impact) enum Group {
    /// A quantile group, from 1.
    Part(usize),
    Number(Decimal),
    Text(String),
    /// Rows with an empty cell.
    Empty,
}

impl Question<'_> {
    pub(super) fn check_groups(&self, all: &ImpactResult) -> Result<(), Failure> {
        let many = self
            .groupings
            .iter()
            .zip(&all.groups)
            .find(|(_, groups)| groups.len() > MOST_GROUPS);

        let Some((Grouping { name, .. }, _)) = many else {
            return Ok(());
        };
        Err(Failure::unusable(say!(
            self.session.lang,
            "La colonne `{name}` a plus de {MOST_GROUPS} valeurs : la couper en parts égales, \
             `--by decile:{name}`.",
            "The column `{name}` has more than {MOST_GROUPS} values: cut it into equal parts, \
             `--by decile:{name}`."
        )))
    }

    /// The group of each row of a batch.
    pub(super) fn groups(
        &self,
        batch: &RecordBatch,
        grouping: &Grouping,
    ) -> Result<Vec<Group>, Failure> {
        // Quantile groups, by their bounds.
        if let Some(bounds) = &grouping.bounds {
            let values = self.sample.numbers(batch, grouping.column)?;
            let part = |value: Option<i128>| match value.and_then(|value| i64::try_from(value).ok())
            {
                Some(value) => Group::Part(statistics::part_of(bounds, value)),
                None => Group::Empty,
            };
            return Ok(values.into_iter().map(part).collect());
        }

        let Some(array) = batch.columns().get(grouping.column) else {
            return Ok(Vec::new());
        };

        // Equal numbers are one group, however many decimals a file writes them with.
        if array.data_type().is_numeric() {
            let decimals = self.sample.decimals(grouping.column);
            let number = |value: Option<i128>| {
                let number =
                    value.and_then(|value| Decimal::try_from_i128_with_scale(value, decimals).ok());
                number.map_or(Group::Empty, |number| Group::Number(number.normalize()))
            };
            return Ok(self
                .sample
                .numbers(batch, grouping.column)?
                .into_iter()
                .map(number)
                .collect());
        }

        let text = |row| match array_value_to_string(array, row) {
            Ok(text) if !text.is_empty() => Group::Text(text),
            _ => Group::Empty,
        };
        Ok((0..batch.num_rows()).map(text).collect())
    }
}
