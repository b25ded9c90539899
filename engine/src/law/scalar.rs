//! A single value of an answer.

use std::borrow::Cow;

use rust_decimal::Decimal;

use crate::law::types::Value;
use crate::text::json::Datum;
use crate::text::number::{NUMBER_DECIMALS, round_decimals};

/// A single value of an answer.
///
/// ```
/// use bareme_engine::law::Scalar;
///
/// assert_eq!(Scalar::Number("1.50".parse()?).datum().to_string(), "1.5");
/// assert_eq!(Scalar::Null.datum().to_string(), "null");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar<'f> {
    /// An empty cell, or an output that the step does not give.
    Null,
    /// True or false.
    Boolean(bool),
    /// An amount, a rate or a number.
    Number(Decimal),
    /// A word or a text.
    Text(Cow<'f, str>),
}

impl Scalar<'_> {
    /// A value as an explanation shows it, with the decimals of a number even where it is an amount: an
    /// explanation hides no rounding. Words have become texts.
    pub(crate) fn exact(value: &Value) -> Self {
        match value {
            Value::Nothing | Value::Word(_) => Self::Null,
            Value::Number(number) => Self::Number(round_decimals(*number, NUMBER_DECIMALS)),
            Value::Boolean(value) => Self::Boolean(*value),
            Value::Text(text) => Self::Text(Cow::Owned(text.to_string())),
        }
    }

    /// A view of it, for a writer of JSON or of a table.
    pub fn datum(&self) -> Datum<'_> {
        match self {
            Self::Null => Datum::Null,
            Self::Boolean(value) => Datum::Boolean(*value),
            Self::Number(number) => Datum::Number(*number),
            Self::Text(text) => Datum::Text(text),
        }
    }
}
