//! The rows of years of pays as they are read, each whole: they are computed when all have been
//! read.

use std::borrow::Cow;

use bareme_engine::law::members;
use bareme_engine::law::parameter::{ROW_KEY, YEAR};
use bareme_engine::run::{MonthRow, rows_by_year};

use super::super::layout::{Cell, Layout, Query, Reading};
use super::super::row_source::RowSource;
use super::super::texts::Texts;
use crate::session::{Failure, Session};

/// The column that says whose pay it is.
pub(super) const KEY: &str = ROW_KEY;
/// The column of the month.
pub(super) const MONTH: &str = members::MONTH.name;

/// A row: a month of a year of pays.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// The index of its file, and its line there.
    pub file: usize,
    pub line: u64,
    pub key: String,
    /// The month, as it is written.
    pub month: String,
    /// The year, as it is sent.
    pub year: String,
    /// The other parameters.
    pub query: Query,
    /// Why it cannot be read.
    pub unread: Option<String>,
    /// Cells that are copied, the key first.
    kept: Vec<String>,
    /// All cells, where refused rows are kept separately.
    cells: Vec<(String, String)>,
}

impl Record {
    /// The row as a month of a year.
    pub(super) fn month_row(&self) -> MonthRow<'_> {
        let parameters = self.query.iter();
        MonthRow {
            key: self.key.as_str().into(),
            year: self.year.as_str().into(),
            month: self.month.as_str().into(),
            parameters: parameters
                .map(|(name, value)| (name.as_str(), value.as_str().into()))
                .collect(),
        }
    }

    /// The value of a parameter; empty without one.
    pub(super) fn value(&self, name: &str) -> &str {
        let found = self.query.iter().find(|(parameter, _)| parameter == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    fn take(&mut self, cell: Cell) {
        match cell {
            Cell::Kept(index, value) => {
                if index == 0 {
                    value.clone_into(&mut self.key);
                }
                if let Some(kept) = self.kept.get_mut(index) {
                    value.clone_into(kept);
                }
            }
            // A member of JSON that `--map` gives the name of the key.
            Cell::Parameter(KEY, value) => {
                self.key = value.into_owned();
                if let Some(kept) = self.kept.first_mut() {
                    kept.clone_from(&self.key);
                }
            }
            Cell::Parameter(MONTH, value) => self.month = value.into_owned(),
            Cell::Parameter(YEAR, value) => self.year = value.into_owned(),
            Cell::Parameter(_, value) if value.is_empty() => {}
            Cell::Parameter(name, value) => self.query.push((name.to_owned(), value.into_owned())),
        }
    }
}

/// Reads every row; `reading` copies the key first. `is_whole`: with all cells.
///
/// # Errors
/// A file that cannot be read to its end.
pub(super) fn read(
    texts: Texts,
    layouts: &[Layout],
    reading: Reading,
    is_whole: bool,
    session: &Session,
) -> Result<Vec<Record>, Failure> {
    let mut records = Vec::new();
    texts.read(session, |rows| {
        let Some(layout) = layouts.get(rows.file) else {
            return false;
        };
        for row in rows.rows.rows() {
            let kept = vec![String::new(); reading.keep.len()];
            let mut record = Record {
                file: rows.file,
                line: row.line,
                kept,
                ..Record::default()
            };
            let read = layout.read(row, reading, |cell| record.take(cell));
            if let Err(unread) = read {
                record.unread = Some(unread.message);
                // Its year is refused with it, as far as it says which that is.
                for (name, cell) in layout.cells(row) {
                    match layout.parameter(&name) {
                        KEY => record.key = cell.trim().to_owned(),
                        YEAR => record.year = cell.trim().to_owned(),
                        _ => {}
                    }
                }
            }

            if is_whole {
                let owned =
                    |(name, cell): (Cow<str>, Cow<str>)| (name.into_owned(), cell.into_owned());
                record.cells = layout.cells(row).into_iter().map(owned).collect();
            }
            records.push(record);
        }
        true
    })?;
    Ok(records)
}

/// The rows of each year, in the order in which the first of each comes, each row with its index.
pub(super) fn years_of(records: &[Record]) -> Vec<Vec<(usize, &Record)>> {
    let places = records.iter();
    let places = places.map(|record| (record.key.as_str(), record.year.as_str()));

    let with_records = |rows: Vec<usize>| {
        let rows = rows.into_iter();
        rows.filter_map(|row| Some((row, records.get(row)?)))
            .collect()
    };
    rows_by_year(places).into_iter().map(with_records).collect()
}

impl RowSource for Record {
    fn file(&self, _: usize) -> usize {
        self.file
    }

    fn line(&self, _: usize) -> u64 {
        self.line
    }

    fn kept(&self, column: usize, _: usize) -> Cow<'_, str> {
        // The month is written after the key.
        let kept = match column {
            0 => self.kept.first(),
            1 => Some(&self.month),
            _ => self.kept.get(column.saturating_sub(1)),
        };

        Cow::Borrowed(kept.map(String::as_str).unwrap_or_default())
    }

    fn cells(&self, _: usize) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
        self.cells
            .iter()
            .map(|(name, cell)| (name.as_str().into(), cell.as_str().into()))
            .collect()
    }
}
