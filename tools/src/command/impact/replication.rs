//! Replicates of an impact: the same sums by other weights, those of columns or those of a
//! bootstrap, from which standard errors are computed.

use std::collections::BTreeMap;

use bareme_arrow::arrow::array::RecordBatch;
use bareme_show::say;
use rayon::prelude::*;
use rust_decimal::Decimal;

use super::compute::{Group, ImpactResult, Question, too_great};
use super::errors::Spread;
use super::measures::Precision;
use super::sample::Sample;
use super::scale::rescaled;
use super::tally::{Row, Tally, TooGreat};
use crate::command::Random;
use crate::session::{Failure, Session};
use crate::user_input::number;

/// Fewest and most replicates of a bootstrap.
const COUNTS: std::ops::RangeInclusive<u32> = 2..=10_000;

/// Most decimals of the scale of replicate weights.
const SCALE_DECIMALS: u32 = 8;

/// The seed of a bootstrap for which none is given.
const SEED: u64 = 1;

/// The weights by which standard errors are computed.
#[derive(Debug, Clone)]
pub(super) enum Replication {
    None,
    /// Replicate weights in columns, and by what the sum of squares is multiplied.
    Columns {
        columns: Vec<usize>,
        scale: Option<Decimal>,
    },
    /// Rows drawn with replacement, as many as there are.
    Bootstrap {
        count: u32,
        seed: u64,
    },
}

/// The sums by one set of weights.
#[derive(Debug, Clone, Default)]
pub(super) struct Replicate {
    pub tally: Tally,
    /// The groups of each grouping.
    pub groups: Vec<BTreeMap<Group, Tally>>,
}

impl Replicate {
    /// No sum yet, of so many groupings.
    pub(super) fn of_groupings(count: usize) -> Self {
        Self {
            tally: Tally::default(),
            groups: vec![BTreeMap::new(); count],
        }
    }
}

impl Replication {
    /// The replication that the options ask for.
    pub(super) fn new(
        asked: &Precision,
        sample: &Sample,
        session: &Session,
    ) -> Result<Self, Failure> {
        let lang = session.lang;
        if let Some(count) = asked.bootstrap {
            if !COUNTS.contains(&count) {
                let (least, most) = (COUNTS.start(), COUNTS.end());
                return Err(Failure::unusable(say!(
                    lang,
                    "`--bootstrap {count}` : de {least} à {most} tirages.",
                    "`--bootstrap {count}`: {least} to {most} draws."
                )));
            }
            let seed = asked.seed.unwrap_or(SEED);
            return Ok(Self::Bootstrap { count, seed });
        }

        let Some(prefix) = &asked.replicates else {
            return Ok(Self::None);
        };
        // The name goes on with a number: `poids_1`, and not `poids_total`.
        let is_replicate = |name: &str| {
            let number = name.strip_prefix(prefix.as_str());
            number.is_some_and(|number| {
                !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
            })
        };
        let names = sample.schema.fields().iter().enumerate();
        let columns = names.filter(|(_, field)| is_replicate(field.name()));
        let columns: Vec<usize> = columns.map(|(index, _)| index).collect();
        if columns.len() < 2 {
            return Err(Failure::unusable(say!(
                lang,
                "`--replicates {prefix}` : il faut au moins deux colonnes `{prefix}1`, \
                 `{prefix}2`…",
                "`--replicates {prefix}`: at least two columns `{prefix}1`, `{prefix}2`… are needed"
            )));
        }

        let Some(text) = &asked.replicate_scale else {
            return Ok(Self::Columns {
                columns,
                scale: None,
            });
        };
        let scale = number(text, session)?.map(|scale| scale.normalize());
        let scale = scale.filter(|scale| {
            *scale > Decimal::ZERO && *scale <= Decimal::TEN && scale.scale() <= SCALE_DECIMALS
        });
        if scale.is_none() {
            return Err(Failure::unusable(say!(
                lang,
                "`--replicate-scale {text}` : un nombre positif, 10 au plus, de {SCALE_DECIMALS} \
                 décimales au plus.",
                "`--replicate-scale {text}`: a positive number, 10 at most, of {SCALE_DECIMALS} \
                 decimals at most."
            )));
        }
        Ok(Self::Columns { columns, scale })
    }

    /// The columns of the replicate weights.
    pub(super) fn columns(&self) -> &[usize] {
        match self {
            Self::Columns { columns, .. } => columns,
            Self::None | Self::Bootstrap { .. } => &[],
        }
    }

    pub(super) fn reads(&self, column: usize) -> bool {
        self.columns().contains(&column)
    }

    pub(super) fn is_bootstrap(&self) -> bool {
        matches!(self, Self::Bootstrap { .. })
    }

    /// How many replicates there are; 0 for none.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Columns { columns, .. } => columns.len(),
            Self::Bootstrap { count, .. } => usize::try_from(*count).unwrap_or_default(),
        }
    }

    /// How the replicates of a number spread around it.
    pub(super) fn spread(&self) -> Spread {
        match self {
            Self::Columns {
                scale: Some(scale), ..
            } => Spread::Scaled(*scale),
            Self::Columns { .. } | Self::None => Spread::OnAverage,
            Self::Bootstrap { .. } => Spread::OfDraws,
        }
    }
}

impl Question<'_> {
    /// Decimals of all weights.
    pub(super) fn weight_decimals(&self) -> u32 {
        let columns = self.weight.iter().chain(self.replication.columns());
        let decimals = columns.map(|column| self.sample.decimals(*column));
        decimals.max().unwrap_or_default()
    }

    /// The weight of each row of a batch: 1 without a column of weights.
    pub(super) fn weights(&self, batch: &RecordBatch) -> Result<Vec<Option<i128>>, Failure> {
        match self.weight {
            Some(column) => self.weights_in(batch, column),
            None => {
                let one = rescaled(1, 0, self.weight_decimals());
                Ok(vec![one; batch.num_rows()])
            }
        }
    }

    /// The replicate weights of the rows of a batch, column by column.
    pub(super) fn replicate_weights(
        &self,
        batch: &RecordBatch,
    ) -> Result<Vec<Vec<Option<i128>>>, Failure> {
        let columns = self.replication.columns().iter();
        columns
            .map(|column| self.weights_in(batch, *column))
            .collect()
    }

    fn weights_in(&self, batch: &RecordBatch, column: usize) -> Result<Vec<Option<i128>>, Failure> {
        let (own, all) = (self.sample.decimals(column), self.weight_decimals());
        let weights = self.sample.readable_numbers(batch, column)?;
        let weights = weights.into_iter();
        Ok(weights.map(|weight| rescaled(weight?, own, all)).collect())
    }

    /// The sums of each replicate.
    pub(super) fn replicates(&self, found: &ImpactResult) -> Result<Vec<Replicate>, Failure> {
        let Replication::Bootstrap { count, seed } = self.replication else {
            return Ok(found.replicates.clone());
        };

        // Each draw has its own seed, so that the result does not depend on the threads.
        let drawn = (0..count)
            .into_par_iter()
            .map(|number| found.drawn.replicate(self, seed, number));
        let drawn: Result<Vec<_>, TooGreat> = drawn.collect();
        drawn.map_err(|error| too_great(error, self.session))
    }
}

/// The rows that a bootstrap draws from: their numbers, and the indices of their groups.
#[derive(Debug, Clone, Default)]
pub(super) struct Drawn {
    rows: Vec<DrawnRow>,
    /// For each row, the index of its group in each grouping.
    groups: Vec<u32>,
    /// The groups of each grouping, each with its index.
    indices: Vec<BTreeMap<Group, u32>>,
}

/// A row with 64 bits a number: those of a whole population are kept.
#[derive(Debug, Clone, Copy)]
struct DrawnRow {
    weight: i64,
    before: i64,
    after: i64,
    base: i64,
}

impl Drawn {
    /// No row yet, of so many groupings.
    pub(super) fn of_groupings(count: usize) -> Self {
        Self {
            indices: vec![BTreeMap::new(); count],
            ..Self::default()
        }
    }

    /// Adds a row.
    pub(super) fn take(&mut self, row: &Row, groups: &[Option<&Group>]) -> Result<(), TooGreat> {
        let short = |value: i128| i64::try_from(value).map_err(|_| TooGreat);
        self.rows.push(DrawnRow {
            weight: short(row.weight)?,
            before: short(row.before)?,
            after: short(row.after)?,
            base: short(row.base.unwrap_or_default())?,
        });
        for (indices, group) in self.indices.iter_mut().zip(groups) {
            let group = group.cloned().unwrap_or(Group::Empty);
            self.groups.push(index_of(indices, group));
        }
        Ok(())
    }

    /// Adds the rows of another, whose groups have other indices.
    pub(super) fn merge(&mut self, other: &Self) {
        let moved: Vec<Vec<u32>> = self
            .indices
            .iter_mut()
            .zip(&other.indices)
            .map(|(own, other)| {
                let mut places = vec![0; other.len()];
                for (group, index) in other {
                    let place = usize::try_from(*index).ok();
                    let place = place.and_then(|place| places.get_mut(place));
                    if let Some(place) = place {
                        *place = index_of(own, group.clone());
                    }
                }
                places
            })
            .collect();

        self.rows.extend(&other.rows);
        let groupings = moved.iter().cycle();
        let places = other.groups.iter().zip(groupings);
        self.groups.extend(places.map(|(index, moved)| {
            let place = usize::try_from(*index).ok();
            let place = place.and_then(|place| moved.get(place));
            place.copied().unwrap_or_default()
        }));
    }

    /// The sums over rows drawn with replacement, as many as there are.
    fn replicate(
        &self,
        question: &Question,
        seed: u64,
        number: u32,
    ) -> Result<Replicate, TooGreat> {
        let mut random = Random::new(seed).nth(number);
        let count = u64::try_from(self.rows.len()).unwrap_or_default();
        let width = self.indices.len();

        let mut tally = Tally::default();
        let mut groups: Vec<Vec<Tally>> = self
            .indices
            .iter()
            .map(|indices| vec![Tally::default(); indices.len()])
            .collect();

        for _ in 0..count {
            let Some(index) = usize::try_from(random.below(count)).ok() else {
                continue;
            };
            let Some(row) = self.rows.get(index) else {
                continue;
            };
            let row = Row {
                base: Some(row.base.into()),
                ..question.row(row.weight.into(), row.before.into(), row.after.into())
            };
            tally.take(&row)?;

            let own = self.groups.iter().skip(index.saturating_mul(width));
            for (tallies, group) in groups.iter_mut().zip(own) {
                let group = usize::try_from(*group).ok();
                if let Some(tally) = group.and_then(|group| tallies.get_mut(group)) {
                    tally.take(&row)?;
                }
            }
        }

        let named = self.indices.iter().zip(&groups).map(|(indices, tallies)| {
            let of_group = indices.iter().filter_map(|(group, index)| {
                let tally = tallies.get(usize::try_from(*index).ok()?)?;
                Some((group.clone(), tally.clone()))
            });
            of_group.collect()
        });
        Ok(Replicate {
            tally,
            groups: named.collect(),
        })
    }
}

/// The index of a group, which is new at the end.
fn index_of(indices: &mut BTreeMap<Group, u32>, group: Group) -> u32 {
    let next = u32::try_from(indices.len()).unwrap_or(u32::MAX);
    *indices.entry(group).or_insert(next)
}
