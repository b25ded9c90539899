//! How what a caller sends is read.

use bareme_engine::authoring::Node;
use num_bigint::BigInt;
use num_traits::Zero;

use crate::calendar;
use crate::law::{Rat, Value, entries, literal, plain, round, text};

/// A refused parameter: its name, the code of what is wrong with it.
pub(crate) type Refused = (String, &'static str);

/// Trimmed, lower case, without accents, runs of other characters as `_`.
fn spelled(text: &str) -> String {
    let plain = |letter: char| match letter {
        'é' | 'è' | 'ê' => 'e',
        'à' | 'â' => 'a',
        'ô' => 'o',
        'ç' => 'c',
        letter if letter.is_ascii_alphanumeric() => letter,
        _ => '_',
    };

    let letters: String = text.trim().to_lowercase().chars().map(plain).collect();
    let mut word = String::new();

    for letter in letters.chars() {
        if letter != '_' || !word.ends_with('_') {
            word.push(letter);
        }
    }

    word
}

/// A default that is a literal of the input's type rather than a formula.
pub(crate) fn presence_default(input: &Node, default: &str) -> Option<Value> {
    let ty = text(input, "type")?;
    let is_number = matches!(ty, "money" | "rate" | "number" | "integer");
    literal(default)
        .filter(|_| is_number)
        .map(|value| Value::Number(value, ty == "money"))
}

/// The words of a choice or of a rate.
pub(crate) fn words(input: &Node, key: &str) -> Vec<String> {
    let list = |text: &str| text.split(';').map(|word| word.trim().to_owned()).collect();
    text(input, key).map_or_else(
        || {
            entries(input, key)
                .iter()
                .map(|(word, _)| word.value.clone())
                .collect()
        },
        list,
    )
}

/// The value of what is sent.
pub(crate) fn read(
    name: &str,
    input: &Node,
    sent: Option<&str>,
    method: &Node,
) -> Result<Value, &'static str> {
    let Some(sent) = sent else {
        return if text(input, "required") == Some("true") {
            Err("manquant")
        } else {
            Ok(Value::Nothing)
        };
    };

    match text(input, "type").unwrap_or_else(|| panic!("{name} has no type")) {
        "boolean" => match spelled(sent).as_str() {
            "true" | "1" | "oui" => Ok(Value::Boolean(true)),
            "false" | "0" | "non" => Ok(Value::Boolean(false)),
            _ => Err("format"),
        },
        "choice" => {
            let word = spelled(sent);
            let alias = entries(input, "aliases")
                .iter()
                .find(|(alias, _)| spelled(&alias.value) == word);
            let alias = alias.and_then(|(_, target)| Some(target.text()?.value.clone()));
            let own = words(input, "values")
                .into_iter()
                .find(|known| *known == word);
            own.or(alias).map(Value::Word).ok_or("valeur_inconnue")
        }
        "text" => Ok(Value::Text(sent.to_owned())),
        "date" => calendar::read(sent)
            .map(|day| Value::Number(day, false))
            .ok_or("format"),
        _ if words(input, "words").contains(&spelled(sent)) => Ok(Value::Word(spelled(sent))),
        ty => read_number(ty, input, sent, method).map(|value| Value::Number(value, ty == "money")),
    }
}

fn read_number(ty: &str, input: &Node, sent: &str, method: &Node) -> Result<Rat, &'static str> {
    let mut value = plain(sent).ok_or("format")?;
    let limit = |key: &str| text(input, key).map(|text| literal(text).unwrap());
    if ty == "rate" {
        value /= BigInt::from(100);
    }

    if ty == "integer" && !value.is_integer() {
        return Err("format");
    }

    if limit("round").is_none() && ty == "money" {
        let most = text(input, "decimals")
            .or(text(method, "decimals"))
            .unwrap_or("2")
            .parse()
            .unwrap();
        if !(&value * crate::law::power_of_ten(most)).is_integer() {
            return Err("trop_de_chiffres");
        }
    }
    within(input, value, true)
}

/// A number that a step of another folder gives: no amount is too great.
pub(crate) fn admitted(input: &Node, value: Rat) -> Result<Rat, &'static str> {
    within(input, value, text(input, "type") != Some("money"))
}

/// A number within the bounds of an input, rounded on entry.
fn within(input: &Node, mut value: Rat, is_limited: bool) -> Result<Rat, &'static str> {
    let ty = text(input, "type").unwrap();
    let limit = |key: &str| text(input, key).map(|text| literal(text).unwrap());
    if ty == "integer" && !value.is_integer() {
        return Err("format");
    }

    let greatest = || (ty == "money").then(|| Rat::from(BigInt::from(1_000_000_000_000_i64)));
    let min = limit("min");
    let is_out = |value: &Rat| {
        let is_high = limit("max")
            .or_else(greatest)
            .is_some_and(|max| *value > max);
        min.as_ref().is_some_and(|min| value < min) || (is_limited && is_high)
    };
    // Bounds hold for what is sent, and for what is computed with.
    let mut is_refused = is_out(&value);
    if let Some(unit) = limit("round") {
        value = round(&value, &unit, "half_up");
        is_refused |= is_out(&value);
    }

    let from = min.clone().unwrap_or_else(Rat::zero);
    let is_between = limit("step").is_some_and(|step| !((&value - from) / step).is_integer());
    if is_refused || is_between {
        Err("hors_bornes")
    } else {
        Ok(value)
    }
}
