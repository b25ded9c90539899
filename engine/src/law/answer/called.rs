//! The value of a field as a step of another folder reads it: rounded where the field rounds, but
//! not to the decimals of an answer.

use std::sync::Arc;

use rust_decimal::Decimal;

use crate::law::Value;
use crate::law::column::{Active, Block, Booleans, Column};
use crate::law::formula::{EvalError, State};
use crate::text::number::{PERCENT, mul, round};

use super::compile::{CompiledContent, CompiledField, Shown};
use super::evaluate::Evaluator;

impl CompiledField {
    /// The value; [`Value::Nothing`] where the answer leaves the field out.
    pub(crate) fn called(&self, state: &State, evaluator: Evaluator) -> Result<Value, EvalError> {
        if let Some(when) = &self.when
            && !when.boolean(state)?
        {
            return Ok(Value::Nothing);
        }

        match &self.content {
            CompiledContent::Value(code, shown) => evaluator.called(code.run(state)?, shown),
            CompiledContent::Text(text) => Ok(Value::Text(text.as_str().into())),
            _ => Err(EvalError::Internal),
        }
    }

    /// The values over a block of rows, as [`called`](Self::called) gives each.
    pub(crate) fn called_column(&self, block: &Block, evaluator: Evaluator) -> Column {
        let there = self.when.as_ref().map_or(Booleans::One(true), |when| {
            when.booleans(block, &Active::ALL)
        });

        // Where no row has the field, its formula is not computed: it may read what none was given.
        let active = Active::ALL.where_true(&there);
        if active.is_empty() {
            return Column::default();
        }

        let values = match &self.content {
            CompiledContent::Value(code, shown) => {
                let column = code.column(block, &active);
                evaluator.called_column(column, shown, block, &active)
            }
            CompiledContent::Text(text) => Column::One(Value::Text(text.as_str().into())),
            // Other contents have no column: each row is then computed by itself.
            _ => block.fail_all(&active),
        };
        match there {
            Booleans::One(_) => values,
            Booleans::Each(there) => Column::select(&there, &values, &Column::default()),
        }
    }
}

impl Evaluator<'_> {
    fn called(&self, value: Value, shown: &Shown) -> Result<Value, EvalError> {
        match value {
            Value::Number(number) => shown.called(number).map(Value::Number),
            // A word means something to its own folder only: another one reads its text.
            Value::Word(index) => {
                let input = self.choice(shown.ty).ok_or(EvalError::Internal)?;
                let word = input.word_at(index).ok_or(EvalError::Internal)?;
                Ok(Value::Text(word.into()))
            }
            value => Ok(value),
        }
    }

    fn called_column(
        &self,
        column: Column,
        shown: &Shown,
        block: &Block,
        active: &Active,
    ) -> Column {
        let is_as_it_is = matches!(column, Column::Numbers(_) | Column::Booleans(_));
        if is_as_it_is && shown.round.is_none() {
            return column;
        }

        let of_row = |value: Value, row: usize| {
            self.called(value, shown).unwrap_or_else(|_| {
                block.fail(row, active);
                Value::Nothing
            })
        };
        match &column {
            Column::One(value) => match self.called(value.clone(), shown) {
                Ok(value) => Column::One(value),
                Err(_) => block.fail_all(active),
            },
            Column::Numbers(numbers) => {
                let rounded = |row: usize| {
                    let number = numbers.at(row).ok_or(EvalError::Internal)?;
                    shown.called(number)
                };
                block.each_row_index(active, rounded).into()
            }
            // A text for each word of the choice, rather than one for each row.
            Column::Words(indices) => {
                let words = indices.iter().copied().max().unwrap_or_default();
                let texts: Arc<[Value]> = (0..=words)
                    .map(|word| of_row(Value::Word(word), 0))
                    .collect();
                Column::Listed(texts, indices.iter().map(|word| u32::from(*word)).collect())
            }
            column => {
                let values = (0..block.rows()).map(|row| of_row(column.at(row), row));
                Column::of_values(&values.collect::<Vec<_>>())
            }
        }
    }
}

impl Shown {
    /// A number rounded where the field rounds, in its own unit: a percentage stays a fraction.
    fn called(&self, number: Decimal) -> Result<Decimal, EvalError> {
        let Some(rounding) = &self.round else {
            return Ok(number);
        };
        if !self.is_in_percent() {
            return round(number, rounding.unit, rounding.mode).ok_or(EvalError::Overflow);
        }

        // The unit of the field is one of the percentage that an answer shows.
        let percentage = mul(number, Decimal::ONE_HUNDRED)?;
        let rounded = round(percentage, rounding.unit, rounding.mode).ok_or(EvalError::Overflow)?;
        Ok(mul(rounded, PERCENT)?)
    }
}
