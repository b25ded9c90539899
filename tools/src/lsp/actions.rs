//! The cures that are edits. Each is tried on the files before it is offered: it takes its mistake away, and brings none.

use std::collections::HashMap;

use bareme_engine::authoring::{Content, Node};
use bareme_engine::text::{PlacedText, Problem, RuleFile, Severity};
use bareme_engine::{Diagnostic, Lang, Report};
use bareme_show::say;
use gen_lsp_types as lsp;
use serde_json::json;

use super::cases::ACCEPT;
use super::diagnostics::diagnostic;
use super::index::{FileKind, Symbol};
use super::rename::new_error;
use super::server::{File, Server};
use crate::edit::{Edit, edited, extent, quoted, with_entry, with_first_entry, without_entry};
use crate::rule_files::folder_of;

/// Cures of one sort that are offered at most: each is tried.
const MOST: usize = 6;

/// Answers the cures of what is wrong in a part of a file.
pub(super) fn actions(
    server: &mut Server,
    parameters: lsp::CodeActionParams,
) -> Result<Option<Vec<lsp::CodeActionResponse>>, String> {
    let (lang, uri) = (server.lang, parameters.text_document.uri);
    let Some(file) = server.file(&uri) else { return Ok(None) };
    let asked = file.lines().offsets(parameters.range);
    let is_near = |found: &&Diagnostic| {
        let span = found.place().span();
        let lines = file.lines();
        let (first, last) = (lines.line(span.start), lines.line(span.end));
        first <= lines.line(asked.end) && lines.line(asked.start) <= last
    };
    let mut offered = Vec::new();
    for found in file.root.found_in(&file.path).iter().filter(is_near) {
        let is_current = found.place().file().text() == file.text;
        if !is_current {
            continue;
        }
        let cures = cures(found, &file, lang);
        if !cures.is_empty() && !file.folder().is_empty() {
            let trial = Trial::new(found, &file);
            let working = cures.iter().filter(|cure| trial.works(cure, found));
            offered.extend(working.map(|cure| action(cure, found, &file, &uri, lang)));
        }
        offered.extend(acceptance(found, &uri, &file, lang));
    }
    Ok(Some(offered.into_iter().map(Into::into).collect()))
}

/// A cure: what it does, and its edits in the file of the mistake.
struct Cure {
    title: String,
    edits: Vec<Edit>,
}

fn action(cure: &Cure, found: &Diagnostic, file: &File, uri: &lsp::Uri, lang: Lang) -> lsp::CodeAction {
    let lines = file.lines();
    let edit = |edit: &Edit| lsp::TextEdit { range: lines.range(&edit.place), new_text: edit.text.clone() };
    let changes = HashMap::from([(uri.clone(), cure.edits.iter().map(edit).collect())]);
    lsp::CodeAction {
        title: cure.title.clone(),
        kind: Some(lsp::CodeActionKind::QuickFix),
        diagnostics: Some(vec![diagnostic(found, lang)]),
        is_preferred: Some(found.problem().near().is_some()),
        edit: Some(lsp::WorkspaceEdit { changes: Some(changes), ..lsp::WorkspaceEdit::default() }),
        ..lsp::CodeAction::default()
    }
}

/// The errors of a file before a cure: those that its folder has when its cases run, or those that show without them.
struct Trial<'a> {
    file: &'a File<'a>,
    with_cases: bool,
    before: Vec<Diagnostic>,
}

impl<'a> Trial<'a> {
    fn new(found: &Diagnostic, file: &'a File) -> Self {
        let with_cases = found.code().starts_with('C');
        let before = match with_cases {
            true => file.root.tried(file.folder(), []),
            false => file.root.tried_alone(&file.path, None),
        };
        Self { file, with_cases, before }
    }

    /// Whether a cure takes its mistake away and brings no error.
    fn works(&self, cure: &Cure, found: &Diagnostic) -> bool {
        let file = self.file;
        let now = edited(file.text, cure.edits.clone());
        let after = match self.with_cases {
            true => file.root.tried(file.folder(), [(file.path.clone(), now)]),
            false => file.root.tried_alone(&file.path, Some(&now)),
        };
        let is_it = |one: &&Diagnostic| one.file() == found.file() && one.code() == found.code();
        let count = |all: &[Diagnostic]| all.iter().filter(is_it).count();
        let is_cured = found.severity() == Severity::Warning || count(&after) < count(&self.before);
        // A mistake may have hidden another: one of another sort in its place is no cure either.
        is_cured && new_error(&self.before, &after).is_none()
    }
}

/// A case that differs may be accepted, once it has been read.
fn acceptance(found: &Diagnostic, uri: &lsp::Uri, file: &File, lang: Lang) -> Option<lsp::CodeAction> {
    if !matches!(found.problem(), Problem::CaseDiffers { .. }) {
        return None;
    }
    let at = found.place().span().start;
    let cases = file.root.folder(file.folder())?.cases();
    let case = cases.iter().filter(|case| case.place.span().start <= at).max_by_key(|case| case.place.span().start)?;
    let title = say!(lang, "Accepter les valeurs du programme…", "Accept the values of the program…");
    let arguments = vec![json!(uri), json!(case.name), json!(case.date().map(|date| date.to_string()))];
    let command =
        lsp::Command { title: title.clone(), tooltip: None, command: ACCEPT.to_owned(), arguments: Some(arguments) };
    Some(lsp::CodeAction {
        title,
        kind: Some(lsp::CodeActionKind::QuickFix),
        diagnostics: Some(vec![diagnostic(found, lang)]),
        command: Some(command),
        ..lsp::CodeAction::default()
    })
}

/// The cures of a mistake that may be edits.
fn cures(found: &Diagnostic, file: &File, lang: Lang) -> Vec<Cure> {
    let span = found.place().span();
    let written = file.text.get(span.clone()).unwrap_or_default();
    let replaced = |now: &str| Cure {
        title: say!(lang, "Remplacer par `{now}`", "Replace by `{now}`"),
        edits: vec![Edit::replace(span.clone(), now)],
    };
    if let Some(near) = found.problem().near().filter(|_| !span.is_empty()) {
        return vec![replaced(near)];
    }
    match found.problem() {
        Problem::CommaInList { meant, .. } | Problem::ColonMissing { meant, .. } => vec![replaced(meant)],
        Problem::MethodOfOtherFolder { folder, .. } => vec![replaced(folder)],
        Problem::ConstantOfOtherFolder { word, .. } => vec![replaced(word)],
        Problem::PointOrThousands { spaced, point, .. } => vec![replaced(spaced), replaced(point)],
        Problem::PercentMissing { text, .. } => vec![replaced(&format!("{text}%"))],
        Problem::PercentNotWanted { text } => vec![replaced(text.trim_end_matches('%').trim_end())],
        Problem::CutByComma { written, .. } => cut(written).iter().map(|now| replaced(now)).collect(),
        Problem::CommaInFormula {} => vec![replaced(&written.replace(',', ";"))],
        Problem::InvisibleSign { text, .. } => vec![replaced(text)],
        Problem::Tab {} | Problem::NoBreakMargin {} => vec![margins(file.text, lang)],
        Problem::BareFigure { name, .. } => columns(name, file).iter().map(|now| replaced(now)).collect(),
        Problem::UnknownSource { .. } => sources(file).iter().take(MOST).map(|now| replaced(now)).collect(),
        _ => in_nodes(found, file, lang),
    }
}

/// Possible readings of a value that a comma cut: a number, a list, a text.
fn cut(written: &str) -> Vec<String> {
    let is_number = written.chars().all(|sign| sign.is_ascii_digit() || ",.% ".contains(sign));
    match is_number {
        true => vec![written.replace(',', ".")],
        false => vec![written.replace(", ", "; ").replace(',', ";"), quoted(written)],
    }
}

/// Spaces in the place of every tab and no-break space of the margins.
fn margins(text: &str, lang: Lang) -> Cure {
    let mut edits = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        let margin = line.get(..line.len() - line.trim_start().len()).unwrap_or_default();
        if !line.trim().is_empty() && margin.chars().any(|sign| sign != ' ') {
            let spaces = margin.replace('\t', "  ").replace(['\u{a0}', '\u{202f}'], " ");
            edits.push(Edit::replace(start..start + margin.len(), spaces));
        }
        start += line.len() + 1;
    }
    Cure { title: say!(lang, "Décaler par des espaces", "Indent by spaces"), edits }
}

/// The columns of a figure that a formula may read.
fn columns(figure: &str, file: &File) -> Vec<String> {
    let index = file.root.index(file.folder());
    let names = index.and_then(|index| index.names_of(&file.path));
    let columns = names.and_then(|names| names.figures.get(figure)).into_iter().flatten();
    columns.take(MOST).map(|column| format!("{figure}.{}", column.name)).collect()
}

/// The sources of a file.
fn sources(file: &File) -> Vec<String> {
    let Some(index) = file.root.index(file.folder()) else { return Vec::new() };
    let own = index.occurrences.iter().filter(|found| found.is_definition && found.path == file.path);
    let ids = own.filter_map(|found| match &found.symbol {
        Symbol::Source(id) => Some(id.clone()),
        _ => None,
    });
    ids.collect()
}

/// An entry of a file and the map that it is in.
struct Entry<'n> {
    map: &'n Node,
    entry: &'n (PlacedText, Node),
}

/// The entry whose key or value starts at an offset.
fn entry_at(map: &Node, offset: usize) -> Option<Entry<'_>> {
    for entry in map.entries() {
        let (key, value) = entry;
        let starts = |place: &PlacedText| place.place.span().start == offset;
        if starts(key) || value.text().is_some_and(starts) {
            return Some(Entry { map, entry });
        }
        if let Some(found) = entry_at(value, offset) {
            return Some(found);
        }
    }
    map.items().iter().find_map(|item| entry_at(item, offset))
}

/// The cures that add or remove an entry.
fn in_nodes(found: &Diagnostic, file: &File, lang: Lang) -> Vec<Cure> {
    let Some(root) = Node::read(&RuleFile::new(&file.path, file.text), &mut Report::default()) else {
        return Vec::new();
    };
    let at = found.place().span().start;
    let entry = entry_at(&root, at);
    let added = |map: &Node, key: &str, value: &str| Cure {
        title: say!(lang, "Ajouter `{key}: {value}`", "Add `{key}: {value}`"),
        edits: vec![with_entry(file.text, map, key, value)],
    };
    let removed = |key: Option<&str>| {
        let Some(Entry { map, entry }) = &entry else { return Vec::new() };
        // The mark is on the key itself, or on the figure that holds it.
        let own = key.and_then(|key| entry.1.entries().iter().chain(map.entries()).find(|(name, _)| name.value == key));
        let entry = own.or_else(|| key.is_none().then_some(*entry));
        let removed = |entry: &(PlacedText, Node)| {
            let name = &entry.0.value;
            let title = say!(lang, "Retirer `{name}`", "Remove `{name}`");
            Cure { title, edits: vec![without_entry(file.text, &whole(file.text, entry))] }
        };
        entry.map(removed).into_iter().collect()
    };
    match found.problem() {
        Problem::MissingKey { key, form } if key == "format" => {
            let edits = vec![with_first_entry(file.text, &root, key, form)];
            vec![Cure { title: say!(lang, "Ajouter `{key}: {form}`", "Add `{key}: {form}`"), edits }]
        }
        Problem::MissingKey { key, form } if !form.contains(['…', '|', '{']) => {
            let map = entry.as_ref().map_or(&root, |found| &found.entry.1);
            let map = if map.entries().is_empty() { &root } else { map };
            vec![added(map, key, form)]
        }
        Problem::PeriodMissing { expected, .. } => {
            entry.iter().map(|found| added(&found.entry.1, "per", expected)).collect()
        }
        Problem::MissingSource { .. } => {
            let ids = sources(file);
            let add = |id: &String| Some(added(&entry.as_ref()?.entry.1, "source", id));
            ids.iter().take(MOST).filter_map(add).collect()
        }
        Problem::MissingFigure { name, .. } => as_before(name, &root, file, lang).into_iter().collect(),
        Problem::PeriodNotWanted { .. } => removed(Some("per")),
        Problem::BeforeOfNoComputedCase {} => removed(Some("before")),
        Problem::ReviewedForNothing {} | Problem::ReviewedBefore { .. } => removed(Some("reviewed")),
        Problem::SourcesOfDated { .. }
        | Problem::UnusedSource { .. }
        | Problem::FigureNotGiven { .. }
        | Problem::FigureLeftOut { .. }
        | Problem::AutomaticField { .. } => removed(None),
        _ => Vec::new(),
    }
}

/// An entry whose value ends where its last line does: a value in braces has the place of its first sign only.
fn whole(text: &str, (key, value): &(PlacedText, Node)) -> (PlacedText, Node) {
    let span = extent(text, value);
    let place = bareme_engine::text::Place::new(value.place.file(), span);
    (key.clone(), Node { place, content: value.content.clone() })
}

/// A figure as the dated file before gives it, marked as a proposal: nobody has read it in the text of this one.
fn as_before(name: &str, root: &Node, file: &File, lang: Lang) -> Option<Cure> {
    let figures = root.get("figures")?;
    let folder = file.folder();
    let dated =
        |path: &&str| folder_of(path) == folder && FileKind::of(path) == FileKind::Scale && *path < file.path.as_str();
    let before = file.root.files.paths().filter(dated).last()?;
    let text = file.root.files.text(before)?;
    let other = Node::read(&RuleFile::new(before, text), &mut Report::default())?;
    let node = other.get("figures")?.get(name)?;
    let written = text.get(extent(text, node))?;
    let value = match (&node.content, written.strip_prefix('{')) {
        (Content::Map(_), Some(rest)) => format!("{{unconfirmed: true, {rest}"),
        (Content::Map(_), None) => format!("\n    unconfirmed: true\n    {written}"),
        _ => return None,
    };
    let day = before.rsplit('/').next().unwrap_or_default().trim_end_matches(".yaml");
    let edit = with_entry(file.text, figures, name, &value);
    let edit = Edit { text: edit.text.replace(": \n", ":\n"), ..edit };
    let title = say!(
        lang,
        "Reprendre `{name}` du barème du {day}, à confirmer",
        "Take `{name}` over from the scale of {day}, to be confirmed"
    );
    Some(Cure { title, edits: vec![edit] })
}
