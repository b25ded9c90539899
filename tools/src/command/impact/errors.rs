//! Standard errors: how far the replicates of a number are from it.
//!
//! Squares are of integers, so that the same replicates give the same error on every machine.

use rust_decimal::Decimal;
use serde_json::{Map, Value, json};

use crate::format::json_number;

use super::Impact;
use super::compute::Group;
use super::replication::{Replicate, Replication};
use super::scale::Units;
use super::statistics::ratio;
use super::tally::Tally;

/// Decimals of the ratios that errors are computed of.
const OF_RATIOS: u32 = 12;
/// Decimals of the error of a share.
pub(super) const OF_SHARES: u32 = 6;
/// Bits of a difference, of which the squares of thousands are added up.
const BITS: u32 = 44;
/// Decimals that an error is computed with beyond those of its number.
const MORE: u32 = 4;

/// The number that replicates are compared with, and the weight of their squares.
#[derive(Debug, Clone, Copy)]
pub(super) enum Spread {
    /// With the number of the whole sample; the sum of squares is multiplied by a scale.
    Scaled(Decimal),
    /// The same, with one over the number of replicates as the scale.
    OnAverage,
    /// With their own mean; the sum of squares is divided by their number less one.
    OfDraws,
}

/// The standard errors of the numbers of a group of rows.
#[derive(Debug, Clone)]
pub(super) struct StandardErrors {
    /// Of the weighted sums before and after, and of their difference.
    pub before: Option<Decimal>,
    pub after: Option<Decimal>,
    pub difference: Option<Decimal>,
    pub mean_difference: Option<Decimal>,
    /// Of the shares of the winners and of the losers.
    pub winners: Option<Decimal>,
    pub losers: Option<Decimal>,
    /// Of the gain over the income.
    pub gain_share: Option<Decimal>,
}

impl StandardErrors {
    /// The errors of a group of rows, by its sums in each replicate.
    fn new(whole: &Tally, replicates: &[&Tally], spread: Spread, units: Units) -> Self {
        let error = |value: &dyn Fn(&Tally) -> Option<i128>, decimals: u32, shown: u32| {
            let of_replicates = replicates.iter().map(|tally| value(tally));
            let of_replicates: Option<Vec<i128>> = of_replicates.collect();
            let error = spread.error(value(whole)?, &of_replicates?)?;
            let shown = Units::number(error, decimals.saturating_add(MORE)).round_dp(shown);
            Some(shown.normalize())
        };

        let total = units.amount.saturating_add(units.weight);
        let sum = |value: &dyn Fn(&Tally) -> i128| error(&|tally| Some(value(tally)), total, total);
        let share = |value: &dyn Fn(&Tally) -> Option<Decimal>| {
            error(&|tally| integer(value(tally)?), OF_RATIOS, OF_SHARES)
        };

        // A mean has the decimals of the amount beyond those of the ratio of integers.
        let mean = |tally: &Tally| integer(ratio(tally.difference(), tally.weight)?);
        Self {
            before: sum(&|tally| tally.before),
            after: sum(&|tally| tally.after),
            difference: sum(&Tally::difference),
            mean_difference: error(
                &mean,
                OF_RATIOS.saturating_add(units.amount),
                units.amount.saturating_add(2),
            ),
            winners: share(&|tally| ratio(tally.winners.weight, tally.weight)),
            losers: share(&|tally| ratio(tally.losers.weight, tally.weight)),
            gain_share: share(&|tally| units.gain_share(tally)),
        }
    }

    /// Its members; a field that does not add up has no totals.
    pub(super) fn to_json(&self, adds_up: bool) -> Value {
        let total = |error: Option<Decimal>| error.filter(|_| adds_up);
        let members = [
            ("before", total(self.before)),
            ("after", total(self.after)),
            ("difference", total(self.difference)),
            ("mean_difference", self.mean_difference),
            ("winners", self.winners),
            ("losers", self.losers),
            ("gain_share", self.gain_share),
        ];
        let members = members.map(|(name, error)| {
            let error = error.map_or(Value::Null, json_number);
            (name.to_owned(), error)
        });
        Value::Object(Map::from_iter(members))
    }
}

/// A ratio as an integer of its twelve decimals.
fn integer(ratio: Decimal) -> Option<i128> {
    let mut ratio = ratio;
    ratio.rescale(OF_RATIOS);
    (ratio.scale() == OF_RATIOS).then(|| ratio.mantissa())
}

impl Impact<'_> {
    /// The errors of the whole sample; `None` without replicates.
    pub(super) fn errors_of_all(&self) -> Option<StandardErrors> {
        self.errors(&self.found.tally, |replicate| Some(&replicate.tally))
    }

    /// The errors of a group of a grouping, which is there by its place.
    pub(super) fn errors_of(
        &self,
        place: usize,
        group: &Group,
        tally: &Tally,
    ) -> Option<StandardErrors> {
        self.errors(tally, |replicate| replicate.groups.get(place)?.get(group))
    }

    fn errors(
        &self,
        whole: &Tally,
        pick: impl Fn(&Replicate) -> Option<&Tally>,
    ) -> Option<StandardErrors> {
        if self.replicates.is_empty() {
            return None;
        }
        // A group without a row in a replicate has sums of nothing.
        let none = Tally::default();
        let of_each = self.replicates.iter();
        let of_each = of_each.map(|replicate| pick(replicate).unwrap_or(&none));
        let of_each: Vec<&Tally> = of_each.collect();
        let spread = self.question.replication.spread();
        Some(StandardErrors::new(whole, &of_each, spread, self.units))
    }

    /// The member of some errors.
    pub(super) fn errors_member(&self, errors: Option<StandardErrors>) -> Option<(String, Value)> {
        let errors = errors?.to_json(self.quantity.adds_up());
        Some(("standard_errors".to_owned(), errors))
    }

    /// The member that says what the errors are computed by.
    pub(super) fn replication_json(&self) -> Option<(String, Value)> {
        let replication = &self.question.replication;
        let count = replication.count();
        let value = match replication {
            Replication::None => return None,
            Replication::Columns { scale, .. } => {
                let scale = scale.map_or(Value::Null, json_number);
                json!({"method": "weights", "count": count, "scale": scale})
            }
            Replication::Bootstrap { seed, .. } => {
                json!({"method": "bootstrap", "count": count, "seed": seed})
            }
        };
        Some(("replication".to_owned(), value))
    }
}

impl Spread {
    /// The standard error of a number, with `MORE` decimals more than it has; `None` where it is
    /// beyond all integers.
    fn error(self, whole: i128, replicates: &[i128]) -> Option<i128> {
        let count = i128::try_from(replicates.len()).ok()?;
        let sum = replicates
            .iter()
            .try_fold(0_i128, |sum, value| sum.checked_add(*value))?;

        // 1. The differences, in units of one over the number of replicates where they are with the
        // mean; and what the sum of their squares is multiplied and divided by.
        let (differences, multiplied, divided) = match self {
            Self::OfDraws => {
                let difference = |value: &i128| value.checked_mul(count)?.checked_sub(sum);
                let squares = count
                    .checked_mul(count)?
                    .checked_mul(count.checked_sub(1)?)?;
                let all: Option<Vec<i128>> = replicates.iter().map(difference).collect();
                (all?, 1, squares)
            }
            Self::Scaled(_) | Self::OnAverage => {
                let difference = |value: &i128| value.checked_sub(whole);
                let all: Option<Vec<i128>> = replicates.iter().map(difference).collect();
                let (multiplied, divided) = match self {
                    Self::Scaled(scale) => (scale.mantissa(), 10_i128.checked_pow(scale.scale())?),
                    _ => (1, count),
                };
                (all?, multiplied, divided)
            }
        };

        // 2. The sum of squares of the leading bits of the differences.
        let most = differences.iter().map(|value| value.unsigned_abs()).max()?;
        let bits = u128::BITS.saturating_sub(most.leading_zeros());
        let cut = bits.saturating_sub(BITS);
        let squares = differences.iter().try_fold(0_u128, |sum, value| {
            let short = value.unsigned_abs().checked_shr(cut)?;
            sum.checked_add(short.checked_mul(short)?)
        })?;
        let squares = squares.checked_mul(u128::try_from(multiplied).ok()?)?;

        // 3. The root, of as many bits as there are: four times as much has a root twice as great.
        let twos = squares.leading_zeros().checked_div(2)?.checked_sub(1)?;
        let raised = squares.checked_shl(twos.checked_mul(2)?)?;
        let root = raised.checked_div(u128::try_from(divided).ok()?)?.isqrt();

        // 4. The error: the root times two to the bits that were cut off, less those that were added.
        let power = 10_u128.checked_pow(MORE)?;
        let error = match cut.checked_sub(twos) {
            Some(more) => root
                .checked_mul(power)?
                .checked_mul(1_u128.checked_shl(more)?)?,
            None => root
                .checked_mul(power)?
                .checked_shr(twos.checked_sub(cut)?)?,
        };
        i128::try_from(error).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_roots_of_sums_of_squares() {
        // Differences of 3 and -4 with 100: squares of 25.
        let values = [103, 96];
        assert_eq!(
            Spread::OnAverage.error(100, &values),
            // The root of 12.5.
            Some(35_355)
        );
        assert_eq!(
            Spread::Scaled(Decimal::TWO).error(100, &values),
            // The root of 50.
            Some(70_710)
        );
        // Of 1, 2, 3, 4 the mean is 2.5, and the squares add up to 5: the root of 5 / 3.
        assert_eq!(Spread::OfDraws.error(0, &[1, 2, 3, 4]), Some(12_909));
        assert_eq!(Spread::OfDraws.error(0, &[7, 7]), Some(0));
    }

    #[test]
    fn numbers_beyond_the_bits_of_squares_keep_their_leading_digits() {
        let large = 10_i128.pow(26);
        let error = Spread::OnAverage.error(0, &[3 * large, 4 * large]).unwrap();
        // The root of 12.5, and ten to the 26th with four decimals more.
        let expected = 3_535_533_905_932_737_622_i128 * 10_i128.pow(12);
        assert!(
            (error - expected).abs() < expected / 1_000_000_000_000,
            "{error}"
        );
    }
}
