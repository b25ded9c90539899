//! Numbers of a column that is not a parameter, such as a weight, or an income to rank rows by.

use arrow::array::{Array as _, ArrayRef};
use arrow::datatypes::Field;
use bareme_engine::run::plan::{Cells, FixedPoint};
use bareme_engine::rust_decimal::Decimal;

use crate::error::Error;
use crate::input::{self, Accepted, Floats};

/// Numbers as integers, to be divided by ten to the power `decimals`.
///
/// ```
/// use std::sync::Arc;
///
/// use bareme_arrow::arrow::array::{ArrayRef, Float64Array, StringArray};
/// use bareme_arrow::{Exact, Floats};
///
/// let weights: ArrayRef = Arc::new(StringArray::from(vec![Some("12.5"), None, Some("3")]));
/// let weights = Exact::of_column("poids", &weights, Floats::Refused)?;
/// assert_eq!((weights.decimals, weights.values), (1, vec![Some(125), None, Some(30)]));
/// let floats: ArrayRef = Arc::new(Float64Array::from(vec![1000.64]));
/// assert_eq!(Exact::of_column("poids", &floats, Floats::AsShown)?.values, [Some(100_064)]);
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
    /// Reads a column of integers, decimals or texts; one of floats as `floats` says.
    ///
    /// # Errors
    /// Another type, or a text that is not a number.
    pub fn of_column(name: &str, array: &ArrayRef, floats: Floats) -> Result<Self, Error> {
        Self::read(name, array, floats, |row, text| {
            Err(Error::Number {
                column: name.to_owned(),
                row: row.saturating_add(1),
                text: text.to_owned(),
            })
        })
    }

    /// Like [`of_column`](Self::of_column), but a text that is not a number counts as empty: for a
    /// column whose rows are refused elsewhere.
    ///
    /// # Errors
    /// Another type.
    pub fn of_readable(name: &str, array: &ArrayRef, floats: Floats) -> Result<Self, Error> {
        Self::read(name, array, floats, |_, _| Ok(None))
    }

    fn read(
        name: &str,
        array: &ArrayRef,
        floats: Floats,
        otherwise: impl Fn(usize, &str) -> Result<Option<Decimal>, Error>,
    ) -> Result<Self, Error> {
        // The same types as for parameters, so that a file that computes can also be weighted.
        let field = Field::new(name, array.data_type().clone(), true);
        input::check_type(&field, floats, Accepted::default())?;
        let plain = input::plain(field.name(), array, floats)?;

        let wrong = || Error::Type {
            column: name.to_owned(),
            found: array.data_type().clone(),
        };

        match input::cells(name, &plain)? {
            Cells::Numbers {
                decimals, values, ..
            } => {
                // A null of Arrow has an integer too, which means nothing.
                let value = |(row, value): (usize, &i128)| plain.is_valid(row).then_some(*value);
                Ok(Self {
                    decimals,
                    values: values.iter().enumerate().map(value).collect(),
                })
            }
            Cells::Texts(texts) => {
                let number = |(row, text): (usize, &Option<&str>)| match text
                    .filter(|text| !text.is_empty())
                {
                    Some(text) => Decimal::from_str_exact(text)
                        .map_or_else(|_| otherwise(row, text), |number| Ok(Some(number))),
                    None => Ok(None),
                };

                let numbers = texts
                    .iter()
                    .enumerate()
                    .map(number)
                    .collect::<Result<Vec<_>, _>>()?;
                Self::of_numbers(&numbers).ok_or_else(wrong)
            }

            // A column of nulls only has no type of its own.
            Cells::Booleans(values) if values.iter().all(Option::is_none) => Ok(Self {
                decimals: 0,
                values: vec![None; values.len()],
            }),
            _ => Err(wrong()),
        }
    }

    /// Numbers at the scale of the one with most decimals; `None` where 128-bit integers do not
    /// hold them.
    fn of_numbers(numbers: &[Option<Decimal>]) -> Option<Self> {
        // One scale for the whole column, that of its longest fraction: no digit is lost.
        let decimals = numbers
            .iter()
            .flatten()
            .map(Decimal::scale)
            .max()
            .unwrap_or_default();

        let value = |number: &Option<Decimal>| match number {
            Some(number) => FixedPoint::from(*number).at_scale(decimals).map(Some),
            None => Some(None),
        };

        Some(Self {
            decimals,
            values: numbers.iter().map(value).collect::<Option<_>>()?,
        })
    }

    /// The same numbers with another number of decimals; `None` where digits would be lost, or
    /// nothing holds them.
    pub fn with_decimals(self, decimals: u32) -> Option<Self> {
        let value = |value: i128| FixedPoint::new(value, self.decimals).at_scale(decimals);

        let values = self
            .values
            .iter()
            .map(|cell| cell.map_or(Some(None), |cell| value(cell).map(Some)));

        Some(Self {
            decimals,
            values: values.collect::<Option<_>>()?,
        })
    }
}
