//! Scales of brackets: the row that is found, as a line of the base.

use std::collections::BTreeMap;

use num_traits::Zero;

use super::compiler::{Compiler, Stopped};
use super::lookup::Found;
use super::number::Number;
use super::steps::Step;
use super::symbol::{Given, Symbol};
use crate::law::{Figure, Rat, Row, Value, is_upper, text};

impl<'l> Compiler<'l> {
    pub(crate) fn brackets(&mut self, step: &Step<'l>) -> Result<Given, Stopped> {
        let base = self.one(step.main)?.number()?;
        let shares = match text(step.node, "shares") {
            Some(shares) => self.one(shares)?.number()?,
            None => Number::whole(1),
        };
        let figure = &self.law.figures[text(step.node, "with").unwrap()];
        let by = self.by(step.node)?;
        self.with_rows(figure, &by, &mut |compiler, rows| {
            compiler.tax(figure, rows, &base, &shares)
        })
    }

    /// The tax of rows: in each of them rate x base + constant x shares, kept within its `min` and
    /// `max`.
    fn tax(
        &mut self,
        figure: &Figure,
        rows: &[&Row],
        base: &Number,
        shares: &Number,
    ) -> Result<Given, Stopped> {
        let lines = lines(figure, rows);
        let found = self.found(rows, base, shares)?;
        let pick = |compiler: &mut Self, values: Vec<Rat>| match &found {
            Found::Known(place) => Ok(Number::Fixed(
                place.map_or(Rat::zero(), |place| values[place].clone()),
            )),
            Found::Column(index, _) => compiler
                .builder
                .pick(*index, &Self::indexed(rows, values, Rat::zero())),
        };

        let rate = pick(self, lines.iter().map(|line| line.rate.clone()).collect())?;
        let constant = pick(
            self,
            lines.iter().map(|line| line.constant.clone()).collect(),
        )?;
        let is_printed = !figure.ty("less").is_empty() || !figure.ty("plus").is_empty();
        // Slice by slice, nothing is due on a base below 0.
        let counted = if is_printed {
            base.clone()
        } else {
            self.builder.extreme(base, &Number::zero(), true)?
        };

        let proportional = self.builder.times(&counted, &rate)?;
        let constant = self.builder.times(shares, &constant)?;
        let mut amount = self.builder.plus(&proportional, &constant)?;
        let limits = |of: fn(&Line) -> &Option<Rat>| {
            lines
                .iter()
                .map(|line| of(line).clone())
                .collect::<Vec<_>>()
        };

        for (raised, limits) in [
            (true, limits(|line| &line.min)),
            (false, limits(|line| &line.max)),
        ] {
            if limits.iter().all(Option::is_none) {
                continue;
            }
            let there: Vec<Rat> = limits
                .iter()
                .map(|limit| Number::whole(limit.is_some().into()))
                .map(fixed)
                .collect();
            let limit = pick(
                self,
                limits.into_iter().map(Option::unwrap_or_default).collect(),
            )?;
            let limit = self.builder.times(&limit, shares)?;
            let bounded = self.builder.extreme(&amount, &limit, raised)?;
            let there = pick(self, there)?;
            let is_there = self.builder.is_less(&Number::zero(), &there, false)?;
            amount = self.builder.choose(is_there, &bounded, &amount)?;
        }

        let outputs = BTreeMap::from([("rate".to_owned(), Symbol::Number(rate, false))]);
        Ok(Given {
            main: Some(Symbol::Number(amount, true)),
            outputs,
            is_boolean: false,
        })
    }
}

/// The value of a constant.
fn fixed(number: Number) -> Rat {
    if let Number::Fixed(value) = number {
        value
    } else {
        unreachable!()
    }
}

/// A row of a scale as a line: rate x base + constant, for one share.
struct Line {
    rate: Rat,
    constant: Rat,
    min: Option<Rat>,
    max: Option<Rat>,
}

/// The rows of a scale as lines.
fn lines(figure: &Figure, rows: &[&Row]) -> Vec<Line> {
    let cell = |row: &Row, column: &str| match row.cells.get(column) {
        Some(Value::Number(value, _)) => Some(value.clone()),
        _ => None,
    };

    let has = |column: &str| !figure.ty(column).is_empty();
    let upper = is_upper(rows);
    let bound = |row: Option<&&Row>| {
        row.and_then(|row| row.bound.as_ref())
            .map(|(_, bound)| bound.clone())
    };

    let mut below = Rat::zero();
    let mut lines = Vec::new();

    for (place, row) in rows.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|before| rows.get(before));
        let from = if upper {
            bound(before)
        } else {
            bound(Some(row))
        }
        .unwrap_or_default();
        let to = if upper {
            bound(Some(row))
        } else {
            bound(rows.get(place + 1))
        };
        let rate = cell(row, "rate").unwrap();
        let (mut min, mut max) = (None, None);
        let constant = if has("less") {
            -cell(row, "less").unwrap_or_default()
        } else if has("plus") {
            (min, max) = (cell(row, "min"), cell(row, "max"));
            cell(row, "plus").unwrap_or_default() - &rate * &from
        } else {
            // What the slices below this one give, less what the rate would give on them.
            &below - &rate * &from
        };
        if let Some(to) = to {
            below += (to - &from) * &rate;
        }
        lines.push(Line {
            rate,
            constant,
            min,
            max,
        });
    }

    lines
}
