//! Lists of an answer as columns of lists of structs: the brackets of a tax, the heirs of an estate.

use std::collections::BTreeMap;
use std::str::FromStr as _;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Decimal128Array, Int64Array, ListArray, StringArray, StructArray,
};
use arrow::buffer::{BooleanBuffer, NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field, Fields};
use bareme_engine::law::MemberType;
use bareme_engine::run::plan::{FixedPoint, Plan};
use bareme_engine::rust_decimal::Decimal;
use serde_json::value::RawValue;

use crate::error::Error;

/// Digits and decimals of the numbers of an element, whose law is not that of the column.
const NUMBER: DataType = DataType::Decimal128(28, DECIMALS);
const DECIMALS: i8 = 10;

/// An element of a list of an answer: its members as JSON.
type Element = BTreeMap<String, Box<RawValue>>;

/// The type of a field that is a list: its members in all editions of all folders.
pub(crate) fn type_of(plan: &Plan, name: &str) -> DataType {
    let mut members: Vec<Field> = Vec::new();

    for edition in plan
        .folders()
        .flat_map(|folder| folder.editions().iter().rev())
    {
        let fields = edition.method().fields().iter();
        for field in fields.filter(|field| field.name == name) {
            for member in edition.members_of(field) {
                let ty = of_member(member.ty);
                match members.iter_mut().find(|known| known.name() == member.name) {
                    // A number in one edition and a text in another one are texts.
                    Some(known) if *known.data_type() != ty => {
                        *known = Field::new(member.name, DataType::Utf8, true);
                    }
                    Some(_) => {}
                    None => members.push(Field::new(member.name, ty, true)),
                }
            }
        }
    }

    // A list whose elements have no members is text.
    if members.is_empty() {
        return DataType::Utf8;
    }
    let element = Field::new_list_field(DataType::Struct(Fields::from(members)), true);
    DataType::List(Arc::new(element))
}

fn of_member(ty: MemberType) -> DataType {
    match ty {
        MemberType::Number => NUMBER,
        MemberType::Integer => DataType::Int64,
        MemberType::Boolean => DataType::Boolean,
        // Texts, and the JSON text of what has members of its own.
        _ => DataType::Utf8,
    }
}

/// The lists of rows, each given as the index of its JSON text; null in rows without one.
pub(crate) fn array(
    texts: &[Arc<str>],
    indices: impl Iterator<Item = Option<usize>>,
    members: &Fields,
) -> Result<ArrayRef, Error> {
    // 1. Each text is parsed once, since many rows may share one.
    let parsed: Vec<Vec<Element>> = texts
        .iter()
        .map(|text| serde_json::from_str(text))
        .collect::<Result<_, _>>()
        .map_err(unreadable)?;

    // 2. The elements of all rows, one row after the other.
    let rows: Vec<Option<&Vec<Element>>> = indices
        .map(|index| index.and_then(|index| parsed.get(index)))
        .collect();
    let lengths = rows.iter().map(|list| list.map_or(0, Vec::len));
    let offsets = OffsetBuffer::from_lengths(lengths);
    let elements: Vec<&Element> = rows.iter().copied().flatten().flatten().collect();

    // 3. An array for each member.
    let mut columns = Vec::with_capacity(members.len());
    for member in members {
        let values = elements.iter().map(|element| {
            let value = element.get(member.name())?.get();
            (value != "null").then_some(value)
        });
        columns.push(of_values(values, member.data_type())?);
    }

    let structs = StructArray::try_new(members.clone(), columns, None)?;
    let present: BooleanBuffer = rows.iter().map(Option::is_some).collect();
    let element = Field::new_list_field(DataType::Struct(members.clone()), true);
    Ok(Arc::new(ListArray::try_new(
        Arc::new(element),
        offsets,
        Arc::new(structs),
        Some(NullBuffer::new(present)),
    )?))
}

/// The values of a member, given as JSON.
fn of_values<'v>(
    values: impl Iterator<Item = Option<&'v str>>,
    ty: &DataType,
) -> Result<ArrayRef, Error> {
    Ok(match ty {
        DataType::Decimal128(..) => {
            let numbers = values.map(|value| value.map(number).transpose());
            let numbers: Decimal128Array = numbers.collect::<Result<_, Error>>()?;
            Arc::new(numbers.with_data_type(ty.clone()))
        }
        DataType::Int64 => {
            let numbers = values.map(|value| value.map(integer).transpose());
            Arc::new(numbers.collect::<Result<Int64Array, Error>>()?)
        }
        DataType::Boolean => {
            let words = values.map(|value| value.map(|value| value == "true"));
            Arc::new(words.collect::<BooleanArray>())
        }
        _ => {
            let texts = values.map(|value| value.map(text).transpose());
            Arc::new(texts.collect::<Result<StringArray, Error>>()?)
        }
    })
}

fn number(value: &str) -> Result<i128, Error> {
    let exact = Decimal::from_str(value)
        .ok()
        .and_then(|number| FixedPoint::from(number).at_scale(u32::from(DECIMALS.unsigned_abs())));
    exact.ok_or_else(|| unreadable(value))
}

fn integer(value: &str) -> Result<i64, Error> {
    value.parse().map_err(|_| unreadable(value))
}

fn text(value: &str) -> Result<String, Error> {
    match value.starts_with('"') {
        true => serde_json::from_str(value).map_err(unreadable),
        false => Ok(value.to_owned()),
    }
}

fn unreadable(reason: impl ToString) -> Error {
    Error::Malformed(reason.to_string())
}
