//! Edits of a text that leave everything else unchanged.

use std::ops::Range;

use bareme_engine::authoring::{Content, Node};
use bareme_engine::text::PlacedText;

/// A range of a text and its replacement.
#[derive(Debug, Clone)]
pub(crate) struct Edit {
    pub place: Range<usize>,
    pub text: String,
}

impl Edit {
    /// An insertion.
    pub(crate) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self {
            place: at..at,
            text: text.into(),
        }
    }

    /// A replacement.
    pub(crate) fn replace(place: Range<usize>, text: impl Into<String>) -> Self {
        Self {
            place,
            text: text.into(),
        }
    }
}

/// The range of a value, braces included.
pub(crate) fn extent(text: &str, node: &Node) -> Range<usize> {
    // Places come from the parser: a map or a list starts at its brace, or at its first key or
    // dash. Their ends are not recorded, and are found from their last element.
    let place = node.place.span();
    let is_between = |open: char| {
        text.get(place.start..)
            .is_some_and(|rest| rest.starts_with(open))
    };

    let (last, closing) = match &node.content {
        Content::Map(entries) => {
            // A key without value has no text of its own: the entry ends with the key.
            let last = entries
                .last()
                .map(|(key, value)| extent(text, value).end.max(key.place.span().end));
            (last, is_between('{').then_some('}'))
        }
        Content::List(items) => (
            items.last().map(|item| extent(text, item).end),
            is_between('[').then_some(']'),
        ),
        Content::Empty | Content::Text(_) => (None, None),
    };

    // Spaces, a last comma or a comment may precede the closing brace.
    let end = last.unwrap_or(place.end);
    let closed = closing.and_then(|closing| text.get(end..)?.find(closing));
    place.start..closed.map_or(end, |closing| end.saturating_add(closing).saturating_add(1))
}

/// A text in double quotes.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The edit that sets an entry of a map: replaces it, or adds it at the end, on a line of its own
/// or inside the braces.
pub(crate) fn with_entry(text: &str, map: &Node, key: &str, value: &str) -> Edit {
    // The key is there: the rest of its line, as its comment, stays.
    if let Some(node) = map.get(key) {
        return Edit::replace(extent(text, node), value);
    }

    // Without entries, the new one is placed where the map itself is.
    let end = map
        .entries()
        .last()
        .map_or(map.place.span().end, |(_, last)| extent(text, last).end);
    Edit::insert(end, format!("{}{key}: {value}", between(text, map)))
}

/// The edit that adds an entry after another one of a map, or at its end without that one.
pub(crate) fn with_entry_after(
    text: &str,
    map: &Node,
    before: &str,
    key: &str,
    value: &str,
) -> Edit {
    let Some(node) = map.get(before) else {
        return with_entry(text, map, key, value);
    };

    // On lines of their own, a comment at the end of the line stays with the entry before.
    let end = extent(text, node).end;
    let between = between(text, map);
    let rest = text.get(end..).unwrap_or_default();
    let line = rest.find('\n').unwrap_or(rest.len());
    let at = if between.starts_with('\n') {
        end.saturating_add(line)
    } else {
        end
    };
    Edit::insert(at, format!("{between}{key}: {value}"))
}

/// The edit that removes an element of a list: its lines, or its part between brackets.
pub(crate) fn without_item(text: &str, list: &Node, index: usize) -> Option<Edit> {
    let items = list.items();
    let place = extent(text, items.get(index)?);
    let line = text
        .get(..place.start)?
        .rfind('\n')
        .map_or(0, |end| end.saturating_add(1));

    // After a dash the element has lines of its own, and a comment at their end goes with them.
    if text.get(line..place.start)?.trim() == "-" {
        let rest = text.get(place.end..)?;
        let end = rest.find('\n').map_or(rest.len(), |end| end + 1);
        return Some(Edit::replace(line..place.end.saturating_add(end), ""));
    }

    // Between brackets one comma goes too: that after it, or for the last one that before it.
    let next = items.get(index.saturating_add(1));
    let last = index.checked_sub(1).and_then(|index| items.get(index));
    Some(match (next, last) {
        (Some(next), _) => Edit::replace(place.start..extent(text, next).start, ""),
        (None, Some(last)) => Edit::replace(extent(text, last).end..place.end, ""),
        (None, None) => Edit::replace(place, ""),
    })
}

/// The edit that adds an entry before all others of a map.
pub(crate) fn with_first_entry(text: &str, map: &Node, key: &str, value: &str) -> Edit {
    let start = map
        .entries()
        .first()
        .map_or(map.place.span().start, |(first, _)| {
            first.place.span().start
        });
    Edit::insert(start, format!("{key}: {value}{}", between(text, map)))
}

/// The separator of the entries of a map: a comma in braces, else a new line with their
/// indentation, without the dash of a list.
fn between(text: &str, map: &Node) -> String {
    // Braces on one line.
    if text
        .get(map.place.span().start..)
        .is_some_and(|rest| rest.starts_with('{'))
    {
        return ", ".to_owned();
    }

    // One entry a line: the new one is indented like the first. The margin counts characters, since
    // a dash of a list (`- key: …`) is as wide as a space.
    let start = map
        .entries()
        .first()
        .map_or(map.place.span().start, |(first, _)| {
            first.place.span().start
        });

    let line = text
        .get(..start)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |end| end.saturating_add(1));
    format!(
        "\n{}",
        " ".repeat(text.get(line..start).unwrap_or_default().chars().count())
    )
}

/// The edit that removes an entry of a map: its lines, or its part between braces.
pub(crate) fn without_entry(text: &str, (key, value): &(PlacedText, Node)) -> Edit {
    let (start, end) = (key.place.span().start, value.place.span().end);

    let (before, after) = (
        text.get(..start).unwrap_or_default(),
        text.get(end..).unwrap_or_default(),
    );

    // The entry has lines of its own: they are removed whole, their comment included.
    let is_first_of_line = before
        .rsplit('\n')
        .next()
        .is_some_and(|margin| margin.trim().is_empty());
    if is_first_of_line {
        let start = before.rfind('\n').map_or(0, |line| line.saturating_add(1));
        let end = after.find('\n').map_or(text.len(), |rest| {
            end.saturating_add(rest).saturating_add(1)
        });
        return Edit::replace(start..end, "");
    }

    // The entry is between braces: one separator must go with it, that before it, or for the first
    // entry that after it.
    let kept = before.trim_end();
    match kept.strip_suffix(',') {
        Some(kept) => Edit::replace(kept.len()..end, ""),
        // The first entry of an element of a list, `- key: …`: the dash stays.
        None if kept.ends_with('-') => {
            // The next line moves up behind the dash.
            let next = after.len().saturating_sub(after.trim_start().len());
            Edit::replace(start..end.saturating_add(next), "")
        }
        None => {
            let comma = after
                .len()
                .saturating_sub(after.trim_start_matches([',', ' ']).len());
            Edit::replace(start..end.saturating_add(comma), "")
        }
    }
}

/// Applies edits, which must not overlap.
pub(crate) fn edited(text: &str, mut edits: Vec<Edit>) -> String {
    let mut text = text.to_owned();
    // From the end, so that the replacement of one range does not move those before it. At the same
    // place an insertion, whose end is earlier, is applied last, and is before the replacement.
    // From the end, so that earlier ranges stay valid.
    edits.sort_by_key(|edit| std::cmp::Reverse((edit.place.start, edit.place.end)));

    for edit in edits {
        text.replace_range(edit.place, &edit.text);
    }
    text
}

#[cfg(test)]
mod tests {
    use bareme_engine::Report;
    use bareme_engine::text::RuleFile;

    use super::*;

    #[test]
    fn a_value_is_known_with_its_braces() {
        let text = "a: {b: \"}\", c: {d: 1 000, e: }}  # note\nf:\n  g: 5%\n  h: [1, {i: 2}]\nj: \
            {}\nk: 3\n";
        let root = Node::read(&RuleFile::new("f.yaml", text), &mut Report::default()).unwrap();
        let written = |key: &str| &text[extent(text, root.get(key).unwrap())];
        assert_eq!(written("a"), "{b: \"}\", c: {d: 1 000, e: }}");
        assert_eq!(written("f"), "g: 5%\n  h: [1, {i: 2}]");
        assert_eq!((written("j"), written("k")), ("{}", "3"));
    }

    #[test]
    fn entries_are_written_in_the_form_of_their_map() {
        let text = "a: {b: 1}\nc:\n  - d: 1\n    e: 2\n";
        let root = Node::read(&RuleFile::new("f.yaml", text), &mut Report::default()).unwrap();
        let (a, row) = (root.get("a").unwrap(), &root.get("c").unwrap().items()[0]);
        let with = |edit: Edit| edited(text, vec![edit]);
        assert!(with(with_entry(text, a, "z", "9")).starts_with("a: {b: 1, z: 9}\n"));
        assert!(with(with_entry(text, a, "b", "9")).starts_with("a: {b: 9}\n"));
        assert!(with(with_first_entry(text, a, "z", "9")).starts_with("a: {z: 9, b: 1}\n"));
        assert!(with(with_entry(text, row, "z", "9")).ends_with("  - d: 1\n    e: 2\n    z: 9\n"));
        assert!(
            with(with_first_entry(text, row, "z", "9")).ends_with("  - z: 9\n    d: 1\n    e: 2\n")
        );
        assert!(with(without_entry(text, &row.entries()[0])).ends_with("  - e: 2\n"));
    }

    #[test]
    fn an_entry_is_written_after_another_one() {
        let text = "a: {b: 1, c: 2}\nd: 1  # note\ne: [1, 2]\n";
        let root = Node::read(&RuleFile::new("f.yaml", text), &mut Report::default()).unwrap();
        let with = |edit: Edit| edited(text, vec![edit]);
        let a = root.get("a").unwrap();
        assert!(
            with(with_entry_after(text, a, "b", "z", "9")).starts_with("a: {b: 1, z: 9, c: 2}\n")
        );
        assert!(with(with_entry_after(text, &root, "d", "z", "9")).contains("# note\nz: 9\ne:"));
        assert!(with(with_entry_after(text, &root, "x", "z", "9")).ends_with("e: [1, 2]\nz: 9\n"));
    }

    #[test]
    fn an_element_goes_with_its_lines_or_its_comma() {
        let text = "a:\n  - {b: 1}  # note\n  - c: 2\n    d: 3\ne: [1, 2, {f: 3}]\n";
        let root = Node::read(&RuleFile::new("f.yaml", text), &mut Report::default()).unwrap();
        let (a, e) = (root.get("a").unwrap(), root.get("e").unwrap());
        let without =
            |list: &Node, index| edited(text, vec![without_item(text, list, index).unwrap()]);
        assert!(without(a, 0).starts_with("a:\n  - c: 2\n    d: 3\ne:"));
        assert!(without(a, 1).starts_with("a:\n  - {b: 1}  # note\ne:"));
        assert!(without(e, 0).ends_with("e: [2, {f: 3}]\n"));
        assert!(without(e, 2).ends_with("e: [1, 2]\n"));
        assert!(without_item(text, e, 3).is_none());
    }

    #[test]
    fn changes_do_not_move_each_other() {
        let edits = vec![
            Edit::replace(0..3, "deux"),
            Edit::insert(4, "et "),
            Edit::replace(4..9, "trois"),
        ];
        assert_eq!(edited("one, three", edits[..1].to_vec()), "deux, three");
        assert_eq!(edited("one three", edits), "deux et trois");
    }
}
