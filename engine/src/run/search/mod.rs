//! Search for the input for which a field reaches a target.

mod greatest;
mod sample;
mod smallest;

use std::cell::{Cell, OnceCell};

use rust_decimal::Decimal;

use crate::law::formula::When;
use crate::law::range::Range;
use crate::law::{Find, Input, Inverse, Value, Warning, WarningCode};
use crate::run::error::CalculationError;
use crate::run::plan::Sampler;
use crate::run::program::{MadeChecks, Program, VariedField};
use crate::run::query::target::Target;
use crate::say;
use crate::text::{BadParameter, Reason, Refusal, Text, number_text};

/// Finds the input for the target and stores it among the values; returns warnings of jumps and
/// falls of the field.
pub(crate) fn find_input(
    program: &Program,
    sent: &mut [Value],
    target: &Target,
    when: When,
) -> Result<Vec<Warning>, CalculationError> {
    let inverse = program.method().inverses().get(target.inverse);
    let search = inverse
        .and_then(|inverse| Search::new(program, inverse, sent.to_vec(), target.amount, when));

    // Without anything to search, the values stay as they were sent.
    let (Some(inverse), Some(search)) = (inverse, search) else {
        return Ok(Vec::new());
    };

    let found = match inverse.find {
        Find::Smallest => smallest::find(&search)?,
        Find::Greatest => greatest::find(&search)?,
    };

    if let Some(place) = sent.get_mut(inverse.input.position()) {
        *place = Value::Number(found.input);
    }
    Ok(found.warnings)
}

/// The input found.
struct FoundInput {
    input: Decimal,
    /// Warnings of jumps and falls of the field.
    warnings: Vec<Warning>,
}

/// How many units roundings may move the field at once, at most: a contribution that reaches its
/// yearly maximum gives back the roundings of all the pays before, and one that is rounded up may
/// take a whole step off a rounded base.
const ROUNDING_UNITS: Decimal = Decimal::from_parts(50, 0, 0, false, 0);

/// Number of strides between an input and its double.
const STRIDES: u64 = 64;

/// Evaluations after which a search is given up, whatever the method: the dearest search of the
/// rules of this repository takes some hundreds.
const MAX_EVALUATIONS: u32 = 5_000;

/// The search for one query.
struct Search<'p> {
    program: &'p Program,
    inverse: &'p Inverse,
    model: &'p Input,
    /// The values of the other inputs.
    sent: Vec<Value>,
    target: Decimal,
    when: When,
    /// The upper bound of the input.
    most: Decimal,
    /// The grid of the input.
    unit: Decimal,
    /// How far roundings may move the field, at most.
    slack: Decimal,
    /// Evaluations left.
    left: Cell<u32>,
    /// The field as the input varies; `None` where each value is a calculation of its own.
    varied: Option<VariedField<'p>>,
    /// Computes many samples together; `None` where each is a calculation of its own. Many searches
    /// take none.
    sampler: OnceCell<Option<Sampler<'p>>>,
}

/// A value of the input and that of the field.
#[derive(Debug, Clone, Copy)]
struct Point {
    input: Decimal,
    field: Decimal,
}

impl<'p> Search<'p> {
    fn new(
        program: &'p Program,
        inverse: &'p Inverse,
        sent: Vec<Value>,
        target: Decimal,
        when: When,
    ) -> Option<Self> {
        let model = inverse.input.of(program.method().inputs())?;
        // An input without a maximum is searched up to the greatest decimal; a refusal or the limit
        // of evaluations ends that.
        let (most, unit) = (model.max.unwrap_or(Decimal::MAX), inverse.unit);

        let slack = unit.saturating_mul(ROUNDING_UNITS);
        let left = Cell::new(MAX_EVALUATIONS);
        let varied = program.varied_field(&sent, when, inverse.input, inverse.field);

        Some(Self {
            program,
            inverse,
            model,
            sent,
            target,
            when,
            most,
            unit,
            slack,
            left,
            varied,
            sampler: OnceCell::new(),
        })
    }

    /// The value of the field for an input.
    ///
    /// # Errors
    /// The input is refused; or no evaluation is left.
    // Each evaluation counts, so that a method whose field neither rises nor falls cannot hold a
    // thread.
    fn at(&self, input: Decimal) -> Result<Point, CalculationError> {
        self.count(input)?;
        if let Some(field) = self.varied.as_ref().and_then(|varied| varied.at(input)) {
            return Ok(Point { input, field });
        }

        let mut sent = self.sent.clone();
        if let Some(place) = sent.get_mut(self.inverse.input.position()) {
            *place = Value::Number(input);
        }

        // A refusal does not depend on the fields asked for: only what this one reads is computed.
        let (fields, checks) = ([self.inverse.field], MadeChecks::Refusals);
        let run = self.program.run_fields(sent, self.when, &fields, checks)?;
        match run
            .field(self.inverse.field)?
            .and_then(|field| field.number())
        {
            Some(field) => Ok(Point { input, field }),
            None => Err(self.refusal(
                Reason::NotComputable {
                    step: self.model.name.clone(),
                },
                self.model.accepted(),
            )),
        }
    }

    /// The sampler, which computes many samples together.
    fn sampler(&self) -> Option<&Sampler<'p>> {
        let (input, field) = (self.inverse.input, self.inverse.field);
        let varied = self.varied.as_ref();
        let sampler = || Sampler::new(self.program, &self.sent, self.when, input, field, varied);
        self.sampler.get_or_init(sampler).as_ref()
    }

    /// The range of the field over an interval, of the inputs that are not refused; `None` where
    /// none is known.
    fn range(&self, low: Decimal, high: Decimal) -> Option<Range> {
        self.varied.as_ref()?.range(Range { low, high })
    }

    /// Counts an evaluation.
    ///
    /// # Errors
    /// None is left.
    fn count(&self, input: Decimal) -> Result<(), CalculationError> {
        let left = self.left.get().checked_sub(1);
        let left = left.ok_or_else(|| self.given_up(input))?;
        self.left.set(left);
        Ok(())
    }

    /// The value of the field for an input; `None` if the input is refused.
    fn answer(&self, input: Decimal) -> Result<Option<Point>, CalculationError> {
        match self.at(input) {
            Ok(point) => Ok(Some(point)),
            // A refusal for want of evaluations says nothing about the input.
            Err(CalculationError::Refused(_)) if self.left.get() == 0 => Err(self.given_up(input)),
            Err(CalculationError::Refused(_)) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// The least input accepted: a rule of the method may refuse those below.
    fn first(&self) -> Result<Point, CalculationError> {
        let least = self.model.min.unwrap_or_default();
        let refusal = match self.at(least) {
            Err(CalculationError::Refused(refusal)) => refusal,
            answer => return answer,
        };

        // The first input that is accepted lies between one that is refused and one twice as far,
        // and so on: a threshold at a high amount takes few steps.
        let (mut refused, mut step) = (least, self.unit);
        loop {
            let next = self.limited(refused.saturating_add(step));
            if let Some(point) = self.answer(next)? {
                return self.edge(point, refused, |_| true);
            }
            if next == self.most {
                return Err(refusal.into());
            }
            (refused, step) = (next, step.saturating_mul(Decimal::TWO));
        }
    }

    /// The greatest input accepted: a rule of the method may refuse those above.
    fn last(&self, first: Point) -> Result<Point, CalculationError> {
        if let Some(point) = self.answer(self.most)? {
            return Ok(point);
        }

        // The same, upwards from the least one.
        let (mut answered, mut step) = (first, self.unit);
        loop {
            let next = self.limited(answered.input.saturating_add(step));
            match self.answer(next)? {
                Some(point) => answered = point,
                None => return self.edge(answered, next, |_| true),
            }
            step = step.saturating_mul(Decimal::TWO);
        }
    }

    /// The last point that `holds`, found by bisection between one that does and an input that does
    /// not or is refused.
    fn edge(
        &self,
        mut kept: Point,
        mut failed: Decimal,
        holds: impl Fn(Point) -> bool,
    ) -> Result<Point, CalculationError> {
        loop {
            // Ends at two neighbours of the grid: nothing lies between them.
            let gap = kept.input.saturating_sub(failed);
            if gap.abs() <= self.unit {
                return Ok(kept);
            }

            let half = gap.abs().checked_div(Decimal::TWO).unwrap_or(self.unit);
            // At least one unit, so that each step narrows the interval.
            let half = self.on_grid(half).max(self.unit);
            let middle = kept.input.min(failed).saturating_add(half);

            match self.answer(middle)? {
                Some(point) if holds(point) => kept = point,
                _ => failed = middle,
            }
        }
    }

    /// Distances from an input at which the field is sampled: a quarter more each time, then in
    /// even strides up to the input itself.
    fn distances(&self, input: Decimal) -> impl Iterator<Item = Decimal> + use<'_, 'p> {
        let stride = self
            .on_grid(
                input
                    .abs()
                    .checked_div(Decimal::from(STRIDES))
                    .unwrap_or_default(),
            )
            .max(self.unit);

        // Near the input each unit is sampled, further away one in a hundred or so: roundings move
        // the field near by, the thresholds of a law anywhere.
        let next = move |distance: &Decimal| {
            let quarter = distance.checked_div(Decimal::from(4)).unwrap_or_default();
            let step = self.on_grid(quarter).max(self.unit);
            Some(distance.saturating_add(step.min(stride)))
        };

        std::iter::successors(Some(self.unit), next)
            .take_while(move |distance| *distance <= input.abs())
    }

    /// Distances from an input at which teeth of the field show: each a thirty-second further away,
    /// up to some room.
    fn fine_distances(&self, room: Decimal) -> impl Iterator<Item = Decimal> + Clone + use<'_, 'p> {
        self.growing(self.unit, 32)
            .take_while(move |distance| *distance <= room)
    }

    /// The inputs above one, unit by unit, up to some count and to some distance.
    fn next_inputs(
        &self,
        input: Decimal,
        count: u32,
        room: Decimal,
    ) -> impl Iterator<Item = Decimal> + use<'_, 'p> {
        (1..=count)
            .map(|count| self.unit.saturating_mul(Decimal::from(count)))
            .take_while(move |distance| *distance <= room)
            .map(move |distance| input.saturating_add(distance))
    }

    /// Distances that grow by a part of themselves, one unit at least, from a first one on.
    fn growing(
        &self,
        first: Decimal,
        part: u64,
    ) -> impl Iterator<Item = Decimal> + Clone + use<'_, 'p> {
        let next = move |distance: &Decimal| {
            let share = distance
                .checked_div(Decimal::from(part))
                .unwrap_or_default();
            distance.checked_add(self.on_grid(share).max(self.unit))
        };
        std::iter::successors(Some(first), next)
    }

    /// The distances from an input at which the field is sampled, then those beyond the input
    /// itself, up to the furthest: each a fiftieth further away.
    fn distances_up_to(
        &self,
        furthest: Decimal,
        input: Decimal,
    ) -> impl Iterator<Item = Decimal> + use<'_, 'p> {
        let beyond = self.growing(input, 50).skip(1);
        self.distances(input)
            .chain(beyond.take_while(move |distance| *distance <= furthest))
    }

    /// The greatest multiple of the unit that is not above an amount.
    fn on_grid(&self, amount: Decimal) -> Decimal {
        let units = amount.checked_div(self.unit).unwrap_or_default().floor();
        units.checked_mul(self.unit).unwrap_or(amount)
    }

    fn limited(&self, input: Decimal) -> Decimal {
        input.min(self.most)
    }

    /// The refusal where even the least input gives more than the target.
    fn too_low(&self, first: Point) -> CalculationError {
        let (name, [input, least]) = (&self.model.name, [first.input, first.field].map(Text::from));

        let sentence = say!(
            "Ne peut pas être atteint : `{name}` à {input} donne déjà {least}.",
            "Cannot be reached: `{name}` at {input} gives {least} already.";
            input, least
        );

        self.refusal(
            Reason::OutOfReach { sentence },
            say!("au moins {least}", "at least {least}"; least),
        )
    }

    /// The refusal where even the greatest input gives less than the target.
    fn too_high(&self, last: Point) -> CalculationError {
        let (name, [input, most]) = (&self.model.name, [last.input, last.field].map(Text::from));

        let sentence = say!(
            "Ne peut pas être atteint : `{name}` à {input} ne donne que {most}.",
            "Cannot be reached: `{name}` at {input} gives only {most}.";
            input, most
        );

        self.refusal(
            Reason::OutOfReach { sentence },
            say!("au plus {most}", "at most {most}"; most),
        )
    }

    /// A warning about the parameter that sets the target.
    fn warning(&self, code: WarningCode, sentence: Text<String>) -> Warning {
        Warning::new(code, sentence).about(&self.inverse.parameter.name)
    }

    /// The refusal of a search that takes too many evaluations: how far it came.
    fn given_up(&self, input: Decimal) -> CalculationError {
        let (name, input) = (&self.model.name, Text::from(input));

        let sentence = say!(
            "Recherche abandonnée à `{name}` = {input}, après trop d’essais : \
             demander un autre montant.",
            "The search was given up at `{name}` = {input}, after too many attempts: \
             ask for another amount.";
            input
        );

        self.refusal(
            Reason::GivenUp { sentence },
            self.inverse.parameter.accepted(),
        )
    }

    fn refusal(&self, reason: Reason, expected: Text<String>) -> CalculationError {
        let received = number_text(self.target);
        Refusal::of_parameter(BadParameter::because(
            &self.inverse.parameter.name,
            reason,
            Some(&received),
            expected,
        ))
        .into()
    }
}

#[cfg(test)]
mod tests;
