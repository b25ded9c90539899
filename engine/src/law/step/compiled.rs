//! A step compiled for a dated file: its kind and its modifiers, in their order.

use crate::law::formula::{EvalError, State};
use crate::law::index::{SlotId, StepId};

use super::{Compiled, CompiledModifiers};

/// A step compiled for a dated file.
#[derive(Debug)]
pub(crate) struct CompiledStep {
    /// Its index among the steps of the method.
    pub step: StepId,
    pub slot: SlotId,
    pub kind: Box<dyn Compiled>,
    /// The output that the bare name gives.
    pub main: Option<usize>,
    pub modifiers: CompiledModifiers,
}

impl CompiledStep {
    /// Computes the step and limits and rounds its value.
    pub(crate) fn run(&self, state: &mut State) -> Result<(), EvalError> {
        if !self.modifiers.applies(state)? {
            return self.kind.skip(state, self.slot);
        }
        self.kind.run(state, self.slot)?;
        match self.main {
            Some(main) => self.modifiers.finish(state, self.slot.after(main)),
            None => Ok(()),
        }
    }
}
