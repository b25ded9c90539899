//! One sheet for all drafts: what is left to confirm in every folder, written to be filled in, and
//! read back.

mod book;
mod cells;
mod confirm;
mod plans;
mod report;

use bareme_engine::FileSet;
use bareme_show::{Tone, say};
use jiff::civil::Date;
use serde_json::json;

use super::Args;
use super::columns::Column;
use crate::output::unwritable;
use crate::page::Page;
use crate::rule_files::{RuleFiles, unknown_name};
use crate::save::Beside;
use crate::session::{Exit, Failure, Outcome, Session};
use crate::workbook;

pub(super) use confirm::confirm;

/// Whether a sheet is one of many folders: of all, of a family, or to a file.
pub(super) fn is_of_many(args: &Args, files: &RuleFiles) -> bool {
    let is_dated = || has_dated_files(&FileSet::read(&files.root), args.folder());
    args.output.is_some() || args.folder().is_empty() || !is_dated()
}

/// Whether a folder has dated files.
fn has_dated_files(set: &FileSet, folder: &str) -> bool {
    let is_day = |path: &str| {
        let name = path.rsplit('/').next();
        let day = name.and_then(|name| name.strip_suffix(".yaml"));
        day.is_some_and(|day| day.parse::<Date>().is_ok())
    };
    set.of_folder(folder).paths().any(is_day)
}

/// Whether a folder is the one that is named, of the family that is named, or any.
fn is_chosen(folder: &str, named: &str) -> bool {
    let of_family = || {
        folder
            .strip_prefix(named)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    named.is_empty() || folder == named || of_family()
}

/// The chosen folders with dated files.
///
/// # Errors
/// A name that no folder has.
fn chosen<'s>(set: &'s FileSet, named: &str, session: &Session) -> Result<Vec<&'s str>, Failure> {
    let folders: Vec<&str> = set
        .folders()
        .filter(|folder| is_chosen(folder, named) && has_dated_files(set, folder))
        .collect();

    if folders.is_empty() {
        let known: Vec<&str> = set.folders().collect();
        return Err(unknown_name(named, &known, session));
    }
    Ok(folders)
}

/// Writes the sheet of the cells left to confirm: a workbook or a CSV by the ending of the name, or
/// a CSV on the standard output.
pub(super) fn write_sheet(
    args: &Args,
    files: &RuleFiles,
    session: &Session,
) -> Result<Exit, Failure> {
    let lang = session.lang;

    // 1. A sheet that is there may be filled in: it is never written over.
    let is_book = args.output.as_deref().map(|path| is_book(path, session));
    let is_book = is_book.transpose()?;

    // 2. The cells.
    let set = FileSet::read(&files.root);
    let folders = chosen(&set, args.folder(), session)?;
    let (rows, unread) = cells::rows(args, &set, &folders, files, session);
    for (folder, reason) in &unread {
        eprintln!(
            "{}",
            say!(
                lang,
                "{folder} : absent de la feuille. {reason}",
                "{folder}: not in the sheet. {reason}"
            )
        );
    }
    let exit = if unread.is_empty() {
        Exit::Fine
    } else {
        Exit::Wrong
    };
    if rows.is_empty() {
        return Err(nothing_left(session));
    }

    // 3. The file, and what is in it.
    let (Some(path), Some(is_book)) = (&args.output, is_book) else {
        session.print(&String::from_utf8_lossy(&cells::csv(&rows, lang)?))?;
        return Ok(exit);
    };
    let bytes = if is_book {
        book::book(&rows, lang).map_err(|error| unwritable(path, &error, session))?
    } else {
        // The mark by which spreadsheets know the letters.
        ["\u{feff}".as_bytes(), &cells::csv(&rows, lang)?].concat()
    };
    let written = Beside::create(path).and_then(|beside| {
        std::io::Write::write_all(&mut beside.writer()?, &bytes)?;
        beside.keep()
    });
    written.map_err(|error| unwritable(path, &error, session))?;

    let count = |column: Column| {
        let filled = rows.iter().filter(|row| !row.cell(column).is_empty());
        filled.count()
    };
    let mut drafts: Vec<(&str, &str)> = rows.iter().map(cells::SheetRow::file).collect();
    drafts.dedup();
    let (values, drafts, alarms) = (rows.len(), drafts.len(), count(Column::Alarm));
    let shown = path.display();

    let mut page = Page::default();
    page.toned(
        bareme_engine::text::pluralized(
            &say!(
                lang,
                "`{shown}` : {values} valeur(s) à confirmer, {drafts} brouillon(s), {alarms} alarme(s).",
                "`{shown}`: {values} value(s) to confirm, {drafts} draft(s), {alarms} alarm(s)."
            ),
            lang,
        ),
        Tone::Good,
    );
    page.text(say!(
        lang,
        "Remplir les colonnes marquées, tout ou partie, puis `bareme confirm --rows {shown}`.",
        "Fill in the marked columns, all or some of the lines, then `bareme confirm --rows {shown}`."
    ));

    let json = json!({
        "fichier": shown.to_string(), "valeurs": values, "brouillons": drafts, "alarmes": alarms,
        "illisibles": unread.iter().map(|(folder, _)| folder).collect::<Vec<_>>(),
    });
    session.show(&Outcome {
        page,
        json,
        annotations: Vec::new(),
    })?;
    Ok(exit)
}

/// Whether a file to be written is a workbook, by the ending of its name.
///
/// # Errors
/// Another ending than those of workbooks and of CSV, or a file that is there.
fn is_book(path: &std::path::Path, session: &Session) -> Result<bool, Failure> {
    let shown = path.display();
    let ending = path.extension().and_then(|ending| ending.to_str());
    let ending = ending.unwrap_or_default().to_ascii_lowercase();
    if ending != workbook::ENDING && ending != "csv" {
        return Err(Failure::unusable(say!(
            session.lang,
            "`{shown}` : la fin du nom dit le format, `.xlsx` ou `.csv`.",
            "`{shown}`: the ending of the name says the format, `.xlsx` or `.csv`."
        )));
    }

    if path.exists() {
        return Err(Failure::unusable(say!(
            session.lang,
            "`{shown}` existe déjà, et ce qui y est rempli serait perdu : donner un autre nom, ou l’ôter.",
            "`{shown}` is there already, and what is filled in would be lost: give another name, or remove it."
        )));
    }
    Ok(ending == workbook::ENDING)
}

fn nothing_left(session: &Session) -> Failure {
    Failure::unusable(say!(
        session.lang,
        "Aucun brouillon n’a de chiffre à confirmer : `bareme new --all JOUR` en prépare un par dossier.",
        "No draft has a figure to confirm: `bareme new --all DAY` prepares one in each folder."
    ))
}
