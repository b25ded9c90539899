//! Exact numbers: parsing, arithmetic, rounding and formatting.
//!
//! Everything is a [`Decimal`] of 28 digits. No value ever passes through a binary float, and no
//! operation panics: what does not fit gives `None`, which the evaluator turns into a typed error.

mod arithmetic;
mod compare;
mod mantissa;
mod parse;
mod round;
mod write;

use rust_decimal::Decimal;

pub(crate) use arithmetic::{ArithmeticError, add, div, mul, sub, times};
pub(crate) use compare::{compare, larger, smaller};
pub(crate) use mantissa::{
    integer_at_scale, is_one, power_of_ten, power_of_ten_short, short_mantissa,
};
pub(crate) use parse::{BadLiteral, NO_BREAK_SPACES, parse_amount, parse_plain, parse_rate};
pub use round::RoundMode;
pub(crate) use round::{has_more_decimals, round, round_decimals};
pub use write::{number_french, number_text, write_number};

/// Decimals kept before a rounding, so that the error of a division (1/3 × 3) never decides it.
pub(crate) const GUARD_DECIMALS: u32 = 15;

/// Factor from a rate in percent to a fraction.
pub(crate) const PERCENT: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

/// Decimals shown of a number or a rate.
pub(crate) const NUMBER_DECIMALS: u32 = 10;

/// Zero without its sign: the engine never returns -0.
#[inline]
pub(crate) fn plain_zero(value: Decimal) -> Decimal {
    if value.is_zero() {
        Decimal::ZERO
    } else {
        value
    }
}
