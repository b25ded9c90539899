//! Output of answers: the standard output, or a file that has its name once it is whole.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use bareme_arrow::arrow::datatypes::SchemaRef;
use bareme_arrow::{Format as TableFormat, Sink};
use bareme_show::say;

use super::compute::{Answered, Computed, unfit};
use crate::save::Beside;
use crate::session::{Failure, Session};

/// The format of the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutputFormat {
    Csv,
    JsonLines,
    Table(TableFormat),
}

impl OutputFormat {
    /// The format of a file, by the ending of its name.
    ///
    /// # Errors
    /// Another ending, with those that are known.
    pub(super) fn of(path: &Path, session: &Session) -> Result<Self, Failure> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
        let format = match ending.as_str() {
            "csv" => Some(Self::Csv),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            _ => TableFormat::of(path).map(Self::Table),
        };
        let place = path.display();
        format.ok_or_else(|| {
            Failure::unusable(say!(
                session.lang,
                "`{place}` : la fin du nom dit le format, `.csv`, `.jsonl`, `.parquet`, `.arrow` ou `.arrows`.",
                "`{place}`: the ending of the name says the format, `.csv`, `.jsonl`, `.parquet`, `.arrow` or `.arrows`."
            ))
        })
    }
}

/// The output of the answers.
pub(super) struct Output<'o> {
    writer: Writer,
    /// The file, which has its name at the end.
    file: Option<(Beside, &'o Path)>,
    session: &'o Session,
}

enum Writer {
    Text(BufWriter<Box<dyn Write>>),
    Table(Box<Sink<BufWriter<File>>>),
}

impl<'o> Output<'o> {
    /// Opens the standard output, or a file, for lines of text.
    pub(super) fn of_text(path: Option<&'o Path>, header: &[u8], session: &'o Session) -> Result<Self, Failure> {
        let file = match path {
            Some(path) => Some((beside(path, session)?, path)),
            None => None,
        };
        let writer: Box<dyn Write> = match &file {
            Some((file, path)) => Box::new(file.writer().map_err(|error| unwritable(path, &error, session))?),
            None => Box::new(std::io::stdout()),
        };
        let mut writer = BufWriter::with_capacity(1 << 16, writer);
        writer.write_all(header)?;
        Ok(Self { writer: Writer::Text(writer), file, session })
    }

    /// Opens a file for tables.
    pub(super) fn of_tables(
        path: &'o Path,
        schema: SchemaRef,
        format: TableFormat,
        session: &'o Session,
    ) -> Result<Self, Failure> {
        let file = beside(path, session)?;
        let writer = BufWriter::new(file.writer().map_err(|error| unwritable(path, &error, session))?);
        let sink = Sink::new(writer, schema, format).map_err(|error| unwritable(path, &error, session))?;
        Ok(Self { writer: Writer::Table(Box::new(sink)), file: Some((file, path)), session })
    }

    /// Writes the answers of a chunk.
    pub(super) fn write(&mut self, computed: &Computed) -> Result<(), Failure> {
        let session = self.session;
        let path = self.file.as_ref().map(|(_, path)| *path);
        match (&mut self.writer, &computed.answers) {
            (Writer::Text(writer), Answered::Text(lines)) => writer.write_all(lines).map_err(|error| match path {
                Some(path) => unwritable(path, &error, session),
                None => error.into(),
            }),
            (Writer::Table(sink), Answered::Table(table)) => {
                sink.write(table).map_err(|error| unwritable(path.unwrap_or(Path::new("")), &error, session))
            }
            (Writer::Text(_), Answered::Table(_)) | (Writer::Table(_), Answered::Text(_)) => Err(unfit(session)),
        }
    }

    /// Ends the output; a file then has its name.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let Self { writer, file, session } = self;
        let path = file.as_ref().map(|(_, path)| *path);
        let failed = |error: &dyn std::fmt::Display| unwritable(path.unwrap_or(Path::new("")), error, session);
        match writer {
            Writer::Text(mut writer) => writer.flush().map_err(|error| match path {
                Some(_) => failed(&error),
                None => error.into(),
            })?,
            Writer::Table(sink) => sink.finish().map_err(|error| failed(&error))?,
        }
        match file {
            Some((file, path)) => file.keep().map_err(|error| unwritable(path, &error, session)),
            None => Ok(()),
        }
    }
}

fn beside(path: &Path, session: &Session) -> Result<Beside, Failure> {
    Beside::create(path).map_err(|error| unwritable(path, &error, session))
}

/// A file that cannot be written.
pub(super) fn unwritable(path: &Path, error: &dyn std::fmt::Display, session: &Session) -> Failure {
    let place = path.display();
    Failure::unusable(say!(session.lang, "`{place}` ne s'écrit pas : {error}", "`{place}` cannot be written: {error}"))
}
