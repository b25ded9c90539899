//! The search for the input that gives what is asked of a field.

use rust_decimal::Decimal;

use crate::input::Input;
use crate::inverse::Inverse;
use crate::json::Json;
use crate::number::number_french;
use crate::program::Program;
use crate::refusal::{BadParameter, Reason, Refusal};
use crate::types::Value;

/// Finds the input that gives what is asked and puts it among the values; says where the result jumps.
pub(crate) fn find(program: &Program, sent: &mut [Value], asked: Decimal, year: i16) -> Result<Vec<String>, Refusal> {
    let inverse = program.method().inverse();
    let search = inverse.and_then(|inverse| Search::new(program, inverse, sent.to_vec(), year));
    let (Some(inverse), Some(search)) = (inverse, search) else { return Ok(Vec::new()) };
    let found = search.run(asked)?;
    if let Some(place) = sent.get_mut(inverse.input) {
        *place = Value::Number(found.input);
    }
    Ok(found.notes)
}

/// The value of the input that was found.
struct Found {
    input: Decimal,
    /// Where the field jumps, in French.
    notes: Vec<String>,
}

/// How much faster than the input the field may rise.
const STEEPEST: Decimal = Decimal::TWO;

/// How many times the smallest amount shown roundings may bring in at once: a contribution that reaches its
/// yearly maximum gives back what every pay before it was rounded up by.
const LUMP: i64 = 50;

/// Evaluations after which a field that hardly rises is given up.
const MOST: usize = 20_000;

/// Looks for the input of one query.
struct Search<'p> {
    program: &'p Program,
    inverse: &'p Inverse,
    model: &'p Input,
    /// The values of the other inputs.
    sent: Vec<Value>,
    year: i16,
    /// The grid of the input.
    unit: Decimal,
    /// How far roundings may carry the field above its steepest rise.
    slack: Decimal,
}

/// A value of the input and what it gives.
#[derive(Debug, Clone, Copy)]
struct Point {
    input: Decimal,
    field: Decimal,
}

impl<'p> Search<'p> {
    fn new(program: &'p Program, inverse: &'p Inverse, sent: Vec<Value>, year: i16) -> Option<Self> {
        let model = program.method().inputs().get(inverse.input)?;
        let cent = |decimals: u32| Decimal::new(1, decimals);
        let decimals = program.method().decimals;
        let unit =
            model.round.filter(|unit| !unit.is_zero()).unwrap_or_else(|| cent(model.decimals.unwrap_or(decimals)));
        let slack = Decimal::new(LUMP, decimals);
        Some(Self { program, inverse, model, sent, year, unit, slack })
    }

    /// The smallest input whose field is at least `asked`.
    fn run(&self, asked: Decimal) -> Result<Found, Refusal> {
        let start = self.first()?;
        let found = if start.field >= asked { start } else { self.climb(start, asked)? };
        let mut notes = Vec::new();
        if found.field > asked && found.input > start.input {
            let before = self.at(self.minus_unit(found.input))?;
            notes.push(format!(
                "Aucun montant ne donne exactement {asked} : {input} donne {field}, et {less} ne donne que {before}.",
                asked = number_french(asked),
                input = number_french(found.input),
                field = number_french(found.field),
                less = number_french(before.input),
                before = number_french(before.field),
            ));
        }
        notes.extend(self.fall(found, asked));
        Ok(Found { input: found.input, notes })
    }

    fn at(&self, input: Decimal) -> Result<Point, Refusal> {
        let mut sent = self.sent.clone();
        if let Some(place) = sent.get_mut(self.inverse.input) {
            *place = Value::Number(input);
        }
        let run = self.program.run(sent, self.year)?;
        match run.field(self.inverse.field)? {
            Some(Json::Number(field)) => Ok(Point { input, field }),
            _ => Err(self.refusal(Reason::NotComputable { step: self.model.name.clone() })),
        }
    }

    /// The least input that is answered: a rule of the method may refuse those below.
    fn first(&self) -> Result<Point, Refusal> {
        let least = self.model.min.unwrap_or_default();
        let refusal = match self.at(least) {
            Ok(point) => return Ok(point),
            Err(refusal) => refusal,
        };
        let (mut refused, mut step) = (least, self.unit);
        loop {
            let next = self.limited(refused.saturating_add(step));
            if let Ok(point) = self.at(next) {
                return self.narrowed(refused, point, |point| point.is_ok());
            }
            if next <= refused || Some(next) == self.model.max {
                return Err(refusal);
            }
            (refused, step) = (next, step.saturating_mul(Decimal::TWO));
        }
    }

    /// Goes up from a point below what is asked. The field rises [`STEEPEST`] times as fast as the input
    /// at most, but for roundings: as long as a gap is left that these cannot fill, no input nearer than
    /// that share of it can.
    fn climb(&self, start: Point, asked: Decimal) -> Result<Point, Refusal> {
        let mut below = start;
        for _ in 0..MOST {
            let gap = asked.saturating_sub(below.field).saturating_sub(self.slack);
            let leap = self.on_grid(gap.checked_div(STEEPEST).unwrap_or_default()).max(self.unit);
            let next = self.limited(below.input.saturating_add(leap));
            if next <= below.input {
                return Err(self.refusal(Reason::TooHigh));
            }
            let reached = self.at(next)?;
            if reached.field >= asked {
                return self
                    .narrowed(below.input, reached, |point| point.as_ref().is_ok_and(|point| point.field >= asked));
            }
            below = reached;
        }
        let (input, field) = (number_french(below.input), number_french(below.field));
        let told = format!("Recherche abandonnée à {input}, qui ne donne encore que {field} : demander davantage.");
        Err(self.refusal(Reason::Rule(told)))
    }

    /// Between an input that does not hold and a point that does, the first unit that holds again.
    fn narrowed(
        &self,
        mut below: Decimal,
        mut above: Point,
        holds: impl Fn(&Result<Point, Refusal>) -> bool,
    ) -> Result<Point, Refusal> {
        while above.input.saturating_sub(below) > self.unit {
            let half = above.input.saturating_sub(below).checked_div(Decimal::TWO).unwrap_or(self.unit);
            let middle = below.saturating_add(self.on_grid(half).max(self.unit));
            let point = self.at(middle);
            match point {
                point if !holds(&point) => below = middle,
                Ok(point) => above = point,
                Err(refusal) => return Err(refusal),
            }
        }
        Ok(above)
    }

    /// Where the field falls below what is asked again. It is looked for at growing distances up to
    /// twice the input found: a fall that none of them meets is not told.
    fn fall(&self, found: Point, asked: Decimal) -> Option<String> {
        let mut distance = self.unit;
        let mut high = found;
        while distance <= found.input {
            let next = self.limited(found.input.saturating_add(distance));
            let point = self.at(next).ok()?;
            if point.field < asked {
                return self.told_fall(high, point, asked);
            }
            high = point;
            // A quarter more each time.
            let quarter = distance.checked_div(Decimal::from(4)).unwrap_or_default();
            distance = distance.saturating_add(self.on_grid(quarter).max(self.unit));
        }
        None
    }

    fn told_fall(&self, mut high: Point, mut low: Point, asked: Decimal) -> Option<String> {
        while low.input.saturating_sub(high.input) > self.unit {
            let half = low.input.saturating_sub(high.input).checked_div(Decimal::TWO)?;
            let point = self.at(high.input.saturating_add(self.on_grid(half).max(self.unit))).ok()?;
            if point.field < asked { low = point } else { high = point }
        }
        let again = self.climb(low, asked).ok()?;
        Some(format!(
            "Au-dessus, le résultat retombe : {low} ne donne que {field}, et il faut {again} pour retrouver {asked}.",
            low = number_french(low.input),
            field = number_french(low.field),
            again = number_french(again.input),
            asked = number_french(asked),
        ))
    }

    fn minus_unit(&self, input: Decimal) -> Decimal {
        input.saturating_sub(self.unit)
    }

    /// The multiple of the unit at or below an amount.
    fn on_grid(&self, amount: Decimal) -> Decimal {
        let units = amount.checked_div(self.unit).unwrap_or_default().floor();
        units.checked_mul(self.unit).unwrap_or(amount)
    }

    fn limited(&self, input: Decimal) -> Decimal {
        self.model.max.map_or(input, |max| input.min(max))
    }

    fn refusal(&self, reason: Reason) -> Refusal {
        let parameter = &self.inverse.parameter;
        let max = self.model.max.map(number_french).unwrap_or_default();
        let expected = format!("ce que donne `{}` jusqu'à {max}", self.model.name);
        Refusal::of(BadParameter::because(&parameter.name, reason, None, expected))
    }
}
