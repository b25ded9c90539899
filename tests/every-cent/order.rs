//! The order in which amounts are visited: any beginning of it is spread evenly over all cases, and
//! over the amounts of each.

use crate::evaluator::Span;

/// Amounts that follow each other and are visited together, so that a step from one to the next is
/// seen too.
pub(crate) const RUN: i64 = 64;

/// The runs of a folder: rounds in which every case that has runs left gets one.
#[derive(Debug)]
pub(crate) struct Order {
    /// The cases and their numbers of runs, those with the fewest first.
    cases: Vec<(usize, u64)>,
    /// The number of runs up to the round in which each of them gets its last one.
    ends: Vec<u64>,
}

impl Order {
    /// The order of cases with so many amounts each.
    pub(crate) fn new(points: impl Iterator<Item = i64>) -> Self {
        let runs = |points: i64| points.unsigned_abs().div_ceil(RUN.unsigned_abs());
        let mut cases: Vec<(usize, u64)> = points.map(runs).enumerate().collect();
        cases.sort_by_key(|(_, runs)| *runs);
        let (mut ends, mut total, mut rounds) = (Vec::new(), 0, 0);
        for (place, (_, runs)) in cases.iter().enumerate() {
            total += (runs - rounds) * (cases.len() - place) as u64;
            rounds = *runs;
            ends.push(total);
        }
        Self { cases, ends }
    }

    /// The number of runs.
    pub(crate) fn runs(&self) -> u64 {
        self.ends.last().copied().unwrap_or_default()
    }

    /// The case of the run at a position, and the place of the run among those of the case.
    pub(crate) fn at(&self, position: u64) -> (usize, u64) {
        // The cases before this one have no runs left.
        let first = self.ends.partition_point(|end| *end <= position);
        let left = (self.cases.len() - first) as u64;
        let (first_position, rounds) = first
            .checked_sub(1)
            .map_or((0, 0), |before| (self.ends[before], self.cases[before].1));
        let inside = position - first_position;
        let (case, runs) = self.cases[first + (inside % left) as usize];
        (case, spread(rounds + inside / left, runs))
    }
}

/// The place of the run of a round: the golden section spreads best, the next number without a
/// common factor visits every run once.
fn spread(round: u64, runs: u64) -> u64 {
    let mut stride =
        ((u128::from(runs) * 618_033_988_749_895 / 1_000_000_000_000_000) as u64).max(1);
    while gcd(stride, runs) > 1 {
        stride += 1;
    }
    ((u128::from(round) * u128::from(stride)) % u128::from(runs)) as u64
}

/// The amounts of a run of a range.
pub(crate) fn span(first: i64, last: i64, run: u64) -> Span {
    let first = first + run as i64 * RUN;
    (first, (last - first + 1).min(RUN) as usize)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
