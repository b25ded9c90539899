//! Random values of an input, drawn from what the engine says of it: its type, bounds, step, words.

use bareme_engine::Folder;
use bareme_engine::law::{Input, Type};
use bareme_engine::rust_decimal::Decimal;
use bareme_engine::rust_decimal::prelude::ToPrimitive as _;
use harness::Random;

/// A number that no door reads.
pub(crate) const POWER: &str = "1e3";

/// Greatest number of steps above the least value, where an input has no greatest one.
const STEPS: u64 = 1_000_000_000;

/// A value that the input accepts.
pub(crate) fn accepted(input: &Input, folder: &Folder, random: &mut Random) -> String {
    match input.ty {
        Type::Boolean => random
            .pick(&["true", "true", "false", "1", "oui", "Non"])
            .to_owned(),
        Type::Text => random
            .pick(&["Lyon", "un texte, et; sa \"suite\"", "été"])
            .to_owned(),
        Type::Choice(_) => word(input, random),
        Type::Date => day(random),
        _ if !input.words.is_empty() && random.percent(30) => {
            input.words[random.below(input.words.len())].clone()
        }
        _ => number(input, folder, random),
    }
}

/// A day of about a century, the ends of months and of February among them.
fn day(random: &mut Random) -> String {
    let (year, month) = (1950 + random.below(80), 1 + random.below(12));
    let day = random.pick(&["01", "15", "28"]);
    match random.below(6) {
        0 => "2024-02-29".to_owned(),
        1 => format!("{year}-12-31"),
        _ => format!("{year}-{month:02}-{day}"),
    }
}

/// A word of a choice, at times in another spelling.
fn word(input: &Input, random: &mut Random) -> String {
    let words = input.values.iter().map(|(word, _)| word.clone());
    let aliases = input.aliases.iter().map(|(alias, _)| alias.clone());
    let all: Vec<String> = words.chain(aliases).collect();
    let word = all[random.below(all.len())].clone();
    if random.percent(10) {
        word.to_uppercase()
    } else {
        word
    }
}

/// A number of the unit of the input, within its bounds, as a query sends it: rates in percent.
fn number(input: &Input, folder: &Folder, random: &mut Random) -> String {
    let of_rate = if input.ty == Type::Rate {
        Decimal::ONE_HUNDRED
    } else {
        Decimal::ONE
    };
    let unit = unit(input, random);
    let least = input.min.unwrap_or_default();
    let usual = folder
        .examples()
        .usual(&input.name)
        .map(|(_, high)| high / of_rate * Decimal::TWO);
    let most = match (input.max, usual) {
        (Some(max), Some(usual)) if random.percent(80) => max.min(usual),
        (None, Some(usual)) if random.percent(80) => usual,
        (max, _) => max.unwrap_or(least + Decimal::from(1_000_000)),
    };

    let count = ((most - least) / unit).floor().to_u64().unwrap_or(STEPS);
    let value = least + unit * Decimal::from(up_to(count, random));
    let value = input.max.map_or(value, |max| value.min(max));
    written(value * of_rate)
}

/// The unit of random values: the step of the input, or a power of ten that it can have.
fn unit(input: &Input, random: &mut Random) -> Decimal {
    let decimals = match input.ty {
        _ if input.integer => 0,
        // Of percents: 10^-2 is 1 %.
        Type::Rate => 2 + random.below(5),
        _ => random.below(input.decimals.unwrap_or(2) as usize + 1),
    };
    input
        .step
        .unwrap_or_else(|| Decimal::new(1, u32::try_from(decimals).unwrap()))
}

/// A number up to a limit; as many small ones as great ones, and at times the limits themselves.
fn up_to(limit: u64, random: &mut Random) -> u64 {
    let below =
        |limit: u64, random: &mut Random| random.below(usize::try_from(limit).unwrap()) as u64;
    match random.below(12) {
        0 => 0,
        1 => limit,
        2..=4 => {
            let digits = u32::try_from(random.below(10)).unwrap();
            below(limit.min(10_u64.pow(digits)) + 1, random)
        }
        _ => below(limit.saturating_add(1), random),
    }
}

/// A number as a query sends it. Three decimals are written as four: at doors where people type,
/// `2.650` reads in two ways and is refused.
pub(crate) fn written(value: Decimal) -> String {
    let text = value.normalize().to_string();
    match text.split_once('.') {
        Some((_, decimals)) if decimals.len() == 3 => format!("{text}0"),
        _ => text,
    }
}

/// A value that the input refuses, with what is wrong with it; none of an input that takes any
/// text.
pub(crate) fn refused(input: &Input, random: &mut Random) -> Option<String> {
    let of_rate = if input.ty == Type::Rate {
        Decimal::ONE_HUNDRED
    } else {
        Decimal::ONE
    };
    let sent = |value: Decimal| written(value * of_rate);
    let mut wrong = vec!["abc".to_owned()];
    match input.ty {
        Type::Text => return None,
        Type::Boolean | Type::Choice(_) => wrong.push("peut-etre".to_owned()),
        Type::Date => wrong.extend(["2025-02-29", "2025-2-1", "45000"].map(str::to_owned)),
        _ => {
            wrong.extend([
                "9".repeat(31),
                "0.12345678901234".to_owned(),
                POWER.to_owned(),
            ]);
            wrong.extend(input.min.map(|min| sent(min - Decimal::ONE)));
            wrong.extend(input.max.map(|max| sent(max + Decimal::ONE)));
            if input.integer {
                wrong.push("1.5".to_owned());
            }
            if let (Some(step), Some(min)) = (input.step, input.min) {
                wrong.push(sent(min + step / Decimal::TWO));
            }
        }
    }
    Some(wrong.swap_remove(random.below(wrong.len())))
}
