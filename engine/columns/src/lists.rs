//! Columns of lists: in each row the values of the inputs of the items of a group, or structs with
//! these values as members.

use std::sync::Arc;

use arrow::array::{Array as _, ArrayRef, AsArray as _, ListArray, StringArray};
use arrow::compute::{cast, is_null, nullif};
use arrow::datatypes::{DataType, Field, FieldRef, Fields};

use bareme_engine::law::VALUE_SEPARATOR;

use crate::error::Error;
use crate::input::{Floats, plain, written};

/// The field of the elements, for a column of lists.
pub(crate) fn element(found: &DataType) -> Option<&FieldRef> {
    match found {
        DataType::List(element)
        | DataType::LargeList(element)
        | DataType::FixedSizeList(element, _) => Some(element),
        _ => None,
    }
}

/// The members of the elements, for a column of lists of structs.
pub(crate) fn members(found: &DataType) -> Option<&Fields> {
    match element(found)?.data_type() {
        DataType::Struct(members) => Some(members),
        _ => None,
    }
}

/// A column of lists of the values of a member.
pub(crate) fn of_values(member: &Field) -> Field {
    let element = Field::new(member.name(), member.data_type().clone(), true);
    Field::new_list(member.name(), element, true)
}

/// The lists of a member of the elements of a column of lists of structs; an element that is null
/// has no value there.
pub(crate) fn of_member(column: &str, array: &ArrayRef, member: usize) -> Result<ArrayRef, Error> {
    let lists = as_lists(array)?;
    let structs = lists.values().as_struct();
    let of_type = || Error::Type {
        column: column.to_owned(),
        found: array.data_type().clone(),
    };
    let values = structs.columns().get(member).ok_or_else(of_type)?;

    // A struct that is null hides what its members hold.
    let values = nullif(values, &is_null(structs)?)?;
    let field = Field::new_list_field(values.data_type().clone(), true);
    let of_member = ListArray::try_new(
        Arc::new(field),
        lists.offsets().clone(),
        values,
        lists.nulls().cloned(),
    )?;
    Ok(Arc::new(of_member))
}

/// The lists of a column as the texts of a parameter, `12.50;8`; an element that is null is empty.
///
/// # Errors
/// An element of text that has the separator in it, which would be read as two.
pub(crate) fn texts(column: &str, array: &ArrayRef, floats: Floats) -> Result<ArrayRef, Error> {
    let lists = as_lists(array)?;
    let elements = written(&plain(column, lists.values(), floats)?)?;

    let is_split = |text: Option<&str>| text.is_some_and(|text| text.contains(VALUE_SEPARATOR));
    if let Some(at) = elements.iter().position(is_split) {
        // The lists that end before the element come before the row that has it.
        let ends = lists.offsets().iter().skip(1);
        let row = ends.take_while(|end| usize::try_from(**end).is_ok_and(|end| end <= at));
        return Err(Error::Separator {
            column: column.to_owned(),
            row: row.count().saturating_add(1),
        });
    }

    let lists = ListArray::try_new(
        Arc::new(Field::new_list_field(DataType::Utf8, true)),
        lists.offsets().clone(),
        Arc::new(elements),
        lists.nulls().cloned(),
    )?;
    let separator = VALUE_SEPARATOR.to_string();
    let joined = lists.iter().map(|list| {
        let list = list?;
        let texts = list
            .as_string::<i32>()
            .iter()
            .map(Option::unwrap_or_default);
        Some(texts.collect::<Vec<_>>().join(&separator))
    });
    Ok(Arc::new(joined.collect::<StringArray>()))
}

/// The lists with offsets of one width.
pub(crate) fn as_lists(array: &ArrayRef) -> Result<ListArray, Error> {
    let lists = match (array.data_type(), element(array.data_type())) {
        (DataType::List(_), _) | (_, None) => Arc::clone(array),
        (_, Some(element)) => cast(array, &DataType::List(Arc::clone(element)))?,
    };
    Ok(lists.as_list::<i32>().clone())
}
