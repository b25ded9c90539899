//! Curves: the results of a scale over a range of an input. Amounts to calculate, and rates between
//! the points found.
//!
//! ```
//! use bareme_engine::run::curve::{Point, amounts, effective_rates, marginal_rates};
//! use rust_decimal::Decimal;
//!
//! let grosses = amounts((1000.into(), 2000.into()), 2, 2);
//! assert_eq!(grosses, [1000, 1500, 2000].map(Decimal::from));
//! let nets = [900, 1300, 1600].map(Decimal::from);
//! let points: Vec<Point> = grosses
//!     .into_iter()
//!     .zip(nets)
//!     .map(|(amount, value)| Point { amount, value })
//!     .collect();
//! assert_eq!(effective_rates(&points)[2], Point { amount: 2000.into(), value: 20.into() });
//! assert_eq!(marginal_rates(&points)[1], Point { amount: 2000.into(), value: 40.into() });
//! ```

use rust_decimal::Decimal;

use crate::text::number::{add, div, mul, sub};

/// A point of a curve, an amount and its result, such as a gross pay and its net, or an income and
/// its tax.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Point {
    /// The amount.
    pub amount: Decimal,
    /// The result for the amount.
    pub value: Decimal,
}

/// Amounts that divide a range into equal parts, both ends included, each rounded to some decimals.
/// An amount that overflows is left out.
pub fn amounts((low, high): (Decimal, Decimal), parts: u32, decimals: u32) -> Vec<Decimal> {
    let place = |index: u32| {
        // Each amount is computed from the ends: a sum of rounded parts would miss the upper one.
        let past = div(mul(sub(high, low)?, index.into())?, parts.into())?;
        add(low, past).map(|amount| amount.round_dp(decimals).normalize())
    };
    (0..=parts).filter_map(|index| place(index).ok()).collect()
}

/// Effective rates: the share of each amount that its result leaves out, in percent; an amount of
/// zero has none.
pub fn effective_rates(points: &[Point]) -> Vec<Point> {
    points
        .iter()
        .filter_map(|point| rate(Point::default(), *point))
        .collect()
}

/// Marginal rates: the share of the increase from one amount to the next that the result leaves
/// out, in percent.
pub fn marginal_rates(points: &[Point]) -> Vec<Point> {
    points
        .iter()
        .zip(points.iter().skip(1))
        .filter_map(|(before, after)| rate(*before, *after))
        .collect()
}

/// The rate between two points, at the amount of the second.
fn rate(before: Point, after: Point) -> Option<Point> {
    let more = sub(after.amount, before.amount).ok()?;
    let kept = sub(after.value, before.value).ok()?;

    let percent = mul(sub(more, kept).ok()?, Decimal::ONE_HUNDRED).ok()?;

    Some(Point {
        amount: after.amount,
        value: div(percent, more).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_cut_in_equal_parts_of_exact_amounts() {
        let cut = |low: &str, high: &str, parts, decimals| {
            let found = amounts(
                (low.parse().unwrap(), high.parse().unwrap()),
                parts,
                decimals,
            );
            found
                .iter()
                .map(Decimal::to_string)
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(cut("1000", "2000", 4, 2), "1000 1250 1500 1750 2000");
        // The last amount is the end itself, not three thirds of it after rounding.
        assert_eq!(
            cut("0", "1", 3, 28),
            "0 0.3333333333333333333333333333 0.6666666666666666666666666667 1"
        );
        assert_eq!(cut("0", "1", 3, 0), "0 0 1 1");
        assert_eq!(cut("1", "2", 0, 2), "");
        assert_eq!(amounts((Decimal::ZERO, Decimal::MAX), 3, 2).len(), 2);
    }

    #[test]
    fn a_rate_is_what_the_value_leaves_out_of_the_amount() {
        let point = |amount: i64, value: i64| Point {
            amount: amount.into(),
            value: value.into(),
        };
        let points = [point(0, 0), point(100, 90), point(200, 80), point(200, 70)];
        assert_eq!(
            effective_rates(&points),
            [point(100, 10), point(200, 60), point(200, 65)]
        );
        // At a threshold the rate can exceed 100 %; between two equal amounts there is no rate.
        assert_eq!(marginal_rates(&points), [point(100, 10), point(200, 110)]);
        assert_eq!(marginal_rates(&points[..1]), []);
    }
}
