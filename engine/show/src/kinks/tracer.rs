//! The search for the kinks of a curve, and for the steps that cause them.

use std::collections::VecDeque;

use bareme_engine::law::FieldValue;
use bareme_engine::run::StepResult;
use bareme_engine::run::curve::Point;
use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::curve::{Axis, Household};

use super::line::{away, middle, slope};
use super::{Kink, KinkKind};

/// Greatest number of calculations for a curve.
const MAX_CALCULATIONS: usize = 240;

/// Number of parts that a range is first divided into.
const FIRST_PARTS: u32 = 24;

/// Greatest number of named kinks.
const MAX_NAMED: usize = 8;

/// Least change of slope that counts as a kink of a step: a thousandth, roundings aside.
const MIN_SLOPE_CHANGE: Decimal = Decimal::from_parts(1, 0, 0, false, 3);

/// Least change of slope relative to the slope itself: a smaller one comes from a rounded base.
const MIN_RELATIVE_CHANGE: Decimal = Decimal::from_parts(2, 0, 0, false, 2);

/// The search for the kinks of a curve.
pub(super) struct Tracer<'t, 'f> {
    pub axis: &'t Axis<'f>,
    pub household: &'t Household,
    pub today: Date,
    pub decimals: u32,
    pub unit: Decimal,
    pub narrow: Decimal,
    pub noise: Decimal,
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
    pub(super) fn refined(&self, range: (Decimal, Decimal), slack: Decimal) -> Vec<Point> {
        let mut points = self.axis.points(
            range,
            (FIRST_PARTS, self.decimals),
            self.household,
            self.today,
        );

        // Intervals are halved in the order in which they were found, the widest first: where the
        // limit of calculations ends the search, no part of the range is coarser than the others by
        // much.
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
    pub(super) fn kinks(&self, points: &[Point]) -> Vec<Kink> {
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

            // A point may be a kink of one step, and the foot of a jump of another.
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
        // The step to name is the one that moves by at least half of the jump.
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

        // Between the cents on its two sides, so that the slope of a unit is not part of it.
        let (foot, top) = self.closest(before, after);
        Some(Kink {
            amount: top.amount,
            step,
            kind: KinkKind::Jump(top.value.saturating_sub(foot.value)),
        })
    }

    /// The last point before the jump between two points and the first one past it, as fine as the
    /// input takes amounts: the law of a ceiling jumps at the cent above it, which a curve in whole
    /// units passes over.
    fn closest(&self, mut before: Point, mut after: Point) -> (Point, Point) {
        // A currency without cents has none here, though its amounts may be sent with some.
        let decimals = self.axis.decimals.min(self.axis.cent().scale());
        let foot = before.value;
        let jump = after.value.saturating_sub(foot).abs();

        while let Some(middle) = middle(before, after, decimals) {
            let Some(found) = self.at(middle) else { break };

            let risen = found.value.saturating_sub(foot).abs();
            if risen.saturating_mul(Decimal::TWO) < jump {
                before = found;
            } else {
                after = found;
            }
        }
        (before, after)
    }

    /// The first step whose slope changes between two lines, with the exact amount.
    fn kink(&self, before: Decimal, kink: Decimal, after: Decimal) -> Option<Kink> {
        // Two points on each side, a third and two thirds of the way to the next kink, give the
        // slope of each step before and after, away from the roundings at the kink itself.
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

        // Roundings of both ends change a slope by that much without any kink.
        let slope_of_roundings = |gap: Decimal| {
            self.noise
                .saturating_mul(Decimal::from(3))
                .checked_div(gap)
                .unwrap_or_default()
        };
        let least = slope_of_roundings(left)
            .saturating_add(slope_of_roundings(right))
            .max(MIN_SLOPE_CHANGE);

        // The first step of the method comes first: those after it change because it does.
        a.iter().find_map(|(title, value)| {
            // Steps are found by title: a step that does not apply at one amount is not at the same
            // place.
            let of = |values: &Values| Some(values.iter().find(|(known, _)| known == title)?.1);
            let point = |amount: Decimal, value: Decimal| Point { amount, value };

            let low = (point(first, *value), point(second, of(&b)?));
            let high = (point(third, of(&c)?), point(fourth, of(&d)?));

            self.bend(title, (low, high), kink, least)
        })
    }

    /// The kink of a step between two lines, where their slopes differ by more than `least`; `kink`
    /// is its amount as far as it was bisected.
    fn bend(
        &self,
        title: &str,
        (low, high): ((Point, Point), (Point, Point)),
        kink: Decimal,
        least: Decimal,
    ) -> Option<Kink> {
        let (before, after) = (slope(low.0, low.1)?, slope(high.0, high.1)?);
        let change = before.saturating_sub(after);

        let share = before
            .abs()
            .max(after.abs())
            .saturating_mul(MIN_RELATIVE_CHANGE);

        if change.abs() <= least.max(share) {
            return None;
        }

        // A bracket of a scale has an edge that is known exactly.
        if let Some((amount, rate)) = self.edge(title, low.1.amount, high.0.amount) {
            return Some(Kink {
                amount: amount.round_dp(0),
                step: title.to_owned(),
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

        let is_between = meeting >= low.1.amount && meeting <= high.0.amount;
        let amount = if is_between { meeting } else { kink };

        // A step that does not move any more has reached a limit; which one, its value says.
        let is_flat = |slope: Decimal| slope.abs() <= least;

        let kind = match (is_flat(before), is_flat(after)) {
            (false, true) if high.0.value.is_zero() => KinkKind::End,
            (false, true) => KinkKind::Ceiling,
            (true, false) if low.1.value.is_zero() => KinkKind::Start,
            _ => KinkKind::Other,
        };

        Some(Kink {
            amount: amount.round_dp(0),
            step: title.to_owned(),
            kind,
        })
    }

    /// The amount at which a step of brackets enters its last bracket between two amounts, and the
    /// rate of that.
    fn edge(&self, title: &str, low: Decimal, high: Decimal) -> Option<(Decimal, Decimal)> {
        // Only steps with brackets have slices; the last one holds the end of the base.
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

        // The base moves evenly between the two amounts: its share of the way to the edge is that
        // of the amount.
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
