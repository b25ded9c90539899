//! The edits of a renewed file: its last known day, the day on which it was read, the texts that
//! were, and that nothing changes.

use bareme_engine::FileSet;
use bareme_engine::authoring::Node;
use bareme_engine::text::french_date;
use jiff::civil::Date;

use super::accepted::ReadText;
use super::plan::Answered;
use crate::edit::{extent, quoted, with_entry, with_entry_after, with_first_entry, without_item};
use crate::layout::{amounts_of, laid_out};
use crate::series::{DatedFile, ids};

/// The key of what a figure was compared with.
pub(super) const EVIDENCE: &str = "checked_with";

/// What a renewal records.
pub(super) struct Record<'r> {
    pub until: Date,
    pub today: Date,
    pub read: &'r [ReadText],
    pub answered: &'r [Answered],
    pub because: Option<&'r str>,
}

/// The file with the record of its renewal; `own` is the file as it was, of the folder `set`.
pub(super) fn renewed(
    start: &DatedFile,
    record: &Record,
    set: &FileSet,
    own: &DatedFile,
) -> DatedFile {
    let mut file = start.clone();

    // 1. The days: until when it is known, and when it was read.
    let (until, today) = (record.until.to_string(), record.today);
    set_entry(&mut file, "known_until", &["checked", "title"], &until);
    // An older day would say that the figures were read before they were.
    let checked = value(&file, "checked").and_then(|day| day.parse::<Date>().ok());
    if checked.is_none_or(|day| day < today) {
        set_entry(&mut file, "checked", &["title"], &today.to_string());
    }

    // 2. That nothing changes, in the note of the scale, which callers do not get.
    let added = sentence(record);
    let note = match value(&file, "note") {
        Some(note) if note.ends_with(['.', '!', '…']) => format!("{note} {added}"),
        Some(note) => format!("{note}. {added}"),
        None => added,
    };
    set_entry(
        &mut file,
        "note",
        &["citation", "known_until"],
        &quoted(&note),
    );

    // 3. The awaited texts that were read, the last first: the others keep their places.
    let mut indexes: Vec<usize> = record.answered.iter().map(|one| one.index).collect();
    indexes.sort_unstable();
    indexes.dedup();
    for index in indexes.into_iter().rev() {
        take_awaited(&mut file, index);
    }

    // 4. The texts, as what each figure was compared with.
    let figures: Vec<String> = file
        .node
        .get("figures")
        .map(Node::entries)
        .unwrap_or_default()
        .iter()
        .map(|(name, _)| name.value.clone())
        .collect();
    for figure in figures {
        add_evidence(&mut file, &figure, record.read);
    }

    lay_out(&mut file, set, own);
    file
}

fn value(file: &DatedFile, key: &str) -> Option<String> {
    file.node.get(key)?.text().map(|text| text.value.clone())
}

/// Writes an entry of the file: in its place, or after the first of these that is there.
fn set_entry(file: &mut DatedFile, key: &str, after: &[&str], value: &str) {
    let before = after.iter().find(|key| file.node.get(key).is_some());
    let edit = match (file.node.get(key), before) {
        (None, Some(before)) => with_entry_after(&file.text, &file.node, before, key, value),
        _ => with_entry(&file.text, &file.node, key, value),
    };
    file.edit(vec![edit]);
}

/// The sentence that keeps what was read, in French as all texts of the rules are. It names the
/// year, so that `bareme new` leaves it out of a later file.
fn sentence(record: &Record) -> String {
    let read: Vec<String> = record
        .read
        .iter()
        .map(|text| match text.date {
            Some(date) => format!("{} ({})", text.title, french_date(date)),
            None => text.title.clone(),
        })
        .collect();

    let because = record
        .because
        .map(|words| format!(" : {}", words.trim_end_matches('.')))
        .unwrap_or_default();
    let (year, until, today) = (
        record.until.year(),
        french_date(record.until),
        french_date(record.today),
    );
    let read = read.join(" ; ");
    format!("Relu pour {year} le {today} : rien ne change jusqu’au {until}, {read}{because}.")
}

/// Takes an awaited text out of `watch`, and the key with the last one.
fn take_awaited(file: &mut DatedFile, index: usize) {
    let Some((key, list)) = file
        .node
        .entries()
        .iter()
        .find(|(key, _)| key.value == "watch")
    else {
        return;
    };

    let edit = if list.items().len() > 1 {
        without_item(&file.text, list, index)
    } else {
        // The list may have several lines, which go whole.
        let (start, end) = (key.place.span().start, extent(&file.text, list).end);
        let rest = file.text.get(end..).unwrap_or_default();
        let line = rest
            .find('\n')
            .map_or(rest.len(), |line| line.saturating_add(1));
        Some(crate::edit::Edit::replace(
            start..end.saturating_add(line),
            "",
        ))
    };
    if let Some(edit) = edit {
        file.edit(vec![edit]);
    }
}

/// Adds texts to those that a figure was compared with, unless it names them already.
fn add_evidence(file: &mut DatedFile, figure: &str, read: &[ReadText]) {
    let Some(node) = file.figure(figure) else {
        return;
    };
    let named = |key: &str| {
        let text = node.get(key).and_then(Node::text);
        text.map(|text| ids(&text.value)).unwrap_or_default()
    };
    let (cited, mut evidence) = (named("source"), named(EVIDENCE));
    let count = evidence.len();
    for text in read {
        if !cited.contains(&text.id) && !evidence.contains(&text.id) {
            evidence.push(text.id.clone());
        }
    }
    if evidence.len() == count {
        return;
    }

    // Of a table it is written before the rows.
    let value = evidence.join("; ");
    let text = &file.text;
    let edit = if node.get(EVIDENCE).is_some() {
        with_entry(text, node, EVIDENCE, &value)
    } else if node.get("source").is_some() {
        with_entry_after(text, node, "source", EVIDENCE, &value)
    } else if node.get("rows").is_some() {
        with_first_entry(text, node, EVIDENCE, &value)
    } else {
        with_entry(text, node, EVIDENCE, &value)
    };
    file.edit(vec![edit]);
}

/// Lays the file out by `bareme fmt`, if it was laid out before.
fn lay_out(file: &mut DatedFile, set: &FileSet, own: &DatedFile) {
    let amounts = amounts_of(set.texts());
    let laid = |text: &str| laid_out(&own.inside, text, &amounts).ok();
    if laid(&own.text).as_deref() != Some(own.text.as_str()) {
        return;
    }
    if let Some(text) = laid(&file.text) {
        let all = 0..file.text.len();
        file.edit(vec![crate::edit::Edit::replace(all, text)]);
    }
}
