//! Numbers as text: in their shortest exact form, and as French writes them.

use rust_decimal::Decimal;

use super::short_mantissa;

/// Appends the shortest exact decimal form, which is also a JSON number: `2104`, `0.0701`.
///
/// ```
/// let mut text = "taux: ".to_owned();
/// bareme_engine::text::write_number("0.07010".parse()?, &mut text);
/// assert_eq!(text, "taux: 0.0701");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_number(value: Decimal, out: &mut String) {
    let mut buffer = itoa::Buffer::new();

    // Nearly every mantissa fits 64 bits, which divide much quicker.
    let Some(short) = short_mantissa(value) else {
        let shortest = value.normalize();
        let digits = buffer.format(shortest.mantissa().unsigned_abs());
        return write_digits(
            value.is_sign_negative(),
            digits,
            shortest.scale() as usize,
            out,
        );
    };

    // The shortest form has no trailing zero after the point.
    let mut magnitude = short.unsigned_abs();
    let mut decimals = value.scale() as usize;
    while decimals > 0 && magnitude % 10 == 0 {
        magnitude /= 10;
        decimals -= 1;
    }

    write_digits(short < 0, buffer.format(magnitude), decimals, out);
}

/// Appends a number from its digits, of which the last `decimals` follow the point.
fn write_digits(is_negative: bool, digits: &str, decimals: usize, out: &mut String) {
    if is_negative {
        out.push('-');
    }
    if decimals == 0 {
        return out.push_str(digits);
    }

    // A subtraction below zero wraps to a length that no text has: the number is then below 1, and
    // zeros go between the point and its digits.
    match digits.split_at_checked(digits.len().wrapping_sub(decimals)) {
        Some((whole, fraction)) if !whole.is_empty() => {
            out.push_str(whole);
            out.push('.');
            out.push_str(fraction);
        }
        _ => {
            out.push_str("0.");
            out.extend(std::iter::repeat_n('0', decimals - digits.len()));
            out.push_str(digits);
        }
    }
}

/// The shortest exact decimal form, as a new string.
///
/// ```
/// assert_eq!(bareme_engine::text::number_text("1296000.50".parse()?), "1296000.5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn number_text(value: Decimal) -> String {
    let mut text = String::new();
    write_number(value, &mut text);
    text
}

/// A number as it is written in French: `1 296 000,5`, with plain spaces between groups of three
/// digits.
///
/// ```
/// assert_eq!(bareme_engine::text::number_french("1296000.50".parse()?), "1 296 000,5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn number_french(value: Decimal) -> String {
    let text = number_text(value);
    let (sign, text) = text
        .strip_prefix('-')
        .map_or(("", text.as_str()), |rest| ("-", rest));
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));

    let mut out = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            out.push(' ');
        }
        out.push(digit);
    }

    if !fraction.is_empty() {
        out.push(',');
        out.push_str(fraction);
    }

    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::number::parse_plain;

    fn decimal(text: &str) -> Decimal {
        parse_plain(text).unwrap()
    }

    #[test]
    fn numbers_are_written_in_their_shortest_exact_form() {
        for text in [
            "0",
            "0.1",
            "2104",
            "0.0701",
            "-12.5",
            "1000000",
            "0.0000000000000000000000000001",
        ] {
            assert_eq!(number_text(decimal(text)), text);
        }
        assert_eq!(number_text(decimal("2104.00")), "2104");
        assert_eq!(number_text(decimal("-0")), "0");
        assert_eq!(number_text(Decimal::MAX), "79228162514264337593543950335");
        assert_eq!(
            ["-1234567.5", "123456"].map(|text| number_french(decimal(text))),
            ["-1 234 567,5", "123 456"]
        );
    }
}
