//! The other way round: the smallest gross that gives a net, on random households of every folder that
//! declares it.

#![cfg(test)]

mod common;

use bareme_engine::{Folder, Input, Inverse, Json, Presence, Refusal, Type, Value, number_text};
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

fn folders() -> Vec<(&'static Folder, &'static Inverse)> {
    let inverse = |folder: &'static Folder| Some((folder, folder.latest()?.method().inverse()?));
    common::rules().folders().filter_map(inverse).collect()
}

/// Choices, booleans and stepped numbers that a household may be described by, each left out at times.
fn household(folder: &Folder, inverse: &Inverse, dice: &mut Dice) -> Vec<(String, String)> {
    let inputs = folder.latest().unwrap().method().inputs();
    let mut query = Vec::new();
    for (rank, input) in inputs.iter().enumerate() {
        let is_sent = matches!(input.presence, Presence::Required) || dice.below(2) == 0;
        if let Some(value) = draw(input, dice).filter(|_| rank != inverse.input && is_sent) {
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

/// The field of an answer to a query.
fn ask(folder: &Folder, query: &[(String, String)], field: &str) -> Result<(Decimal, Vec<String>), Refusal> {
    folder.answer_with(query, Default::default(), TODAY, |answer| {
        let Some(Json::Number(found)) = answer.get(field) else { panic!("no {field} in {answer}") };
        let warnings = answer.get("avertissements").map(Json::items).unwrap_or_default();
        (*found, warnings.iter().map(Json::to_string).collect())
    })
}

fn with(query: &[(String, String)], name: &str, value: Decimal) -> Vec<(String, String)> {
    query.iter().cloned().chain([(name.to_owned(), number_text(value))]).collect()
}

fn unit(input: &Input) -> Decimal {
    input.round.unwrap_or_else(|| Decimal::new(1, input.decimals.unwrap_or(2)))
}

/// An amount of the size of a pay there, from the cases of the folder.
fn pay(folder: &Folder, input: &Input, dice: &mut Dice) -> Decimal {
    let sent = folder.cases().iter().flat_map(|case| &case.query);
    let amounts: Vec<Decimal> =
        sent.filter(|(name, _)| *name == input.name).filter_map(|(_, value)| value.parse().ok()).collect();
    let around = Decimal::from(50 + dice.below(100)) / Decimal::ONE_HUNDRED;
    (*dice.pick(&amounts) * around).trunc().clamp(Decimal::ZERO, Decimal::from(100_000_000))
}

#[test]
fn the_gross_found_gives_the_net_asked_and_one_unit_less_does_not() {
    for (folder, inverse) in folders() {
        let method = folder.latest().unwrap().method();
        let (input, field) = (&method.inputs()[inverse.input], &method.fields()[inverse.field].name);
        let mut dice = Dice(0x5eed ^ folder.path().len() as u64);
        let mut answered = 0;
        while answered < DRAWS {
            let household = household(folder, inverse, &mut dice);
            let asked = pay(folder, input, &mut dice);
            let query = with(&household, &inverse.parameter.name, asked);
            let Ok(found) = folder.answer_with(&query, Default::default(), TODAY, |answer| {
                let echoed = ["brut_mensuel", "brut"].iter().find_map(|name| answer.get(name));
                let Some(Json::Number(gross)) = echoed else { panic!("no gross in {answer}") };
                *gross
            }) else {
                // Options that do not go together are refused, whichever way the question is put.
                continue;
            };
            answered += 1;
            let told = format!("{}: {query:?} gave {found}", folder.path());
            let reached = ask(folder, &with(&household, &input.name, found), field).unwrap().0;
            assert!(reached >= asked, "{told}, which gives {reached}");
            let least = input.min.unwrap_or_default();
            if found > least {
                let before = ask(folder, &with(&household, &input.name, found - unit(input)), field);
                assert!(
                    before.is_err() || before.as_ref().unwrap().0 < asked,
                    "{told}, one unit less gives {before:?}"
                );
                // Nor does any other below, near or far.
                let units = u64::try_from(((found - least) / unit(input)).trunc()).unwrap();
                for _ in 0..3 {
                    let reach = dice.below(1 + u64::from(units.ilog2()));
                    let below = found - unit(input) * Decimal::from(1 + dice.below(units >> reach));
                    let lower = ask(folder, &with(&household, &input.name, below), field);
                    assert!(lower.is_err() || lower.as_ref().unwrap().0 < asked, "{told}, {below} gives {lower:?}");
                }
            }
        }
    }
}

/// What makes the gross found the smallest of all.
#[test]
fn a_net_never_rises_more_than_twice_as_fast_as_its_gross() {
    for (folder, inverse) in folders() {
        let method = folder.latest().unwrap().method();
        let (input, field) = (&method.inputs()[inverse.input], &method.fields()[inverse.field].name);
        let mut dice = Dice(0xfa11 ^ folder.path().len() as u64);
        for _ in 0..DRAWS {
            let household = household(folder, inverse, &mut dice);
            let gross = pay(folder, input, &mut dice);
            let size = 10u64.pow(1 + dice.below(6) as u32);
            let rise = unit(input) * Decimal::from(1 + dice.below(size));
            let net = |gross| ask(folder, &with(&household, &input.name, gross), field);
            if let (Ok((below, _)), Ok((above, _))) = (net(gross), net(gross + rise)) {
                // But for roundings, fifty of the smallest amounts shown at most.
                let lump = Decimal::new(50, method.decimals);
                assert!(
                    above - below <= rise * Decimal::TWO + lump,
                    "{}: {household:?}, {gross} then {rise} more",
                    folder.path()
                );
            }
        }
    }
}

/// A contribution that reaches its yearly maximum gives back at once what the pays before it were rounded up by.
#[test]
fn roundings_that_come_back_at_once_are_not_jumped_over() {
    let folder = common::rules().folder("salaire-net/qc").unwrap();
    let query = |name: &str, value: &str| with(&[("mois".to_owned(), "6".to_owned())], name, value.parse().unwrap());
    let net = |gross: &str| ask(folder, &query("brut", gross), "net_mensuel").unwrap().0.to_string();
    assert_eq!(["13587.78", "13587.79", "13587.80"].map(net), ["8714.99", "8715.00", "8714.99"]);
    let found = ask(folder, &query("net", "8715"), "brut_mensuel").unwrap().0;
    assert_eq!(found.to_string(), "13587.79");
}

#[test]
fn a_net_is_asked_instead_of_a_gross_and_never_beside_it() {
    let folder = common::rules().folder("salaire").unwrap();
    let refuse = |query: &[(&str, &str)]| {
        let query: Vec<_> = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let refusal = folder.answer(&query, Default::default(), TODAY).unwrap_err();
        refusal.parameters.into_iter().map(|bad| (bad.name, bad.code.as_str(), bad.expected)).collect::<Vec<_>>()
    };
    let both = refuse(&[("brut", "3000"), ("net", "2000")]);
    assert_eq!((both[0].0.as_str(), both[0].1, both.len()), ("net", "incompatible", 1));
    let none = refuse(&[]);
    assert_eq!((none[0].0.as_str(), none[0].1), ("brut", "manquant"));
    assert!(none[0].2.ends_with(", ou bien `net`"), "{none:?}");
    let bad = refuse(&[("net", "12,5")]);
    assert_eq!((bad[0].0.as_str(), bad[0].1, bad.len()), ("net", "format", 1));
    // The greatest gross that is accepted does not give it.
    let high = refuse(&[("net", "99999999")]);
    assert_eq!((high[0].0.as_str(), high[0].1), ("net", "hors_bornes"));
}

#[test]
fn a_net_that_no_gross_gives_exactly_and_one_that_is_lost_again_are_told() {
    let folder = common::rules().folder("salaire-net/sn").unwrap();
    let warnings = |net: &str| {
        let query = [("net".to_owned(), net.to_owned()), ("date".to_owned(), "2026-03-31".to_owned())];
        ask(folder, &query, "net_mensuel").unwrap().1.join(" ")
    };
    // The flat tax leaps by 1 500 francs at one million, so what a gross just below gives is lost there.
    let net_below = {
        let query = [("brut".to_owned(), "999999.99".to_owned()), ("date".to_owned(), "2026-03-31".to_owned())];
        number_text(ask(folder, &query, "net_mensuel").unwrap().0)
    };
    assert!(warnings(&net_below).contains("retombe"), "{}", warnings(&net_below));
    assert_eq!(warnings("300000.5"), "");
}
