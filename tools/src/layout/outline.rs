//! The structure of a rule file by line: which lines begin an entry or a row, or continue a text.

use std::ops::Range;

use bareme_engine::authoring::{Content, Node};

use crate::edit::extent;

/// The maps whose entries are the lines of a table: those of a section, in the file or in an option
/// of a method, and the words of a choice.
const TABLES: &[&str] = &[
    "groups",
    "inputs",
    "figures",
    "steps",
    "answer",
    "sources",
    "endpoints",
    "plans",
    "values",
];
/// The lists whose elements are the rows of a table.
const ROWS: &[&str] = &["rows"];

/// Roles of the lines of a file, by number from 0.
#[derive(Debug, Default)]
pub(super) struct Outline<'t> {
    text: &'t str,
    /// Where each line starts.
    starts: Vec<usize>,
    /// The indentation of a line that begins an entry or an element.
    pub margins: Vec<Option<usize>>,
    /// The line that began the value which a line continues.
    pub goes_on: Vec<Option<usize>>,
    /// Whether a line continues a text: it must not be moved.
    pub is_text: Vec<bool>,
    /// The lines of entries in tables, each on one line.
    pub tables: Vec<Vec<usize>>,
    /// The lines of rows, each on one line.
    pub rows: Vec<Vec<usize>>,
}

/// Spaces of indentation for each level.
const INDENT: usize = 2;

impl<'t> Outline<'t> {
    pub(super) fn new(text: &'t str, root: &Node) -> Self {
        let starts: Vec<usize> = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();

        let count = starts.len();
        let (margins, goes_on, is_text) =
            (vec![None; count], vec![None; count], vec![false; count]);
        let mut outline = Self {
            text,
            starts,
            margins,
            goes_on,
            is_text,
            ..Self::default()
        };

        outline.node(root, 0, "");
        outline
    }

    fn line(&self, offset: usize) -> usize {
        // The line is the last that starts at or before the offset.
        self.starts
            .partition_point(|start| *start <= offset)
            .saturating_sub(1)
    }

    fn is_flow(&self, node: &Node) -> bool {
        self.text
            .get(node.place.span().start..)
            .is_some_and(|rest| rest.starts_with(['{', '[']))
    }

    /// Visits a node with its indentation; `key` is the key of which it is the value.
    fn node(&mut self, node: &Node, margin: usize, key: &str) {
        match &node.content {
            Content::Empty => {}
            // A text over several lines is its own layout.
            Content::Text(text) => self.spread(&text.place.span(), true),
            Content::Map(_) | Content::List(_) if self.is_flow(node) => {
                // Braces over several lines: their lines are moved together, but texts inside them
                // are not.
                self.spread(&extent(self.text, node), false);
                self.texts_of(node);
            }
            Content::Map(entries) => {
                let mut lines = Vec::new();
                for (name, value) in entries {
                    let line = self.begin(name.place.span().start, margin);
                    // An entry over several lines has no place in the table: its value is below, or
                    // is moved with its line.
                    if self.is_on_line(value, line) && line.is_some() {
                        lines.extend(line);
                    }

                    let inside = if matches!(value.content, Content::Text(_)) {
                        // `values: text` in a list of fields is no table of words.
                        ""
                    } else {
                        name.value.as_str()
                    };
                    self.node(value, margin.saturating_add(INDENT), inside);
                }

                if TABLES.contains(&key) {
                    self.tables.push(lines);
                }
            }
            Content::List(items) => {
                let mut lines = Vec::new();
                for item in items {
                    // An element in block style begins with its first key, since its own place is
                    // after the dash.
                    let start = item.entries().first().filter(|_| !self.is_flow(item));
                    let start =
                        start.map_or(item.place.span().start, |(key, _)| key.place.span().start);

                    let line = self.begin(start, margin);
                    if self.is_flow(item) && self.is_on_line(item, line) {
                        lines.extend(line);
                    }
                    self.node(item, margin.saturating_add(INDENT), "");
                }

                if ROWS.contains(&key) {
                    self.rows.push(lines);
                }
            }
        }
    }

    /// Sets the indentation of the line at an offset, if only dashes precede it; returns the line.
    fn begin(&mut self, offset: usize, margin: usize) -> Option<usize> {
        let line = self.line(offset);
        let start = self.starts.get(line).copied()?;

        let before = self.text.get(start..offset)?;
        // Something before it on the line, as a brace or a key: the line has its indentation from
        // that.
        if !before.chars().all(|sign| sign == ' ' || sign == '-') {
            return None;
        }

        let slot = self.margins.get_mut(line)?;
        // In `- - a` and `- key: a`, the outer level began the line.
        if slot.is_none() {
            *slot = Some(margin);
        }
        Some(line)
    }

    /// Whether a value is completely on one line.
    // A value below its key has several lines at least.
    fn is_on_line(&self, value: &Node, line: Option<usize>) -> bool {
        let span = match &value.content {
            Content::Text(text) => text.place.span(),
            Content::Empty => return false,
            _ if self.is_flow(value) => extent(self.text, value),
            _ => return false,
        };

        line == Some(self.line(span.start))
            && line == Some(self.line(span.end.saturating_sub(1).max(span.start)))
    }

    /// Marks the lines that continue a value.
    fn spread(&mut self, span: &Range<usize>, is_text: bool) {
        let first = self.line(span.start);
        // The end is exclusive, and may be the start of the next line.
        let last = self.line(span.end.saturating_sub(1).max(span.start));

        for line in first.saturating_add(1)..=last {
            if let Some(slot) = self.goes_on.get_mut(line) {
                *slot = Some(first);
            }
            if let Some(slot) = self.is_text.get_mut(line) {
                *slot |= is_text;
            }
        }
    }

    /// Marks the lines of texts inside braces.
    fn texts_of(&mut self, node: &Node) {
        match &node.content {
            Content::Text(text) => self.spread(&text.place.span(), true),
            Content::Map(entries) => entries.iter().for_each(|(_, value)| self.texts_of(value)),
            Content::List(items) => items.iter().for_each(|item| self.texts_of(item)),
            Content::Empty => {}
        }
    }
}
