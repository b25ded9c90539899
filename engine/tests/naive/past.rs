//! The day of a calculation, and the other months where it is one of a year of pays, or one of
//! equal pays.

use std::collections::HashMap;
use std::rc::Rc;

use jiff::civil::Date;

use crate::answer;
use crate::compute::Outcome;
use crate::formula::Expr;
use crate::law::{Law, Value, text};

/// The day asked, and what the answer reads of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct When {
    pub day: Date,
    /// Its year, or the last one that the scale is checked for.
    pub year: i16,
}

/// Query of a month, and its result.
pub(crate) struct Past {
    pub inputs: HashMap<String, Value>,
    pub steps: HashMap<String, Outcome>,
}

impl Past {
    /// The value of an input, of a step or of an output.
    pub(crate) fn value(&self, name: &Expr) -> Value {
        let found = match name {
            Expr::Name(name) => self
                .inputs
                .get(name)
                .or_else(|| self.steps.get(name)?.main.as_ref()),
            Expr::Member(owner, name) => self
                .steps
                .get(owner)
                .and_then(|step| step.outputs.get(name)),
            other => panic!("{other:?} is no name"),
        };
        found.cloned().unwrap_or(Value::Nothing)
    }
}

/// The other months of a month.
pub(crate) struct Year {
    /// The months before it, computed again.
    pub earlier: Vec<Rc<Past>>,
    /// All months, each as a month of its own.
    pub alone: Rc<Vec<Past>>,
    /// Its place among them.
    pub month: usize,
    /// Whether the year or the contract ends with it.
    pub last: bool,
    /// Whether a year was asked for, and not the last of several equal pays.
    pub is_asked: bool,
}

/// The names of a list of the block `year:`.
pub(crate) fn names(law: &Law, key: &str) -> Vec<String> {
    let list = law
        .method
        .get("year")
        .and_then(|block| text(block, key))
        .unwrap_or_default();
    list.split(';')
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

/// The equal pays before the one whose rank a query says, each computed after those before it.
pub(crate) fn equal_pays(law: &Law, query: &[(String, String)], when: When) -> Option<Year> {
    let rank = names(law, "rank").pop()?;
    let pays: usize = query
        .iter()
        .find(|(name, _)| *name == rank)?
        .1
        .parse()
        .ok()
        .filter(|pays| (2..=12).contains(pays))?;
    let within = |earlier: &[Rc<Past>], month: usize| {
        let (alone, last) = (Rc::default(), when.day.month() == 12);
        Year {
            earlier: earlier.to_vec(),
            alone,
            month,
            last,
            is_asked: false,
        }
    };

    let mut earlier: Vec<Rc<Past>> = Vec::new();

    for month in 0..pays - 1 {
        let own = query.iter().map(|(name, value)| {
            (
                name.clone(),
                if *name == rank {
                    (month + 1).to_string()
                } else {
                    value.clone()
                },
            )
        });
        let own: Vec<(String, String)> = own.collect();
        let past = answer::answer_in(law, &own, when, Some(within(&earlier, month)))
            .ok()?
            .1;
        earlier.push(Rc::new(past));
    }

    Some(within(&earlier, pays - 1))
}
