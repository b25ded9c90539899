//! Rows as they go out: the fields of the answers, or the refused rows with the reason.

use std::borrow::Cow;

use bareme_engine::{Calculation, Datum, Lang};

use super::dialect::Dialect;
use super::rows::{LINE, Layout, REASON, Row};

/// Which columns go out, and how they are written.
#[derive(Debug)]
pub(super) struct Columns<'c> {
    /// The dialect of the CSV; none: one JSON object a line.
    pub dialect: Option<Dialect>,
    pub kept: &'c [String],
    pub fields: &'c [String],
    pub lang: Lang,
}

impl Columns<'_> {
    /// The first line of a CSV file.
    pub(super) fn header(&self) -> Vec<u8> {
        let names = [LINE].into_iter().chain(self.kept.iter().chain(self.fields).map(String::as_str));
        let mut out = Vec::new();
        if let Some(dialect) = self.dialect {
            out.extend_from_slice(dialect.mark());
            dialect.put(names, &mut out);
        }
        out
    }

    /// The sentences of a field in English, where English is asked for and the field has some: an answer is French.
    fn in_english<'a>(&self, field: &str, calculation: &'a Calculation) -> Option<Vec<&'a str>> {
        let said = calculation.warnings();
        let is_said = self.lang == Lang::En && field == WARNINGS && !said.is_empty();
        is_said.then(|| said.iter().map(|said| said.in_lang(Lang::En)).collect())
    }

    /// A row that was computed.
    pub(super) fn answer(&self, row: &Row, kept: &[String], calculation: &Calculation, out: &mut Vec<u8>) {
        let answer = calculation.datum();
        let line = row.line.to_string();
        match self.dialect {
            Some(dialect) => {
                let cell = |field: &String| match (self.in_english(field, calculation), answer.get(field)) {
                    (Some(said), _) => Cow::Owned(said.join(" ")),
                    (None, value) => value.map(|value| cell(value, dialect)).unwrap_or_default(),
                };
                let fields = self.fields.iter().map(cell);
                let kept = kept.iter().map(|kept| Cow::Borrowed(kept.as_str()));
                dialect.put([Cow::Borrowed(line.as_str())].into_iter().chain(kept).chain(fields), out);
            }
            None => {
                let kept = self.kept.iter().zip(kept).map(|(name, kept)| (name, Datum::Text(kept).to_string()));
                let written = |field: &String| match self.in_english(field, calculation) {
                    Some(said) => {
                        let said: Vec<String> = said.iter().map(|text| Datum::Text(text).to_string()).collect();
                        Some(format!("[{}]", said.join(",")))
                    }
                    None => Some(answer.get(field)?.to_string()),
                };
                let fields = self.fields.iter().filter_map(|field| Some((field, written(field)?)));
                let members = kept.chain(fields).map(|(name, value)| format!(",{}:{value}", Datum::Text(name)));
                out.extend(format!("{{\"{LINE}\":{line}{}}}\n", members.collect::<String>()).bytes());
            }
        }
    }
}

/// The field of an answer that holds sentences of the program.
const WARNINGS: &str = "avertissements";

/// A value of an answer in a cell; the texts of a list follow each other.
fn cell(value: Datum, dialect: Dialect) -> Cow<str> {
    match value {
        Datum::Null => Cow::Borrowed(""),
        Datum::Text(text) => Cow::Borrowed(text),
        Datum::Shown(value) => Cow::Owned(value.to_string()),
        Datum::Number(_) => Cow::Owned(dialect.number(value.to_string())),
        Datum::List(list) if list.count() > 0 => {
            Cow::Owned(value.items().map(|item| cell(item, dialect)).collect::<Vec<_>>().join(" "))
        }
        _ => Cow::Owned(value.to_string()),
    }
}

/// The first line of a CSV file of refused rows.
pub(super) fn refused_header(layout: &Layout) -> Vec<u8> {
    let Layout::Csv { names, dialect } = layout else { return Vec::new() };
    let own = names.iter().map(String::as_str).filter(|name| !is_added(name));
    let mut out = dialect.mark().to_vec();
    dialect.put(own.chain([LINE, REASON]), &mut out);
    out
}

/// A row that was refused: as it came in, with its line and the reason.
pub(super) fn refused(layout: &Layout, row: &Row, reason: &str, out: &mut Vec<u8>) {
    let line = row.line.to_string();
    let mut cells = layout.cells(row);
    cells.retain(|(name, _)| !is_added(name));
    match layout {
        Layout::Csv { dialect, .. } => {
            let own = cells.iter().map(|(_, cell)| cell.as_ref());
            dialect.put(own.chain([line.as_str(), reason]), out);
        }
        Layout::JsonLines => {
            let own = cells.iter().map(|(name, cell)| format!("{}:{},", Datum::Text(name), Datum::Text(cell)));
            let own: String = own.collect();
            out.extend(format!("{{{own}\"{LINE}\":{line},\"{REASON}\":{}}}\n", Datum::Text(reason)).bytes());
        }
    }
}

fn is_added(name: &str) -> bool {
    name == LINE || name == REASON
}
