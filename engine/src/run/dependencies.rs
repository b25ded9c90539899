//! The steps that fields, checks and refusals of a program depend on.

use crate::law::formula::Code;
use crate::law::index::{InputId, SlotId, StepId};
use crate::law::step_set::StepSet;
use crate::run::program::{Program, Section};

/// The steps that each part of a program depends on, directly or not.
#[derive(Debug)]
pub(crate) struct Dependencies {
    /// For each field.
    fields: Vec<StepSet>,
    /// For each check.
    checks: Vec<StepSet>,
    /// For each step that may refuse a query, or warn of it; `None` for the others.
    refusals: Vec<Option<StepSet>>,
    /// For each step, itself included.
    read: Vec<StepSet>,
    /// The dependents of each input that an inverse calculation searches.
    searched: Vec<Varying>,
}

/// The dependents of an input, direct or not.
#[derive(Debug)]
pub(crate) struct Varying {
    input: InputId,
    /// The other inputs, by their defaults.
    pub inputs: Vec<InputId>,
    pub steps: StepSet,
    /// The checks, by index.
    pub checks: Vec<usize>,
}

impl Dependencies {
    pub(crate) fn new(program: &Program) -> Self {
        let method = program.method();

        // 1. What each step reads, directly or not.
        let mut read: Vec<StepSet> = Vec::with_capacity(method.steps().len());
        for (index, step) in method.steps().iter().enumerate() {
            // A step reads only earlier ones.
            let mut own = StepSet::union(
                method.steps().len(),
                step.steps.iter().filter_map(|step| step.of(&read)),
            );

            own.insert(StepId::new(index));
            read.push(own);
        }

        // 2. What fields, checks and refusals read: unions of those.
        let all = |steps: Vec<StepId>| {
            StepSet::union(
                read.len(),
                steps.into_iter().filter_map(|step| step.of(&read)),
            )
        };

        let field = |(compiled, field): (
            &crate::law::answer::CompiledField,
            &crate::law::answer::Field,
        )| {
            // A field of several values has no formula of its own: its steps are listed with it.
            let codes = compiled
                .codes()
                .map(|codes| codes.into_iter().flat_map(|code| steps_of(program, code)));
            all(codes.map_or_else(|| field.steps.clone(), Iterator::collect))
        };

        let refusal = |(step, read): (&crate::law::step::Step, &StepSet)| {
            step.always_runs().then(|| read.clone())
        };

        Self {
            fields: program
                .fields
                .iter()
                .zip(method.fields())
                .map(field)
                .collect(),
            checks: program
                .checks
                .iter()
                .map(|check| all(steps_of(program, &check.condition)))
                .collect(),
            refusals: method.steps().iter().zip(&read).map(refusal).collect(),
            read,
            searched: searched(program),
        }
    }

    /// The dependents of an input that an inverse calculation searches.
    pub(crate) fn varying(&self, input: InputId) -> Option<&Varying> {
        self.searched.iter().find(|varying| varying.input == input)
    }

    /// The steps given and all those they depend on.
    pub(crate) fn of_steps(&self, steps: impl Iterator<Item = StepId>) -> StepSet {
        StepSet::union(
            self.refusals.len(),
            steps.filter_map(|step| step.of(&self.read)),
        )
    }

    /// The steps that some fields and some checks depend on, and no others.
    pub(crate) fn of_values(
        &self,
        checks: impl Iterator<Item = usize>,
        fields: impl Iterator<Item = usize>,
    ) -> StepSet {
        let fields = fields.filter_map(|index| self.fields.get(index));
        let checks = checks.filter_map(|index| self.checks.get(index));
        StepSet::union(self.refusals.len(), fields.chain(checks))
    }

    /// The steps that some fields depend on, some checks, and the refusals of the sections that run.
    pub(crate) fn steps<'s>(
        &self,
        sections: impl Iterator<Item = &'s Section> + Clone,
        fields: impl Iterator<Item = usize>,
        is_made: impl Fn(&usize) -> bool,
    ) -> StepSet {
        let fields = fields.filter_map(|index| self.fields.get(index));

        // A refusal that is skipped would let through a query that the whole answer refuses.
        let checks = sections
            .clone()
            .flat_map(|section| section.checks.clone())
            .filter(is_made)
            .filter_map(|index| self.checks.get(index));

        let refusals = sections
            .flat_map(|section| self.refusals.get(section.steps.clone()).unwrap_or_default());

        StepSet::union(
            self.refusals.len(),
            fields.chain(checks).chain(refusals.flatten()),
        )
    }
}

/// The dependents of each input that an inverse calculation searches.
fn searched(program: &Program) -> Vec<Varying> {
    let mut searched: Vec<Varying> = Vec::new();
    for inverse in program.method().inverses() {
        // Several targets are reached by one input.
        if !searched.iter().any(|known| known.input == inverse.input) {
            searched.push(Varying::new(program, inverse.input));
        }
    }
    searched
}

impl Varying {
    fn new(program: &Program, input: InputId) -> Self {
        let method = program.method();

        // 1. Inputs and steps, each of which reads only those above it.
        let mut inputs = vec![input];
        let mut others = Vec::new();
        for (id, default) in InputId::enumerate(&program.defaults) {
            let reads_one = |default: &crate::run::program::Default| {
                reads(&default.code, |slot| {
                    inputs.iter().any(|input| input.slot() == slot)
                })
            };
            if id != input && default.as_ref().is_some_and(reads_one) {
                inputs.push(id);
                others.push(id);
            }
        }

        let mut steps = StepSet::empty(method.steps().len());
        for (id, step) in StepId::enumerate(method.steps()) {
            let varies = step.inputs.iter().any(|read| inputs.contains(read))
                || step.steps.iter().any(|read| steps.contains(*read));
            if varies {
                steps.insert(id);
            }
        }

        // 2. Checks.
        let varies = |slot: SlotId| match program.step_of(slot) {
            Some(step) => steps.contains(step),
            None => inputs.iter().any(|input| input.slot() == slot),
        };
        let checks = program.checks.iter().enumerate();
        let checks = checks.filter(|(_, check)| reads(&check.condition, varies));
        let checks = checks.map(|(index, _)| index).collect();

        Self {
            input,
            inputs: others,
            steps,
            checks,
        }
    }
}

/// Whether a formula reads a slot of some.
fn reads(code: &Code, is_one: impl Fn(SlotId) -> bool) -> bool {
    let mut found = false;
    code.visit_slots(&mut |slot| found |= is_one(slot));
    found
}

/// The steps whose outputs a formula reads.
fn steps_of(program: &Program, code: &Code) -> Vec<StepId> {
    // Inputs have slots too, and belong to no step.
    let mut steps = Vec::new();
    code.visit_slots(&mut |slot: SlotId| steps.extend(program.step_of(slot)));
    steps
}
