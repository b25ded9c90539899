//! A linear axis of a drawing: where a value lies in pixels, and which round values are beside it.
//!
//! Those of plotters add pixels that overflow where a value lies far outside the axis, and count ticks
//! with floats, without end on an axis that has none: a page that a stranger asks for must do neither.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

/// Finer steps that are tried: more than a decimal has digits.
const MOST_STEPS: usize = 90;

/// An axis from a value to another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ruler {
    pub least: Decimal,
    pub most: Decimal,
}

impl Ruler {
    /// The axis of all values; a single zero where there are none.
    pub(crate) fn over(values: impl Iterator<Item = Decimal>) -> Self {
        let points = values.map(|value| Self {
            least: value,
            most: value,
        });
        let both = points.reduce(|one, other| Self {
            least: one.least.min(other.least),
            most: one.most.max(other.most),
        });
        both.unwrap_or(Self {
            least: Decimal::ZERO,
            most: Decimal::ZERO,
        })
    }

    /// The value, or the end of the axis that it lies beyond.
    fn within(self, value: Decimal) -> Decimal {
        value.max(self.least).min(self.most)
    }

    /// The share of the axis that lies before a value; none of an axis that is a point.
    fn share(self, value: Decimal) -> Option<Decimal> {
        let width = self.most.checked_sub(self.least)?;
        let before = self.within(value).checked_sub(self.least)?;
        before.checked_div(width)
    }

    /// Multiples of a step on the axis, by their first and their last factor.
    fn multiples(self, step: Decimal) -> Option<(i64, i64)> {
        let first = self.least.checked_div(step)?.ceil().to_i64()?;
        let last = self.most.checked_div(step)?.floor().to_i64()?;
        Some((first, last))
    }

    /// Multiples of the finest of the steps 1, 2 or 5 times a power of ten that has no more than
    /// `most` of them.
    fn ticks(self, most: usize) -> Vec<Decimal> {
        let counted = |step: Decimal| {
            let (first, last) = self.multiples(step)?;
            let count = usize::try_from(last.checked_sub(first)?.checked_add(1)?).ok()?;
            (count <= most).then_some((step, first, last))
        };

        // From the power of ten above the width, which has one multiple at most.
        let width = self.most.saturating_sub(self.least);
        let mut power = Decimal::ONE;
        while power <= width {
            let Some(next) = power.checked_mul(Decimal::TEN) else {
                break;
            };
            power = next;
        }

        let finer = [1_i64, 2, 5]
            .into_iter()
            .cycle()
            .scan(power, |power, part| {
                let step = power.checked_div(part.into())?;
                if part == 5 {
                    *power = power.checked_div(Decimal::TEN)?;
                }
                (!step.is_zero()).then_some(step)
            });
        // A step with more multiples ends the search: the next ones have no fewer.
        let found = finer.take(MOST_STEPS).map_while(counted).last();

        found.map_or_else(Vec::new, |(step, first, last)| {
            (first..=last)
                .map(|factor| step.saturating_mul(factor.into()).normalize())
                .collect()
        })
    }
}

impl Ranged for Ruler {
    type FormatOption = DefaultFormatting;
    type ValueType = Decimal;

    fn map(&self, value: &Decimal, (from, to): (i32, i32)) -> i32 {
        let Some(share) = self.share(*value) else {
            return from.midpoint(to);
        };
        let length = Decimal::from(to).saturating_sub(from.into());
        let pixels = share.saturating_mul(length).round();
        from.saturating_add(pixels.to_i32().unwrap_or_default())
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<Decimal> {
        self.ticks(hint.max_num_points())
    }

    fn range(&self) -> Range<Decimal> {
        self.least..self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ruler(least: &str, most: &str) -> Ruler {
        Ruler {
            least: least.parse().unwrap(),
            most: most.parse().unwrap(),
        }
    }

    fn ticks(least: &str, most: &str, count: usize) -> String {
        let found = ruler(least, most).ticks(count);
        let texts: Vec<_> = found.iter().map(Decimal::to_string).collect();
        texts.join(" ")
    }

    #[test]
    fn ticks_are_round_values_on_the_axis_and_no_more_than_there_is_room_for() {
        assert_eq!(ticks("0", "5300", 5), "0 2000 4000");
        assert_eq!(ticks("0", "5300", 6), "0 1000 2000 3000 4000 5000");
        assert_eq!(ticks("-10", "100", 6), "0 20 40 60 80 100");
        assert_eq!(ticks("0", "1.1", 5), "0 0.5 1");
        assert_eq!(ticks("-16251.23", "2950253.86", 5), "0 1000000 2000000");
        assert_eq!(ticks("0", "1000", 1), "0");
        assert_eq!(ticks("0", "5300", 0), "");
    }

    #[test]
    fn an_axis_of_any_width_has_an_end_of_ticks() {
        let huge = Decimal::MAX.to_string();
        let tiny = "0.0000000000000000000000000001";
        for (least, most) in [
            ("0", huge.as_str()),
            ("0", tiny),
            ("0", "0"),
            ("7.3", "7.3"),
        ] {
            for count in [0, 1, 5, 60] {
                assert!(ruler(least, most).ticks(count).len() <= count, "{most}");
            }
        }
        let none = Ruler::over(std::iter::empty());
        assert_eq!(none.ticks(5).len(), 1);
    }

    #[test]
    fn a_value_outside_the_axis_lies_at_its_end() {
        let axis = ruler("-10", "100");
        let place = |value: &str| axis.map(&value.parse().unwrap(), (230, 10));
        assert_eq!(place("-10"), 230);
        assert_eq!(place("45"), 120);
        assert_eq!(place("100"), 10);
        assert_eq!(place("-10000000000000000"), 230);
        assert_eq!(place("10000000000000000"), 10);
        // An axis that is a point has its values in the middle.
        assert_eq!(ruler("0", "0").map(&Decimal::ONE, (230, 10)), 120);
    }
}
