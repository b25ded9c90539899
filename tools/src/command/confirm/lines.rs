//! The lines of a filled-in file: a CSV as spreadsheets save it, or a workbook.

use std::path::Path;

use bareme_show::say;
use encoding_rs::{Encoding, WINDOWS_1252};

use super::columns::Column;
use crate::session::{Failure, Session};
use crate::workbook::{self, SheetCell};

/// A line with its number in the file.
pub(super) type Line = (usize, Vec<String>);

/// The columns and the lines of a file.
pub(super) struct Sheet {
    pub names: Vec<String>,
    pub lines: Vec<Line>,
}

impl Sheet {
    pub(super) fn read(path: &Path, session: &Session) -> Result<Self, Failure> {
        let shown = path.display().to_string();
        let bytes =
            std::fs::read(path).map_err(|error| Failure::unusable(format!("{shown} : {error}")))?;

        // The first line names the columns; empty lines, which spreadsheets add, are skipped.
        let lines = if workbook::is_workbook(&bytes) {
            of_workbook(bytes, &shown, session)?
        } else {
            of_csv(bytes, &shown)?
        };
        let mut lines = lines
            .into_iter()
            .filter(|(_, cells)| cells.iter().any(|cell| !cell.is_empty()));
        let names = lines.next().map(|(_, names)| names).unwrap_or_default();
        let sheet = Self {
            names: names.iter().map(|name| name.to_lowercase()).collect(),
            lines: lines.collect(),
        };

        if sheet.lines.is_empty() {
            return Err(Failure::unusable(say!(
                session.lang,
                "`{shown}` n’a pas de ligne : la première nomme les colonnes, les suivantes disent ce qui a été lu.",
                "`{shown}` has no line: the first names the columns, the next ones say what was read."
            )));
        }
        Ok(sheet)
    }

    /// Whether its lines name the folder that they are of.
    pub(super) fn is_of_many(&self) -> bool {
        self.names.iter().any(|name| Column::Folder.is(name))
    }

    /// A cell of a line that is not empty.
    pub(super) fn cell<'s>(&self, cells: &'s [String], column: Column) -> Option<&'s str> {
        let place = self.names.iter().position(|name| column.is(name))?;
        cells
            .get(place)
            .map(String::as_str)
            .filter(|cell| !cell.is_empty())
    }

    /// Whether a line says something; one that does not is left for later.
    pub(super) fn is_filled_in(&self, cells: &[String]) -> bool {
        Column::OF_YEAR
            .into_iter()
            .filter(|column| column.is_filled_in())
            .any(|column| self.cell(cells, column).is_some())
    }

    pub(super) fn unknown_columns<'n>(
        &self,
        known: impl IntoIterator<Item = &'n str>,
        session: &Session,
    ) -> Failure {
        let known = known.into_iter().collect::<Vec<_>>().join(", ");
        let names = self.names.join(", ");
        Failure::unusable(say!(
            session.lang,
            "Colonnes `{names}` : celles qui sont attendues sont {known}.",
            "Columns `{names}`: those that are expected are {known}."
        ))
    }
}

fn of_csv(bytes: Vec<u8>, place: &str) -> Result<Vec<Line>, Failure> {
    // One sign ends each line, the last one too: the lines are counted by it.
    let mut text = decoded(bytes).replace("\r\n", "\n").replace('\r', "\n");
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let header = text.lines().next().unwrap_or_default();
    // The separator is the one in the header: numbers may have decimal commas.
    let separator = [b';', b'\t']
        .into_iter()
        .find(|separator| header.as_bytes().contains(separator))
        .unwrap_or(b',');

    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());

    let mut lines = Vec::new();
    let mut record = csv::StringRecord::new();
    while reader
        .read_record(&mut record)
        .map_err(|error| Failure::unusable(format!("{place} : {error}")))?
    {
        // The reader is after the record, and may have skipped empty lines before it.
        let within = record.as_slice().matches('\n').count();
        let after = usize::try_from(reader.position().line()).unwrap_or_default();
        let line = after.saturating_sub(within).saturating_sub(1);

        // A French spreadsheet separates cells by semicolons, and decimals by commas; the tabs of
        // its Unicode text are those of any language.
        let has_commas = |cell: &str| match separator {
            b';' => true,
            b'\t' => !has_two_readings(cell),
            _ => false,
        };
        let cells = record.iter().map(|cell| plain(cell, has_commas(cell)));
        lines.push((line, cells.collect()));
    }
    Ok(lines)
}

/// The text of a CSV: in UTF-8 or, by its mark, in UTF-16, as `Unicode text` is saved; otherwise in
/// the encoding of Windows, in which Excel saves CSV by default.
fn decoded(bytes: Vec<u8>) -> String {
    if let Some((encoding, _)) = Encoding::for_bom(&bytes) {
        return encoding.decode(&bytes).0.into_owned();
    }
    String::from_utf8(bytes)
        .unwrap_or_else(|error| WINDOWS_1252.decode(error.as_bytes()).0.into_owned())
}

fn of_workbook(bytes: Vec<u8>, place: &str, session: &Session) -> Result<Vec<Line>, Failure> {
    let text = |cell: SheetCell| match cell {
        SheetCell::Empty => String::new(),
        SheetCell::Text(text) => plain(&text, !has_two_readings(&text)),
        SheetCell::Number(text) | SheetCell::Percent(text) => text,
    };
    let unreadable = |error: workbook::Unreadable| {
        let reason = error.sentence();
        let reason = reason.in_lang(session.lang);
        Failure::unusable(say!(
            session.lang,
            "`{place}` ne se lit pas : {reason}.",
            "`{place}` cannot be read: {reason}."
        ))
    };
    let rows = workbook::rows(bytes).map_err(unreadable)?.into_iter();

    let line = |(line, cells): (u64, Vec<SheetCell>)| {
        let cells = cells.into_iter().map(text).collect();
        (usize::try_from(line).unwrap_or_default(), cells)
    };
    Ok(rows.map(line).collect())
}

/// Whether the comma of a text may be before its decimals or between its thousands: `1,234`. It is
/// left there, and refused as a value.
fn has_two_readings(text: &str) -> bool {
    bareme_show::spreadsheet::is_ambiguous(&text.trim().replace(',', "."))
}

/// A cell in the form of a dated file: no-break spaces become spaces, and in a French file decimal
/// commas become points.
fn plain(cell: &str, has_commas: bool) -> String {
    let text = cell.trim().replace(['\u{a0}', '\u{202f}'], " ");

    let is_number = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b" ,.%-".contains(&byte))
        && !text.is_empty();

    let text = if is_number {
        text.replace(" %", "%")
    } else {
        text
    };

    if has_commas && is_number && text.matches(',').count() == 1 {
        text.replace(',', ".")
    } else {
        text
    }
}
