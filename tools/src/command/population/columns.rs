//! Columns of a sample, to be written as a table or as CSV.

use std::io::Write as _;
use std::sync::Arc;

use bareme_arrow::arrow::array::{ArrayRef, Decimal128Array, RecordBatch};
use bareme_arrow::arrow::datatypes::DataType;
use bareme_arrow::arrow::error::ArrowError;
use bareme_arrow::arrow::util::display::{ArrayFormatter, FormatOptions};

/// Digits of the decimals.
const DIGITS: u8 = 18;

/// A column of a sample.
pub(super) struct Column {
    name: &'static str,
    values: ArrayRef,
    /// Whether some rows have no value: their input is not sent.
    has_gaps: bool,
}

impl Column {
    /// A column with a value in each row.
    pub(super) fn filled(name: &'static str, values: ArrayRef) -> Self {
        Self {
            name,
            values,
            has_gaps: false,
        }
    }

    /// A column of which some rows may have no value.
    pub(super) fn with_gaps(name: &'static str, values: ArrayRef) -> Self {
        Self {
            name,
            values,
            has_gaps: true,
        }
    }
}

/// The columns of a sample, in order.
pub(super) type Columns = Vec<Column>;

/// A column of integers to be divided by ten to the power `decimals`.
pub(super) fn decimals(decimals: i8, values: Vec<i64>) -> ArrayRef {
    let values: Decimal128Array = values
        .into_iter()
        .map(|value| Some(i128::from(value)))
        .collect();
    Arc::new(values.with_data_type(DataType::Decimal128(DIGITS, decimals)))
}

pub(super) fn table(columns: Columns) -> Result<RecordBatch, ArrowError> {
    let columns = columns.into_iter();
    let columns = columns.map(|column| (column.name, column.values, column.has_gaps));
    RecordBatch::try_from_iter_with_nullable(columns)
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
