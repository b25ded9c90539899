//! Quick fixes: cures that are edits. Each is tried before it is offered: it must remove its error
//! and add none.

mod entries;
mod slips;

use std::collections::HashMap;

use bareme_engine::text::{Problem, Severity, nearest};
use bareme_engine::{Diagnostic, Lang};
use bareme_show::say;
use gen_lsp_types as lsp;

use super::cases::{ACCEPT, command};
use super::diagnostics::diagnostic;
use super::index::Symbol;
use super::rename::new_error;
use super::server::{File, Server};
use crate::edit::{Edit, edited};
use entries::in_nodes;
use slips::{margins, of_line};

pub(super) use entries::before;

/// Greatest number of fixes of one kind, since each is tried.
const MOST: usize = 6;

/// Answers a request for the quick fixes in a range of a file.
pub(super) fn actions(
    server: &mut Server,
    parameters: lsp::CodeActionParams,
) -> Result<Option<Vec<lsp::CodeActionResponse>>, String> {
    let (lang, uri) = (server.lang, parameters.text_document.uri);
    let Some(file) = server.file(&uri) else {
        return Ok(None);
    };

    let asked = file.lines().offsets(parameters.range);
    // An editor asks for the selection or the cursor, while an error may be marked elsewhere on the
    // line: all errors of these lines are offered their fixes.
    let is_near = |found: &&Diagnostic| {
        let span = found.place().span();
        let lines = file.lines();
        let (first, last) = (lines.line(span.start), lines.line(span.end));
        first <= lines.line(asked.end) && lines.line(asked.start) <= last
    };

    let mut offered = Vec::new();
    for found in file.root.found_in(&file.path).iter().filter(is_near) {
        // The check runs in the background: an error of an earlier text has its place in that text.
        let is_current = found.place().file().text() == file.text;
        if !is_current {
            continue;
        }
        let possible = cures(found, &file, lang);
        // `service.yaml` is in no folder that could be loaded alone for a trial.
        if !possible.is_empty() && !file.folder().is_empty() {
            let trial = Trial::new(found, &file);
            let working = possible.iter().filter(|cure| trial.works(cure, found));
            offered.extend(working.map(|cure| action(cure, found, &file, &uri, lang)));
        }
        offered.extend(acceptance(found, &uri, &file, lang));
    }
    Ok(Some(offered.into_iter().map(Into::into).collect()))
}

/// A quick fix: its title, and its edits in the file of the error.
struct Cure {
    title: String,
    edits: Vec<Edit>,
}

fn action(
    cure: &Cure,
    found: &Diagnostic,
    file: &File,
    uri: &lsp::Uri,
    lang: Lang,
) -> lsp::CodeAction {
    let lines = file.lines();
    let edit = |edit: &Edit| lsp::TextEdit {
        range: lines.range(&edit.place),
        new_text: edit.text.clone(),
    };
    let changes = HashMap::from([(uri.clone(), cure.edits.iter().map(edit).collect())]);

    lsp::CodeAction {
        title: cure.title.clone(),
        kind: Some(lsp::CodeActionKind::QuickFix),
        diagnostics: Some(vec![diagnostic(found, lang)]),
        // Editors apply the preferred fix by one key: only a likely misspelling is safe enough for
        // it.
        is_preferred: Some(found.problem().near().is_some()),
        edit: Some(lsp::WorkspaceEdit {
            changes: Some(changes),
            ..lsp::WorkspaceEdit::default()
        }),
        ..lsp::CodeAction::default()
    }
}

/// The errors of a file before a fix, with the cases of its folder or without them.
struct Trial<'a> {
    file: &'a File<'a>,
    with_cases: bool,
    before: Vec<Diagnostic>,
}

impl<'a> Trial<'a> {
    fn new(found: &Diagnostic, file: &'a File) -> Self {
        let trial = Self {
            file,
            with_cases: found.code().starts_with('C'),
            before: Vec::new(),
        };

        Self {
            before: trial.errors(file.text),
            ..trial
        }
    }

    /// The errors with another text of the file.
    fn errors(&self, text: &str) -> Vec<Diagnostic> {
        let Self {
            file, with_cases, ..
        } = self;

        // Errors of cases (`C…`) need the cases to run. The others are found by reading the file
        // alone, which is quick enough to try several fixes at each request.
        match with_cases {
            true => file
                .root
                .tried(&[file.folder()], [(file.path.clone(), text.to_owned())]),
            false => file.root.tried_alone(&file.path, text),
        }
    }

    /// Whether a fix removes its error and adds none.
    fn works(&self, cure: &Cure, found: &Diagnostic) -> bool {
        let after = self.errors(&edited(self.file.text, cure.edits.clone()));

        let is_it = |one: &&Diagnostic| one.file() == found.file() && one.code() == found.code();
        let count = |all: &[Diagnostic]| all.iter().filter(is_it).count();
        // A warning has no count to go down where the trial does not report it at all.
        let is_cured = found.severity() == Severity::Warning || count(&after) < count(&self.before);
        // An error may hide another one: a fix that reveals it is not offered.
        is_cured && new_error(&self.before, &after).is_none() && !self.is_wrong(cure, &after)
    }

    /// Whether what a single edit writes is wrong itself.
    fn is_wrong(&self, cure: &Cure, after: &[Diagnostic]) -> bool {
        // Of several edits, the place of one depends on those before it.
        let [edit] = cure.edits.as_slice() else {
            return false;
        };

        let written = edit.place.start..edit.place.start + edit.text.len();
        let is_there = |one: &Diagnostic| {
            one.file() == self.file.path && written.contains(&one.place().span().start)
        };
        after.iter().any(is_there)
    }
}

/// The fix for a case with other values: to accept them, once they were reviewed.
fn acceptance(
    found: &Diagnostic,
    uri: &lsp::Uri,
    file: &File,
    lang: Lang,
) -> Option<lsp::CodeAction> {
    if !matches!(found.problem(), Problem::CaseDiffers { .. }) {
        return None;
    }

    // The last case that starts at or before the error is the one that contains it.
    let at = found.place().span().start;
    let cases = file.root.folder(file.folder())?.cases();
    let case = cases
        .iter()
        .filter(|case| case.place.span().start <= at)
        .max_by_key(|case| case.place.span().start)?;

    let title = say!(
        lang,
        "Accepter les valeurs du programme…",
        "Accept the values of the program…"
    );
    // A command rather than an edit: the author is asked after having seen the values.
    Some(lsp::CodeAction {
        title: title.clone(),
        kind: Some(lsp::CodeActionKind::QuickFix),
        diagnostics: Some(vec![diagnostic(found, lang)]),
        command: Some(command(title, ACCEPT, uri, case)),
        ..lsp::CodeAction::default()
    })
}

/// The possible fixes of an error.
fn cures(found: &Diagnostic, file: &File, lang: Lang) -> Vec<Cure> {
    let span = found.place().span();

    let written = file.text.get(span.clone()).unwrap_or_default();

    // 1. A name that resembles the one written: it replaces the word.
    let replaced = |now: &str| Cure {
        title: say!(lang, "Remplacer par `{now}`", "Replace by `{now}`"),
        edits: vec![Edit::replace(span.clone(), now)],
    };

    if let Some(near) = found.problem().near().filter(|_| !span.is_empty()) {
        return vec![replaced(near)];
    }

    // 2. The problems whose cure is known from their fields.
    match found.problem() {
        // A value whose key nobody wrote has none to propose.
        Problem::ColonMissing { meant, .. } if meant.starts_with('…') => Vec::new(),
        Problem::CommaInList { meant, .. } | Problem::ColonMissing { meant, .. } => {
            vec![replaced(meant)]
        }
        Problem::MethodOfOtherFolder { folder, .. } => vec![replaced(folder)],
        Problem::ConstantOfOtherFolder { word, .. } => vec![replaced(word)],
        Problem::PointOrThousands { spaced, point, .. } => vec![replaced(spaced), replaced(point)],
        Problem::PercentMissing { text, .. } => vec![replaced(&format!("{text}%"))],
        // Of a number, its cure quotes the fraction.
        Problem::PercentNotWanted { text, .. } => {
            let cure = found.cure(lang);
            let quoted = cure.split('`').nth(1).filter(|quoted| *quoted != "%");
            vec![replaced(
                quoted.unwrap_or(text.trim_end_matches('%').trim_end()),
            )]
        }
        // The cure quotes the entry as it may have been meant, in one reading or two.
        Problem::CutByComma { written, .. } => {
            let (key, cure) = (
                written.split(':').next().unwrap_or_default(),
                found.cure(lang),
            );
            readings(&cure, key).map(replaced).collect()
        }
        Problem::CommaInFormula {} => vec![replaced(&written.replace(',', ";"))],
        Problem::InvisibleSign { text, .. } => vec![replaced(text)],
        Problem::Tab {} | Problem::NoBreakMargin {} => vec![margins(file.text, lang)],
        Problem::BareFigure { name, .. } => columns(name, file)
            .iter()
            .map(|now| replaced(now))
            .collect(),
        Problem::UnknownSource { .. } => {
            let ids = sources(file);
            // The most similar source comes first, then the others in the order of the file.
            let near = nearest(written, ids.iter().map(String::as_str));
            let others = ids
                .iter()
                .map(String::as_str)
                .filter(|id| Some(*id) != near);
            near.into_iter()
                .chain(others)
                .take(MOST)
                .map(replaced)
                .collect()
        }

        // 3. A text that is not YAML has no nodes: its lines are looked at.
        Problem::NotYaml { .. } => of_line(file.text, span.start, lang),

        // 4. The others add, remove or complete an entry.
        _ => in_nodes(found, file, lang),
    }
}

/// The values that a cure proposes for a key: `ceiling: 6 500`, and `ceiling: 6.5` where both may
/// be meant.
fn readings<'c>(cure: &'c str, key: &'c str) -> impl Iterator<Item = &'c str> {
    let codes = cure.split('`').skip(1).step_by(2);
    codes.filter_map(move |code| code.strip_prefix(key)?.strip_prefix(": "))
}

/// The columns of a figure that a formula may read.
fn columns(figure: &str, file: &File) -> Vec<String> {
    let index = file.root.index(file.folder());
    let names = index.and_then(|index| index.names_of(&file.path));

    let columns = names
        .and_then(|names| names.figures.get(figure))
        .into_iter()
        .flatten();
    columns
        .take(MOST)
        .map(|column| format!("{figure}.{}", column.name))
        .collect()
}

/// The ids of the sources of a file.
fn sources(file: &File) -> Vec<String> {
    let Some(index) = file.root.index(file.folder()) else {
        return Vec::new();
    };

    let own = index
        .occurrences
        .iter()
        .filter(|found| found.is_definition && found.path == file.path);

    let ids = own.filter_map(|found| match &found.symbol {
        Symbol::Source(id) => Some(id.clone()),
        _ => None,
    });
    ids.collect()
}
