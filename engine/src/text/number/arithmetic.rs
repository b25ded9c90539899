//! The four operations, each checked.

use rust_decimal::Decimal;

use super::{is_one, plain_zero};

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
    // The library gives `None` for this as for an overflow, and the two have different reports.
    if b.is_zero() {
        return Err(ArithmeticError::DivisionByZero);
    }

    a.checked_div(b)
        .map(plain_zero)
        .ok_or(ArithmeticError::Overflow)
}

/// `a * b`, without a multiplication where `b` is 1, as a number of shares mostly is.
pub(crate) fn times(a: Decimal, b: Decimal) -> Result<Decimal, ArithmeticError> {
    if is_one(b) { Ok(a) } else { mul(a, b) }
}
