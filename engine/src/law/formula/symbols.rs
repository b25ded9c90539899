//! Symbol table of a method: its inputs, groups, figures, steps and fields by name.

use crate::law::callee::Callees;
use crate::law::{FigureId, Group, GroupId, Input, InputId, Shape, Step};
use crate::text::{PlacedText, Problem, Report, Text};

use super::expr::Expr;

/// The declarations of a method, by name: one table for all its formulas, which does not change
/// while one is checked. Which of the names a formula may read is decided by its [`Env`](super::Env).
#[derive(Debug)]
pub(crate) struct Symbols {
    pub inputs: Vec<Input>,
    pub groups: Vec<Group>,
    /// The figures of the method; those absent from the scale come last.
    pub figures: Vec<Shape>,
    /// Index of the first absent figure; `None` while the method is read for every day.
    pub absent_from: Option<usize>,
    /// The steps that are read: a formula reads those above it.
    pub steps: Vec<Step>,
    /// The steps absent from the scale being read for.
    pub absent_steps: Vec<Step>,
    /// The fields of the answer, which no formula reads.
    pub fields: Vec<FieldName>,
    /// Names of the options, by index.
    pub options: Vec<String>,
    /// The figures and steps of all options, those left out included.
    pub names_of_options: Vec<NameOfOption>,
    /// Whether the figures come from dated files: else no formula may read the day.
    pub is_dated: bool,
    /// Whether the method has the block `year:`, by which it computes a year of pays.
    pub has_year: bool,
    /// The inputs that may differ from month to month.
    pub varying: Vec<InputId>,
    /// The other folders that steps may calculate.
    pub callees: Callees,
}

/// The name of a field of the answer.
#[derive(Debug)]
pub(crate) struct FieldName {
    pub name: String,
    /// Its formula, where that is a single name.
    pub shown: Option<String>,
}

/// The name of a figure or a step that belongs to an option.
#[derive(Debug)]
pub(crate) struct NameOfOption {
    pub name: String,
    pub option: String,
}

impl Symbols {
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

    pub(crate) fn input_names(&self) -> impl Iterator<Item = &str> + Clone {
        self.inputs.iter().map(|input| input.name.as_str())
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

    /// The name of a group.
    pub(super) fn group_name(&self, group: GroupId) -> String {
        let group = group.of(&self.groups);
        group.map(|group| group.name.clone()).unwrap_or_default()
    }

    /// The problem of a name with a value for each item where one value is taken.
    pub(crate) fn use_of_items(&self, name: &str, group: GroupId, what: Text<String>) -> Problem {
        Problem::UseOfItems {
            name: name.to_owned(),
            group: self.group_name(group),
            what,
        }
    }

    /// Whether the scale being read for gives a figure; `None` while the method is read for every
    /// day.
    pub(super) fn is_given(&self, figure: FigureId) -> Option<bool> {
        match self.absent_from {
            Some(first) => Some(figure.position() < first),
            // For every day, only a figure without dates is certain to be there.
            None => figure
                .of(&self.figures)
                .filter(|shape| !shape.may_be_absent())
                .map(|_| true),
        }
    }

    /// Whether a value may differ from month to month because of what the caller sends, directly or
    /// through a sum over months; a value that the law alone sets is known for every month.
    pub(super) fn depends_on_pays(&self, expr: &Expr) -> bool {
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
        self.varying.contains(&input)
            || reads.is_some_and(|reads| reads.iter().any(|input| self.varies(*input)))
    }
}
