//! Curves drawn between their kinks: edges of brackets, ceilings, thresholds. Kinks are located by
//! bisecting whatever is not straight, and named by the first step whose slope or value changes
//! there.

use std::collections::VecDeque;

use bareme_engine::law::FieldValue;
use bareme_engine::run::StepResult;
use bareme_engine::run::curve::Point;
use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::curve::{Axis, Household};

/// Number of parts that a range is first divided into.
const FIRST_PARTS: u32 = 24;

/// Greatest number of calculations for a curve.
const MAX_CALCULATIONS: usize = 240;

/// Greatest number of kinks of a curve: with more, it is drawn at a lower resolution.
const MAX_KINKS: usize = 24;

/// Greatest number of named kinks.
const MAX_NAMED: usize = 8;

/// Fraction of the range, one in so many, within which two kinks count as one.
const MERGE_FRACTION: u64 = 400;

/// Fraction of the range, one in so many, by which roundings may move the field.
const ROUNDING_FRACTION: u64 = 100_000;

/// Least change of slope that counts as a kink of a step: a thousandth, roundings aside.
const MIN_SLOPE_CHANGE: Decimal = Decimal::from_parts(1, 0, 0, false, 3);

/// Least change of slope relative to the slope itself: a smaller one comes from a rounded base.
const MIN_RELATIVE_CHANGE: Decimal = Decimal::from_parts(2, 0, 0, false, 2);

/// A curve as straight lines between its kinks.
#[derive(Debug)]
pub struct TracedCurve {
    /// The ends of its lines.
    pub points: Vec<Point>,
    /// Its kinks, in the order of their amounts, without those that no step explains.
    pub kinks: Vec<Kink>,
    /// Lines narrower than this are jumps.
    narrow: Decimal,
}

/// A kink or a jump of a curve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kink {
    /// Its amount.
    pub amount: Decimal,
    /// Title of the step that causes it.
    pub step: String,
    /// Its kind.
    pub kind: KinkKind,
}

/// Kind of a kink.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KinkKind {
    /// The field jumps by this amount.
    Jump(Decimal),
    /// The step enters a bracket with this rate.
    Bracket(Decimal),
    /// The step stays constant from there on: it has reached a ceiling.
    Ceiling,
    /// The step is no longer due.
    End,
    /// The step is due from there on.
    Start,
    /// Any other kink.
    Other,
}

impl Axis<'_> {
    /// The curve of a household between two amounts with some decimals.
    pub fn trace_curve(
        &self,
        range: (Decimal, Decimal),
        decimals: u32,
        household: &Household,
        today: Date,
    ) -> Option<TracedCurve> {
        let width = range
            .1
            .checked_sub(range.0)
            .filter(|width| *width > Decimal::ZERO)?;
        let unit = Decimal::new(1, decimals);
        let narrow = width.checked_div(MERGE_FRACTION.into())?.max(unit);
        // Roundings of the field: to its decimals, or to a unit that is small relative to the
        // range.
        let noise = width
            .checked_div(Decimal::from(ROUNDING_FRACTION))?
            .max(self.cent());
        let tracer = Tracer {
            axis: self,
            household,
            today,
            decimals,
            unit,
            narrow,
            noise,
        };
        let slack = noise.saturating_mul(Decimal::from(4));
        let all = tracer.refined(range, slack);
        let mut points = all.clone();
        let mut tolerance = slack;
        for _ in 0..8 {
            points = straightened(&all, tolerance);
            if points.len() <= MAX_KINKS {
                break;
            }
            tolerance = tolerance.saturating_mul(Decimal::TWO);
        }
        let kinks = tracer.kinks(&points);
        (points.len() > 1).then_some(TracedCurve {
            points,
            kinks,
            narrow,
        })
    }
}

impl TracedCurve {
    /// The marginal rates between its points, in percent: the share of each further unit that is
    /// withheld if the field is a net, else the share that is added to the field. Each line has one
    /// rate, and jumps have none.
    pub fn marginal(&self, is_net: bool) -> Vec<Point> {
        let mut rates = Vec::new();
        for (before, after) in self.lines() {
            let Some(slope) = slope(before, after) else {
                continue;
            };
            let share = if is_net {
                Decimal::ONE.saturating_sub(slope)
            } else {
                slope
            };
            let value = share.saturating_mul(Decimal::ONE_HUNDRED).round_dp(2);
            rates.extend([before.amount, after.amount].map(|amount| Point { amount, value }));
        }
        rates
    }

    /// The effective rates, in percent, at enough amounts for a curve.
    pub fn effective(&self, is_net: bool) -> Vec<Point> {
        /// Points on each line, since the ratio to the amount is not a straight line.
        const POINTS_PER_LINE: i64 = 8;
        let mut rates = Vec::new();
        for (before, after) in self.points.iter().zip(self.points.iter().skip(1)) {
            for place in 0..=POINTS_PER_LINE {
                let part = |from: Decimal, to: Decimal| {
                    let step = to
                        .saturating_sub(from)
                        .checked_div(POINTS_PER_LINE.into())?;
                    Some(from.saturating_add(step.saturating_mul(place.into())))
                };
                let rate = || {
                    let amount = part(before.amount, after.amount)?;
                    let share = part(before.value, after.value)?.checked_div(amount)?;
                    let share = if is_net {
                        Decimal::ONE.saturating_sub(share)
                    } else {
                        share
                    };
                    Some(Point {
                        amount,
                        value: share.saturating_mul(Decimal::ONE_HUNDRED).round_dp(2),
                    })
                };
                rates.extend(rate());
            }
        }
        rates
    }

    /// Its lines, without the jumps.
    fn lines(&self) -> impl Iterator<Item = (Point, Point)> {
        let pairs = self
            .points
            .iter()
            .copied()
            .zip(self.points.iter().copied().skip(1));
        pairs.filter(|(before, after)| after.amount.saturating_sub(before.amount) > self.narrow)
    }
}

/// The search for the kinks of a curve.
struct Tracer<'t, 'f> {
    axis: &'t Axis<'f>,
    household: &'t Household,
    today: Date,
    decimals: u32,
    unit: Decimal,
    narrow: Decimal,
    noise: Decimal,
}

/// The values of the steps of a calculation, by title.
type Values = Vec<(String, Decimal)>;

impl Tracer<'_, '_> {
    fn at(&self, amount: Decimal) -> Option<Point> {
        Some(Point {
            amount,
            value: self.axis.at(amount, self.household, self.today)?,
        })
    }

    /// Points of the range, refined where the curve is not straight, up to the limit of
    /// calculations.
    fn refined(&self, range: (Decimal, Decimal), slack: Decimal) -> Vec<Point> {
        let mut points = self.axis.points(
            range,
            (FIRST_PARTS, self.decimals),
            self.household,
            self.today,
        );
        let mut open: VecDeque<(Point, Point)> = points
            .iter()
            .copied()
            .zip(points.iter().copied().skip(1))
            .collect();
        while let Some((before, after)) = open.pop_front() {
            if points.len() >= MAX_CALCULATIONS {
                break;
            }
            let gap = after.amount.saturating_sub(before.amount);
            if gap <= self.unit {
                continue;
            }
            let Some(middle) = middle(before, after, self.decimals) else {
                continue;
            };
            let Some(found) = self.at(middle) else {
                continue;
            };
            points.push(found);
            if away(found, before, after) > slack {
                open.extend([(before, found), (found, after)]);
            }
        }
        points.sort_by_key(|point| point.amount);
        points.dedup_by_key(|point| point.amount);
        points
    }

    /// The kinks between the lines, each with the step that causes it.
    fn kinks(&self, points: &[Point]) -> Vec<Kink> {
        let mut kinks: Vec<Kink> = Vec::new();
        let inner = points
            .iter()
            .enumerate()
            .skip(1)
            .take(points.len().saturating_sub(2));
        for (index, point) in inner {
            if kinks.len() >= MAX_NAMED {
                break;
            }
            let is_far =
                |other: &&Point| other.amount.saturating_sub(point.amount).abs() > self.narrow;
            let (before, beyond) = (
                points.iter().take(index).next_back(),
                points.iter().skip(index).find(is_far),
            );
            let after = points
                .get(index.saturating_add(1))
                .filter(|after| !is_far(after));
            // Points close to each other are one kink, represented by the first.
            let own = || self.kink(before.filter(is_far)?.amount, point.amount, beyond?.amount);
            let found = [own(), after.and_then(|after| self.jump(*point, *after))];
            for kink in found.into_iter().flatten() {
                // Two steps at the same place are one kink, unless one of them jumps.
                let is_same = |known: &Kink| {
                    let is_near = known.amount.saturating_sub(kink.amount).abs() <= self.narrow;
                    is_near
                        && matches!(known.kind, KinkKind::Jump(_))
                            == matches!(kink.kind, KinkKind::Jump(_))
                };
                if !kinks.iter().any(is_same) {
                    kinks.push(kink);
                }
            }
        }
        kinks
    }

    /// The step that jumps between two close points.
    fn jump(&self, before: Point, after: Point) -> Option<Kink> {
        let jump = after.value.saturating_sub(before.value);
        let (low, high) = (self.values(before.amount)?, self.values(after.amount)?);
        let gap = after.amount.saturating_sub(before.amount);
        // A rounded base makes small steps, which are no jumps of the law.
        if jump.abs() <= self.noise.saturating_mul(Decimal::from(40)) {
            return None;
        }
        // A yearly amount rises twelve times as fast as a monthly one.
        let most = gap
            .saturating_mul(Decimal::from(20))
            .max(jump.abs().checked_div(Decimal::TWO)?);
        let step = low.iter().find_map(|(title, value)| {
            let found = high.iter().find(|(known, _)| known == title)?.1;
            (found.saturating_sub(*value).abs() >= most).then(|| title.clone())
        })?;
        Some(Kink {
            amount: after.amount,
            step,
            kind: KinkKind::Jump(jump),
        })
    }

    /// The first step whose slope changes between two lines, with the exact amount.
    fn kink(&self, before: Decimal, kink: Decimal, after: Decimal) -> Option<Kink> {
        let third = |gap: Decimal| {
            gap.checked_div(Decimal::from(3))
                .map(|third| third.round_dp(self.decimals))
        };
        let left = third(kink.saturating_sub(before))?;
        let right = third(after.saturating_sub(kink))?;
        let amounts = [
            kink.saturating_sub(left.saturating_mul(Decimal::TWO)),
            kink.saturating_sub(left),
            kink.saturating_add(right),
            kink.saturating_add(right.saturating_mul(Decimal::TWO)),
        ];
        let [first, second, third, fourth] = amounts;
        let [a, b, c, d] = [
            self.values(first)?,
            self.values(second)?,
            self.values(third)?,
            self.values(fourth)?,
        ];
        let least = |gap: Decimal| {
            self.noise
                .saturating_mul(Decimal::from(3))
                .checked_div(gap)
                .unwrap_or_default()
        };
        let least = least(left)
            .saturating_add(least(right))
            .max(MIN_SLOPE_CHANGE);
        a.iter().find_map(|(title, value)| {
            let of = |values: &Values| Some(values.iter().find(|(known, _)| known == title)?.1);
            let point = |amount: Decimal, value: Decimal| Point { amount, value };
            let low = (point(first, *value), point(second, of(&b)?));
            let high = (point(third, of(&c)?), point(fourth, of(&d)?));
            let (before, after) = (slope(low.0, low.1)?, slope(high.0, high.1)?);
            let change = before.saturating_sub(after);
            let share = before
                .abs()
                .max(after.abs())
                .saturating_mul(MIN_RELATIVE_CHANGE);
            if change.abs() <= least.max(share) {
                return None;
            }
            if let Some((amount, rate)) = self.edge(title, second, third) {
                return Some(Kink {
                    amount: amount.round_dp(0),
                    step: title.clone(),
                    kind: KinkKind::Bracket(rate),
                });
            }
            // The intersection of the two lines; the lines of a step that jumps intersect
            // elsewhere.
            let gap = high.0.value.saturating_sub(low.1.value);
            let past = after.saturating_mul(high.0.amount.saturating_sub(low.1.amount));
            let meeting = gap
                .saturating_sub(past)
                .checked_div(change)?
                .saturating_add(low.1.amount);
            let is_between = meeting >= second && meeting <= third;
            let amount = if is_between { meeting } else { kink };
            let is_flat = |slope: Decimal| slope.abs() <= least;
            let kind = match (is_flat(before), is_flat(after)) {
                (false, true) if high.0.value.is_zero() => KinkKind::End,
                (false, true) => KinkKind::Ceiling,
                (true, false) if low.1.value.is_zero() => KinkKind::Start,
                _ => KinkKind::Other,
            };
            Some(Kink {
                amount: amount.round_dp(0),
                step: title.clone(),
                kind,
            })
        })
    }

    /// The amount at which a step of brackets enters its last bracket between two amounts, and the
    /// rate of that.
    fn edge(&self, title: &str, low: Decimal, high: Decimal) -> Option<(Decimal, Decimal)> {
        let slices = |amount: Decimal| {
            let calculation = self
                .axis
                .calculation(amount, self.household, self.today)
                .ok()?;
            let trace = calculation
                .steps()
                .ok()?
                .iter()
                .find(|trace| trace.step.title() == title)?;
            let base: Decimal = trace.slices.iter().map(|slice| slice.base).sum();
            let last = trace.slices.last()?;
            Some((base, last.from, last.rate))
        };
        let ((before, _, _), (after, edge, rate)) = (slices(low)?, slices(high)?);
        let share = edge
            .saturating_sub(before)
            .checked_div(after.saturating_sub(before))?;
        let is_between = share >= Decimal::ZERO && share <= Decimal::ONE;
        is_between.then(|| {
            (
                low.saturating_add(share.saturating_mul(high.saturating_sub(low))),
                rate,
            )
        })
    }

    /// The values of the steps for an amount; 0 for a step that does not apply.
    fn values(&self, amount: Decimal) -> Option<Values> {
        let calculation = self
            .axis
            .calculation(amount, self.household, self.today)
            .ok()?;
        calculation
            .field(&self.axis.field)
            .and_then(FieldValue::number)?;
        let steps = calculation.steps().ok()?;
        let number = |result: &StepResult| match result {
            StepResult::Value(scalar, _) => scalar.datum().number(),
            StepResult::Outputs(_) => None,
        };
        let value = |trace: &bareme_engine::run::StepTrace| {
            let value = if trace.applied {
                number(&trace.result)?
            } else {
                Decimal::ZERO
            };
            Some((trace.step.title().to_owned(), value))
        };
        Some(steps.iter().filter_map(value).collect())
    }
}

/// Slope between two points.
fn slope(before: Point, after: Point) -> Option<Decimal> {
    let rise = after.value.saturating_sub(before.value);
    rise.checked_div(after.amount.saturating_sub(before.amount))
}

/// The midpoint of two amounts.
fn middle(before: Point, after: Point, decimals: u32) -> Option<Decimal> {
    let half = after
        .amount
        .saturating_sub(before.amount)
        .checked_div(Decimal::TWO)?;
    let middle = before
        .amount
        .saturating_add(half)
        .round_dp(decimals)
        .normalize();
    (middle > before.amount && middle < after.amount).then_some(middle)
}

/// Distance of a point from the line between two others.
fn away(point: Point, before: Point, after: Point) -> Decimal {
    let past = point.amount.saturating_sub(before.amount);
    let on_line =
        slope(before, after).map(|slope| before.value.saturating_add(slope.saturating_mul(past)));
    on_line.map_or(Decimal::ZERO, |on_line| {
        point.value.saturating_sub(on_line).abs()
    })
}

/// The points to keep so that every other one is close to a line between two of them.
fn straightened(points: &[Point], tolerance: Decimal) -> Vec<Point> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Vec::new();
    };
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use jiff::civil::date;

    use super::*;

    fn trace_curve(folder: &str, range: (i64, i64), query: &[(&str, &str)]) -> (TracedCurve, bool) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules");
        let rules = bareme_engine::Loader::new()
            .without_cases()
            .only(&[folder])
            .load(&root)
            .rules
            .unwrap();
        let axis = Axis::declared(rules.folder(folder).unwrap()).unwrap();
        let query = query
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let range = (range.0.into(), range.1.into());
        let traced = axis
            .trace_curve(range, 0, &Household { query }, date(2026, 3, 31))
            .unwrap();
        (traced, axis.is_net())
    }

    #[test]
    fn a_curve_has_its_kinks_at_the_edges_of_the_law() {
        // The edges of the brackets of a single person with 60 000 euros: 11 600 and 29 579; the
        // relief ends earlier.
        let (traced, is_net) = trace_curve("ir", (0, 120_000), &[]);
        let near = |amount: i64| {
            traced
                .points
                .iter()
                .any(|point| (point.amount - Decimal::from(amount)).abs() < Decimal::from(60))
        };
        assert!(near(29_579) && near(84_577), "{:?}", traced.points);
        assert!(traced.points.len() <= MAX_KINKS, "{}", traced.points.len());
        let edges: Vec<Decimal> = traced.kinks.iter().map(|kink| kink.amount).collect();
        assert!(
            edges.contains(&29_579.into()) && edges.contains(&84_577.into()),
            "{:?}",
            traced.kinks
        );
        let rates = traced.marginal(is_net);
        let rate = |amount: i64| {
            let pairs = rates
                .chunks(2)
                .find(|pair| pair[0].amount <= amount.into() && pair[1].amount >= amount.into());
            pairs.unwrap()[0].value.round_dp(0)
        };
        assert_eq!(
            (rate(60_000), rate(100_000)),
            (30.into(), 41.into()),
            "{rates:?}"
        );
    }

    #[test]
    fn a_kink_is_named_by_the_step_that_causes_it() {
        let (traced, _) = trace_curve("salaire", (0, 8_000), &[]);
        let ceiling = Kink {
            amount: 4005.into(),
            step: "Tranche 1".to_owned(),
            kind: KinkKind::Ceiling,
        };
        assert!(traced.kinks.contains(&ceiling), "{:?}", traced.kinks);
        // From the ceiling on, a contribution is due on the whole pay.
        let jumps = traced.kinks.iter().any(|kink| {
            matches!(kink.kind, KinkKind::Jump(jump) if jump < Decimal::from(-4))
                && kink.amount == 4006.into()
        });
        assert!(jumps, "{:?}", traced.kinks);
    }

    #[test]
    fn a_staircase_is_drawn_as_a_slope() {
        let (traced, is_net) = trace_curve("salaire-net/sn", (0, 1_000_000), &[]);
        assert!(traced.points.len() <= MAX_KINKS, "{}", traced.points.len());
        for point in traced.marginal(is_net) {
            assert!(
                point.value > Decimal::from(-20) && point.value < Decimal::from(120),
                "{point:?}"
            );
        }
    }
}
