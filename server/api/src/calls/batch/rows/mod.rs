//! Parsing of the rows of a batch. Only the row that cannot be parsed has an error: the others are
//! computed.

mod csv;
mod json;

use bareme_engine::text::{BadParameter, ParameterCode};
use bareme_show::Text;
use bareme_show::spreadsheet::DialectOptions;
use hyper::body::Bytes;

use super::form::Form;
use crate::wire::problem::{Problem, kinds};
use crate::wire::query::Query;

/// Name of the parameter in an error of a whole row.
const ROW: &str = "ligne";

/// A row, parsed.
#[derive(Debug)]
pub struct Row {
    /// The value of each name of the key, in their order; none where the row does not have it.
    pub keys: Vec<Option<KeyValue>>,
    /// Its parameters, with those that cannot be parsed; or the error of the row.
    pub query: Result<Query, Problem>,
}

/// A value of the key of a row, which its answer repeats untouched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyValue {
    /// A cell.
    Text(String),
    /// A value of JSON, as it was written.
    Json(String),
}

/// Form of the values of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// One value.
    Single,
    /// One value, or a list with one for each month.
    Lists,
}

/// How the rows of a body are read.
#[derive(Debug, Clone)]
pub struct Reading {
    /// Greatest number of rows.
    pub most: usize,
    /// How texts become values.
    pub values: Values,
    /// The settings of the dialect of a CSV that the request gives.
    pub dialect: DialectOptions,
    /// The currency that may follow an amount in a cell of a spreadsheet.
    pub currency: Option<String>,
    /// The names whose values are the key of a row, and no parameters.
    pub keys: Vec<String>,
    /// Whether the address names the key, so that it is in every answer.
    pub is_key_asked: bool,
}

/// The rows of a batch: counted when the body arrives, each parsed when its turn to be computed
/// comes, so that a batch holds little more than its body.
#[derive(Debug)]
pub struct Rows {
    /// The text of each row, a part of the body.
    rows: Vec<Bytes>,
    /// The format of the rows, with the dialect found.
    pub form: Form,
    /// The cells of the first line of a CSV: the names of the columns, and the empty ones that
    /// spreadsheets add.
    header: Vec<String>,
    reading: Reading,
}

impl Rows {
    /// The rows of a body.
    ///
    /// # Errors
    /// A body that is malformed, has no rows, or too many.
    pub fn read(body: &Bytes, form: Form, mut reading: Reading) -> Result<Self, Problem> {
        let mut counted = Counted {
            rows: Vec::new(),
            most: reading.most,
            count: 0,
        };

        // Parts of the body, without a copy of it.
        let header = match form {
            Form::Array => json::array(&without_mark(body), &mut counted)?,
            Form::Lines => json::lines(&without_mark(body), &mut counted),
            Form::Csv(_) => csv::records(body, reading.dialect, &mut counted)?,
        };

        // The rows beyond the limit are counted too, so that the caller learns by how many to cut.
        match counted.count {
            0 => {
                return Err(unreadable(
                    "le lot n’a aucune ligne",
                    "the batch has no row",
                ));
            }
            count if count > reading.most => {
                return Err(Problem::too_many_rows(count, reading.most));
            }
            _ => {}
        }

        // A column of the answer for each name that some row has. A name that is only within a text
        // makes an empty column, which is harmless.
        let is_asked = reading.is_key_asked;
        reading.keys.retain(|key| match header.form {
            _ if is_asked => true,
            Form::Csv(_) => header.cells.contains(key),
            Form::Array | Form::Lines => json::has_member(body, key),
        });

        let Header { form, cells } = header;
        Ok(Self {
            rows: counted.rows,
            form,
            header: cells,
            reading,
        })
    }

    /// The number of rows.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// The names of the key that the rows have.
    pub(crate) fn keys(&self) -> &[String] {
        &self.reading.keys
    }

    /// The names of the columns that are parameters, where the first line names the columns.
    pub(crate) fn columns(&self) -> Option<impl Iterator<Item = &str>> {
        // A column without a name, or of the key, is no parameter.
        let is_parameter =
            move |name: &&str| !name.is_empty() && !self.keys().iter().any(|key| key == name);
        let names = self.header.iter().map(String::as_str).filter(is_parameter);
        matches!(self.form, Form::Csv(_)).then_some(names)
    }

    /// Whether the address names the key of the rows.
    pub(crate) fn is_key_asked(&self) -> bool {
        self.reading.is_key_asked
    }

    /// The first column of the key that the first line does not name once, with how often it does.
    pub(crate) fn bad_key_column(&self) -> Option<(&str, usize)> {
        // In JSON each row has its own members, which may be missing.
        let counted = self.keys().iter().map(|key| {
            (
                key.as_str(),
                self.header.iter().filter(|name| *name == key).count(),
            )
        });

        let is_csv = matches!(self.form, Form::Csv(_));
        counted.into_iter().find(|(_, count)| is_csv && *count != 1)
    }

    /// Parses a row; `None` beyond the last one.
    pub fn row(&self, index: usize) -> Option<Row> {
        let text = self.rows.get(index)?;
        Some(match self.form {
            Form::Array | Form::Lines => json::row(text, &self.reading),
            Form::Csv(dialect) => csv::row(text, &self.header, dialect, &self.reading),
        })
    }
}

/// The rows of a body while it is read: those beyond the limit are counted, and not kept.
struct Counted {
    rows: Vec<Bytes>,
    most: usize,
    count: usize,
}

impl Counted {
    fn add(&mut self, row: impl FnOnce() -> Bytes) {
        self.count = self.count.saturating_add(1);
        if self.count <= self.most {
            self.rows.push(row());
        }
    }

    /// Removes the last rows, which spreadsheets leave empty. Those beyond the limit stay counted.
    fn remove_last(&mut self, is_empty: impl Fn(&Bytes) -> bool) {
        while self.count == self.rows.len() && self.rows.last().is_some_and(&is_empty) {
            self.rows.pop();
            self.count = self.rows.len();
        }
    }
}

/// What precedes the rows: the format, with the dialect found, and the cells of the first line.
struct Header {
    form: Form,
    cells: Vec<String>,
}

/// The body without a byte order mark, which some editors write.
fn without_mark(body: &Bytes) -> Bytes {
    let start = if body.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    body.slice(start..)
}

fn unreadable(fr: &str, en: &str) -> Problem {
    let detail = (
        format!("Lot illisible : {fr}."),
        format!("Unreadable batch: {en}."),
    );
    Problem::new(&kinds::BATCH_UNREADABLE, detail)
}

/// The error of a row as a whole.
fn bad_row(reason: impl Into<Text<String>>, expected: impl Into<Text<String>>) -> Problem {
    let bad = BadParameter::new(ROW, ParameterCode::Format, reason, None, expected);
    Problem::parameters(vec![bad])
}

#[cfg(test)]
mod tests;
