//! A single value of an answer.

use std::borrow::Cow;
use std::fmt;

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
    /// The values of the items of a group.
    List(Vec<Self>),
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
            Value::Date(day) => Self::Text(Cow::Owned(day.to_string())),
            Value::List(values) => Self::List(values.iter().map(Self::exact).collect()),
        }
    }

    /// The values of the items of a group, or the value itself.
    pub fn each(&self) -> &[Self] {
        match self {
            Self::List(values) => values,
            value => std::slice::from_ref(value),
        }
    }

    /// The value as JSON.
    pub fn datum(&self) -> Datum<'_> {
        match self {
            Self::Null => Datum::Null,
            Self::Boolean(value) => Datum::Boolean(*value),
            Self::Number(number) => Datum::Number(*number),
            Self::Text(text) => Datum::Text(text),
            Self::List(_) => Datum::Shown(self),
        }
    }
}

/// The value as a query sends it, but for rates, which are fractions.
impl fmt::Display for Scalar<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Boolean(value) => write!(formatter, "{value}"),
            Self::Number(number) => formatter.write_str(&number_text(*number)),
            Self::Text(text) => formatter.write_str(text),
            Self::List(values) => {
                for (index, value) in values.iter().enumerate() {
                    let separator = if index > 0 { "; " } else { "" };
                    write!(formatter, "{separator}{value}")?;
                }
                Ok(())
            }
        }
    }
}
