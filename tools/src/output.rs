//! Output of a command over many rows: the standard output, or a file that is renamed into place once complete.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use bareme_arrow::arrow::array::RecordBatch;
use bareme_arrow::arrow::datatypes::SchemaRef;
use bareme_arrow::{Format, Sink};
use bareme_show::say;

use crate::save::Beside;
use crate::session::{Failure, Session};

/// Output of a command: lines of text or tables.
pub(crate) struct Output<'o> {
    writer: Writer,
    /// The temporary file, and its final path.
    file: Option<(Beside, &'o Path)>,
    session: &'o Session,
}

enum Writer {
    Text(BufWriter<Box<dyn Write>>),
    Table(Box<Sink<BufWriter<File>>>),
}

impl<'o> Output<'o> {
    /// Opens the standard output, or a file, for lines of text.
    pub(crate) fn of_text(path: Option<&'o Path>, header: &[u8], session: &'o Session) -> Result<Self, Failure> {
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
    pub(crate) fn of_tables(
        path: &'o Path,
        schema: SchemaRef,
        format: Format,
        session: &'o Session,
    ) -> Result<Self, Failure> {
        let file = beside(path, session)?;
        let writer = BufWriter::new(file.writer().map_err(|error| unwritable(path, &error, session))?);
        let sink = Sink::new(writer, schema, format).map_err(|error| unwritable(path, &error, session))?;
        Ok(Self { writer: Writer::Table(Box::new(sink)), file: Some((file, path)), session })
    }

    /// Whether it takes lines of text.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.writer, Writer::Text(_))
    }

    /// Writes lines of text.
    pub(crate) fn write_text(&mut self, lines: &[u8]) -> Result<(), Failure> {
        let Writer::Text(writer) = &mut self.writer else { return Err(unfit(self.session)) };
        writer.write_all(lines).map_err(|error| match &self.file {
            Some((_, path)) => unwritable(path, &error, self.session),
            None => error.into(),
        })
    }

    /// Writes a table.
    pub(crate) fn write_table(&mut self, table: &RecordBatch) -> Result<(), Failure> {
        let (Writer::Table(sink), Some((_, path))) = (&mut self.writer, &self.file) else {
            return Err(unfit(self.session));
        };
        sink.write(table).map_err(|error| unwritable(path, &error, self.session))
    }

    /// Completes the output; a file is renamed into place.
    pub(crate) fn finish(self) -> Result<(), Failure> {
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

/// The error of a file that cannot be written.
pub(crate) fn unwritable(path: &Path, error: &dyn std::fmt::Display, session: &Session) -> Failure {
    let place = path.display();
    Failure::unusable(say!(session.lang, "`{place}` ne s’écrit pas : {error}", "`{place}` cannot be written: {error}"))
}

/// An internal error: a table where text was opened, or the converse.
pub(crate) fn unfit(session: &Session) -> Failure {
    Failure::unusable(say!(session.lang, "faute interne de la commande", "internal fault of the command"))
}
