//! Curves drawn between their kinks: edges of brackets, ceilings, thresholds. Kinks are located by
//! bisecting whatever is not straight, and named by the first step whose slope or value changes
//! there.

mod line;
mod tracer;

use bareme_engine::run::curve::Point;
use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::curve::{Axis, Household};

use line::{slope, straightened};
use tracer::Tracer;

/// Greatest number of kinks of a curve: with more, it is drawn at a lower resolution.
const MAX_KINKS: usize = 24;

/// Fraction of the range, one in so many, within which two kinks count as one.
const MERGE_FRACTION: u64 = 400;

/// Fraction of the range, one in so many, by which roundings may move the field.
const ROUNDING_FRACTION: u64 = 100_000;

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

        // 1. Points where the curve bends, found within a tolerance of some roundings.
        let slack = noise.saturating_mul(Decimal::from(4));
        let all = tracer.refined(range, slack);
        let mut points = all.clone();

        // 2. As few of them as describe the curve: the tolerance is doubled while there are too
        // many.
        let mut tolerance = slack;
        // The last tolerance is 128 times the slack: a curve with more kinks than that is drawn as
        // it is.
        for _ in 0..8 {
            points = straightened(&all, tolerance);
            if points.len() <= MAX_KINKS {
                break;
            }
            tolerance = tolerance.saturating_mul(Decimal::TWO);
        }

        // 3. The steps that cause the bends between them.
        let mut kinks = tracer.kinks(&points);
        kinks.sort_by_key(|kink| kink.amount);

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
            // Two points of one amount have no slope.
            let Some(slope) = slope(before, after) else {
                continue;
            };

            // Of each further unit of gross, what does not reach the net is withheld.
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
        // Above the ceiling, from its first cent on, a contribution is due on the whole pay: by hand
        // 0.14 % of 4 005.01, 5.61, less that cent.
        let jumps = traced.kinks.iter().any(|kink| {
            matches!(kink.kind, KinkKind::Jump(jump) if jump == Decimal::new(-560, 2))
                && kink.amount == Decimal::new(400_501, 2)
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
