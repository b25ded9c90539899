//! The other way round: the smallest gross that gives a net and the greatest that a budget pays, on
//! random households of every folder that declares them.

#![cfg(test)]

mod budgets;
#[path = "../common/mod.rs"]
mod common;
mod nets;

use bareme_engine::law::{FieldValue, Find, Input, InputId, Inverse, Presence, Type, Value};
use bareme_engine::text::number_text;
use bareme_engine::{Folder, Refusal};
use jiff::civil::{Date, date};
use rust_decimal::Decimal;

const TODAY: Date = date(2026, 11, 1);

/// Draws asked of each folder.
const DRAWS: usize = 1_000;

/// A small generator, so that a failing draw is the same on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }

    fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len() as u64) as usize]
    }
}

/// Inverse parameters of each folder.
fn folders(find: Find) -> Vec<(&'static Folder, &'static Inverse)> {
    let inverses = |folder: &'static Folder| {
        let inverses = folder.latest().unwrap().method().inverses().iter();
        inverses
            .filter(move |inverse| inverse.find == find)
            .map(move |inverse| (folder, inverse))
    };
    common::rules().folders().flat_map(inverses).collect()
}

/// Choices, booleans and stepped numbers that a household may be described by, each left out at
/// times.
fn household(folder: &Folder, inverse: &Inverse, dice: &mut Dice) -> Vec<(String, String)> {
    let inputs = folder.latest().unwrap().method().inputs();
    let mut query = Vec::new();

    for (id, input) in InputId::enumerate(inputs) {
        let is_sent = matches!(input.presence, Presence::Required) || dice.below(2) == 0;
        // The option of what is asked for is switched on by asking.
        let option = inverse
            .option
            .map(|option| folder.latest().unwrap().method().options()[option].input);
        if let Some(value) =
            draw(input, dice).filter(|_| id != inverse.input && Some(id) != option && is_sent)
        {
            query.push((input.name.clone(), value));
        }
    }

    query
}

fn draw(input: &Input, dice: &mut Dice) -> Option<String> {
    Some(match input.ty {
        Type::Choice(_) => dice.pick(&input.values).0.clone(),
        Type::Boolean => ["true", "false"][dice.below(2) as usize].to_owned(),
        Type::Number => {
            let (min, max) = (input.min?, input.max?);
            let step = input.step.unwrap_or(Decimal::ONE);
            let steps = u64::try_from(((max - min) / step).trunc().min(Decimal::from(12))).unwrap();
            number_text(min + step * Decimal::from(dice.below(steps + 1)))
        }
        Type::Rate => {
            let (min, max) = (input.min?, input.max?.min(Decimal::ONE));
            let share = Decimal::from(dice.below(11)) / Decimal::TEN;
            input.sent_text(&Value::Number((min + (max - min) * share).round_dp(4)))
        }
        _ => return None,
    })
}

/// A household with the inputs that the search assumes, as the question put the other way sends
/// them.
fn assumed(
    folder: &Folder,
    inverse: &Inverse,
    household: &[(String, String)],
) -> Vec<(String, String)> {
    let inputs = folder.latest().unwrap().method().inputs();
    let left_out = inverse.assumed.iter().filter_map(|assumed| {
        let input = assumed.input.of(inputs).unwrap();
        let is_sent = household.iter().any(|(name, _)| *name == input.name);
        (!is_sent).then(|| (input.name.clone(), input.sent_text(&assumed.value)))
    });
    household.iter().cloned().chain(left_out).collect()
}

/// The field of an answer to a query.
fn ask(
    folder: &Folder,
    query: &[(String, String)],
    field: &str,
) -> Result<(Decimal, Vec<String>), Refusal> {
    let calculation = folder
        .calculate(&query.into(), TODAY)
        .map_err(common::refusal)?;
    let Some(found) = calculation.field(field).and_then(FieldValue::number) else {
        panic!("no {field} in {}", calculation.to_json())
    };

    Ok((
        found,
        calculation
            .warnings()
            .iter()
            .map(|warning| warning.text.fr.clone())
            .collect(),
    ))
}

fn with(query: &[(String, String)], name: &str, value: Decimal) -> Vec<(String, String)> {
    query
        .iter()
        .cloned()
        .chain([(name.to_owned(), number_text(value))])
        .collect()
}

/// An amount of the size of a pay there, from the cases of the folder.
fn pay(folder: &Folder, input: &Input, dice: &mut Dice) -> Decimal {
    let sent = folder.cases().iter().flat_map(|case| &case.query);
    let amounts: Vec<Decimal> = sent
        .filter(|(name, _)| *name == input.name)
        .filter_map(|(_, value)| value.parse().ok())
        .collect();
    let around = Decimal::from(50 + dice.below(100)) / Decimal::ONE_HUNDRED;
    (*dice.pick(&amounts) * around)
        .trunc()
        .clamp(Decimal::ZERO, Decimal::from(100_000_000))
}
