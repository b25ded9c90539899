//! The cells of a chunk of text rows, column by column, as plans take them.

use bareme_engine::run::plan;

use super::layout::{Cell, Layout, Query, Reading, RowError};
use super::rows::Chunk;

/// The range of a cell in the text of its chunk; an empty range is an empty cell.
type Span = std::ops::Range<usize>;

/// The cells of a chunk.
pub(super) struct Cells {
    text: String,
    columns: Vec<Column>,
    kept: Vec<Vec<Span>>,
    count: usize,
    /// Rows that cannot be parsed.
    pub unread: Vec<(usize, RowError)>,
    /// Rows to compute one by one: all of them, or those with a parameter that is not a column of
    /// the plan.
    pub alone: Vec<(usize, Query)>,
}

struct Column {
    name: String,
    cells: Vec<Span>,
}

impl Cells {
    /// Parses the rows of a chunk. `known` are the columns of the plan; without it every row is
    /// computed alone.
    pub(super) fn read(
        chunk: &Chunk,
        layout: &Layout,
        reading: Reading,
        known: Option<&[&str]>,
    ) -> Self {
        let mut read = Self {
            text: String::new(),
            columns: Vec::new(),
            kept: vec![Vec::new(); reading.keep.len()],
            count: chunk.len(),
            unread: Vec::new(),
            alone: Vec::new(),
        };
        for (index, row) in chunk.rows().enumerate() {
            let (mut next, mut is_alone, mut query) = (0, false, Query::new());
            let done = layout.read(row, reading, |cell| match cell {
                Cell::Kept(kept, value) => {
                    let span = read.add(value);
                    if let Some(cells) = read.kept.get_mut(kept) {
                        put(cells, index, span);
                    }
                }
                Cell::Parameter(_, value) if value.is_empty() => {}
                Cell::Parameter(name, value) => {
                    let Some(known) = known else {
                        return query.push((name.to_owned(), value.into_owned()));
                    };
                    let Some(column) = read.column(name, next, known) else {
                        return is_alone = true;
                    };
                    next = column + 1;
                    let span = read.add(&value);
                    let is_put = read
                        .columns
                        .get_mut(column)
                        .is_some_and(|column| put(&mut column.cells, index, span));
                    is_alone |= !is_put;
                }
            });
            match done {
                Err(unread) => read.forget(index, unread),
                Ok(()) if known.is_none() => read.alone.push((index, query)),
                Ok(()) if is_alone => read.alone.push((index, layout.query(row, reading))),
                Ok(()) => {}
            }
        }
        let own = read.columns.iter_mut().map(|column| &mut column.cells);
        own.chain(&mut read.kept)
            .for_each(|cells| cells.resize(read.count, 0..0));
        read
    }

    fn add(&mut self, value: &str) -> Span {
        let start = self.text.len();
        self.text.push_str(value);
        start..self.text.len()
    }

    /// The index of a column by name, mostly `next`.
    fn column(&mut self, name: &str, next: usize, known: &[&str]) -> Option<usize> {
        if self
            .columns
            .get(next)
            .is_some_and(|column| column.name == name)
        {
            return Some(next);
        }
        let found = self.columns.iter().position(|column| column.name == name);
        if found.is_none() && known.contains(&name) {
            self.columns.push(Column {
                name: name.to_owned(),
                cells: Vec::with_capacity(self.count),
            });
            return self.columns.len().checked_sub(1);
        }
        found
    }

    /// Removes the cells of a row.
    fn forget(&mut self, row: usize, unread: RowError) {
        self.columns
            .iter_mut()
            .for_each(|column| column.cells.truncate(row));
        self.kept.iter_mut().for_each(|cells| cells.truncate(row));
        self.unread.push((row, unread));
    }

    /// The cells as a plan takes them, with the name of each column.
    pub(super) fn columns(&self) -> Vec<(&str, plan::Cells<'_>)> {
        let cell = |span: &Span| self.text.get(span.clone()).filter(|text| !text.is_empty());
        let cells = |column: &Column| plan::Cells::Texts(column.cells.iter().map(cell).collect());
        self.columns
            .iter()
            .map(|column| (column.name.as_str(), cells(column)))
            .collect()
    }

    /// The cell of a row in a copied column.
    pub(super) fn kept(&self, column: usize, row: usize) -> &str {
        let span = self
            .kept
            .get(column)
            .and_then(|cells| cells.get(row))
            .cloned();
        span.and_then(|span| self.text.get(span))
            .unwrap_or_default()
    }
}

/// Stores the cell of a row; returns false where the row already has one.
fn put(cells: &mut Vec<Span>, row: usize, span: Span) -> bool {
    if cells.len() > row {
        return false;
    }
    cells.resize(row, 0..0);
    cells.push(span);
    true
}

/// Finds the entry of a row in a list sorted by row.
pub(super) fn of_row<T>(list: &[(usize, T)], row: usize) -> Option<&T> {
    let index = list.binary_search_by_key(&row, |(row, _)| *row).ok()?;
    list.get(index).map(|(_, value)| value)
}
