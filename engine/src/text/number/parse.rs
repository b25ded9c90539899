//! Numbers as a rule file or a caller writes them.

use rust_decimal::Decimal;

use super::plain_zero;

/// Why a literal could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadLiteral {
    /// Not the form that is expected.
    Form,
    /// Correct, but with more digits than a decimal holds.
    TooLong,
    /// A comma where a dot is expected.
    Comma,
    /// A fraction over zero.
    ZeroDenominator,
    /// A `%` where an amount or a plain number is expected.
    Percent,
    /// A rate without `%`.
    NoPercent,
}

/// No-break spaces, as French typography and spreadsheets put between thousands.
pub(crate) const NO_BREAK_SPACES: [char; 2] = ['\u{a0}', '\u{202f}'];

/// Reads `-12.50`: digits, at most one dot with a digit on each side, no exponent, no separator.
pub(crate) fn parse_plain(text: &str) -> Result<Decimal, BadLiteral> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    // The library would accept `1_000`, `+1` and `.5`, which no author should have to interpret.
    if !all_digits(whole) || !all_digits(fraction) {
        return Err(if digits.contains(',') {
            BadLiteral::Comma
        } else {
            BadLiteral::Form
        });
    }

    Decimal::from_str_exact(text)
        .map(plain_zero)
        .map_err(|_| BadLiteral::TooLong)
}

/// Reads an amount or a number of a rule file: `21.50`, `-3`, `1 296 000`, or a fraction `137/51`.
pub(crate) fn parse_amount(text: &str) -> Result<Decimal, BadLiteral> {
    if text.ends_with('%') {
        return Err(BadLiteral::Percent);
    }

    match text.split_once('/') {
        // Some coefficients of the law are quotients, which no decimals equal.
        Some((above, below)) => {
            let above = parse_grouped(above.trim())?;
            let below = parse_grouped(below.trim())?;
            if below.is_zero() {
                return Err(BadLiteral::ZeroDenominator);
            }
            above.checked_div(below).ok_or(BadLiteral::TooLong)
        }
        None => parse_grouped(text),
    }
}

/// Reads a rate of a rule file: `6.3%`, `-28.07%`, a fraction `2/37`, or a bare `0`.
pub(crate) fn parse_rate(text: &str) -> Result<Decimal, BadLiteral> {
    if let Some(percent) = text.strip_suffix('%') {
        let percent = parse_grouped(percent.trim_end())?;
        return percent
            .checked_div(Decimal::ONE_HUNDRED)
            .ok_or(BadLiteral::TooLong);
    }
    if text.contains('/') {
        return parse_amount(text);
    }

    // A rate of 7 may be 7 % or 700 %: only 0 is the same in both.
    match parse_grouped(text) {
        Ok(value) if value.is_zero() => Ok(value),
        Ok(_) => Err(BadLiteral::NoPercent),
        Err(problem) => Err(problem),
    }
}

/// Reads digits with single spaces by thousands, no-break ones too: `1 296 000.50`.
fn parse_grouped(text: &str) -> Result<Decimal, BadLiteral> {
    let spaced = text.replace(NO_BREAK_SPACES, " ");
    let text = spaced.as_str();
    if !text.contains(' ') {
        return parse_plain(text);
    }

    // `1 296 000`: groups of three digits after the first one. Any other space is a slip, such as
    // two numbers in one value.
    let (whole, fraction) = text
        .split_once('.')
        .map_or((text, None), |(whole, fraction)| (whole, Some(fraction)));
    let mut groups = whole.split(' ');
    let first = groups.next().unwrap_or_default();
    let first_is_short = (1..=3).contains(&first.trim_start_matches('-').len());
    if !first_is_short || !groups.all(|group| group.len() == 3) {
        return Err(BadLiteral::Form);
    }

    let mut plain = whole.replace(' ', "");
    if let Some(fraction) = fraction {
        plain.push('.');
        plain.push_str(fraction);
    }
    parse_plain(&plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::number::number_text;

    #[test]
    fn amounts_are_read_from_their_text() {
        for (text, expected) in [
            ("21.50", "21.5"),
            ("-3", "-3"),
            ("1 296 000", "1296000"),
            ("1 000.25", "1000.25"),
            ("3/8", "0.375"),
        ]
        .into_iter()
        .chain([("1\u{a0}296\u{202f}000", "1296000")])
        {
            assert_eq!(
                parse_amount(text).map(number_text),
                Ok(expected.to_owned()),
                "{text}"
            );
        }
        for text in [
            "", "-", "1e9", "NaN", "1_000", "+1", ".5", "5.", "12 34", "1  000", "0x1F", "1 2345",
            "--1",
        ] {
            assert_eq!(parse_amount(text), Err(BadLiteral::Form), "{text}");
        }
        assert_eq!(parse_amount("12,5"), Err(BadLiteral::Comma));
        assert_eq!(parse_amount("7%"), Err(BadLiteral::Percent));
        assert_eq!(parse_amount("1/0"), Err(BadLiteral::ZeroDenominator));
        assert_eq!(parse_amount(&"9".repeat(40)), Err(BadLiteral::TooLong));
    }

    #[test]
    fn a_rate_has_its_percent_sign() {
        let plain = |text| parse_plain(text).unwrap();
        assert_eq!(parse_rate("6.3%"), Ok(plain("0.063")));
        assert_eq!(parse_rate("-28.07%"), Ok(plain("-0.2807")));
        assert_eq!(parse_rate("0"), Ok(Decimal::ZERO));
        assert_eq!(parse_rate("1/8"), Ok(plain("0.125")));
        assert_eq!(parse_rate("7"), Err(BadLiteral::NoPercent));
    }
}
