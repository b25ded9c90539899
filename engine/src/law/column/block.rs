//! A block of rows that are calculated together, column by column.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use rust_decimal::Decimal;

use crate::law::formula::{EvalError, State, When};
use crate::law::{FigureId, InputId, SlotId, Value, Warning};

use super::Column;
use super::active::{Active, Booleans};
use super::numbers::Numbers;

/// Whether an input was sent, by row.
pub(crate) type Sent = Booleans;

/// Rows that are computed together.
#[derive(Debug)]
pub(crate) struct Block {
    rows: usize,
    /// The inputs, then the outputs of the steps.
    slots: Vec<Column>,
    sent: Vec<Sent>,
    pub when: When,
    /// Whether a row has failed, and is to be computed again alone.
    failed: RefCell<Vec<bool>>,
    has_failed: Cell<bool>,
    /// The rows of figures that were found and have remarks of their own.
    remarked: RefCell<Vec<Remarked>>,
    /// The warnings of the other folders that its steps calculate, each with its rows.
    call_warnings: RefCell<Vec<(Booleans, Warning)>>,
}

/// The row of a figure that each row of a block found, where that has a remark of its own.
#[derive(Debug)]
struct Remarked {
    figure: FigureId,
    found: Vec<Option<usize>>,
}

impl Block {
    /// A block of rows from the columns of their inputs, with room for `slots` columns.
    pub(crate) fn new(rows: usize, inputs: Vec<(Column, Sent)>, slots: usize, when: When) -> Self {
        let (mut columns, sent): (Vec<_>, Vec<_>) = inputs.into_iter().unzip();
        // The outputs of the steps have their places from the start: each step fills its own.
        columns.resize(slots.max(columns.len()), Column::default());

        let failed = RefCell::new(vec![false; rows]);
        let has_failed = Cell::new(false);
        Self {
            rows,
            slots: columns,
            sent,
            when,
            failed,
            has_failed,
            remarked: RefCell::default(),
            call_warnings: RefCell::default(),
        }
    }

    /// Adds a warning of another folder to some rows.
    pub(crate) fn warn(&self, rows: Booleans, warning: Warning) {
        self.call_warnings.borrow_mut().push((rows, warning));
    }

    /// The warnings of other folders, each with its rows.
    pub(crate) fn call_warnings(&self) -> Vec<(Booleans, Warning)> {
        self.call_warnings.borrow().clone()
    }

    /// Keeps the row of a figure that each active row finds, if `remarked` says that it has a
    /// remark of its own.
    pub(crate) fn keep_remarked(
        &self,
        figure: FigureId,
        remarked: &[bool],
        active: &Active,
        find: impl Fn(usize) -> Option<usize>,
    ) {
        let has_one = |found: &usize| remarked.get(*found).copied().unwrap_or_default();
        let found = |row: usize| {
            if active.at(row) {
                find(row).filter(has_one)
            } else {
                None
            }
        };

        let found: Vec<Option<usize>> = (0..self.rows).map(found).collect();
        // Steps that find no remark leave nothing behind: few rows of few figures have one.
        if found.iter().any(Option::is_some) {
            self.remarked.borrow_mut().push(Remarked { figure, found });
        }
    }

    /// Whether a row found one with a remark of its own.
    pub(crate) fn has_remarked(&self) -> bool {
        !self.remarked.borrow().is_empty()
    }

    /// The rows of figures that a row found and that have remarks of their own, in the order of the
    /// steps.
    pub(crate) fn remarked(&self, row: usize) -> Vec<(FigureId, usize)> {
        let of_row = |of: &Remarked| Some((of.figure, (*of.found.get(row)?)?));
        self.remarked.borrow().iter().filter_map(of_row).collect()
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The column of a slot.
    pub(crate) fn get(&self, slot: SlotId) -> Option<&Column> {
        slot.of(&self.slots)
    }

    pub(crate) fn set(&mut self, slot: SlotId, column: Column) {
        if let Some(place) = self.slots.get_mut(slot.position()) {
            *place = column;
        }
    }

    /// Whether an input was sent, by row.
    pub(crate) fn sent(&self, input: InputId) -> Option<&Sent> {
        input.of(&self.sent)
    }

    /// Marks a row as failed, if it is active.
    pub(crate) fn fail(&self, row: usize, active: &Active) {
        if active.at(row)
            && let Some(failed) = self.failed.borrow_mut().get_mut(row)
        {
            *failed = true;
            self.has_failed.set(true);
        }
    }

    /// Marks every active row as failed, and gives a default in place of the value.
    pub(crate) fn fail_all<T: Default>(&self, active: &Active) -> T {
        (0..self.rows).for_each(|row| self.fail(row, active));
        T::default()
    }

    /// Whether a row is to be computed again alone.
    pub(crate) fn failed(&self, row: usize) -> bool {
        // The flag spares reading the list of each row: nearly no block has a failed row.
        self.has_failed.get() && self.failed.borrow().get(row).copied().unwrap_or_default()
    }

    /// Computes numbers row by row; marks the rows in which this fails.
    pub(crate) fn each_row<const COUNT: usize>(
        &self,
        active: &Active,
        operands: &[&Numbers; COUNT],
        compute: impl Fn(&[Decimal; COUNT]) -> Result<Decimal, EvalError>,
    ) -> Numbers {
        self.each_row_index(active, |row| {
            compute(&operands.map(|operand| operand.at(row).unwrap_or_default()))
        })
    }

    /// Computes numbers by row index; marks the rows in which this fails.
    pub(crate) fn each_row_index(
        &self,
        active: &Active,
        compute: impl Fn(usize) -> Result<Decimal, EvalError>,
    ) -> Numbers {
        let value = |row: usize| {
            // An error counts only in a row that needs the value.
            if !active.at(row) {
                return Decimal::ZERO;
            }
            compute(row).unwrap_or_else(|_| {
                self.fail(row, active);
                Decimal::ZERO
            })
        };

        let values: Vec<Decimal> = (0..self.rows).map(value).collect();
        Numbers::of_decimals(values)
    }

    /// The state of one row, as a single calculation has it.
    pub(crate) fn state(&self, row: usize) -> State {
        State {
            slots: self.slots.iter().map(|column| column.at(row)).collect(),
            sent: self.sent.iter().map(|sent| sent.at(row)).collect(),
            when: self.when,
            // A row is a month of its own: a block has no year of pays.
            year: None,
            ..State::default()
        }
    }

    /// The numbers of a column; marks the rows without one.
    pub(crate) fn numbers(&self, column: &Column, active: &Active) -> Numbers {
        match column {
            Column::One(value) => match value.number() {
                Some(number) => Numbers::One(number),
                None => Numbers::One(self.fail_all(active)),
            },
            Column::Numbers(numbers) => numbers.clone(),
            Column::Sparse(numbers, there) => {
                // The mask may cover more rows than are needed: only the active ones fail.
                self.fail_where(there.iter().map(|there| !there), active);
                numbers.clone()
            }
            Column::Listed(..) => self.each_row_index(active, |row| {
                column.at(row).number().ok_or(EvalError::Internal)
            }),
            _ => Numbers::One(self.fail_all(active)),
        }
    }

    /// The booleans of a column; marks the rows without one.
    pub(crate) fn booleans(&self, column: &Column, active: &Active) -> Booleans {
        match column {
            Column::One(Value::Boolean(value)) => Booleans::One(*value),
            Column::Booleans(values) => Booleans::Each(Arc::clone(values)),
            // A listed column may hold a boolean in some rows only: the others fail, if they are
            // needed.
            Column::Listed(..) => {
                let values: Vec<Value> = (0..self.rows).map(|row| column.at(row)).collect();
                self.fail_where(
                    values
                        .iter()
                        .map(|value| !matches!(value, Value::Boolean(_))),
                    active,
                );

                Booleans::each(
                    values
                        .iter()
                        .map(|value| *value == Value::Boolean(true))
                        .collect(),
                )
            }
            _ => Booleans::One(self.fail_all(active)),
        }
    }

    fn fail_where(&self, failed: impl Iterator<Item = bool>, active: &Active) {
        for (row, _) in failed.enumerate().filter(|(_, failed)| *failed) {
            self.fail(row, active);
        }
    }
}
