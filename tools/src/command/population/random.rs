//! Pseudo-random numbers that only depend on the seed: SplitMix64.

use super::tables::Quantiles;

/// A billion: ranks of distributions are in billionths.
const BILLION: u64 = 1_000_000_000;
/// Cents of a euro.
const CENTS: i64 = 100;

/// A pseudo-random number generator.
#[derive(Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The generator of one draw among several by the same seed.
    pub(crate) fn nth(self, number: u32) -> Self {
        // Numbers that follow each other are mixed, so that no draw is a part of another one.
        let mixed = Self::new(u64::from(number)).next();
        Self::new(Self::new(self.state ^ mixed).next())
    }

    fn next(&mut self) -> u64 {
        // The constants are those of SplitMix64, so that the same seed gives the same sample
        // everywhere.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// An integer from 0 to `end - 1`.
    pub(crate) fn below(&mut self, end: u64) -> i64 {
        // The bias of the remainder is below one in a billion for the ranges used here.
        i64::try_from(self.next() % end.max(1)).unwrap_or_default()
    }

    /// A random amount of a distribution, in cents.
    pub(super) fn amount(&mut self, of: &Quantiles) -> i64 {
        interpolated(of, self.below(BILLION), CENTS)
    }

    /// A random choice, each with its share out of a hundred.
    pub(super) fn one_of<T: Copy + Default>(&mut self, shares: &[(i64, T)]) -> T {
        // The shares add up to a hundred; what rounding leaves falls on the default.
        let mut left = self.below(100);
        for (share, value) in shares {
            if left < *share {
                return *value;
            }
            left -= share;
        }
        T::default()
    }
}

/// Linear interpolation in a table, times `unit`; constant beyond the ends.
pub(super) fn interpolated(table: &Quantiles, place: i64, unit: i64) -> i64 {
    let after = table.partition_point(|(start, _)| *start <= place);
    let ends = after
        .checked_sub(1)
        .and_then(|before| table.get(before))
        .zip(table.get(after));
    let Some(((start, low), (end, high))) = ends else {
        return table.last().map_or(0, |(_, value)| value * unit);
    };

    // 128 bits: an amount in cents times a rank in billionths overflows 64.
    let (width, into) = (i128::from(end - start), i128::from(place - start));
    let rise = i128::from(high - low) * i128::from(unit) * into / width.max(1);
    low * unit + i64::try_from(rise).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_on_straight_lines_between_those_of_the_table() {
        let table: &Quantiles = &[(0, 10), (100, 20), (200, 50)];
        let at = |place| interpolated(table, place, 10);
        assert_eq!(
            (at(0), at(50), at(100), at(199), at(500)),
            (100, 150, 200, 497, 500)
        );
    }

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let drawn = |seed| {
            let mut random = Random::new(seed);
            [
                random.below(1_000),
                random.below(1_000),
                random.one_of(&[(50, 1), (50, 2)]),
            ]
        };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
    }
}
