//! Weighted rank statistics: quantile bounds, Gini coefficient, poverty.

use rust_decimal::Decimal;

use super::tally::TooGreat;

/// A value with its weight.
pub(super) type Weighted = (i64, i64);

/// The least value of each quantile group but the first, for groups of equal weight; equal values
/// are in the same group.
pub(super) fn bounds(mut values: Vec<Weighted>, parts: u32) -> Vec<i64> {
    values.sort_unstable();

    let all: i128 = values.iter().map(|(_, weight)| i128::from(*weight)).sum();
    let mut bounds = Vec::new();
    let (mut passed, mut part) = (0_i128, 1_i128);
    let mut last = None;

    for (value, weight) in values {
        if last != Some(value) {
            // A value starts a new group once the groups before it are full.
            while part < i128::from(parts)
                && passed.saturating_mul(parts.into()) >= all.saturating_mul(part)
            {
                bounds.push(value);
                part = part.saturating_add(1);
            }
            last = Some(value);
        }
        passed = passed.saturating_add(weight.into());
    }
    // Groups that no value starts are empty: their bound is above every value.
    bounds.resize(
        usize::try_from(parts).unwrap_or(1).saturating_sub(1),
        i64::MAX,
    );
    bounds
}

/// The quantile group of a value, from 1.
pub(super) fn part_of(bounds: &[i64], value: i64) -> usize {
    bounds
        .partition_point(|bound| *bound <= value)
        .saturating_add(1)
}

/// The Gini coefficient, to four decimals; `None` where all values are zero.
pub(super) fn gini(mut values: Vec<Weighted>) -> Result<Option<Decimal>, TooGreat> {
    values.sort_unstable();
    // The Lorenz curve is the share of the income that the poorest have: the coefficient is one
    // minus twice the area under it.
    let (mut sum, mut area, mut weights) = (0_i128, 0_i128, 0_i128);
    for (value, weight) in values {
        let (value, weight) = (i128::from(value), i128::from(weight));
        let next = value
            .checked_mul(weight)
            .and_then(|own| sum.checked_add(own))
            .ok_or(TooGreat)?;
        // Twice the area under the Lorenz curve.
        let slice = sum
            .checked_add(next)
            .and_then(|both| both.checked_mul(weight))
            .ok_or(TooGreat)?;
        area = area.checked_add(slice).ok_or(TooGreat)?;
        weights = weights.checked_add(weight).ok_or(TooGreat)?;
        sum = next;
    }

    let whole = weights.checked_mul(sum).ok_or(TooGreat)?;
    Ok(ratio(area, whole).map(|ratio| Decimal::ONE.saturating_sub(ratio).round_dp(4).normalize()))
}

/// The share of the weight with values below a line.
pub(super) fn share_below(values: &[Weighted], line: i64) -> Option<Decimal> {
    let weight = |holds: &dyn Fn(i64) -> bool| -> i128 {
        values
            .iter()
            .filter(|(value, _)| holds(*value))
            .map(|(_, weight)| i128::from(*weight))
            .sum()
    };
    ratio(weight(&|value| value < line), weight(&|_| true))
}

/// The weighted median of values in increasing order.
pub(super) fn median<T>(mut sorted: impl Iterator<Item = (T, i128)> + Clone) -> Option<T> {
    let all: i128 = sorted.clone().map(|(_, weight)| weight).sum();
    let mut passed = 0_i128;
    // The first value by which half of the weight is reached.
    sorted.find_map(|(value, weight)| {
        passed = passed.saturating_add(weight);
        (passed.saturating_mul(2) >= all).then_some(value)
    })
}

/// `a / b` to twelve decimals; `None` where `b` is 0.
pub(super) fn ratio(a: i128, b: i128) -> Option<Decimal> {
    const PRECISION: i128 = 1_000_000_000_000;
    if b == 0 {
        return None;
    }
    // Where the product overflows, the last digits of the integers are negligible.
    let quotient = match a.checked_mul(PRECISION) {
        Some(scaled) => scaled.checked_div(b)?,
        None => a.checked_div(b.checked_div(PRECISION)?)?,
    };
    Decimal::try_from_i128_with_scale(quotient, 12).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_the_same_weight_and_a_value_is_in_one_of_them() {
        let bounds_of = |values: &[Weighted], parts| bounds(values.to_vec(), parts);
        let hundred: Vec<Weighted> = (1..=100).map(|value| (value, 1)).collect();
        let deciles = bounds_of(&hundred, 10);
        assert_eq!(deciles, [11, 21, 31, 41, 51, 61, 71, 81, 91]);
        assert_eq!(
            [1, 10, 11, 100, 1_000].map(|value| part_of(&deciles, value)),
            [1, 1, 2, 10, 10]
        );
        // Half of the weight has the value 0: those rows are in the first group, and the next four
        // are empty.
        let half = bounds_of(&[(0, 50), (1, 10), (2, 40)], 10);
        assert_eq!(
            (part_of(&half, 0), part_of(&half, 1), part_of(&half, 2)),
            (1, 6, 7)
        );
        assert_eq!(bounds_of(&[], 4), [i64::MAX; 3]);
    }

    #[test]
    fn the_gini_coefficient_goes_from_equal_shares_to_one_who_has_all() {
        let gini =
            |values: &[Weighted]| gini(values.to_vec()).unwrap().map(|gini| gini.to_string());
        assert_eq!(gini(&[(7, 3), (7, 5)]).as_deref(), Some("0"));
        assert_eq!(gini(&[(0, 99), (100, 1)]).as_deref(), Some("0.99"));
        // By hand: 1 - (1 x 1 + 1 x (1 + 4)) / (2 x 4) for the values 1 and 3.
        assert_eq!(gini(&[(1, 1), (3, 1)]).as_deref(), Some("0.25"));
        assert_eq!(gini(&[(0, 5)]), None);
    }

    #[test]
    fn poverty_is_a_share_of_the_weight() {
        let values = [(5, 10), (10, 10), (20, 20)];
        assert_eq!(
            share_below(&values, 10)
                .map(|share| share.normalize().to_string())
                .as_deref(),
            Some("0.25")
        );
        assert_eq!(
            median(
                values
                    .iter()
                    .map(|(value, weight)| (*value, i128::from(*weight)))
            ),
            Some(10)
        );
    }
}
