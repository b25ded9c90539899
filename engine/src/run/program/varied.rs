//! A field for many values of one input: what does not depend on the input is computed once.

use std::cell::RefCell;

use rust_decimal::Decimal;

use crate::law::answer::CompiledField;
use crate::law::formula::{State, When};
use crate::law::option::OptionSet;
use crate::law::range::{Range, Ranges, Span};
use crate::law::step::CompiledStep;
use crate::law::{InputId, SlotId, StepId, Value};

use super::{CompiledCheck, MadeChecks, Program, Run};

/// A field of a program as one input varies.
#[derive(Debug)]
pub(crate) struct VariedField<'p> {
    program: &'p Program,
    input: InputId,
    field: &'p CompiledField,
    on: OptionSet,
    /// The other inputs whose defaults depend on the input.
    inputs: &'p [InputId],
    /// The steps that depend on the input, of those that the field and a refusal depend on.
    pub steps: Vec<usize>,
    pub early: Vec<usize>,
    pub late: Vec<usize>,
    /// The steps that do not.
    pub fixed: Vec<usize>,
    /// The values of these, and room for the others.
    state: RefCell<State>,
}

impl Program {
    /// A field, by index, as an input varies that an inverse calculation searches; `None` where
    /// only calculations of their own give it, or where all of these are refused.
    pub(crate) fn varied_field(
        &self,
        sent: &[Value],
        when: When,
        input: InputId,
        field: usize,
    ) -> Option<VariedField<'_>> {
        // 1. The state before the steps. The last of several equal pays is computed whole.
        if self.pays(sent).is_some() {
            return None;
        }
        let mut sent = sent.to_vec();
        *sent.get_mut(input.position())? = Value::ZERO;
        let mut run = self.prepare(sent, when).ok()?;

        // Defaults of items are filled in one by one.
        let varying = self.needs().varying(input)?;
        let has_items = |id: &InputId| {
            let input = id.of(self.method.inputs());
            input.is_none_or(|input| input.group.is_some())
        };
        if varying.inputs.iter().any(has_items) {
            return None;
        }

        // 2. The steps and the checks that the field and the refusals depend on, in two parts.
        let is_made = self.made(MadeChecks::Refusals);
        let needed = self
            .needs()
            .steps(self.running(run.on), [field].into_iter(), is_made);
        let steps = self
            .running(run.on)
            .flat_map(|section| section.steps.clone());
        let needed = steps.filter(|index| needed.contains(StepId::new(*index)));
        let (steps, fixed): (Vec<usize>, Vec<usize>) =
            needed.partition(|index| varying.steps.contains(StepId::new(*index)));

        let checks = self
            .running(run.on)
            .flat_map(|section| section.checks.clone());
        let made = checks.filter(is_made);
        let (checks, fixed_checks): (Vec<usize>, Vec<usize>) =
            made.partition(|index| varying.checks.contains(index));
        let is_early = |index: &usize| self.checks.get(*index).is_some_and(|check| check.early);
        let (early, late) = checks.into_iter().partition(is_early);

        // 3. What is fixed, in the order of a calculation.
        let (fixed_early, fixed_late): (Vec<usize>, Vec<usize>) =
            fixed_checks.into_iter().partition(is_early);
        let state = &mut run.state;
        let passes = self.pass(&fixed_early, state)
            && fixed.iter().all(|index| {
                let step = self.steps.get(*index);
                step.is_some_and(|step| step.run(state).is_ok())
            })
            && self.pass(&fixed_late, state);
        let Run { state, on, .. } = run;
        if !passes {
            return None;
        }

        Some(VariedField {
            program: self,
            input,
            field: self.fields.get(field)?,
            on,
            inputs: &varying.inputs,
            steps,
            early,
            late,
            fixed,
            state: RefCell::new(state),
        })
    }

    /// Whether no check of some refuses a state, nor fails.
    fn pass(&self, checks: &[usize], state: &State) -> bool {
        let holds = |check: &CompiledCheck| check.condition.boolean(state);
        let mut checks = checks.iter().filter_map(|index| self.checks.get(*index));
        checks.all(|check| holds(check) == Ok(false))
    }
}

impl VariedField<'_> {
    /// The field for a value of the input; `None` where a calculation of its own has to say it, or
    /// why it is refused.
    pub(crate) fn at(&self, input: Decimal) -> Option<Decimal> {
        let mut state = self.state.try_borrow_mut().ok()?;
        let state = &mut *state;

        // 1. The input, with the defaults that depend on it.
        state.cited.clear();
        state.calls.clear();
        state.call_error = None;
        state.set(self.input.slot(), Value::Number(input)).ok()?;
        for id in self.inputs.iter().copied() {
            if !state.was_sent(id).ok()? {
                state.set(id.slot(), Value::Nothing).ok()?;
                let default = id.of(&self.program.defaults)?.as_ref();
                self.program.fill(state, id, default, self.on).ok()?;
            }
        }

        // 2. The order is that of a calculation.
        if !self.program.pass(&self.early, state) {
            return None;
        }
        for step in self.varying_steps() {
            // A slot that the step leaves as it is must not have the value of an earlier call.
            for slot in slots(step) {
                state.set(slot, Value::Nothing).ok()?;
            }
            step.run(state).ok()?;
        }
        if !self.program.pass(&self.late, state) {
            return None;
        }

        let value = self.field.value(state, self.program.evaluator());
        value.ok()??.number()
    }

    /// The range of the field while the input takes every value of an interval, wherever these
    /// have a field; `None` where none is known.
    pub(crate) fn range(&self, input: Range) -> Option<Range> {
        let state = self.state.try_borrow().ok()?;
        let mut ranges = Ranges::new(&state);
        for other in self.inputs {
            ranges.set(other.slot(), Span::Any);
        }
        ranges.set(self.input.slot(), Span::Number(input));

        for step in self.varying_steps() {
            step.run_ranges(&mut ranges);
        }
        self.field.range(&ranges, self.program.evaluator())
    }

    /// The values that do not depend on the input, with their slots.
    pub(crate) fn fixed_values(&self) -> Vec<(SlotId, Value)> {
        let Ok(state) = self.state.try_borrow() else {
            return Vec::new();
        };
        let steps = self.fixed.iter();
        let steps = steps.filter_map(|index| self.program.steps.get(*index));
        let value = |slot: SlotId| Some((slot, state.get(slot).ok()?.clone()));
        steps.flat_map(slots).filter_map(value).collect()
    }

    fn varying_steps(&self) -> impl Iterator<Item = &CompiledStep> {
        let steps = self.steps.iter();
        steps.filter_map(|index| self.program.steps.get(*index))
    }
}

/// The slots of a step.
fn slots(step: &CompiledStep) -> impl Iterator<Item = SlotId> + use<> {
    let first = step.slot;
    (0..step.slots).map(move |index| first.after(index))
}
