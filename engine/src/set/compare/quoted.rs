//! Citations that quote a value which the figures had in the file before and have no more.

use std::collections::BTreeSet;

use rust_decimal::Decimal;

use crate::text::number::{parse_amount, parse_rate};
use crate::text::{Place, Problem};

use super::sheet::Sheet;

/// Least number that is quoted as an amount: smaller ones are numbers of articles and of rows.
const LEAST_AMOUNT: Decimal = Decimal::from_parts(1000, 0, 0, false, 0);

/// The first value of the citation that only the earlier file has.
pub(super) fn in_citation(new: &Sheet, old: &Sheet) -> Option<(Place, Problem)> {
    let citation = new.text("citation")?;
    let values = |sheet: &Sheet| -> BTreeSet<Decimal> {
        let lines = sheet.figures.iter().flat_map(|table| &table.lines);
        let cells = lines.flat_map(|line| &line.cells);
        cells.map(|entry| entry.value.normalize()).collect()
    };
    let (known, before) = (values(new), values(old));

    // A value that neither file has is no figure of theirs: nothing is known of it.
    let gone = |value: &Decimal| before.contains(value) && !known.contains(value);
    let (place, _) = quoted(&citation.value)
        .into_iter()
        .find(|(_, value)| gone(value))?;

    let problem = Problem::QuotedValueGone {
        quoted: citation.value.get(place.clone())?.to_owned(),
        date: old.date.to_string(),
    };
    Some((citation.part(place), problem))
}

/// The amounts of four digits or more and the rates that a French text quotes, with their places.
/// Years are none of them.
fn quoted(text: &str) -> Vec<(std::ops::Range<usize>, Decimal)> {
    let is_blank = |letter: char| matches!(letter, ' ' | '\u{a0}' | '\u{202f}');
    let mut found = Vec::new();
    let mut rest = 0usize;
    while let Some(start) = text.get(rest..).and_then(|text| {
        text.find(|letter: char| letter.is_ascii_digit())
            .map(|at| rest.saturating_add(at))
    }) {
        // 1. Digits, with thousands and decimals as in French.
        let mut end = start;
        let mut plain = String::new();
        for (at, letter) in text.get(start..).unwrap_or_default().char_indices() {
            let place = start.saturating_add(at);
            let after = place.saturating_add(letter.len_utf8());
            // One more than a group of thousands has: four digits after a blank are another number.
            let three: String = text
                .get(after..)
                .unwrap_or_default()
                .chars()
                .take(4)
                .collect();
            let digits = three.chars().take_while(char::is_ascii_digit).count();
            if letter.is_ascii_digit() {
                plain.push(letter);
            } else if letter == ',' && digits > 0 && !plain.contains('.') {
                plain.push('.');
            } else if !(is_blank(letter) && digits == 3 && !plain.contains('.')) {
                break;
            }
            end = after;
        }

        // 2. A rate, or an amount; what a letter, a point or a sign joins is another number.
        let before = text.get(..start).unwrap_or_default().chars().next_back();
        let after = text.get(end..).unwrap_or_default();
        let percent = after.trim_start_matches(is_blank).starts_with('%');
        let is_joined = |letter: char| letter.is_alphanumeric() || "-./°".contains(letter);
        let is_alone = !before.is_some_and(is_joined)
            && !after
                .starts_with(|letter: char| letter.is_alphanumeric() || "-/°".contains(letter));
        let value = match percent {
            true => parse_rate(&format!("{plain}%")).ok(),
            false => parse_amount(&plain).ok().filter(|value| {
                let is_year = plain.len() == 4 && end.saturating_sub(start) == 4;
                *value >= LEAST_AMOUNT && !is_year
            }),
        };
        if let Some(value) = value.filter(|_| is_alone) {
            found.push((start..end, value.normalize()));
        }
        rest = end.max(start.saturating_add(1));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn amounts_and_rates_of_a_french_text_are_found() {
        for (text, found) in [
            ("AMO 2,26 % sans plafond", vec!["2,26"]),
            ("jusqu’à 6 000 DH par mois", vec!["6 000"]),
            (
                "plafonds 432\u{a0}000 et 1 296 000 F",
                vec!["432\u{a0}000", "1 296 000"],
            ),
            ("Loi n° 2025-1500 du 29 décembre 2025, art. 12", vec![]),
            ("CGI, art. 1649 ; loi de 2026", vec![]),
            ("décret n° 12.345 du 3 mai 2026", vec![]),
        ] {
            let parts: Vec<&str> = quoted(text)
                .into_iter()
                .map(|(place, _)| &text[place])
                .collect();
            assert_eq!(parts, found, "{text}");
        }
    }
}
