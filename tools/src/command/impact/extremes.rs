//! The rows that gain and lose most.

use crate::session::Failure;

/// Rows kept in each direction.
pub(super) const KEPT: usize = 20;

/// The parameters of a row.
type Query = Vec<(String, String)>;

/// A row with a large gain or loss.
#[derive(Debug, Clone)]
pub(super) struct Extreme {
    /// The number of the row in the sample, from 1.
    pub number: u64,
    pub gain: i128,
    pub before: i128,
    pub after: i128,
    /// The query for each side.
    pub queries: [Query; 2],
    /// Its index in its batch, until its parameters are read.
    row: Option<usize>,
}

/// The rows with the greatest gains, and those with the greatest losses.
#[derive(Debug, Clone, Default)]
pub(super) struct Extremes {
    pub winners: Vec<Extreme>,
    pub losers: Vec<Extreme>,
}

impl Extremes {
    /// Keeps a row of a batch if it is among them; `first` is the number of the first row of the
    /// batch.
    pub(super) fn offer(&mut self, gain: i128, row: usize, first: u64, before: i128, after: i128) {
        let list = match gain {
            0 => return,
            1.. => &mut self.winners,
            _ => &mut self.losers,
        };

        // The list is sorted, so that its last row is the one to beat: most rows are decided by one
        // comparison.
        let is_kept =
            |last: &Extreme| list.len() < KEPT || last.gain.unsigned_abs() < gain.unsigned_abs();

        if list.last().is_none_or(is_kept) {
            // The query is read later, for the rows that are still kept at the end of the batch.
            let number = first.saturating_add(u64::try_from(row).unwrap_or_default());
            list.push(Extreme {
                number,
                gain,
                before,
                after,
                queries: <_>::default(),
                row: Some(row),
            });
            sort(list);
        }
    }

    /// Reads the parameters of the kept rows of a batch.
    pub(super) fn describe(
        &mut self,
        query: impl Fn(usize) -> Result<[Query; 2], Failure>,
    ) -> Result<(), Failure> {
        for extreme in self.winners.iter_mut().chain(&mut self.losers) {
            if let Some(row) = extreme.row.take() {
                extreme.queries = query(row)?;
            }
        }
        Ok(())
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.winners.extend(other.winners);
        self.losers.extend(other.losers);
        sort(&mut self.winners);
        sort(&mut self.losers);
    }
}

/// Sorts by change, the greatest first, then by row, and drops rows beyond the limit.
fn sort(list: &mut Vec<Extreme>) {
    // Equal gains are ordered by row, so that the result does not depend on the threads.
    list.sort_by_key(|extreme| {
        (
            std::cmp::Reverse(extreme.gain.unsigned_abs()),
            extreme.number,
        )
    });
    list.truncate(KEPT);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_changes_are_kept_each_way() {
        let mut extremes = Extremes::default();
        for row in 0..1_000_usize {
            let gain = i128::try_from(row * 7 % 1_000).unwrap() - 500;
            extremes.offer(gain, row, 1, 0, 0);
        }
        let gains = |list: &[Extreme]| list.iter().map(|extreme| extreme.gain).collect::<Vec<_>>();
        assert_eq!(
            gains(&extremes.winners),
            (480..500).rev().collect::<Vec<_>>()
        );
        assert_eq!(gains(&extremes.losers), (-500..-480).collect::<Vec<_>>());
    }
}
