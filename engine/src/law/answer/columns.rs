//! A field of the answer over a block of rows: the values that single calculations would show.

use std::sync::Arc;

use rust_decimal::Decimal;

use crate::law::column::{Active, Block, Booleans, Column, Numbers};
use crate::law::formula::Code;
use crate::law::{Rounding, Scalar, Type, Value};
use crate::text::number::number_text;

use super::Form;
use super::compile::{CompiledContent, CompiledField, Shown};
use super::evaluate::Evaluator;

impl CompiledField {
    /// The values that the field shows: words as texts, `Nothing` in rows where it is left out.
    /// `None` for a field of several values.
    pub(crate) fn column(&self, block: &Block, evaluator: Evaluator) -> Option<Column> {
        let shown = self.when.as_ref().map_or(Booleans::One(true), |when| {
            when.booleans(block, &Active::ALL)
        });

        // Rows in which the field is left out are not computed, so that an error there does not
        // count.
        let active = Active::ALL.where_true(&shown);
        if active.is_empty() {
            return Some(Column::default());
        }

        let values = match &self.content {
            CompiledContent::Value(code, shown) => {
                evaluator.column(&code.column(block, &active), shown, block, &active)
            }
            CompiledContent::Text(text) => Column::One(Value::Text(text.as_str().into())),
            _ => return None,
        };

        Some(match shown {
            Booleans::One(_) => values,
            Booleans::Each(shown) => Column::select(&shown, &values, &Column::default()),
        })
    }

    /// The formulas that the shown value depends on; `None` for a field of several values.
    pub(crate) fn codes(&self) -> Option<Vec<&Code>> {
        // A batch of some fields runs only the steps that these formulas need.
        match &self.content {
            CompiledContent::Value(code, _) => Some(self.when.iter().chain([code]).collect()),
            CompiledContent::Text(_) => Some(self.when.iter().collect()),
            _ => None,
        }
    }
}

impl Evaluator<'_> {
    /// Converts the values of a column to the form in which they are shown.
    fn column(&self, column: &Column, shown: &Shown, block: &Block, active: &Active) -> Column {
        // A text of a number is made last, from the number as it is rounded.
        let texts = |column| {
            if shown.form == Form::Text {
                as_texts(&column, block)
            } else {
                column
            }
        };

        match column {
            Column::One(Value::Number(value)) => texts(
                self.numbers(&Numbers::One(*value), shown, block, active)
                    .into(),
            ),
            Column::Numbers(values) => texts(self.numbers(values, shown, block, active).into()),
            Column::Sparse(values, there) => {
                let numbers = self
                    .numbers(values, shown, block, active)
                    .each(block.rows());
                texts(Column::Sparse(numbers, Arc::clone(there)))
            }
            Column::One(Value::Word(index)) => {
                let word = self.words(shown.ty).get(usize::from(*index)).cloned();
                Column::One(word.unwrap_or_else(|| block.fail_all(active)))
            }
            // Words stay indices into one list: a block has few words and many rows.
            Column::Words(indices) => Column::Listed(
                self.words(shown.ty).into(),
                indices.iter().map(|index| u32::from(*index)).collect(),
            ),
            Column::One(_) | Column::Booleans(_) => column.clone(),
            Column::Listed(..) => self.listed(column, shown, block, active),
        }
    }

    /// Converts values of several kinds, each as a single calculation would show it.
    fn listed(&self, column: &Column, shown: &Shown, block: &Block, active: &Active) -> Column {
        let words = self.words(shown.ty);

        // A column of mixed values, such as numbers beside the words of a rate.
        let value = |row| match column.at(row) {
            Value::Number(number) => match self.number(number, shown) {
                Ok(Scalar::Number(number)) => Value::Number(number),
                Ok(Scalar::Text(text)) => Value::Text(text.as_ref().into()),
                _ => {
                    block.fail(row, active);
                    Value::Nothing
                }
            },
            Value::Word(index) => words.get(usize::from(index)).cloned().unwrap_or_default(),
            value => value,
        };

        Column::of_values(&(0..block.rows()).map(value).collect::<Vec<_>>())
    }

    fn numbers(&self, numbers: &Numbers, shown: &Shown, block: &Block, active: &Active) -> Numbers {
        // The operations of a single value, in the same order: percentage, rounding, decimals.
        let hundred = Numbers::One(Decimal::ONE_HUNDRED);

        let numbers = if shown.is_in_percent() {
            numbers.times(&hundred, block, active)
        } else {
            numbers.clone()
        };

        let numbers = match &shown.round {
            Some(Rounding { unit, mode }) => {
                numbers.rounded(&Numbers::One(*unit), *mode, block, active)
            }
            None => numbers,
        };

        numbers.shown(self.decimals(shown.ty))
    }

    /// The words of a choice, by index; empty for any other type.
    fn words(&self, ty: Type) -> Vec<Value> {
        let words = self
            .choice(ty)
            .map(|input| input.values.as_slice())
            .unwrap_or_default();

        words
            .iter()
            .map(|(word, _)| Value::Text(word.as_str().into()))
            .collect()
    }
}

/// Formats numbers as texts.
fn as_texts(column: &Column, block: &Block) -> Column {
    let text = |row| match column.at(row) {
        Value::Number(number) => Value::Text(number_text(number).into()),
        value => value,
    };
    Column::of_values(&(0..block.rows()).map(text).collect::<Vec<_>>())
}
