//! Scope of formulas: the names that they may read, and those read so far.

use std::collections::BTreeSet;

use crate::law::callee::Callees;
use crate::law::{ColumnId, FigureId, Group, GroupId, Input, InputId, Shape, Step, StepId};
use crate::text::{PlacedText, Problem, Report, Text};

use super::expr::Expr;
use super::year::YearNames;

/// The names that formulas may read, and those read so far.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    pub inputs: Vec<Input>,
    /// The figures of the method; those absent from the scale come last.
    pub figures: Vec<Shape>,
    /// Index of the first absent figure; `None` while the method is read for every day.
    pub absent_from: Option<usize>,
    pub groups: Vec<Group>,
    /// The group whose values of an item may be read where a formula is being checked.
    pub items: ItemScope,
    pub steps: Vec<Step>,
    /// The steps absent from the scale being read for.
    pub absent_steps: Vec<Step>,
    /// Names of all the steps of the part being read, later ones included.
    pub step_names: Vec<String>,
    /// The name of the step being read.
    pub step_being_read: Option<String>,
    /// Index of the option being read; `None`: the method itself.
    pub option: Option<usize>,
    /// The fields of the answer, each with its formula where that is a single name.
    pub fields: Vec<(String, Option<String>)>,
    /// Names of the options, by index.
    pub options: Vec<String>,
    /// Whether the default of an input is being read: it may read figures of any option.
    pub in_default: bool,
    /// Names of the figures and steps of the options that are not being read, each with its option.
    pub names_of_other_options: Vec<(String, String)>,
    /// Whether texts of the scale (title, source, dates) may be read, as in fields of the answer.
    pub in_answer: bool,
    /// Whether the method has no dates: no formula of it may read the day.
    pub undated: bool,
    /// The figure whose rows are being listed, if any.
    pub row: Option<FigureId>,
    /// The year of pays of the method.
    pub year: YearScope,
    /// The other folders that steps may calculate.
    pub callees: Callees,
    pub used: Used,
    /// Number of words of the formulas so far.
    pub words: usize,
}

/// The group whose items a formula is computed for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ItemScope {
    /// None: a value of each item cannot be read.
    #[default]
    None,
    /// Each item of this group.
    Of(GroupId),
    /// The group that is read first, as in the argument of `sum`.
    OfFirstRead(Option<GroupId>),
}

/// The year of pays of a method, for its formulas.
#[derive(Debug, Default)]
pub(crate) struct YearScope {
    /// Whether the method has the block `year:`.
    pub exists: bool,
    /// The inputs that may differ from month to month.
    pub varying: Vec<InputId>,
    /// The names whose values in other months were read so far.
    pub names: YearNames,
    /// Whether the entry being read has read a sum over months.
    pub has_summed: bool,
}

/// The names that formulas have read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Used {
    pub inputs: BTreeSet<InputId>,
    pub columns: BTreeSet<(FigureId, ColumnId)>,
    pub steps: BTreeSet<StepId>,
    /// The outputs of steps, each with its index among those of its step.
    pub outputs: BTreeSet<(StepId, usize)>,
    pub exponents: BTreeSet<(FigureId, ColumnId)>,
    /// Whether one read the day asked, `scale.day`.
    pub day: bool,
}

impl Used {
    /// Adds the names that were read elsewhere.
    pub(crate) fn join(&mut self, other: Self) {
        self.inputs.extend(other.inputs);
        self.columns.extend(other.columns);
        self.steps.extend(other.steps);
        self.outputs.extend(other.outputs);
        self.exponents.extend(other.exponents);
        self.day |= other.day;
    }
}

impl Scope {
    /// Finds an input by name.
    pub(crate) fn input(&self, name: &str) -> Option<InputId> {
        InputId::find(&self.inputs, |input| input.name == name)
    }

    /// The input that a text names; one that there is not is reported.
    pub(crate) fn named_input(&self, name: &PlacedText, report: &mut Report) -> Option<InputId> {
        let found = self.input(&name.value);
        if found.is_none() {
            report.error(
                &name.place,
                Problem::unknown_input(&name.value, self.input_names()),
            );
        }
        found
    }

    /// Finds a group by name; one that there is not is reported.
    pub(crate) fn named_group(&self, name: &PlacedText, report: &mut Report) -> Option<GroupId> {
        let found = GroupId::find(&self.groups, |group| group.name == name.value);
        if found.is_none() {
            report.error(&name.place, self.unknown_group(&name.value));
        }
        found
    }

    pub(super) fn unknown_group(&self, name: &str) -> Problem {
        let groups = self.groups.iter().map(|group| group.name.as_str());
        Problem::unknown_group(name, groups)
    }

    /// The problem of a name with a value for each item where one value is taken.
    pub(crate) fn use_of_items(&self, name: &str, group: GroupId, what: Text<String>) -> Problem {
        let group = group.of(&self.groups);
        Problem::UseOfItems {
            name: name.to_owned(),
            group: group.map(|group| group.name.clone()).unwrap_or_default(),
            what,
        }
    }

    /// Notes that a value of each item of a group is read; the problem where there is no item here
    /// that it would be of.
    pub(crate) fn read_item(&mut self, name: &str, group: GroupId) -> Result<(), Problem> {
        let named = |group: GroupId| {
            let found = group.of(&self.groups);
            found.map(|group| group.name.clone()).unwrap_or_default()
        };
        match self.items {
            ItemScope::OfFirstRead(None) => {
                self.items = ItemScope::OfFirstRead(Some(group));
                Ok(())
            }
            ItemScope::Of(here) | ItemScope::OfFirstRead(Some(here)) if here == group => Ok(()),
            ItemScope::Of(here) | ItemScope::OfFirstRead(Some(here)) => Err(Problem::OtherGroup {
                name: name.to_owned(),
                group: named(group),
                other: named(here),
            }),
            ItemScope::None => Err(Problem::ValueOfEachItem {
                name: name.to_owned(),
                group: named(group),
            }),
        }
    }

    /// Finds a figure by name among those that may be read here.
    pub(crate) fn figure(&self, name: &str) -> Option<FigureId> {
        FigureId::find(&self.figures, |shape| {
            shape.name == name && self.is_visible(shape.option)
        })
    }

    /// Finds a step by name among those that may be read here.
    pub(crate) fn step(&self, name: &str) -> Option<StepId> {
        StepId::find(&self.steps, |step| {
            step.name == name && self.is_visible(step.option)
        })
    }

    /// Whether an entry belongs to the method itself, or to the option being read.
    pub(crate) fn is_visible(&self, option: Option<usize>) -> bool {
        option.is_none() || option == self.option || self.in_default
    }

    /// Whether names of an option may be read here.
    pub(super) fn may_read(&self, option: &str) -> bool {
        let here = self.option.and_then(|index| self.options.get(index));
        self.in_default || here.is_some_and(|here| here == option)
    }

    pub(crate) fn input_names(&self) -> impl Iterator<Item = &str> + Clone {
        self.inputs.iter().map(|input| input.name.as_str())
    }

    /// Names of the figures that may be read here.
    pub(crate) fn figure_names(&self) -> impl Iterator<Item = &str> + Clone {
        self.figures
            .iter()
            .filter(|shape| self.is_visible(shape.option))
            .map(|shape| shape.name.as_str())
    }

    /// Names of the steps that may be read here.
    pub(crate) fn visible_step_names(&self) -> impl Iterator<Item = &str> + Clone {
        self.steps
            .iter()
            .filter(|step| self.is_visible(step.option))
            .map(|step| step.name.as_str())
    }

    /// Runs a reading and also gives the names that it read, which do not count as used until they
    /// are [joined](Used::join).
    pub(crate) fn names_read<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> (T, Used) {
        let before = std::mem::take(&mut self.used);
        let found = read(self);

        // The names read before come back, those of this reading go to the caller.
        (found, std::mem::replace(&mut self.used, before))
    }

    /// Runs a reading and also gives the steps that it read.
    pub(crate) fn steps_read<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> (T, Vec<StepId>) {
        let (found, names) = self.names_read(read);

        let steps = names.steps.iter().copied().collect();
        self.used.join(names);
        (found, steps)
    }

    /// Whether a value may differ from month to month because of what the caller sends, directly or
    /// through a sum over months; a value that the law alone sets is known for every month.
    pub(crate) fn depends_on_pays(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Input(input) => self.varies(*input),
            Expr::Output(step, _) => step.of(&self.steps).is_none_or(|step| step.depends_on_pays),
            _ => false,
        }
    }

    /// Whether an expression only passes an input on, as it is or rounded: no result of the law.
    pub(crate) fn is_echo(&self, expr: &Expr) -> bool {
        // An amount that is rounded, or passed on by a step, is still what the caller sent.
        match expr {
            Expr::Input(_) => true,
            Expr::Output(step, output) => {
                let step = step.of(&self.steps);
                step.is_some_and(|step| step.is_echo && step.main() == Some(*output))
            }
            Expr::If(_, yes, no) => self.is_echo(yes) && self.is_echo(no),
            _ => false,
        }
    }

    /// Whether an input may differ from month to month, by itself or through the inputs of its
    /// default.
    pub(crate) fn varies(&self, input: InputId) -> bool {
        let reads = input.of(&self.inputs).map(|input| &input.default_reads);
        self.year.varying.contains(&input)
            || reads.is_some_and(|reads| reads.iter().any(|input| self.varies(*input)))
    }
}
