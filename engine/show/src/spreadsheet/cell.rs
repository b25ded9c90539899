//! Conversion of numbers, dates and booleans from what people type or spreadsheets save to the
//! form of the API.

use std::borrow::Cow;

use bareme_engine::{Folder, say, text::Text};
use jiff::civil::Date;

/// Notation of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberFormat {
    /// Decimal comma, spaces between thousands.
    Fr,
    /// Decimal point, commas between thousands.
    En,
}

/// Spaces between thousands, the ordinary one first.
const SPACES: [char; 4] = [' ', '\u{a0}', '\u{202f}', '\u{2009}'];

/// The currency that may follow an amount: the common one of all possible folders.
pub fn currency<'f>(folders: &[&'f Folder]) -> Option<&'f str> {
    // A file of several countries may have amounts in any of their currencies: no sign is then
    // taken off.
    let mut currencies = folders
        .iter()
        .filter_map(|folder| folder.latest()?.method().currency.as_deref());

    let first = currencies.next()?;
    currencies.all(|other| other == first).then_some(first)
}

/// Converts a cell of a file to the form of the API; anything but a number, a date or a boolean is
/// unchanged.
///
/// # Errors
/// An ambiguous number or date, or one that has lost digits; the message says how to write it.
pub fn cell<'c>(
    // Most cells of a large file are plain: these are borrowed, and nothing else is asked of them.
    text: &'c str,
    signs: NumberFormat,
    currency: Option<&str>,
) -> Result<Cow<'c, str>, Text<String>> {
    if is_as_sent(text, signs) {
        return Ok(Cow::Borrowed(text));
    }

    // `60.000` is 60 in English and 60 000 in French: no reading of it is safe.
    if signs == NumberFormat::Fr {
        check_one_reading(text)?;
    }

    // A spreadsheet that saves `1,23E+15` has dropped the digits after it.
    if is_scientific(text) {
        return Err(say!(
            "`{text}` a pu perdre des chiffres : donner à la colonne le format « Nombre », puis \
             enregistrer à nouveau",
            "`{text}` may have lost digits: give the column the format \"Number\", then save it \
             again"
        ));
    }

    let plain = without_currency(text, currency);

    match signs {
        NumberFormat::Fr => Ok(french(plain).map_or(Cow::Borrowed(text), Cow::Owned)),
        NumberFormat::En if is_french_number(plain) => Err(say!(
            "`{text}` a une virgule décimale : `--locale fr` la lit",
            "`{text}` has a decimal comma: `--locale fr` reads it"
        )),
        NumberFormat::En => Ok(english_number(plain).map_or(Cow::Borrowed(text), Cow::Owned)),
    }
}

/// Converts what a person types to the form of the API, by the same reading of numbers as a French
/// file.
///
/// # Errors
/// A number that reads in two ways; the message says how to write it.
pub fn argument(text: &str) -> Result<String, Text<String>> {
    check_one_reading(text)?;
    Ok(french(text).unwrap_or_else(|| text.to_owned()))
}

/// Refuses a number whose point may be before its decimals or between its thousands.
fn check_one_reading(text: &str) -> Result<(), Text<String>> {
    if !is_ambiguous(text) {
        return Ok(());
    }
    let (decimals, thousands) = (text.replace('.', ","), text.replace('.', ""));
    Err(say!(
        "`{text}` se lit de deux façons : écrire {decimals} ou {thousands}",
        "`{text}` reads in two ways: write {decimals} or {thousands}"
    ))
}

/// Converts a cell of a French file that is a number, a day or a boolean; `None` for anything else.
fn french(text: &str) -> Option<String> {
    // Spreadsheets save booleans in the language of the user.
    match text.to_lowercase().as_str() {
        "vrai" => Some("true".to_owned()),
        "faux" => Some("false".to_owned()),
        _ => french_number(text).or_else(|| french_day(text)),
    }
}

/// Whether a cell is a plain number or word, which needs no conversion, like most cells.
fn is_as_sent(text: &str, signs: NumberFormat) -> bool {
    // A point is a decimal sign in English only; in French it may be between thousands.
    let is_number = |byte: u8| byte.is_ascii_digit() || (byte == b'.' && signs == NumberFormat::En);
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    text.bytes().all(is_number) || (text.bytes().all(is_word) && !matches!(text, "vrai" | "faux"))
}

/// Whether the only point is before exactly three last digits: `60.000` may be 60 or 60 000.
pub fn is_ambiguous(text: &str) -> bool {
    let unsigned = text.trim_start_matches('-');
    let parts = unsigned.split_once('.');
    let groups = parts.filter(|(whole, rest)| {
        is_digits(whole) && whole.len() <= 3 && rest.len() == 3 && is_digits(rest)
    });

    // `0.036` can only be a decimal: no number is written with a leading zero.
    groups.is_some() && !unsigned.starts_with('0')
}

/// Whether a number is in scientific notation, `3,2E+03`, as spreadsheets write it.
fn is_scientific(text: &str) -> bool {
    let Some((mantissa, exponent)) = text.split_once(['E', 'e']) else {
        return false;
    };

    let mantissa = mantissa.trim_start_matches(['-', '+']);
    let is_number =
        mantissa.split([',', '.']).all(is_digits) && mantissa.split([',', '.']).count() <= 2;

    is_number && is_digits(exponent.trim_start_matches(['-', '+']))
}

/// An amount without the currency after it.
fn without_currency<'t>(text: &'t str, currency: Option<&str>) -> &'t str {
    /// Signs and usual names of currencies.
    const SIGNS: [(&str, &str); 5] = [
        ("EUR", "€"),
        ("XOF", "FCFA"),
        ("XOF", "F CFA"),
        ("XAF", "FCFA"),
        ("XAF", "F CFA"),
    ];

    let Some(currency) = currency else {
        return text;
    };

    let signs = SIGNS
        .iter()
        .filter(|(code, _)| *code == currency)
        .map(|(_, sign)| *sign);

    // The usual sign, or the code of ISO 4217.
    let amount = signs
        .chain([currency])
        .find_map(|sign| text.strip_suffix(sign));
    amount.map_or(text, |amount| amount.trim_end_matches(SPACES))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_french_number(text: &str) -> bool {
    // With three digits after it, a comma may also separate thousands: `1,234` is no decimal for
    // sure, `0,234` is one.
    let is_decimal = |(whole, decimals): (&str, &str)| {
        decimals.len() != 3 || whole.trim_start_matches('-').starts_with('0')
    };
    text.split_once(',').is_some_and(is_decimal) && french_number(text).is_some()
}

/// Converts a number with a decimal comma and spaces between thousands, `1 296 000,50`, to
/// `1296000.50`; `None` for any other text.
fn french_number(text: &str) -> Option<String> {
    without_separators(text, ',', |letter, has_decimals| {
        letter == '.' && has_decimals
    })
}

/// Converts a number with commas between thousands, `1,296,000.50`; `None` without such a comma.
fn english_number(text: &str) -> Option<String> {
    without_separators(text, '.', |letter, _| letter == ',')
}

/// Converts a number with its decimal sign; `separates` says what may stand between thousands
/// beside spaces, where there are decimals and where there are none.
fn without_separators(
    text: &str,
    mark: char,
    separates: impl Fn(char, bool) -> bool,
) -> Option<String> {
    let (sign, digits) = text
        .strip_prefix('-')
        .map_or(("", text), |digits| ("-", digits));

    let (whole, decimals) = digits
        .split_once(mark)
        .map_or((digits, None), |(whole, rest)| (whole, Some(rest)));

    // Only one separator: `1 234.567` in a single number is a mistake.
    let separator = whole
        .chars()
        .find(|letter| SPACES.contains(letter) || separates(*letter, decimals.is_some()));

    // `12 34` is no number: thousands have three digits.
    let whole = grouped(whole, separator)?;

    match decimals {
        None => Some(format!("{sign}{whole}")),
        Some(decimals) => is_digits(decimals).then(|| format!("{sign}{whole}.{decimals}")),
    }
}

/// The digits of an integer whose thousands may be separated, each from the next by the same sign;
/// `None` for any other text. Thousands do not begin with a zero.
///
/// ```
/// use bareme_show::spreadsheet::grouped;
///
/// assert_eq!(grouped("1 296 000", Some(' ')).as_deref(), Some("1296000"));
/// assert_eq!(grouped("0500", None).as_deref(), Some("0500"));
/// assert_eq!(grouped("0 500", Some(' ')), None);
/// ```
pub fn grouped(whole: &str, separator: Option<char>) -> Option<String> {
    let Some(separator) = separator else {
        return is_digits(whole).then(|| whole.to_owned());
    };

    let mut groups = whole.split(separator);
    let first = groups.next().unwrap_or_default();
    // `0,500` in an English file is half of one in a French hand, not five hundred.
    let is_number = is_digits(first)
        && first.len() <= 3
        && !first.starts_with('0')
        && groups.all(|group| group.len() == 3 && is_digits(group));
    is_number.then(|| whole.replace(separator, ""))
}

/// Converts a day such as `31/12/2026` to `2026-12-31`; `None` if it is not a valid day.
fn french_day(text: &str) -> Option<String> {
    let mut parts = text.split('/');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);

    let is_written_so =
        parts.next().is_none() && year.len() == 4 && [day, month, year].into_iter().all(is_digits);

    // A day that does not exist, `31/13/2026`, is passed on, and refused as a date.
    let date = is_written_so
        .then(|| Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok())??;
    Some(date.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, signs: NumberFormat) -> Result<String, String> {
        cell(text, signs, Some("EUR"))
            .map(Cow::into_owned)
            .map_err(|reason| reason.en)
    }

    #[test]
    fn numbers_and_days_of_a_french_file_are_read_as_they_are_written() {
        for (text, sent) in [
            ("12,5", "12.5"),
            ("1 296 000,50", "1296000.50"),
            ("1\u{a0}296\u{a0}000", "1296000"),
            ("450\u{202f}000", "450000"),
            ("1.234,56", "1234.56"),
            ("-3,2", "-3.2"),
            ("12.5", "12.5"),
            ("0.036", "0.036"),
            ("VRAI", "true"),
            ("Faux", "false"),
            ("2026-01-31", "2026-01-31"),
            ("31/12/2026", "2026-12-31"),
            ("31/13/2026", "31/13/2026"),
            ("3 200,00 €", "3200.00"),
            ("3 200 EUR", "3200"),
            ("3 200 $", "3 200 $"),
            ("12 34", "12 34"),
            ("0,500", "0.500"),
            ("0 500", "0 500"),
            ("1,2,3", "1,2,3"),
            ("cadre", "cadre"),
            ("1e", "1e"),
        ] {
            assert_eq!(read(text, NumberFormat::Fr).as_deref(), Ok(sent), "{text}");
        }
        assert_eq!(
            read("60.000", NumberFormat::Fr),
            Err("`60.000` reads in two ways: write 60,000 or 60000".to_owned())
        );
        for lost in ["3,2E+03", "1e5", "-2.5E-3"] {
            assert!(
                read(lost, NumberFormat::Fr)
                    .unwrap_err()
                    .contains("lost digits"),
                "{lost}"
            );
            assert!(read(lost, NumberFormat::En).is_err(), "{lost}");
        }
    }

    #[test]
    fn numbers_of_an_english_file_are_read_as_they_are_written() {
        for (text, sent) in [
            ("60.000", "60.000"),
            ("1,234.56", "1234.56"),
            ("1,234", "1234"),
            ("12.5", "12.5"),
        ] {
            assert_eq!(read(text, NumberFormat::En).as_deref(), Ok(sent), "{text}");
        }
        // `0,500` is no five hundred.
        for text in ["12,5", "3 200,00 €", "0,500", "-0,125"] {
            let refused = read(text, NumberFormat::En).unwrap_err();
            assert!(refused.contains("--locale fr"), "{text}: {refused}");
        }
    }

    #[test]
    fn an_argument_is_read_like_a_cell_of_a_french_file() {
        for text in [
            "30 000,50",
            "3,125",
            "12.5",
            "0.036",
            "31/12/2026",
            "ci",
            "30.000",
            "2.650",
            "1.234,56",
            "VRAI",
        ] {
            let in_file = cell(text, NumberFormat::Fr, None).map(Cow::into_owned);
            assert_eq!(argument(text), in_file, "{text}");
        }
        let ambiguous = argument("2.650").unwrap_err();
        assert_eq!(
            ambiguous.en,
            "`2.650` reads in two ways: write 2,650 or 2650"
        );
        assert_eq!(argument("3,125"), Ok("3.125".to_owned()));
    }
}
