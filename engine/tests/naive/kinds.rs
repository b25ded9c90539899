//! The kinds of step that take more than a few lines, from the words of the manual.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::Zero;

use crate::compute::{Outcome, Run, Step, Stop, cited, no_row, number};
use crate::law::{Rat, Value, is_upper, row_at, text};
use crate::loan;
use crate::slices::{cell, slices};

impl Run<'_> {
    pub(crate) fn contribution(&self, step: &Step) -> Result<Outcome, Stop> {
        let mut base = number(self.one(step.main)?)?;
        if let Some(floor) = self.slot(step, "floor")? {
            base = base.max(floor);
        }

        if let Some(ceiling) = self.slot(step, "ceiling")? {
            base = base.min(ceiling);
        }

        if let Some(over) = self.slot(step, "over")? {
            base = (base - over).max(Rat::zero());
        }

        let rate = self.slot(step, "rate")?.unwrap();
        Ok(Outcome {
            main: Some(Value::Number(&base * &rate, true)),
            outputs: BTreeMap::from([("base".to_owned(), Value::Number(base.clone(), true))]),
            line: (Some(base), Some(rate)),
            ..Outcome::default()
        })
    }

    pub(crate) fn brackets(&mut self, step: &Step) -> Result<Outcome, Stop> {
        let base = number(self.one(step.main)?)?;
        let shares = self
            .slot(step, "shares")?
            .unwrap_or_else(|| BigInt::from(1).into());
        let figure = &self.law.figures[text(step.node, "with").unwrap()];
        let rows = self.rows(step, figure, &self.by(step.node)?)?;
        let (mut tax, mut rate) = (Rat::zero(), Rat::zero());
        match row_at(&rows, &base, &shares) {
            Some(found) => {
                self.cite(figure, rows[found]);
                rate = cell(rows[found], "rate").unwrap();
                tax = slices(figure, &rows, &base, &shares)
                    .into_iter()
                    .map(|slice| slice.amount)
                    .sum();
            }
            // Above the last of the upper bounds.
            None if is_upper(&rows) => return Err(no_row(step)),
            None => {}
        }

        let outputs = BTreeMap::from([("rate".to_owned(), Value::Number(rate, false))]);
        Ok(Outcome {
            main: Some(Value::Number(tax, true)),
            outputs,
            base,
            shares,
            ..Outcome::default()
        })
    }

    pub(crate) fn table(&mut self, step: &Step) -> Result<Outcome, Stop> {
        let figure = &self.law.figures[step.main];
        let mut by = self.by(step.node)?;
        let bound = if figure.ty("bound").is_empty() {
            Rat::zero()
        } else {
            number(by.pop().unwrap())?
        };

        let rows = self.rows(step, figure, &by)?;
        let row =
            rows[row_at(&rows, &bound, &BigInt::from(1).into()).ok_or_else(|| no_row(step))?];
        self.cite(figure, row);
        let columns = figure
            .shape
            .iter()
            .filter(|(name, ty)| ty != "key" && name != "bound");
        let value = |name: &str| row.cells.get(name).cloned().unwrap_or(Value::Nothing);
        let mut outputs: BTreeMap<String, Value> = columns
            .map(|(name, _)| (name.clone(), value(name)))
            .collect();
        let main = outputs
            .values()
            .next()
            .filter(|_| outputs.len() == 1)
            .cloned();
        let sources = if row.sources.is_empty() {
            &figure.record.sources
        } else {
            &row.sources
        };

        let titles = sources.iter().filter_map(|id| cited(self.law.source(id)?));
        let titles = titles.collect::<Vec<_>>().join(" ; ");
        let titles = if titles.is_empty() {
            "Texte non retrouvé".to_owned()
        } else {
            titles
        };

        outputs.insert("source".to_owned(), Value::Text(titles));
        Ok(Outcome {
            main,
            outputs,
            ..Outcome::default()
        })
    }

    pub(crate) fn loan(&self, step: &Step) -> Result<Outcome, Stop> {
        let amount = |name: &str| Ok(self.slot(step, name)?.unwrap_or_default());
        let (unit, mode) = self.rounding(text(step.node, "round").unwrap())?;
        let terms = loan::LoanTerms {
            principal: number(self.one(step.main)?)?,
            months: amount("months")?.to_integer().try_into().unwrap(),
            rate: amount("rate")? / BigInt::from(12),
            fees: amount("fees")?,
            insurance: amount("insurance")?,
            constant_principal: self.slot_value(step, "constant_principal")?
                == Some(Value::Boolean(true)),
            unit,
            mode,
        };

        let (outputs, schedule) = terms.repay();
        let outputs = loan::OUTPUTS.iter().zip(outputs);
        let outputs = outputs
            .map(|(name, value)| ((*name).to_owned(), Value::Number(value, *name != "apr")))
            .collect();
        Ok(Outcome {
            outputs,
            schedule,
            ..Outcome::default()
        })
    }
}
