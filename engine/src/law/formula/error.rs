//! Why a calculation stops.

use crate::text::number::ArithmeticError;

/// Why a calculation stops. Rare, since rule files pass the checks and inputs are bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EvalError {
    /// A number of more than 28 digits.
    Overflow,
    DivisionByZero,
    /// A value that the kind of step cannot compute with, such as a loan of half a month.
    Domain,
    /// A value or an index that the checks exclude: a defect of the engine, not of the rules or the
    /// query.
    Internal,
    /// No row of the table for the value of the key at this index (the bound counts after the
    /// keys).
    NoRow(usize),
    /// Another folder gives no answer: the state says why.
    Call,
}

impl From<ArithmeticError> for EvalError {
    fn from(error: ArithmeticError) -> Self {
        match error {
            ArithmeticError::Overflow => Self::Overflow,
            ArithmeticError::DivisionByZero => Self::DivisionByZero,
        }
    }
}
