//! A step bound to a dated file: its kind and its modifiers, in their order.

use crate::formula::{Fault, State};
use crate::types::Type;

use super::{BoundModifiers, Compute};

/// A step bound to a dated file.
#[derive(Debug)]
pub(crate) struct BoundStep {
    pub name: String,
    pub slot: usize,
    pub compute: Box<dyn Compute>,
    pub label: Option<String>,
    pub law: Option<String>,
    pub kind: &'static str,
    pub outputs: Vec<(String, Type)>,
    pub main: Option<usize>,
    pub modifiers: BoundModifiers,
    /// Figures that it reads, by rank.
    pub figures: Vec<usize>,
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

    /// Its label, or else its name.
    pub(crate) fn title(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }
}
