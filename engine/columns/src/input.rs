//! Columns of tables as cells of parameters.

use std::borrow::Cow;
use std::sync::Arc;

use arrow::array::{Array as _, ArrayRef, AsArray as _, Date32Array, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, Date32Type, Date64Type, Decimal128Type, Field, Float32Type, Float64Type, Int64Type,
    TimeUnit,
};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use bareme_engine::jiff::Span;
use bareme_engine::jiff::civil::{Date, date};
use bareme_engine::law::parameter::DATE;
use bareme_engine::law::{Input, Presence, Type};
use bareme_engine::run::plan::{Cells, Plan};
use bareme_engine::rust_decimal::{Decimal, RoundingStrategy};

use crate::error::Error;
use crate::lists;
use crate::output::{AMOUNT_DIGITS, NUMBER, RATE};

/// The columns of a plan, with the types that are read fastest.
pub(crate) fn fields(plan: &Plan) -> Vec<Field> {
    let is_family = plan.folders().nth(1).is_some();
    let inputs = plan.inputs();

    plan.columns()
        .into_iter()
        .map(
            |name| match inputs.iter().find(|input| input.name == name) {
                Some(input) => {
                    // In a family, an input that one folder requires may be absent from another
                    // one.
                    let is_required = matches!(input.presence, Presence::Required) && !is_family;
                    Field::new(name, type_of(input), !is_required)
                }
                None if name == DATE => Field::new(name, DataType::Date32, true),
                None => Field::new(name, DataType::Utf8, true),
            },
        )
        .collect()
}

/// The Arrow type of the column of an input.
fn type_of(input: &Input) -> DataType {
    match input.ty {
        Type::Money(_) => {
            // Amounts in most currencies have two decimals; an input may ask for fewer.
            let decimals = input
                .decimals
                .and_then(|decimals| i8::try_from(decimals).ok())
                .unwrap_or(2);
            DataType::Decimal128(AMOUNT_DIGITS, decimals)
        }

        // The input also accepts words in place of a number.
        Type::Rate | Type::Number if !input.words.is_empty() => DataType::Utf8,
        Type::Number if input.integer => DataType::Int64,
        Type::Rate | Type::Number if fits_rate(input) => RATE,
        Type::Rate | Type::Number => NUMBER,
        Type::Boolean => DataType::Boolean,
        Type::Date => DataType::Date32,
        _ => DataType::Utf8,
    }
}

/// Whether the digits of a rate hold every number that an input accepts, in the unit of queries:
/// rates in percent.
fn fits_rate(input: &Input) -> bool {
    // Three digits before the point: up to 999 % or 999.
    let unit = if input.ty == Type::Rate {
        Decimal::ONE_HUNDRED
    } else {
        Decimal::ONE
    };

    let fits = |bound: Decimal| {
        bound
            .checked_mul(unit)
            .is_some_and(|bound| bound.abs() < Decimal::ONE_THOUSAND)
    };

    [input.min, input.max]
        .into_iter()
        .all(|bound| bound.is_some_and(fits))
}

/// How a column of binary floats is read.
///
/// [`Exact::of_column`](crate::Exact::of_column) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Floats {
    /// Not at all: amounts have exact cents, which binary floats do not have.
    Refused,
    /// Rounded half up to so many decimals, from the shortest text that represents each.
    RoundedTo(u32),
    /// As the shortest text that represents each, with all its decimals.
    AsShown,
}

impl Floats {
    /// The reading of parameters, for which a rounding may be named.
    pub(crate) fn of_parameters(decimals: Option<u32>) -> Self {
        decimals.map_or(Self::Refused, Self::RoundedTo)
    }
}

/// Types of columns that some parameters accept, besides numbers, texts, booleans and days.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Accepted {
    /// Moments, which must be at midnight: it is a column of days.
    pub moments: bool,
    /// Lists: it is of an input that each item of a group has.
    pub lists: bool,
}

/// Refuses a column of a type that no parameter can have.
pub(crate) fn check_type(field: &Field, floats: Floats, accepted: Accepted) -> Result<(), Error> {
    if let Some(element) = lists::element(field.data_type()).filter(|_| accepted.lists) {
        let element = Field::new(field.name(), element.data_type().clone(), true);
        let accepted = Accepted {
            lists: false,
            ..accepted
        };
        return check_type(&element, floats, accepted);
    }

    // A dictionary is read as the values that it holds.
    let value = match field.data_type() {
        DataType::Dictionary(_, value) => value.as_ref(),
        other => other,
    };

    match value {
        DataType::Float16 | DataType::Float32 | DataType::Float64 if floats == Floats::Refused => {
            Err(Error::Float {
                column: field.name().clone(),
            })
        }
        found if found.is_numeric() => Ok(()),
        DataType::Null
        | DataType::Boolean
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Date32 => Ok(()),
        // A moment with a time zone is on another day elsewhere.
        DataType::Date64 | DataType::Timestamp(_, None) if accepted.moments => Ok(()),
        found => Err(Error::Type {
            column: field.name().clone(),
            found: found.clone(),
        }),
    }
}

/// Converts a column to one of the few types that cells are read from, without loss. A number that
/// 128-bit integers do not hold becomes a text, which is then refused like that text.
pub(crate) fn plain(column: &str, array: &ArrayRef, floats: Floats) -> Result<ArrayRef, Error> {
    let texts = |texts: StringArray| -> Result<ArrayRef, Error> { Ok(Arc::new(texts)) };

    match array.data_type() {
        DataType::Dictionary(_, value) => plain(column, &cast(array, value)?, floats),
        found if lists::element(found).is_some() => lists::texts(column, array, floats),
        // All integers of 32 bits are read as one type.
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32 => Ok(cast(array, &DataType::Int64)?),
        DataType::LargeUtf8 | DataType::Utf8View => Ok(cast(array, &DataType::Utf8)?),
        // Decimals with a negative scale, `12e3`, have no counterpart here and are read as texts.
        DataType::Decimal32(precision, scale) | DataType::Decimal64(precision, scale)
            if *scale >= 0 =>
        {
            Ok(cast(array, &DataType::Decimal128(*precision, *scale))?)
        }

        // The usual type of amounts is used where it is, without a copy.
        DataType::Decimal128(_, scale) if *scale >= 0 => Ok(Arc::clone(array)),
        // Numbers that 128-bit integers may not hold are read as texts.
        DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..)
        | DataType::UInt64 => texts(written(array)?.iter().collect()),
        DataType::Float16 => texts(rounded(&written(array)?, floats)),
        // The shortest text that represents the float exactly, without an exponent.
        DataType::Float32 => {
            let shortest = array
                .as_primitive::<Float32Type>()
                .iter()
                .map(|value| value.map(|value| value.to_string()));
            texts(rounded(&shortest.collect(), floats))
        }
        DataType::Float64 => {
            let shortest = array
                .as_primitive::<Float64Type>()
                .iter()
                .map(|value| value.map(|value| value.to_string()));
            texts(rounded(&shortest.collect(), floats))
        }

        DataType::Date64 | DataType::Timestamp(_, None) => days(array),
        DataType::Date32 => {
            let numbers = array.as_primitive::<Date32Type>().iter();
            let are_days = numbers
                .clone()
                .flatten()
                .all(|number| day(number).is_some());
            Ok(if are_days {
                Arc::clone(array)
            } else {
                calendar(numbers.map(|number| number.map(i64::from)))
            })
        }

        // Texts, booleans, days and 64-bit integers are read as they are.
        _ => Ok(Arc::clone(array)),
    }
}

/// Moments at midnight as days. One at another hour would lose it, and is an error.
fn days(array: &ArrayRef) -> Result<ArrayRef, Error> {
    let a_day: i64 = match array.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => 86_400,
        DataType::Timestamp(TimeUnit::Microsecond, _) => 86_400_000_000,
        DataType::Timestamp(TimeUnit::Nanosecond, _) => 86_400_000_000_000,
        // Milliseconds, of moments and of `Date64`.
        _ => 86_400_000,
    };

    // A moment is the number of its units since 1970 in every type.
    let moments = match array.data_type() {
        DataType::Date64 => array
            .as_primitive::<Date64Type>()
            .reinterpret_cast::<Int64Type>(),
        _ => cast(array, &DataType::Int64)?
            .as_primitive::<Int64Type>()
            .clone(),
    };
    let is_inside = |moment: Option<i64>| {
        moment.is_some_and(|moment| moment.checked_rem(a_day).unwrap_or_default() != 0)
    };
    if let Some(row) = moments.iter().position(is_inside) {
        return Err(Error::Moment {
            row: row.saturating_add(1),
        });
    }
    Ok(calendar(moments.iter().map(|moment| {
        moment.map(|moment| moment.checked_div(a_day).unwrap_or_default())
    })))
}

/// Numbers of days since 1970 as days. Where one lies outside the calendar all become texts, of which
/// that one is refused: a cast would leave it out, as if no day were sent, or take another for it.
fn calendar(numbers: impl Iterator<Item = Option<i64>> + Clone) -> ArrayRef {
    let found = |number: i64| {
        i32::try_from(number)
            .ok()
            .filter(|days| day(*days).is_some())
    };
    let days: Option<Vec<Option<i32>>> = numbers
        .clone()
        .map(|number| match number {
            None => Some(None),
            Some(number) => found(number).map(Some),
        })
        .collect();
    if let Some(days) = days {
        return Arc::new(Date32Array::from(days));
    }

    let text = |number: i64| match found(number).and_then(day) {
        Some(day) => day.to_string(),
        None => number.to_string(),
    };
    let texts: StringArray = numbers.map(|number| number.map(text)).collect();
    Arc::new(texts)
}

/// Formats numbers as texts.
pub(crate) fn written(array: &ArrayRef) -> Result<StringArray, Error> {
    let options = FormatOptions::new();
    let formatter = ArrayFormatter::try_new(array, &options)?;

    Ok((0..array.len())
        .map(|row| {
            array
                .is_valid(row)
                .then(|| formatter.value(row).to_string())
        })
        .collect())
}

/// Texts of floats, rounded half up where a rounding is named; a text that is not a number is kept,
/// and refused later.
fn rounded(texts: &StringArray, floats: Floats) -> StringArray {
    let round = |text: &str| match (text.parse::<Decimal>(), floats) {
        // Half up, as amounts of the law are rounded: the shortest text of 0.125 ends in 5 exactly.
        (Ok(number), Floats::RoundedTo(decimals)) => number
            .round_dp_with_strategy(decimals, RoundingStrategy::MidpointAwayFromZero)
            .normalize()
            .to_string(),
        _ => text.to_owned(),
    };

    texts.iter().map(|text| text.map(round)).collect()
}

/// The cells of a column converted by [`plain`].
pub(crate) fn cells<'a>(name: &str, array: &'a ArrayRef) -> Result<Cells<'a>, Error> {
    // A null buffer without nulls costs a look at each row: it is left out.
    let present = || {
        array
            .logical_nulls()
            .filter(|nulls| nulls.null_count() > 0)
            .map(|nulls| nulls.iter().collect())
    };

    Ok(match array.data_type() {
        // A column of nulls is of any type: no row has a value.
        DataType::Null => Cells::Booleans(vec![None; array.len()]),
        DataType::Boolean => Cells::Booleans(array.as_boolean().iter().collect()),
        DataType::Utf8 => Cells::Texts(array.as_string::<i32>().iter().collect()),
        DataType::Int64 => {
            let values = array
                .as_primitive::<Int64Type>()
                .values()
                .iter()
                .map(|value| i128::from(*value));
            Cells::Numbers {
                decimals: 0,
                values: values.collect(),
                present: present(),
            }
        }
        DataType::Decimal128(_, scale) => {
            // Decimals of Arrow are integers already: the engine reads them in place.
            let values = array.as_primitive::<Decimal128Type>().values();
            Cells::Numbers {
                decimals: u32::from(scale.unsigned_abs()),
                values: Cow::Borrowed(values),
                present: present(),
            }
        }
        DataType::Date32 => Cells::Dates(
            array
                .as_primitive::<Date32Type>()
                .iter()
                .map(|days| days.and_then(day))
                .collect(),
        ),
        found => {
            return Err(Error::Type {
                column: name.to_owned(),
                found: found.clone(),
            });
        }
    })
}

/// The date `days` days after 1 January 1970.
fn day(days: i32) -> Option<Date> {
    date(1970, 1, 1)
        .checked_add(Span::new().try_days(days).ok()?)
        .ok()
}
