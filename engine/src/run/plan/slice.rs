//! Slices: the part of a program that some fields depend on.

use std::sync::OnceLock;

use crate::law::StepId;
use crate::law::option::OptionSet;
use crate::law::step_set::StepSet;
use crate::run::edition::Edition;
use crate::run::program::{MadeChecks, Program};

use super::PlanField;

/// Slices of an edition, one for each combination of options.
#[derive(Debug)]
pub(super) struct Slices {
    /// For each field of the plan, its index among those of the method.
    fields: Vec<Option<usize>>,
    /// What is computed besides the fields.
    besides: Besides,
    combinations: Vec<OnceLock<Slice>>,
}

/// What is computed besides the fields of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Besides {
    /// Nothing: no warning, and no calculation of another folder that no field reads.
    Nothing,
    /// Every refusal, and no warning.
    Refusals,
    /// The warnings, and every refusal.
    Warnings,
    /// These, and the remarks of the whole answer.
    Remarks,
}

/// Steps, checks and fields to compute for a combination of options.
#[derive(Debug)]
pub(super) struct Slice {
    /// Indices of the steps, in order.
    pub steps: Vec<usize>,
    /// Indices of the checks to run before the steps, and after them.
    pub early: Vec<usize>,
    pub late: Vec<usize>,
    /// For each field of the plan, its index among those of the method; `None` where these options
    /// leave it out.
    pub fields: Vec<Option<usize>>,
    /// Number of slots of a block.
    pub slots: usize,
}

impl Slices {
    pub(super) fn new(edition: &Edition, fields: &[PlanField]) -> Self {
        let method = edition.method();
        let index = |field: &PlanField| {
            method
                .fields()
                .iter()
                .position(|known| known.name == field.name)
        };

        Self {
            fields: fields.iter().map(index).collect(),
            besides: Besides::Warnings,
            combinations: OptionSet::all(method.options().len())
                .map(|_| OnceLock::new())
                .collect(),
        }
    }

    /// Computes something else besides the fields.
    pub(super) fn set(&mut self, besides: Besides) {
        self.besides = besides;
        self.combinations
            .iter_mut()
            // Slices made before have other steps.
            .for_each(|slice| *slice = OnceLock::new());
    }

    /// The slice for a combination of options.
    pub(super) fn slice(&self, program: &Program, on: OptionSet) -> Option<&Slice> {
        let slice = self.combinations.get(on.index())?;
        Some(slice.get_or_init(|| Slice::new(program, &self.fields, self.besides, on)))
    }
}

impl Slice {
    pub(super) fn new(
        program: &Program,
        fields: &[Option<usize>],
        besides: Besides,
        on: OptionSet,
    ) -> Self {
        // 1. The fields that these options have.
        let running = || program.running(on);
        let runs = |index: usize| running().any(|section| section.fields.contains(&index));
        let fields: Vec<Option<usize>> = fields
            .iter()
            .map(|field| field.filter(|index| runs(*index)))
            .collect();

        // A field of several values is computed in a single calculation.
        let has_one = |index: &usize| {
            program
                .fields
                .get(*index)
                .is_some_and(|field| field.codes().is_some())
        };

        // 2. What they read, with the checks of all sections that run: a refusal does not depend on
        // the fields asked for.
        let shown = || fields.iter().copied().flatten().filter(has_one);
        let is_made = program.made(match besides {
            Besides::Nothing | Besides::Refusals => MadeChecks::Refusals,
            Besides::Warnings | Besides::Remarks => MadeChecks::All,
        });
        let checks = running().flat_map(|section| section.checks.clone());
        let checks: Vec<usize> = checks.filter(is_made).collect();
        let needed = if besides == Besides::Nothing {
            program.needs().of_values(checks.iter().copied(), shown())
        } else {
            program.needs().steps(running(), shown(), is_made)
        };
        let is_early = |index: &usize| program.checks.get(*index).is_some_and(|check| check.early);
        let (early, late) = checks.into_iter().partition(is_early);

        // 3. The steps that look up rows with remarks, where the answers have these.
        let running_steps = || running().flat_map(|section| section.steps.clone());
        let finds_remarks = |index: &usize| {
            besides == Besides::Remarks
                && program
                    .steps
                    .get(*index)
                    .is_some_and(|step| step.kind.has_remarked_rows())
        };
        let of_remarks = program
            .needs()
            .of_steps(running_steps().filter(finds_remarks).map(StepId::new));

        // Both in the order of the steps, which each reads those before it.
        let computed = StepSet::union(program.steps.len(), [needed, of_remarks].iter());
        let steps = running_steps().filter(|index| computed.contains(StepId::new(*index)));
        let steps = steps.collect();

        Self {
            steps,
            early,
            late,
            fields,
            slots: running()
                .map(|section| section.slots)
                .max()
                .unwrap_or_default(),
        }
    }
}
