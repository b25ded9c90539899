//! The 64-bit mantissas that nearly all numbers have, and the powers of ten that scale them.
//!
//! They are inlined into the operations of the other files, which call them for every number.

use rust_decimal::Decimal;

/// Whether a number is 1, written without decimals.
#[inline]
pub(crate) fn is_one(value: Decimal) -> bool {
    value.scale() == 0 && short_mantissa(value) == Some(1)
}

/// The mantissa, where it fits 64 bits, as it nearly always does.
#[inline]
pub(crate) fn short_mantissa(value: Decimal) -> Option<i64> {
    // A decimal is a sign and 96 bits in three parts: the highest of them has to be zero.
    let parts = value.unpack();
    let magnitude = i64::try_from(u64::from(parts.mid) << 32 | u64::from(parts.lo)).ok()?;
    (parts.hi == 0).then_some(if parts.negative {
        -magnitude
    } else {
        magnitude
    })
}

/// The integer that a number is at a scale, 150 for 1.5 with two decimals; `None` where it has more
/// decimals, or where 64 bits do not hold it.
pub(crate) fn integer_at_scale(value: Decimal, scale: u32) -> Option<i64> {
    let power = power_of_ten_short(scale.checked_sub(value.scale())?)?;
    short_mantissa(value)?.checked_mul(power)
}

/// Powers of ten by exponent.
#[expect(
    clippy::indexing_slicing,
    reason = "it is computed by the compiler, which refuses an index beyond the end"
)]
// A decimal has 28 decimals at most: no greater power is ever needed.
const POWERS_OF_TEN: [i128; 29] = {
    let mut powers = [1; 29];
    let mut exponent = 1;
    while exponent < powers.len() {
        powers[exponent] = powers[exponent - 1] * 10;
        exponent += 1;
    }
    powers
};

/// Ten to an exponent, from 0 to 28.
#[inline]
pub(crate) fn power_of_ten(exponent: u32) -> Option<i128> {
    POWERS_OF_TEN.get(exponent as usize).copied()
}

/// Ten to an exponent, where it fits 64 bits.
pub(crate) fn power_of_ten_short(exponent: u32) -> Option<i64> {
    i64::try_from(power_of_ten(exponent)?).ok()
}
