//! Input text files: their layouts, then their rows, one chunk at a time.

use std::io::BufRead;

use bareme_show::say;
use bareme_show::spreadsheet::DialectOptions;

use super::inputs::{Input, check_same, unreadable};
use super::layout::{Layout, TextForm};
use super::rows::{Chunk, Rows};
use super::{Args, header, partitions};
use crate::session::{Failure, Session};

type FileRows = Rows<Box<dyn BufRead + Send>>;

/// The files to read.
pub(super) struct Texts {
    inputs: Vec<Input>,
    options: DialectOptions,
    /// The first file, opened only once, since it may be the standard input.
    first: FileRows,
}

/// A chunk of the rows of a file.
#[derive(Debug)]
pub(super) struct FileChunk {
    /// The index of the file.
    pub file: usize,
    pub rows: Chunk,
}

impl Texts {
    /// Detects the formats of all files, and gives their layouts.
    ///
    /// # Errors
    /// A file that cannot be read or is empty, a column that is not a parameter, or files whose
    /// columns differ.
    pub(super) fn open(
        inputs: Vec<Input>,
        options: DialectOptions,
        args: &Args,
        parameters: &[&str],
        session: &Session,
    ) -> Result<(Self, Vec<Layout>), Failure> {
        let mut layouts: Vec<Layout> = Vec::new();
        let mut first = None;

        let mut read: Option<(String, Vec<(String, &str)>)> = None;
        for input in &inputs {
            let (mut layout, rows) = open(input, options, session)?;
            layout.partitions.clone_from(&input.partitions);
            check_partitions(&layout, &input.place, session)?;
            let columns = columns(&layout);
            // Columns must agree in name and order, since a row is read by position.
            match &read {
                Some((place, first)) => {
                    check_same((place, first), (&input.place, &columns), session)?
                }
                None => read = Some((input.place.clone(), columns)),
            }

            match layouts.first() {
                // The checked columns of the first file hold for all, since they agree: what is
                // reported of them is reported once.
                Some(Layout {
                    form:
                        TextForm::Csv {
                            parameters: checked,
                            ..
                        },
                    ..
                }) => {
                    if let TextForm::Csv { parameters, .. } = &mut layout.form {
                        parameters.clone_from(checked);
                    }
                }
                _ => header::check(&mut layout, &args.keep, &args.map, parameters, session)?,
            }

            first.get_or_insert(rows);
            layouts.push(layout);
        }

        let Some(first) = first else {
            return Err(Failure::unusable(say!(
                session.lang,
                "Rien à calculer.",
                "Nothing to compute."
            )));
        };

        Ok((
            Self {
                inputs,
                options,
                first,
            },
            layouts,
        ))
    }

    /// Reads every chunk, in order, until `take` declines.
    ///
    /// # Errors
    /// A file that cannot be read to its end.
    pub(super) fn read(
        self,
        session: &Session,
        mut take: impl FnMut(FileChunk) -> bool,
    ) -> Result<(), Failure> {
        // The first file was opened for its columns; the standard input cannot be opened again.
        let mut first = Some(self.first);
        for (file, input) in self.inputs.iter().enumerate() {
            let mut rows = match first.take() {
                Some(rows) => rows,
                None => open(input, self.options, session)?.1,
            };

            // An empty chunk is the end of a file.
            loop {
                let rows = rows.next_chunk()?;
                if rows.len() == 0 {
                    break;
                }
                if !take(FileChunk { file, rows }) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

fn open(
    input: &Input,
    options: DialectOptions,
    session: &Session,
) -> Result<(Layout, FileRows), Failure> {
    let place = &input.place;
    let opened = Rows::open(input.open(session)?, options, session.lang);
    let opened = opened.map_err(|error| unreadable(place, &error, session))?;
    opened.ok_or_else(|| {
        Failure::unusable(say!(
            session.lang,
            "Rien à lire : {place} est vide.",
            "Nothing to read: {place} is empty."
        ))
    })
}

/// The columns of a file of CSV, or only those of the folders of its path.
fn columns(layout: &Layout) -> Vec<(String, &'static str)> {
    // JSON has no header: its members may differ from line to line.
    let of_folders = || {
        layout
            .partitions
            .iter()
            .map(|partition| partition.name.clone())
            .collect()
    };

    let names = layout.names().unwrap_or_else(of_folders);
    names.into_iter().map(|name| (name, "")).collect()
}

/// Checks that no folder of the path repeats a column of CSV.
fn check_partitions(layout: &Layout, place: &str, session: &Session) -> Result<(), Failure> {
    // The members of JSON lines are only known row by row.
    let TextForm::Csv { names, .. } = &layout.form else {
        return Ok(());
    };

    let columns = names.iter().map(String::as_str);
    partitions::check_columns(&layout.partitions, columns, place, session)
}
