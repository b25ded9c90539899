//! The smallest input whose field is at least what is asked, such as the gross pay of a net pay.
//!
//! It is the smallest of all as long as the field never rises more than twice as fast as the input, but for
//! roundings: nothing is then jumped over, however often the field falls on the way. A net pay rises less
//! than its gross, but for a levy whose yearly limit a higher pay reaches earlier. Where it jumps up, at the
//! threshold of a credit that is paid with the wage, the place of the jump is found first.

use rust_decimal::Decimal;

use crate::error::CalculationError;
use crate::number::{number_french, number_text};
use crate::refusal::Reason;

use super::{Found, Point, Search};

/// How much faster than the input the field may rise.
const STEEPEST: Decimal = Decimal::TWO;

/// A leap that leaves less than this part of the way has met a jump: without one it leaves half of it, or
/// more where the field rises less than the input.
const NEAR: Decimal = Decimal::from_parts(25, 0, 0, false, 2);

/// Evaluations after which a field that hardly rises is given up.
const MOST: usize = 20_000;

pub(super) fn find(search: &Search) -> Result<Found, CalculationError> {
    let asked = search.asked;
    let first = search.first()?;
    if first.field > asked {
        return Err(search.too_low(first));
    }
    let found = if first.field == asked { first } else { climb(search, first)? };
    let mut notes = Vec::new();
    if found.field > asked {
        let before = search.at(found.input.saturating_sub(search.unit))?;
        notes.push(format!(
            "Aucun montant ne donne exactement {asked} : {input} donne {field}, et {less} ne donne que {before}.",
            asked = number_french(asked),
            input = number_french(found.input),
            field = number_french(found.field),
            less = number_french(before.input),
            before = number_french(before.field),
        ));
    }
    notes.extend(fall(search, found)?);
    Ok(Found { input: found.input, notes })
}

/// Goes up from a point below what is asked. The field rises [`STEEPEST`] times as fast as the input
/// at most, but for roundings: as long as a gap is left that these cannot fill, no input nearer than
/// that share of it can.
fn climb(search: &Search, start: Point) -> Result<Point, CalculationError> {
    let mut below = start;
    for _ in 0..MOST {
        let way = search.asked.saturating_sub(below.field);
        let gap = way.saturating_sub(search.slack);
        let leap = search.on_grid(gap.checked_div(STEEPEST).unwrap_or_default()).max(search.unit);
        let next = search.limited(below.input.saturating_add(leap));
        if next <= below.input {
            return Err(search.too_high(below));
        }
        let reached = search.at(next)?;
        let left = search.asked.saturating_sub(reached.field);
        let jump = if left < way.saturating_mul(NEAR) { jump(search, below, reached)? } else { None };
        let (from, to) = jump.unwrap_or((below, reached));
        if to.field >= search.asked {
            let is_there = |point: Point| point.field >= search.asked;
            return if is_there(from) {
                search.edge(from, below.input, is_there)
            } else {
                search.edge(to, from.input, is_there)
            };
        }
        below = to;
    }
    let (input, field) = (number_french(below.input), number_french(below.field));
    let french = format!("Recherche abandonnée à {input}, qui ne donne encore que {field} : demander davantage.");
    let [input, field] = [below.input, below.field].map(number_text);
    let english = format!("The search was given up at {input}, which gives only {field} so far: ask for more.");
    Err(search.refusal(Reason::GivenUp((french, english).into()), search.inverse.parameter.accepted()))
}

/// The two neighbours between which the field rises most, where that is a jump.
fn jump(search: &Search, below: Point, reached: Point) -> Result<Option<(Point, Point)>, CalculationError> {
    let (mut low, mut high) = (below, reached);
    // What a stretch rises beyond its own width.
    let excess = |low: Point, high: Point| {
        high.field.saturating_sub(low.field).saturating_sub(high.input.saturating_sub(low.input))
    };
    while high.input.saturating_sub(low.input) > search.unit {
        let half = high.input.saturating_sub(low.input).checked_div(Decimal::TWO).unwrap_or(search.unit);
        let middle = search.at(low.input.saturating_add(search.on_grid(half).max(search.unit)))?;
        if excess(low, middle) > excess(middle, high) { high = middle } else { low = middle }
    }
    let rise = high.field.saturating_sub(low.field);
    Ok((rise > search.slack.saturating_add(search.unit)).then_some((low, high)))
}

/// Where the field falls below what is asked again: a fall that no distance meets is not reported.
fn fall(search: &Search, found: Point) -> Result<Option<String>, CalculationError> {
    let mut high = found;
    for distance in search.distances(found.input) {
        let next = search.limited(found.input.saturating_add(distance));
        let Some(point) = search.answer(next)? else { break };
        if point.field < search.asked {
            return described(search, high, point);
        }
        high = point;
    }
    Ok(None)
}

/// What is said of a fall, where the field rises again to what is asked.
fn described(search: &Search, high: Point, low: Point) -> Result<Option<String>, CalculationError> {
    let low = search.edge(low, high.input, |point| point.field < search.asked)?;
    let again = match climb(search, low) {
        Ok(again) => again,
        Err(CalculationError::Refused(_)) => return Ok(None),
        Err(fault) => return Err(fault),
    };
    Ok(Some(format!(
        "Au-dessus, le résultat retombe : {low} ne donne que {field}, et il faut {again} pour retrouver {asked}.",
        low = number_french(low.input),
        field = number_french(low.field),
        again = number_french(again.input),
        asked = number_french(search.asked),
    )))
}
