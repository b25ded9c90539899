//! A step bound to a dated file: its kind and its modifiers, in their order.

use crate::formula::{Fault, State};

use super::{BoundModifiers, Compute};

/// A step bound to a dated file.
#[derive(Debug)]
pub(crate) struct BoundStep {
    /// Which step of the method it is.
    pub index: usize,
    pub slot: usize,
    pub compute: Box<dyn Compute>,
    /// The output that the bare name gives.
    pub main: Option<usize>,
    pub modifiers: BoundModifiers,
}

impl BoundStep {
    /// Computes the step and limits and rounds its value.
    pub(crate) fn run(&self, state: &mut State) -> Result<(), Fault> {
        if !self.modifiers.applies(state)? {
            self.compute.set_aside(state, self.slot);
            return Ok(());
        }
        self.compute.run(state, self.slot)?;
        match self.main {
            Some(main) => self.modifiers.finish(state, self.slot + main),
            None => Ok(()),
        }
    }
}
