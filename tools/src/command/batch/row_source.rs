//! Origin of rows: file and line, copied cells, and the cells for a file of refused rows.

use std::borrow::Cow;

use bareme_show::spreadsheet::Dialect;

use super::cells::Cells;
use super::layout::Layout;
use super::rows::Chunk;
use super::tables::{Batch, Shown};
use crate::session::Failure;

/// The rows of a chunk, as they were read.
pub(super) trait RowSource {
    /// The index of the file of a row.
    fn file(&self, row: usize) -> usize;
    /// The line of a row in its file.
    fn line(&self, row: usize) -> u64;
    /// The cell of a row in a copied column.
    fn kept(&self, column: usize, row: usize) -> Cow<'_, str>;
    /// All cells of a row, with the names of their columns.
    fn cells(&self, row: usize) -> Vec<(Cow<'_, str>, Cow<'_, str>)>;
}

/// Rows of text.
pub(super) struct TextRows<'c> {
    pub file: usize,
    pub rows: &'c Chunk,
    pub layout: &'c Layout,
    pub cells: &'c Cells,
}

impl RowSource for TextRows<'_> {
    fn file(&self, _: usize) -> usize {
        self.file
    }

    fn line(&self, row: usize) -> u64 {
        self.rows.row(row).map(|row| row.line).unwrap_or_default()
    }

    fn kept(&self, column: usize, row: usize) -> Cow<'_, str> {
        Cow::Borrowed(self.cells.kept(column, row))
    }

    fn cells(&self, row: usize) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
        self.rows
            .row(row)
            .map(|row| self.layout.cells(row))
            .unwrap_or_default()
    }
}

/// Rows of a table.
pub(super) struct TableRows<'c> {
    batch: &'c Batch,
    kept: Vec<Shown<'c>>,
    all: Vec<Shown<'c>>,
    /// The dialect of the numbers.
    dialect: Option<Dialect>,
}

impl<'c> TableRows<'c> {
    /// The rows of a batch, some of whose columns are copied.
    pub(super) fn new(
        batch: &'c Batch,
        kept: &[usize],
        dialect: Option<Dialect>,
    ) -> Result<Self, Failure> {
        // All columns are shown in the file of refused rows, copied or not.
        let all: Vec<usize> = (0..batch.rows.num_columns()).collect();
        let columns = |indices: &[usize]| Shown::columns(&batch.rows, indices);
        Ok(Self {
            batch,
            kept: columns(kept)?,
            all: columns(&all)?,
            dialect,
        })
    }

    fn text(&self, column: &Shown, row: usize) -> Cow<'static, str> {
        // Texts of a table are copied as they are.
        let text = column.text(row);
        match self.dialect {
            // Numbers of a table are written in the notation of the CSV, as those of the answers
            // are.
            Some(dialect) if column.is_number() => Cow::Owned(dialect.number(text.into_owned())),
            _ => text,
        }
    }
}

impl RowSource for TableRows<'_> {
    fn file(&self, row: usize) -> usize {
        self.batch.place(row).file
    }

    fn line(&self, row: usize) -> u64 {
        self.batch.place(row).line
    }

    fn kept(&self, column: usize, row: usize) -> Cow<'_, str> {
        self.kept
            .get(column)
            .map_or(Cow::Borrowed(""), |column| self.text(column, row))
    }

    fn cells(&self, row: usize) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
        let names = self
            .batch
            .rows
            .schema_ref()
            .fields()
            .iter()
            .map(|field| field.name().as_str());

        names
            .zip(&self.all)
            .map(|(name, column)| (Cow::Borrowed(name), self.text(column, row)))
            .collect()
    }
}
