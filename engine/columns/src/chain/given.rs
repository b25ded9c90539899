//! Fields that are given as parameters, converted where their units ask for it.

use std::sync::Arc;

use arrow::array::{Array as _, ArrayRef, AsArray as _, Decimal128Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Decimal128Type, Field, Schema};

use crate::error::Error;

/// Digits of an amount that is paid for several months.
const DIGITS: u8 = 38;

/// A field that is given as parameters.
#[derive(Debug, Clone)]
pub(super) struct Given {
    /// The field of the answers.
    pub field: String,
    pub to: Target,
    pub conversion: Conversion,
}

/// The parameters that a field gives.
#[derive(Debug, Clone)]
pub(super) enum Target {
    /// The parameter of each element, by place; over rows of the table there is one.
    Places(Vec<String>),
    /// A parameter that has a value for each item of a group.
    Items(String),
}

/// How a value of a field becomes that of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conversion {
    Same,
    /// An amount per month, paid for so many months.
    Months(u32),
    /// A fraction, 0.07, that a parameter takes in percent.
    Percent,
}

impl Given {
    /// The columns of its parameters, each with its type.
    pub(super) fn columns(&self, answers: &Schema) -> Vec<(&str, DataType)> {
        let Ok(field) = answers.field_with_name(&self.field) else {
            return Vec::new();
        };
        let ty = self.conversion.of_type(field.data_type());
        match &self.to {
            Target::Places(names) => names
                .iter()
                .map(|name| (name.as_str(), ty.clone()))
                .collect(),
            Target::Items(name) => {
                let element = Arc::new(Field::new_list_field(ty, true));
                vec![(name, DataType::List(element))]
            }
        }
    }
}

impl Conversion {
    fn of_type(self, own: &DataType) -> DataType {
        match (self, own) {
            (Self::Months(_), DataType::Decimal128(_, scale)) => {
                DataType::Decimal128(DIGITS, *scale)
            }
            // A hundred times as much is the same integer with two decimals less.
            (Self::Percent, DataType::Decimal128(digits, scale)) => {
                DataType::Decimal128(*digits, scale.saturating_sub(2))
            }
            _ => own.clone(),
        }
    }

    /// The values of a column of answers as those of a parameter.
    pub(super) fn convert(self, values: &ArrayRef) -> Result<ArrayRef, Error> {
        let ty = self.of_type(values.data_type());
        let numbers = || values.as_primitive_opt::<Decimal128Type>();

        match (self, numbers()) {
            (Self::Months(months), Some(numbers)) => {
                // A column of answers has 18 digits at most: no product overflows.
                let product: Decimal128Array =
                    numbers.unary(|value| value.saturating_mul(i128::from(months)));
                Ok(Arc::new(product.with_data_type(ty)))
            }
            (Self::Percent, Some(numbers)) => Ok(Arc::new(numbers.clone().with_data_type(ty))),
            _ if *values.data_type() == ty => Ok(Arc::clone(values)),
            _ => Ok(cast(values, &ty)?),
        }
    }
}
