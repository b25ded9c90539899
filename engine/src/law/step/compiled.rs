//! A step compiled for a dated file: its kind and its modifiers, in their order.

use crate::law::column::{Active, Block, Booleans, Column};
use crate::law::formula::{EvalError, State, has_no_items};
use crate::law::range::{Ranges, Span};
use crate::law::{SlotId, StepId, Value};

use super::{Compiled, CompiledModifiers};

/// A step compiled for a dated file.
#[derive(Debug)]
pub(crate) struct CompiledStep {
    /// Its index among the steps of the method.
    pub step: StepId,
    /// The first of its slots.
    pub slot: SlotId,
    /// Number of its slots.
    pub slots: usize,
    pub kind: Box<dyn Compiled>,
    /// The values of its slots where it does not apply.
    pub skipped: Vec<Value>,
    /// The output that the bare name gives.
    pub main: Option<usize>,
    pub modifiers: CompiledModifiers,
    /// For a step that is computed for each item of a group: a slot whose list has a value for each.
    pub each: Option<SlotId>,
}

impl CompiledStep {
    /// Computes the step, for each item of its group where it has one.
    pub(crate) fn run(&self, state: &mut State) -> Result<(), EvalError> {
        match self.each {
            Some(size) => self.run_each(state, size),
            None => self.run_once(state),
        }
    }

    /// Computes the step for each item of a group: its slots get the lists of the values.
    fn run_each(&self, state: &mut State, size: SlotId) -> Result<(), EvalError> {
        let count = state.items(size)?.len();
        let mut lists: Vec<Vec<Value>> = vec![Vec::with_capacity(count); self.slots];

        for item in 0..count {
            state.item.set(item);
            self.run_once(state)?;
            for (index, list) in lists.iter_mut().enumerate() {
                list.push(state.get(self.slot.after(index))?.clone());
            }
        }

        // Only now: until its last item has run, the slots of the step hold the values of one item.
        for (index, list) in lists.into_iter().enumerate() {
            state.set(self.slot.after(index), Value::List(list.into()))?;
        }
        Ok(())
    }

    /// The state that the step had when an item was computed.
    pub(crate) fn state_of_item(&self, state: &State, item: usize) -> Result<State, EvalError> {
        let mut of_item = state.clone();
        of_item.item.set(item);
        for index in 0..self.slots {
            let slot = self.slot.after(index);
            let value = of_item.of_item(slot)?.clone();
            of_item.set(slot, value)?;
        }
        Ok(of_item)
    }

    /// Computes the step once and limits and rounds its value.
    fn run_once(&self, state: &mut State) -> Result<(), EvalError> {
        if !self.modifiers.applies(state)? {
            return self.skip(state);
        }

        self.kind.run(state, self.slot)?;

        // Modifiers change the value of the kind, in the order of their table.
        match self.main {
            Some(main) => self.modifiers.finish(state, self.slot.after(main)),
            None => Ok(()),
        }
    }

    /// Fills the slots where the step does not apply.
    fn skip(&self, state: &mut State) -> Result<(), EvalError> {
        for (index, value) in self.skipped.iter().enumerate() {
            state.set(self.slot.after(index), value.clone())?;
        }
        Ok(())
    }
}

impl CompiledStep {
    /// Computes what is known of the step while an input takes every value of an interval, as
    /// [`run`](Self::run) does for one.
    pub(crate) fn run_ranges(&self, ranges: &mut Ranges) {
        let slots = || (0..self.slots).map(|index| self.slot.after(index));
        slots().for_each(|slot| ranges.set(slot, Span::Any));
        // Items are computed in a single calculation.
        if self.each.is_some() {
            return;
        }

        // A step that applies in a part of the interval has either of both values.
        let applies = self.modifiers.applies_over(ranges);
        if applies != Some(false) {
            self.kind.run_ranges(ranges, self.slot);
            if let Some(main) = self.main {
                self.modifiers.finish_ranges(ranges, self.slot.after(main));
            }
        }
        if applies != Some(true) {
            for (slot, value) in slots().zip(&self.skipped) {
                let skipped = Span::of(value);
                let span = match applies {
                    None => ranges.get(slot).or(skipped),
                    Some(_) => skipped,
                };
                ranges.set(slot, span);
            }
        }
    }
}

impl CompiledStep {
    /// Computes the step in every row of a block, as [`run`](Self::run) does in one.
    pub(crate) fn run_columns(&self, block: &mut Block) {
        if let Some(size) = self.each {
            return self.run_without_items(block, size);
        }

        // A step that applies in some rows only is computed there, and skipped in the others.
        let computed = match self.modifiers.applies_in(block) {
            Booleans::One(true) => self.computed(block, &Active::ALL),
            Booleans::One(false) => self.skipped_columns(),
            Booleans::Each(applies) => {
                let active = Active::ALL.where_true(&Booleans::Each(applies.clone()));
                let (computed, skipped) = (self.computed(block, &active), self.skipped_columns());

                let pairs = computed.iter().zip(&skipped);
                pairs
                    .map(|(computed, skipped)| Column::select(&applies, computed, skipped))
                    .collect()
            }
        };

        for (index, column) in computed.into_iter().enumerate() {
            block.set(self.slot.after(index), column);
        }
    }

    /// Computes a step with items in rows that have none: any other row is computed alone.
    fn run_without_items(&self, block: &mut Block, size: SlotId) {
        if !has_no_items(block, size) {
            block.fail_all::<()>(&Active::ALL);
        }
        for index in 0..self.slots {
            block.set(self.slot.after(index), Column::One(Value::List([].into())));
        }
    }

    fn computed(&self, block: &Block, active: &Active) -> Vec<Column> {
        let mut columns = self.kind.run_columns(block, self.slot, self.slots, active);
        // Modifiers apply to the value that the bare name reads; other outputs stay as they are.
        if let Some(value) = self.main.and_then(|main| columns.get_mut(main)) {
            *value = self.modifiers.finished(value, block, active);
        }
        columns
    }

    /// The columns of the slots where the step does not apply: the same in every row.
    fn skipped_columns(&self) -> Vec<Column> {
        self.skipped.iter().cloned().map(Column::One).collect()
    }
}

/// Computes a step row by row, each as a calculation of its own; a row in which that fails is
/// marked.
pub(super) fn row_by_row(
    block: &Block,
    slot: SlotId,
    count: usize,
    active: &Active,
    run: impl Fn(&mut State) -> Result<(), EvalError>,
) -> Vec<Column> {
    let mut values: Vec<Vec<Value>> = vec![Vec::with_capacity(block.rows()); count];

    for row in 0..block.rows() {
        let mut state = block.state(row);
        // A row of which another folder warns is calculated alone, with its warnings.
        let warns = |state: &State| state.calls.iter().any(|made| !made.warnings.is_empty());
        if active.at(row) && (run(&mut state).is_err() || warns(&state)) {
            block.fail(row, active);
        }
        // The slots of a row that fails are taken as they are: the row is marked, and its values
        // are not read.
        for (index, values) in values.iter_mut().enumerate() {
            values.push(state.get(slot.after(index)).cloned().unwrap_or_default());
        }
    }

    values
        .iter()
        .map(|values| Column::of_values(values))
        .collect()
}
