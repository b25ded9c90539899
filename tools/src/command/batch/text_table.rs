//! A CSV file as tables of texts, for commands that compute tables.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use bareme_arrow::arrow::array::{ArrayRef, RecordBatch, StringArray};
use bareme_arrow::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use bareme_show::say;
use bareme_show::spreadsheet::DialectOptions;

use super::inputs::unreadable;
use super::layout::{Cell, Layout, Reading};
use super::rows::{Chunk, Rows};
use crate::session::{Failure, Session};

/// A CSV file whose cells are parsed as in a batch, French numbers included.
pub(crate) struct TextTable<'s> {
    pub(crate) schema: SchemaRef,
    place: String,
    layout: Layout,
    rows: Rows<BufReader<File>>,
    session: &'s Session,
}

impl<'s> TextTable<'s> {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// A file that cannot be read, is empty or is not CSV.
    pub(crate) fn open(path: &Path, session: &'s Session) -> Result<Self, Failure> {
        let place = path.display().to_string();
        let failed = |error: std::io::Error| unreadable(&place, &error, session);
        let input = BufReader::new(File::open(path).map_err(failed)?);
        // A first cell that begins with a brace is no JSON here.
        let options = DialectOptions {
            is_json: Some(false),
            ..DialectOptions::default()
        };
        let Some((layout, rows)) = Rows::open(input, options, session.lang).map_err(failed)? else {
            return Err(Failure::unusable(say!(
                session.lang,
                "Rien à lire : {place} est vide.",
                "Nothing to read: {place} is empty."
            )));
        };

        let names = layout.names().unwrap_or_default();
        let field = |name: &String| Field::new(name, DataType::Utf8, true);
        let schema = Arc::new(Schema::new(names.iter().map(field).collect::<Vec<_>>()));

        Ok(Self {
            schema,
            place,
            layout,
            rows,
            session,
        })
    }

    fn table(&self, chunk: &Chunk) -> Result<RecordBatch, Failure> {
        let names: Vec<&str> = self
            .schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect();

        let mut columns: Vec<Vec<Option<String>>> =
            vec![Vec::with_capacity(chunk.len()); names.len()];
        // No parameter has another form than its cell: the plan that reads the table knows its
        // types.
        let reading = Reading {
            keep: &[],
            map: &[],
            parameters: &[],
            currency: None,
            lang: self.session.lang,
        };

        for row in chunk.rows() {
            let read = self.layout.read(row, reading, |cell| {
                let Cell::Parameter(name, value) = cell else {
                    return;
                };
                let index = names.iter().position(|column| *column == name);
                if let Some(column) = index.and_then(|index| columns.get_mut(index)) {
                    column.push(Some(value.into_owned()).filter(|value| !value.is_empty()));
                }
            });

            read.map_err(|unread| {
                let (place, line, message) = (&self.place, row.line, unread.message);
                Failure::unusable(say!(
                    self.session.lang,
                    "{place}, ligne {line} : {message}",
                    "{place}, line {line}: {message}"
                ))
            })?;
            // A row may end before the last columns.
            // The missing cells are empty, so that all columns stay equally long.
            let rows = columns.iter().map(Vec::len).max().unwrap_or_default();
            columns
                .iter_mut()
                .for_each(|column| column.resize(rows, None));
        }

        let arrays = columns
            .into_iter()
            .map(|column| Arc::new(StringArray::from(column)) as ArrayRef);

        Ok(RecordBatch::try_new(
            Arc::clone(&self.schema),
            arrays.collect(),
        )?)
    }
}

impl Iterator for TextTable<'_> {
    type Item = Result<RecordBatch, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.rows.next_chunk() {
            Ok(chunk) if chunk.len() == 0 => None,
            Ok(chunk) => Some(self.table(&chunk)),
            Err(error) => Some(Err(unreadable(&self.place, &error, self.session))),
        }
    }
}
