//! Quick fixes: cures that are edits. Each is tried before it is offered: it must remove its error
//! and add none.

use std::collections::HashMap;

use bareme_engine::authoring::{Content, Node};
use bareme_engine::text::{PlacedText, Problem, RuleFile, Severity, nearest};
use bareme_engine::{Diagnostic, Lang, Report};
use bareme_show::say;
use gen_lsp_types as lsp;

use super::cases::{ACCEPT, command};
use super::diagnostics::diagnostic;
use super::index::{FileKind, Symbol};
use super::rename::new_error;
use super::server::{File, Server};
use crate::edit::{Edit, edited, extent, with_entry, with_first_entry, without_entry};
use crate::rule_files::folder_of;

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
        match with_cases {
            true => file
                .root
                .tried(file.folder(), [(file.path.clone(), text.to_owned())]),
            false => file.root.tried_alone(&file.path, text),
        }
    }

    /// Whether a fix removes its error and adds none.
    fn works(&self, cure: &Cure, found: &Diagnostic) -> bool {
        let after = self.errors(&edited(self.file.text, cure.edits.clone()));
        let is_it = |one: &&Diagnostic| one.file() == found.file() && one.code() == found.code();
        let count = |all: &[Diagnostic]| all.iter().filter(is_it).count();
        let is_cured = found.severity() == Severity::Warning || count(&after) < count(&self.before);
        // An error may hide another one: a fix that reveals it is not offered.
        is_cured && new_error(&self.before, &after).is_none() && !self.is_wrong(cure, &after)
    }

    /// Whether what a single edit writes is wrong itself.
    fn is_wrong(&self, cure: &Cure, after: &[Diagnostic]) -> bool {
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
    let replaced = |now: &str| Cure {
        title: say!(lang, "Remplacer par `{now}`", "Replace by `{now}`"),
        edits: vec![Edit::replace(span.clone(), now)],
    };
    if let Some(near) = found.problem().near().filter(|_| !span.is_empty()) {
        return vec![replaced(near)];
    }
    match found.problem() {
        Problem::CommaInList { meant, .. } | Problem::ColonMissing { meant, .. } => {
            vec![replaced(meant)]
        }
        Problem::MethodOfOtherFolder { folder, .. } => vec![replaced(folder)],
        Problem::ConstantOfOtherFolder { word, .. } => vec![replaced(word)],
        Problem::PointOrThousands { spaced, point, .. } => vec![replaced(spaced), replaced(point)],
        Problem::PercentMissing { text, .. } => vec![replaced(&format!("{text}%"))],
        Problem::PercentNotWanted { text } => vec![replaced(text.trim_end_matches('%').trim_end())],
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
        Problem::NotYaml { .. } => of_line(file.text, span.start, lang),
        _ => in_nodes(found, file, lang),
    }
}

/// The values that a cure proposes for a key: `ceiling: 6 500`, and `ceiling: 6.5` where both may
/// be meant.
fn readings<'c>(cure: &'c str, key: &'c str) -> impl Iterator<Item = &'c str> {
    let codes = cure.split('`').skip(1).step_by(2);
    codes.filter_map(move |code| code.strip_prefix(key)?.strip_prefix(": "))
}

/// Replaces every tab and no-break space in the indentation by spaces.
fn margins(text: &str, lang: Lang) -> Cure {
    let mut edits = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        let margin = line
            .get(..line.len() - line.trim_start().len())
            .unwrap_or_default();
        if !line.trim().is_empty() && margin.chars().any(|sign| sign != ' ') {
            let spaces = margin
                .replace('\t', "  ")
                .replace(['\u{a0}', '\u{202f}'], " ");
            edits.push(Edit::replace(start..start + margin.len(), spaces));
        }
        start += line.len() + 1;
    }
    Cure {
        title: say!(lang, "Décaler par des espaces", "Indent by spaces"),
        edits,
    }
}

/// The slips of the hand that make a line unreadable, mended: its margin, a colon without a space,
/// what is not closed. The reading stops at the line that is wrong, or after it.
fn of_line(text: &str, at: usize, lang: Lang) -> Vec<Cure> {
    let lines: Vec<(usize, &str)> = text
        .split('\n')
        .scan(0, |start, line| {
            let own = *start;
            *start += line.len() + 1;
            Some((own, line))
        })
        .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
        .collect();
    let here = lines
        .partition_point(|(start, _)| *start <= at)
        .saturating_sub(1);
    let mut cures = Vec::new();
    for place in [Some(here), here.checked_sub(1)].into_iter().flatten() {
        let Some((start, line)) = lines.get(place) else {
            continue;
        };
        cures.extend(closed(*start, line, lang));
        cures.extend(colon_spaced(*start, line, lang));
        let beside = [place.checked_sub(1), place.checked_add(1)]
            .into_iter()
            .flatten();
        let mut margins: Vec<usize> = beside
            .filter_map(|beside| Some(margin(lines.get(beside)?.1)))
            .collect();
        margins.dedup();
        let (own, name) = (margin(line), head(line));
        let aligned = margins
            .into_iter()
            .filter(|margin| *margin != own)
            .map(|margin| Cure {
                title: say!(
                    lang,
                    "Aligner `{name}` sur la ligne voisine",
                    "Align `{name}` with the line beside it"
                ),
                edits: vec![Edit::replace(*start..start + own, " ".repeat(margin))],
            });
        cures.extend(aligned);
    }
    cures
}

fn margin(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The first word of a line.
fn head(line: &str) -> &str {
    line.trim_start_matches([' ', '-', '{'])
        .split([' ', ':'])
        .next()
        .unwrap_or_default()
}

/// What a line opens and does not close, closed at its end.
fn closed(start: usize, line: &str, lang: Lang) -> Option<Cure> {
    let written = line.trim_end();
    let mut open = String::new();
    for sign in written.chars() {
        match sign {
            '"' if open.ends_with('"') => drop(open.pop()),
            _ if open.ends_with('"') => {}
            '"' => open.push('"'),
            '{' => open.push('}'),
            '[' => open.push(']'),
            '}' | ']' if open.ends_with(sign) => drop(open.pop()),
            _ => {}
        }
    }
    let missing: String = open.chars().rev().collect();
    let (end, name) = (start + written.len(), head(line));
    (!missing.is_empty()).then(|| Cure {
        title: say!(
            lang,
            "Fermer la ligne de `{name}` par `{missing}`",
            "Close the line of `{name}` by `{missing}`"
        ),
        edits: vec![Edit::insert(end, missing.clone())],
    })
}

/// A space after the colon of a key that has none: `plafond:{montant: 1}`.
fn colon_spaced(start: usize, line: &str, lang: Lang) -> Option<Cure> {
    let colon = line.find(|sign: char| !(sign.is_alphanumeric() || "_- ".contains(sign)))?;
    let after = line.get(colon..)?.strip_prefix(':')?;
    let is_stuck = !after.is_empty() && !after.starts_with([' ', '\r']);
    let name = line.get(..colon).unwrap_or_default().trim();
    is_stuck.then(|| Cure {
        title: say!(
            lang,
            "Mettre une espace après `{name}:`",
            "Put a space after `{name}:`"
        ),
        edits: vec![Edit::insert(start + colon + 1, " ")],
    })
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

/// An entry of a file, with the map that contains it.
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

/// The fixes that add or remove an entry.
fn in_nodes(found: &Diagnostic, file: &File, lang: Lang) -> Vec<Cure> {
    let Some(root) = Node::read(
        &RuleFile::new(&file.path, file.text),
        &mut Report::default(),
    ) else {
        return Vec::new();
    };
    let at = found.place().span().start;
    let entry = entry_at(&root, at);
    let added = |map: &Node, key: &str, value: &str| Cure {
        title: say!(lang, "Ajouter `{key}: {value}`", "Add `{key}: {value}`"),
        edits: vec![with_entry(file.text, map, key, value)],
    };
    let removed = |key: Option<&str>| {
        let Some(Entry { map, entry }) = &entry else {
            return Vec::new();
        };
        // The mark is on the key itself, or on the figure that contains it.
        let own = key.and_then(|key| {
            entry
                .1
                .entries()
                .iter()
                .chain(map.entries())
                .find(|(name, _)| name.value == key)
        });
        let entry = own.or_else(|| key.is_none().then_some(*entry));
        let removed = |entry: &(PlacedText, Node)| {
            let name = &entry.0.value;
            let title = say!(lang, "Retirer `{name}`", "Remove `{name}`");
            Cure {
                title,
                edits: vec![without_entry(file.text, &whole(file.text, entry))],
            }
        };
        entry.map(removed).into_iter().collect()
    };
    match found.problem() {
        Problem::MissingKey { key, form } if key == "format" => {
            let edits = vec![with_first_entry(file.text, &root, key, form)];
            vec![Cure {
                title: say!(lang, "Ajouter `{key}: {form}`", "Add `{key}: {form}`"),
                edits,
            }]
        }
        Problem::MissingKey { key, form } if !form.contains(['…', '|', '{']) => {
            let map = entry.as_ref().map_or(&root, |found| &found.entry.1);
            let map = if map.entries().is_empty() { &root } else { map };
            vec![added(map, key, form)]
        }
        Problem::PeriodMissing { expected, .. } => entry
            .iter()
            .map(|found| added(&found.entry.1, "per", expected))
            .collect(),
        Problem::MissingSource { .. } => {
            let ids = sources(file);
            let add = |id: &String| Some(added(&entry.as_ref()?.entry.1, "source", id));
            ids.iter().take(MOST).filter_map(add).collect()
        }
        Problem::EvidenceAlone { figure } => source_as_before(figure, &root, file, lang)
            .into_iter()
            .collect(),
        Problem::MissingFigure { name, .. } => {
            as_before(name, &root, file, lang).into_iter().collect()
        }
        Problem::PeriodNotWanted { .. } => removed(Some("per")),
        Problem::BeforeOfNoComputedCase {} => removed(Some("before")),
        Problem::ReviewedForNothing {} | Problem::ReviewedBefore { .. } => {
            removed(Some("reviewed"))
        }
        Problem::SourcesOfDated { .. }
        | Problem::UnusedSource { .. }
        | Problem::FigureNotGiven { .. }
        | Problem::FigureLeftOut { .. }
        | Problem::AutomaticField { .. } => removed(None),
        _ => Vec::new(),
    }
}

/// The entry with the whole range of its value: the place of a value in braces is its first
/// character only.
fn whole(text: &str, (key, value): &(PlacedText, Node)) -> (PlacedText, Node) {
    let span = extent(text, value);
    let place = bareme_engine::text::Place::new(value.place.file(), span);
    (
        key.clone(),
        Node {
            place,
            content: value.content.clone(),
        },
    )
}

/// A figure in the dated file before, with that file's text and name.
pub(super) fn before<'f>(name: &str, file: &'f File) -> Option<(&'f str, &'f str, Node)> {
    let folder = file.folder();
    let dated = |path: &&str| {
        folder_of(path) == folder
            && FileKind::from_path(path) == FileKind::Scale
            && *path < file.path.as_str()
    };
    let path = file.root.files.paths().filter(dated).last()?;
    let text = file.root.files.text(path)?;
    let other = Node::read(&RuleFile::new(path, text), &mut Report::default())?;
    let day = path
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .trim_end_matches(".yaml");
    Some((day, text, other.get("figures")?.get(name)?.clone()))
}

/// The source of a figure as the dated file before cites it.
fn source_as_before(name: &str, root: &Node, file: &File, lang: Lang) -> Option<Cure> {
    let (day, _, other) = before(name, file)?;
    let source = &other.get("source")?.text()?.value;
    let edit = with_entry(file.text, root.get("figures")?.get(name)?, "source", source);
    let title = say!(
        lang,
        "Citer `{source}`, comme le barème du {day}",
        "Cite `{source}`, as the scale of {day} does"
    );
    Some(Cure {
        title,
        edits: vec![edit],
    })
}

/// A figure as the dated file before gives it, marked as a proposal: nobody has read it in the text
/// of this one.
fn as_before(name: &str, root: &Node, file: &File, lang: Lang) -> Option<Cure> {
    let figures = root.get("figures")?;
    let (day, text, node) = before(name, file)?;
    let written = text.get(extent(text, &node))?;
    let value = match (&node.content, written.strip_prefix('{')) {
        (Content::Map(_), Some(rest)) => format!("{{unconfirmed: true, {rest}"),
        (Content::Map(_), None) => format!("\n    unconfirmed: true\n    {written}"),
        _ => return None,
    };
    let edit = with_entry(file.text, figures, name, &value);
    let edit = Edit {
        text: edit.text.replace(": \n", ":\n"),
        ..edit
    };
    let title = say!(
        lang,
        "Reprendre `{name}` du barème du {day}, à confirmer",
        "Take `{name}` over from the scale of {day}, to be confirmed"
    );
    Some(Cure {
        title,
        edits: vec![edit],
    })
}
