//! Rows of text: CSV with the names of the parameters in the first line, or one JSON object on each line. The format
//! and the separator are detected from the first characters.

use std::borrow::Cow;
use std::io::{BufRead, Chain, Cursor, ErrorKind, Read as _};

use bareme_engine::Lang;
use bareme_show::{Text, say};
use csv::ByteRecord;
use serde_json::Value;

use super::dialect::{Dialect, DialectOptions, Plain};
use crate::user_input::{self, NumberFormat};

/// Number of rows passed between threads as a unit.
const CHUNK: usize = 2048;

/// Columns added in a file of refused rows, which can be used as an input again.
pub(super) const FILE: &str = "fichier";
pub(super) const LINE: &str = "ligne";
pub(super) const REASON: &str = "motif";

/// Whether a column is one of those added in a file of refused rows.
pub(super) fn is_added(name: &str) -> bool {
    [FILE, LINE, REASON].contains(&name)
}

/// The layout of the rows.
#[derive(Debug, Clone)]
pub(super) enum Layout {
    Csv { names: Vec<String>, dialect: Dialect },
    JsonLines,
}

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
        let start = index.checked_sub(1).and_then(|before| self.rows.get(before));
        let (bytes, ends) = start.map_or((0, 0), |start| (start.bytes, start.ends));
        Some(Row { line: end.line, bytes: self.bytes.get(bytes..end.bytes)?, ends: self.ends.get(ends..end.ends)? })
    }

    fn push(&mut self, line: u64, bytes: &[u8], ends: impl Iterator<Item = usize>) {
        self.bytes.extend_from_slice(bytes);
        self.ends.extend(ends);
        self.rows.push(Place { line, bytes: self.bytes.len(), ends: self.ends.len() });
    }
}

impl<'c> Row<'c> {
    /// The cells of a row of CSV.
    fn cells(&self) -> impl Iterator<Item = &'c [u8]> {
        let (bytes, ends) = (self.bytes, self.ends);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        starts.zip(ends).map(move |(start, end)| bytes.get(start..*end).unwrap_or_default())
    }

    /// The text of a JSON line.
    fn text(&self) -> Cow<'c, str> {
        String::from_utf8_lossy(self.bytes)
    }
}

/// Settings for parsing cells: copied columns, renamed columns, the currency that may follow amounts, the language of
/// messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading<'r> {
    pub keep: &'r [String],
    pub map: &'r [(String, String)],
    pub currency: Option<&'r str>,
    pub lang: Lang,
}

/// A parsed cell.
pub(super) enum Cell<'c> {
    /// A cell of a copied column, with its index.
    Kept(usize, &'c str),
    /// A cell of a parameter; an empty one is not sent.
    Parameter(&'c str, Cow<'c, str>),
}

/// The problem of a row that cannot be parsed.
#[derive(Debug)]
pub(super) struct RowError {
    /// The column; or the line, where the problem is not in a single column.
    pub column: String,
    pub reason: String,
    /// The message for a row among others, with the column.
    pub said: String,
}

impl RowError {
    fn of_row(said: String) -> Self {
        Self { column: LINE.to_owned(), reason: said.clone(), said }
    }
}

/// Parameters with their values.
pub(super) type Query = Vec<(String, String)>;

impl Layout {
    /// Passes the cells of a row to `take`.
    ///
    /// # Errors
    /// The reason, in the language of the messages, why the row cannot be parsed.
    pub(super) fn read(&self, row: Row, reading: Reading, mut take: impl FnMut(Cell)) -> Result<(), RowError> {
        match self {
            Self::Csv { names, dialect } => read_csv(row, names, *dialect, reading, take),
            Self::JsonLines => read_json(&row.text(), reading, &mut take),
        }
    }

    /// The parameters of a row that can be parsed.
    pub(super) fn query(&self, row: Row, reading: Reading) -> Query {
        let mut query = Vec::new();
        let read = self.read(row, reading, |cell| {
            if let Cell::Parameter(name, value) = cell
                && !value.is_empty()
            {
                query.push((name.to_owned(), value.into_owned()));
            }
        });
        if read.is_ok() { query } else { Vec::new() }
    }

    /// The row as it was read, for a file of refused rows.
    pub(super) fn cells<'r>(&'r self, row: Row<'r>) -> Vec<(Cow<'r, str>, Cow<'r, str>)> {
        match self {
            Self::Csv { names, .. } => {
                let cells = names.iter().zip(row.cells().chain(std::iter::repeat(&b""[..])));
                cells.map(|(name, cell)| (name.into(), String::from_utf8_lossy(cell))).collect()
            }
            Self::JsonLines => match serde_json::from_str(&row.text()) {
                Ok(Value::Object(members)) => {
                    members.into_iter().map(|(name, value)| (name.into(), written(&value).into())).collect()
                }
                _ => vec![("texte".into(), row.text())],
            },
        }
    }
}

fn read_csv(
    row: Row,
    names: &[String],
    dialect: Dialect,
    reading: Reading,
    mut take: impl FnMut(Cell),
) -> Result<(), RowError> {
    let Reading { keep, lang, .. } = reading;
    check_length(row, names.len(), lang).map_err(RowError::of_row)?;
    for (index, (name, cell)) in names.iter().zip(row.cells()).enumerate() {
        let cell = std::str::from_utf8(cell).map_err(|_| RowError::of_row(NOT_TEXT.in_lang(lang).to_owned()))?.trim();
        if let Some(kept) = keep.iter().position(|kept| kept == name) {
            take(Cell::Kept(kept, cell));
        } else if name.is_empty() {
            if !cell.is_empty() {
                let column = index + 1;
                return Err(RowError::of_row(say!(
                    lang,
                    "`{cell}` dans la colonne {column}, qui n’a pas de nom",
                    "`{cell}` in column {column}, which has no name"
                )));
            }
        } else if !is_added(name) {
            take(Cell::Parameter(name, sent(name, cell, dialect.locale, reading)?));
        }
    }
    Ok(())
}

fn read_json(text: &str, reading: Reading, take: &mut impl FnMut(Cell)) -> Result<(), RowError> {
    let Reading { keep, map, lang, .. } = reading;
    let Ok(Value::Object(members)) = serde_json::from_str(text) else {
        let said = say!(lang, "objet JSON attendu, un par ligne", "a JSON object is expected, one a line");
        return Err(RowError::of_row(said));
    };
    for (name, value) in &members {
        let value = match value {
            Value::Null => continue,
            Value::String(text) => Cow::Borrowed(text.trim()),
            Value::Number(_) | Value::Bool(_) => Cow::Owned(value.to_string()),
            _ => {
                let reason = say!(lang, "une seule valeur attendue", "a single value is expected");
                let said = said_of(&format!("`{name}`"), &reason, lang);
                return Err(RowError { column: name.clone(), reason, said });
            }
        };
        match keep.iter().position(|kept| kept == name) {
            Some(kept) => take(Cell::Kept(kept, &value)),
            None if is_added(name) => {}
            None => {
                let mapped = map.iter().find(|(column, _)| column == name);
                take(Cell::Parameter(mapped.map_or(name, |(_, parameter)| parameter), value));
            }
        }
    }
    Ok(())
}

/// The message of a mistake in a cell.
fn said_of(name: &str, reason: &str, lang: Lang) -> String {
    say!(lang, "{name} : {reason}", "{name}: {reason}")
}

const NOT_TEXT: Text = Text::new(
    "texte illisible en UTF-8 : l’enregistrer en UTF-8, ou dire `--encoding windows-1252`",
    "text that is not UTF-8: save it as UTF-8, or say `--encoding windows-1252`",
);
/// Number of bytes from which the format is detected.
const BEGINNING: u64 = 1 << 16;

fn written(value: &Value) -> String {
    if let Value::String(text) = value { text.clone() } else { value.to_string() }
}

/// An input whose first bytes were already read.
type Input<R> = Chain<Cursor<Vec<u8>>, R>;

/// The rows of an input, in order.
pub(super) enum Rows<R> {
    Csv(csv::Reader<Plain<Input<R>>>, ByteRecord),
    JsonLines { input: Input<R>, line: u64, lang: Lang },
}

impl<R: BufRead> Rows<R> {
    /// Detects the format of an input; `None` for an empty one.
    pub(super) fn open(mut input: R, wanted: DialectOptions, lang: Lang) -> std::io::Result<Option<(Layout, Self)>> {
        let mut beginning = Vec::new();
        input.by_ref().take(BEGINNING).read_to_end(&mut beginning)?;
        let (dialect, mark) = Dialect::detect(&beginning, wanted);
        beginning.drain(..mark);
        let first = beginning.iter().find(|byte| !byte.is_ascii_whitespace()).copied();
        let input = Cursor::new(beginning).chain(input);
        match first {
            None => Ok(None),
            Some(first) if wanted.is_json.unwrap_or(first == b'{') => {
                Ok(Some((Layout::JsonLines, Self::JsonLines { input, line: 0, lang })))
            }
            Some(_) => {
                let plain = Plain::new(input, &dialect);
                let mut reader =
                    csv::ReaderBuilder::new().delimiter(dialect.separator).flexible(true).from_reader(plain);
                let names = reader.byte_headers()?.iter();
                let names = names.map(|name| String::from_utf8_lossy(name).trim().to_owned()).collect();
                Ok(Some((Layout::Csv { names, dialect }, Self::Csv(reader, ByteRecord::new()))))
            }
        }
    }

    /// The next rows; empty at the end.
    pub(super) fn next_chunk(&mut self) -> std::io::Result<Chunk> {
        let mut chunk = Chunk::default();
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
                let within = record.as_slice().iter().filter(|byte| **byte == b'\n').count();
                let after = u64::try_from(within).unwrap_or(0).saturating_add(1);
                let line = reader.position().line().saturating_sub(after);
                if !record.iter().all(is_blank) {
                    let ends = (0..record.len()).filter_map(|index| Some(record.range(index)?.end));
                    chunk.push(line, record.as_slice(), ends);
                    return Ok(true);
                }
            },
            Self::JsonLines { input, line, lang } => loop {
                let mut bytes = Vec::new();
                if input.read_until(b'\n', &mut bytes)? == 0 {
                    return Ok(false);
                }
                *line += 1;
                let not_text = |_| std::io::Error::new(ErrorKind::InvalidData, NOT_TEXT.in_lang(*lang));
                let text = std::str::from_utf8(&bytes).map_err(not_text)?;
                if !text.trim().is_empty() {
                    chunk.push(*line, text.as_bytes(), std::iter::empty());
                    return Ok(true);
                }
            },
        }
    }
}

/// Checks that a row has as many cells as the header; spreadsheets may add separators after the last column.
fn check_length(row: Row, expected: usize, lang: Lang) -> Result<(), String> {
    let found = row.ends.len();
    if found >= expected && row.cells().skip(expected).all(is_blank) {
        return Ok(());
    }
    Err(say!(lang, "{found} cellules au lieu de {expected}", "{found} cells instead of {expected}"))
}

/// The cell of a parameter, converted to the form of the API.
fn sent<'c>(name: &str, cell: &'c str, signs: NumberFormat, reading: Reading) -> Result<Cow<'c, str>, RowError> {
    let Reading { currency, lang, .. } = reading;
    user_input::cell(cell, signs, currency, lang).map_err(|reason| {
        let said = said_of(name, &reason, lang);
        RowError { column: name.to_owned(), reason, said }
    })
}

/// Whether a cell is empty: spreadsheets may end with rows of separators only.
fn is_blank(cell: &[u8]) -> bool {
    std::str::from_utf8(cell).is_ok_and(|cell| cell.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pairs = Query;

    fn read_all(input: &str, keep: &[String]) -> Vec<(u64, Result<Pairs, String>)> {
        let (layout, mut rows) = Rows::open(input.as_bytes(), DialectOptions::default(), Lang::Fr).unwrap().unwrap();
        let chunk = rows.next_chunk().unwrap();
        let read = |row: Row| match layout.read(row, reading(keep), |_| ()) {
            Ok(()) => (row.line, Ok(layout.query(row, reading(keep)))),
            Err(unread) => (row.line, Err(unread.said)),
        };
        chunk.rows().map(read).collect()
    }

    fn reading(keep: &[String]) -> Reading<'_> {
        Reading { keep, map: &[], currency: None, lang: Lang::Fr }
    }

    fn pairs(pairs: &[(&str, &str)]) -> Pairs {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_spreadsheet_and_json_lines_give_the_same_queries() {
        let expected =
            vec![(2, Ok(pairs(&[("brut", "3000"), ("cadre", "true")]))), (3, Ok(pairs(&[("brut", "12.5")])))];
        assert_eq!(read_all("\u{feff}brut;cadre;motif\n3000; true ;x\n12.5;;\n", &[]), expected);
        assert_eq!(read_all("brut,cadre\n3000,true\n\"12.5\",\n", &[]), expected);
        let json =
            read_all("\n{\"brut\": 3000, \"cadre\": true}\n{\"brut\": \"12.5\", \"cadre\": null, \"ligne\": 7}\n", &[]);
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
        assert_eq!(read[1].1, Err("objet JSON attendu, un par ligne".to_owned()));
        assert_eq!(read[2].1, Err("`brut` : une seule valeur attendue".to_owned()));
    }

    #[test]
    fn an_empty_input_has_no_rows() {
        assert!(Rows::open(" \n".as_bytes(), DialectOptions::default(), Lang::Fr).unwrap().is_none());
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
                assert_eq!(read_all(&format!("{written}{ending}"), &keep), expected, "{ending:?} {mark:?}");
            }
        }
        let json = read_all("\n{\"brut\": 1}\n\n{\"brut\": 2}", &[]);
        assert_eq!(json.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 4]);
    }

    #[test]
    fn a_file_of_windows_is_read_with_its_letters() {
        let file = b"brut;pr\xe9nom\r\n1 234,5;Zo\xe9\r\n2\xa0000;\x80\r\n";
        let (layout, mut rows) = Rows::open(&file[..], DialectOptions::default(), Lang::Fr).unwrap().unwrap();
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
        let read = |row: Row| (row.line, layout.query(row, reading(&keep))[0].1.clone(), kept(row));
        let found: Vec<_> = chunk.rows().map(read).collect();
        let row = |line, gross: &str, name: &str| (line, gross.to_owned(), name.to_owned());
        assert_eq!(found, [row(2, "1234.5", "Zoé"), row(3, "2000", "€")]);
    }
}
