//! Corrections of numbers that cannot be parsed, where only one number can be meant: `1 200 F CFA`,
//! `6.3 pour cent`, `1.200.000`, `−5`.

use rust_decimal::Decimal;

use crate::text::number::{NO_BREAK_SPACES, number_text, parse_amount, parse_rate};

/// Spellings of the `%` after a rate.
const PERCENT: &[&str] = &["pour cent", "pourcent", "p. 100", "p.100", "%"];

/// A rate as a file writes it, with `%`.
pub(crate) fn corrected_rate(text: &str) -> Option<String> {
    let text = plain_signs(text);

    // A file has no sign for a rate per thousand: it is written in percent.
    if let Some(per_thousand) = before(&text, "‰") {
        let percent = parse_amount(&grouped(per_thousand)?)
            .ok()?
            .checked_div(Decimal::TEN)?;
        return Some(format!("{}%", number_text(percent)));
    }

    let number = PERCENT.iter().find_map(|ending| before(&text, ending))?;
    let percent = format!("{}%", grouped(number)?);

    // A correction that is refused in its turn would lead the author in circles.
    parse_rate(&percent).is_ok().then_some(percent)
}

/// An amount or a number as a file writes it, without its currency.
pub(crate) fn corrected_amount(text: &str) -> Option<String> {
    let text = plain_signs(text);

    // The currency is written before the number or after it.
    let bare = text.trim_start_matches(['€', '$', '£']).trim_start();
    let number =
        bare.trim_end_matches(|letter: char| letter.is_alphabetic() || "€$£. ".contains(letter));

    // `1.2k` is no number followed by a currency, and `2 et plus` says more than a number.
    if !is_currency(bare.get(number.len()..)?) {
        return None;
    }

    let amount = grouped(number)?;
    parse_amount(&amount).is_ok().then_some(amount)
}

/// The text before an ending, which may be written in capitals.
fn before<'t>(text: &'t str, ending: &str) -> Option<&'t str> {
    let length = text.to_lowercase().strip_suffix(ending)?.len();
    text.get(..length).map(str::trim_end)
}

/// Whether what follows an amount is its currency, or nothing.
fn is_currency(text: &str) -> bool {
    const NAMES: &[&str] = &[
        "f", "fr", "frs", "franc", "francs", "euro", "euros", "f cfa",
    ];
    let text = text.trim_matches([' ', '.']);

    // Capitals only, so that a word of a sentence is not taken for a code such as `XOF`.
    let is_code =
        text.len() >= 3 && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_uppercase());

    text.is_empty()
        || ["€", "$", "£"].contains(&text)
        || is_code
        || NAMES.contains(&text.to_lowercase().as_str())
}

/// A number as a worked case takes it, digits and a point: `1 000`, `15.1%`, `1000 F`.
pub(crate) fn plain_number(text: &str) -> Option<String> {
    let bare = text.trim().trim_end_matches('%').trim_end();
    let plain = corrected_amount(bare)?.replace(' ', "");
    (plain != text).then_some(plain)
}

/// Replaces typographic signs by those of the keyboard, and letters typed for zeros.
fn plain_signs(text: &str) -> String {
    let text = text
        .trim()
        .replace(NO_BREAK_SPACES, " ")
        .replace(['−', '–'], "-");

    // A letter O is a zero only among digits: `1 2O0`, but not `600 euros`.
    let is_of_number = |word: &str| {
        word.contains(|letter: char| letter.is_ascii_digit())
            && word
                .chars()
                .all(|letter| letter.is_ascii_digit() || "Oo.,-%".contains(letter))
    };
    let respelled = |word: &str| {
        if is_of_number(word) {
            word.replace(['O', 'o'], "0")
        } else {
            word.to_owned()
        }
    };

    text.split(' ').map(respelled).collect::<Vec<_>>().join(" ")
}

/// Writes a number with single spaces between thousands and a point before the decimals.
fn grouped(text: &str) -> Option<String> {
    let text = text
        .trim()
        .trim_end_matches(['.', ','])
        .replace(['\'', '’', '_'], " ");

    // A sign that occurs twice cannot be the decimal one: it separates thousands.
    let is_group =
        |piece: &str| piece.len() == 3 && piece.bytes().all(|byte| byte.is_ascii_digit());
    for separator in ['.', ','] {
        let pieces: Vec<&str> = text.split(separator).collect();
        if pieces.len() > 2 && pieces.iter().skip(1).all(|piece| is_group(piece)) {
            return Some(pieces.join(" "));
        }
    }

    // A comma and three digits may be thousands as well as decimals.
    let decimals = text.split_once(',').map(|(_, decimals)| decimals);
    if decimals.is_some_and(is_group) || (text.contains(',') && text.contains('.')) {
        return None;
    }

    Some(text.replacen(',', ".", 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_no_doubt_is_respelled() {
        for (text, meant) in [
            ("1 200 F CFA", "1 200"),
            ("1200€", "1200"),
            ("1.200.000", "1 200 000"),
            ("1,200,000", "1 200 000"),
            ("1'200", "1 200"),
            ("1_200", "1 200"),
            ("1 2O0", "1 200"),
            ("6OO", "600"),
            ("1 200 XOF", "1 200"),
            ("€ 1 200", "1 200"),
            ("−5", "-5"),
            ("12,5", "12.5"),
            ("1 200,50", "1 200.50"),
            ("5.", "5"),
        ] {
            assert_eq!(corrected_amount(text).as_deref(), Some(meant), "{text}");
        }
        for text in [
            "1.2k",
            "3 millions",
            "aucun",
            "2 et plus",
            "18 000 et plus",
            "600 par mois",
            "12 00",
            "1,200",
            "1.2e3",
            "0 - 12 000",
            "1.200,50",
            "7%",
        ] {
            assert_eq!(corrected_amount(text), None, "{text}");
        }
        for (text, meant) in [
            ("6.3 pour cent", "6.3%"),
            ("6,3 %", "6.3%"),
            ("63‰", "6.3%"),
            ("−20%", "-20%"),
            ("6.%", "6%"),
            ("5 p. 100", "5%"),
        ] {
            assert_eq!(corrected_rate(text).as_deref(), Some(meant), "{text}");
        }
        assert_eq!(corrected_rate("six"), None);
    }
}
