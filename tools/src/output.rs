//! Output of a command over many rows: the standard output, or a file that is renamed into place
//! once complete.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;

use bareme_arrow::arrow::array::RecordBatch;
use bareme_arrow::arrow::datatypes::SchemaRef;
use bareme_arrow::{Error, Format, Sink};
use bareme_engine::Lang;
use bareme_show::say;

use crate::save::Beside;
use crate::session::{Failure, Session};

/// Rows as they are written.
pub(crate) enum Written {
    /// Lines of text.
    Text(Vec<u8>),
    Table(Box<RecordBatch>),
}

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
    pub(crate) fn of_text(
        path: Option<&'o Path>,
        header: &[u8],
        session: &'o Session,
    ) -> Result<Self, Failure> {
        // A file is written under another name until it is complete; the standard output cannot be
        // taken back.
        let (file, writer): (_, Box<dyn Write>) = match path {
            Some(path) => {
                let (file, writer) = beside(path, session)?;
                (Some((file, path)), Box::new(writer))
            }
            None => (None, Box::new(std::io::stdout())),
        };

        // 64 KiB a write: rows are short, and a system call for each would dominate.
        let mut writer = BufWriter::with_capacity(1 << 16, writer);
        let started = writer.write_all(header);
        started.map_err(|error| failed(error.into(), path, session))?;
        Ok(Self {
            writer: Writer::Text(writer),
            file,
            session,
        })
    }

    /// Opens a file for tables.
    pub(crate) fn of_tables(
        path: &'o Path,
        schema: SchemaRef,
        format: Format,
        session: &'o Session,
    ) -> Result<Self, Failure> {
        let (file, writer) = beside(path, session)?;
        let sink = Sink::new(BufWriter::new(writer), schema, format);
        let sink = sink.map_err(|error| unwritable(path, &error, session))?;
        Ok(Self {
            writer: Writer::Table(Box::new(sink)),
            file: Some((file, path)),
            session,
        })
    }

    /// Whether it takes lines of text.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.writer, Writer::Text(_))
    }

    /// Writes rows, of the kind that it was opened for.
    pub(crate) fn write(&mut self, rows: &Written) -> Result<(), Failure> {
        // The formats of the rows and of the output are chosen by the same option: a mismatch is an
        // internal error.
        let written = match (&mut self.writer, rows) {
            (Writer::Text(writer), Written::Text(lines)) => {
                writer.write_all(lines).map_err(Error::from)
            }
            (Writer::Table(sink), Written::Table(table)) => sink.write(table),
            _ => return Err(unfit(self.session)),
        };

        written.map_err(|error| failed(error, self.path(), self.session))
    }

    /// Completes the output; a file is renamed into place.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let (path, session) = (self.path(), self.session);
        // The flush is part of the result: an error of the last bytes (a full disk) must not be
        // lost in a destructor.
        let finished = match self.writer {
            Writer::Text(mut writer) => writer.flush().map_err(Error::from),
            Writer::Table(sink) => sink.finish(),
        };

        // Only a complete output takes the place of the file; on an error the temporary file is
        // removed.
        let kept = finished.and_then(|()| self.file.map_or(Ok(()), |(file, _)| Ok(file.keep()?)));
        kept.map_err(|error| failed(error, path, session))
    }

    /// The path of its file.
    fn path(&self) -> Option<&'o Path> {
        self.file.as_ref().map(|(_, path)| *path)
    }
}

/// Begins a file, with what writes to it.
fn beside(path: &Path, session: &Session) -> Result<(Beside, File), Failure> {
    let started = Beside::create(path).and_then(|file| file.writer().map(|writer| (file, writer)));
    started.map_err(|error| unwritable(path, &in_words(&error, session.lang), session))
}

/// The error of an output: of its file, or of the standard output, which may have been closed.
fn failed(error: Error, path: Option<&Path>, session: &Session) -> Failure {
    // On the standard output, an error of the system may be a closed pipe, which `From` makes a
    // quiet end.
    match (path, error) {
        (Some(path), Error::File(error)) => {
            unwritable(path, &in_words(&error, session.lang), session)
        }
        (Some(path), error) => unwritable(path, &error, session),
        (None, Error::File(error)) => unprinted(error, session.lang),
        (None, error) => Failure::unusable(error.to_string()),
    }
}

/// The error of the standard output; none to report where it was closed.
pub(crate) fn unprinted(error: io::Error, lang: Lang) -> Failure {
    if error.kind() == ErrorKind::BrokenPipe {
        return error.into();
    }

    let reason = in_words(&error, lang);
    Failure::unusable(say!(
        lang,
        "La sortie ne s’écrit pas : {reason}",
        "The output cannot be written: {reason}"
    ))
}

/// An error of the system in words, where it is one of those that are met.
pub(crate) fn in_words(error: &io::Error, lang: Lang) -> String {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            say!(lang, "le disque est plein", "the disk is full")
        }
        ErrorKind::PermissionDenied => say!(lang, "accès refusé", "access is denied"),
        ErrorKind::NotFound => say!(lang, "le dossier n’existe pas", "the folder does not exist"),
        _ => error.to_string(),
    }
}

/// The error of a file that cannot be written.
pub(crate) fn unwritable(path: &Path, error: &dyn std::fmt::Display, session: &Session) -> Failure {
    let place = path.display();
    Failure::unusable(say!(
        session.lang,
        "`{place}` ne s’écrit pas : {error}",
        "`{place}` cannot be written: {error}"
    ))
}

/// An internal error: a table where text was opened, or the converse.
pub(crate) fn unfit(session: &Session) -> Failure {
    Failure::unusable(say!(
        session.lang,
        "faute interne de la commande",
        "internal fault of the command"
    ))
}
