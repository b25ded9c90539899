//! Words and numbers as a page prints them.

use bareme_engine::Lang;
use bareme_engine::law::Scale;
use bareme_engine::text::{Text, french_date, french_month};
use bareme_show::Locale;
use jiff::civil::Date;
use maud::{Markup, PreEscaped, html};
use rust_decimal::Decimal;

/// A text of a page in its language; one that lacks a language does not compile.
pub(super) fn say(lang: Lang, fr: &'static str, en: &'static str) -> &'static str {
    Text::new(fr, en).in_lang(lang)
}

/// French prose from data, formatted for a page: curved apostrophes, and no-break spaces before
/// punctuation marks and between a number and its unit. Words in backquotes are shown as code.
pub(super) fn prose(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 0 { (printed(part)) } @else { code { (part) } }
        }
    }
}

/// A sentence with its full stop: authors write a short note with or without.
pub(super) fn ended(mut text: String) -> String {
    if text.ends_with(|last: char| last.is_alphanumeric() || matches!(last, ')' | '»' | '%' | '€'))
    {
        text.push('.');
    }
    text
}

/// The same formatting as plain text, for a title or an attribute.
pub(super) fn printed(text: &str) -> String {
    let mut printed = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut before = ' ';
    while let Some(character) = characters.next() {
        // The characters around a space decide which space it is. Narrow before high signs,
        // wide before a colon and around quotes: the usage of French printers.
        let next = characters.peek().copied().unwrap_or(' ');
        printed.push(match character {
            '\'' => '’',
            ' ' if matches!(next, ';' | '!' | '?' | '%') => '\u{202f}',
            ' ' if matches!(next, ':' | '»') || before == '«' => '\u{a0}',
            ' ' if before.is_ascii_digit() && matches!(next, '€' | '$') => '\u{a0}',
            ' ' if before.is_ascii_digit() && next.is_alphanumeric() => '\u{a0}',
            ' ' if next.is_ascii_digit() && is_before_number(&printed) => '\u{a0}',
            ' ' if next.is_ascii_uppercase() && last_word(&printed) == "art." => '\u{a0}',
            other => other,
        });

        before = character;
    }
    printed
}

/// Abbreviations that are kept on one line with the number after them.
const BEFORE_NUMBERS: [&str; 10] = ["art.", "n°", "nº", "al.", "p.", "§", "L.", "R.", "D.", "A."];

/// Whether a text ends with an abbreviation to be followed by a number: `art. 4`, `n° 5`.
fn is_before_number(text: &str) -> bool {
    BEFORE_NUMBERS.contains(&last_word(text))
}

/// What follows the last space or parenthesis of a text, or an apostrophe: `art.` of `l’art.`.
fn last_word(text: &str) -> &str {
    let ends = [' ', '\u{a0}', '(', '’'];
    text.rsplit(ends).next().unwrap_or_default()
}

/// A number with its thousands separated: `1 296 000,5`.
pub(super) fn number(value: Decimal) -> String {
    Locale::PAGE.number(value)
}

/// A day as it is written: `1er janvier 2026`.
pub(super) fn day(date: Date) -> Markup {
    html! {
        time datetime=(date) {
            @if date.day() == 1 { "1" sup { "er" } } @else { (date.day()) }
            "\u{a0}" (french_month(date)) "\u{a0}" (date.year())
        }
    }
}

/// A day as a language writes it.
pub(super) fn day_in(date: Date, lang: Lang) -> Markup {
    match lang {
        Lang::Fr => day(date),
        Lang::En => html! { time datetime=(date) { (Locale::page(lang).day(date)) } },
    }
}

/// A sentence of the API with its days in words: `à partir du 1er janvier 2023` for `2023-01-01`.
pub(super) fn days_in_words(text: &str, lang: Lang) -> String {
    const LENGTH: usize = "2023-01-01".len();
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        let number = from.find(|letter: char| !letter.is_ascii_digit() && letter != '-');
        let (number, after) = from.split_at(number.unwrap_or(from.len()));
        written.push_str(before);
        match (number.len() == LENGTH).then(|| number.parse()) {
            Some(Ok(date)) => written.push_str(&Locale::page(lang).day(date)),
            _ => written.push_str(number),
        }
        rest = after;
    }
    written + rest
}

/// The edition that a page applies; dated files have a title in French alone.
pub(super) fn edition(scale: &Scale, lang: Lang) -> Markup {
    match lang {
        Lang::Fr => in_force(scale),
        Lang::En => html! { "Figures in force since " (day_in(scale.date, lang)) },
    }
}

/// The title of an edition, with its first day unless the title has it.
pub(super) fn in_force(scale: &Scale) -> Markup {
    let says_it = scale.title.contains(&french_date(scale.date));

    html! { (prose(&scale.title)) @if !says_it { ", en vigueur depuis le " (day(scale.date)) } }
}

/// HTML from another generator: charts.
pub(super) fn drawing(svg: String) -> Markup {
    PreEscaped(svg)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn nothing_is_read_as_html() {
        assert_eq!(
            prose("<i>`a<b` et `c`.").into_string(),
            "&lt;i&gt;<code>a&lt;b</code> et <code>c</code>."
        );
    }

    #[test]
    fn prose_is_printed_as_french_is() {
        assert_eq!(
            prose("l'offre : 99,5 % ; `l'a : b`").into_string(),
            "l’offre\u{a0}: 99,5\u{202f}%\u{202f}; <code>l'a : b</code>"
        );
        assert_eq!(
            printed("199 EUR par an, sans « mention » !"),
            "199\u{a0}EUR par an, sans «\u{a0}mention\u{a0}»\u{202f}!"
        );
        assert_eq!(
            printed("loi n° 5 (art. 4), l’art. L. 12 : 20 €, 5 000 $"),
            "loi n°\u{a0}5 (art.\u{a0}4), l’art.\u{a0}L.\u{a0}12\u{a0}: 20\u{a0}€, 5\u{a0}000\u{a0}$"
        );
    }

    #[test]
    fn a_sentence_of_the_api_has_its_days_in_words() {
        let sentence = "Attendu : une date à partir du 2023-01-01, n° 2023-1.";
        assert_eq!(
            days_in_words(sentence, Lang::Fr),
            "Attendu : une date à partir du 1er janvier 2023, n° 2023-1."
        );
        assert_eq!(
            days_in_words("until 2026-09-30: 12", Lang::En),
            "until 30 September 2026: 12"
        );
    }

    #[test]
    fn days_are_written_out() {
        assert_eq!(
            day(date(2026, 1, 1)).into_string(),
            "<time datetime=\"2026-01-01\">1<sup>er</sup>\u{a0}janvier\u{a0}2026</time>"
        );
        assert!(
            day(date(2026, 12, 24))
                .into_string()
                .contains("24\u{a0}décembre")
        );
    }
}
