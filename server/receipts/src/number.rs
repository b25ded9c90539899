//! Numbers of canonical JSON: the layout of RFC 8785, which is that of ECMAScript, over decimal
//! digits of any number.

/// Greatest power of ten of a number: beyond that of any double.
const MOST_POWER: i64 = 400;

/// Digits up to which a whole number is written without an exponent.
const MOST_WHOLE: i64 = 21;

/// Zeros after the point up to which a fraction is written without an exponent.
const MOST_ZEROS: i64 = 6;

/// Writes a number of JSON in its canonical form; `None` where the text is no number of JSON, or
/// its power of ten is beyond every double.
pub(crate) fn write(text: &str, out: &mut String) -> Option<()> {
    // Answers have their numbers in this form already.
    if is_canonical(text) {
        out.push_str(text);
        return Some(());
    }
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };

    // 1. The parts, which JSON has in one form only.
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, power(exponent)?),
        None => (rest, 0),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((_, "")) => return None,
        Some(parts) => parts,
        None => (mantissa, ""),
    };
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let has_leading_zero = whole.len() > 1 && whole.starts_with('0');
    if whole.is_empty() || has_leading_zero || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }

    // 2. The digits that count, and the place of the point before the first of them.
    let whole = whole.trim_start_matches('0');
    let kept = fraction.trim_end_matches('0');
    let (first, last, point) = if whole.is_empty() {
        let digits = kept.trim_start_matches('0');
        let zeros = kept.len() - digits.len();
        ("", digits, -i64::try_from(zeros).ok()?)
    } else if kept.is_empty() {
        (whole.trim_end_matches('0'), "", length(whole)?)
    } else {
        (whole, kept, length(whole)?)
    };
    // ECMAScript writes -0 without its sign.
    if first.is_empty() && last.is_empty() {
        out.push('0');
        return Some(());
    }

    let point = point.checked_add(exponent)?;
    if !(-MOST_POWER..=MOST_POWER).contains(&point) {
        return None;
    }

    // 3. The layout.
    out.push_str(sign);
    lay_out((first, last), point, out)
}

/// Whether a number is in its canonical form for certain; of some that are, it does not know.
fn is_canonical(text: &str) -> bool {
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "1"));

    // No zero before the others but a single one, at most 21 digits; no zero at the end, and less
    // than six after the point.
    let is_whole = !whole.is_empty() && whole.len() <= 21 && is_digits(whole);
    let is_alone = !whole.starts_with('0') || whole.len() == 1;
    let is_fraction = !fraction.is_empty() && !fraction.ends_with('0') && is_digits(fraction);
    is_whole && is_alone && is_fraction && !(whole == "0" && fraction.starts_with("000000"))
}

/// Writes digits, which are in two parts, whose point is after this many of them.
fn lay_out((first, last): (&str, &str), point: i64, out: &mut String) -> Option<()> {
    let count = length(first)? + length(last)?;
    let digits = || first.chars().chain(last.chars());
    let zeros = |count: i64| (0..count).map(|_| '0');

    // The cases of `Number::toString` of ECMA-262, in its order: a whole number, a point among the
    // digits, zeros after the point, a power of ten.
    if (count..=MOST_WHOLE).contains(&point) {
        out.extend(digits().chain(zeros(point - count)));
    } else if (1..=MOST_WHOLE).contains(&point) {
        let whole = usize::try_from(point).ok()?;
        out.extend(digits().take(whole));
        out.push('.');
        out.extend(digits().skip(whole));
    } else if point <= 0 && point > -MOST_ZEROS {
        out.push_str("0.");
        out.extend(zeros(-point).chain(digits()));
    } else {
        out.extend(digits().take(1));
        if count > 1 {
            out.push('.');
            out.extend(digits().skip(1));
        }
        let power = point - 1;
        out.push_str(if power < 0 { "e-" } else { "e+" });
        out.push_str(&power.unsigned_abs().to_string());
    }
    Some(())
}

/// The power of ten after an `e`.
fn power(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number {
        return None;
    }
    let power: i64 = digits.parse().ok()?;
    Some(if text.starts_with('-') { -power } else { power })
}

fn length(text: &str) -> Option<i64> {
    i64::try_from(text.len()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Option<String> {
        let mut out = String::new();
        write(text, &mut out).map(|()| out)
    }

    #[test]
    fn the_layout_is_that_of_rfc_8785() {
        // Appendix B, by the numbers that it gives for the bits of doubles; then section 3.2.2.
        for number in [
            "0",
            "5e-324",
            "-5e-324",
            "1.7976931348623157e+308",
            "-1.7976931348623157e+308",
            "9007199254740992",
            "-9007199254740992",
            "295147905179352830000",
            "9.999999999999997e+22",
            "1e+23",
            "1.0000000000000001e+23",
            "999999999999999700000",
            "999999999999999900000",
            "1e+21",
            "9.999999999999997e-7",
            "0.000001",
            "333333333.3333332",
            "333333333.33333325",
            "333333333.3333333",
            "333333333.3333334",
            "333333333.33333343",
            "-0.0000033333333333333333",
            "1424953923781206.2",
        ] {
            assert_eq!(written(number).as_deref(), Some(number));
        }
        for (number, canonical) in [
            ("-0", "0"),
            ("-0.000", "0"),
            ("0e9", "0"),
            ("1E30", "1e+30"),
            ("4.50", "4.5"),
            ("2e-3", "0.002"),
            ("0.000000000000000000000000001", "1e-27"),
            ("1200e-2", "12"),
            ("100", "100"),
            ("10.0", "10"),
            ("12.34e1", "123.4"),
            ("1.5e+2", "150"),
            ("123456789012345678901234", "1.23456789012345678901234e+23"),
        ] {
            assert_eq!(written(number).as_deref(), Some(canonical), "{number}");
        }
    }

    #[test]
    fn every_digit_of_a_decimal_is_kept() {
        let number = "0.3333333333333333333333333333";
        assert_eq!(written(number).as_deref(), Some(number));
    }

    #[test]
    fn what_is_no_number_of_json_is_refused() {
        for text in [
            "",
            "-",
            "+1",
            "01",
            "-01",
            ".5",
            "1.",
            "1.e3",
            "1e",
            "1e+",
            "1e1.5",
            "0x1",
            "NaN",
            "1e400",
            "1e99999999999999999999",
            "1_0",
            " 1",
        ] {
            assert_eq!(written(text), None, "{text}");
        }
    }
}
