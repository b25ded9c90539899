//! Input files: named, matched by a pattern, or the standard input; and their format.

use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal as _};
use std::path::{Path, PathBuf};

use bareme_arrow::Format as TableFormat;
use bareme_show::say;

use crate::session::{Failure, Session};

/// The format of the rows, if given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum InputFormat {
    Csv,
    Jsonl,
    Parquet,
    Arrow,
    Arrows,
}

/// Kind of an input: text or tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text: CSV or JSON lines, detected unless given.
    Text {
        is_json: Option<bool>,
    },
    Table(TableFormat),
}

impl From<InputFormat> for Kind {
    fn from(format: InputFormat) -> Self {
        match format {
            InputFormat::Csv => Self::Text { is_json: Some(false) },
            InputFormat::Jsonl => Self::Text { is_json: Some(true) },
            InputFormat::Parquet => Self::Table(TableFormat::Parquet),
            InputFormat::Arrow => Self::Table(TableFormat::Arrow),
            InputFormat::Arrows => Self::Table(TableFormat::ArrowStream),
        }
    }
}

/// An input file; without a path, the standard input.
#[derive(Debug, Clone)]
pub(super) struct Input {
    path: Option<PathBuf>,
    /// Its name, for messages.
    pub place: String,
}

impl Input {
    /// Its path; `None` for the standard input.
    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Opens it for reading.
    pub(super) fn open(&self, session: &Session) -> Result<Box<dyn BufRead + Send>, Failure> {
        const CAPACITY: usize = 1 << 16;
        match &self.path {
            Some(path) => {
                let opened = File::open(path).map_err(|error| unreadable(&self.place, &error, session))?;
                Ok(Box::new(BufReader::with_capacity(CAPACITY, opened)))
            }
            None => Ok(Box::new(BufReader::with_capacity(CAPACITY, std::io::stdin()))),
        }
    }
}

/// The error of a file that cannot be read.
pub(super) fn unreadable(place: &str, error: &dyn std::fmt::Display, session: &Session) -> Failure {
    Failure::unusable(say!(session.lang, "`{place}` ne se lit pas : {error}", "`{place}` cannot be read: {error}"))
}

/// The files of the command line, in order, and their common format.
///
/// # Errors
/// A pattern that no file matches, files of several formats, or no file where the standard input is a terminal.
pub(super) fn find(
    names: &[PathBuf],
    format: Option<InputFormat>,
    session: &Session,
) -> Result<(Vec<Input>, Kind), Failure> {
    let lang = session.lang;
    if names.is_empty() && std::io::stdin().is_terminal() {
        return Err(Failure::unusable(say!(
            lang,
            "Dire le fichier des lignes : `bareme batch DOSSIER lignes.csv`, ou `-` pour l’entrée standard.",
            "Name the file of the rows: `bareme batch FOLDER rows.csv`, or `-` for the standard input."
        )));
    }
    if names.is_empty() || names == [PathBuf::from("-")] {
        let kind = format.map_or(Kind::Text { is_json: None }, Kind::from);
        if let Kind::Table(TableFormat::Parquet | TableFormat::Arrow) = kind {
            return Err(Failure::unusable(say!(
                lang,
                "L’entrée standard se lit en CSV, en lignes JSON ou en flux Arrow (`--input-format arrows`) : un fichier Parquet ou Arrow se nomme.",
                "The standard input is read as CSV, JSON lines or an Arrow stream (`--input-format arrows`): a Parquet or Arrow file has to be named."
            )));
        }
        let place = say!(lang, "l’entrée standard", "the standard input");
        return Ok((vec![Input { path: None, place }], kind));
    }
    let mut inputs = Vec::new();
    for name in names {
        for path in matching(name, session)? {
            inputs.push(Input { place: path.display().to_string(), path: Some(path) });
        }
    }
    let kind = kind(&inputs, format, session)?;
    Ok((inputs, kind))
}

/// The file with a name, or the files that it matches as a pattern, sorted by name.
fn matching(name: &Path, session: &Session) -> Result<Vec<PathBuf>, Failure> {
    let lang = session.lang;
    let pattern = name.to_string_lossy();
    if name == Path::new("-") {
        return Err(Failure::unusable(say!(
            lang,
            "`-`, l’entrée standard, se lit seule, sans autre fichier.",
            "`-`, the standard input, is read alone, without any other file."
        )));
    }
    if name.exists() || !pattern.contains(['*', '?', '[']) {
        return Ok(vec![name.to_path_buf()]);
    }
    let found = glob::glob(&pattern).map_err(|error| unreadable(&pattern, &error, session))?;
    let found: Result<Vec<PathBuf>, _> = found.collect();
    let mut found = found.map_err(|error| unreadable(&pattern, &error, session))?;
    found.retain(|path| !path.is_dir());
    found.sort();
    if found.is_empty() {
        return Err(Failure::unusable(say!(
            lang,
            "Rien à calculer : aucun fichier ne répond à `{pattern}`.",
            "Nothing to compute: no file matches `{pattern}`."
        )));
    }
    Ok(found)
}

fn kind(inputs: &[Input], format: Option<InputFormat>, session: &Session) -> Result<Kind, Failure> {
    if let Some(format) = format {
        return Ok(format.into());
    }
    let of = |input: &Input| match input.path().and_then(TableFormat::from_path) {
        Some(format) => Kind::Table(format),
        None => Kind::Text { is_json: None },
    };
    let mut kinds = inputs.iter().map(|input| (input, of(input)));
    let Some((first, kind)) = kinds.next() else { return Ok(Kind::Text { is_json: None }) };
    let Some((other, _)) = kinds.find(|(_, other)| *other != kind) else { return Ok(kind) };
    let (first, other) = (&first.place, &other.place);
    Err(Failure::unusable(say!(
        session.lang,
        "`{other}` n’est pas du même format que `{first}` : les calculer à part.",
        "`{other}` is not of the same format as `{first}`: compute them apart."
    )))
}

/// Checks that the columns of a file are those of the first one.
///
/// # Errors
/// The first column that differs, with the file.
pub(super) fn check_same<T: PartialEq + std::fmt::Display>(
    first: (&str, &[(String, T)]),
    other: (&str, &[(String, T)]),
    session: &Session,
) -> Result<(), Failure> {
    let lang = session.lang;
    let ((before, expected), (place, found)) = (first, other);
    for index in 0..expected.len().max(found.len()) {
        let said = match (expected.get(index), found.get(index)) {
            (Some(expected), Some(found)) if expected == found => continue,
            (Some((name, expected)), Some((same, found))) if name == same => say!(
                lang,
                "`{place}` : la colonne `{name}` est de type {found}, et de type {expected} dans `{before}`.",
                "`{place}`: the column `{name}` is of type {found}, and of type {expected} in `{before}`."
            ),
            (Some((expected, _)), Some((found, _))) => say!(
                lang,
                "`{place}` : la colonne `{found}` est à la place de `{expected}`, que `{before}` a là.",
                "`{place}`: the column `{found}` is in the place of `{expected}`, which `{before}` has there."
            ),
            (Some((name, _)), None) => say!(
                lang,
                "`{place}` : il manque la colonne `{name}`, que `{before}` a.",
                "`{place}`: the column `{name}` of `{before}` is missing."
            ),
            (None, Some((name, _))) => say!(
                lang,
                "`{place}` : la colonne `{name}` est de trop, `{before}` ne l’a pas.",
                "`{place}`: `{before}` has no column `{name}`."
            ),
            (None, None) => continue,
        };
        return Err(Failure::unusable(said));
    }
    Ok(())
}
