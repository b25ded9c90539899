//! The greatest input whose field is at most what is asked, such as the gross pay that a budget pays.
//!
//! Nothing is assumed of how steeply the field rises, nor of its jumps: where it never falls, halving finds
//! the one place at which it passes what is asked. Where it does fall, what roundings can bring back is
//! looked at unit by unit above that place, and the rest by strides up to its double.

use rust_decimal::Decimal;

use crate::error::CalculationError;
use crate::number::number_french;

use super::{Found, Point, Search};

/// Units above the place found that are looked at one by one, at most.
const NEAREST: usize = 256;

/// How often the field may come back below what is asked.
const MOST_TURNS: usize = 16;

/// A rise by that many units of the input over one of them is a jump, and reported.
const JUMP: Decimal = Decimal::from_parts(5, 0, 0, false, 0);

pub(super) fn find(search: &Search) -> Result<Found, CalculationError> {
    let asked = search.asked;
    let first = search.first()?;
    if first.field > asked {
        return Err(search.too_low(first));
    }
    let last = search.last(first)?;
    if last.field < asked {
        return Err(search.too_high(last));
    }
    let mut found = if last.field == asked { last } else { passing(search, first, last.input)? };
    for _ in 0..MOST_TURNS {
        let Some(again) = above(search, found, last)? else { break };
        found = again;
    }
    let notes = jump(search, found)?.into_iter().chain(below(search, found)?).collect();
    Ok(Found { input: found.input, notes })
}

/// Between a point within what is asked and an input that passes it, the last unit within.
fn passing(search: &Search, within: Point, beyond: Decimal) -> Result<Point, CalculationError> {
    search.edge(within, beyond, |point| point.field <= search.asked)
}

/// A greater input that is within what is asked again.
fn above(search: &Search, found: Point, last: Point) -> Result<Option<Point>, CalculationError> {
    let room = last.input.saturating_sub(found.input);
    let near = (1..=NEAREST).map(|index| search.unit.saturating_mul(Decimal::from(index)));
    for distance in near.take_while(|distance| *distance <= room) {
        let Some(point) = search.answer(found.input.saturating_add(distance))? else { break };
        if point.field <= search.asked {
            return next_passing(search, point, last).map(Some);
        }
        if point.field > search.asked.saturating_add(search.slack) {
            break;
        }
    }
    for distance in search.distances(found.input).take_while(|distance| *distance <= room) {
        let point = search.answer(found.input.saturating_add(distance))?;
        if let Some(point) = point.filter(|point| point.field <= search.asked) {
            return next_passing(search, point, last).map(Some);
        }
    }
    Ok(None)
}

/// From a point within what is asked, the last unit before the field passes it.
fn next_passing(search: &Search, within: Point, last: Point) -> Result<Point, CalculationError> {
    let mut kept = within;
    let room = last.input.saturating_sub(within.input);
    for distance in search.distances(within.input).take_while(|distance| *distance <= room) {
        let next = within.input.saturating_add(distance);
        match search.answer(next)? {
            Some(point) if point.field <= search.asked => kept = point,
            _ => return passing(search, kept, next),
        }
    }
    if last.field <= search.asked { Ok(last) } else { passing(search, kept, last.input) }
}

/// What is said where the field jumps over what is asked.
fn jump(search: &Search, found: Point) -> Result<Option<String>, CalculationError> {
    let Some(next) = search.answer(found.input.saturating_add(search.unit))? else { return Ok(None) };
    let is_jump = next.field.saturating_sub(found.field) >= search.unit.saturating_mul(JUMP);
    let sentence = || {
        format!(
            "Aucun montant ne donne exactement {asked} : {input} donne {field}, et {more} donne déjà {next}.",
            asked = number_french(search.asked),
            input = number_french(found.input),
            field = number_french(found.field),
            more = number_french(next.input),
            next = number_french(next.field),
        )
    };
    Ok((found.field < search.asked && is_jump).then(sentence))
}

/// What is said where a smaller input already passes what is asked, by more than roundings explain.
fn below(search: &Search, found: Point) -> Result<Option<String>, CalculationError> {
    let least = search.model.min.unwrap_or_default();
    let room = found.input.saturating_sub(least);
    let beyond = search.asked.saturating_add(search.slack);
    for distance in search.distances(found.input).take_while(|distance| *distance <= room) {
        let point = search.answer(found.input.saturating_sub(distance))?;
        if let Some(point) = point.filter(|point| point.field > beyond) {
            return Ok(Some(format!(
                "Plusieurs montants conviennent, et le plus grand est retenu : plus bas, {input} donne déjà {field}.",
                input = number_french(point.input),
                field = number_french(point.field),
            )));
        }
    }
    Ok(None)
}
