//! Computation of an impact: one pass over the sample, batches in parallel, sums merged in order.

mod groups;
mod result;

use std::collections::BTreeMap;

use bareme_arrow::arrow::array::RecordBatch;
use bareme_engine::law::Role;
use bareme_engine::run::plan::{Answers, FixedPoint, Values};
use bareme_show::curve::Unit;
use bareme_show::say;
use rayon::prelude::*;

use crate::quantity::Quantity;
use crate::session::{Failure, Session};

use super::replication::{Drawn, Replicate, Replication};
use super::sample::Sample;
use super::scale::{Units, rescaled};
use super::sides::{Side, WHOLE};
use super::statistics::{self, Weighted};
use super::tally::{Row, Tally, TooGreat};

pub(super) use groups::{Group, Grouping};
pub(super) use result::{ImpactResult, RefusedRows};

/// Increase of the income for marginal rates, in units.
pub(super) const RAISE: i128 = 100;

/// Batches computed at once, for each processor.
const AT_ONCE: usize = 2;

/// The reform, and the sample to compute its effect on.
pub(super) struct Question<'q> {
    pub sample: &'q Sample<'q>,
    pub before: &'q Side<'q>,
    pub after: &'q Side<'q>,
    /// Whether the field is kept, paid or received by the person concerned.
    pub role: Role,
    /// The unit of the field.
    pub unit: Unit,
    /// Decimals of the field, the most of both sides.
    pub decimals: u32,
    pub weight: Option<usize>,
    /// The income, of which the field is the net or a levy.
    pub income: Option<Income>,
    /// The column of consumption units, by which what is left of an income is divided.
    pub consumption: Option<usize>,
    /// The column of the income that gains are a share of; otherwise they are of `income`.
    pub named_income: Option<usize>,
    /// The weights by which standard errors are computed.
    pub replication: Replication,
    pub groupings: Vec<Grouping>,
    /// Whether the effect on each row is kept.
    pub keeps_rows: bool,
    pub session: &'q Session,
}

/// Where the income of a row is read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Income {
    /// In the column that drives the calculation.
    Column(usize),
    /// In the answer before the reform: the whole amount of which the method shows the parts, since
    /// no single column is all that a household has.
    Whole,
}

impl Question<'_> {
    /// Computes all rows; `done` is called after each batch.
    pub(super) fn compute(&self, done: impl Fn(usize)) -> Result<ImpactResult, Failure> {
        let mut all = ImpactResult {
            groups: vec![BTreeMap::new(); self.groupings.len()],
            replicates: vec![
                Replicate::of_groupings(self.groupings.len());
                self.replication.columns().len()
            ],
            drawn: Drawn::of_groupings(self.groupings.len()),
            ..ImpactResult::default()
        };

        let mut batches = self.sample.batches()?;
        let at_once = rayon::current_num_threads().saturating_mul(AT_ONCE);
        let mut first = 1_u64;
        // Batches are computed in parallel, but merged in the order of the file: the first row
        // refused for a reason, and the extremes of equal gain, do not depend on the threads.
        loop {
            let mut chunk = Vec::with_capacity(at_once);
            for batch in batches.by_ref().take(at_once) {
                let batch = batch?;
                let rows = u64::try_from(batch.num_rows()).unwrap_or(u64::MAX);
                chunk.push((first, batch));
                first = first.saturating_add(rows);
            }

            if chunk.is_empty() {
                return Ok(all);
            }

            let found: Vec<_> = chunk
                .par_iter()
                .map(|(first, batch)| self.batch(batch, *first))
                .collect();

            for (found, (_, batch)) in found.into_iter().zip(&chunk) {
                all.merge(found?)
                    .map_err(|error| too_great(error, self.session))?;
                done(batch.num_rows());
            }
            // Checked between chunks: a column of names would otherwise fill the memory with
            // groups.
            self.check_groups(&all)?;
        }
    }

    /// A row with its gain: more of a net, less of a levy.
    pub(super) fn row(&self, weight: i128, before: i128, after: i128) -> Row {
        // A gain is always positive for whoever wins, whatever the field is.
        let change = after.saturating_sub(before);

        let gain = if self.role.gains_by_more() {
            change
        } else {
            change.saturating_neg()
        };
        Row {
            weight,
            before,
            after,
            gain,
            income: None,
            base: None,
            marginal: None,
            consumption: None,
        }
    }

    /// Decimals of the amounts and of the weights.
    pub(super) fn units(&self) -> Units {
        let decimals =
            |column: Option<usize>| column.map_or(0, |column| self.sample.decimals(column));
        let income = match self.income {
            Some(Income::Whole) => self.before.decimals_of_whole(),
            Some(Income::Column(column)) => decimals(Some(column)),
            None => 0,
        };
        Units {
            amount: self.decimals,
            weight: self.weight_decimals(),
            base: match self.named_income {
                Some(column) => decimals(Some(column)),
                None => income,
            },
            income,
            consumption: decimals(self.consumption),
        }
    }

    /// Whether gains are a share of an income.
    pub(super) fn has_base(&self) -> bool {
        self.named_income.is_some() || self.income.is_some()
    }

    /// How the values of the field are shown.
    pub(super) fn quantity(&self) -> Quantity {
        // The currency is that of the new rules.
        let currency = self.after.edition.method().currency.clone();
        Quantity {
            unit: self.unit,
            decimals: self.decimals,
            currency,
            locale: self.session.lang.into(),
        }
    }

    /// The value of the field in a row, with the decimals of the question.
    pub(super) fn value(&self, answers: &Answers, row: usize) -> Option<i128> {
        number(answers, 0, row)?.at_scale(self.decimals)
    }

    /// The whole amount of each row, of which the field is a part.
    fn wholes(&self, answers: &Answers, rows: usize) -> Vec<Option<i128>> {
        let decimals = self.before.decimals_of_whole();
        let whole = |row| number(answers, WHOLE, row)?.at_scale(decimals);
        (0..rows).map(whole).collect()
    }

    /// Computes the rows of a batch; `first` is the number of its first row.
    fn batch(&self, batch: &RecordBatch, first: u64) -> Result<ImpactResult, Failure> {
        // 1. Both sides, with the income raised as well where marginal rates are asked for.
        let (before, after) = (self.before.evaluate(batch)?, self.after.evaluate(batch)?);
        let raised = match self.income {
            Some(_) => [
                self.before.evaluate_raised(batch, RAISE, self.sample)?,
                self.after.evaluate_raised(batch, RAISE, self.sample)?,
            ],
            None => [None, None],
        };

        // 2. The weights, incomes and groups of the rows.
        let numbers = |column: Option<usize>| {
            column
                .map(|column| self.sample.readable_numbers(batch, column))
                .transpose()
        };
        let weights = self.weights(batch)?;
        let replicates = self.replicate_weights(batch)?;
        let named = numbers(self.named_income)?;
        let consumption = numbers(self.consumption)?;
        let incomes = match self.income {
            Some(Income::Column(column)) => numbers(Some(column))?,
            Some(Income::Whole) => Some(self.wholes(&before, batch.num_rows())),
            None => None,
        };

        let groups = self
            .groupings
            .iter()
            .map(|grouping| self.groups(batch, grouping))
            .collect::<Result<Vec<_>, _>>()?;

        // 3. The refusals. A row that both sides refuse is counted once, with the reason of the
        // first.
        let mut found = ImpactResult {
            rows: u64::try_from(batch.num_rows()).unwrap_or(u64::MAX),
            groups: vec![BTreeMap::new(); groups.len()],
            replicates: vec![Replicate::of_groupings(groups.len()); replicates.len()],
            drawn: Drawn::of_groupings(groups.len()),
            ..ImpactResult::default()
        };
        found.refuse(&before, self.before, first, |_| false, self.session);
        let is_counted = |row| {
            before
                .refused
                .binary_search_by_key(&row, |(refused, _)| *refused)
                .is_ok()
        };

        found.refuse(&after, self.after, first, is_counted, self.session);

        // 4. The rows that both sides compute.
        for row in 0..batch.num_rows() {
            let number = first.saturating_add(u64::try_from(row).unwrap_or_default());

            let is_refused = |answers: &Answers| answers.scale(row).is_none();
            // A row without a value on either side has no difference.
            let Some((before, after)) = self.value(&before, row).zip(self.value(&after, row))
            else {
                let is_absent = !is_refused(&before) && !is_refused(&after);
                found.refuse_without_field(number, is_absent, self.session);
                continue;
            };

            // A negative weight would turn winners into losers, and one that is missing in a replicate
            // would make an error of its own.
            let weight_in = |weights: &Vec<Option<i128>>| {
                let weight = weights.get(row).copied().flatten();
                weight.filter(|weight| *weight >= 0)
            };
            let of_replicates: Option<Vec<i128>> = replicates.iter().map(weight_in).collect();
            let Some((weight, of_replicates)) = weight_in(&weights).zip(of_replicates) else {
                found.refuse_weight(number, self.session);
                continue;
            };

            // An income that was named is one of every row.
            let base = named
                .as_ref()
                .map(|named| named.get(row).copied().flatten());
            if base == Some(None) {
                found.refuse_income(number, self.session);
                continue;
            }

            // A household without units has no standard of living: its row is in no sum.
            let consumption = match &consumption {
                None => None,
                Some(units) => match units.get(row).copied().flatten() {
                    Some(units) if units > 0 => Some(units),
                    _ => {
                        found.refuse_consumption(number, self.session);
                        continue;
                    }
                },
            };

            let difference = |raised: &Option<Answers>, own: i128| {
                Some(self.value(raised.as_ref()?, row)?.saturating_sub(own))
            };
            let [raised_before, raised_after] = &raised;
            let marginal = difference(raised_before, before).zip(difference(raised_after, after));

            let income = incomes
                .as_ref()
                .and_then(|incomes| incomes.get(row).copied().flatten());
            let row_of = Row {
                income,
                base: base.unwrap_or(income),
                marginal: marginal.map(|(before, after)| [before, after]),
                consumption,
                ..self.row(weight, before, after)
            };

            let groups: Vec<Option<&Group>> = groups.iter().map(|groups| groups.get(row)).collect();
            self.take(&mut found, &row_of, &of_replicates, &groups)
                .map_err(|error| too_great(error, self.session))?;
            if self.keeps_rows {
                found.kept.push((number, row_of));
            }
            found.extremes.offer(row_of.gain, row, first, before, after);
        }

        // 5. The parameters of the extremes are read from the batch, which is dropped after.
        found.extremes.describe(|row| {
            Ok([
                self.before.query(batch, row)?,
                self.after.query(batch, row)?,
            ])
        })?;
        Ok(found)
    }

    fn take(
        &self,
        found: &mut ImpactResult,
        row: &Row,
        replicates: &[i128],
        groups: &[Option<&Group>],
    ) -> Result<(), TooGreat> {
        found.tally.take(row)?;
        found.gains.take(row.gain, 1, row.weight)?;
        take_groups(&mut found.groups, groups, row)?;

        for (replicate, weight) in found.replicates.iter_mut().zip(replicates) {
            let row = Row {
                weight: *weight,
                ..*row
            };
            replicate.tally.take(&row)?;
            take_groups(&mut replicate.groups, groups, &row)?;
        }
        if self.replication.is_bootstrap() {
            found.drawn.take(row, groups)?;
        }

        if let Some(left) = self.left(row)? {
            found.left.push(left);
        }
        Ok(())
    }

    /// Remaining income of a row before and after: the net, or the income less the levy.
    fn left(&self, row: &Row) -> Result<Option<(i64, i64, i64)>, TooGreat> {
        // Remaining incomes of a whole population are kept: 64 bits each instead of 128.
        let short = |value: i128| i64::try_from(value).map_err(|_| TooGreat);

        let Some(income) = row.income else {
            return Ok(None);
        };

        // A levy is taken from the income, which may have other decimals.
        let units = self.units();
        let left = |field: i128| match self.role {
            Role::Net => Some(field),
            _ => rescaled(income, units.income, self.decimals)?.checked_sub(field),
        };

        // A standard of living is what is left for each consumption unit.
        let left = |field: i128| {
            let left = left(field).ok_or(TooGreat)?;
            match row.consumption {
                None => short(left),
                Some(own) => short(units.for_each_unit(left, own).ok_or(TooGreat)?),
            }
        };
        Ok(Some((
            left(row.before)?,
            left(row.after)?,
            short(row.weight)?,
        )))
    }
}

/// Adds a row to its groups.
fn take_groups(
    tallies: &mut [BTreeMap<Group, Tally>],
    groups: &[Option<&Group>],
    row: &Row,
) -> Result<(), TooGreat> {
    for (tallies, group) in tallies.iter_mut().zip(groups) {
        let Some(group) = group else { continue };
        match tallies.get_mut(group) {
            Some(tally) => tally.take(row)?,
            None => tallies.entry((*group).clone()).or_default().take(row)?,
        }
    }
    Ok(())
}

pub(super) fn too_great(_: TooGreat, session: &Session) -> Failure {
    Failure::wrong(say!(
        session.lang,
        "Une somme dépasse tout nombre exact : les poids ou les montants sont trop grands.",
        "A sum exceeds all exact numbers: the weights or the amounts are too great."
    ))
}

/// The bounds of the quantile groups of a column.
pub(super) fn bounds(
    sample: &Sample,
    column: usize,
    weight: Option<usize>,
    parts: u32,
    session: &Session,
) -> Result<Vec<i64>, Failure> {
    let mut values: Vec<Weighted> = Vec::new();
    for batch in sample.batches()? {
        let batch = batch?;
        let weights = weight
            .map(|weight| sample.readable_numbers(&batch, weight))
            .transpose()?;

        for (row, value) in sample.numbers(&batch, column)?.into_iter().enumerate() {
            let weight = weights
                .as_ref()
                .map_or(Some(1), |weights| weights.get(row).copied().flatten());

            let short =
                |value: i128| i64::try_from(value).map_err(|_| too_great(TooGreat, session));
            if let (Some(value), Some(weight)) = (value, weight.filter(|weight| *weight >= 0)) {
                values.push((short(value)?, short(weight)?));
            }
        }
    }

    Ok(statistics::bounds(values, parts))
}

/// A number of an answer: of a field, in a row.
fn number(answers: &Answers, field: usize, row: usize) -> Option<FixedPoint> {
    match answers.fields.get(field)? {
        Values::Numbers(numbers) => numbers.get(row),
        _ => None,
    }
}
