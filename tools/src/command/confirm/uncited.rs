//! The sources of a draft that nothing cites any more once its last figure is confirmed: those of
//! the scale that it was copied from, and the bill that proposed its values.

use bareme_engine::authoring::{Content, Node, is_bill};

use crate::edit::without_entry;
use crate::series::{DatedFile, Series, ids};

const SOURCES: &str = "sources";
/// The keys of a figure that list ids of sources.
const LISTS: [&str; 2] = ["source", "checked_with"];
/// The marks between which a note names an id.
const MARKS: [(&str, &str); 2] = [("(", ")"), ("`", "`")];

/// Removes them from a file, and returns their ids.
///
/// Until the last figure is confirmed they stay: the next one may still rest on them. What nothing
/// cited before the confirmation stays too, for `bareme check` to name (W05): somebody wrote it
/// into this file, or it was unused in the scale before.
pub(super) fn remove_uncited(
    series: &Series,
    before: &DatedFile,
    after: &mut DatedFile,
) -> Vec<String> {
    if !after.unconfirmed(&series.shapes).is_empty() {
        return Vec::new();
    }

    // 1. The sources that a figure rested on until now, here or in the scale that was copied.
    let was_draft = !before.unconfirmed(&series.shapes).is_empty();
    let copied = series.before(before.date);
    let came_with_draft = |id: &str, source: &Node| {
        was_draft && (is_bill(source) || copied.is_some_and(|copied| is_cited(copied, id)))
    };
    let is_left_behind = |id: &str, source: &Node| {
        !is_cited(after, id) && (is_cited(before, id) || came_with_draft(id, source))
    };
    let left_behind: Vec<String> = sources(after)
        .iter()
        .filter(|(id, source)| is_left_behind(&id.value, source))
        .map(|(id, _)| id.value.clone())
        .collect();

    // 2. One at a time: in braces an entry takes the comma of its neighbour.
    for removed in &left_behind {
        let mut entries = sources(after).iter();
        let entry = entries.find(|(id, _)| id.value == *removed);
        if let Some(edit) = entry.map(|entry| without_entry(&after.text, entry)) {
            after.edit(vec![edit]);
        }
    }
    left_behind
}

type Entries = [(bareme_engine::text::PlacedText, Node)];

fn sources(file: &DatedFile) -> &Entries {
    file.node
        .get(SOURCES)
        .map(Node::entries)
        .unwrap_or_default()
}

/// Whether a figure rests on a source of a file, or was compared with it, or a text names its id.
fn is_cited(file: &DatedFile, id: &str) -> bool {
    let cited = file.node.entries().iter();
    let mut cited = cited.filter(|(key, _)| key.value != SOURCES);
    cited.any(|(key, node)| names(&key.value, node, id))
}

fn names(key: &str, node: &Node, id: &str) -> bool {
    match &node.content {
        Content::Empty => false,
        Content::Text(text) if LISTS.contains(&key) => ids(&text.value).iter().any(|one| one == id),
        // An id may be a word of the language: in a text it is one between marks.
        Content::Text(text) => MARKS
            .iter()
            .any(|(open, close)| text.value.contains(&format!("{open}{id}{close}"))),
        Content::List(items) => items.iter().any(|item| names(key, item, id)),
        Content::Map(entries) => entries
            .iter()
            .any(|(key, value)| names(&key.value, value, id)),
    }
}
