//! The values of the fields of an answer, once the steps have run.

use std::borrow::Cow;

use rust_decimal::Decimal;

use crate::law::formula::{Code, EvalError, State};
use crate::law::range::{Range, Ranges};
use crate::law::step::{BaseAndRate, CompiledStep};
use crate::law::{Input, Method, Payment, Rounding, Scalar, Slice, Step, StepId, Type, Value};
use crate::text::number::{NUMBER_DECIMALS, number_text, round, round_decimals};

use super::compile::{Cell, CompiledContent, CompiledField, CompiledRow, Shown, percent};
use super::{FieldValue, Form, Line, ListedRow, ListedStep};

/// Steps and method by which the fields of an answer are evaluated.
#[derive(Clone, Copy)]
pub(crate) struct Evaluator<'f> {
    pub steps: &'f [CompiledStep],
    pub method: &'f Method,
    /// Whether amounts keep all their decimals, as those that a year adds up.
    pub is_exact: bool,
}

impl CompiledField {
    /// The value of the field; `None` where it is left out of the answer.
    pub(crate) fn value<'f>(
        &'f self,
        state: &State,
        evaluator: Evaluator<'f>,
    ) -> Result<Option<FieldValue<'f>>, EvalError> {
        // A condition that does not hold leaves the field out of the answer, name and value.
        if let Some(when) = &self.when
            && !when.boolean(state)?
        {
            return Ok(None);
        }

        Ok(Some(match &self.content {
            CompiledContent::Value(code, shown) => {
                return Ok(evaluator.value(code, shown, state)?.map(FieldValue::Scalar));
            }
            CompiledContent::Text(text) => FieldValue::Scalar(Scalar::Text(Cow::Borrowed(text))),
            // A line of `if_applied` is left out where its step does not apply, instead of showing
            // 0.
            CompiledContent::Lines { steps, form } => {
                let is_shown = |line: &ListedStep| {
                    Ok(!line.if_applied || evaluator.applies(line.step, state)?)
                };
                FieldValue::Lines(each(steps, is_shown, |line| {
                    evaluator.line(line.step, *form, state)
                })?)
            }
            CompiledContent::Payslip { rows, form } => {
                let is_shown = |(_, when): &(_, Option<Code>)| {
                    when.as_ref().map_or(Ok(true), |when| when.boolean(state))
                };
                FieldValue::Payslip(each(rows, is_shown, |(row, _)| {
                    row.shown(evaluator, *form, state)
                })?)
            }
            CompiledContent::Slices(steps) => FieldValue::Slices(evaluator.slices(steps, state)?),
            CompiledContent::Payments(step) => {
                FieldValue::Payments(evaluator.payments(*step, state)?)
            }
            CompiledContent::Items {
                size,
                only,
                members,
            } => FieldValue::Items(evaluator.items(*size, only.as_ref(), members, state)?),
            CompiledContent::Rows { keys, rows } => {
                let keys = keys
                    .iter()
                    .map(|code| code.run(state))
                    .collect::<Result<Vec<_>, _>>()?;
                let rows = answering(rows, &keys)
                    .into_iter()
                    .map(|row| evaluator.row(row, state));
                FieldValue::Rows(rows.collect::<Result<_, _>>()?)
            }
        }))
    }
}

impl CompiledField {
    /// The range of the numbers that the field shows, wherever it shows one; `None` where none is
    /// known.
    pub(crate) fn range(&self, ranges: &Ranges, evaluator: Evaluator) -> Option<Range> {
        let CompiledContent::Value(code, shown) = &self.content else {
            return None;
        };

        // A percentage and a rounding both rise with the number.
        let range = code.range(ranges)?;
        range.each(|number| match evaluator.number(number, shown).ok()? {
            Scalar::Number(number) => Some(number),
            _ => None,
        })
    }
}

/// Maps the listed elements that are shown, stopping at the first error. Unlike `collect`, it
/// allocates the whole length at once.
fn each<'l, T, V>(
    list: &'l [T],
    is_shown: impl Fn(&'l T) -> Result<bool, EvalError>,
    value: impl Fn(&'l T) -> Result<V, EvalError>,
) -> Result<Vec<V>, EvalError> {
    let mut values = Vec::with_capacity(list.len());
    for element in list {
        if is_shown(element)? {
            values.push(value(element)?);
        }
    }
    Ok(values)
}

/// The candidate rows for a prefix of the keys: for each key in turn those that list its value,
/// else those without that key.
fn answering<'r>(rows: &'r [CompiledRow], keys: &[Value]) -> Vec<&'r CompiledRow> {
    let mut left: Vec<&CompiledRow> = rows.iter().collect();
    for (index, value) in keys.iter().enumerate() {
        let listed = |row: &CompiledRow| {
            row.keys
                .get(index)
                .is_some_and(|listed| listed.contains(value))
        };

        // As in a lookup, a row that lists the value wins over one that accepts any.
        let is_listed = left.iter().any(|row| listed(row));
        left.retain(|row| {
            if is_listed {
                listed(row)
            } else {
                row.keys.get(index).is_some_and(Vec::is_empty)
            }
        });
    }
    left
}

impl<'f> Evaluator<'f> {
    fn step(&self, id: StepId) -> Result<(&'f CompiledStep, &'f Step), EvalError> {
        // A step has the same index where it is declared and where it is compiled.
        id.of(self.steps)
            .zip(id.of(self.method.steps()))
            .ok_or(EvalError::Internal)
    }

    fn amount(&self, value: Decimal) -> Decimal {
        // A year of pays adds up its months before anything is rounded.
        if self.is_exact {
            value
        } else {
            round_decimals(value, self.method.decimals)
        }
    }

    /// A value converted by its type; `None` for an empty one, which is left out of the answer.
    pub(super) fn value(
        &self,
        code: &'f Code,
        shown: &Shown,
        state: &State,
    ) -> Result<Option<Scalar<'f>>, EvalError> {
        // A text of the scale is shown without a copy.
        if let Some(Value::Text(text)) = code.constant() {
            return Ok(Some(Scalar::Text(Cow::Borrowed(text))));
        }

        Ok(Some(match code.run(state)? {
            Value::Nothing => return Ok(None),
            Value::Number(number) => self.number(number, shown)?,
            Value::Boolean(value) => Scalar::Boolean(value),
            Value::Text(text) => Scalar::Text(Cow::Owned(text.to_string())),
            Value::Word(index) => {
                let word = self
                    .choice(shown.ty)
                    .and_then(|input| input.word_at(index))
                    .ok_or(EvalError::Internal)?;
                Scalar::Text(Cow::Borrowed(word))
            }
            Value::Date(day) => Scalar::Text(Cow::Owned(day.to_string())),
            // The values of all items are shown by `each`, one by one.
            Value::List(_) => return Err(EvalError::Internal),
        }))
    }

    /// The input that a choice type belongs to; `None` for any other type.
    pub(super) fn choice(&self, ty: Type) -> Option<&'f Input> {
        if let Type::Choice(input) = ty {
            input.of(self.method.inputs())
        } else {
            None
        }
    }

    /// Number of decimals shown for a type.
    pub(super) fn decimals(&self, ty: Type) -> u32 {
        if matches!(ty, Type::Money(_)) {
            self.method.decimals
        } else {
            NUMBER_DECIMALS
        }
    }

    pub(super) fn number(&self, number: Decimal, shown: &Shown) -> Result<Scalar<'f>, EvalError> {
        // The percentage is rounded, rather than the fraction: 7.25 % to a tenth is 7.3 %.
        let mut number = if shown.is_in_percent() {
            percent(number)
        } else {
            number
        };

        if let Some(Rounding { unit, mode }) = &shown.round {
            number = round(number, *unit, *mode).ok_or(EvalError::Overflow)?;
        }

        let number = round_decimals(number, self.decimals(shown.ty));

        Ok(if shown.form == Form::Text {
            Scalar::Text(Cow::Owned(number_text(number)))
        } else {
            Scalar::Number(number)
        })
    }

    /// Whether the conditions of a step hold.
    pub(super) fn applies(&self, id: StepId, state: &State) -> Result<bool, EvalError> {
        self.step(id)?.0.modifiers.applies(state)
    }

    pub(super) fn line(
        &self,
        id: StepId,
        form: Form,
        state: &State,
    ) -> Result<Line<'f>, EvalError> {
        let (compiled, step) = self.step(id)?;
        let BaseAndRate { base, rate } = compiled.kind.line(state, compiled.slot)?;

        // Rates are fractions, unless the field shows percentages.
        let rate = rate.map(|rate| {
            if form == Form::Percent {
                percent(rate)
            } else {
                rate
            }
        });

        Ok(Line {
            step,
            base: base.map(|base| self.amount(base)),
            rate: rate.map(|rate| round_decimals(rate, NUMBER_DECIMALS)),
            amount: self.amount(state.number(compiled.slot)?),
        })
    }

    fn slices(&self, steps: &[StepId], state: &State) -> Result<Vec<Slice<'f>>, EvalError> {
        let decimals = self.method.decimals;
        let mut list = Vec::new();
        for id in steps {
            let (compiled, step) = self.step(*id)?;

            // The slices of several taxes are in one list: each then names its tax.
            let tax = (steps.len() > 1).then_some(step);

            let mut slices = compiled.kind.slices(state, compiled.slot)?;
            slices
                .iter_mut()
                .for_each(|slice| slice.show(decimals, tax));

            // The first list is taken as it is: most fields list one scale.
            if list.is_empty() {
                list = slices
            } else {
                list.append(&mut slices)
            }
        }

        Ok(list)
    }

    fn payments(&self, id: StepId, state: &State) -> Result<Vec<Payment>, EvalError> {
        let (compiled, _) = self.step(id)?;
        let mut payments = compiled.kind.schedule(state, compiled.slot)?;

        // The schedule is exact in a unit of its own; the answer has the decimals of the method.
        for payment in &mut payments {
            let Payment {
                payment,
                interest,
                principal,
                insurance,
                balance,
                ..
            } = payment;
            for amount in [payment, interest, principal, insurance, balance] {
                *amount = self.amount(*amount);
            }
        }

        Ok(payments)
    }

    fn row(&self, row: &'f CompiledRow, state: &State) -> Result<ListedRow<'f>, EvalError> {
        // The fixed cells stay in the compiled row, which the answer only borrows.
        let mut computed = Vec::new();
        for (_, cell) in &row.members {
            if let Cell::Computed(code, shown) = cell {
                computed.push(self.value(code, shown, state)?);
            }
        }

        Ok(ListedRow {
            compiled: row,
            computed,
        })
    }
}
