//! The values of a question: as people write them, as the API reads them, and in words.

use bareme_engine::Lang;
use bareme_engine::law::{Expr, Input, Method, Presence, Type, Value};
use bareme_engine::text::{BadParameter, ParameterCode, Text, number_text};
use bareme_show::Locale;
use jiff::civil::Date;
use rust_decimal::Decimal;

use super::amounts::Money;
use super::months;
use crate::text::say;
use crate::typed::{self, Kind, Typed};

/// A parameter as it is sent; a number that reads in two ways is sent as it was typed, and is bad.
pub(super) fn given(
    method: &Method,
    input: &Input,
    value: &str,
    bad: &mut Vec<BadParameter>,
) -> (String, String) {
    let mut one = |value: &str| {
        plain(method, input, value).unwrap_or_else(|refused| {
            bad.push(refused);
            value.trim().to_owned()
        })
    };

    // Each item of a group has its own number.
    let read = match input.group {
        Some(_) => value.split(';').map(one).collect::<Vec<_>>().join(";"),
        None => one(value),
    };
    (input.name.clone(), read)
}

/// A value as the API reads it: people write `1 234,50 €`, the API reads `1234.50`.
///
/// # Errors
/// A number that reads in two ways.
pub(super) fn plain(method: &Method, input: &Input, value: &str) -> Result<String, BadParameter> {
    // A number of months is often one of years.
    if let Some(months) = months::read(value).filter(|_| input.is_months) {
        return Ok(months);
    }

    // How a number may be written depends on what it is of.
    let kind = match input.ty {
        Type::Money(_) => Kind::amount(method.currency.as_deref(), method.decimals, input.max),
        Type::Rate => Kind::percentage(),
        Type::Number => Kind::count(input.integer, input.max),
        // The word of the method, however it was written, so that its label is found.
        Type::Choice(_) | Type::Boolean => {
            let parsed = input.parse(value);
            let word =
                parsed.map_or_else(|_| value.trim().to_owned(), |value| input.sent_text(&value));
            return Ok(word);
        }
        _ => return Ok(value.trim().to_owned()),
    };

    // In English a comma separates thousands.
    let without = (method.lang == Lang::En).then(|| without_commas(value));
    let value = without.as_deref().unwrap_or(value);

    // What is no number goes to the engine, which says what it expects.
    match typed::read(value, kind) {
        Typed::Number(number) => Ok(number),
        Typed::Other => Ok(value.trim().to_owned()),
        Typed::Ambiguous(ambiguity) => {
            let (reason, expected) = (ambiguity.question(), Text::same(""));
            Err(BadParameter::new(
                &input.name,
                ParameterCode::Format,
                reason,
                Some(value.trim()),
                expected,
            ))
        }
    }
}

/// A number without the commas that separate its thousands: `2650.50` of `2,650.50`. Any other
/// comma stays, and is refused or asked about: `0,500` is half of one, as the French write it.
pub(crate) fn without_commas(written: &str) -> String {
    let mut groups = written.split(',');
    let first = groups.next().unwrap_or_default();
    let digits = first.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    let may_lead = digits.bytes().all(|byte| byte.is_ascii_digit())
        && (1..=3).contains(&digits.len())
        && !digits.starts_with('0');

    let mut number = first.to_owned();
    for group in groups {
        let digits = group.chars().take_while(char::is_ascii_digit).count();
        if digits != 3 || !may_lead {
            return written.to_owned();
        }
        number.push_str(group);
    }
    number
}

/// A number as the API reads it: the parser of decimals would also make 2 650 of `2_650`, and 1 000 of
/// `1e3`, which are refused and stay as they were typed.
pub(super) fn plain_number(value: &str) -> Option<Decimal> {
    let is_plain = value
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-'));
    value.parse().ok().filter(|_| is_plain)
}

/// A sent value in words; those of the items of a group, one after the other.
pub(super) fn in_words(method: &Method, input: &Input, value: &str) -> String {
    if input.group.is_none() {
        return one_in_words(method, input, value);
    }
    let values = value.split(';');
    let words: Vec<String> = values
        .map(|value| one_in_words(method, input, value.trim()))
        .collect();
    words.join(match method.lang {
        Lang::Fr => " ; ",
        Lang::En => "; ",
    })
}

fn one_in_words(method: &Method, input: &Input, value: &str) -> String {
    let number = || {
        value
            .parse()
            .ok()
            .map(|found: Decimal| Money::new(method).short(found))
    };
    let word = || {
        input
            .values
            .iter()
            .find(|(word, _)| word == value)
            .map(|(_, label)| label.clone())
    };

    // A value that has no words is shown as it was sent.
    let of_type = match input.ty {
        Type::Money(_) => number(),
        Type::Number => value
            .parse()
            .ok()
            .map(|found| Locale::page(method.lang).number(found)),
        Type::Choice(_) => word(),
        Type::Boolean => Some(yes_or_no(value == "true", method.lang).to_owned()),
        Type::Rate if value.parse::<Decimal>().is_ok() => Some(match method.lang {
            Lang::Fr => format!("{} %", value.replace('.', ",")),
            Lang::En => format!("{value}%"),
        }),
        Type::Date => Some(short_day(value)),
        _ => None,
    };

    of_type.unwrap_or_else(|| decimal(value, method.lang))
}

/// A number as it was sent, with the decimal mark of a language.
pub(crate) fn decimal(value: &str, lang: Lang) -> String {
    match lang {
        Lang::Fr => value.replace('.', ","),
        Lang::En => value.to_owned(),
    }
}

/// The answer to a question of yes or no.
pub(super) fn yes_or_no(is_yes: bool, lang: Lang) -> &'static str {
    if is_yes {
        say(lang, "oui", "yes")
    } else {
        say(lang, "non", "no")
    }
}

/// A day in figures, the day of the month first in both languages.
pub(super) fn short_day(day: &str) -> String {
    day.parse().map_or_else(
        |_| day.to_owned(),
        |day: Date| day.strftime("%d/%m/%Y").to_string(),
    )
}

/// Whether a value is the default, which needs no saying.
pub(super) fn is_default(input: &Input, value: &str) -> bool {
    // Without a value for each item, there would be no items.
    input.group.is_none() && default_text(input).as_deref() == Some(value)
}

/// The default of an input as a query sends it; `None` where it depends on other inputs.
pub(super) fn default_text(input: &Input) -> Option<String> {
    let Presence::Default(expr, _) = &input.presence else {
        return None;
    };

    // A formula over other inputs has no text: its value depends on them.
    match expr {
        Expr::Number(value) if input.ty == Type::Rate => {
            Some(input.sent_text(&Value::Number(*value)))
        }
        Expr::Number(value) => Some(number_text(*value)),
        Expr::Boolean(value) => Some(value.to_string()),
        Expr::Word(index) => input
            .values
            .get(usize::from(*index))
            .map(|(word, _)| word.clone()),
        _ => None,
    }
}
