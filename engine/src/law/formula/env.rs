//! The environment of a formula: where in its method it is, and so which names it may read.

use std::cell::Cell;

use crate::law::{FigureId, GroupId, Input, InputId, Step, StepId};
use crate::text::limits::FORMULAS;
use crate::text::{Node, Place, PlacedText, Problem, Report};

use super::expr::{Expr, Typed};
use super::symbols::Symbols;

/// Where in a method a formula is. A value: what is read inside an entry has an environment of its
/// own, made from that of the entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Env<'s> {
    pub symbols: &'s Symbols,
    pub part: Part<'s>,
    /// The option that the entry belongs to, by index; `None`: the method itself.
    pub option: Option<usize>,
    /// The group whose values of an item may be read.
    pub items: ItemScope,
    /// The figure whose rows are listed, if any.
    pub row: Option<FigureId>,
    /// An input beside those of the method, whose words may be read: its position is after theirs.
    pub added_input: Option<&'s Input>,
    pub words: &'s WordCount,
}

/// The part of a method that an entry is in.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part<'s> {
    /// The shapes of its figures, which have no formulas.
    Figures,
    /// The default of an input, which may read figures of any option.
    Default,
    /// A step.
    Step {
        name: &'s str,
        /// The entries of its part of the method, later ones included.
        all: &'s [(PlacedText, Node)],
    },
    /// A check.
    Check,
    /// The answer, whose fields may show texts of the scale (title, source, dates).
    Answer,
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

/// The number of words of the formulas of a method so far. They are counted together: a limit on
/// each formula would not bound the time that a method takes to check.
#[derive(Debug, Default)]
pub(crate) struct WordCount(Cell<usize>);

impl WordCount {
    /// Counts the words of a formula; `false` where the method has too many. The first formula
    /// beyond the limit is reported, and the next ones are not checked.
    pub(super) fn accepts(&self, words: usize, place: &Place, report: &mut Report) -> bool {
        let before = self.0.get();
        self.0.set(before + words);
        before <= FORMULAS.most && FORMULAS.accepts(before + words, place, report)
    }
}

impl<'s> Env<'s> {
    /// The environment of an entry of a method, or of one of its options.
    pub(crate) fn new(
        symbols: &'s Symbols,
        words: &'s WordCount,
        part: Part<'s>,
        option: Option<usize>,
    ) -> Self {
        Self {
            symbols,
            part,
            option,
            items: ItemScope::None,
            row: None,
            added_input: None,
            words,
        }
    }

    /// The inputs of the method, and the one that is added.
    pub(super) fn inputs(self) -> impl Iterator<Item = &'s Input> + Clone {
        self.symbols.inputs.iter().chain(self.added_input)
    }

    /// Finds an input by name.
    pub(crate) fn input(self, name: &str) -> Option<InputId> {
        self.symbols.input(name).or_else(|| {
            let is_added = self.added_input.is_some_and(|input| input.name == name);
            is_added.then(|| self.next_input())
        })
    }

    /// The input at a position.
    pub(crate) fn declared(self, id: InputId) -> Option<&'s Input> {
        let added = || self.added_input.filter(|_| id == self.next_input());
        id.of(&self.symbols.inputs).or_else(added)
    }

    /// The position of an input that is added to those of the method.
    pub(crate) fn next_input(self) -> InputId {
        InputId::new(self.symbols.inputs.len())
    }

    /// Finds a figure by name among those that may be read here.
    pub(crate) fn figure(self, name: &str) -> Option<FigureId> {
        FigureId::find(&self.symbols.figures, |shape| {
            shape.name == name && self.is_visible(shape.option)
        })
    }

    /// Finds a step by name among those that may be read here.
    pub(crate) fn step(self, name: &str) -> Option<StepId> {
        StepId::find(&self.symbols.steps, |step| {
            step.name == name && self.is_visible(step.option)
        })
    }

    /// Names of the figures that may be read here.
    pub(crate) fn figure_names(self) -> impl Iterator<Item = &'s str> + Clone {
        let shapes = self.symbols.figures.iter();
        shapes
            .filter(move |shape| self.is_visible(shape.option))
            .map(|shape| shape.name.as_str())
    }

    /// Names of the steps that may be read here.
    pub(super) fn step_names(self) -> impl Iterator<Item = &'s str> + Clone {
        let steps = self.symbols.steps.iter();
        steps
            .filter(move |step| self.is_visible(step.option))
            .map(|step| step.name.as_str())
    }

    /// Whether an entry belongs to the method itself, or to the option of this one.
    pub(crate) fn is_visible(self, option: Option<usize>) -> bool {
        option.is_none() || option == self.option || matches!(self.part, Part::Default)
    }

    /// Whether names of an option may be read here.
    pub(super) fn may_read(self, option: &str) -> bool {
        matches!(self.part, Part::Default) || self.option_name() == Some(option)
    }

    /// The name of the option that the entry belongs to.
    pub(crate) fn option_name(self) -> Option<&'s str> {
        let name = self.symbols.options.get(self.option?);
        name.map(String::as_str)
    }

    /// Whether a name is that of a step of the same part, which may be this one or one below.
    pub(super) fn is_in_part(self, name: &str) -> bool {
        match self.part {
            Part::Step { all, .. } => all.iter().any(|(known, _)| known.value == name),
            _ => false,
        }
    }

    /// A step that is absent from the scale being read for.
    pub(crate) fn absent_step(self, name: &str) -> Option<&'s Step> {
        let mut steps = self.symbols.absent_steps.iter();
        steps.find(|step| step.name == name && self.is_visible(step.option))
    }

    /// The value of an absent step, or of one of its outputs, in a formula: 0, false or nothing.
    pub(super) fn absent_output(self, step: &str, output: Option<&str>) -> Option<Typed> {
        let step = self.absent_step(step)?;

        // As for a step that is there: a member by its name, or the main output.
        let found = match output {
            Some(name) => step.outputs.iter().find(|output| output.name == name),
            None => step.outputs.iter().find(|output| output.main),
        };
        found.map(|output| Typed {
            expr: Expr::Absent(output.ty),
            ty: output.ty,
        })
    }

    /// The items for which a formula is computed that reads a value of each item of a group; the
    /// problem where there is no item here that the value would be of.
    pub(crate) fn read_item(self, name: &str, group: GroupId) -> Result<ItemScope, Problem> {
        match self.items {
            ItemScope::OfFirstRead(None) => Ok(ItemScope::OfFirstRead(Some(group))),
            ItemScope::Of(here) | ItemScope::OfFirstRead(Some(here)) if here == group => {
                Ok(self.items)
            }
            ItemScope::Of(here) | ItemScope::OfFirstRead(Some(here)) => Err(Problem::OtherGroup {
                name: name.to_owned(),
                group: self.symbols.group_name(group),
                other: self.symbols.group_name(here),
            }),
            ItemScope::None => Err(Problem::ValueOfEachItem {
                name: name.to_owned(),
                group: self.symbols.group_name(group),
            }),
        }
    }
}
