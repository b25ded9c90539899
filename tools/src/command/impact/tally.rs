//! Exact sums over weighted rows: the field before and after, winners and losers.
//!
//! Amounts are integers scaled by the decimals of the field, weights by their own, and products by
//! both.

use std::collections::HashMap;

use super::statistics::median;

/// Sums of rows before and after a reform.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    pub rows: u64,
    pub weight: i128,
    /// Weighted sums of the field.
    pub before: i128,
    pub after: i128,
    pub winners: Part,
    pub losers: Part,
    pub unchanged: Part,
    /// Weighted sum of the income.
    pub income: i128,
    /// Weighted sum of the income that gains are a share of.
    pub base: i128,
    /// Weighted sums of the change of the field for a raised income, before and after, and their
    /// weight.
    pub marginal: [i128; 2],
    pub marginal_weight: i128,
}

/// A group of rows: number, weight, and weighted sum of the gains.
#[derive(Debug, Clone, Default)]
pub(super) struct Part {
    pub rows: u64,
    pub weight: i128,
    pub gain: i128,
}

/// A row that both sides calculate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub weight: i128,
    pub before: i128,
    pub after: i128,
    /// Gain: less of a levy, or more of a net.
    pub gain: i128,
    /// The income.
    pub income: Option<i128>,
    /// The income that the gain is a share of.
    pub base: Option<i128>,
    /// The change of the field for a raised income, before and after.
    pub marginal: Option<[i128; 2]>,
    /// The consumption units of the household.
    pub consumption: Option<i128>,
}

/// Error: a sum that overflows 128 bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct TooGreat;

fn add(sum: &mut i128, value: i128) -> Result<(), TooGreat> {
    // Saturated sums would be wrong without a sign of it: an overflow ends the command.
    *sum = sum.checked_add(value).ok_or(TooGreat)?;
    Ok(())
}

fn weighted(value: i128, weight: i128) -> Result<i128, TooGreat> {
    value.checked_mul(weight).ok_or(TooGreat)
}

impl Part {
    fn take(&mut self, row: &Row) -> Result<(), TooGreat> {
        self.rows = self.rows.saturating_add(1);
        add(&mut self.weight, row.weight)?;
        add(&mut self.gain, weighted(row.gain, row.weight)?)
    }

    fn merge(&mut self, other: &Self) -> Result<(), TooGreat> {
        self.rows = self.rows.saturating_add(other.rows);
        add(&mut self.weight, other.weight)?;
        add(&mut self.gain, other.gain)
    }
}

impl Tally {
    pub(super) fn take(&mut self, row: &Row) -> Result<(), TooGreat> {
        self.rows = self.rows.saturating_add(1);
        add(&mut self.weight, row.weight)?;
        add(&mut self.before, weighted(row.before, row.weight)?)?;
        add(&mut self.after, weighted(row.after, row.weight)?)?;

        add(
            &mut self.income,
            weighted(row.income.unwrap_or_default(), row.weight)?,
        )?;
        add(
            &mut self.base,
            weighted(row.base.unwrap_or_default(), row.weight)?,
        )?;
        // Only rows with an income have a marginal change: they have a weight of their own.
        if let Some([before, after]) = row.marginal {
            let [sum_before, sum_after] = &mut self.marginal;
            add(sum_before, weighted(before, row.weight)?)?;
            add(sum_after, weighted(after, row.weight)?)?;
            add(&mut self.marginal_weight, row.weight)?;
        }

        self.part(row.gain).take(row)
    }

    fn part(&mut self, gain: i128) -> &mut Part {
        // A gain of 0 is neither: the row is unchanged.
        match gain {
            0 => &mut self.unchanged,
            1.. => &mut self.winners,
            _ => &mut self.losers,
        }
    }

    pub(super) fn merge(&mut self, other: &Self) -> Result<(), TooGreat> {
        self.rows = self.rows.saturating_add(other.rows);
        // Every sum is merged by the same addition, so that none is forgotten or unchecked.
        let [before, after] = &mut self.marginal;
        let [other_before, other_after] = other.marginal;

        for (sum, value) in [
            (&mut self.weight, other.weight),
            (&mut self.before, other.before),
            (&mut self.after, other.after),
            (&mut self.income, other.income),
            (&mut self.base, other.base),
            (&mut self.marginal_weight, other.marginal_weight),
            (before, other_before),
            (after, other_after),
        ] {
            add(sum, value)?;
        }

        self.winners.merge(&other.winners)?;
        self.losers.merge(&other.losers)?;
        self.unchanged.merge(&other.unchanged)
    }
}

/// The gains, each with its number of rows and their weight.
#[derive(Debug, Clone, Default)]
pub(super) struct Gains(HashMap<i128, (u64, i128)>);

impl Gains {
    pub(super) fn take(&mut self, gain: i128, rows: u64, weight: i128) -> Result<(), TooGreat> {
        let (count, sum) = self.0.entry(gain).or_default();
        *count = count.saturating_add(rows);
        add(sum, weight)
    }

    pub(super) fn merge(&mut self, other: &Self) -> Result<(), TooGreat> {
        other
            .0
            .iter()
            .try_for_each(|(gain, (rows, weight))| self.take(*gain, *rows, *weight))
    }

    /// The gains for which `holds` is true, in increasing order, each with its number of rows and
    /// their weight.
    pub(super) fn sorted(&self, holds: impl Fn(i128) -> bool) -> Vec<(i128, u64, i128)> {
        // A hash map has no order: the gains are sorted, so that the result is the same each time.
        let found = self.0.iter().filter(|(gain, _)| holds(**gain));
        let mut sorted: Vec<_> = found
            .map(|(gain, (rows, weight))| (*gain, *rows, *weight))
            .collect();

        sorted.sort_unstable();
        sorted
    }

    /// The weighted median of the gains for which `holds` is true.
    pub(super) fn median(&self, holds: impl Fn(i128) -> bool) -> Option<i128> {
        median(
            self.sorted(holds)
                .into_iter()
                .map(|(gain, _, weight)| (gain, weight)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(weight: i128, before: i128, after: i128) -> Row {
        Row {
            weight,
            before,
            after,
            gain: before - after,
            income: Some(100),
            base: Some(50),
            marginal: None,
            consumption: None,
        }
    }

    #[test]
    fn sums_are_weighted_and_parts_add_up() {
        let mut tally = Tally::default();
        for row in [row(2, 10, 7), row(3, 10, 14), row(5, 1, 1)] {
            tally.take(&row).unwrap();
        }
        let mut twice = tally.clone();
        twice.merge(&tally).unwrap();
        assert_eq!(
            (tally.rows, tally.weight, tally.before, tally.after),
            (3, 10, 55, 61)
        );
        assert_eq!(
            (
                tally.winners.gain,
                tally.losers.gain,
                tally.unchanged.weight
            ),
            (6, -12, 5)
        );
        assert_eq!(
            (twice.rows, twice.before, twice.losers.rows, twice.income),
            (6, 110, 2, 2_000)
        );
        assert_eq!(
            tally.winners.gain + tally.losers.gain,
            tally.before - tally.after
        );
    }

    #[test]
    fn a_sum_beyond_all_numbers_is_an_error_and_no_wrong_number() {
        assert!(Tally::default().take(&row(i128::MAX, 2, 1)).is_err());
    }

    #[test]
    fn the_median_is_by_weight() {
        let mut gains = Gains::default();
        for (gain, weight) in [(1, 10), (2, 1), (3, 1), (-5, 4)] {
            gains.take(gain, 1, weight).unwrap();
        }
        assert_eq!(gains.median(|gain| gain > 0), Some(1));
        assert_eq!(gains.median(|gain| gain < 0), Some(-5));
        assert_eq!(gains.median(|gain| gain > 5), None);
    }
}
