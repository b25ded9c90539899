//! The reading of the entries of a method: those of the method itself, then those of each option.

use std::collections::BTreeSet;

use jiff::civil::Date;

use crate::law::figure::{TAKEN_FROM, read_shape, read_shared, unknown_shape};
use crate::law::formula::{Env, Part, Reads, Symbols, WithReads, WordCount, reserved};
use crate::law::group::{check_groups, read_groups};
use crate::law::input;
use crate::law::inverse;
use crate::law::option::{self, MOST_OPTIONS};
use crate::law::step;
use crate::law::{Field, Input, InputId, Inverse, MethodOption, Presence, Shape, Step};
use crate::text::limits::{FIELDS, FIGURES, INPUTS, Limit, STEPS};
use crate::text::words::is_name;
use crate::text::{Node, PlacedText, Problem, Report};

use super::check::{Check, read_check};
use super::read::decimals;
use super::usage::read_with_defaults;
use super::year;

/// Reads the entries of the method itself, then those of each of its options.
pub(super) struct PartReader<'r> {
    pub symbols: Symbols,
    /// The names that the entries so far read.
    pub reads: Reads,
    words: WordCount,
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
    pub(super) fn new(symbols: Symbols, day: Option<Date>, report: &'r mut Report) -> Self {
        Self {
            symbols,
            reads: Reads::default(),
            words: WordCount::default(),
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
            let option = option::read_option(name, node, &self.symbols, self.report);
            self.reads
                .inputs
                .extend(option.iter().map(|option| option.input));
            options.extend(option);

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
        self.symbols.groups = read_groups(node, self.report);
        for (position, (name, node)) in written.iter().enumerate() {
            check_name(name, self.report);
            let id = InputId::new(position);
            let mut input = input::read_input(name, node, decimals, id, self.report);
            if let Some(group) = node.text_of("group") {
                self.of_group(&mut input, id, group);
            }
            self.symbols.inputs.push(input);
        }
        check_groups(node, &self.symbols.groups, self.report);

        // 2. The figures. Those that this scale does not give come last, from `absent_from` on.
        self.figures(node, None);
        for (index, (_, node)) in options.iter().enumerate() {
            self.figures(node, Some(index));
        }
        self.symbols.absent_from = self.day.map(|_| self.symbols.figures.len());
        self.symbols.figures.append(&mut self.absent);

        // 3. The inputs that may vary from month to month, before any formula is checked.
        self.symbols.varying = year::read_varying(node, &self.symbols, self.report);

        // 4. The defaults. Each reads inputs above its own only, since the list is filled again one
        // by one: no default can read itself through another.
        let inputs = std::mem::take(&mut self.symbols.inputs);
        for (input, (name, node)) in inputs.into_iter().zip(written) {
            let input = self.with_default(input, name, node);
            self.symbols.inputs.push(input);
        }
    }

    /// Makes an input that of each item of a group.
    fn of_group(&mut self, input: &mut Input, id: InputId, name: &PlacedText) {
        let Some(group) = self.symbols.named_group(name, self.report) else {
            return;
        };
        input.group = Some(group);
        if let Some(found) = self.symbols.groups.get_mut(group.position()) {
            found.inputs.push(id);
            input.most_items = found.most;
        }
    }

    /// Reads the default of an input, and the option whose figures it reads.
    fn with_default(&mut self, input: Input, name: &PlacedText, node: &Node) -> Input {
        let symbols = &self.symbols;
        let env = Env::new(symbols, &self.words, Part::Default, None);
        let WithReads {
            found: presence,
            mut reads,
        } = input::read_presence(&input, name, node, env, self.report);

        let columns = reads
            .columns
            .iter()
            .filter_map(|(figure, _)| figure.of(&symbols.figures)?.option);
        let of_figures = columns.filter_map(|option| symbols.options.get(option).cloned());
        let of_inputs = reads
            .inputs
            .iter()
            .filter_map(|input| input.of(&symbols.inputs)?.option.clone());

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
        let group = input.group.and_then(|group| group.of(&symbols.groups));
        let may_be_empty = group.is_some_and(|group| group.least == 0);
        let presence = match presence {
            Presence::Required if may_be_empty => Presence::OfEachItem,
            presence => presence,
        };

        let default_reads = std::mem::take(&mut reads.inputs);
        self.reads.join(reads);
        Input {
            presence,
            default_reads,
            option: owners.into_iter().next(),
            ..input
        }
    }

    /// Reads the shapes of the figures of one part: of an option, or of the method itself.
    fn figures(&mut self, node: &Node, option: Option<usize>) {
        let already = self.symbols.figures.len();
        for (name, node) in bounded(node, "figures", already, &FIGURES, self.report) {
            check_name(name, self.report);
            option::check_new(
                name,
                self.symbols.figures.iter().map(|shape| &shape.name),
                self.report,
            );
            let env = Env::new(&self.symbols, &self.words, Part::Figures, option);
            let shape = match node.text_of(TAKEN_FROM) {
                Some(path) => read_shared(name, path, node, env, self.report)
                    .unwrap_or_else(|| unknown_shape(name, node, env)),
                None => read_shape(name, node, env, self.report),
            };

            // Figures of other days are kept aside: they come last, whatever their place in the
            // file.
            let is_given = self.day.is_none_or(|day| shape.is_given_on(day));
            if is_given {
                self.symbols.figures.push(shape)
            } else {
                self.absent.push(shape)
            }
        }
    }

    /// Reads the steps, checks and fields of one part: of the option of this index, or of the
    /// method itself.
    pub(super) fn part(&mut self, node: &Node, option: Option<usize>) {
        // 1. The steps. Each knows the names of all of them: a formula that reads a step further
        // down gets a message of its own, instead of an unknown name.
        let already = self.symbols.steps.len();
        let steps = bounded(node, "steps", already, &STEPS, self.report);
        for (name, node) in steps {
            self.step(name, node, steps, option);
        }

        // 2. The checks.
        let env = Env::new(&self.symbols, &self.words, Part::Check, option);
        year::check_already(env, self.report);
        for node in node.items_of("checks") {
            let env = Env::new(&self.symbols, &self.words, Part::Check, option);
            let check = read_check(node, env, self.report);
            let check = self.unless_absent(check);
            self.checks.extend(check);
        }

        // 3. The answer, where formulas may read the texts of the scale, such as its source.
        for (name, node) in bounded(node, "answer", self.answer.len(), &FIELDS, self.report) {
            option::check_new(
                name,
                self.answer.iter().map(|field| &field.name),
                self.report,
            );

            let env = Env::new(&self.symbols, &self.words, Part::Answer, option);
            let field = Field::read(name, node, env, self.report);
            let field = self.unless_absent(field);
            self.answer.extend(field);
        }

        // 4. The inverse calculations, which aim at fields of the answer.
        for node in node.items_of("inverse") {
            let env = Env::new(&self.symbols, &self.words, Part::Answer, option);
            let read = inverse::read_inverse(node, env, &self.answer, &self.inverses, self.report);
            self.inverses.extend(read);
        }
    }

    fn step(
        &mut self,
        name: &PlacedText,
        node: &Node,
        all: &[(PlacedText, Node)],
        option: Option<usize>,
    ) {
        check_name(name, self.report);
        option::check_new(
            name,
            self.symbols.steps.iter().map(|step| &step.name),
            self.report,
        );

        let part = Part::Step {
            name: &name.value,
            all,
        };
        let env = Env::new(&self.symbols, &self.words, part, option);
        let step = step::read_step(name, node, env, self.report);
        check_step_name(name, &step.found, &self.symbols, self.report);

        // A step whose `when` is false on all the days of the scale is kept aside: formulas that
        // read it get 0, false or nothing. What it reads does not count as used on these days.
        if step.found.is_absent {
            self.symbols.absent_steps.push(step.found);
        } else {
            let step = step.recorded_in(&mut self.reads);
            self.symbols.steps.push(step);
        }
    }

    /// An entry of the method. What one reads that the scale lacks does not count as used on its
    /// days.
    fn unless_absent<T>(&mut self, entry: WithReads<Option<T>>) -> Option<T> {
        if entry.found.is_some() || self.symbols.absent_from.is_none() {
            self.reads.join(entry.reads);
        }
        entry.found
    }

    /// The inputs that the entries so far read, directly or through the default of another input.
    pub(super) fn read_inputs(&self) -> BTreeSet<InputId> {
        read_with_defaults(&self.symbols.inputs, &self.reads.inputs)
    }
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

fn check_step_name(name: &PlacedText, step: &Step, symbols: &Symbols, report: &mut Report) {
    if symbols.inputs.iter().any(|input| input.name == step.name) {
        report.error(
            &name.place,
            Problem::StepNamedAsInput {
                name: step.name.clone(),
            },
        );
    }

    // `taxe.rate` is the output of the step `taxe` before it is the column of the figure `taxe`, so
    // that a step must not hide a column of a figure with the same name.
    let shape = symbols
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
