//! Numbers of a column that is not a parameter, such as a weight, or an income to rank rows by.

use arrow::array::{Array as _, ArrayRef};
use arrow::datatypes::Field;
use bareme_engine::run::plan::Cells;
use bareme_engine::rust_decimal::Decimal;

use crate::error::Error;
use crate::input;

/// Numbers as integers, to be divided by ten to the power `decimals`.
///
/// ```
/// use std::sync::Arc;
///
/// use bareme_arrow::Exact;
/// use bareme_arrow::arrow::array::{ArrayRef, StringArray};
///
/// let weights: ArrayRef = Arc::new(StringArray::from(vec![Some("12.5"), None, Some("3")]));
/// let weights = Exact::of_column("poids", &weights, None)?;
/// assert_eq!((weights.decimals, weights.values), (1, vec![Some(125), None, Some(30)]));
/// # Ok::<(), bareme_arrow::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exact {
    /// Number of decimals.
    pub decimals: u32,
    /// The integers; `None` for an empty cell.
    pub values: Vec<Option<i128>>,
}

impl Exact {
    /// Reads a column of integers, decimals or texts; one of floats, if a rounding is given.
    ///
    /// # Errors
    /// Another type, or a text that is not a number.
    pub fn of_column(name: &str, array: &ArrayRef, float_decimals: Option<u32>) -> Result<Self, Error> {
        Self::read(name, array, float_decimals, |row, text| {
            Err(Error::Number { column: name.to_owned(), row: row.saturating_add(1), text: text.to_owned() })
        })
    }

    /// Like [`of_column`](Self::of_column), but a text that is not a number counts as empty: for a column whose rows
    /// are refused elsewhere.
    ///
    /// # Errors
    /// Another type.
    pub fn of_readable(name: &str, array: &ArrayRef, float_decimals: Option<u32>) -> Result<Self, Error> {
        Self::read(name, array, float_decimals, |_, _| Ok(None))
    }

    fn read(
        name: &str,
        array: &ArrayRef,
        float_decimals: Option<u32>,
        otherwise: impl Fn(usize, &str) -> Result<Option<Decimal>, Error>,
    ) -> Result<Self, Error> {
        input::check_type(&Field::new(name, array.data_type().clone(), true), float_decimals)?;
        let plain = input::plain(array, float_decimals)?;
        let wrong = || Error::Type { column: name.to_owned(), found: array.data_type().clone() };
        match input::cells(name, &plain)? {
            Cells::Numbers { decimals, values, .. } => {
                let value = |(row, value): (usize, &i128)| plain.is_valid(row).then_some(*value);
                Ok(Self { decimals, values: values.iter().enumerate().map(value).collect() })
            }
            Cells::Texts(texts) => {
                let number = |(row, text): (usize, &Option<&str>)| match text.filter(|text| !text.is_empty()) {
                    Some(text) => {
                        Decimal::from_str_exact(text).map_or_else(|_| otherwise(row, text), |number| Ok(Some(number)))
                    }
                    None => Ok(None),
                };
                let numbers = texts.iter().enumerate().map(number).collect::<Result<Vec<_>, _>>()?;
                Self::of_numbers(&numbers).ok_or_else(wrong)
            }
            Cells::Booleans(values) if values.iter().all(Option::is_none) => {
                Ok(Self { decimals: 0, values: vec![None; values.len()] })
            }
            _ => Err(wrong()),
        }
    }

    /// Numbers at the scale of the one with most decimals; `None` where 128-bit integers do not hold them.
    fn of_numbers(numbers: &[Option<Decimal>]) -> Option<Self> {
        let decimals = numbers.iter().flatten().map(Decimal::scale).max().unwrap_or_default();
        let value = |number: &Option<Decimal>| match number {
            Some(number) => {
                let power = 10_i128.checked_pow(decimals.checked_sub(number.scale())?)?;
                number.mantissa().checked_mul(power).map(Some)
            }
            None => Some(None),
        };
        Some(Self { decimals, values: numbers.iter().map(value).collect::<Option<_>>()? })
    }

    /// The same numbers with another number of decimals; `None` where digits would be lost, or nothing holds them.
    pub fn with_decimals(self, decimals: u32) -> Option<Self> {
        let value = |value: i128| match decimals.checked_sub(self.decimals) {
            Some(more) => value.checked_mul(10_i128.checked_pow(more)?),
            None => {
                let power = 10_i128.checked_pow(self.decimals.checked_sub(decimals)?)?;
                (value.checked_rem(power)? == 0).then_some(value.checked_div(power)?)
            }
        };
        let values = self.values.iter().map(|cell| cell.map_or(Some(None), |cell| value(cell).map(Some)));
        Some(Self { decimals, values: values.collect::<Option<_>>()? })
    }
}
