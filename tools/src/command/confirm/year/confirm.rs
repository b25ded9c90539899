//! Reads a filled-in sheet of many folders back: all of it is planned under one lock, and then
//! written, or nothing is.

use std::collections::BTreeMap;
use std::path::Path;

use bareme_engine::FileSet;
use bareme_engine::text::pluralized;
use bareme_show::say;

use super::super::columns::Column;
use super::super::lines::{Line, Sheet};
use super::super::mistakes::Mistake;
use super::super::rows::nothing_read;
use super::super::{Args, CellName};
use super::plans::{Group, Planned, day};
use super::{chosen, is_chosen, report};
use crate::rule_files::RuleFiles;
use crate::save;
use crate::series::Series;
use crate::session::{Exit, Failure, Session};

/// A mistake with the folder and the day of its file, as far as the line says them.
struct Refused {
    file: String,
    mistake: Mistake,
}

/// Confirms the filled-in lines of all folders, or those of the folder or family that is named.
pub(in super::super) fn confirm(
    args: &Args,
    rows: &Sheet,
    files: &RuleFiles,
    session: &Session,
) -> Result<Exit, Failure> {
    rows.check_columns(&Column::OF_YEAR, session)?;

    // 1. The lines of each file, those of folders that others calculate before these.
    let lock = files.lock(session)?;
    let mut set = FileSet::read(&files.root);
    let folders = chosen(&set, args.folder(), session)?;
    let (mut groups, mut refused) = groups(args, rows, &folders, session);
    groups.sort_by_cached_key(|group| {
        let called = set.with_called(&group.folder).folders().count();
        (called, group.folder.clone(), group.day)
    });

    // 2. The plans, each on the files as those before it leave them.
    let (mut planned, mut cure): (Vec<Planned>, Option<String>) = (Vec::new(), None);
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for group in &groups {
        if !group.is_filled_in(rows) {
            refused.extend(group.typed_over(rows, &set, files, session));
            continue;
        }
        match group.planned(rows, args, &set, files, session) {
            Ok(one) => {
                for change in one.plan.changes.iter().filter(|change| change.is_changed()) {
                    set = set.with(&change.after.inside, &change.after.text);
                    texts.insert(change.after.inside.clone(), change.after.text.clone());
                }
                planned.push(one);
            }
            Err(mistakes) => {
                cure = cure.or(mistakes.cure);
                refused.extend(mistakes.list.into_iter().map(|one| group.refused(one)));
            }
        }
    }
    if !refused.is_empty() {
        return Err(failure(refused, cure, args, session));
    }
    if planned.is_empty() {
        return Err(nothing_read(session));
    }

    // 3. The files.
    let written = texts
        .iter()
        .map(|(path, text)| (files.root.join(path), text.as_str()));
    save::write_all(written)?;

    drop(lock);
    session.show(&report::outcome(&planned, session))
}

impl Group {
    fn refused(&self, mistake: Mistake) -> Refused {
        let file = format!("{} {}", self.folder, self.day);
        Refused { file, mistake }
    }

    fn is_filled_in(&self, rows: &Sheet) -> bool {
        self.lines.iter().any(|(_, cells)| rows.is_filled_in(cells))
    }

    /// What was typed over the proposals of a file none of whose lines is filled in. A file that is
    /// no longer there, or in force, has none.
    fn typed_over(
        &self,
        rows: &Sheet,
        set: &FileSet,
        files: &RuleFiles,
        session: &Session,
    ) -> Vec<Refused> {
        let series = Series::of(set, files, &self.folder, session).ok();
        let found = series.as_ref().and_then(|series| {
            let file = series.on(self.day)?;
            Some(rows.typed_over(&self.lines, series, file, session.lang))
        });
        let found = found.unwrap_or_default().into_iter();
        found.map(|mistake| self.refused(mistake)).collect()
    }
}

/// The lines of each dated file that say something, and those that name none.
fn groups(
    args: &Args,
    rows: &Sheet,
    folders: &[&str],
    session: &Session,
) -> (Vec<Group>, Vec<Refused>) {
    let (mut groups, mut refused): (Vec<Group>, Vec<Refused>) = (Vec::new(), Vec::new());
    let requested = args.figure.as_deref().map(CellName::read);
    let is_requested = |cells: &[String]| {
        let name = rows.cell(cells, Column::Figure).map(CellName::read);
        match (&requested, name) {
            (Some(requested), Some(name)) => requested.holds(&name),
            _ => true,
        }
    };

    // A proposal may have been typed over in a line that is not filled in.
    let says =
        |cells: &[String]| rows.is_filled_in(cells) || rows.cell(cells, Column::Proposed).is_some();
    let lines = rows.lines.iter().filter(|(_, cells)| says(cells));
    for (line, cells) in lines.filter(|(_, cells)| is_requested(cells)) {
        match file_of(rows, cells, args, folders, session) {
            Ok(None) => {}
            Ok(Some((folder, day))) if args.from.is_none_or(|from| from == day) => {
                let is_its_own = |group: &&mut Group| group.folder == folder && group.day == day;
                let own: Line = (*line, cells.clone());
                match groups.iter_mut().find(is_its_own) {
                    Some(group) => group.lines.push(own),
                    None => groups.push(Group {
                        folder: folder.to_owned(),
                        day,
                        lines: vec![own],
                    }),
                }
            }
            Ok(Some(_)) => {}
            Err(_) if !rows.is_filled_in(cells) => {}
            Err((file, reason)) => refused.push(Refused {
                file: file.to_owned(),
                mistake: Mistake {
                    cell: rows.cell(cells, Column::Figure).map(str::to_owned),
                    ..Mistake::of_line(*line, reason)
                },
            }),
        }
    }
    (groups, refused)
}

/// The folder and the day of a line; `None` for a line of another folder than the one that is named.
///
/// # Errors
/// A line that does not name a file, with what it says.
fn file_of<'c>(
    rows: &Sheet,
    cells: &'c [String],
    args: &Args,
    folders: &[&str],
    session: &Session,
) -> Result<Option<(&'c str, jiff::civil::Date)>, (&'c str, String)> {
    let lang = session.lang;
    let empty = |column: Column| {
        let column = column.name(lang);
        say!(lang, "`{column}` est vide", "`{column}` is empty")
    };

    // 1. The folder.
    let folder = rows.cell(cells, Column::Folder);
    let folder = folder.ok_or_else(|| ("", empty(Column::Folder)))?;
    if !is_chosen(folder, args.folder()) {
        return Ok(None);
    }
    if !folders.contains(&folder) {
        let reason = say!(
            lang,
            "aucun barème ne s’appelle `{folder}`",
            "no scale is called `{folder}`"
        );
        return Err((folder, reason));
    }

    // 2. The day.
    let text = rows.cell(cells, Column::Day);
    let text = text.ok_or_else(|| (folder, empty(Column::Day)))?;
    let day = day(text, session).map_err(|reason| (folder, reason))?;
    Ok(Some((folder, day)))
}

/// All that is refused, line by line.
fn failure(
    mut refused: Vec<Refused>,
    cure: Option<String>,
    args: &Args,
    session: &Session,
) -> Failure {
    let lang = session.lang;
    refused.sort_by_key(|one| one.mistake.line);
    let place = args.rows.as_deref().map(Path::display);
    let place = place.map(|place| place.to_string()).unwrap_or_default();

    let shown = |Refused { file, mistake }: &Refused| {
        let Mistake { line, cell, reason } = mistake;
        let line = line.map(|line| say!(lang, "ligne {line}", "line {line}"));
        // Most reasons name their cell.
        let cell = cell.as_ref().filter(|cell| !reason.contains(cell.as_str()));
        let parts = [Some(place.clone()), line, Some(file.clone()), cell.cloned()];
        let parts: Vec<String> = parts
            .into_iter()
            .flatten()
            .filter(|part| !part.is_empty())
            .collect();

        let parts = parts.join(", ");
        say!(lang, "{parts} : {reason}", "{parts}: {reason}")
    };
    let mut lines: Vec<String> = refused.iter().map(shown).collect();

    let count = refused.len();
    lines.extend(cure);
    lines.push(pluralized(
        &say!(
            lang,
            "{count} erreur(s) : rien n’est écrit, dans aucun dossier.",
            "{count} mistake(s): nothing is written, in any folder."
        ),
        lang,
    ));
    Failure::unusable(lines.join("\n"))
}
