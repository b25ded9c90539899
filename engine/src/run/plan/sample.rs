//! A field for many values of one input, as a search samples it: computed as a block of rows.

use rust_decimal::Decimal;

use crate::law::column::{Block, Booleans, Column};
use crate::law::formula::When;
use crate::law::option::OptionSet;
use crate::law::{InputId, SlotId, Value};
use crate::run::program::{Program, VariedField};

use super::evaluate::{check, fill_defaults, no_items};
use super::slice::{Besides, Slice};

/// The part of a program that a sampled field depends on, with the values of the other inputs.
#[derive(Debug)]
pub(crate) struct Sampler<'p> {
    program: &'p Program,
    sent: Vec<Value>,
    when: When,
    input: InputId,
    field: usize,
    on: OptionSet,
    slice: Slice,
    /// Values that are the same in every sample, with their slots: their steps are not in the slice.
    fixed: Vec<(SlotId, Value)>,
}

impl<'p> Sampler<'p> {
    /// A sampler of a field by its index, with what is known of it as the input varies; `None` where
    /// only a calculation of its own gives the field, as for the last of several equal pays, or for
    /// items of a group.
    pub(crate) fn new(
        program: &'p Program,
        sent: &[Value],
        when: When,
        input: InputId,
        field: usize,
        varied: Option<&VariedField>,
    ) -> Option<Self> {
        let has_items = sent.iter().any(|value| matches!(value, Value::List(_)));
        if has_items || program.pays(sent).is_some() {
            return None;
        }

        // The options are those of the question: a sample varies an amount, never what is computed.
        let mut on = OptionSet::default();
        for (index, option) in program.method().options().iter().enumerate() {
            if option.input.of(sent) == Some(&Value::Boolean(true)) {
                on.switch_on(index);
            }
        }

        // Steps that the input does not reach were computed once, for all samples.
        let mut slice = Slice::new(program, &[Some(field)], Besides::Refusals, on);
        let mut fixed = Vec::new();
        if let Some(varied) = varied {
            slice.steps.clone_from(&varied.steps);
            slice.early.clone_from(&varied.early);
            slice.late.clone_from(&varied.late);
            fixed = varied.fixed_values();
        }
        Some(Self {
            program,
            sent: sent.to_vec(),
            when,
            input,
            field,
            on,
            slice,
            fixed,
        })
    }

    /// The field for each value of the input, as an answer shows it; `None` where a calculation of
    /// its own has to say it, or why it is refused.
    pub(crate) fn fields(&self, values: &[Decimal]) -> Vec<Option<Decimal>> {
        let mut block = self.block(values);

        // The order is that of a single calculation: defaults, early checks, steps, late checks.
        fill_defaults(self.program, self.on, &mut block);
        let mut warned = Vec::new();
        check(self.program, &self.slice.early, &block, &mut warned);
        let steps = self.slice.steps.iter();
        for step in steps.filter_map(|index| self.program.steps.get(*index)) {
            step.run_columns(&mut block);
        }
        check(self.program, &self.slice.late, &block, &mut warned);

        let field = self.program.fields.get(self.field);
        let column = field.and_then(|field| field.column(&block, self.program.evaluator()));
        let Some(column) = column else {
            return vec![None; values.len()];
        };
        let shown = |row: usize| match column.at(row) {
            Value::Number(number) if !block.failed(row) => Some(number),
            _ => None,
        };
        (0..values.len()).map(shown).collect()
    }

    /// The rows: the values of the input, and in each the same of all others.
    fn block(&self, values: &[Decimal]) -> Block {
        let numbers: Vec<Value> = values.iter().copied().map(Value::Number).collect();
        let inputs = InputId::enumerate(self.program.method().inputs());
        let column = |(id, input): (InputId, &crate::law::Input)| {
            if id == self.input {
                return (Column::of_values(&numbers), Booleans::One(true));
            }
            if input.group.is_some() {
                return (no_items(), Booleans::One(false));
            }
            let value = id.of(&self.sent).cloned().unwrap_or_default();
            let is_sent = value != Value::Nothing;
            (Column::One(value), Booleans::One(is_sent))
        };

        let columns = inputs.map(column).collect();
        let mut block = Block::new(values.len(), columns, self.slice.slots, self.when);
        for (slot, value) in &self.fixed {
            block.set(*slot, Column::One(value.clone()));
        }
        block
    }
}
