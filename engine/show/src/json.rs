//! Values of answers and of figures as JSON values, to be put into other JSON objects.

use bareme_engine::Datum;
use rust_decimal::Decimal;
use serde_json::{Number, Value};

/// Decimals of a number with more digits than JSON readers keep: as many as in answers.
const DECIMALS: u32 = 10;

/// An exact decimal as a JSON number, with the digits of the rule file. A fraction without a finite
/// expansion, `137/51`, is rounded as in answers.
pub fn number(value: Decimal) -> Value {
    let read = |value: Decimal| {
        // The number is kept only if `serde_json` writes back the same one: below a hundred
        // thousandth it writes `9e-6`.
        let mut text = String::new();
        bareme_engine::text::write_number(value, &mut text);
        let number = text.parse::<Number>().ok()?;
        let written = number.to_string();
        let is_same = written == text || Decimal::from_scientific(&written) == Ok(value);
        is_same.then_some(Value::Number(number))
    };

    read(value)
        .or_else(|| read(value.round_dp(DECIMALS)))
        .unwrap_or_else(|| value.to_string().into())
}

/// A value of an answer as a JSON value, as the API writes it.
pub fn value(value: Datum) -> Value {
    match value {
        Datum::Null => Value::Null,
        Datum::Boolean(found) => found.into(),
        Datum::Number(found) => number(found),
        Datum::Text(text) => text.into(),
        Datum::Shown(shown) => shown.to_string().into(),
        // Lists and objects are read through, member by member, in the order of an answer.
        Datum::List(_) => value.items().map(self::value).collect(),
        Datum::Object(_) => value
            .members()
            .into_iter()
            .map(|(name, member)| (name.to_owned(), self::value(member)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_the_digits_of_the_rule_files() {
        for (text, written) in [
            ("1807", "1807"),
            ("0.4525", "0.4525"),
            ("1000000000000.25", "1000000000000.25"),
            ("-0.50", "-0.5"),
            ("0.000009", "9e-6"),
        ] {
            assert_eq!(number(text.parse().unwrap()).to_string(), written);
        }
        assert_eq!(
            number(Decimal::from(137) / Decimal::from(51)).to_string(),
            "2.6862745098"
        );
    }
}
