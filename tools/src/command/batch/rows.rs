//! Rows as they come in: CSV with the names of the parameters in its first line, or one JSON object a
//! line. Which of the two it is, and the separator, show in the first characters.

use std::borrow::Cow;
use std::io::{BufRead, Chain, Cursor, ErrorKind, Read as _};

use bareme_engine::Lang;
use bareme_show::{Text, say};
use csv::ByteRecord;
use serde_json::Value;

use super::dialect::{Dialect, Plain, Wanted};
use crate::typed::{self, Signs};

/// Rows that travel together from one thread to the next.
const CHUNK: usize = 512;

/// Columns that a file of refused rows has more than the others: such a file can be given back as it is.
pub(super) const LINE: &str = "ligne";
pub(super) const REASON: &str = "motif";

/// The layout of the rows.
#[derive(Debug, Clone)]
pub(super) enum Layout {
    Csv { names: Vec<String>, dialect: Dialect },
    JsonLines,
}

/// A row that was not looked into yet.
#[derive(Debug)]
pub(super) struct Row {
    /// Its line in the file, from 1.
    pub line: u64,
    cells: Cells,
}

#[derive(Debug)]
enum Cells {
    Csv(ByteRecord),
    Json(String),
}

/// Columns that are copied, the currency that amounts may be followed by, the language of the messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading<'r> {
    pub keep: &'r [String],
    pub currency: Option<&'r str>,
    pub lang: Lang,
}

/// A row that could be read.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub query: Vec<(String, String)>,
    /// Cells that are copied to the output.
    pub kept: Vec<String>,
}

impl Layout {
    /// Reads the cells of a row into `read`; empty cells are missing parameters.
    ///
    /// # Errors
    /// The cause, in the language of the messages, where the row cannot be read.
    pub(super) fn read(&self, row: &Row, reading: Reading, read: &mut Read) -> Result<(), String> {
        let Reading { keep, lang, .. } = reading;
        read.query.clear();
        read.kept.clear();
        read.kept.resize(keep.len(), String::new());
        let mut put = |name: &str, value: &str| match keep.iter().position(|kept| kept == name) {
            Some(index) => {
                if let Some(kept) = read.kept.get_mut(index) {
                    kept.push_str(value);
                }
            }
            None if value.is_empty() || name == LINE || name == REASON => {}
            None => read.query.push((name.to_owned(), value.to_owned())),
        };
        match (self, &row.cells) {
            (Self::Csv { names, dialect }, Cells::Csv(record)) => {
                check_length(record, names.len(), lang)?;
                for (index, (name, cell)) in names.iter().zip(record).enumerate() {
                    let cell = std::str::from_utf8(cell).map_err(|_| NOT_TEXT.in_lang(lang))?.trim();
                    if name.is_empty() && !cell.is_empty() {
                        let column = index + 1;
                        return Err(say!(
                            lang,
                            "`{cell}` dans la colonne {column}, qui n'a pas de nom",
                            "`{cell}` in column {column}, which has no name"
                        ));
                    }
                    match keep.contains(name) || [LINE, REASON, ""].contains(&name.as_str()) {
                        true => put(name, cell),
                        false => put(name, &sent(name, cell, dialect.locale, reading)?),
                    }
                }
            }
            (_, Cells::Json(text)) => {
                let Ok(Value::Object(members)) = serde_json::from_str(text) else {
                    return Err(say!(
                        lang,
                        "objet JSON attendu, un par ligne",
                        "a JSON object is expected, one a line"
                    ));
                };
                for (name, value) in &members {
                    match value {
                        Value::Null => {}
                        Value::String(text) => put(name, text.trim()),
                        Value::Number(_) | Value::Bool(_) => put(name, &value.to_string()),
                        _ => {
                            let several = say!(lang, "une seule valeur attendue", "a single value is expected");
                            return Err(said_of(&format!("`{name}`"), &several, lang));
                        }
                    }
                }
            }
            (Self::JsonLines, Cells::Csv(_)) => {}
        }
        Ok(())
    }

    /// The row as it came in, for a file of refused rows.
    pub(super) fn cells<'r>(&self, row: &'r Row) -> Vec<(String, Cow<'r, str>)> {
        match (self, &row.cells) {
            (Self::Csv { names, .. }, Cells::Csv(record)) => {
                let cells = names.iter().zip(record.iter().chain(std::iter::repeat(&b""[..])));
                cells.map(|(name, cell)| (name.clone(), String::from_utf8_lossy(cell))).collect()
            }
            (_, Cells::Json(text)) => match serde_json::from_str(text) {
                Ok(Value::Object(members)) => {
                    members.into_iter().map(|(name, value)| (name, written(&value).into())).collect()
                }
                _ => vec![("texte".to_owned(), text.as_str().into())],
            },
            (Self::JsonLines, Cells::Csv(_)) => Vec::new(),
        }
    }
}

/// The mistake in the cell of a name.
fn said_of(name: &str, reason: &str, lang: Lang) -> String {
    say!(lang, "{name} : {reason}", "{name}: {reason}")
}

const NOT_TEXT: Text = Text::new(
    "texte illisible en UTF-8 : l'enregistrer en UTF-8, ou dire `--encoding windows-1252`",
    "text that is not UTF-8: save it as UTF-8, or say `--encoding windows-1252`",
);
/// Bytes that show how a file is written.
const BEGINNING: u64 = 1 << 16;

fn written(value: &Value) -> String {
    if let Value::String(text) = value { text.clone() } else { value.to_string() }
}

/// An input whose beginning was looked at.
type Input<R> = Chain<Cursor<Vec<u8>>, R>;

/// The rows of an input, in order.
pub(super) enum Rows<R> {
    Csv(csv::Reader<Plain<Input<R>>>),
    JsonLines { input: Input<R>, line: u64, lang: Lang },
}

impl<R: BufRead> Rows<R> {
    /// Looks at the beginning of an input; nothing is read of an empty one.
    pub(super) fn open(mut input: R, wanted: Wanted, lang: Lang) -> std::io::Result<Option<(Layout, Self)>> {
        let mut beginning = Vec::new();
        input.by_ref().take(BEGINNING).read_to_end(&mut beginning)?;
        let (dialect, mark) = Dialect::of(&beginning, wanted);
        beginning.drain(..mark);
        let first = beginning.iter().find(|byte| !byte.is_ascii_whitespace()).copied();
        let input = Cursor::new(beginning).chain(input);
        match first {
            None => Ok(None),
            Some(b'{') => Ok(Some((Layout::JsonLines, Self::JsonLines { input, line: 0, lang }))),
            Some(_) => {
                let plain = Plain::new(input, &dialect);
                let mut reader =
                    csv::ReaderBuilder::new().delimiter(dialect.separator).flexible(true).from_reader(plain);
                let names = reader.byte_headers()?.iter();
                let names = names.map(|name| String::from_utf8_lossy(name).trim().to_owned()).collect();
                Ok(Some((Layout::Csv { names, dialect }, Self::Csv(reader))))
            }
        }
    }

    /// The next rows; none at the end.
    pub(super) fn next_chunk(&mut self) -> std::io::Result<Vec<Row>> {
        let mut rows = Vec::with_capacity(CHUNK);
        while rows.len() < CHUNK {
            match self.next_row()? {
                Some(row) => rows.push(row),
                None => break,
            }
        }
        Ok(rows)
    }

    fn next_row(&mut self) -> std::io::Result<Option<Row>> {
        match self {
            Self::Csv(reader) => loop {
                let mut record = ByteRecord::new();
                if !reader.read_byte_record(&mut record)? {
                    return Ok(None);
                }
                // The reader stands after the row, and may have skipped empty lines before it.
                let within = record.as_slice().iter().filter(|byte| **byte == b'\n').count();
                let after = u64::try_from(within).unwrap_or(0).saturating_add(1);
                let line = reader.position().line().saturating_sub(after);
                if !record.iter().all(is_blank) {
                    return Ok(Some(Row { line, cells: Cells::Csv(record) }));
                }
            },
            Self::JsonLines { input, line, lang } => loop {
                let mut bytes = Vec::new();
                if input.read_until(b'\n', &mut bytes)? == 0 {
                    return Ok(None);
                }
                *line += 1;
                let not_text = |_| std::io::Error::new(ErrorKind::InvalidData, NOT_TEXT.in_lang(*lang));
                let text = String::from_utf8(bytes).map_err(not_text)?;
                if !text.trim().is_empty() {
                    return Ok(Some(Row { line: *line, cells: Cells::Json(text) }));
                }
            },
        }
    }
}

/// Checks that a row has the cells of the header; a spreadsheet writes separators after the last column too.
fn check_length(record: &ByteRecord, expected: usize, lang: Lang) -> Result<(), String> {
    let found = record.len();
    if found >= expected && record.iter().skip(expected).all(is_blank) {
        return Ok(());
    }
    Err(say!(lang, "{found} cellules au lieu de {expected}", "{found} cells instead of {expected}"))
}

/// The cell of a parameter as a caller of the service would send it.
fn sent<'c>(name: &str, cell: &'c str, signs: Signs, reading: Reading) -> Result<Cow<'c, str>, String> {
    let Reading { currency, lang, .. } = reading;
    typed::cell(cell, signs, currency, lang).map_err(|reason| said_of(name, &reason, lang))
}

/// Whether a cell holds nothing: a spreadsheet ends with rows of separators alone.
fn is_blank(cell: &[u8]) -> bool {
    std::str::from_utf8(cell).is_ok_and(|cell| cell.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pairs = Vec<(String, String)>;

    fn read_all(input: &str, keep: &[String]) -> Vec<(u64, Result<Pairs, String>)> {
        let (layout, mut rows) = Rows::open(input.as_bytes(), Wanted::default(), Lang::Fr).unwrap().unwrap();
        let mut read = Read::default();
        let rows = rows.next_chunk().unwrap();
        rows.iter()
            .map(|row| (row.line, layout.read(row, reading(keep), &mut read).map(|()| read.query.clone())))
            .collect()
    }

    fn reading(keep: &[String]) -> Reading<'_> {
        Reading { keep, currency: None, lang: Lang::Fr }
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
        assert!(Rows::open(" \n".as_bytes(), Wanted::default(), Lang::Fr).unwrap().is_none());
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
        let (layout, mut rows) = Rows::open(&file[..], Wanted::default(), Lang::Fr).unwrap().unwrap();
        let mut read = Read::default();
        let found: Vec<_> = rows
            .next_chunk()
            .unwrap()
            .iter()
            .map(|row| {
                layout.read(row, reading(&["prénom".to_owned()]), &mut read).unwrap();
                (row.line, read.query[0].1.clone(), read.kept[0].clone())
            })
            .collect();
        let row = |line, gross: &str, name: &str| (line, gross.to_owned(), name.to_owned());
        assert_eq!(found, [row(2, "1234.5", "Zoé"), row(3, "2000", "€")]);
    }
}
