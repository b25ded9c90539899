//! Slices: the part of a program that some fields need.

use std::sync::OnceLock;

use crate::law::formula::Code;
use crate::law::index::{SlotId, StepId};
use crate::law::option::Switched;
use crate::run::edition::Edition;
use crate::run::program::Program;

use super::PlanField;

/// Slices of an edition, one for each combination of its options.
#[derive(Debug)]
pub(super) struct Slices {
    /// The index of each field of the plan among those of the method.
    fields: Vec<Option<usize>>,
    combinations: Vec<OnceLock<Slice>>,
}

/// Steps, checks and fields to compute where some options are on.
#[derive(Debug)]
pub(super) struct Slice {
    /// Indices of the steps, in order.
    pub steps: Vec<usize>,
    /// Indices of the checks before the steps, and after them.
    pub early: Vec<usize>,
    pub late: Vec<usize>,
    /// For each field of the plan its index among those of the method, where these options answer it.
    pub fields: Vec<Option<usize>>,
    /// Slots of a block.
    pub slots: usize,
}

impl Slices {
    pub(super) fn new(edition: &Edition, fields: &[PlanField]) -> Self {
        let method = edition.method();
        let index = |field: &PlanField| method.fields().iter().position(|known| known.name == field.name);
        Self {
            fields: fields.iter().map(index).collect(),
            combinations: Switched::all(method.options().len()).map(|_| OnceLock::new()).collect(),
        }
    }

    /// The slice where some options are on.
    pub(super) fn slice(&self, program: &Program, on: Switched) -> Option<&Slice> {
        let slice = self.combinations.get(on.index())?;
        Some(slice.get_or_init(|| Slice::new(program, &self.fields, on)))
    }
}

impl Slice {
    fn new(program: &Program, fields: &[Option<usize>], on: Switched) -> Self {
        let running = || program.running(on);
        let runs = |index: usize| running().any(|section| section.fields.contains(&index));
        let fields: Vec<Option<usize>> = fields.iter().map(|field| field.filter(|index| runs(*index))).collect();
        let mut needed = Needed { program, steps: vec![false; program.steps.len()] };
        for field in fields.iter().flatten() {
            let codes = program.fields.get(*field).and_then(|field| field.codes()).unwrap_or_default();
            codes.into_iter().for_each(|code| needed.code(code));
        }
        let checks: Vec<usize> = running().flat_map(|section| section.checks.clone()).collect();
        for check in checks.iter().filter_map(|index| program.checks.get(*index)) {
            needed.code(&check.condition);
        }
        let steps: Vec<usize> = running().flat_map(|section| section.steps.clone()).collect();
        for step in &steps {
            let refuses = program.method().steps().get(*step).and_then(|step| step.refuses());
            if refuses.is_some() {
                needed.step(StepId::new(*step));
            }
        }
        let is_early = |index: &usize| program.checks.get(*index).is_some_and(|check| check.early);
        let (early, late) = checks.into_iter().partition(is_early);
        let is_needed = |index: &usize| needed.steps.get(*index).copied().unwrap_or_default();
        let steps = steps.into_iter().filter(is_needed).collect();
        Self { steps, early, late, fields, slots: running().map(|section| section.slots).max().unwrap_or_default() }
    }
}

/// The steps that something needs.
struct Needed<'p> {
    program: &'p Program,
    steps: Vec<bool>,
}

impl Needed<'_> {
    fn code(&mut self, code: &Code) {
        let mut slots: Vec<SlotId> = Vec::new();
        code.visit_slots(&mut |slot| slots.push(slot));
        for slot in slots {
            // Slots are in the order of the steps; those before the first are of inputs.
            let after = self.program.steps.partition_point(|step| step.slot.position() <= slot.position());
            if let Some(index) = after.checked_sub(1) {
                self.step(StepId::new(index));
            }
        }
    }

    /// A step with all that it reads.
    fn step(&mut self, step: StepId) {
        let Some(needed) = self.steps.get_mut(step.position()).filter(|needed| !**needed) else { return };
        *needed = true;
        let read = step.of(self.program.method().steps()).map(|step| step.steps.clone()).unwrap_or_default();
        read.into_iter().for_each(|step| self.step(step));
    }
}
