//! Formatting of rows: the fields of the answers, or the refused rows with their reasons.

use std::borrow::Cow;
use std::io::Write as _;

use bareme_engine::Datum;
use bareme_engine::law::members::{REMARKS, WARNINGS};
use bareme_engine::law::{OwnedRemark, Warning};
use bareme_engine::run::plan::{Answers, FixedPoint, PlanField, Values};
use bareme_show::spreadsheet::{Dialect, NumberFormat};

use super::guard::guarded;
use super::layout::{FILE, LINE, REASON, is_added};
use super::row_source::RowSource;

/// The field with the first day of the scale.
pub(super) const DAY: &str = "bareme_en_vigueur";
/// The field with the version of the rules.
pub(super) const VERSION: &str = "version";

/// The columns of the answers, and their format.
#[derive(Debug)]
pub(super) struct Columns<'c> {
    /// The dialect of the CSV; `None`: one JSON object on each line.
    pub dialect: Option<Dialect>,
    pub kept: &'c [String],
    pub fields: Vec<Field>,
    /// The names of the files, written where there are several.
    pub places: &'c [String],
    /// Whether texts that a spreadsheet takes for formulas are left as they are.
    pub is_raw: bool,
}

/// A column of the answers.
#[derive(Debug)]
pub(super) struct Field {
    pub name: String,
    /// The name as JSON, between a comma and a colon.
    key: String,
    place: Place,
}

/// Index of a field in the answers of a plan, by kind.
#[derive(Debug)]
enum Place {
    Field(usize),
    Day,
    Version,
    Warnings,
    Remarks,
    /// The plan does not have it: it is read from a single calculation.
    Nowhere,
}

impl Field {
    /// A column with this name; `computed` are the fields of the plan.
    pub(super) fn new(name: &str, computed: &[PlanField]) -> Self {
        let index = computed.iter().position(|field| field.name == name);
        // A field of the plan may have the name of an automatic member: it comes first.
        let place = match (index, name) {
            (Some(index), _) => Place::Field(index),
            (None, DAY) => Place::Day,
            (None, VERSION) => Place::Version,
            (None, name) if name == WARNINGS.name => Place::Warnings,
            (None, name) if name == REMARKS.name => Place::Remarks,
            (None, _) => Place::Nowhere,
        };

        Self {
            name: name.to_owned(),
            key: key(name),
            place,
        }
    }
}

/// The name of a member of a JSON object, unless it is the first.
fn key(name: &str) -> String {
    format!(",{}:", Datum::Text(name))
}

impl Columns<'_> {
    /// The first line of a CSV file.
    pub(super) fn header(&self) -> Vec<u8> {
        let file = (self.places.len() > 1).then_some(FILE);

        let own = self
            .kept
            .iter()
            .map(String::as_str)
            .chain(self.fields.iter().map(|field| field.name.as_str()));

        // JSON has no header.
        let Some(dialect) = self.dialect else {
            return Vec::new();
        };

        let names = file.into_iter().chain([LINE]).chain(own);
        let names: Vec<_> = names.map(|name| text(name.into(), self.is_raw)).collect();

        let mut out = dialect.mark().to_vec();
        dialect.put(names.iter().map(Cow::as_ref), &mut out);
        dialect.encoded(out)
    }

    /// The line of a row computed by a plan.
    pub(super) fn answer(
        &self,
        (from, row): (&impl RowSource, usize),
        answers: &Answers,
        out: &mut Vec<u8>,
    ) {
        self.begin(from, row, out);

        for field in &self.fields {
            // Places were looked up once for all rows.
            let found = match field.place {
                Place::Field(index) => answers
                    .fields
                    .get(index)
                    .map_or(Found::NOTHING, |values| Found::at(values, row)),
                Place::Day => {
                    let day = answers.scale(row).and_then(|scale| scale.date.as_ref());
                    day.map_or(Found::NOTHING, |day| Found::Value(Datum::Shown(day)))
                }
                Place::Version => {
                    let version = answers.scale(row).map(|scale| scale.version.as_str());
                    version.map_or(Found::NOTHING, |version| Found::Value(Datum::Text(version)))
                }
                Place::Warnings => Found::Warnings(answers.warnings(row)),
                Place::Remarks => Found::Remarks(answers.remarks(row)),
                Place::Nowhere => Found::NOTHING,
            };
            self.put(field, found, out);
        }

        self.end(out);
    }

    /// The line of a row that was computed alone.
    pub(super) fn alone(
        &self,
        (from, row): (&impl RowSource, usize),
        single: &SingleAnswer,
        out: &mut Vec<u8>,
    ) {
        self.begin(from, row, out);

        for field in &self.fields {
            // A single answer is looked up by name.
            let found = match (field.name.as_str(), single.version) {
                (name, _) if name == WARNINGS.name => Found::Warnings(single.warnings),
                (name, _) if name == REMARKS.name => Found::Remarks(&single.remarks),
                (VERSION, Some(version)) => Found::Value(Datum::Text(version)),
                (name, _) => single.answer.get(name).map_or(Found::NOTHING, Found::Value),
            };
            self.put(field, found, out);
        }

        self.end(out);
    }

    /// Adds a field: a cell, or a member of a JSON object unless there is nothing.
    fn put(&self, field: &Field, found: Found, out: &mut Vec<u8>) {
        let key = &field.key;
        // JSON: what is absent has no member, so that a reader sees the difference from an empty
        // text.
        let Some(dialect) = self.dialect else {
            return match found {
                Found::Number(number) => {
                    out.extend_from_slice(key.as_bytes());
                    put_number(number, b'.', out);
                }
                Found::Value(Datum::Null) => {}
                Found::Value(value) => put(format_args!("{key}{value}"), out),
                Found::Warnings([]) => {}
                Found::Warnings(warnings) => put(format_args!("{key}{}", listed(warnings)), out),
                Found::Remarks(remarks) if remarks.is_empty() => {}
                Found::Remarks(remarks) => put(format_args!("{key}{}", Datum::List(remarks)), out),
            };
        };

        // CSV: a cell for every column, since the header has promised it.
        out.push(dialect.separator);
        match found {
            Found::Number(number) => {
                let mark = if dialect.locale == NumberFormat::Fr {
                    b','
                } else {
                    b'.'
                };
                // A number is written in place and quoted after, where its decimal comma is the
                // separator: no text is made of it.
                let start = out.len();
                put_number(number, mark, out);
                if mark == dialect.separator
                    && out.get(start..).is_some_and(|cell| cell.contains(&mark))
                {
                    out.insert(start, b'"');
                    out.push(b'"');
                }
            }
            // A number is never a formula, whatever its sign.
            Found::Value(value @ Datum::Number(_)) => dialect.put_cell(&cell(value, dialect), out),
            Found::Value(value) => {
                dialect.put_cell(&text(cell(value, dialect), self.is_raw), out);
            }
            Found::Warnings([]) => {}
            Found::Warnings(warnings) => dialect.put_cell(&listed(warnings), out),
            Found::Remarks(remarks) if remarks.is_empty() => {}
            Found::Remarks(remarks) => dialect.put_cell(&Datum::List(remarks).to_string(), out),
        }
    }

    /// Lines in the encoding of the file.
    pub(super) fn encoded(&self, lines: Vec<u8>) -> Vec<u8> {
        match self.dialect {
            Some(dialect) => dialect.encoded(lines),
            None => lines,
        }
    }

    /// The file, the line and the copied cells.
    fn begin(&self, from: &impl RowSource, row: usize, out: &mut Vec<u8>) {
        let file = if self.places.len() > 1 {
            self.places.get(from.file(row)).map(String::as_str)
        } else {
            None
        };

        let mut digits = itoa::Buffer::new();
        let line = digits.format(from.line(row));

        match self.dialect {
            Some(dialect) => {
                if let Some(file) = file {
                    dialect.put_cell(&text(file.into(), self.is_raw), out);
                    out.push(dialect.separator);
                }
                out.extend_from_slice(line.as_bytes());
                // Copied columns come before the answer, in the order of `--keep`.
                for index in 0..self.kept.len() {
                    out.push(dialect.separator);
                    dialect.put_cell(&text(from.kept(index, row), self.is_raw), out);
                }
            }
            None => {
                out.push(b'{');
                if let Some(file) = file {
                    put(format_args!("\"{FILE}\":{},", Datum::Text(file)), out);
                }
                put(format_args!("\"{LINE}\":{line}"), out);
                for (index, name) in self.kept.iter().enumerate() {
                    put(
                        format_args!("{}{}", key(name), Datum::Text(&from.kept(index, row))),
                        out,
                    );
                }
            }
        }
    }

    fn end(&self, out: &mut Vec<u8>) {
        match self.dialect {
            Some(dialect) => dialect.end_line(out),
            None => out.extend_from_slice(b"}\n"),
        }
    }
}

/// The answer to a row that was computed alone.
pub(super) struct SingleAnswer<'a> {
    pub answer: Datum<'a>,
    /// The version of the rules, where the answer does not say it itself.
    pub version: Option<&'a str>,
    pub warnings: &'a [Warning],
    /// The remarks on the figures used, also those that the answer shows under its references.
    pub remarks: Vec<OwnedRemark>,
}

/// Value of a field in a row, in the form in which it is written.
enum Found<'v> {
    /// A number that is written without a decimal being made of it.
    Number(FixedPoint),
    Value(Datum<'v>),
    Warnings(&'v [Warning]),
    Remarks(&'v Vec<OwnedRemark>),
}

impl<'v> Found<'v> {
    const NOTHING: Self = Self::Value(Datum::Null);

    fn at(values: &'v Values, row: usize) -> Self {
        match values {
            Values::Numbers(numbers) => numbers.get(row).map_or(Self::NOTHING, Self::Number),
            values => Self::Value(values.at(row)),
        }
    }
}

/// Warnings as an answer writes them, a JSON array of objects.
fn listed(warnings: &[Warning]) -> String {
    let warnings: Vec<String> = warnings
        .iter()
        .map(|warning| Datum::Object(warning).to_string())
        .collect();
    format!("[{}]", warnings.join(","))
}

/// Appends a text; writing to memory cannot fail.
fn put(text: impl std::fmt::Display, out: &mut Vec<u8>) {
    let _ = write!(out, "{text}");
}

/// Appends a number without trailing zeros.
fn put_number(number: FixedPoint, mark: u8, out: &mut Vec<u8>) {
    // Without a sign first, so that the digits of -0.05 are padded like those of 0.05.
    let (value, decimals) = number.shortest();
    let mut digits = itoa::Buffer::new();
    if value < 0 {
        out.push(b'-');
    }

    let digits = digits.format(value.unsigned_abs()).as_bytes();
    let whole = digits.len().saturating_sub(decimals as usize);
    if decimals == 0 {
        return out.extend_from_slice(digits);
    }

    // 0.05 is 5 with two decimals: both the whole part and leading zeros of the fraction are
    // missing.
    let (whole, fraction) = digits.split_at(whole);
    out.extend_from_slice(if whole.is_empty() { b"0" } else { whole });
    out.push(mark);
    out.resize(
        out.len() + (decimals as usize).saturating_sub(fraction.len()),
        b'0',
    );
    out.extend_from_slice(fraction);
}

/// A text as a cell of CSV.
fn text(cell: Cow<'_, str>, is_raw: bool) -> Cow<'_, str> {
    if is_raw { cell } else { guarded(cell) }
}

/// A value of an answer as a cell; the texts of a list are joined.
fn cell(value: Datum, dialect: Dialect) -> Cow<str> {
    match value {
        Datum::Null => Cow::Borrowed(""),
        Datum::Text(text) => Cow::Borrowed(text),
        Datum::Shown(value) => Cow::Owned(value.to_string()),
        // In French CSV the decimal mark is a comma.
        Datum::Number(_) => Cow::Owned(dialect.number(value.to_string())),
        // Texts of a list are codes: a space separates them without quotes.
        Datum::List(list) if list.count() > 0 => Cow::Owned(
            value
                .items()
                .map(|item| cell(item, dialect))
                .collect::<Vec<_>>()
                .join(" "),
        ),
        _ => Cow::Owned(value.to_string()),
    }
}

/// Writer of refused rows, in the layout of their file.
#[derive(Debug)]
pub(super) struct Refusals<'c> {
    /// The dialect and the columns of CSV; `None`: one JSON object on each line.
    pub csv: Option<(Dialect, Vec<String>)>,
    /// The names of the files, written where there are several.
    pub places: &'c [String],
    /// Whether texts that a spreadsheet takes for formulas are left as they are.
    pub is_raw: bool,
}

impl Refusals<'_> {
    /// The first line of a CSV file of refused rows.
    pub(super) fn header(&self) -> Vec<u8> {
        let Some((dialect, names)) = &self.csv else {
            return Vec::new();
        };

        // A file of refused rows that is computed again has the added columns already.
        let own = names
            .iter()
            .map(String::as_str)
            .filter(|name| !is_added(name));

        let file = (self.places.len() > 1).then_some(FILE);
        let names = own.chain(file).chain([LINE, REASON]);
        let names: Vec<_> = names.map(|name| text(name.into(), self.is_raw)).collect();

        let mut out = dialect.mark().to_vec();
        dialect.put(names.iter().map(Cow::as_ref), &mut out);
        dialect.encoded(out)
    }

    /// The line of a refused row: as it was read, with its file, its line and the reason.
    pub(super) fn row(&self, from: &impl RowSource, row: usize, reason: &str, out: &mut Vec<u8>) {
        let line = from.line(row).to_string();
        let cells = from.cells(row);
        let own = cells.iter().filter(|(name, _)| !is_added(name));

        let file = if self.places.len() > 1 {
            self.places.get(from.file(row)).map(String::as_str)
        } else {
            None
        };

        // The layout is that of the input, so that a corrected file can be computed as it is.
        match &self.csv {
            Some((dialect, _)) => {
                let own = own.map(|(_, cell)| cell.as_ref());
                let cells = own.chain(file).chain([line.as_str(), reason]);
                let cells: Vec<_> = cells.map(|cell| text(cell.into(), self.is_raw)).collect();

                let mut written = Vec::new();
                dialect.put(cells.iter().map(Cow::as_ref), &mut written);
                out.extend(dialect.encoded(written));
            }
            None => {
                let own =
                    own.map(|(name, cell)| format!("{}:{},", Datum::Text(name), Datum::Text(cell)));
                let file = file
                    .map(|file| format!("\"{FILE}\":{},", Datum::Text(file)))
                    .unwrap_or_default();
                let own: String = own.collect();
                put(
                    format_args!(
                        "{{{own}{file}\"{LINE}\":{line},\"{REASON}\":{}}}\n",
                        Datum::Text(reason)
                    ),
                    out,
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_without_the_zeros_at_their_end() {
        for (value, decimals, written) in [
            (210_400, 2, "2104"),
            (253_311, 2, "2533.11"),
            (-5, 2, "-0.05"),
            (-1_050, 3, "-1.05"),
            (0, 6, "0"),
            (70, 0, "70"),
            (208_400, 6, "0.2084"),
        ] {
            let mut out = Vec::new();
            put_number(FixedPoint::new(value, decimals), b'.', &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), written);
        }
    }
}
