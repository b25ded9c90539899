//! Groups in the form of a simulator: a row of controls for each item, and an empty one to add.
//!
//! The controls of an input have its name in every row: what comes back is the parameter repeated,
//! of which rows that were left empty count for nothing.

use bareme_engine::Lang;
use bareme_engine::law::{Group, Input, Method, Presence, Type, VALUE_SEPARATOR};
use bareme_engine::text::BadParameter;
use maud::{Markup, html};

use super::form::{keyboard, message, typed_as, written, wrong};
use super::question::Question;
use super::values::{default_text, yes_or_no};
use crate::text::{printed, prose, say};

/// Joins what was typed for the items of each group: one parameter an input, with the values of the
/// rows that are not empty.
pub(super) fn join(typed: &[(String, String)], pairs: &mut Vec<(String, String)>, method: &Method) {
    for group in method.groups() {
        let inputs: Vec<&Input> = inputs(group, method).collect();
        pairs.retain(|(name, _)| !inputs.iter().any(|input| input.name == *name));

        // One value that holds for all items has no row.
        let values = |input: &Input| values(typed, input);
        let is_for_all = |input: &Input| input.shared && values(input).len() == 1;
        let (for_all, each): (Vec<&Input>, Vec<&Input>) =
            inputs.into_iter().partition(|input| is_for_all(input));

        let columns: Vec<Vec<&str>> = each.iter().map(|input| values(input)).collect();
        let count = columns.iter().map(Vec::len).max().unwrap_or_default();
        let at = |column: &[&'_ str], row: usize| Some(column.get(row)?.trim().to_owned());
        let is_filled = |column: &Vec<&str>, row| at(column, row).is_some_and(|at| !at.is_empty());
        let rows: Vec<usize> = (0..count)
            .filter(|row| columns.iter().any(|column| is_filled(column, *row)))
            .collect();

        for (input, column) in each.iter().zip(&columns) {
            // Every row of the form sends all its controls: a list of another length is one that
            // was written by hand, and is refused as it is.
            let values: Vec<String> = rows.iter().filter_map(|row| at(column, *row)).collect();
            if values.iter().any(|value| !value.is_empty()) {
                pairs.push((input.name.clone(), values.join(";")));
            }
        }
        for input in for_all {
            let value = values(input).concat();
            if !value.trim().is_empty() {
                pairs.push((input.name.clone(), value));
            }
        }
    }
}

/// The values typed for an input, one an item: those of the repeated parameter, or of a list.
fn values<'t>(typed: &'t [(String, String)], input: &Input) -> Vec<&'t str> {
    let own = typed.iter().filter(|(name, _)| *name == input.name);
    let own: Vec<&str> = own.map(|(_, value)| value.as_str()).collect();
    match own.as_slice() {
        [list] => list.split(VALUE_SEPARATOR).collect(),
        _ => own,
    }
}

/// The inputs of a group that the days asked have.
pub(super) fn inputs<'m>(
    group: &'m Group,
    method: &'m Method,
) -> impl Iterator<Item = &'m Input> + Clone {
    let inputs = group.inputs.iter();
    let found = inputs.filter_map(|input| input.of(method.inputs()));
    found.filter(|input| !input.is_absent)
}

/// The rows of a group in the form.
pub(super) fn rows(
    question: &Question,
    group: &Group,
    method: &Method,
    bad: &[BadParameter],
) -> Markup {
    // The rows that were sent and an empty one to fill in; two rows at first.
    let sent = |input: &Input| -> Vec<String> {
        let list = question.sent(&input.name).unwrap_or_default();
        let values = list
            .split(VALUE_SEPARATOR)
            .map(|value| value.trim().to_owned());
        values.filter(|_| !list.is_empty()).collect()
    };
    let filled = inputs(group, method).map(|input| sent(input).len()).max();
    let filled = filled.unwrap_or_default();
    let count = (filled + 1).max(2).min(group.most);

    let labels = question.labels();
    // One value sent for all items is that of each row.
    let value = |input: &Input, row: usize| {
        let values = sent(input);
        let is_for_all = input.shared && values.len() == 1 && row < filled;
        values.get(if is_for_all { 0 } else { row }).cloned()
    };

    html! {
        fieldset.items data-champs=(
            inputs(group, method).map(|input| input.name.as_str()).collect::<Vec<_>>().join(" ")
        ) {
            legend { (prose(&group.label)) }
            @for row in 0..count {
                div.item role="group" aria-label={ (printed(&group.item)) " " (row + 1) } {
                    @for input in inputs(group, method) {
                        (control(question.lang(), input, row, value(input, row).as_deref(), bad))
                    }
                }
            }
            @for input in inputs(group, method) {
                @if let Some(help) = &input.help {
                    p.help id={ "aide-" (input.name) } { (prose(&labels.written(help))) }
                }
                (message(&input.name, wrong(question.lang(), &input.name, bad).as_deref()))
            }
            p.help {
                (say(
                    question.lang(),
                    "Une ligne laissée vide ne compte pas\u{202f}; «\u{a0}Calculer\u{a0}» en ajoute une.",
                    "An empty row does not count; “Calculate” adds one."
                ))
            }
        }
    }
}

/// The control of an input in a row.
fn control(
    lang: Lang,
    input: &Input,
    row: usize,
    value: Option<&str>,
    bad: &[BadParameter],
) -> Markup {
    let name = &input.name;
    let id = format!("champ-{name}-{}", row + 1);
    let is_wrong = wrong(lang, name, bad).map(|_| "true");
    let described = format!("erreur-{name}");

    html! {
        div.field {
            label for=(id) { (prose(&input.label)) }
            @if let Some(choices) = choices(input, lang) {
                select id=(id) name=(name) aria-describedby=(described) aria-invalid=[is_wrong] {
                    option value="" { (unsent(input, lang)) }
                    @for (word, label) in choices {
                        option value=(word) selected[value == Some(word.as_str())] {
                            (printed(&label))
                        }
                    }
                }
            } @else {
                input id=(id) name=(name) type=[typed_as(input)] inputmode=[keyboard(input)] value=[value.map(|value| written(input, value, lang))]
                    aria-describedby=(described) aria-invalid=[is_wrong];
            }
        }
    }
}

/// The values of a drop-down list, each with its label.
fn choices(input: &Input, lang: Lang) -> Option<Vec<(String, String)>> {
    match input.ty {
        Type::Choice(_) => Some(input.values.clone()),
        Type::Boolean => {
            let words = [("true", true), ("false", false)];
            Some(
                words
                    .map(|(word, is_yes)| (word.to_owned(), yes_or_no(is_yes, lang).to_owned()))
                    .to_vec(),
            )
        }
        _ => None,
    }
}

/// The words of the empty value of a drop-down list: those of the default, or none.
fn unsent(input: &Input, lang: Lang) -> String {
    let default = default_text(input);
    let label = default.and_then(|default| {
        let choices = choices(input, lang)?;
        let found = choices.into_iter().find(|(word, _)| *word == default);
        found.map(|(_, label)| printed(&label))
    });
    match (&input.presence, label) {
        (_, Some(label)) => label,
        (Presence::Required | Presence::OfEachItem, None) => {
            say(lang, "Choisir", "Choose").to_owned()
        }
        _ => String::new(),
    }
}
