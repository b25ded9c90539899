//! The cells of a chunk of text rows, column by column, as plans take them: one text for a chunk,
//! and ranges in it, so that a cell needs no memory of its own.

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
        // `next` is the column that comes after the one before: rows mostly have their cells in the
        // order of the columns, which saves looking each up by name.
        for (index, row) in chunk.rows().enumerate() {
            let (mut next, mut is_alone, mut query) = (0, false, Query::new());

            let done = layout.read(row, reading, |cell| match cell {
                Cell::Kept(kept, value) => {
                    let span = read.add(value);
                    if let Some(cells) = read.kept.get_mut(kept) {
                        put(cells, index, span);
                    }
                }
                // An empty cell is not sent: the range of a row without one is empty, by `put` or
                // at the end.
                Cell::Parameter(_, value) if value.is_empty() => {}
                Cell::Parameter(name, value) => {
                    // Every row is computed alone: its parameters are enough.
                    let Some(known) = known else {
                        return query.push((name.to_owned(), value.into_owned()));
                    };
                    // A parameter that the plan has no column for, such as `detail`.
                    let Some(column) = read.column(name, next, known) else {
                        return is_alone = true;
                    };

                    next = column + 1;
                    let span = read.add(&value);
                    let is_put = read
                        .columns
                        .get_mut(column)
                        .is_some_and(|column| put(&mut column.cells, index, span));
                    // A parameter that is there twice: the calculation of the row alone refuses it.
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

        // Columns end with the last row that has a value in them: the rows after it are empty.
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
        // A column is made when it first has a value, so that the plan gets no columns of empty
        // cells.
        if found.is_none() && known.contains(&name) {
            self.columns.push(Column {
                name: name.to_owned(),
                cells: Vec::with_capacity(self.count),
            });
            return self.columns.len().checked_sub(1);
        }
        found
    }

    /// Removes the cells of a row, some of which may have been stored before its error was found.
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
    // Rows without a value for this column come before.
    cells.resize(row, 0..0);
    cells.push(span);
    true
}

/// Finds the entry of a row in a list sorted by row.
pub(super) fn of_row<T>(list: &[(usize, T)], row: usize) -> Option<&T> {
    // Lists are filled row by row, so they are sorted.
    let index = list.binary_search_by_key(&row, |(row, _)| *row).ok()?;
    list.get(index).map(|(_, value)| value)
}
