//! Labels of the names of a method, between quotes, as pages show them.

use bareme_engine::Lang;
use bareme_engine::law::{Method, Step, column_words};
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

/// The label of an input, a step, a figure or a word of a choice, between quotes; `column` is one of
/// a figure or an output of a step.
fn quoted(name: &str, column: &str, method: &Method, lang: Lang) -> String {
    let found = known_label(name, method)
        .or_else(|| of_word(name, method).map(str::to_owned))
        .unwrap_or_else(|| names::words(name, lang));
    let label = without_unit(&found, lang);
    match (lang, member(name, column, method, lang)) {
        (Lang::Fr, None) => format!("« {label} »"),
        (Lang::Fr, Some(column)) => format!("« {label}, {column} »"),
        (Lang::En, None) => format!("“{label}”"),
        (Lang::En, Some(column)) => format!("“{label}, {column}”"),
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
/// else as [`column()`] names it.
pub(crate) fn member(owner: &str, member: &str, method: &Method, lang: Lang) -> Option<String> {
    let shape = method.figures().iter().find(|shape| shape.name == owner);
    let step = method.steps().iter().find(|step| step.name == owner);
    let of_figure = shape.and_then(|shape| {
        let known = shape.columns.iter().find(|known| known.name == member)?;
        known.label.as_deref()
    });
    let own = of_figure.or_else(|| column_label(step?, member, method));

    own.map(|label| without_unit(label, lang).to_owned())
        .or_else(|| column(member, lang))
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
