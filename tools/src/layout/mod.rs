//! The formatter of rule files. Only spaces and empty lines change: content stays as written,
//! including comments, quotes and decimals.
//!
//! - two spaces for each level, none at the end of a line, at most one successive empty line, one
//!   line feed at the end of the file;
//! - inside braces a space after each comma and colon, none next to a brace;
//! - the values of successive entries of a section are aligned to the most frequent column, and the
//!   cells of successive rows to each other;
//! - thousands of amounts have spaces.
//!
//! A value on several lines keeps its lines.

mod align;
mod amounts;
mod flow;
mod outline;

use std::sync::Arc;

use bareme_engine::Report;
use bareme_engine::authoring::{Content, Node};
use bareme_engine::text::{PlacedText, RuleFile};

pub(crate) use amounts::{Amounts, sections};
pub(crate) use flow::quoted_length;
use outline::Outline;

use crate::edit::edited;

/// Why a file is not formatted.
#[derive(Debug)]
pub(crate) enum Unformatted {
    /// It cannot be parsed.
    Unreadable(Report),
    /// Its content would change: a bug of this module.
    WouldChange,
}

/// Formats the text of a file; `amounts` are those of the methods of its folder.
pub(crate) fn laid_out(path: &str, text: &str, amounts: &Amounts) -> Result<String, Unformatted> {
    // Files of Windows are read too, and are written with the line ends of the others.
    let unix = text.replace("\r\n", "\n");
    let root = read(path, &unix)?;

    // Amounts first, since they change the widths of what is aligned after.
    let spaced = edited(&unix, amounts.spaced(&root));
    let out = with_lines(&spaced, &read(path, &spaced)?);

    // The formatter may only move things: the result is read again and compared with the original,
    // so that a bug here loses no figure of a law.
    let is_whole = without_spaces(&out) == without_spaces(text);
    if !is_whole || !is_same(&root, &read(path, &out)?) {
        return Err(Unformatted::WouldChange);
    }

    Ok(out)
}

/// The node of a text, unless an error makes its content uncertain.
fn read(path: &str, text: &str) -> Result<Node, Unformatted> {
    let mut report = Report::default();
    // A file with an error may be read otherwise than its author meant: it stays as it is.
    match Node::read(&RuleFile::new(path, text), &mut report) {
        Some(root) if report.is_ok() => Ok(root),
        _ => Err(Unformatted::Unreadable(report)),
    }
}

fn without_spaces(text: &str) -> String {
    text.split([' ', '\n', '\r']).collect()
}

/// Whether two nodes have the same content; numbers may differ in the spaces between thousands.
fn is_same(one: &Node, other: &Node) -> bool {
    match (&one.content, &other.content) {
        (Content::Empty, Content::Empty) => true,
        (Content::Text(one), Content::Text(other)) => {
            // Only where both are numbers may spaces differ: in other texts they mean something.
            let is_number = || {
                one.value
                    .bytes()
                    .all(|sign| sign.is_ascii_digit() || b" .-".contains(&sign))
            };
            one.value == other.value
                || (is_number() && one.value.replace(' ', "") == other.value.replace(' ', ""))
        }
        (Content::Map(one), Content::Map(other)) => {
            let are_same =
                |((key, one), (twin, other)): (&(PlacedText, Node), &(PlacedText, Node))| {
                    key.value == twin.value && is_same(one, other)
                };
            one.len() == other.len() && one.iter().zip(other).all(are_same)
        }
        (Content::List(one), Content::List(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_same(one, other))
        }
        _ => false,
    }
}

/// A line being formatted: indentation, head (dashes, key), value.
struct Line {
    margin: usize,
    /// Dashes, and the key with its colon.
    head: String,
    /// Distance from the indentation to the value, where it is more than one space after the head.
    column: usize,
    value: String,
    is_fixed: bool,
}

/// Formats every line of a text.
fn with_lines(text: &str, root: &Node) -> String {
    let outline = Outline::new(text, root);

    let written: Vec<&str> = text.split('\n').collect();

    // 1. The indentation, then the parts of each line.
    let margins = margins(&written, &outline);
    let mut lines: Vec<Line> = Vec::with_capacity(written.len());
    for (index, line) in written.iter().enumerate() {
        let margin = margins.get(index).copied().unwrap_or_default();
        let is_fixed = outline.is_text.get(index).copied().unwrap_or_default();
        let begins = outline.margins.get(index).copied().flatten().is_some();
        // Lines of a text over several lines are its content, byte for byte.
        lines.push(if is_fixed {
            fixed(line)
        } else {
            split(line, margin, begins)
        });
    }

    // 2. The columns of tables, then the cells of rows.
    let is_of_table = |line: usize| outline.tables.iter().any(|table| table.contains(&line));
    // Outside of a table, a key is followed by one space.
    lines
        .iter_mut()
        .enumerate()
        .filter(|(line, _)| !is_of_table(*line))
        .for_each(|(_, line)| line.column = 0);

    outline
        .tables
        .iter()
        .for_each(|table| align_table(table, &mut lines));
    outline
        .rows
        .iter()
        .for_each(|rows| align_rows(rows, &mut lines));
    joined(&lines)
}

fn fixed(line: &str) -> Line {
    Line {
        margin: 0,
        head: String::new(),
        column: 0,
        value: line.to_owned(),
        is_fixed: true,
    }
}

/// The indentation of every line.
fn margins(written: &[&str], outline: &Outline) -> Vec<usize> {
    let margin = |line: &str| {
        line.len()
            .saturating_sub(line.trim_start_matches(' ').len())
    };

    let own: Vec<usize> = written.iter().map(|line| margin(line)).collect();
    let known = |index: usize| outline.margins.get(index).copied().flatten();
    let at = |index: usize| own.get(index).copied().unwrap_or_default();

    let beginnings: Vec<usize> = (0..written.len())
        .filter(|index| known(*index).is_some())
        .collect();

    let moved = (0..written.len()).map(|index| {
        // A line that begins something has the indentation of its level.
        if let Some(margin) = known(index) {
            return margin;
        }
        // A line that continues a value moves with the line that began it, so that the author's own
        // indentation inside the value is kept.
        if let Some(first) = outline.goes_on.get(index).copied().flatten() {
            return (at(index).saturating_add(known(first).unwrap_or(at(first))))
                .saturating_sub(at(first));
        }

        // A comment is indented like the nearest line of the same original indentation.
        let next = beginnings.partition_point(|begin| *begin < index);
        let after = beginnings.get(next);
        let before = next.checked_sub(1).and_then(|place| beginnings.get(place));

        let beside = [after, before]
            .into_iter()
            .flatten()
            .find(|begin| at(**begin) == at(index));
        beside
            .and_then(|begin| known(*begin))
            .unwrap_or_else(|| at(index))
    });
    moved.collect()
}

/// Splits a line into its parts; a line that does not begin an entry or an element only has a
/// value.
fn split(line: &str, margin: usize, begins: bool) -> Line {
    let body = line.trim_matches(' ').trim_end();
    if !begins {
        return Line {
            margin,
            head: String::new(),
            column: 0,
            value: body.to_owned(),
            is_fixed: false,
        };
    }

    // The dashes of a list belong to the head: `- - a` is a list in a list.
    let mut head = String::new();
    let mut rest = body;
    while let Some(after) = rest.strip_prefix("- ") {
        head.push_str("- ");
        rest = after.trim_start_matches(' ');
    }

    let mut column = head.chars().count();
    if let Some((key, value)) = rest.split_once(": ").filter(|(key, _)| is_key(key)) {
        let blanks = value
            .len()
            .saturating_sub(value.trim_start_matches(' ').len());
        head.push_str(&format!("{key}:"));
        // The column as the author wrote it, by which `align::column` finds the usual one.
        column = head
            .chars()
            .count()
            .saturating_add(1)
            .saturating_add(blanks);
        rest = value.trim_start_matches(' ');
    }

    let value = if rest.starts_with(['{', '[']) {
        flow::tidied(rest)
    } else {
        None
    };

    Line {
        margin,
        head,
        column,
        value: value.unwrap_or_else(|| rest.to_owned()),
        is_fixed: false,
    }
}

/// Whether the text before the first colon and space of a line is a key, not a quoted text or a map
/// that contains one.
fn is_key(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(['{', '[', '"', '\'', '#']) && !text.contains(" #")
}

/// Aligns the values of successive entries of a table; a comment between them does not separate
/// them.
fn align_table(table: &[usize], lines: &mut [Line]) {
    // A comment between two entries belongs to the table; anything else, as a nested value, begins
    // a new run with a column of its own.
    let goes_on = |from: usize, to: usize, lines: &[Line]| {
        let between = lines.get(from.saturating_add(1)..to).unwrap_or_default();
        between
            .iter()
            .all(|line| line.value.starts_with('#') && line.head.is_empty() && !line.is_fixed)
    };
    let runs: Vec<&[usize]> = table
        .chunk_by(|from, to| goes_on(*from, *to, lines))
        .collect();

    for run in runs {
        let entry = |line: &usize| {
            lines
                .get(*line)
                .map(|line| (line.head.chars().count(), line.column))
        };
        let entries: Vec<(usize, usize)> = run.iter().filter_map(entry).collect();

        let column = align::column(&entries);
        for line in run {
            if let Some(line) = lines.get_mut(*line) {
                line.column = line.head.chars().count().saturating_add(1).max(column);
            }
        }
    }
}

fn align_rows(rows: &[usize], lines: &mut [Line]) {
    let written: Vec<String> = rows
        .iter()
        .filter_map(|line| lines.get(*line))
        .map(|line| line.value.clone())
        .collect();
    for (line, value) in rows.iter().zip(align::rows(&written)) {
        if let Some(line) = lines.get_mut(*line) {
            line.value = value;
        }
    }
}

/// Joins lines: at most one successive empty line, none at either end.
fn joined(lines: &[Line]) -> String {
    let mut out = String::new();
    // True before the first line, so that empty lines at the start are dropped.
    let mut is_after_empty = true;

    for line in lines {
        // An empty line of a text over several lines is part of it.
        let is_empty = !line.is_fixed && line.head.is_empty() && line.value.is_empty();
        if is_empty && is_after_empty {
            continue;
        }

        is_after_empty = is_empty;
        if !is_empty {
            line.write(&mut out);
        }
        out.push('\n');
    }

    // Empty lines at the end are dropped, and the last line is ended as text files are.
    out.truncate(out.trim_end_matches('\n').len());
    out.push('\n');
    out
}

impl Line {
    fn write(&self, out: &mut String) {
        if self.is_fixed {
            out.push_str(&self.value);
            return;
        }
        out.push_str(&" ".repeat(self.margin));
        out.push_str(&self.head);

        let written = self.head.chars().count();
        // A head that ends with a space is a dash, which is followed by its value at once.
        if !self.value.is_empty() && written > 0 && !self.head.ends_with(' ') {
            out.push_str(&" ".repeat(self.column.saturating_sub(written).max(1)));
        }
        out.push_str(&self.value);
    }
}

/// The amounts that the methods of a folder declare.
pub(crate) fn amounts_of<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Amounts {
    let is_method = |path: &str| {
        path.rsplit('/')
            .next()
            .is_some_and(|name| name.starts_with("method"))
    };

    let read = |(path, text): (&str, &str)| {
        // Errors are not reported here: the file itself is formatted as well, and reports them.
        let file: Arc<RuleFile> = RuleFile::new(path, text);
        Node::read(&file, &mut Report::default())
    };

    let methods: Vec<Node> = files
        .into_iter()
        .filter(|(path, _)| is_method(path))
        .filter_map(read)
        .collect();
    Amounts::of_methods(&methods)
}
