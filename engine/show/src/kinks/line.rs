//! Straight lines between points of a curve.

use bareme_engine::run::curve::Point;
use rust_decimal::Decimal;

/// Slope between two points.
pub(super) fn slope(before: Point, after: Point) -> Option<Decimal> {
    let rise = after.value.saturating_sub(before.value);
    rise.checked_div(after.amount.saturating_sub(before.amount))
}

/// The midpoint of two amounts.
pub(super) fn middle(before: Point, after: Point, decimals: u32) -> Option<Decimal> {
    let half = after
        .amount
        .saturating_sub(before.amount)
        .checked_div(Decimal::TWO)?;

    let middle = before
        .amount
        .saturating_add(half)
        .round_dp(decimals)
        .normalize();

    // Rounded to the decimals of the range, the midpoint may be one of the ends.
    (middle > before.amount && middle < after.amount).then_some(middle)
}

/// Distance of a point from the line between two others.
pub(super) fn away(point: Point, before: Point, after: Point) -> Decimal {
    let past = point.amount.saturating_sub(before.amount);

    let on_line =
        slope(before, after).map(|slope| before.value.saturating_add(slope.saturating_mul(past)));

    on_line.map_or(Decimal::ZERO, |on_line| {
        point.value.saturating_sub(on_line).abs()
    })
}

/// The points to keep so that every other one is close to a line between two of them.
pub(super) fn straightened(points: &[Point], tolerance: Decimal) -> Vec<Point> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Vec::new();
    };

    // The algorithm of Ramer, Douglas and Peucker: of the points between two that are kept, the
    // farthest from the line is kept too, until none is farther than the tolerance.
    let mut kept = vec![*first];
    let mut open = vec![(0, points.len().saturating_sub(1))];

    while let Some((from, to)) = open.pop() {
        let (Some(before), Some(after)) = (points.get(from), points.get(to)) else {
            continue;
        };

        let inner = points
            .iter()
            .enumerate()
            .take(to)
            .skip(from.saturating_add(1));

        let farthest = inner
            .map(|(index, point)| (away(*point, *before, *after), index))
            .max_by_key(|found| found.0);

        if let Some((_, index)) = farthest.filter(|(distance, _)| *distance > tolerance) {
            kept.extend(points.get(index).copied());
            open.extend([(from, index), (index, to)]);
        }
    }

    kept.push(*last);
    kept.sort_by_key(|point| point.amount);
    kept.dedup_by_key(|point| point.amount);
    kept
}
