//! The order in which amounts are visited: any beginning of it is spread evenly over all cases and all amounts.

use crate::evaluator::Span;

/// Amounts that follow each other and are visited together, so that a step from one to the next is seen too.
pub(crate) const RUN: i64 = 64;

/// The runs of a folder, those of its cases one after the other.
#[derive(Debug)]
pub(crate) struct Order {
    /// The number of runs up to each case, itself included.
    ends: Vec<u64>,
    /// By how much the place of a run differs from that of the run before: it has no factor in common with their number.
    stride: u64,
}

impl Order {
    /// The order of cases with so many amounts each.
    pub(crate) fn new(points: impl Iterator<Item = i64>) -> Self {
        let mut ends = Vec::new();
        let mut total = 0;
        for points in points {
            total += points.unsigned_abs().div_ceil(RUN.unsigned_abs());
            ends.push(total);
        }
        // The golden section spreads best; the next number without a common factor visits every run once.
        let mut stride = ((u128::from(total) * 618_033_988_749_895 / 1_000_000_000_000_000) as u64).max(1);
        while gcd(stride, total) > 1 {
            stride += 1;
        }
        Self { ends, stride }
    }

    /// The number of runs.
    pub(crate) fn runs(&self) -> u64 {
        self.ends.last().copied().unwrap_or_default()
    }

    /// The case of the run at a position, and the place of the run among those of the case.
    pub(crate) fn at(&self, position: u64) -> (usize, u64) {
        let total = self.runs();
        let place = ((u128::from(position) * u128::from(self.stride)) % u128::from(total)) as u64;
        let case = self.ends.partition_point(|end| *end <= place);
        (case, place - case.checked_sub(1).map_or(0, |before| self.ends[before]))
    }
}

/// The amounts of a run of a range.
pub(crate) fn span(first: i64, last: i64, run: u64) -> Span {
    let first = first + run as i64 * RUN;
    (first, (last - first + 1).min(RUN) as usize)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
