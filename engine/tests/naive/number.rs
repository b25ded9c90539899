//! Exact fractions: read, rounded, and written as French does.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};

pub(crate) type Rat = num_rational::BigRational;

/// `-12.50`.
pub(crate) fn plain(text: &str) -> Option<Rat> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let value = Rat::new(
        format!("{whole}{fraction}").parse().ok()?,
        power_of_ten(fraction.len()),
    );
    Some(if digits.len() < text.len() {
        -value
    } else {
        value
    })
}

/// `1 296 000`, `6.3%`, `137/51`.
pub(crate) fn literal(text: &str) -> Option<Rat> {
    if let Some((above, below)) = text.split_once('/') {
        return Some(literal(above)? / literal(below)?);
    }
    match text.strip_suffix('%') {
        Some(percent) => Some(literal(percent)? / power_of_ten(2)),
        None => plain(&text.replace(' ', "")),
    }
}

pub(crate) fn power_of_ten(power: usize) -> BigInt {
    num_traits::pow(BigInt::from(10), power)
}

/// To a multiple of the unit, the value being first brought to 15 decimals.
pub(crate) fn round(value: &Rat, unit: &Rat, mode: &str) -> Rat {
    if unit.is_zero() {
        return value.clone();
    }
    let fine = power_of_ten(15);
    let fine_units = divide(value.numer() * &fine, value.denom(), "half_up");
    let multiples = divide(fine_units * unit.denom(), &(fine * unit.numer()), mode);
    unit * multiples
}

/// Divides to a whole number; halves go away from zero.
fn divide(above: BigInt, below: &BigInt, mode: &str) -> BigInt {
    match mode {
        "down" => above.div_floor(below),
        "up" => above.div_ceil(below),
        _ if above.is_negative() => -divide(-above, below, mode),
        _ => {
            let twice: BigInt = above * 2 + below;
            twice.div_floor(&(below * 2))
        }
    }
}

/// `3 422,72`: with so many decimals at least.
pub(crate) fn french(value: &Rat, least: usize) -> String {
    let mut places = least;
    while !(value * power_of_ten(places)).is_integer() {
        places += 1;
    }
    let digits = (value * power_of_ten(places))
        .to_integer()
        .abs()
        .to_string();
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);

    let mut text = String::from(if value.is_negative() { "-" } else { "" });
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            text.push(' ');
        }
        text.push(digit);
    }
    if places > 0 {
        text.push(',');
        text.push_str(fraction);
    }
    text
}
