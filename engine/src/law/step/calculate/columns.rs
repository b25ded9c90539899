//! The calculation of another folder over a block of rows.

use crate::law::callee::RowsCall;
use crate::law::column::{Active, Block, Booleans, Column, Sent};
use crate::law::{InputId, Value};

use super::CompiledCall;
use super::bind::GivenTo;

impl CompiledCall {
    /// The columns of the outputs; `None` where rows have to be calculated one by one.
    pub(super) fn columns(
        &self,
        block: &Block,
        count: usize,
        active: &Active,
    ) -> Option<Vec<Column>> {
        // 1. The rows of a block share their day, and so the edition that answers them.
        let day = self.day.after(block.when.day?)?;
        let (edition, binding) = self.binding(day).ok()?;
        if binding.target.is_some() {
            return None;
        }

        let mut inputs = vec![(Column::default(), Booleans::One(false)); binding.inputs];
        for (given, to) in self.given.iter().zip(&binding.given) {
            let column = to.words(given.code.column(block, active), block.rows());
            let sent = self.sent(given.passes, &column, block);
            if let Some(place) = to.input.and_then(|input| inputs.get_mut(input.position())) {
                *place = (column, sent);
            }
        }

        // 2. Its answer. A row that the other folder cannot compute in a block is computed alone.
        let answer = self.callee.calculate_rows(RowsCall {
            edition,
            day,
            rows: block.rows(),
            inputs,
            fields: &binding.fields,
        })?;
        for (row, _) in answer
            .failed
            .iter()
            .enumerate()
            .filter(|(_, failed)| **failed)
        {
            block.fail(row, active);
        }
        for (rows, warning) in answer.warnings {
            let rows = active.rows().and(&rows);
            block.warn(rows, self.warning(warning));
        }

        // 3. The outputs that are read.
        let mut columns = vec![Column::default(); count];
        for (output, column) in self.read.iter().zip(answer.columns) {
            *columns.get_mut(*output)? = column;
        }
        Some(columns)
    }

    /// The rows in which a value is given: an optional input that is passed on is, where it was
    /// sent.
    fn sent(&self, passes: Option<InputId>, column: &Column, block: &Block) -> Sent {
        match passes {
            Some(_) => {
                let is_given = |row| column.at(row) != Value::Nothing;
                match column {
                    Column::One(value) => Booleans::One(*value != Value::Nothing),
                    _ => Booleans::each((0..block.rows()).map(is_given).collect()),
                }
            }
            None => Booleans::One(true),
        }
    }
}

impl GivenTo {
    /// A column with words as the other folder reads them.
    fn words(&self, column: Column, rows: usize) -> Column {
        let of_row = |value: Value| self.word(value).unwrap_or_default();
        match column {
            Column::One(value) => Column::One(of_row(value)),
            Column::Numbers(_) | Column::Booleans(_) => column,
            column => {
                let values: Vec<Value> = (0..rows).map(|row| of_row(column.at(row))).collect();
                Column::of_values(&values)
            }
        }
    }
}
