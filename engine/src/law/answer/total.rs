//! Totals of a field over the months of a year of pays, added up before rounding for display.

use rust_decimal::Decimal;

use crate::law::formula::{EvalError, State};
use crate::law::{Scalar, Value};
use crate::text::number::{add, round_decimals};

use super::compile::{CompiledContent, CompiledField};
use super::evaluate::Evaluator;
use super::{FieldValue, Line, PayslipRow};

impl CompiledField {
    /// The number or the lines of the field before rounding for display; `None` where it is not in
    /// the answer.
    pub(crate) fn exact<'f>(
        &'f self,
        state: &State,
        evaluator: Evaluator<'f>,
    ) -> Result<Option<FieldValue<'f>>, EvalError> {
        if let Some(when) = &self.when
            && !when.boolean(state)?
        {
            return Ok(None);
        }

        // Lists are rounded where they are shown, line by line: here, their amounts keep all
        // decimals.
        let CompiledContent::Value(code, _) = &self.content else {
            return self.value(
                state,
                Evaluator {
                    is_exact: true,
                    ..evaluator
                },
            );
        };

        // Words, texts and booleans have no sum.
        match code.run(state)? {
            Value::Number(number) => Ok(Some(FieldValue::Scalar(Scalar::Number(number)))),
            _ => Ok(None),
        }
    }

    /// The total of the exact values of several months, rounded as the field shows a value: a
    /// number, or lines that are added up one by one.
    pub(crate) fn total<'f>(
        &'f self,
        months: Vec<FieldValue<'f>>,
        evaluator: Evaluator<'f>,
    ) -> Result<FieldValue<'f>, EvalError> {
        // Rounded once, at the end: the sum of rounded months could differ from the year.
        let decimals = evaluator.method.decimals;
        match &self.content {
            CompiledContent::Value(_, shown) => {
                let mut sum = Decimal::ZERO;
                for value in &months {
                    sum = add(sum, value.number().ok_or(EvalError::Internal)?)?;
                }
                evaluator.number(sum, shown).map(FieldValue::Scalar)
            }

            CompiledContent::Lines { .. } => {
                let lines = |value| {
                    if let FieldValue::Lines(lines) = value {
                        Some(lines)
                    } else {
                        None
                    }
                };

                let mut sums = added_up(months.into_iter().map(lines))?;
                sums.iter_mut().for_each(|line| line.round(decimals));
                Ok(FieldValue::Lines(sums))
            }

            CompiledContent::Payslip { .. } => {
                let rows = |value| {
                    if let FieldValue::Payslip(rows) = value {
                        Some(rows)
                    } else {
                        None
                    }
                };

                let mut sums = added_up(months.into_iter().map(rows))?;
                let parts = sums
                    .iter_mut()
                    .flat_map(|row| [&mut row.employee, &mut row.employer]);
                parts.flatten().for_each(|line| line.round(decimals));
                Ok(FieldValue::Payslip(sums))
            }
            _ => Err(EvalError::Internal),
        }
    }
}

/// A row that months of a year of pays share.
trait MonthlyRow {
    /// Whether it is the same row of another month.
    fn is_of(&self, other: &Self) -> bool;

    /// Adds the same row of a later month.
    fn add(&mut self, later: Self) -> Result<(), EvalError>;
}

/// The sum of a row so far.
struct RowSum<R> {
    row: R,
    /// The last month that has the row, by its place among the months.
    last_month: usize,
}

/// Adds up the rows of the months one by one. A row that the earlier months do not have is put
/// after the one above it.
fn added_up<R: MonthlyRow>(
    months: impl Iterator<Item = Option<Vec<R>>>,
) -> Result<Vec<R>, EvalError> {
    let mut sums: Vec<RowSum<R>> = Vec::new();
    for (month, rows) in months.enumerate() {
        // Where a new row goes: below the row that is above it in its own month.
        let mut place = 0;

        for row in rows.ok_or(EvalError::Internal)? {
            // A row that a month lists twice is two rows.
            let is_it = |sum: &RowSum<R>| sum.last_month < month && sum.row.is_of(&row);

            let found = sums.iter().position(is_it);

            match found.and_then(|found| sums.get_mut(found)) {
                Some(sum) => {
                    sum.row.add(row)?;
                    sum.last_month = month;
                }
                None => sums.insert(
                    place,
                    RowSum {
                        row,
                        last_month: month,
                    },
                ),
            }

            place = found.unwrap_or(place).saturating_add(1);
        }
    }

    Ok(sums.into_iter().map(|sum| sum.row).collect())
}

impl Line<'_> {
    fn round(&mut self, decimals: u32) {
        self.amount = round_decimals(self.amount, decimals);
        self.base = self.base.map(|base| round_decimals(base, decimals));
    }
}

impl MonthlyRow for Line<'_> {
    fn is_of(&self, other: &Self) -> bool {
        self.step.name == other.step.name
    }

    /// A base that a month does not have, or a rate that changes, is none of the year.
    fn add(&mut self, later: Self) -> Result<(), EvalError> {
        // The label of the last month is shown: the law may have renamed the step.
        self.step = later.step;

        self.base = self
            .base
            .zip(later.base)
            .map(|(sum, base)| add(sum, base))
            .transpose()?;
        self.rate = self.rate.filter(|rate| later.rate == Some(*rate));

        self.amount = add(self.amount, later.amount)?;
        Ok(())
    }
}

/// The names of the steps that are the parts of a row.
fn parts<'r>(row: &'r PayslipRow) -> [Option<&'r str>; 2] {
    [&row.employee, &row.employer].map(|line| line.as_ref().map(|line| line.step.name.as_str()))
}

impl MonthlyRow for PayslipRow<'_> {
    fn is_of(&self, other: &Self) -> bool {
        // The labels as well, since one step may be shown in several rows.
        (self.section, self.label) == (other.section, other.label) && parts(self) == parts(other)
    }

    fn add(&mut self, later: Self) -> Result<(), EvalError> {
        // `is_of` compared the steps: both rows have the same parts.
        for (sum, line) in [
            (&mut self.employee, later.employee),
            (&mut self.employer, later.employer),
        ] {
            if let (Some(sum), Some(line)) = (sum, line) {
                sum.add(line)?;
            }
        }
        Ok(())
    }
}
