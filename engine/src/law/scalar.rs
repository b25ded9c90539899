//! A single value of an answer.

use std::borrow::Cow;

use rust_decimal::Decimal;

use crate::law::types::Value;
use crate::text::json::Datum;
use crate::text::number::{NUMBER_DECIMALS, number_text, round_decimals};

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
    /// An empty cell, or an output that the step does not have.
    Null,
    /// True or false.
    Boolean(bool),
    /// An amount, a rate or a number.
    Number(Decimal),
    /// A word or a text.
    Text(Cow<'f, str>),
}

impl Scalar<'_> {
    /// A value for an explanation: amounts keep their decimals, so that every rounding can be seen.
    /// Words must have been turned into texts.
    pub(crate) fn exact(value: &Value) -> Self {
        match value {
            Value::Nothing | Value::Word(_) => Self::Null,
            Value::Number(number) => Self::Number(round_decimals(*number, NUMBER_DECIMALS)),
            Value::Boolean(value) => Self::Boolean(*value),
            Value::Text(text) => Self::Text(Cow::Owned(text.to_string())),
            Value::List(values) => Self::Text(Cow::Owned(list_text(values))),
        }
    }

    /// The value in a line of text.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Null => String::new(),
            Self::Boolean(value) => value.to_string(),
            Self::Number(number) => number_text(*number),
            Self::Text(text) => text.to_string(),
        }
    }

    /// The value as JSON.
    pub fn datum(&self) -> Datum<'_> {
        match self {
            Self::Null => Datum::Null,
            Self::Boolean(value) => Datum::Boolean(*value),
            Self::Number(number) => Datum::Number(*number),
            Self::Text(text) => Datum::Text(text),
        }
    }
}

/// The values of the items of a group, as a query sends them.
fn list_text(values: &[Value]) -> String {
    let texts = values.iter().map(|value| Scalar::exact(value).text());
    texts.collect::<Vec<_>>().join("; ")
}
