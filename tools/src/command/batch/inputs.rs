//! Input files: named, matched by a pattern, or the standard input; and their format.

use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal as _, Read};
use std::path::{Path, PathBuf};

use bareme_arrow::Format as TableFormat;
use bareme_show::say;

use super::Args;
use super::partitions::{self, Partition};
use super::row_format::RowFormat;
use crate::session::{Failure, Session};

/// An input file; without a path, the standard input.
#[derive(Debug, Clone)]
pub(super) struct Input {
    pub path: Option<PathBuf>,
    /// Its name, for messages.
    pub place: String,
    /// The columns that the folders of its path are.
    pub partitions: Vec<Partition>,
}

impl Input {
    /// Opens it for reading.
    pub(super) fn open(&self, session: &Session) -> Result<Box<dyn BufRead + Send>, Failure> {
        // 64 KiB a read: files are read once, from start to end.
        const CAPACITY: usize = 1 << 16;

        let file: Box<dyn Read + Send> = match &self.path {
            Some(path) => Box::new(
                File::open(path).map_err(|error| unreadable(&self.place, &error, session))?,
            ),
            None => Box::new(std::io::stdin()),
        };
        Ok(Box::new(BufReader::with_capacity(CAPACITY, file)))
    }
}

/// The error of a file that cannot be read.
pub(super) fn unreadable(place: &str, error: &dyn std::fmt::Display, session: &Session) -> Failure {
    Failure::unusable(say!(
        session.lang,
        "`{place}` ne se lit pas : {error}",
        "`{place}` cannot be read: {error}"
    ))
}

/// The files of the command line, in order, and their common format; without one, it is that of
/// text to be detected.
///
/// # Errors
/// A pattern that no file matches, files of several formats, or no file where the standard input is
/// a terminal.
pub(super) fn find(
    names: &[PathBuf],
    format: Option<RowFormat>,
    session: &Session,
) -> Result<(Vec<Input>, Option<RowFormat>), Failure> {
    let lang = session.lang;
    // A terminal would wait without a word for rows to be typed.
    if names.is_empty() && std::io::stdin().is_terminal() {
        return Err(Failure::unusable(say!(
            lang,
            "Dire le fichier des lignes : `bareme batch DOSSIER lignes.csv`, ou `-` pour l’entrée \
             standard.",
            "Name the file of the rows: `bareme batch FOLDER rows.csv`, or `-` for the standard \
             input."
        )));
    }

    // The standard input, by the name `-` or by no name.
    if names.is_empty() || names == [PathBuf::from("-")] {
        // Parquet and Arrow files have their index at the end, and are read from there.
        if let Some(RowFormat::Table(TableFormat::Parquet | TableFormat::Arrow)) = format {
            return Err(Failure::unusable(say!(
                lang,
                "L’entrée standard se lit en CSV, en lignes JSON ou en flux Arrow \
                 (`--input-format arrows`) : un fichier Parquet ou Arrow se nomme.",
                "The standard input is read as CSV, JSON lines or an Arrow stream \
                 (`--input-format arrows`): a Parquet or Arrow file has to be named."
            )));
        }

        let place = say!(lang, "l’entrée standard", "the standard input");
        return Ok((
            vec![Input {
                path: None,
                place,
                partitions: Vec::new(),
            }],
            format,
        ));
    }

    let mut inputs = Vec::new();
    for name in names {
        for path in matching(name, session)? {
            let partitions = Partition::of_path(&path);
            inputs.push(Input {
                place: path.display().to_string(),
                path: Some(path),
                partitions,
            });
        }
    }

    let format = match format {
        Some(format) => Some(format),
        None => common_format(&inputs, session)?,
    };
    Ok((inputs, format))
}

/// The inputs, each with those folders of its path that are parameters or are copied.
///
/// # Errors
/// A folder that is nearly a parameter.
pub(super) fn with_columns_of_folders(
    mut inputs: Vec<Input>,
    args: &Args,
    parameters: &[&str],
    session: &Session,
) -> Result<Vec<Input>, Failure> {
    for (index, input) in inputs.iter_mut().enumerate() {
        // Only the first file mentions the folders that are ignored: those of all files have the
        // same names.
        let found = std::mem::take(&mut input.partitions);
        input.partitions = partitions::select(found, args, parameters, (index == 0, session))?;
    }
    Ok(inputs)
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
    // A folder, as engines write a table.
    if name.is_dir() {
        return inside(name, session);
    }
    // A file may have a sign of patterns in its name.
    if name.exists() || !pattern.contains(['*', '?', '[']) {
        return Ok(vec![name.to_path_buf()]);
    }

    let found = glob::glob(&pattern).map_err(|error| unreadable(&pattern, &error, session))?;
    let found: Result<Vec<PathBuf>, _> = found.collect();
    let mut found = found.map_err(|error| unreadable(&pattern, &error, session))?;
    // `*` matches folders too; sorting makes the order of the rows the same on every system.
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

/// The tables of a folder and of those below it, sorted by name: what a name does not say to be a
/// table, such as `_SUCCESS`, and hidden files are left out.
fn inside(folder: &Path, session: &Session) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(next) = waiting.pop() {
        let failed =
            |error: std::io::Error| unreadable(&next.display().to_string(), &error, session);
        for entry in std::fs::read_dir(&next).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = entry.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();

            if name.starts_with(['.', '_']) {
                continue;
            }
            // A link to a folder is not followed: it may lead back here.
            if entry.file_type().map_err(failed)?.is_dir() {
                waiting.push(path);
            } else if TableFormat::from_path(&path).is_some() {
                found.push(path);
            }
        }
    }
    found.sort();

    if found.is_empty() {
        let place = folder.display();
        return Err(Failure::unusable(say!(
            session.lang,
            "Rien à calculer : aucune table (Parquet, Arrow) dans le dossier {place}.",
            "Nothing to compute: no table (Parquet, Arrow) in the folder {place}."
        )));
    }
    Ok(found)
}

fn common_format(inputs: &[Input], session: &Session) -> Result<Option<RowFormat>, Failure> {
    let of = |input: &Input| {
        input
            .path
            .as_deref()
            .and_then(TableFormat::from_path)
            .map(RowFormat::Table)
    };

    let mut formats = inputs.iter().map(|input| (input, of(input)));
    let Some((first, format)) = formats.next() else {
        return Ok(None);
    };
    let Some((other, _)) = formats.find(|(_, other)| *other != format) else {
        return Ok(format);
    };

    let (first, other) = (&first.place, &other.place);
    Err(Failure::unusable(say!(
        session.lang,
        "`{other}` n’est pas du même format que `{first}` : les calculer à part.",
        "`{other}` is not of the same format as `{first}`: compute each by itself."
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
        let message = match (expected.get(index), found.get(index)) {
            (Some(expected), Some(found)) if expected == found => continue,
            // The same name with another type comes before a shifted column, which it would look
            // like.
            (Some((name, expected)), Some((same, found))) if name == same => say!(
                lang,
                "`{place}` : la colonne `{name}` est de type {found}, et de type {expected} dans \
                 `{before}`.",
                "`{place}`: the column `{name}` is of type {found}, and of type {expected} in \
                 `{before}`."
            ),
            (Some((expected, _)), Some((found, _))) => say!(
                lang,
                "`{place}` : la colonne `{found}` est à la place de `{expected}`, que `{before}` \
                 a là.",
                "`{place}`: the column `{found}` is in the place of `{expected}`, which \
                 `{before}` has there."
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
        return Err(Failure::unusable(message));
    }
    Ok(())
}
