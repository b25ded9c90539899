//! The step `interpolate`: a value between two rows.

use std::collections::BTreeMap;

use num_traits::Zero;

use crate::compute::{Outcome, Run, Step, Stop, number};
use crate::law::{Rat, Row, Value};

impl Run<'_> {
    /// Between two points each column is on a straight line; before the first one and after the
    /// last one it stays.
    pub(crate) fn interpolate(&mut self, step: &Step) -> Result<Outcome, Stop> {
        let figure = &self.law.figures[step.main];
        let mut by = self.by(step.node)?;
        let point = number(by.pop().unwrap())?;
        let rows = self.rows(step, figure, &by)?;

        let starts: Vec<&Rat> = rows
            .iter()
            .map(|row| &row.bound.as_ref().unwrap().1)
            .collect();
        let before = starts.iter().filter(|start| ***start <= point).count();
        let (low, high) = (before.saturating_sub(1), before.min(rows.len() - 1));
        let share = if before == 0 || low == high {
            Rat::zero()
        } else {
            (point - starts[low]) / (starts[high] - starts[low])
        };
        self.cite(figure, rows[low]);
        if !share.is_zero() {
            self.cite(figure, rows[high]);
        }

        let columns = figure
            .shape
            .iter()
            .filter(|(name, ty)| ty != "key" && name != "bound");
        let cell = |row: &Row, name: &str| number(row.cells[name].clone());
        let mut outputs: BTreeMap<String, Value> = BTreeMap::new();
        for (name, ty) in columns {
            let (start, end) = (cell(rows[low], name)?, cell(rows[high], name)?);
            let value = &start + (end - &start) * &share;
            let is_money = ty.starts_with("money");
            outputs.insert(name.clone(), Value::Number(value, is_money));
        }
        let main = outputs
            .values()
            .next()
            .filter(|_| outputs.len() == 1)
            .cloned();
        Ok(Outcome {
            main,
            outputs,
            ..Outcome::default()
        })
    }
}
