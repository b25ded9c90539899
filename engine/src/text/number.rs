//! Exact numbers: parsing, arithmetic, rounding and formatting.
//!
//! Everything is a [`Decimal`] of 28 digits. No value ever passes through a binary float, and no
//! operation panics: what does not fit gives `None`, which the evaluator turns into a typed error.

use std::cmp::Ordering;

use rust_decimal::Decimal;

/// Decimals kept before a rounding, so that the error of a division (1/3 × 3) never decides it.
pub(crate) const GUARD_DECIMALS: u32 = 15;

/// Factor from a rate in percent to a fraction.
pub(crate) const PERCENT: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

/// Decimals shown of a number or a rate.
pub(crate) const NUMBER_DECIMALS: u32 = 10;

/// Direction of a rounding.
///
/// ```
/// use bareme_engine::text::RoundMode;
///
/// assert_eq!(RoundMode::WORDS.map(|(word, _)| word), ["half_up", "down", "up"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundMode {
    /// To the nearest multiple; halves go away from zero.
    HalfUp,
    /// To the lower multiple.
    Down,
    /// To the upper multiple.
    Up,
}

impl RoundMode {
    /// Every mode, with the word that names it in a rule file.
    pub const WORDS: [(&'static str, Self); 3] = [
        ("half_up", Self::HalfUp),
        ("down", Self::Down),
        ("up", Self::Up),
    ];

    /// Its name in an explanation, in French, before the unit.
    pub(crate) fn french(self) -> &'static str {
        match self {
            Self::HalfUp => "au plus proche, à",
            Self::Down => "par défaut, à",
            Self::Up => "par excès, à",
        }
    }
}

/// Why an operation gives no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArithmeticError {
    /// The result has more than 28 digits.
    Overflow,
    DivisionByZero,
}

/// `a + b`
pub(crate) fn add(a: Decimal, b: Decimal) -> Result<Decimal, ArithmeticError> {
    a.checked_add(b)
        .map(plain_zero)
        .ok_or(ArithmeticError::Overflow)
}

/// `a - b`
pub(crate) fn sub(a: Decimal, b: Decimal) -> Result<Decimal, ArithmeticError> {
    a.checked_sub(b)
        .map(plain_zero)
        .ok_or(ArithmeticError::Overflow)
}

/// `a * b`, to 28 decimals.
pub(crate) fn mul(a: Decimal, b: Decimal) -> Result<Decimal, ArithmeticError> {
    a.checked_mul(b)
        .map(plain_zero)
        .ok_or(ArithmeticError::Overflow)
}

/// `a / b`, to 28 decimals.
pub(crate) fn div(a: Decimal, b: Decimal) -> Result<Decimal, ArithmeticError> {
    if b.is_zero() {
        return Err(ArithmeticError::DivisionByZero);
    }
    a.checked_div(b)
        .map(plain_zero)
        .ok_or(ArithmeticError::Overflow)
}

/// `a * b`, without a multiplication where `b` is 1, as it mostly is.
pub(crate) fn times(a: Decimal, b: Decimal) -> Result<Decimal, ArithmeticError> {
    if is_one(b) { Ok(a) } else { mul(a, b) }
}

/// Whether a number is 1, written without decimals.
pub(crate) fn is_one(value: Decimal) -> bool {
    value.scale() == 0 && short_mantissa(value) == Some(1)
}

/// The mantissa, where it fits 64 bits, as it nearly always does.
pub(crate) fn short_mantissa(value: Decimal) -> Option<i64> {
    let parts = value.unpack();
    let magnitude = i64::try_from(u64::from(parts.mid) << 32 | u64::from(parts.lo)).ok()?;
    (parts.hi == 0).then_some(if parts.negative {
        -magnitude
    } else {
        magnitude
    })
}

/// Powers of ten by exponent.
#[expect(
    clippy::indexing_slicing,
    reason = "it is computed by the compiler, which refuses an index beyond the end"
)]
const POWERS_OF_TEN: [i128; 29] = {
    let mut powers = [1; 29];
    let mut exponent = 1;
    while exponent < powers.len() {
        powers[exponent] = powers[exponent - 1] * 10;
        exponent += 1;
    }
    powers
};

pub(crate) fn power_of_ten(exponent: u32) -> Option<i128> {
    POWERS_OF_TEN.get(exponent as usize).copied()
}

/// Ten to an exponent, where it fits 64 bits.
pub(crate) fn power_of_ten_short(exponent: u32) -> Option<i64> {
    i64::try_from(power_of_ten(exponent)?).ok()
}

/// Compares two numbers. 64-bit mantissas are compared in 128 bits, several times as quick as the
/// library (`benches/answer.rs`), which compares the others.
#[inline]
pub(crate) fn compare(a: Decimal, b: Decimal) -> Ordering {
    compare_short(a, b).unwrap_or_else(|| a.cmp(&b))
}

/// Compares two numbers brought to the same scale, where 128 bits suffice.
#[inline]
fn compare_short(a: Decimal, b: Decimal) -> Option<Ordering> {
    let (short_a, short_b) = (short_mantissa(a)?, short_mantissa(b)?);
    // The product of two 64-bit numbers cannot overflow 128 bits.
    let scaled = |short: i64, exponent: u32| {
        Some(i128::from(short) * i128::from(power_of_ten_short(exponent)?))
    };
    Some(match a.scale().cmp(&b.scale()) {
        Ordering::Equal => short_a.cmp(&short_b),
        Ordering::Less => scaled(short_a, b.scale() - a.scale())?.cmp(&short_b.into()),
        Ordering::Greater => i128::from(short_a).cmp(&scaled(short_b, a.scale() - b.scale())?),
    })
}

/// The greater of two numbers.
pub(crate) fn larger(a: Decimal, b: Decimal) -> Decimal {
    if compare(a, b).is_gt() { a } else { b }
}

/// The lesser of two numbers.
pub(crate) fn smaller(a: Decimal, b: Decimal) -> Decimal {
    if compare(a, b).is_gt() { b } else { a }
}

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

/// Rounds to a multiple of `unit`; a unit of 0 leaves the value alone. `None` on overflow.
pub(crate) fn round(value: Decimal, unit: Decimal, mode: RoundMode) -> Option<Decimal> {
    if unit.is_zero() {
        return Some(value);
    }
    let value = cut(value, GUARD_DECIMALS, RoundMode::HalfUp);
    let rounded = if unit.mantissa() == 1 {
        cut(value, unit.scale(), mode)
    } else {
        let multiples = cut(value.checked_div(unit)?, GUARD_DECIMALS, RoundMode::HalfUp);
        cut(multiples, 0, mode).checked_mul(unit)?
    };
    Some(plain_zero(rounded))
}

/// Rounds half up to a number of decimals: the rounding of everything that is shown.
pub(crate) fn round_decimals(value: Decimal, decimals: u32) -> Decimal {
    if value.scale() <= decimals {
        return plain_zero(value);
    }
    let value = cut(value, GUARD_DECIMALS, RoundMode::HalfUp);
    plain_zero(cut(value, decimals, RoundMode::HalfUp))
}

/// Rounds a value to a number of decimals, several times as quick as the library
/// (`benches/answer.rs`).
fn cut(value: Decimal, decimals: u32, mode: RoundMode) -> Decimal {
    // A decimal has at most 28 decimals: the power is in the table wherever decimals are dropped.
    let dropped = value
        .scale()
        .checked_sub(decimals)
        .filter(|dropped| *dropped > 0);
    let Some(power) = dropped.and_then(power_of_ten) else {
        return value;
    };
    match (short_mantissa(value), i64::try_from(power)) {
        // A 64-bit division is much quicker.
        (Some(mantissa), Ok(power)) => {
            let (lower, rest) = (mantissa.div_euclid(power), mantissa.rem_euclid(power));
            let up = goes_up(mode, rest > 0, rest.cmp(&(power - rest)), mantissa > 0);
            Decimal::new(lower + i64::from(up), decimals)
        }
        _ => {
            let mantissa = value.mantissa();
            let lower = mantissa.div_euclid(power);
            let rest = mantissa - lower * power;
            let up = goes_up(mode, rest > 0, rest.cmp(&(power - rest)), mantissa > 0);
            Decimal::from_i128_with_scale(lower + i128::from(up), decimals)
        }
    }
}

/// Whether a rounding goes up. `any`: the remainder is not zero; `half`: the remainder compared
/// with half a unit.
fn goes_up(mode: RoundMode, any: bool, half: Ordering, positive: bool) -> bool {
    match mode {
        RoundMode::Down => false,
        RoundMode::Up => any,
        // Halves round away from zero: up where the value is positive.
        RoundMode::HalfUp => half.is_gt() || (half.is_eq() && positive),
    }
}

/// Whether a number has more than `decimals` decimals, not counting trailing zeros.
pub(crate) fn has_more_decimals(value: Decimal, decimals: u32) -> bool {
    value.scale() > decimals && value.normalize().scale() > decimals
}

/// Zero without its sign: the engine never returns -0.
pub(crate) fn plain_zero(value: Decimal) -> Decimal {
    if value.is_zero() {
        Decimal::ZERO
    } else {
        value
    }
}

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
    let (mut magnitude, mut decimals) = (short.unsigned_abs(), value.scale() as usize);
    while decimals > 0 && magnitude % 10 == 0 {
        (magnitude, decimals) = (magnitude / 10, decimals - 1);
    }
    write_digits(short < 0, buffer.format(magnitude), decimals, out);
}

fn write_digits(is_negative: bool, digits: &str, decimals: usize, out: &mut String) {
    if is_negative {
        out.push('-');
    }
    if decimals == 0 {
        return out.push_str(digits);
    }
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
    use rust_decimal::RoundingStrategy;

    use super::*;

    impl RoundMode {
        fn strategy(self) -> RoundingStrategy {
            match self {
                Self::HalfUp => RoundingStrategy::MidpointAwayFromZero,
                Self::Down => RoundingStrategy::ToNegativeInfinity,
                Self::Up => RoundingStrategy::ToPositiveInfinity,
            }
        }
    }

    fn decimal(text: &str) -> Decimal {
        parse_plain(text).unwrap()
    }

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
    fn the_quick_cut_is_that_of_the_library() {
        let mantissas = (-2_600..2_600).chain([i64::MAX, i64::MIN, i64::MAX - 5, i64::MIN + 5]);
        // Wider than 64 bits, as the result of a division is.
        for mantissa in [1, 5, 49, 50, 51, 99]
            .into_iter()
            .flat_map(|last| [333, 666, 999, 500, 499].map(|first| (first, last)))
        {
            let wide = mantissa.0 * 10_i128.pow(25) + mantissa.1;
            for (wide, decimals) in [
                (wide, 15),
                (-wide, 15),
                (wide / 2, 2),
                (-wide / 3, 0),
                (wide, 26),
            ] {
                let value = Decimal::from_i128_with_scale(wide, 28);
                for (_, mode) in RoundMode::WORDS {
                    let library = value.round_dp_with_strategy(decimals, mode.strategy());
                    assert_eq!(
                        cut(value, decimals, mode),
                        library,
                        "{value} {decimals} {mode:?}"
                    );
                }
            }
        }
        let around = |wide: i64| {
            [0, 1, 49, 50, 51, 4_999, 5_000, 5_001].map(|part| i128::from(wide) * 10_000 + part)
        };
        for mantissa in
            mantissas.flat_map(|wide| around(wide).into_iter().chain([i128::from(wide)]))
        {
            for (scale, decimals) in [
                (1, 0),
                (2, 0),
                (4, 2),
                (4, 4),
                (2, 15),
                (18, 0),
                (19, 0),
                (25, 3),
            ] {
                let value = Decimal::from_i128_with_scale(mantissa, scale);
                for (_, mode) in RoundMode::WORDS {
                    let library = value.round_dp_with_strategy(decimals, mode.strategy());
                    assert_eq!(
                        cut(value, decimals, mode),
                        library,
                        "{value} {decimals} {mode:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_quick_comparison_is_that_of_the_library() {
        let mantissas = [
            0,
            1,
            10,
            99,
            100,
            101,
            i64::MAX,
            i64::MAX - 1,
            i64::MIN,
            i64::MIN + 1,
        ];
        let wide = |mantissa: i64| {
            [
                i128::from(mantissa),
                -i128::from(mantissa),
                i128::from(mantissa) * 1_000,
            ]
        };
        let values: Vec<Decimal> = mantissas
            .into_iter()
            .flat_map(wide)
            .flat_map(|mantissa| {
                [0, 1, 2, 18, 19, 28].map(|scale| Decimal::from_i128_with_scale(mantissa, scale))
            })
            .collect();
        for a in &values {
            for b in &values {
                assert_eq!(compare(*a, *b), a.cmp(b), "{a} {b}");
                assert_eq!(
                    (larger(*a, *b), smaller(*a, *b)),
                    (*a.max(b), *a.min(b)),
                    "{a} {b}"
                );
            }
        }
    }

    #[test]
    fn a_rate_has_its_percent_sign() {
        assert_eq!(parse_rate("6.3%"), Ok(decimal("0.063")));
        assert_eq!(parse_rate("-28.07%"), Ok(decimal("-0.2807")));
        assert_eq!(parse_rate("0"), Ok(Decimal::ZERO));
        assert_eq!(parse_rate("1/8"), Ok(decimal("0.125")));
        assert_eq!(parse_rate("7"), Err(BadLiteral::NoPercent));
    }

    #[test]
    fn halves_go_away_from_zero_and_dust_does_not_decide() {
        let round = |value: &str, unit: &str, mode| {
            number_text(round(decimal(value), decimal(unit), mode).unwrap())
        };
        assert_eq!(round("2.5", "1", RoundMode::HalfUp), "3");
        assert_eq!(round("-2.5", "1", RoundMode::HalfUp), "-3");
        assert_eq!(round("0.4999999999999999999", "1", RoundMode::HalfUp), "1");
        assert_eq!(
            round("3605.9999999999999999999", "1", RoundMode::Down),
            "3606"
        );
        assert_eq!(round("3605999", "1000", RoundMode::Down), "3605000");
        assert_eq!(round("97618", "100", RoundMode::HalfUp), "97600");
        assert_eq!(round("97650", "100", RoundMode::HalfUp), "97700");
        assert_eq!(round("10.025", "0.05", RoundMode::HalfUp), "10.05");
        assert_eq!(round("1.001", "0.01", RoundMode::Up), "1.01");
        assert_eq!(round("-0.3", "1", RoundMode::HalfUp), "0");
        assert_eq!(round("12.345", "0", RoundMode::HalfUp), "12.345");
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
