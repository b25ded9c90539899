//! Columns of a sample, to be written as a table or as CSV.

use std::io::Write as _;
use std::sync::Arc;

use bareme_arrow::arrow::array::{ArrayRef, BooleanArray, Decimal128Array, Int64Array, RecordBatch, StringArray};
use bareme_arrow::arrow::datatypes::DataType;
use bareme_arrow::arrow::error::ArrowError;

/// Digits of the decimals.
const DIGITS: u8 = 18;

/// The values of a column.
#[derive(Debug)]
pub(super) enum Column {
    Integers(Vec<i64>),
    /// Integers, to be divided by ten to the power of their decimals.
    Decimals(u8, Vec<i64>),
    Words(Vec<&'static str>),
    Texts(Vec<String>),
    Booleans(Vec<Option<bool>>),
}

/// Columns with their names.
pub(super) type Columns = Vec<(&'static str, Column)>;

impl Column {
    fn array(&self) -> ArrayRef {
        match self {
            Self::Integers(values) => Arc::new(Int64Array::from(values.clone())),
            Self::Decimals(decimals, values) => {
                let values: Decimal128Array = values.iter().map(|value| Some(i128::from(*value))).collect();
                let scale = i8::try_from(*decimals).unwrap_or_default();
                Arc::new(values.with_data_type(DataType::Decimal128(DIGITS, scale)))
            }
            Self::Words(words) => Arc::new(StringArray::from(words.clone())),
            Self::Texts(texts) => Arc::new(StringArray::from_iter_values(texts)),
            Self::Booleans(values) => Arc::new(BooleanArray::from(values.clone())),
        }
    }

    /// Appends a cell of CSV; writing to memory cannot fail.
    fn put(&self, row: usize, out: &mut Vec<u8>) {
        let mut digits = itoa::Buffer::new();
        match self {
            Self::Integers(values) => {
                out.extend_from_slice(digits.format(values.get(row).copied().unwrap_or_default()).as_bytes());
            }
            Self::Decimals(decimals, values) => {
                let unit = 10_i64.pow(u32::from(*decimals));
                let value = values.get(row).copied().unwrap_or_default();
                let (whole, fraction) = (value / unit, value % unit);
                out.extend_from_slice(digits.format(whole).as_bytes());
                let _ = write!(out, ".{fraction:0width$}", width = usize::from(*decimals));
            }
            Self::Words(words) => out.extend_from_slice(words.get(row).unwrap_or(&"").as_bytes()),
            Self::Texts(texts) => out.extend_from_slice(texts.get(row).map_or("", String::as_str).as_bytes()),
            Self::Booleans(values) => {
                let word = match values.get(row).copied().flatten() {
                    Some(true) => "true",
                    Some(false) => "false",
                    None => "",
                };
                out.extend_from_slice(word.as_bytes());
            }
        }
    }
}

pub(super) fn table(columns: &Columns) -> Result<RecordBatch, ArrowError> {
    RecordBatch::try_from_iter_with_nullable(columns.iter().map(|(name, column)| {
        let is_nullable = matches!(column, Column::Booleans(_));
        (*name, column.array(), is_nullable)
    }))
}

/// The first line of CSV.
pub(super) fn header(columns: &Columns) -> Vec<u8> {
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    format!("{}\n", names.join(",")).into_bytes()
}

/// The rows as lines of CSV.
pub(super) fn lines(columns: &Columns, rows: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for row in 0..rows {
        for (index, (_, column)) in columns.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            column.put(row, &mut out);
        }
        out.push(b'\n');
    }
    out
}
