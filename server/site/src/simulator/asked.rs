//! The questions of a form and their order: the sections that the method declares; without them the
//! two most important inputs, and the rest folded.

use std::collections::BTreeSet;

use bareme_engine::law::{Group, Input, InputId, Method, Presence};
use bareme_engine::run::Edition;
use bareme_engine::text::BadParameter;
use maud::{Markup, html};

use super::choice::Choice;
use super::driver::Driver;
use super::groups;
use super::period;
use super::question::Question;
use crate::text::say;

/// Number of inputs shown at first, the starting amount included.
const FIRST: usize = 3;

/// A question of a form: an input with its companion, a choice between inputs, or the items of a
/// group.
pub(super) enum Item<'f> {
    Inputs(Vec<&'f Input>),
    Choice(&'f Choice<'f>),
    /// The items of a group, a row each.
    Group(&'f Group, &'f Method),
}

impl<'f> Item<'f> {
    pub(super) fn inputs(&self) -> Vec<&'f Input> {
        match self {
            Self::Inputs(inputs) => inputs.clone(),
            Self::Choice(choice) => choice.inputs().collect(),
            Self::Group(group, method) => groups::inputs(group, method).collect(),
        }
    }

    /// The names of its inputs.
    fn names(&self) -> impl Iterator<Item = &'f str> + use<'f> {
        let names: Vec<&'f str> = self
            .inputs()
            .iter()
            .map(|input| input.name.as_str())
            .collect();
        names.into_iter()
    }

    fn is_required(&self) -> bool {
        let is_due = |input: &&Input| matches!(input.presence, Presence::Required);
        self.inputs().iter().any(is_due)
    }

    pub(super) fn shown(
        &self,
        question: &Question,
        bad: &[BadParameter],
        field: &impl Fn(&Input) -> Markup,
    ) -> Markup {
        match self {
            Self::Group(group, method) => groups::rows(question, group, method, bad),
            Self::Inputs(inputs) => html! { @for input in inputs { (field(input)) } },
            Self::Choice(choice) => choice.fields(question.lang(), field),
        }
    }
}

/// A section of a form.
pub(super) struct Section<'f> {
    /// Its title.
    pub label: &'f str,
    pub items: Vec<Item<'f>>,
    /// Whether it is shown unfolded.
    pub is_open: bool,
}

/// The questions of a form besides the starting amount.
pub(super) struct Asked<'f> {
    /// The sections that the method declares.
    pub sections: Vec<Section<'f>>,
    /// What is shown without a section.
    pub first: Vec<Item<'f>>,
    /// Inputs that switch options on.
    pub switches: Vec<&'f Input>,
    /// What is left.
    pub rest: Section<'f>,
}

impl<'f> Asked<'f> {
    pub(super) fn new(question: &'f Question, driver: Option<&Driver>) -> Self {
        // 1. Inputs that these days do not have are not asked; the starting amount has a control of
        // its own, and options are switches.
        let method = question.edition.map(Edition::method);
        let inputs = method.map(Method::inputs).unwrap_or_default();
        let options = method.map(Method::options).unwrap_or_default();
        let is_driver =
            |input: &Input| driver.is_some_and(|driver| driver.input.name == input.name);
        let is_option = |input: &Input| options.iter().any(|option| option.name == input.name);
        // The period of the amounts is asked beside them.
        let period = driver.and(method).and_then(period::input);
        let is_period = |input: &Input| period.is_some_and(|period| period.name == input.name);
        let is_asked = |input: &&Input| !input.is_absent && !is_driver(input) && !is_period(input);

        // 2. The sections of the method; an item is where its first input is.
        let mut placed: BTreeSet<&str> = BTreeSet::new();
        let mut sections = Vec::new();
        for section in method.map(Method::sections).unwrap_or_default() {
            let own = section.inputs.iter().filter_map(|input| input.of(inputs));
            let own: Vec<&Input> = own
                .filter(|input| is_asked(input) && !placed.contains(input.name.as_str()))
                .collect();
            let items = items(question, &own);
            placed.extend(items.iter().flat_map(Item::names));
            sections.push(Section {
                label: &section.label,
                items,
                is_open: section.is_open,
            });
        }
        sections.retain(|section| !section.items.is_empty());

        // 3. The others. The first of them are shown where there is no section, and those without
        // which there is no answer; an input that only an option reads is never first.
        let others = inputs
            .iter()
            .filter(|input| is_asked(input) && !placed.contains(input.name.as_str()));
        let (switches, others): (Vec<&Input>, Vec<&Input>) =
            others.partition(|input| is_option(input));
        let shown = if sections.is_empty() {
            FIRST.saturating_sub(usize::from(driver.is_some()))
        } else {
            0
        };
        let is_first = |item: &Item| item.inputs().iter().any(|input| !input.only_of_options);
        let (mut first, mut rest) = (Vec::new(), Vec::new());
        for item in items(question, &others) {
            let is_first = first.len() < shown && is_first(&item);
            if is_first || item.is_required() {
                first.push(item)
            } else {
                rest.push(item)
            }
        }

        Self {
            sections,
            first,
            switches,
            rest: Section {
                label: say(question.lang(), "Autres options", "Other options"),
                items: rest,
                is_open: false,
            },
        }
    }
}

/// The items of a form, in the order of the inputs: a choice at the place of its first one.
fn items<'f>(question: &'f Question, inputs: &[&'f Input]) -> Vec<Item<'f>> {
    let method = question.edition.map(Edition::method);
    // Two inputs that make one question, such as a sum and its period, stay together.
    let companion = |input: &Input| {
        let inputs = method?.inputs();
        let id = InputId::find(inputs, |known| known.name == input.name)?;
        method?.companion(id)?.of(inputs)
    };
    let is_in_a_choice = |input: &Input| question.choices.iter().any(|choice| choice.has(input));

    let mut items: Vec<Item> = Vec::new();

    for input in inputs {
        let is_placed = |input: &Input| {
            items
                .iter()
                .any(|item| item.inputs().iter().any(|known| known.name == input.name))
        };
        // A group, a choice and a companion were placed with the first of their inputs.
        if is_placed(input) {
            continue;
        }

        let group = input.group.zip(method);
        let group = group.and_then(|(group, method)| Some((group.of(method.groups())?, method)));
        if let Some((group, method)) = group {
            items.push(Item::Group(group, method));
            continue;
        }

        let choice = question.choices.iter().find(|choice| choice.has(input));
        let is_asked = |other: &Input| inputs.iter().any(|input| input.name == other.name);
        let beside = companion(input)
            .filter(|other| is_asked(other) && !is_in_a_choice(other) && !is_placed(other));
        items.push(match choice {
            Some(choice) => Item::Choice(choice),
            None => Item::Inputs([*input].into_iter().chain(beside).collect()),
        });
    }
    items
}
