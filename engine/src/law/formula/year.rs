//! Other months of a year of pays, as the formulas of one month read them: sums since the first
//! month, and values that the law sets for each month in advance.

use std::sync::Arc;

use rust_decimal::Decimal;

use crate::law::types::Value;
use crate::text::number::{add, div};

use super::code::{Code, State};
use super::error::EvalError;
use super::expr::Expr;

/// The names whose values in other months the formulas of a folder read. The values of a month are
/// stored in this order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct YearNames {
    /// The inputs, steps and outputs that are added up, and the keys whose changes restart a sum.
    pub summed: Vec<String>,
    /// The names whose values are known for every month in advance.
    pub ahead: Vec<String>,
}

impl YearNames {
    pub(crate) fn sums(&mut self, name: &str) {
        keep(&mut self.summed, name);
    }

    pub(super) fn looks_ahead(&mut self, name: &str) {
        keep(&mut self.ahead, name);
    }

    /// Adds the names of another method of the folder.
    pub(crate) fn join(&mut self, other: &Self) {
        other
            .summed
            .iter()
            .for_each(|name| keep(&mut self.summed, name));
        other
            .ahead
            .iter()
            .for_each(|name| keep(&mut self.ahead, name));
    }
}

fn keep(names: &mut Vec<String>, name: &str) {
    // Once each, because the position of a name is that of its values.
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// Sum of an input, a step or an output over the earlier months of a year of pays.
///
/// [`Expr::YearToDate`] and [`Expr::Earlier`] hold one.
#[derive(Debug, Clone)]
pub struct Sum<E = Expr> {
    /// Its name, as a formula writes it.
    pub name: String,
    /// The key that restarts the sum where its value changes: its name, and its value of this
    /// month.
    pub key: Option<(String, Box<E>)>,
}

/// A compiled sum over the earlier months.
#[derive(Debug, Clone)]
pub(crate) struct SumCode {
    of: usize,
    /// Key that restarts the sum: its index among the names, and its value of this month.
    pub(super) key: Option<(usize, Box<Code>)>,
}

impl SumCode {
    /// Compiles a sum; `None` where the names do not list it.
    pub(super) fn new(sum: &Sum, names: &YearNames, code: impl Fn(&Expr) -> Code) -> Option<Self> {
        // Months keep their values in the order of the names: the position is enough.
        let place = |name: &String| names.summed.iter().position(|known| known == name);

        let key = match &sum.key {
            Some((name, now)) => Some((place(name)?, Box::new(code(now)))),
            None => None,
        };

        Some(Self {
            of: place(&sum.name)?,
            key,
        })
    }

    /// The sum over the earlier months, back to the last one in which the key had another value.
    pub(super) fn earlier(&self, state: &State) -> Result<Decimal, EvalError> {
        let Some(year) = &state.year else {
            return Ok(Decimal::ZERO);
        };

        let key = match &self.key {
            Some((place, now)) => Some((*place, now.run(state)?)),
            None => None,
        };

        // From the month before back to January, as long as the key has the value of this month.
        // The list is linked, so that a year of pays shares its earlier months without copies.
        let mut sum = Decimal::ZERO;
        let mut month = year.earlier.as_ref();
        while let Some(found) = month {
            if let Some((place, now)) = &key
                && found.values.get(*place) != Some(now)
            {
                break;
            }
            if let Some(Value::Number(value)) = found.values.get(self.of) {
                sum = add(sum, *value)?;
            }

            month = found.before.as_ref();
        }

        Ok(sum)
    }
}

/// A computed month of a year of pays, linked to the one before it.
#[derive(Debug)]
pub(crate) struct EarlierMonth {
    /// The values of [`YearNames::summed`].
    pub values: Box<[Value]>,
    pub before: Option<Arc<EarlierMonth>>,
}

/// Other months of the year of pays, as the calculation of a month reads them.
#[derive(Debug)]
pub(crate) struct OtherMonths {
    /// The month before, unless it is the first.
    pub earlier: Option<Arc<EarlierMonth>>,
    /// The values of [`YearNames::ahead`] in each month.
    pub ahead: Arc<[Box<[Value]>]>,
    /// Index of the month among these, from 0.
    pub month: usize,
    /// Whether a year was asked for, rather than the last of several equal pays.
    pub in_year: bool,
}

impl OtherMonths {
    /// The mean over all the months of a value known in advance.
    pub(super) fn mean(&self, name: usize) -> Result<Decimal, EvalError> {
        let mut sum = Decimal::ZERO;
        // Later months as well: the law sets this value for all of them in advance.
        for month in self.ahead.iter() {
            let Some(Value::Number(value)) = month.get(name) else {
                return Err(EvalError::Internal);
            };
            sum = add(sum, *value)?;
        }

        Ok(div(sum, Decimal::from(self.ahead.len()))?)
    }

    /// Whether the value differs in the next month; false for the last month.
    pub(super) fn changes_next(&self, name: usize) -> bool {
        let of = |month: usize| self.ahead.get(month).and_then(|values| values.get(name));

        // Nothing comes after the last month, whose end `last` says.
        let next = of(self.month.saturating_add(1));
        next.is_some() && next != of(self.month)
    }
}
