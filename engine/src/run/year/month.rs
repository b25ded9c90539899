//! The months of a year of pays as programs run them: what each leaves for the later ones, and what is known of all of
//! them in advance.

use std::sync::Arc;

use crate::law::formula::{OtherMonths, State, When};
use crate::law::index::{InputId, SlotId, StepId};
use crate::law::method::Method;
use crate::law::step::CompiledStep;
use crate::law::types::Value;
use crate::run::error::CalculationError;
use crate::run::program::{Program, Run};
use crate::text::refusal::BadParameter;

/// The slots of the values that the months of a year of pays read of each other.
#[derive(Debug, Default)]
pub(crate) struct YearSlots {
    /// Of what is added up; none where the scale does not have it.
    summed: Vec<Option<SlotId>>,
    /// Of what is known in advance.
    ahead: Vec<Option<SlotId>>,
}

impl YearSlots {
    pub(crate) fn new(method: &Method, steps: &[CompiledStep]) -> Self {
        let of = |names: &[String]| names.iter().map(|name| slot_of(name, method, steps)).collect();
        let names = &method.year_names;
        Self { summed: of(&names.summed), ahead: of(&names.ahead) }
    }

    fn values(slots: &[Option<SlotId>], state: &State) -> Box<[Value]> {
        let value = |slot: &Option<SlotId>| slot.and_then(|slot| slot.of(&state.slots)).cloned().unwrap_or_default();
        slots.iter().map(value).collect()
    }
}

/// The slot of an input, of a step or of an output, by its name.
fn slot_of(name: &str, method: &Method, steps: &[CompiledStep]) -> Option<SlotId> {
    if let Some(input) = InputId::find(method.inputs(), |input| input.name == name) {
        return Some(input.slot());
    }
    let (owner, member) = name.split_once('.').map_or((name, None), |(owner, member)| (owner, Some(member)));
    let id = StepId::find(method.steps(), |step| step.name == owner)?;
    let step = id.of(method.steps())?;
    let output = match member {
        Some(member) => step.outputs.iter().position(|output| output.name == member)?,
        None => step.main()?,
    };
    Some(steps.iter().find(|compiled| compiled.step == id)?.slot.after(output))
}

impl Program {
    /// What a month that ran leaves for the later ones.
    pub(super) fn left_for_later(&self, run: &Run) -> Box<[Value]> {
        YearSlots::values(&self.year_slots.summed, &run.state)
    }

    /// Whether something is read that is known in advance.
    pub(super) fn looks_ahead(&self) -> bool {
        !self.year_slots.ahead.is_empty()
    }

    /// What is known of a month in advance. What cannot be computed is nothing: the month itself then says why.
    pub(super) fn known_ahead(&self, sent: &[Value], when: When) -> Box<[Value]> {
        let slots = &self.year_slots.ahead;
        let of_slot = |slot: &SlotId| self.step_of(*slot);
        let steps = self.needs().of_steps(slots.iter().flatten().filter_map(of_slot));
        match self.run_steps(sent.to_vec(), when, steps) {
            Ok(state) => YearSlots::values(slots, &state),
            Err(_) => slots.iter().map(|_| Value::Nothing).collect(),
        }
    }

    /// Computes a month of a year of pays.
    pub(super) fn run_month(
        &self,
        sent: Vec<Value>,
        when: When,
        year: Arc<OtherMonths>,
    ) -> Result<Run<'_>, CalculationError> {
        let mut run = self.prepare(sent, when)?;
        run.state.year = Some(year);
        self.finish(run)
    }

    /// What a month is refused for by its inputs alone, where an earlier month could not be computed.
    pub(super) fn refused_by_inputs(&self, sent: Vec<Value>, when: When) -> Vec<BadParameter> {
        let refused = self.prepare(sent, when).and_then(|mut run| run.check(true));
        match refused {
            Err(CalculationError::Refused(refusal)) => refusal.parameters,
            _ => Vec::new(),
        }
    }
}
