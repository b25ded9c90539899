//! Search for the greatest input whose field is at most the target, such as the gross pay within a
//! budget.
//!
//! Any slope and any jumps of the field are allowed. Where it never falls, bisection finds the one
//! input at which it passes the target. Where it falls, inputs above that one are tried unit by
//! unit as far as roundings can explain a fall, and the rest by strides up to twice the input.

use rust_decimal::Decimal;

use crate::law::{Warning, WarningCode};
use crate::run::error::CalculationError;
use crate::say;
use crate::text::lang::Text;

use super::{FoundInput, Point, Search};

/// Greatest number of inputs above the one found that are tried unit by unit.
const NEAREST: u32 = 256;

/// How often the field may fall below the target again, at most.
const MAX_RESTARTS: usize = 16;

/// A rise of the field by more than this many units over one unit of the input is reported as a
/// jump.
const JUMP: Decimal = Decimal::from_parts(5, 0, 0, false, 0);

pub(super) fn find(search: &Search) -> Result<FoundInput, CalculationError> {
    // 1. The target is within reach.
    let target = search.target;
    let first = search.first()?;
    if first.field > target {
        return Err(search.too_low(first));
    }

    let last = search.last(first)?;
    if last.field < target {
        return Err(search.too_high(last));
    }

    // 2. The input at which the field passes the target.
    let mut found = if last.field == target {
        Passing::end(last)
    } else {
        passing(search, first, Beyond::from(last))?
    };

    // 3. A greater one, where the field falls to the target again: each round ends above the one
    // before.
    for _ in 0..MAX_RESTARTS {
        let Some(again) = above(search, found.within, last)? else {
            break;
        };
        found = again;
    }

    // 4. What the caller must know: that no input gives the target, that a smaller one exceeds it.
    let warnings = jump(search, &found)?
        .into_iter()
        .chain(below(search, found.within)?)
        .collect();

    Ok(FoundInput {
        input: found.within.input,
        warnings,
    })
}

/// The place where the field passes the target.
struct Passing {
    /// The last point within the target.
    within: Point,
    /// The input above it, where that was tried.
    beyond: Option<Beyond>,
}

impl Passing {
    /// The end of the inputs, where nothing is beyond the target.
    fn end(within: Point) -> Self {
        Self {
            within,
            beyond: None,
        }
    }
}

/// An input beyond the target, with its field unless it is refused.
struct Beyond {
    input: Decimal,
    field: Option<Decimal>,
}

impl Beyond {
    fn new(input: Decimal, point: Option<Point>) -> Self {
        let field = point.map(|point| point.field);
        Self { input, field }
    }
}

impl From<Point> for Beyond {
    fn from(point: Point) -> Self {
        Self::new(point.input, Some(point))
    }
}

/// The last point within the target, between one that is and an input that is not.
///
/// A cost mostly rises in straight pieces: the line through both ends leads near the target, where
/// halves of the interval take thirty steps. A line that leaves more than half of the interval is
/// followed by a half, so that no shape of the field takes more than twice as many.
fn passing(
    search: &Search,
    mut within: Point,
    mut beyond: Beyond,
) -> Result<Passing, CalculationError> {
    let mut by_line = true;
    loop {
        let gap = beyond.input.saturating_sub(within.input);
        if gap <= search.unit {
            let beyond = Some(beyond);
            return Ok(Passing { within, beyond });
        }

        // The step stays within the interval, by a unit at least on each side: both ends are known.
        let half = gap.checked_div(Decimal::TWO).unwrap_or(search.unit);
        let to_target = |field: Decimal| {
            let rise = field.checked_sub(within.field)?;
            let way = search.target.checked_sub(within.field)?;
            way.checked_div(rise)?.checked_mul(gap)
        };
        let on_line = beyond.field.filter(|_| by_line).and_then(to_target);
        let step = search.on_grid(on_line.unwrap_or(half));
        let step = step.max(search.unit).min(gap.saturating_sub(search.unit));

        let next = within.input.saturating_add(step);
        match search.answer(next)? {
            Some(point) if point.field <= search.target => within = point,
            point => beyond = Beyond::new(next, point),
        }

        // After a half, the line is tried again.
        by_line = !by_line || beyond.input.saturating_sub(within.input) <= half;
    }
}

/// Finds a greater input that is within the target again.
fn above(search: &Search, found: Point, last: Point) -> Result<Option<Passing>, CalculationError> {
    let room = last.input.saturating_sub(found.input);
    if stays_beyond(search, found, room) {
        return Ok(None);
    }

    // Roundings alone may take the field below the target again a few units further on.
    let mut within = None;
    for point in search.samples(search.next_inputs(found.input, NEAREST, room)) {
        match point? {
            Some(point) if point.field <= search.target => within = Some(point),
            Some(point) if point.field <= search.target.saturating_add(search.slack) => {}
            _ => break,
        }
    }
    if let Some(within) = within {
        return next_passing(search, within, last).map(Some);
    }

    // A fall by more than roundings is a threshold of the law, which is looked for by strides.
    let distances = search.distances(found.input);
    let above = distances
        .take_while(|distance| *distance <= room)
        .map(|distance| found.input.saturating_add(distance));
    for point in search.samples(above) {
        if let Some(point) = point?.filter(|point| point.field <= search.target) {
            return next_passing(search, point, last).map(Some);
        }
    }
    Ok(None)
}

/// Whether the field is proved to be beyond the target above the input found, as far as it is
/// sampled: most costs rise, and no sample has to show it.
fn stays_beyond(search: &Search, found: Point, room: Decimal) -> bool {
    let nearest = search.unit.saturating_mul(Decimal::from(NEAREST));
    let reach = found.input.abs().max(nearest).min(room);

    let low = found.input.saturating_add(search.unit);
    let range = search.range(low, found.input.saturating_add(reach));
    range.is_some_and(|range| range.low > search.target)
}

/// The last point before the field passes the target, searched upwards from one within it.
fn next_passing(search: &Search, within: Point, last: Point) -> Result<Passing, CalculationError> {
    // The field passes the target for good only where no point further on is within it; here, the
    // next passing is enough.
    let mut kept = within;
    let room = last.input.saturating_sub(within.input);

    for distance in search
        .distances(within.input)
        .take_while(|distance| *distance <= room)
    {
        let next = within.input.saturating_add(distance);
        match search.answer(next)? {
            Some(point) if point.field <= search.target => kept = point,
            point => return passing(search, kept, Beyond::new(next, point)),
        }
    }
    passing(search, kept, Beyond::from(last))
}

/// The warning where the field jumps over the target.
fn jump(search: &Search, passing: &Passing) -> Result<Option<Warning>, CalculationError> {
    // The search has mostly tried the next input last.
    let found = passing.within;
    let next = found.input.saturating_add(search.unit);
    let next = match &passing.beyond {
        Some(Beyond { input, field }) if *input == next => {
            field.map(|field| Point { input: next, field })
        }
        _ => search.answer(next)?,
    };
    let Some(next) = next else {
        return Ok(None);
    };

    let is_jump = next.field.saturating_sub(found.field) >= search.unit.saturating_mul(JUMP);

    // The input found is the last within the target: it misses it where the next one passes it by
    // more than roundings.
    let warning = || {
        let [input, field] = [found.input, found.field].map(Text::from);
        let [asked, more, next] = [search.target, next.input, next.field].map(Text::from);
        let sentence = say!(
            "Aucun montant ne donne exactement {asked} : {input} donne {field}, \
             et {more} donne déjà {next}.",
            "No amount gives exactly {asked}: {input} gives {field}, \
             and {more} gives {next} already.";
            asked, input, field, more, next
        );
        search.warning(WarningCode::Inexact, sentence)
    };

    Ok((found.field < search.target && is_jump).then(warning))
}

/// The warning where a smaller input already passes the target, by more than roundings explain.
fn below(search: &Search, found: Point) -> Result<Option<Warning>, CalculationError> {
    let least = search.model.min.unwrap_or_default();
    let room = found.input.saturating_sub(least);
    let beyond = search.target.saturating_add(search.slack);

    // Most costs rise: they are proved to be no higher below.
    let reach = found.input.abs().min(room);
    let low = found.input.saturating_sub(reach);
    if let Some(range) = search.range(low, found.input)
        && range.high <= beyond
    {
        return Ok(None);
    }

    let distances = search.distances(found.input);
    let below = distances
        .take_while(|distance| *distance <= room)
        .map(|distance| found.input.saturating_sub(distance));
    for point in search.samples(below) {
        // Roundings alone would warn of nearly every pay.
        if let Some(point) = point?.filter(|point| point.field > beyond) {
            let [input, field] = [point.input, point.field].map(Text::from);
            let sentence = say!(
                "Plusieurs montants conviennent, et le plus grand est retenu : \
                 plus bas, {input} donne déjà {field}.",
                "Several amounts fit, and the greatest is taken: \
                 lower down, {input} gives {field} already.";
                input, field
            );
            return Ok(Some(search.warning(WarningCode::SeveralFit, sentence)));
        }
    }
    Ok(None)
}
