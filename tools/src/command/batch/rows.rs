//! Rows of text: CSV with the names of the parameters in the first line, or one JSON object on each
//! line; and those of a workbook. The format and the separator are detected from the first
//! characters.

use std::borrow::Cow;
use std::io::{BufRead, Chain, Cursor, ErrorKind, Read as _};

use bareme_engine::Lang;
use bareme_show::spreadsheet::{Dialect, DialectOptions, Plain};
use csv::ByteRecord;

use super::layout::{Layout, NOT_TEXT, TextForm};
use super::letters::{Letters, is_utf_16};
use super::sheets;
use crate::workbook;

/// Number of rows passed between threads as a unit.
pub(super) const CHUNK: usize = 2048;

/// Rows as read, not parsed yet.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// The texts of the rows, concatenated.
    bytes: Vec<u8>,
    /// The end of each CSV cell within its row.
    ends: Vec<usize>,
    rows: Vec<Place>,
}

/// The end of a row in the texts and in the cells of its chunk.
#[derive(Debug)]
struct Place {
    line: u64,
    bytes: usize,
    ends: usize,
}

/// A row as read, not parsed yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'c> {
    /// Its line in the file, from 1.
    pub line: u64,
    bytes: &'c [u8],
    ends: &'c [usize],
}

impl Chunk {
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.rows.len()).filter_map(|index| self.row(index))
    }

    pub(super) fn row(&self, index: usize) -> Option<Row<'_>> {
        let end = self.rows.get(index)?;
        // A row starts where the one before it ends, so only ends are kept.
        let start = index
            .checked_sub(1)
            .and_then(|before| self.rows.get(before));
        let (bytes, ends) = start.map_or((0, 0), |start| (start.bytes, start.ends));

        Some(Row {
            line: end.line,
            bytes: self.bytes.get(bytes..end.bytes)?,
            ends: self.ends.get(ends..end.ends)?,
        })
    }

    pub(super) fn push(&mut self, line: u64, bytes: &[u8], ends: impl Iterator<Item = usize>) {
        self.bytes.extend_from_slice(bytes);
        self.ends.extend(ends);
        self.rows.push(Place {
            line,
            bytes: self.bytes.len(),
            ends: self.ends.len(),
        });
    }
}

impl<'c> Row<'c> {
    /// The cells of a row of CSV.
    pub(super) fn cells(&self) -> impl Iterator<Item = &'c [u8]> {
        let (bytes, ends) = (self.bytes, self.ends);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        starts
            .zip(ends)
            .map(move |(start, end)| bytes.get(start..*end).unwrap_or_default())
    }

    /// The number of cells of a row of CSV.
    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    /// The text of a JSON line.
    pub(super) fn text(&self) -> Cow<'c, str> {
        String::from_utf8_lossy(self.bytes)
    }
}

/// Number of bytes from which the format is detected.
const BEGINNING: u64 = 1 << 16;

/// An input whose first bytes were already read.
type Input<R> = Chain<Cursor<Vec<u8>>, Letters<R>>;

/// The rows of an input, in order.
pub(super) enum Rows<R> {
    Csv(csv::Reader<Plain<Input<R>>>, ByteRecord),
    JsonLines {
        input: Input<R>,
        line: u64,
        lang: Lang,
    },
    /// Those of a workbook, which are read at once.
    Workbook(std::vec::IntoIter<Chunk>),
}

impl<R: BufRead> Rows<R> {
    /// Detects the format of an input; `None` for an empty one.
    pub(super) fn open(
        input: R,
        options: DialectOptions,
        lang: Lang,
    ) -> std::io::Result<Option<(Layout, Self)>> {
        let mut input = Letters::new(input, options.encoding, lang)?;
        let options = DialectOptions {
            encoding: options.encoding.filter(|named| !is_utf_16(named)),
            ..options
        };

        // The format is decided from the beginning, which is then read again from memory: the input
        // may be a pipe.
        let mut beginning = Vec::new();
        input.by_ref().take(BEGINNING).read_to_end(&mut beginning)?;
        if workbook::is_workbook(&beginning) {
            input.read_to_end(&mut beginning)?;
            let opened = sheets::open(beginning, options, lang)?;
            let rows = |(layout, chunks): (Layout, Vec<Chunk>)| {
                (layout, Self::Workbook(chunks.into_iter()))
            };
            return Ok(opened.map(rows));
        }

        let (dialect, mark) = Dialect::detect(&beginning, options);
        // The byte order mark is no part of the first column's name.
        beginning.drain(..mark);

        let first = beginning
            .iter()
            .find(|byte| !byte.is_ascii_whitespace())
            .copied();

        let input = Cursor::new(beginning).chain(input);
        match first {
            None => Ok(None),
            Some(first) if options.is_json.unwrap_or(first == b'{') => Ok(Some((
                Layout::new(TextForm::JsonLines),
                Self::JsonLines {
                    input,
                    line: 0,
                    lang,
                },
            ))),
            Some(_) => {
                // Rows may have more or fewer cells than the header: each is refused by itself.
                let plain = Plain::new(input, &dialect);
                let mut reader = csv::ReaderBuilder::new()
                    .delimiter(dialect.separator)
                    .flexible(true)
                    .from_reader(plain);

                let names = reader.byte_headers()?.iter();
                let names: Vec<String> = names
                    .map(|name| String::from_utf8_lossy(name).trim().to_owned())
                    .collect();

                let form = TextForm::Csv {
                    parameters: names.clone(),
                    names,
                    dialect,
                };
                Ok(Some((
                    Layout::new(form),
                    Self::Csv(reader, ByteRecord::new()),
                )))
            }
        }
    }

    /// The next rows; empty at the end.
    pub(super) fn next_chunk(&mut self) -> std::io::Result<Chunk> {
        let mut chunk = Chunk::default();
        if let Self::Workbook(chunks) = self {
            return Ok(chunks.next().unwrap_or_default());
        }
        while chunk.len() < CHUNK && self.next_row(&mut chunk)? {}
        Ok(chunk)
    }

    /// Adds the next row; returns false at the end.
    fn next_row(&mut self, chunk: &mut Chunk) -> std::io::Result<bool> {
        match self {
            Self::Csv(reader, record) => loop {
                if !reader.read_byte_record(record)? {
                    return Ok(false);
                }

                // The reader is after the row, and may have skipped empty lines before it.
                let within = record
                    .as_slice()
                    .iter()
                    .filter(|byte| **byte == b'\n')
                    .count();
                let after = u64::try_from(within).unwrap_or(0).saturating_add(1);
                let line = reader.position().line().saturating_sub(after);

                // Rows of empty cells are no rows.
                if !record.iter().all(is_blank) {
                    let ends = (0..record.len()).filter_map(|index| Some(record.range(index)?.end));
                    chunk.push(line, record.as_slice(), ends);
                    return Ok(true);
                }
            },
            // The rows of a workbook are in chunks already.
            Self::Workbook(_) => Ok(false),
            Self::JsonLines { input, line, lang } => loop {
                let mut bytes = Vec::new();
                if input.read_until(b'\n', &mut bytes)? == 0 {
                    return Ok(false);
                }
                *line += 1;

                let not_text =
                    |_| std::io::Error::new(ErrorKind::InvalidData, NOT_TEXT.in_lang(*lang));
                let text = std::str::from_utf8(&bytes).map_err(not_text)?;

                if !text.trim().is_empty() {
                    chunk.push(*line, text.as_bytes(), std::iter::empty());
                    return Ok(true);
                }
            },
        }
    }
}

/// Whether a cell is empty: spreadsheets may end with rows of separators only.
pub(super) fn is_blank(cell: &[u8]) -> bool {
    std::str::from_utf8(cell).is_ok_and(|cell| cell.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::layout::{Cell, Query, Reading};
    use super::*;

    type Pairs = Query;

    fn read_all(input: &str, keep: &[String]) -> Vec<(u64, Result<Pairs, String>)> {
        let (layout, mut rows) = Rows::open(input.as_bytes(), DialectOptions::default(), Lang::Fr)
            .unwrap()
            .unwrap();
        let chunk = rows.next_chunk().unwrap();
        let read = |row: Row| match layout.read(row, reading(keep), |_| ()) {
            Ok(()) => (row.line, Ok(layout.query(row, reading(keep)))),
            Err(unread) => (row.line, Err(unread.message)),
        };
        chunk.rows().map(read).collect()
    }

    fn reading(keep: &[String]) -> Reading<'_> {
        Reading {
            keep,
            map: &[],
            parameters: &["brut", "cadre"],
            currency: None,
            lang: Lang::Fr,
        }
    }

    fn pairs(pairs: &[(&str, &str)]) -> Pairs {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn a_spreadsheet_and_json_lines_give_the_same_queries() {
        let expected = vec![
            (2, Ok(pairs(&[("brut", "3000"), ("cadre", "true")]))),
            (3, Ok(pairs(&[("brut", "12.5")]))),
        ];
        assert_eq!(
            read_all("\u{feff}brut;cadre;motif\n3000; true ;x\n12.5;;\n", &[]),
            expected
        );
        assert_eq!(
            read_all("brut,cadre\n3000,true\n\"12.5\",\n", &[]),
            expected
        );
        let json = read_all(
            "\n{\"brut\": 3000, \"cadre\": true}\n{\"brut\": \"12.5\", \"cadre\": null, \
             \"ligne\": 7}\n",
            &[],
        );
        assert_eq!(
            json.iter().map(|(_, read)| read).collect::<Vec<_>>(),
            expected.iter().map(|(_, read)| read).collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_row_that_cannot_be_read_says_why_and_the_others_go_on() {
        let read = read_all("brut,cadre\n1,true,2\n3000,false\n", &[]);
        assert_eq!(read[0], (2, Err("3 cellules au lieu de 2".to_owned())));
        assert!(read[1].1.is_ok());
        let read = read_all("{\"brut\": 1}\n[1]\n{\"brut\": [1]}\n", &[]);
        assert_eq!(
            read[1].1,
            Err("objet JSON attendu, un par ligne".to_owned())
        );
        assert_eq!(
            read[2].1,
            Err("`brut` : une seule valeur attendue".to_owned())
        );
    }

    #[test]
    fn a_copied_column_that_is_a_parameter_is_sent_too() {
        let keep = ["brut".to_owned(), "nom".to_owned()];
        let sent = vec![(2, Ok(pairs(&[("brut", "3000.50")])))];
        assert_eq!(read_all("brut;nom\n3 000,50;a\n", &keep), sent);
        let sent = vec![(1, Ok(pairs(&[("brut", "3000.5")])))];
        assert_eq!(
            read_all("{\"brut\": \"3000.5\", \"nom\": \"a\"}\n", &keep),
            sent
        );
    }

    #[test]
    fn an_empty_input_has_no_rows() {
        assert!(
            Rows::open(" \n".as_bytes(), DialectOptions::default(), Lang::Fr)
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn lines_are_those_of_the_file_whatever_ends_them_and_empty_rows_are_none() {
        let file = "\nbrut;nom\n1;a\n\n;;;\n \u{a0};\n2;\"b\nc\"\n\n3;d\n;\n4;e";
        let keep = ["nom".to_owned()];
        let row = |line, brut| (line, Ok(pairs(&[("brut", brut)])));
        let expected = vec![row(3, "1"), row(7, "2"), row(10, "3"), row(12, "4")];
        for ending in ["\n", "\r\n", "\r"] {
            for mark in ["", "\u{feff}"] {
                let written = format!("{mark}{}", file.replace('\n', ending));
                assert_eq!(read_all(&written, &keep), expected, "{ending:?} {mark:?}");
                assert_eq!(
                    read_all(&format!("{written}{ending}"), &keep),
                    expected,
                    "{ending:?} {mark:?}"
                );
            }
        }
        let json = read_all("\n{\"brut\": 1}\n\n{\"brut\": 2}", &[]);
        assert_eq!(
            json.iter().map(|(line, _)| *line).collect::<Vec<_>>(),
            [2, 4]
        );
    }

    #[test]
    fn a_file_of_windows_is_read_with_its_letters() {
        let file = b"brut;pr\xe9nom\r\n1 234,5;Zo\xe9\r\n2\xa0000;\x80\r\n";
        let (layout, mut rows) = Rows::open(&file[..], DialectOptions::default(), Lang::Fr)
            .unwrap()
            .unwrap();
        let (chunk, keep) = (rows.next_chunk().unwrap(), ["prénom".to_owned()]);
        let kept = |row: Row| {
            let mut kept = String::new();
            let take = |cell: Cell| {
                if let Cell::Kept(0, value) = cell {
                    kept.push_str(value);
                }
            };
            layout.read(row, reading(&keep), take).unwrap();
            kept
        };
        let read = |row: Row| {
            (
                row.line,
                layout.query(row, reading(&keep))[0].1.clone(),
                kept(row),
            )
        };
        let found: Vec<_> = chunk.rows().map(read).collect();
        let row = |line, gross: &str, name: &str| (line, gross.to_owned(), name.to_owned());
        assert_eq!(found, [row(2, "1234.5", "Zoé"), row(3, "2000", "€")]);
    }
}
