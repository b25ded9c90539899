//! Labels of the names of a method, between quotes, as pages show them.

use bareme_engine::Lang;
use bareme_engine::law::{GivenInput, Method, Step, column_words};
use rust_decimal::Decimal;

use crate::figures::title;
use crate::formula::{FormulaWords, of_scale};
use crate::locale::Locale;
use crate::names;

/// The finest rounding that a page shows.
pub(crate) const FINEST_SHOWN: Decimal = Decimal::from_parts(1, 0, 0, false, 6);

/// Reads formulas in the words of a page, where every name is the label of what it names.
pub(crate) fn with_labels<T>(
    method: &Method,
    locale: Locale,
    read: impl FnOnce(&FormulaWords) -> T,
) -> T {
    let lang = locale.lang;
    let words = FormulaWords {
        lang,
        number: &|value| locale.number(value),
        name: &|name| quoted(name, "", method, lang),
        word: &|choice, word| {
            let label = word_of(choice, word, method)?;
            Some(in_quotes(without_unit(label, lang), lang))
        },
        member: &|owner, member| {
            of_scale(owner, member, lang).unwrap_or_else(|| quoted(owner, member, method, lang))
        },
    };
    read(&words)
}

/// The label of a word of a choice.
pub(crate) fn of_word<'m>(word: &str, method: &'m Method) -> Option<&'m str> {
    let mut words = method.inputs().iter().flat_map(|input| &input.values);
    let (_, label) = words.find(|(known, _)| known == word)?;
    Some(label)
}

/// The label of a word of one choice.
fn word_of<'m>(choice: &str, word: &str, method: &'m Method) -> Option<&'m str> {
    let mut inputs = method.inputs().iter();
    let input = inputs.find(|input| input.name == choice)?;
    let (_, label) = input.values.iter().find(|(known, _)| known == word)?;
    Some(label)
}

/// The label of a word that is given to another folder.
pub(crate) fn given_word<'g>(input: &'g GivenInput, word: &str) -> Option<&'g str> {
    let (_, label) = input.words.iter().find(|(known, _)| known == word)?;
    Some(label)
}

/// A label between the quotes of a language.
pub(crate) fn in_quotes(label: &str, lang: Lang) -> String {
    match lang {
        Lang::Fr => format!("« {label} »"),
        Lang::En => format!("“{label}”"),
    }
}

/// The label of an input, a step, a figure or a word of a choice, between quotes; `column` is one of
/// a figure or an output of a step.
fn quoted(name: &str, column: &str, method: &Method, lang: Lang) -> String {
    let found = known_label(name, method)
        .or_else(|| of_word(name, method).map(str::to_owned))
        .unwrap_or_else(|| names::words(name, lang));
    let label = without_unit(&found, lang);
    match member(name, column, method, lang) {
        None => in_quotes(label, lang),
        Some(column) => in_quotes(&format!("{label}, {column}"), lang),
    }
}

/// A label without its unit, which is beside the value: `Taux` of `Taux, en %`.
pub fn without_unit(label: &str, lang: Lang) -> &str {
    let unit = match lang {
        Lang::Fr => ", en ",
        Lang::En => ", in ",
    };
    label.split_once(unit).map_or(label, |(title, _)| title)
}

/// A column of a figure or an output of a step in words; `None` for the column without a name, and
/// in English for one that the rules name in French.
pub(crate) fn column(name: &str, lang: Lang) -> Option<String> {
    if name.is_empty() {
        return None;
    }
    // The language names whole columns; a longer name may begin with one of its rates.
    let known = column_words(name).map(|words| words.in_lang(lang).to_owned());
    let spelled = || names::french(&name.replace("rate_", "taux_"));
    known.or_else(|| (lang == Lang::Fr).then(spelled))
}

/// A column of a figure or an output of a step in words: its own label where the rules give it one,
/// that of the field of another folder that it is, else as [`column()`] names it.
pub(crate) fn member(owner: &str, member: &str, method: &Method, lang: Lang) -> Option<String> {
    let shape = method.figures().iter().find(|shape| shape.name == owner);
    let step = method.steps().iter().find(|step| step.name == owner);
    let of_figure = shape.and_then(|shape| {
        let known = shape.columns.iter().find(|known| known.name == member)?;
        known.label.as_deref()
    });
    let own = of_figure.or_else(|| column_label(step?, member, method));
    let of_field = || {
        let mut outputs = step?
            .outputs
            .iter()
            .filter(|output| !output.name.is_empty());
        let label = outputs
            .find(|output| output.name == member)?
            .label
            .as_deref()?;
        Some(uncapitalized(without_unit(label, lang)))
    };

    own.map(|label| without_unit(label, lang).to_owned())
        .or_else(of_field)
        .or_else(|| column(member, lang))
}

/// A label after another one: `Net` becomes `net`, an abbreviation such as `CSG` stays.
fn uncapitalized(label: &str) -> String {
    let mut letters = label.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => label.to_owned(),
    }
}

/// The label of a column of the figure that a step reads.
pub(crate) fn column_label<'m>(step: &Step, column: &str, method: &'m Method) -> Option<&'m str> {
    let shapes = step.figures.iter();
    let shapes = shapes.filter_map(|figure| figure.of(method.figures()));
    let mut columns = shapes.flat_map(|shape| &shape.columns);
    let column = columns.find(|known| known.name == column)?;
    column.label.as_deref()
}

/// The label of an input, of a step or of a figure.
pub(crate) fn known_label(name: &str, method: &Method) -> Option<String> {
    // Inputs always have a label; steps and figures may have none.
    let input = method
        .inputs()
        .iter()
        .find(|input| input.name == name)
        .map(|input| input.label.clone());
    let step = || {
        method
            .steps()
            .iter()
            .find(|step| step.name == name)
            .and_then(|step| step.label.clone())
    };

    let is_figure = || method.figures().iter().any(|shape| shape.name == name);

    input
        .or_else(step)
        .or_else(|| is_figure().then(|| title(method, name)))
}
