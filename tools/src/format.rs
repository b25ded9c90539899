//! Words that several commands say: numbers and sources as programs and rule files hold them, the
//! name that was meant.

use bareme_engine::law::Source;
use bareme_engine::text::{number_french, number_text};
use bareme_engine::{Datum, Lang};
use bareme_show::say;
use rust_decimal::Decimal;
use serde_json::Value;

/// The decimals of a column; 0 if none of its numbers has any.
pub(crate) fn decimals(values: impl Iterator<Item = Decimal>) -> u32 {
    if values.into_iter().all(|value| value.fract().is_zero()) {
        0
    } else {
        2
    }
}

/// Each item once, where it comes first.
pub(crate) fn unique<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut unique = Vec::new();
    for item in items {
        if !unique.contains(&item) {
            unique.push(item);
        }
    }
    unique
}

/// A value of an answer as JSON.
pub(crate) fn json_value(value: Datum) -> Value {
    serde_json::from_str(&value.to_string()).unwrap_or_default()
}

/// A number as JSON, with all its digits.
pub(crate) fn json_number(value: Decimal) -> Value {
    serde_json::from_str(&number_text(value)).unwrap_or_default()
}

/// A number as rule files write it: `1 296 000.50`.
pub(crate) fn rule_number(value: Decimal) -> String {
    let text = number_text(value);
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));

    // Rule files group thousands by spaces, but keep a decimal point: only the whole part is
    // written as in French.
    let whole = number_french(whole.parse().unwrap_or(value));
    if fraction.is_empty() {
        whole
    } else {
        format!("{whole}.{fraction}")
    }
}

/// The end of a sentence about an unknown name: the known one that may have been meant.
pub(crate) fn did_you_mean(near: Option<&str>, lang: Lang) -> Option<String> {
    near.map(|near| {
        say!(
            lang,
            " ; vouliez-vous dire `{near}` ?",
            "; did you mean `{near}`?"
        )
    })
}

/// A source as it is cited: title, articles, publisher, gazette, date, identifier, address.
pub(crate) fn citation(source: &Source) -> String {
    let article = source
        .article
        .as_deref()
        .map(|article| format!(", {article}"))
        .unwrap_or_default();

    let date = source.date.map(|date| date.to_string());
    let reference = [
        Some(&source.publisher),
        source.published.as_ref(),
        date.as_ref(),
        source.identifier.as_ref(),
    ];
    let reference = reference
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");

    // Without an address, the format leaves a blank at the end.
    let url = source.url.as_deref().unwrap_or_default();
    format!("{}{article} ({reference}) {url}", source.title)
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_written_as_a_rule_file_holds_it() {
        assert_eq!(rule_number("-1296000.50".parse().unwrap()), "-1 296 000.5");
    }
}
