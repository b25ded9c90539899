//! The steps of a method, in words.

use bareme_engine::Lang;
use bareme_engine::law::{Ast, AstNode, MODIFIERS, Method, MethodOption, Step, Written};
use bareme_engine::text::Text;

use crate::formula::{formula, separator, written_roundings};
use crate::say;

/// The computation of a step, in words:
/// `cotisation sur brut, chiffres de cnps, au plus sur plafond (mensuel)`.
pub fn sentence(method: &Method, step: &Step, lang: Lang) -> String {
    // The key of the kind itself has what the step is about: `contribution: brut`.
    let own = step
        .keys
        .iter()
        .find(|(key, _)| *key == step.kind.name)
        .map(|(_, written)| words(written, lang));

    let phrase = step
        .kind
        .phrase
        .map(|phrase| phrase.in_lang(lang).to_owned());

    let mut text = phrase.into_iter().chain(own).collect::<Vec<_>>().join(" ");
    // The other keys and the modifiers follow, in the order of the file.
    for (key, written) in &step.keys {
        let Some(phrase) = phrase_of(step, key) else {
            continue;
        };

        let value = match written {
            Written::Formulas(formulas) => by(method, step, formulas, lang),
            written => words(written, lang),
        };

        text.push_str(&format!(", {} {value}", phrase.in_lang(lang)));
    }

    text
}

fn words(written: &Written, lang: Lang) -> String {
    match written {
        Written::Formula(read) => formula(read, lang),
        Written::Formulas(list) => crate::formula::list(list, lang),
        Written::Roundings(list) => written_roundings(list, lang),
        Written::Name(name) => name.clone(),
        Written::Given(given) => given
            .iter()
            .map(|input| format!("{} = {}", input.label, formula(&input.formula, lang)))
            .collect::<Vec<_>>()
            .join(separator(lang)),
    }
}

/// The values that select a row, each preceded by its column:
/// `mois ; la tranche de base_imposable`.
fn by(method: &Method, step: &Step, formulas: &[Ast], lang: Lang) -> String {
    let shape = step
        .figures
        .first()
        .and_then(|figure| figure.of(method.figures()));

    let keys = shape.map(|shape| shape.keys.as_slice()).unwrap_or_default();
    // Keys of a table come in the order of its columns; what is left selects the bracket.
    let chosen = formulas.iter().enumerate().map(|(index, read)| {
        let shown = formula(read, lang);
        match keys.get(index) {
            // `by: mois` for the column `mois` needs no more than its name.
            Some(key) if matches!(&read.node, AstNode::Name(name) if *name == key.name) => shown,
            Some(key) => format!("{} = {shown}", key.name),
            None => say!(lang, "la tranche de {shown}", "the band of {shown}"),
        }
    });

    chosen.collect::<Vec<_>>().join(separator(lang))
}

/// Phrase before the value of a key; `None` for the key of the kind itself.
fn phrase_of(step: &Step, key: &str) -> Option<Text> {
    let modifier = MODIFIERS
        .iter()
        .find(|modifier| modifier.name == key)
        .map(|modifier| modifier.phrase);
    let own = step.kind.keys.iter().find(|own| own.name == key);
    own.map_or(modifier, |own| own.phrase)
}

/// Title of an option, and the input that switches it on.
pub fn option_title(method: &Method, option: &MethodOption, lang: Lang) -> String {
    let (name, input) = (&option.name, option.input.of(method.inputs()));
    let label = input.map(|input| input.label.as_str()).unwrap_or_default();

    say!(
        lang,
        "{label} (avec `{name}=true`)",
        "{label} (with `{name}=true`)"
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_key_of_every_kind_has_its_words() {
        for key in bareme_engine::law::KINDS.iter().flat_map(|kind| kind.keys) {
            // The page shows the period of a formula with its result.
            assert!(key.phrase.is_some() || key.name == "per", "{}", key.name);
        }
    }
}
