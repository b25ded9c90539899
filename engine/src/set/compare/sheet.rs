//! Dated files prepared for comparison: the lines of each figure, paired with those of another file
//! that have the same keys.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::law::figure::rows_of;
use crate::law::{Method, Shape, Type};
use crate::set::cell::{Cell, cells_of};
use crate::text::{Node, PlacedText, RuleFile};

/// A dated file without errors, to compare with others of its folder.
pub(crate) struct Sheet<'n> {
    pub(super) date: Date,
    pub(super) node: &'n Node,
    pub(super) is_draft: bool,
    pub(super) file: Arc<RuleFile>,
    pub(super) figures: Vec<Table<'n>>,
}

/// A figure of a dated file.
pub(super) struct Table<'n> {
    pub(super) name: &'n PlacedText,
    pub(super) node: &'n Node,
    pub(super) lines: Vec<Line>,
}

/// A cell with its number.
pub(super) struct Entry {
    pub(super) cell: Cell,
    pub(super) value: Decimal,
}

/// A record, or a row.
pub(super) struct Line {
    /// The values that the row lists for each key, in any order: `a; b` and `b; a` are one row.
    pub(super) keys: Vec<BTreeSet<String>>,
    pub(super) cells: Vec<Entry>,
}

impl<'n> Sheet<'n> {
    pub(crate) fn new(
        date: Date,
        file: &Arc<RuleFile>,
        node: &'n Node,
        method: &Method,
        is_draft: bool,
    ) -> Self {
        let written = node.entries_of("figures");

        // Figures that the method does not declare were reported: there is nothing to compare.
        let table = |(name, node): &'n (PlacedText, Node)| {
            let shape = method
                .figures()
                .iter()
                .find(|shape| shape.name == name.value)?;
            Some(Table {
                name,
                node,
                lines: lines(shape, node),
            })
        };

        Self {
            date,
            node,
            is_draft,
            file: Arc::clone(file),
            figures: written.iter().filter_map(table).collect(),
        }
    }

    pub(super) fn figure(&self, name: &str) -> Option<&Table<'n>> {
        self.figures.iter().find(|table| table.name.value == name)
    }

    /// The text of a key of the file.
    pub(super) fn text(&self, key: &str) -> Option<&'n PlacedText> {
        self.node.text_of(key)
    }
}

/// The record of a figure as a single line, or its rows.
fn lines(shape: &Shape, node: &Node) -> Vec<Line> {
    let line = |node: &Node, row: Option<usize>| {
        let listed = |name: &str| {
            let listed = node.list_of(name);
            listed.into_iter().map(|text| text.value).collect()
        };
        Line {
            keys: shape.keys.iter().map(|key| listed(&key.name)).collect(),
            // A text that is no value was reported by the reader: nothing can be compared with it.
            cells: cells_of(shape, node, row)
                .filter_map(|cell| {
                    let value = cell.value()?;
                    Some(Entry { cell, value })
                })
                .collect(),
        }
    };

    if !shape.has_rows() {
        return vec![line(node, None)];
    }

    let rows = rows_of(node);
    (1..)
        .zip(rows)
        .map(|(row, node)| line(node, Some(row)))
        .collect()
}

impl Line {
    /// The value of its bound.
    pub(super) fn bound(&self) -> Option<Decimal> {
        self.cells
            .iter()
            .find(|entry| entry.cell.is_bound)
            .map(|entry| entry.value)
    }

    /// The cell of a column; a bound under any of its words.
    pub(super) fn cell(&self, like: &Cell) -> Option<&Entry> {
        // Another word of the bound (`up_to`, `below`) is still the bound of the line; a column of
        // another type is another column.
        let is_like = |entry: &&Entry| {
            let cell = &entry.cell;
            if like.is_bound {
                cell.is_bound
            } else {
                cell.column == like.column && cell.ty == like.ty
            }
        };

        self.cells.iter().find(is_like)
    }
}

impl Table<'_> {
    /// The lines grouped by their keys, in the order of the file.
    pub(super) fn groups(&self) -> Vec<Vec<&Line>> {
        let mut groups: Vec<Vec<&Line>> = Vec::new();

        for line in &self.lines {
            match groups
                .iter_mut()
                .find(|group| group.first().is_some_and(|first| first.keys == line.keys))
            {
                Some(group) => group.push(line),
                None => groups.push(vec![line]),
            }
        }

        groups
    }

    /// The lines with the same keys.
    pub(super) fn group(&self, keys: &[BTreeSet<String>]) -> Vec<&Line> {
        self.lines.iter().filter(|line| line.keys == keys).collect()
    }

    /// Whether some line lists each value that a line of another file lists.
    pub(super) fn answers(&self, keys: &[BTreeSet<String>]) -> bool {
        let listed = |position: usize, value: &String| {
            self.lines.iter().any(|line| {
                line.keys
                    .get(position)
                    .is_some_and(|own| own.contains(value))
            })
        };
        keys.iter()
            .enumerate()
            .all(|(position, values)| values.iter().all(|value| listed(position, value)))
    }
}

/// A cell of a file, and the same cell of the earlier file.
#[derive(Clone, Copy)]
pub(super) struct Pair<'s> {
    pub(super) old: &'s Entry,
    pub(super) new: &'s Entry,
}

impl Pair<'_> {
    pub(super) fn is_changed(&self) -> bool {
        self.old.value != self.new.value
    }

    pub(super) fn ty(&self) -> Type {
        self.new.cell.ty
    }
}

/// Pairs the cells of a figure in two files: lines with the same keys, in order where both files
/// have as many of them, else by their bounds.
pub(super) fn pairs<'s>(old: &'s Table, new: &'s Table) -> Vec<Pair<'s>> {
    let mut found = Vec::new();

    for group in new.groups() {
        let Some(first) = group.first() else { continue };
        let before = old.group(&first.keys);

        // With as many brackets as before, bounds may all have been revalued; with more or fewer,
        // only an equal bound shows which bracket is which.
        let is_as_long = before.len() == group.len();
        for (position, line) in group.iter().enumerate() {
            let same_bound = || before.iter().find(|old| old.bound() == line.bound());
            let Some(old) = (if is_as_long {
                before.get(position)
            } else {
                same_bound()
            }) else {
                continue;
            };

            let pair = |new: &'s Entry| {
                Some(Pair {
                    old: old.cell(&new.cell)?,
                    new,
                })
            };
            found.extend(line.cells.iter().filter_map(pair));
        }
    }

    found
}

/// A figure in two files, with the pairs of their cells.
pub(super) struct Compared<'s> {
    pub(super) old: &'s Table<'s>,
    pub(super) new: &'s Table<'s>,
    pub(super) pairs: Vec<Pair<'s>>,
}

/// The figures that both files have.
pub(super) fn all_pairs<'s>(old: &'s Sheet, new: &'s Sheet) -> Vec<Compared<'s>> {
    let compared = |new: &'s Table<'s>| {
        let old = old.figure(&new.name.value)?;
        let pairs = pairs(old, new);
        Some(Compared { old, new, pairs })
    };
    new.figures.iter().filter_map(compared).collect()
}
