//! Numbers, counts, dates and options as they are read.

use bareme_engine::{Datum, Lang, Method, MethodOption, Source, Type, number_french, number_text};
use rust_decimal::Decimal;
use serde_json::Value;

use crate::session::say;

/// A number with its thousands apart: `1 296 000,50`, or `1,296,000.50` in English.
pub(crate) fn number(value: Decimal, lang: Lang) -> String {
    let french = number_french(value);
    match lang {
        Lang::Fr => french,
        Lang::En => french.replace(',', ".").replace(' ', ","),
    }
}

/// A number with as many decimals as the others of its column.
pub(crate) fn aligned(value: Decimal, decimals: u32, lang: Lang) -> String {
    let mut shown = number(value.round_dp(decimals), lang);
    if decimals == 0 {
        return shown;
    }
    let comma = if lang == Lang::Fr { ',' } else { '.' };
    let written = shown.rsplit_once(comma).map_or(0, |(_, fraction)| fraction.len());
    if written == 0 {
        shown.push(comma);
    }
    let missing = usize::try_from(decimals).unwrap_or(0).saturating_sub(written);
    shown + &"0".repeat(missing)
}

/// The decimals of a column: none if none of its numbers has any.
pub(crate) fn decimals(values: impl Iterator<Item = Decimal>) -> u32 {
    if values.into_iter().all(|value| value.fract().is_zero()) { 0 } else { 2 }
}

/// A rate in percent: `6,3 %`.
pub(crate) fn percent(rate: Decimal, lang: Lang) -> String {
    let shown = number(rate.checked_mul(Decimal::ONE_HUNDRED).unwrap_or(rate), lang);
    match lang {
        Lang::Fr => format!("{shown} %"),
        Lang::En => format!("{shown}%"),
    }
}

/// A value of an answer, by the type it has in the rules.
pub(crate) fn value(value: Datum, ty: Type, lang: Lang) -> String {
    match value {
        Datum::Number(number) if ty == Type::Rate => percent(number, lang),
        Datum::Number(found) => number(found, lang),
        Datum::Boolean(true) => if lang == Lang::Fr { "oui" } else { "yes" }.to_owned(),
        Datum::Boolean(false) => if lang == Lang::Fr { "non" } else { "no" }.to_owned(),
        Datum::Text(text) => text.to_owned(),
        _ => String::new(),
    }
}

/// A value of an answer for programs.
pub(crate) fn plain(value: Datum) -> Value {
    serde_json::from_str(&value.to_string()).unwrap_or_default()
}

/// A number for programs, with all its digits.
pub(crate) fn exact(value: Decimal) -> Value {
    serde_json::from_str(&number_text(value)).unwrap_or_default()
}

/// The number that a rule file would hold: `1 296 000.50`.
pub(crate) fn written(value: Decimal) -> String {
    let text = number_text(value);
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let whole = number_french(whole.parse().unwrap_or(value));
    if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") }
}

/// A count with its word: `3 erreurs`.
pub(crate) fn count(count: usize, (one, many): (&str, &str), lang: Lang) -> String {
    // In French zero is singular.
    let is_many = if lang == Lang::Fr { count > 1 } else { count != 1 };
    format!("{} {}", number(Decimal::from(count), lang), if is_many { many } else { one })
}

/// A source as it is cited: title, articles, publisher, gazette, date, identifier, address.
pub(crate) fn cited(source: &Source) -> String {
    let article = source.article.as_deref().map(|article| format!(", {article}")).unwrap_or_default();
    let date = source.date.map(|date| date.to_string());
    let known = [Some(&source.publisher), source.published.as_ref(), date.as_ref(), source.identifier.as_ref()];
    let known = known.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(", ");
    let url = source.url.as_deref().unwrap_or_default();
    format!("{}{article} ({known}) {url}", source.title).trim_end().to_owned()
}

/// What an option is, and the input that switches it on.
pub(crate) fn option_title(method: &Method, option: &MethodOption, lang: Lang) -> String {
    let (name, input) = (&option.name, option.input.of(method.inputs()));
    let label = input.map(|input| input.label.as_str()).unwrap_or_default();
    say!(lang, "{label} (avec `{name}=true`)", "{label} (with `{name}=true`)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_language() {
        let value: Decimal = "-1296000.50".parse().unwrap();
        assert_eq!(number(value, Lang::Fr), "-1 296 000,5");
        assert_eq!(number(value, Lang::En), "-1,296,000.5");
        assert_eq!(aligned(value, 2, Lang::Fr), "-1 296 000,50");
        assert_eq!(aligned(Decimal::from(7), 2, Lang::En), "7.00");
        assert_eq!(written(value), "-1 296 000.5");
        assert_eq!(percent("0.063".parse().unwrap(), Lang::Fr), "6,3 %");
        assert_eq!(count(0, ("erreur", "erreurs"), Lang::Fr), "0 erreur");
        assert_eq!(count(0, ("error", "errors"), Lang::En), "0 errors");
        assert_eq!(count(1200, ("cas", "cas"), Lang::Fr), "1 200 cas");
    }
}
