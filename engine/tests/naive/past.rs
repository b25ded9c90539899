//! The day of a calculation, and the other months where it is one of a year of pays.

use std::collections::HashMap;
use std::rc::Rc;

use crate::compute::Outcome;
use crate::formula::Expr;
use crate::law::Value;

/// The year, the month and its days that the answer speaks of.
pub(crate) type When = (i16, i8, i8);

/// What a month was computed from, and what it gave.
pub(crate) struct Past {
    pub inputs: HashMap<String, Value>,
    pub steps: HashMap<String, Outcome>,
}

impl Past {
    /// The value of an input, of a step or of an output.
    pub(crate) fn value(&self, name: &Expr) -> Value {
        let found = match name {
            Expr::Name(name) => self.inputs.get(name).or_else(|| self.steps.get(name)?.main.as_ref()),
            Expr::Member(owner, name) => self.steps.get(owner).and_then(|step| step.outputs.get(name)),
            other => panic!("{other:?} is no name"),
        };
        found.cloned().unwrap_or(Value::Nothing)
    }
}

/// The other months of a month.
pub(crate) struct Year {
    /// Those before it, computed again.
    pub earlier: Vec<Rc<Past>>,
    /// All of them, each as a month of its own.
    pub alone: Rc<Vec<Past>>,
    /// Its place among them.
    pub month: usize,
    /// Whether the year or the contract ends with it.
    pub last: bool,
}
