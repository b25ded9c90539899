//! Why a calculation stops.

use crate::text::number::ArithmeticError;

/// Why a calculation stops. Rule files that pass the checks and bounded inputs make it rare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EvalError {
    /// A number beyond 28 digits.
    Overflow,
    DivisionByZero,
    /// A value outside of those that a kind of step computes with: a loan of half a month.
    Domain,
    /// A value or an index that the checks exclude: the engine is wrong, not the rules or the query.
    Internal,
    /// No row of the table for the value of this key (or of the bound, after the keys).
    NoRow(usize),
}

impl From<ArithmeticError> for EvalError {
    fn from(error: ArithmeticError) -> Self {
        match error {
            ArithmeticError::Overflow => Self::Overflow,
            ArithmeticError::DivisionByZero => Self::DivisionByZero,
        }
    }
}
