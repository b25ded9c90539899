//! Months of years of pays read from tables: whole years, as few rows at a time as their order
//! allows.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use bareme_arrow::Source;
use bareme_arrow::arrow::array::{ArrayRef, RecordBatch};
use bareme_arrow::arrow::compute::concat_batches;
use bareme_arrow::arrow::datatypes::SchemaRef;
use bareme_arrow::arrow::row::{RowConverter, SortField};

use super::{BATCH, Batch, Part, Tables, message, with_partitions};
use crate::command::batch::inputs::unreadable;
use crate::session::{Failure, Session};

/// Rows of a chunk at least, unless the table has fewer: a thousand years and more, so that their
/// number costs little, and few enough for the answers of some chunks to be in memory together.
const CHUNK: usize = 16_384;

/// The columns that name the year of a row, and the last row of each year, by its number among
/// those of all files.
///
/// Years are known by a hash of their names: 16 bytes a year, whatever the names are. Two years of
/// one hash are taken for one, which ends with the later of both: their rows are computed together,
/// which changes no answer.
#[derive(Default)]
struct LastRows {
    columns: Vec<String>,
    hashes: RandomState,
    by_year: HashMap<u64, u64>,
}

/// The rows that were read, in chunks of whole years.
struct Chunks {
    schema: SchemaRef,
    /// `None` where all rows are one chunk.
    last_rows: Option<LastRows>,
    /// Rows of a chunk at least.
    least: usize,
    /// The number of the next row.
    next: u64,
    /// The last row of the years that started.
    open_until: u64,
    /// The chunk that is not complete.
    batches: Vec<RecordBatch>,
    parts: Vec<Part>,
    rows: usize,
}

impl Tables {
    /// Reads the rows of whole years, in order, until `take` declines; `columns` name the year that
    /// a row is of.
    ///
    /// The rows of a year may stand anywhere. A first reading of those columns finds the last row of
    /// each year, and a chunk ends where no year is open: where the rows of a year follow each
    /// other, the memory is that of a chunk, and where each month has a file, that of the table. A
    /// stream, which cannot be read twice, is one chunk.
    ///
    /// # Errors
    /// A file that cannot be read to its end.
    pub(in crate::command::batch) fn read_years(
        self,
        columns: &[String],
        session: &Session,
        mut take: impl FnMut(Batch) -> bool,
    ) -> Result<(), Failure> {
        let is_one_chunk = self.rows.is_some_and(|rows| rows <= CHUNK as u64);
        let last_rows = match &self.stream {
            None if !is_one_chunk => Some(self.last_rows(columns, session)?),
            _ => None,
        };

        // A column may have nulls in one file alone: the schema of all allows them.
        let schema = Arc::new(self.schema.clone());
        let mut chunks = Chunks::new(schema, last_rows, CHUNK);

        let mut failure = None;
        self.read(session, |batch| match chunks.add(&batch) {
            Ok(complete) => complete.into_iter().all(&mut take),
            Err(error) => {
                failure = Some(error);
                false
            }
        })?;
        if let Some(failure) = failure {
            return Err(failure);
        }

        // The last chunk may have ended with the last row.
        if chunks.rows > 0 {
            take(chunks.end()?);
        }
        Ok(())
    }

    /// The last row of each year, from a reading of the columns that name it.
    fn last_rows(&self, columns: &[String], session: &Session) -> Result<LastRows, Failure> {
        let mut last_rows = LastRows {
            columns: columns.to_vec(),
            ..LastRows::default()
        };

        let mut row = 0_u64;
        for input in &self.inputs {
            let wrong = |error| unreadable(&input.place, &message(&error, session), session);
            // The standard input has no path, and is not read here.
            let Some(path) = &input.path else { continue };
            let is_read = |name: &str| columns.iter().any(|column| column == name);
            let source = Source::open_columns(path, self.format, BATCH, is_read).map_err(wrong)?;

            for rows in source {
                let rows = with_partitions(rows.map_err(wrong)?, &input.partitions)?;
                row = last_rows.see(&rows, row)?;
            }
        }
        Ok(last_rows)
    }
}

impl LastRows {
    /// The years of some rows, by their hashes.
    fn years(&self, rows: &RecordBatch) -> Result<Vec<u64>, Failure> {
        let columns = self.columns.iter();
        let columns: Vec<ArrayRef> = columns
            .filter_map(|name| rows.column_by_name(name).cloned())
            .collect();

        let types = columns.iter().map(|column| column.data_type().clone());
        let converter = RowConverter::new(types.map(SortField::new).collect())?;
        let names = converter.convert_columns(&columns)?;
        Ok(names
            .iter()
            .map(|name| self.hashes.hash_one(name.as_ref()))
            .collect())
    }

    /// Takes note of some rows, of which the first has this number, and gives the number of the next.
    fn see(&mut self, rows: &RecordBatch, first: u64) -> Result<u64, Failure> {
        let mut row = first;
        for year in self.years(rows)? {
            self.by_year.insert(year, row);
            row = row.saturating_add(1);
        }
        Ok(row)
    }

    /// The last row of a year.
    fn of(&self, year: u64) -> u64 {
        // A file that grows between its two readings has years that the first did not see: they
        // keep their chunk open to its end.
        self.by_year.get(&year).copied().unwrap_or(u64::MAX)
    }
}

impl Chunks {
    fn new(schema: SchemaRef, last_rows: Option<LastRows>, least: usize) -> Self {
        Self {
            schema,
            last_rows,
            least,
            next: 0,
            open_until: 0,
            batches: Vec::new(),
            parts: Vec::new(),
            rows: 0,
        }
    }

    /// Adds the rows of a batch, and gives the chunks that they complete.
    fn add(&mut self, batch: &Batch) -> Result<Vec<Batch>, Failure> {
        let count = batch.rows.num_rows();
        let last_rows = match &self.last_rows {
            Some(last_rows) => {
                let years = last_rows.years(&batch.rows)?;
                years.into_iter().map(|year| last_rows.of(year)).collect()
            }
            None => Vec::new(),
        };

        let (mut complete, mut start) = (Vec::new(), 0);
        for (index, last_row) in last_rows.into_iter().enumerate() {
            self.open_until = self.open_until.max(last_row);

            let (end, row) = (index.saturating_add(1), self.next);
            self.next = row.saturating_add(1);
            let is_enough = self.rows.saturating_add(end.saturating_sub(start)) >= self.least;
            if is_enough && row == self.open_until {
                self.push(batch, start, end);
                complete.push(self.end()?);
                start = end;
            }
        }

        self.push(batch, start, count);
        Ok(complete)
    }

    /// Adds some rows of a batch, which come from one file, to the chunk.
    fn push(&mut self, batch: &Batch, start: usize, end: usize) {
        let count = end.saturating_sub(start);
        self.parts.push(Part {
            start: self.rows,
            place: batch.place(start),
        });
        self.batches.push(batch.rows.slice(start, count));
        self.rows = self.rows.saturating_add(count);
    }

    /// The chunk so far; the next one is empty.
    fn end(&mut self) -> Result<Batch, Failure> {
        let rows = concat_batches(&self.schema, &self.batches)?;
        self.batches.clear();
        self.rows = 0;
        let parts = std::mem::take(&mut self.parts);
        Ok(Batch { rows, parts })
    }
}

#[cfg(test)]
mod tests {
    use bareme_arrow::arrow::array::{Int32Array, StringArray};

    use super::super::Place;
    use super::*;

    /// The chunks of two files, whose rows are those of these people, a letter each: the letters of
    /// each chunk, and the file and line of its first row.
    fn chunks(files: [&str; 2], least: usize) -> Vec<(String, usize, u64)> {
        let batch = |letters: &str| {
            let keys: StringArray = letters
                .split("")
                .filter(|key| !key.is_empty())
                .map(Some)
                .collect();
            let years = Int32Array::from(vec![2026; letters.len()]);
            RecordBatch::try_from_iter([
                ("cle", Arc::new(keys) as ArrayRef),
                ("annee", Arc::new(years)),
            ])
        };
        let batches = files.map(|letters| batch(letters).unwrap());

        let mut last_rows = LastRows {
            columns: vec!["cle".to_owned(), "annee".to_owned()],
            ..LastRows::default()
        };
        let row = last_rows.see(&batches[0], 0).ok().unwrap();
        last_rows.see(&batches[1], row).ok().unwrap();

        let mut chunks = Chunks::new(batches[0].schema(), Some(last_rows), least);
        let mut complete = Vec::new();
        for (file, rows) in batches.into_iter().enumerate() {
            let place = Place { file, line: 1 };
            let parts = vec![Part { start: 0, place }];
            complete.extend(chunks.add(&Batch { rows, parts }).ok().unwrap());
        }
        if chunks.rows > 0 {
            complete.push(chunks.end().ok().unwrap());
        }

        let shown = |batch: Batch| {
            let keys = batch
                .rows
                .column(0)
                .as_any()
                .downcast_ref::<StringArray>()
                .unwrap();
            let letters = keys.iter().flatten().collect();
            let Place { file, line } = batch.place(0);
            (letters, file, line)
        };
        complete.into_iter().map(shown).collect()
    }

    #[test]
    fn a_chunk_ends_where_no_year_is_open() {
        let chunk = |letters: &str, file, line| (letters.to_owned(), file, line);

        // Rows of a year that follow each other: chunks of the least size, to the end of a year.
        let ended = chunks(["aabbbcc", "cddee"], 3);
        assert_eq!(
            ended,
            [
                chunk("aabbb", 0, 1),
                chunk("ccc", 0, 6),
                chunk("ddee", 1, 2)
            ]
        );

        // A file a month: no year ends before the last file does.
        assert_eq!(chunks(["abcd", "abcd"], 1), [chunk("abcdabcd", 0, 1)]);
        assert_eq!(
            chunks(["abcd", "dcbae"], 1),
            [chunk("abcddcba", 0, 1), chunk("e", 1, 5)]
        );
    }
}
