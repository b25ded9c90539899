//! Inputs that exclude each other: a question gives those of one side only, and the form asks
//! which. The sides follow from the checks of the method.

use bareme_api::wire::query::value;
use bareme_engine::law::{Input, InputId, Method};
use bareme_engine::{Lang, say};
use maud::{Markup, html};

use super::question::take;
use crate::text::{printed, prose, say};

/// Beginning of the parameter of the page with the side that is chosen; no input has a hyphen in
/// its name.
const PREFIX: &str = "choix-";

/// Sides that exclude each other, and the one that is chosen.
#[derive(Debug)]
pub(super) struct Choice<'r> {
    sides: Vec<Vec<&'r Input>>,
    chosen: usize,
}

impl<'r> Choice<'r> {
    /// The choices of a method, the first side of each chosen.
    pub(super) fn all(method: &'r Method) -> Vec<Self> {
        // An input that is absent on these days leaves its side, and an empty side is none.
        let present = |input: &InputId| input.of(method.inputs()).filter(|input| !input.is_absent);
        let inputs = |side: &Vec<InputId>| side.iter().filter_map(present).collect::<Vec<_>>();

        let groups = method.alternatives().into_iter();
        let sides = groups.map(|group| {
            group
                .sides
                .iter()
                .map(inputs)
                .filter(|side| !side.is_empty())
                .collect::<Vec<_>>()
        });
        let mut choices: Vec<Self> = sides
            .filter(|sides| sides.len() > 1)
            .map(|sides| Self { sides, chosen: 0 })
            .collect();
        choices
            .iter_mut()
            .for_each(|choice| choice.take_companions(method));
        choices
    }

    /// Adds the inputs that the law takes beside one of a side alone, such as the months that are
    /// added to years: with another side they are refused.
    fn take_companions(&mut self, method: &'r Method) {
        for (id, input) in InputId::enumerate(method.inputs()) {
            let beside = method.needed_beside(id);
            let beside = beside.and_then(|beside| beside.of(method.inputs()));
            let Some(beside) = beside.filter(|_| !input.is_absent) else {
                continue;
            };

            let side = self.side_of(&beside.name);
            let side = side.filter(|_| !self.has(input));
            if let Some(side) = side.and_then(|side| self.sides.get_mut(side)) {
                side.push(input);
            }
        }
    }

    /// Chooses the side that a query names, and takes the inputs of the other sides out of it: a
    /// form sends them with the rest. A query that names none has chosen the side of its inputs;
    /// where these are of two sides, they are left to be refused.
    pub(super) fn choose(&mut self, pairs: &mut Vec<(String, String)>) {
        let parameter = self.parameter();
        let named = value(pairs, &parameter)
            .and_then(|name| self.sides.iter().position(|side| name_of(side) == name));

        if let Some(side) = named {
            take(pairs, &parameter);
            self.chosen = side;
            // Fields of the other sides are hidden by the style sheet, and sent by the browser.
            pairs.retain(|(name, _)| self.side_of(name).is_none_or(|side| side == self.chosen));
        } else {
            self.chosen = pairs
                .iter()
                .find_map(|(name, _)| self.side_of(name))
                .unwrap_or_default();
        }
    }

    /// Whether an input is of one of the sides.
    pub(super) fn has(&self, input: &Input) -> bool {
        self.side_of(&input.name).is_some()
    }

    /// Inputs of all sides.
    pub(super) fn inputs(&self) -> impl Iterator<Item = &'r Input> {
        self.sides.iter().flatten().copied()
    }

    fn side_of(&self, name: &str) -> Option<usize> {
        self.sides
            .iter()
            .position(|side| side.iter().any(|input| input.name == name))
    }

    /// The parameter of the page that names the side chosen.
    fn parameter(&self) -> String {
        format!(
            "{PREFIX}{}",
            self.sides
                .first()
                .map(|side| name_of(side))
                .unwrap_or_default()
        )
    }

    /// The sides, of which the chosen one shows its fields. The label of its first field is that of
    /// the side.
    pub(super) fn fields(&self, lang: Lang, field: &impl Fn(&Input) -> Markup) -> Markup {
        let parameter = self.parameter();

        html! {
            fieldset.choice {
                legend { (say(lang, "Au choix", "One of these")) }
                @for (index, side) in self.sides.iter().enumerate() {
                    @let (name, id) = (name_of(side), format!("choix-de-{}", name_of(side)));
                    div.side {
                        // The style sheet shows the fields after the radio that is checked, without
                        // a script.
                        input id=(id) type="radio" name=(parameter) value=(name) checked[
                            index == self.chosen
                        ];
                        label for=(id) {
                            (side.first().map(|input| prose(&input.label)).unwrap_or_default())
                        }
                        @if let Some(others) = others(side, lang) { p.help.with { (others) } }
                        div.fields { @for input in side { (field(input)) } }
                    }
                }
            }
        }
    }
}

/// The name of a side: that of its first input.
fn name_of<'s>(side: &[&'s Input]) -> &'s str {
    side.first()
        .map(|input| input.name.as_str())
        .unwrap_or_default()
}

/// The labels of what else a side asks for, beyond what has a default.
fn others(side: &[&Input], lang: Lang) -> Option<String> {
    // What has a default need not be announced.
    let asked = side.iter().skip(1).filter(|input| input.is_optional());
    let labels: Vec<String> = asked.map(|input| printed(&input.label)).collect();
    let labels = labels.join(say(lang, "\u{202f}; ", "; "));
    (!labels.is_empty()).then(|| say!(lang, "Avec\u{a0}: {labels}", "With: {labels}"))
}
