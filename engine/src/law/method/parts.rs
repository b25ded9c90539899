//! The reading of the entries of a method: those of the method itself, then those of each option.

use jiff::civil::Date;

use crate::law::figure::{TAKEN_FROM, read_shape, read_shared, unknown_shape};
use crate::law::formula::{Scope, reserved};
use crate::law::group::{check_groups, read_groups};
use crate::law::input;
use crate::law::inverse;
use crate::law::option::{self, MOST_OPTIONS};
use crate::law::step;
use crate::law::{Field, Input, InputId, Inverse, MethodOption, Presence, Shape, Step, StepId};
use crate::text::limits::{FIELDS, FIGURES, INPUTS, Limit, STEPS};
use crate::text::words::is_name;
use crate::text::{Node, PlacedText, Problem, Report};

use super::check::{Check, read_check};
use super::read::decimals;
use super::year;

/// Reads the entries of the method itself, then those of each of its options.
pub(super) struct PartReader<'r> {
    pub scope: Scope,
    pub checks: Vec<Check>,
    pub answer: Vec<Field>,
    pub inverses: Vec<Inverse>,
    /// First day of the scale that the method is read for.
    day: Option<Date>,
    /// The shapes of the figures that this scale does not give.
    absent: Vec<Shape>,
    pub report: &'r mut Report,
}

impl<'r> PartReader<'r> {
    pub(super) fn new(scope: Scope, day: Option<Date>, report: &'r mut Report) -> Self {
        Self {
            scope,
            checks: Vec::new(),
            answer: Vec::new(),
            inverses: Vec::new(),
            day,
            absent: Vec::new(),
            report,
        }
    }

    /// Reads the options that the scale has, each with its entries, after those of the method.
    pub(super) fn options(
        &mut self,
        kept: &[&(PlacedText, Node)],
        written: &[(PlacedText, Node)],
    ) -> Vec<MethodOption> {
        if let Some((name, _)) = written.get(MOST_OPTIONS) {
            self.report
                .error(&name.place, Problem::TooManyOptions { most: MOST_OPTIONS });
        }

        let mut options = Vec::new();
        for (index, (name, node)) in kept.iter().enumerate() {
            options.extend(option::read_option(
                name,
                node,
                &mut self.scope,
                self.report,
            ));

            // The names of the other options, this time: its own may be read.
            self.scope.names_of_other_options = option::names(written);
            self.scope
                .names_of_other_options
                .retain(|(_, option)| *option != name.value);
            self.part(node, Some(index));
        }
        options
    }

    /// Reads the inputs, and the shapes of the figures. A default may read figures, whose keys may
    /// be inputs: so come first the inputs without their defaults, then the shapes of all the
    /// figures, then the defaults.
    pub(super) fn inputs(&mut self, node: &Node, options: &[&(PlacedText, Node)]) {
        let written = bounded(node, "inputs", 0, &INPUTS, self.report);
        let decimals = decimals(node);
        // 1. The inputs without their defaults, so that the rows of figures may have them as keys;
        // before them the groups that they name.
        for (name, _) in node.entries_of("groups") {
            check_name(name, self.report);
        }
        self.scope.groups = read_groups(node, self.report);
        for (position, (name, node)) in written.iter().enumerate() {
            check_name(name, self.report);
            let id = InputId::new(position);
            let mut input = input::read_input(name, node, decimals, id, self.report);
            if let Some(group) = node.text_of("group") {
                self.of_group(&mut input, id, group);
            }
            self.scope.inputs.push(input);
        }
        check_groups(node, &self.scope.groups, self.report);

        // 2. The figures. Those that this scale does not give come last, from `absent_from` on.
        self.figures(node, None);
        for (index, (_, node)) in options.iter().enumerate() {
            self.figures(node, Some(index));
        }
        self.scope.absent_from = self.day.map(|_| self.scope.figures.len());
        self.scope.figures.append(&mut self.absent);

        // 3. The inputs that may vary from month to month, before any formula is checked.
        self.scope.year.varying = year::read_varying(node, &self.scope, self.report);

        // 4. The defaults. Each reads inputs above its own only, since the list is filled again one
        // by one: no default can read itself through another.
        self.scope.in_default = true;
        let inputs = std::mem::take(&mut self.scope.inputs);
        for (input, (name, node)) in inputs.into_iter().zip(written) {
            let input = self.with_default(input, name, node);
            self.scope.inputs.push(input);
        }
        self.scope.in_default = false;
    }

    /// Makes an input that of each item of a group.
    fn of_group(&mut self, input: &mut Input, id: InputId, name: &PlacedText) {
        let Some(group) = self.scope.named_group(name, self.report) else {
            return;
        };
        input.group = Some(group);
        if let Some(found) = self.scope.groups.get_mut(group.position()) {
            found.inputs.push(id);
            input.most_items = found.most;
        }
    }

    /// Reads the default of an input, and the option whose figures it reads.
    fn with_default(&mut self, input: Input, name: &PlacedText, node: &Node) -> Input {
        let report = &mut *self.report;
        let scope = &mut self.scope;
        let (presence, mut names) =
            scope.names_read(|scope| input::read_presence(&input, name, node, scope, report));

        let columns = names
            .columns
            .iter()
            .filter_map(|(figure, _)| figure.of(&scope.figures)?.option);
        let of_figures = columns.filter_map(|option| scope.options.get(option).cloned());
        let of_inputs = names
            .inputs
            .iter()
            .filter_map(|input| input.of(&scope.inputs)?.option.clone());

        // The input then belongs to the option whose figures its default reads, or whose inputs.
        let mut owners: Vec<String> = of_figures.chain(of_inputs).collect();
        owners.dedup();
        if let [_, other, ..] = owners.as_slice() {
            let problem = Problem::OtherOption {
                name: input.name.clone(),
                option: other.clone(),
            };
            self.report.error(&name.place, problem);
        }

        // A query need not send an input of each item where it may send no item.
        let group = input.group.and_then(|group| group.of(&scope.groups));
        let may_be_empty = group.is_some_and(|group| group.least == 0);
        let presence = match presence {
            Presence::Required if may_be_empty => Presence::OfEachItem,
            presence => presence,
        };

        let default_reads = std::mem::take(&mut names.inputs);
        scope.used.join(names);
        Input {
            presence,
            default_reads,
            option: owners.into_iter().next(),
            ..input
        }
    }

    /// Reads the shapes of the figures of one part: of an option, or of the method itself.
    fn figures(&mut self, node: &Node, option: Option<usize>) {
        self.scope.option = option;
        for (name, node) in bounded(
            node,
            "figures",
            self.scope.figures.len(),
            &FIGURES,
            self.report,
        ) {
            check_name(name, self.report);
            option::check_new(
                name,
                self.scope.figures.iter().map(|shape| &shape.name),
                self.report,
            );
            let shape = match node.text_of(TAKEN_FROM) {
                Some(path) => read_shared(name, path, node, &self.scope, self.report)
                    .unwrap_or_else(|| unknown_shape(name, node, &self.scope)),
                None => read_shape(name, node, &self.scope, self.report),
            };

            // Figures of other days are kept aside: they come last, whatever their place in the
            // file.
            let is_given = self.day.is_none_or(|day| shape.is_given_on(day));
            if is_given {
                self.scope.figures.push(shape)
            } else {
                self.absent.push(shape)
            }
        }
        self.scope.option = None;
    }

    /// Reads the steps, checks and fields of one part: of the option of this index, or of the
    /// method itself.
    pub(super) fn part(&mut self, node: &Node, option: Option<usize>) {
        self.scope.option = option;
        self.scope.in_answer = false;

        // 1. The steps. The names of all of them first: a formula that reads a step further down
        // gets a message of its own, instead of an unknown name.
        let steps = bounded(node, "steps", self.scope.steps.len(), &STEPS, self.report);
        self.scope.step_names = steps.iter().map(|(name, _)| name.value.clone()).collect();
        for (name, node) in steps {
            self.step(name, node);
        }

        // 2. The checks.
        year::check_already(&self.scope, option, self.report);
        for node in node.items_of("checks") {
            let report = &mut *self.report;
            self.checks.extend(
                self.scope
                    .unless_absent(|scope| read_check(node, scope, report)),
            );
        }

        // 3. The answer, where formulas may read the texts of the scale, such as its source.
        self.scope.in_answer = true;
        for (name, node) in bounded(node, "answer", self.answer.len(), &FIELDS, self.report) {
            option::check_new(
                name,
                self.answer.iter().map(|field| &field.name),
                self.report,
            );

            let (scope, report) = (&mut self.scope, &mut *self.report);
            let read = |scope: &mut Scope| {
                let (field, steps) =
                    scope.steps_read(|scope| Field::read(name, node, scope, report));
                field.map(|field| Field { steps, ..field })
            };
            self.answer.extend(scope.unless_absent(read));
        }

        // 4. The inverse calculations, which aim at fields of the answer.
        for node in node.items_of("inverse") {
            let read =
                inverse::read_inverse(node, &self.scope, &self.answer, &self.inverses, self.report);
            self.inverses.extend(read);
        }
    }

    fn step(&mut self, name: &PlacedText, node: &Node) {
        check_name(name, self.report);
        option::check_new(
            name,
            self.scope.steps.iter().map(|step| &step.name),
            self.report,
        );

        let (scope, report) = (&mut self.scope, &mut *self.report);
        scope.step_being_read = Some(name.value.clone());

        // A step whose `when` is false on all the days of the scale is kept aside: formulas that
        // read it get 0, false or nothing.
        let mut absent = None;
        let read = |scope: &mut Scope| {
            let step = read_step(name, node, scope, report);
            if step.is_absent {
                absent = Some(step);
                return None;
            }
            Some(step)
        };
        match scope.unless_absent(read) {
            Some(step) => scope.steps.push(step),
            None => scope.absent_steps.extend(absent),
        }
        scope.step_being_read = None;
    }
}

/// Reads a step, and records the figures and steps that it reads.
fn read_step(name: &PlacedText, node: &Node, scope: &mut Scope, report: &mut Report) -> Step {
    scope.year.has_summed = false;

    let (mut step, names) = scope.names_read(|scope| step::read_step(name, node, scope, report));

    // The columns are sorted by figure: equal figures follow each other.
    step.figures = names.columns.iter().map(|(figure, _)| *figure).collect();
    step.figures.dedup();

    let reads_pays = |id: &StepId| id.of(&scope.steps).is_some_and(|step| step.depends_on_pays);
    step.depends_on_pays = scope.year.has_summed
        || names.inputs.iter().any(|input| scope.varies(*input))
        || names.steps.iter().any(reads_pays);
    step.steps = names.steps.iter().copied().collect();

    scope.used.join(names);
    check_step_name(name, &step, scope, report);
    step
}

/// The entries of a map, up to its limit, counting the entries read before.
fn bounded<'n>(
    node: &'n Node,
    key: &str,
    already: usize,
    limit: &Limit,
    report: &mut Report,
) -> &'n [(PlacedText, Node)] {
    // The limit holds for the method with all its options.
    let entries = node.entries_of(key);
    let room = limit.most.saturating_sub(already);

    match entries.get(room) {
        Some((first_beyond, _)) => {
            report.error(&first_beyond.place, limit.problem());
            entries.get(..room).unwrap_or_default()
        }
        None => entries,
    }
}

fn check_name(name: &PlacedText, report: &mut Report) {
    if !is_name(&name.value) {
        report.error(&name.place, Problem::bad_name(&name.value));
    } else if reserved().any(|known| known == name.value) {
        report.error(&name.place, Problem::reserved_name(&name.value));
    }
}

fn check_step_name(name: &PlacedText, step: &Step, scope: &Scope, report: &mut Report) {
    if scope.inputs.iter().any(|input| input.name == step.name) {
        report.error(
            &name.place,
            Problem::StepNamedAsInput {
                name: step.name.clone(),
            },
        );
    }

    // `taxe.rate` is the output of the step `taxe` before it is the column of the figure `taxe`, so
    // that a step must not hide a column of a figure with the same name.
    let shape = scope
        .figures
        .iter()
        .find(|shape| shape.name == step.name && !shape.has_rows());
    let hidden = shape.and_then(|shape| {
        step.outputs
            .iter()
            .find(|output| shape.column(&output.name).is_some())
    });

    if let Some(output) = hidden {
        let problem = Problem::OutputHidesColumn {
            step: step.name.clone(),
            output: output.name.clone(),
        };
        report.error(&name.place, problem);
    }
}
