//! The cells left to confirm in many folders, as rows of a sheet.

use bareme_engine::authoring::{Node, WrittenCell};
use bareme_engine::{FileSet, Lang, Report};

use super::super::columns::Column;
use super::super::doubts::{Finding, everything, findings};
use super::super::reading::change;
use super::super::sheet::{keys_of, value_of};
use super::super::write::CellId;
use super::super::{Args, CellName};
use crate::rule_files::RuleFiles;
use crate::series::{DatedFile, Series, is_same};
use crate::session::{Failure, Session};

/// Separator of the articles, and of the alarms, of a cell.
const AND: &str = " ; ";

/// A row of a sheet: its cells, in the order of its columns.
pub(super) struct SheetRow(Vec<String>);

impl SheetRow {
    fn new(text: impl Fn(Column) -> String) -> Self {
        Self(Column::OF_YEAR.into_iter().map(text).collect())
    }

    /// The text of a column.
    pub(super) fn cell(&self, column: Column) -> &str {
        let mut cells = Column::OF_YEAR.iter().zip(&self.0);
        cells
            .find(|(known, _)| **known == column)
            .map_or("", |(_, text)| text)
    }

    /// The folder and the day of its file.
    pub(super) fn file(&self) -> (&str, &str) {
        (self.cell(Column::Folder), self.cell(Column::Day))
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = (Column, &str)> {
        let texts = self.0.iter().map(String::as_str);
        Column::OF_YEAR.into_iter().zip(texts)
    }
}

/// The rows of the cells left in some folders; and the folders that could not be read, with why.
pub(super) fn rows(
    args: &Args,
    set: &FileSet,
    folders: &[&str],
    files: &RuleFiles,
    session: &Session,
) -> (Vec<SheetRow>, Vec<(String, String)>) {
    let (mut rows, mut unread) = (Vec::new(), Vec::new());
    // What `bareme check` doubts, in all folders at once.
    let report = everything(set);

    for folder in folders {
        match Series::of(set, files, folder, session) {
            Ok(series) => {
                let drafts = series.files.iter();
                let drafts = drafts.filter(|file| args.from.is_none_or(|day| file.date == day));
                let of_file = |file| rows_of(args, &series, file, &report, session.lang);
                rows.extend(drafts.flat_map(of_file));
            }
            Err(failure) => unread.push(((*folder).to_owned(), failure.message)),
        }
    }

    (rows, unread)
}

/// The rows of a dated file.
fn rows_of(
    args: &Args,
    series: &Series,
    file: &DatedFile,
    report: &Report,
    lang: Lang,
) -> Vec<SheetRow> {
    let requested = args.figure.as_deref().map(CellName::read);
    let is_requested = |cell: &WrittenCell| requested.as_ref().is_none_or(|name| name.is(cell));
    let doubts = findings(report, file, &series.shapes);

    let row = |cell: WrittenCell| {
        let before = series.before(file.date);
        let earlier = before.and_then(|before| series.counterpart(&cell, file, before));
        let (old, own) = (
            value_of(earlier.as_ref()),
            value_of(Some(&cell)).unwrap_or_default(),
        );
        let proposed = match old {
            // A proposal that is the earlier value need not be shown twice.
            Some(old) if is_same(old, own) => "",
            _ => own,
        };

        SheetRow::new(|column| match column {
            Column::Folder => series.folder.clone(),
            Column::Day => file.date.to_string(),
            Column::Figure => cell.name(),
            Column::Row => keys_of(series, &cell),
            Column::Article => articles(file, &cell),
            Column::Before => old.unwrap_or_default().to_owned(),
            Column::Proposed => proposed.to_owned(),
            Column::Change if proposed.is_empty() => String::new(),
            Column::Change => change(old, own, lang),
            Column::Alarm => alarms(&doubts, &cell, lang),
            _ => String::new(),
        })
    };

    let cells = file.unconfirmed(&series.shapes).into_iter();
    cells.filter(is_requested).map(row).collect()
}

/// The texts that the sources of a cell are, with their articles, each after its id.
fn articles(file: &DatedFile, cell: &WrittenCell) -> String {
    let text = |source: &Node, key: &str| Some(source.get(key)?.text()?.value.clone());
    let cited = |id: String| {
        let source = file.source(&id);
        let parts = ["title", "article"].map(|key| source.and_then(|source| text(source, key)));
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        format!("{id} : {}", parts.join(", "))
    };

    let ids = file.sources_of(cell.figure, cell.row).into_iter();
    ids.map(cited).collect::<Vec<_>>().join(AND)
}

/// What `bareme check` doubts of a cell, or of its whole figure.
fn alarms(doubts: &[Finding], cell: &WrittenCell, lang: Lang) -> String {
    let id = CellId::new(cell);
    let is_its_own = |doubt: &&Finding| match &doubt.cell {
        Some(known) => *known == id,
        None => doubt.figure == cell.figure,
    };
    let shown = |Finding { found, .. }: &Finding| {
        let (code, message) = (found.code(), found.message(lang));
        format!("[{code}] {message}")
    };

    let own = doubts.iter().filter(is_its_own);
    own.map(shown).collect::<Vec<_>>().join(AND)
}

/// The rows as CSV, with the separator of French spreadsheets.
pub(super) fn csv(rows: &[SheetRow], lang: Lang) -> Result<Vec<u8>, Failure> {
    let failed = |error: String| Failure::unusable(error);
    let mut writer = csv::WriterBuilder::new()
        .delimiter(b';')
        .from_writer(Vec::new());

    let named = Column::OF_YEAR.map(|column| column.name(lang));
    writer
        .write_record(named)
        .map_err(|error| failed(error.to_string()))?;
    for row in rows {
        writer
            .write_record(&row.0)
            .map_err(|error| failed(error.to_string()))?;
    }
    writer
        .into_inner()
        .map_err(|error| failed(error.to_string()))
}
