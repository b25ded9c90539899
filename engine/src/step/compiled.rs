//! A step compiled for a dated file: its kind and its modifiers, in their order.

use crate::formula::{EvalError, State};

use super::{Compiled, CompiledModifiers};

/// A step compiled for a dated file.
#[derive(Debug)]
pub(crate) struct CompiledStep {
    /// Which step of the method it is.
    pub index: usize,
    pub slot: usize,
    pub kind: Box<dyn Compiled>,
    /// The output that the bare name gives.
    pub main: Option<usize>,
    pub modifiers: CompiledModifiers,
}

impl CompiledStep {
    /// Computes the step and limits and rounds its value.
    pub(crate) fn run(&self, state: &mut State) -> Result<(), EvalError> {
        if !self.modifiers.applies(state)? {
            self.kind.skip(state, self.slot);
            return Ok(());
        }
        self.kind.run(state, self.slot)?;
        match self.main {
            Some(main) => self.modifiers.finish(state, self.slot + main),
            None => Ok(()),
        }
    }
}
