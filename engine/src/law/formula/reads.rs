//! Names of a method that formulas read, in this month and in others of a year of pays.

use std::collections::BTreeSet;

use crate::law::{ColumnId, FigureId, InputId, StepId};

use super::year::YearNames;

/// The names that formulas read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reads {
    pub inputs: BTreeSet<InputId>,
    pub columns: BTreeSet<(FigureId, ColumnId)>,
    pub steps: BTreeSet<StepId>,
    /// The outputs of steps, each with its index among those of its step.
    pub outputs: BTreeSet<(StepId, usize)>,
    pub exponents: BTreeSet<(FigureId, ColumnId)>,
    /// The names whose values in other months are read.
    pub other_months: YearNames,
    /// Whether a sum over months is read.
    pub sums_months: bool,
    /// Whether the day asked, `scale.day`, is read.
    pub day: bool,
}

impl Reads {
    /// Adds what is read elsewhere.
    pub(crate) fn join(&mut self, other: Self) {
        join(&mut self.inputs, other.inputs);
        join(&mut self.columns, other.columns);
        join(&mut self.steps, other.steps);
        join(&mut self.outputs, other.outputs);
        join(&mut self.exponents, other.exponents);
        self.other_months.join(&other.other_months);
        self.sums_months |= other.sums_months;
        self.day |= other.day;
    }
}

fn join<T: Ord>(set: &mut BTreeSet<T>, other: BTreeSet<T>) {
    // The first formula of an entry is often the only one: its set is taken as it is.
    if set.is_empty() {
        *set = other;
    } else {
        set.extend(other);
    }
}

/// The result of a reading, with the names that its formulas read.
#[derive(Debug)]
#[must_use = "what is read counts as used once it is recorded"]
pub(crate) struct WithReads<T> {
    pub found: T,
    pub reads: Reads,
}

impl<T> WithReads<T> {
    /// The result of a reading without formulas.
    pub(crate) fn of_nothing(found: T) -> Self {
        Self {
            found,
            reads: Reads::default(),
        }
    }

    /// The result, once what it reads is added to other reads.
    pub(crate) fn recorded_in(self, reads: &mut Reads) -> T {
        reads.join(self.reads);
        self.found
    }

    /// Another result made from this one, with the same reads.
    pub(crate) fn map<U>(self, make: impl FnOnce(T) -> U) -> WithReads<U> {
        WithReads {
            found: make(self.found),
            reads: self.reads,
        }
    }
}
