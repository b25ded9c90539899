//! `net=` and `cout=` against every amount there is.

use bareme_engine::Query;
use bareme_engine::authoring::Node;
use rust_decimal::Decimal;

use crate::cases::{Case, Scale};
use crate::compare::written;
use crate::evaluator::{Axis, Block, Field, ROWS};
use crate::law::{entries, literal, text};
use crate::outcome::Outcome;
use crate::world::Cases;

/// Most amounts of a case whose inverses are checked.
const MOST: i64 = 4_000_000;

/// A search that a caller may ask for.
struct Search<'l> {
    parameter: &'l str,
    /// The smallest amount whose field is at least what is asked, else the greatest whose field is
    /// at most it.
    smallest: bool,
    field: &'l str,
    /// What is found is a multiple of so many units of the axis.
    step: i64,
}

impl Cases<'_> {
    /// Asks for some results of the case at a position, and looks for the amounts that give them
    /// among all amounts.
    pub fn inverses(&self, position: usize, targets: usize) -> Outcome {
        let mut outcome = Outcome::default();
        let (scale, case) = &self.cases[position % self.cases.len()];
        let (scale, _) = &self.scales[*scale];
        let Some(axis) = case.axis.as_ref().filter(|_| case.points() <= MOST) else {
            return outcome;
        };
        for search in searches(scale, axis) {
            if let Some(field) = case.compiled.field(search.field) {
                self.search(scale, case, axis, &search, field, targets, &mut outcome);
            }
        }
        outcome
    }

    #[expect(clippy::too_many_arguments, reason = "a search is all of these")]
    fn search(
        &self,
        scale: &Scale,
        case: &Case,
        axis: &Axis,
        search: &Search,
        field: &Field,
        targets: usize,
        outcome: &mut Outcome,
    ) {
        let numbers = numbers(case, axis, field, search.step);
        let (Some(least), Some(most)) = (numbers.first(), numbers.last()) else {
            return;
        };

        for index in 0..targets {
            // What some amounts give, and a unit more.
            let (_, given) = numbers[numbers.len() * (2 * index + 1) / (2 * targets)];
            let target = given + (index % 2) as i128;
            let found = if search.smallest {
                numbers.iter().find(|(_, number)| *number >= target)
            } else {
                numbers.iter().rfind(|(_, number)| *number <= target)
            };
            if target < least.1 || target >= most.1 {
                continue;
            }
            let Some((amount, _)) = found else { continue };
            let asked = Decimal::from_i128_with_scale(target, field.decimals())
                .normalize()
                .to_string();
            let sent = case.combination.sent.iter().cloned();
            let date = scale
                .law
                .first_day
                .iter()
                .map(|date| ("date".to_owned(), date.clone()));
            let query: Vec<(String, String)> = sent
                .chain([(search.parameter.to_owned(), asked.clone())])
                .chain(date)
                .collect();
            outcome.points += 1;
            let shown = entries(&scale.law.method, "answer")
                .iter()
                .find(|(_, node)| {
                    let formula = node
                        .text()
                        .map(|text| text.value.as_str())
                        .or(text(node, "value"));
                    formula == Some(&axis.input)
                });
            let Some((shown, _)) = shown else { continue };
            let answer = self.folder.calculate(&Query::from(&query), scale.when.day);
            let engine = answer
                .as_ref()
                .ok()
                .and_then(|answer| answer.field(&shown.value))
                .map(|value| value.datum().to_string());
            let own: Decimal = written(*amount, axis.decimals).parse().unwrap();
            if engine.as_ref().and_then(|engine| engine.parse().ok()) != Some(own) {
                outcome.exception(format!(
                    "{} of {}, {}={asked} {:?}: the search finds {engine:?}, every amount tried gives {own}",
                    self.path,
                    scale.name(),
                    search.parameter,
                    case.combination.sent
                ));
            }
        }
    }
}

/// The amounts that are multiples of a step, each with what a field is there.
fn numbers(case: &Case, axis: &Axis, field: &Field, step: i64) -> Vec<(i64, i128)> {
    let mut block = Block::default();
    let mut numbers = Vec::new();
    let amounts: Vec<i64> = (axis.first..=axis.last)
        .filter(|amount| amount % step == 0)
        .collect();
    for part in amounts.chunks(ROWS) {
        let spans: Vec<(i64, usize)> = part.iter().map(|amount| (*amount, 1)).collect();
        case.compiled.run(&mut block, &spans);
        for (row, amount) in part.iter().enumerate() {
            if !case.compiled.is_refused(&block, row) {
                numbers.extend(field.number(&block, row).map(|number| (*amount, number)));
            }
        }
    }

    numbers
}

fn searches<'l>(scale: &'l Scale, axis: &Axis) -> Vec<Search<'l>> {
    let parts = scale.law.parts().into_iter().map(|(_, part)| part);
    let inverses = parts.flat_map(|part| part.get("inverse").map(Node::items).unwrap_or_default());
    let own = inverses.filter(|node| text(node, "input") == Some(&axis.input));
    let found = own.filter_map(|node| {
        let unit = text(node, "unit").map(|unit| literal(unit).unwrap());
        let input = scale.law.input(&axis.input)?;
        let own: u32 = match text(input, "round") {
            Some(unit) => unit
                .split_once('.')
                .map_or(0, |(_, decimals)| decimals.len() as u32),
            None => {
                let decimals = text(input, "decimals").or(text(&scale.law.method, "decimals"));
                decimals.map_or(2, |decimals| decimals.parse().unwrap())
            }
        };
        let step = match unit {
            Some(unit) => (unit * crate::law::power_of_ten(axis.decimals as usize))
                .to_integer()
                .try_into()
                .ok()?,
            // The engine looks between the amounts that are enumerated.
            None if own != axis.decimals => return None,
            None => 1,
        };
        Some(Search {
            parameter: text(node, "parameter")?,
            smallest: text(node, "find") == Some("smallest"),
            field: text(node, "field")?,
            step,
        })
    });
    found.collect()
}
