//! Search for the smallest input whose field is at least the target, such as the gross pay for a
//! net pay.
//!
//! The result is the smallest as long as the field, roundings aside, never rises more than twice as
//! fast as the input: no input is then skipped, however often the field falls. A net pay rises less
//! than its gross, but for a levy whose yearly limit a higher pay reaches earlier. Where the field
//! jumps up, at the threshold of a credit that is paid with the wage, the jump is located first.
//! Where a tax is read in a table of steps, the field jumps up and falls again: such teeth below the
//! input found are sampled too.

use std::cmp::Ordering;

use rust_decimal::Decimal;

use crate::law::{Warning, WarningCode};
use crate::run::error::CalculationError;
use crate::say;
use crate::text::Text;

use super::{FoundInput, Point, Search};

/// Evaluations left from which a climb goes on by samples: where the field is nearly flat, the leaps
/// over which no input can reach the target are too many.
const LEFT_FOR_SAMPLES: u32 = 1_500;

/// How often a smaller input is looked for below one that was found: each look sees the teeth near
/// the one before it more sharply.
const LOOKS: u32 = 8;

/// Inputs tried unit by unit before the way to the target is looked at again.
const MOST_UNITS: u32 = 256;

/// The greatest slope of the field, roundings aside: its rise over that of the input.
const STEEPEST: Decimal = Decimal::TWO;

/// Share of the gap to the target that a step of the search may leave without a jump of the field.
/// A step closes at most half of the gap where the field rises no faster than the input, since it
/// goes half as far (see `STEEPEST`): one that leaves a quarter or less has met a jump.
const JUMP_SHARE: Decimal = Decimal::from_parts(25, 0, 0, false, 2);

pub(super) fn find(search: &Search) -> Result<FoundInput, CalculationError> {
    // 1. The first input that reaches the target.
    let target = search.target;
    let first = search.first()?;
    let mut warnings = Vec::new();
    let found = match first.field.cmp(&target) {
        Ordering::Equal => first,
        Ordering::Less => earlier_tooth(search, first, climb(search, first)?)?,
        // A bonus paid with next to no pay escapes a tax: the field falls before it rises.
        Ordering::Greater => {
            let found = beyond_fall(search, first)?;
            warnings.push(search.warning(WarningCode::SeveralFit, higher_before(first, found)));
            found
        }
    };

    // 2. What the caller must know: that no input gives the target, that a greater one falls below
    // it.
    if found.field > target {
        // The input found is the smallest: the one before it is below the target.
        let before = search.at(found.input.saturating_sub(search.unit))?;
        // Between an input that gives more and the one found, another may give the target.
        let sentence = match first.field > target {
            true => inexact_here(target, found, before),
            false => inexact(target, found, before),
        };
        warnings.push(search.warning(WarningCode::Inexact, sentence));
    }
    warnings.extend(fall(search, found)?);

    Ok(FoundInput {
        input: found.input,
        warnings,
    })
}

/// The first input that reaches the target in a tooth below the one found: where a tax is that of a
/// table in steps, the field jumps up at a step, and falls again further on.
fn earlier_tooth(search: &Search, least: Point, found: Point) -> Result<Point, CalculationError> {
    // Without samples in blocks, the look would cost more than the search.
    if search.sampler().is_none() {
        return Ok(found);
    }

    let mut best = found;
    for _ in 0..LOOKS {
        let room = best.input.saturating_sub(least.input);
        let below = search
            .fine_distances(room)
            .map(|distance| best.input.saturating_sub(distance));

        // The last sample that reaches the target, and the one below it.
        let mut reached = None;
        let mut under = None;
        for point in search.samples(below) {
            let Some(point) = point? else { break };
            if point.field >= search.target {
                reached = Some(point);
                under = None;
            } else {
                under = under.or(Some(point));
            }
        }

        let Some(reached) = reached else { break };
        let is_there = |point: Point| point.field >= search.target;
        best = search.edge(reached, under.unwrap_or(least).input, is_there)?;
    }
    Ok(best)
}

/// The first input that gives the target once the field has fallen to it, where the least input
/// gives more. A fall between two samples that are both higher than those beside them is not seen.
fn beyond_fall(search: &Search, first: Point) -> Result<Point, CalculationError> {
    let room = search.most.saturating_sub(first.input);
    let (mut earlier, mut before) = (first, first);
    let above = search
        .fine_distances(room)
        .map(|distance| search.limited(first.input.saturating_add(distance)));
    for point in search.samples(above) {
        let Some(point) = point? else { break };

        // Around a sample that is lower than those beside it, the field is lowest somewhere between
        // these.
        let is_lowest = before.field <= earlier.field && before.field <= point.field;
        let low = if is_lowest && point.field > search.target {
            lowest(search, earlier, point)?
        } else {
            point
        };

        if low.field <= search.target {
            let low = search.edge(low, first.input, |point| point.field <= search.target)?;
            if low.field == search.target {
                return Ok(low);
            }
            return match climb(search, low) {
                // A field that falls for good is above the target at its least input, no more.
                Err(CalculationError::Refused(_)) if search.left.get() > 0 => {
                    Err(search.too_low(first))
                }
                found => found,
            };
        }
        (earlier, before) = (before, point);
    }
    Err(search.too_low(first))
}

/// The point between two where the field is lowest, or one that is low enough for the target: by
/// thirds, as for a field that falls and then rises.
fn lowest(search: &Search, from: Point, to: Point) -> Result<Point, CalculationError> {
    let mut best = if from.field <= to.field { from } else { to };
    let (mut from, mut to) = (from.input, to.input);
    while to.saturating_sub(from) > search.unit && best.field > search.target {
        // Each turn leaves two thirds of the interval, the part that holds the lower of both
        // points.
        let third = to.saturating_sub(from).checked_div(Decimal::from(3));
        let third = search
            .on_grid(third.unwrap_or(search.unit))
            .max(search.unit);
        let left = search.at(from.saturating_add(third))?;
        let right = search.at(to.saturating_sub(third))?;

        for point in [left, right] {
            if point.field < best.field {
                best = point;
            }
        }
        if left.field <= right.field {
            to = right.input;
        } else {
            from = left.input;
        }
    }
    Ok(best)
}

/// The sentence where an input below the one found gives more than the target.
fn higher_before(first: Point, found: Point) -> Text<String> {
    let [input, field, taken] = [first.input, first.field, found.input].map(Text::from);
    say!(
        "Plusieurs montants conviennent : {input} donne déjà {field}, puis le résultat baisse ; \
         {taken} est retenu.",
        "Several amounts fit: {input} gives {field} already, then the result falls; {taken} is \
         taken.";
        input, field, taken
    )
}

/// The sentence where no input gives the target exactly: the results for the input found and for
/// the one before.
fn inexact(target: Decimal, found: Point, before: Point) -> Text<String> {
    let [input, field] = [found.input, found.field].map(Text::from);
    let [asked, less, before] = [target, before.input, before.field].map(Text::from);
    say!(
        "Aucun montant ne donne exactement {asked} : {input} donne {field}, \
         et {less} ne donne que {before}.",
        "No amount gives exactly {asked}: {input} gives {field}, and {less} gives only {before}.";
        asked, input, field, less, before
    )
}

/// The sentence where the input found does not give the target exactly, and another below it may.
fn inexact_here(target: Decimal, found: Point, before: Point) -> Text<String> {
    let [input, field] = [found.input, found.field].map(Text::from);
    let [asked, less, before] = [target, before.input, before.field].map(Text::from);
    say!(
        "Le montant retenu ne donne pas exactement {asked} : {input} donne {field}, \
         et {less} ne donne que {before}.",
        "The amount taken does not give exactly {asked}: {input} gives {field}, and {less} gives \
         only {before}.";
        asked, input, field, less, before
    )
}

/// Climbs from a point below the target. The field rises at most [`STEEPEST`] times as fast as the
/// input, but for roundings: while the gap is more than roundings can close, no input within that
/// share of the gap can reach the target. It ends at the bound of the input, or at the last one
/// accepted where a rule of the method refuses those above.
fn climb(search: &Search, start: Point) -> Result<Point, CalculationError> {
    let mut below = start;
    while search.left.get() > LEFT_FOR_SAMPLES {
        // Where roundings can close the gap, the next inputs are tried one by one.
        let Some(leap) = leap(search, below) else {
            match next_ones(search, below)? {
                Next::Reached(reached) => return Ok(reached),
                Next::Fallen(point) => below = point,
            }
            continue;
        };
        let way = search.target.saturating_sub(below.field);
        let next = search.limited(below.input.saturating_add(leap));

        let reached = match search.answer(next)? {
            Some(reached) => reached,
            None => search.edge(below, next, |_| true)?,
        };

        // Without a greater input that is accepted, the target is out of reach.
        if reached.input <= below.input {
            return Err(search.too_high(below));
        }

        // A jump over the target is located first: bisection within the leap could end on the far
        // side of it.
        let left = search.target.saturating_sub(reached.field);
        let jump = if left <= way.saturating_mul(JUMP_SHARE) {
            jump(search, below, reached)?
        } else {
            None
        };

        // Without a jump, the leap itself is the interval to search.
        let (from, to) = jump.unwrap_or((below, reached));
        if to.field >= search.target {
            let is_there = |point: Point| point.field >= search.target;
            return if is_there(from) {
                search.edge(from, below.input, is_there)
            } else {
                search.edge(to, from.input, is_there)
            };
        }

        below = to;
    }
    climb_by_samples(search, below)
}

/// How far from a point no input can reach the target; `None` where that is not even one unit.
fn leap(search: &Search, below: Point) -> Option<Decimal> {
    let way = search.target.saturating_sub(below.field);
    let gap = way.saturating_sub(search.slack);
    let leap = search.on_grid(gap.checked_div(STEEPEST).unwrap_or_default());
    (leap > search.unit).then_some(leap)
}

/// The outcome of trying the inputs above a point, unit by unit.
enum Next {
    /// The first of them that reaches the target.
    Reached(Point),
    /// The first of them from which a leap is possible again, or the last one that was tried.
    Fallen(Point),
}

/// Tries the inputs above a point near the target, unit by unit.
fn next_ones(search: &Search, start: Point) -> Result<Next, CalculationError> {
    let room = search.most.saturating_sub(start.input);
    let above = search.next_inputs(start.input, MOST_UNITS, room);

    let mut below = start;
    for point in search.samples(above) {
        // Without a greater input that is accepted, the target is out of reach.
        let Some(point) = point? else {
            return Err(search.too_high(below));
        };
        if point.field >= search.target {
            return Ok(Next::Reached(point));
        }
        below = point;
        if leap(search, below).is_some() {
            break;
        }
    }

    if below.input == start.input {
        return Err(search.too_high(below));
    }
    Ok(Next::Fallen(below))
}

/// Climbs from a point below the target where the field is nearly flat: samples each somewhat further
/// away find an interval in which it reaches the target.
fn climb_by_samples(search: &Search, start: Point) -> Result<Point, CalculationError> {
    let is_there = |point: Point| point.field >= search.target;
    let room = search.most.saturating_sub(start.input);
    let above = search
        .fine_distances(room)
        .map(|distance| search.limited(start.input.saturating_add(distance)));

    let mut below = start;
    let mut refused = None;
    for (input, point) in above.clone().zip(search.samples(above)) {
        match point? {
            Some(point) if is_there(point) => return search.edge(point, below.input, is_there),
            Some(point) => below = point,
            None => {
                refused = Some(input);
                break;
            }
        }
    }

    // The last input that is accepted may reach it, short of those that are refused.
    if let Some(refused) = refused {
        let last = search.edge(below, refused, |_| true)?;
        if is_there(last) {
            return search.edge(last, below.input, is_there);
        }
        below = last;
    }
    Err(search.too_high(below))
}

/// The two neighbouring inputs between which the field jumps; the largest jump, the lowest one on
/// ties. `None` where the field does not jump.
fn jump(
    search: &Search,
    below: Point,
    reached: Point,
) -> Result<Option<(Point, Point)>, CalculationError> {
    let (mut low, mut high) = (below, reached);
    // The rise of the field over an interval, less the width of the interval.
    let excess = |low: Point, high: Point| {
        high.field
            .saturating_sub(low.field)
            .saturating_sub(high.input.saturating_sub(low.input))
    };

    // The half with the larger excess has the jump.
    while high.input.saturating_sub(low.input) > search.unit {
        let half = high
            .input
            .saturating_sub(low.input)
            .checked_div(Decimal::TWO)
            .unwrap_or(search.unit);

        let middle = search.at(low
            .input
            .saturating_add(search.on_grid(half).max(search.unit)))?;

        if excess(low, middle) >= excess(middle, high) {
            high = middle
        } else {
            low = middle
        }
    }

    let rise = high.field.saturating_sub(low.field);
    Ok((rise > search.slack.saturating_add(search.unit)).then_some((low, high)))
}

/// The warning of a fall of the field below the target, above the input found; a fall between the
/// samples is not reported.
fn fall(search: &Search, found: Point) -> Result<Option<Warning>, CalculationError> {
    let mut high = found;
    // A bonus that alone gives most of a net is found beside next to no pay: the pay that is meant
    // then lies as far above as the net itself.
    let furthest = search.target.max(found.input).saturating_mul(Decimal::TWO);
    let distances = search.distances_up_to(furthest.saturating_sub(found.input), found.input);
    let above = distances.map(|distance| search.limited(found.input.saturating_add(distance)));
    for point in search.samples(above) {
        let Some(point) = point? else {
            break;
        };

        if point.field < search.target {
            return described(search, high, point);
        }
        high = point;
    }
    Ok(None)
}

/// The warning of a fall of the field, with the input from which it reaches the target again.
fn described(
    search: &Search,
    high: Point,
    low: Point,
) -> Result<Option<Warning>, CalculationError> {
    let low = search.edge(low, high.input, |point| point.field < search.target)?;
    let again = match climb(search, low) {
        Ok(again) => again,
        // The field never reaches the target again: a warning of a fall would name no end of it.
        Err(CalculationError::Refused(_)) if search.left.get() > 0 => return Ok(None),
        Err(fault) => return Err(fault),
    };

    let [low, field, again, asked] =
        [low.input, low.field, again.input, search.target].map(Text::from);

    let sentence = say!(
        "Au-dessus, le résultat retombe : {low} ne donne que {field}, \
         et il faut {again} pour retrouver {asked}.",
        "Above, the result falls: {low} gives only {field}, and {asked} takes {again} again.";
        low, field, again, asked
    );

    Ok(Some(search.warning(WarningCode::FallsAgain, sentence)))
}
