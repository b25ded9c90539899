//! Columns of a sample, to be written as a table or as CSV.

use std::io::Write as _;
use std::sync::Arc;

use bareme_arrow::arrow::array::{ArrayRef, Decimal128Array, RecordBatch};
use bareme_arrow::arrow::datatypes::DataType;
use bareme_arrow::arrow::error::ArrowError;
use bareme_arrow::arrow::util::display::{ArrayFormatter, FormatOptions};

/// Digits of the decimals.
const DIGITS: u8 = 18;

/// Columns with their names.
pub(super) type Columns = Vec<(&'static str, ArrayRef)>;

/// A column of integers to be divided by ten to the power `decimals`.
pub(super) fn decimals(decimals: i8, values: Vec<i64>) -> ArrayRef {
    let values: Decimal128Array = values
        .into_iter()
        .map(|value| Some(i128::from(value)))
        .collect();
    Arc::new(values.with_data_type(DataType::Decimal128(DIGITS, decimals)))
}

pub(super) fn table(columns: Columns) -> Result<RecordBatch, ArrowError> {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| {
        // Only answers that may be left out, which are booleans, have nulls.
        let is_nullable = *column.data_type() == DataType::Boolean;
        (name, column, is_nullable)
    }))
}

/// The first line of CSV.
pub(super) fn header(table: &RecordBatch) -> Vec<u8> {
    let names: Vec<&str> = table
        .schema_ref()
        .fields()
        .iter()
        .map(|field| field.name().as_str())
        .collect();
    format!("{}\n", names.join(",")).into_bytes()
}

/// The rows as lines of CSV; writing to memory cannot fail.
pub(super) fn lines(table: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
    let options = FormatOptions::new();
    let cells = table
        .columns()
        .iter()
        .map(|column| ArrayFormatter::try_new(column, &options));
    let cells: Vec<ArrayFormatter> = cells.collect::<Result<_, _>>()?;

    let mut out = Vec::new();
    for row in 0..table.num_rows() {
        for (index, column) in cells.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            let _ = write!(out, "{comma}{}", column.value(row));
        }
        out.push(b'\n');
    }
    Ok(out)
}
