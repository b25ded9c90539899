//! Renaming in every file of a folder: methods, dated files, cases.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::PathBuf;

use bareme_engine::authoring::reserved;
use bareme_engine::{Diagnostic, Lang};
use bareme_show::say;
use gen_lsp_types as lsp;

use super::index::{Occurrence, Symbol};
use super::names::{FIGURE, TAKEN_FROM};
use super::position::Lines;
use super::server::{File, Server};
use crate::edit::{Edit, edited};
use crate::layout::{Amounts, amounts_of, laid_out};
use crate::rule_files::folder_of;

/// Answers what a rename at a position would change: the name itself.
pub(super) fn prepare(
    server: &mut Server,
    parameters: lsp::PrepareRenameParams,
) -> Result<Option<lsp::PrepareRenameResult>, String> {
    let at = parameters.text_document_position_params;
    let Some(file) = server.file(&at.text_document.uri) else {
        return Ok(None);
    };

    let found = file.occurrence(at.position).filter(|found| is_named(found));
    Ok(found.map(|found| lsp::PrepareRenameResult::from(file.lines().range(&found.span))))
}

/// Answers a request to rename. The edits are tried first: a rename that would cause an error is
/// refused.
pub(super) fn rename(
    server: &mut Server,
    parameters: lsp::RenameParams,
) -> Result<Option<lsp::WorkspaceEdit>, String> {
    let at = parameters.text_document_position_params;
    let (lang, name) = (server.lang, parameters.new_name);
    if server.file(&at.text_document.uri).is_none() {
        return Ok(None);
    }
    let file = server.file_with_users(&at);
    let found = file
        .as_ref()
        .and_then(|file| Some((file, file.occurrence(at.position)?)))
        .filter(|(_, found)| is_named(found));
    let Some((file, one)) = found else {
        return Err(say!(
            lang,
            "Rien ici ne se renomme.",
            "Nothing here can be renamed."
        ));
    };

    let texts = changed(file, one, &name, lang)?;

    let edits = texts.into_iter().map(|(path, (before, now))| {
        let lines = Lines::new(&before);
        (file.root.path.join(path), line_edits(&lines, &before, &now))
    });
    // Collected, since the file borrows the server, which has the addresses of open files.
    let edits: Vec<(PathBuf, Vec<lsp::TextEdit>)> = edits.collect();
    let changes: HashMap<lsp::Uri, Vec<lsp::TextEdit>> = edits
        .into_iter()
        .map(|(path, edits)| (server.uri(&path), edits))
        .collect();

    Ok(Some(lsp::WorkspaceEdit {
        changes: Some(changes),
        ..lsp::WorkspaceEdit::default()
    }))
}

/// Whether a rename may start at an occurrence: a folder is renamed on the disk.
fn is_named(found: &Occurrence) -> bool {
    !matches!(found.owned().1, Symbol::Folder)
}

/// The files that a rename changes, each with its text before and after.
fn changed(
    file: &File,
    one: &Occurrence,
    name: &str,
    lang: Lang,
) -> Result<BTreeMap<String, (String, String)>, String> {
    let (owner, symbol) = one.owned();
    let old = symbol.name();

    // 1. The new name. A source is never read by a formula, so reserved words do not matter to it.
    if !matches!(symbol, Symbol::Source(_)) && reserved().any(|word| word == name) {
        return Err(say!(
            lang,
            "`{name}` est un nom réservé : choisir un autre nom.",
            "`{name}` is a reserved name: choose another one."
        ));
    }

    if !is_name(symbol, name) {
        return Err(say!(
            lang,
            "`{name}` n’est pas un nom : minuscules sans accent, chiffres, `_` ; une lettre \
             d’abord.",
            "`{name}` is no name: lower case letters without accents, digits, `_`; a letter first."
        ));
    }

    // An unreadable file may use the name in a place that nobody can see.
    let users = file.root.users(owner);
    let folders: Vec<&str> = users.iter().map(String::as_str).chain([owner]).collect();
    let mut indexes = folders.iter().filter_map(|folder| file.root.index(folder));
    if let Some(unread) = indexes.find_map(|index| index.unreadable.first()) {
        return Err(say!(
            lang,
            "{unread} ne se lit pas : corriger d’abord, le nom `{old}` peut s’y trouver.",
            "{unread} cannot be read: fix it first, the name `{old}` may be in it."
        ));
    }

    // 2. The new texts, in the layout that they had.
    let mut edits: BTreeMap<&str, Vec<Edit>> = BTreeMap::new();
    for found in file.root.all_of(one) {
        let text = file.root.files.text(&found.path).unwrap_or_default();
        edits
            .entry(&found.path)
            .or_default()
            .extend(edit(text, &found.span, name));
    }

    let mut texts = BTreeMap::new();
    for (path, edits) in edits {
        let Some(before) = file.root.files.text(path) else {
            continue;
        };
        let folder = folder_of(path);
        let own = file.root.files.texts();
        let amounts = amounts_of(own.filter(|(path, _)| folder_of(path) == folder));
        let now = in_layout(path, before, edited(before, edits), &amounts);
        texts.insert(path.to_owned(), (before.to_owned(), now));
    }

    // 3. The trial: a name may hide another one, or be that of a function.
    let before = file.root.tried(&folders, []);
    let after = file.root.tried(
        &folders,
        texts
            .iter()
            .map(|(path, (_, now))| (path.clone(), now.clone())),
    );

    if let Some(broken) = new_error(&before, &after) {
        let (message, place) = (
            broken.message(lang),
            format!("{}:{}", broken.file(), broken.line()),
        );
        return Err(say!(
            lang,
            "Renommer `{old}` en `{name}` casserait {place} : {message}.",
            "To rename `{old}` to `{name}` would break {place}: {message}."
        ));
    }
    Ok(texts)
}

/// The edit that renames an occurrence; `None` where the name is written beside it.
fn edit(text: &str, span: &Range<usize>, name: &str) -> Option<Edit> {
    let before = text.get(..span.start)?.trim_end();
    if !before.ends_with(&format!("{TAKEN_FROM}:")) {
        return Some(Edit::replace(span.clone(), name));
    }

    // A figure that is taken over under the same name has the path of its folder alone: the new name
    // is added to it.
    let rest = text.get(span.end..)?.lines().next().unwrap_or_default();
    let path = text.get(span.clone())?;
    let is_named = rest.contains(&format!("{FIGURE}:"));
    (!is_named).then(|| Edit::replace(span.clone(), format!("{path}, {FIGURE}: {name}")))
}

/// The first error that a change adds.
pub(super) fn new_error<'d>(
    before: &[Diagnostic],
    after: &'d [Diagnostic],
) -> Option<&'d Diagnostic> {
    // By code and file: the rename changes the texts of messages, and may move them.
    let count = |all: &[Diagnostic], one: &Diagnostic| {
        all.iter()
            .filter(|other| other.file() == one.file() && other.code() == one.code())
            .count()
    };

    after
        .iter()
        .find(|one| count(after, one) > count(before, one))
}

fn is_name(symbol: &Symbol, name: &str) -> bool {
    // The grammar of names in formulas; sources may have a dash, since no formula reads them.
    let is_part =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    let may_have_dash = matches!(symbol, Symbol::Source(_));
    let is_written = name
        .chars()
        .all(|letter| is_part(letter) || (may_have_dash && letter == '-'));

    let starts = name.starts_with(|letter: char| letter.is_ascii_lowercase());
    starts && is_written
}

/// The new text of a file, reformatted if it was formatted before, so that columns fit the new
/// name.
fn in_layout(path: &str, before: &str, now: String, amounts: &Amounts) -> String {
    let was_laid_out = laid_out(path, before, amounts).is_ok_and(|text| text == before);
    if was_laid_out {
        laid_out(path, &now, amounts).unwrap_or(now)
    } else {
        now
    }
}

/// Line by line edits between two texts with the same number of lines; otherwise one edit of the
/// whole text.
pub(super) fn line_edits(lines: &Lines, before: &str, now: &str) -> Vec<lsp::TextEdit> {
    if before == now {
        return Vec::new();
    }

    let (old, new): (Vec<&str>, Vec<&str>) =
        (before.split('\n').collect(), now.split('\n').collect());
    // With lines added or removed, edits by line would be about other lines.
    if old.len() != new.len() {
        return vec![lsp::TextEdit {
            range: lines.range(&(0..before.len())),
            new_text: now.to_owned(),
        }];
    }

    let mut start = 0;
    let mut edits = Vec::new();
    for (old, new) in old.iter().zip(new) {
        // The edit is what differs between the common start and the common end of the line.
        if *old != new {
            let head = common(old.chars(), new.chars());
            let (rest, other) = (
                old.get(head..).unwrap_or_default(),
                new.get(head..).unwrap_or_default(),
            );
            let tail = common(rest.chars().rev(), other.chars().rev());

            let span = start + head..start + old.len() - tail;
            let new_text = new
                .get(head..new.len() - tail)
                .unwrap_or_default()
                .to_owned();
            edits.push(lsp::TextEdit {
                range: lines.range(&span),
                new_text,
            });
        }
        start += old.len() + 1;
    }
    edits
}

/// Length in bytes of the common prefix of two texts.
fn common(one: impl Iterator<Item = char>, other: impl Iterator<Item = char>) -> usize {
    one.zip(other)
        .take_while(|(one, other)| one == other)
        .map(|(letter, _)| letter.len_utf8())
        .sum()
}
