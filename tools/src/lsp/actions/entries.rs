//! Fixes that add, complete or remove an entry of a file.

use bareme_engine::authoring::{Content, Node};
use bareme_engine::text::{PlacedText, Problem, RuleFile};
use bareme_engine::{Diagnostic, Lang, Report};
use bareme_show::say;

use super::super::index::FileKind;
use super::super::server::File;
use super::{Cure, MOST, sources};
use crate::edit::{Edit, extent, with_entry, with_first_entry, without_entry};
use crate::rule_files::folder_of;

/// An entry of a file, with the map that contains it.
struct Entry<'n> {
    map: &'n Node,
    entry: &'n (PlacedText, Node),
}

/// The entry whose key or value starts at an offset.
fn entry_at(map: &Node, offset: usize) -> Option<Entry<'_>> {
    for entry in map.entries() {
        // An error is placed at a key, or at the value of a key.
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
pub(super) fn in_nodes(found: &Diagnostic, file: &File, lang: Lang) -> Vec<Cure> {
    // The file is read again, since the index has no nodes with places.
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
        // The error is marked on the key itself, or on the figure that contains it.
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
        // `format` is the first key of a file by convention.
        Problem::MissingKey { key, form } if key == "format" => {
            let edits = vec![with_first_entry(file.text, &root, key, form)];
            vec![Cure {
                title: say!(lang, "Ajouter `{key}: {form}`", "Add `{key}: {form}`"),
                edits,
            }]
        }
        // A form with choices is a description, not a value that could be written.
        Problem::MissingKey { key, form } if !form.contains(['…', '|', '{']) => {
            // A key that is missing at the top of the file has no entry around it.
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
            // Any source of the file may be the one: the author chooses.
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
pub(in crate::lsp) fn before<'f>(name: &str, file: &'f File) -> Option<(&'f str, &'f str, Node)> {
    let folder = file.folder();
    // Names of dated files sort by day.
    let dated = |path: &&str| {
        folder_of(path) == folder
            && FileKind::from_path(path) == FileKind::Scale
            && *path < file.path.as_str()
    };

    // `last` is the nearest, since paths are in order and those after this file are left out.
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
    // The text is copied as written, with its comments and its spaces.
    let written = text.get(extent(text, &node))?;
    let value = match (&node.content, written.strip_prefix('{')) {
        (Content::Map(_), Some(rest)) => format!("{{unconfirmed: true, {rest}"),
        (Content::Map(_), None) => format!("\n    unconfirmed: true\n    {written}"),
        _ => return None,
    };

    let edit = with_entry(file.text, figures, name, &value);
    // A block starts on the next line: no blank is left after the colon.
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
