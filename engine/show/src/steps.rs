//! The steps of a method, in words.

use bareme_engine::Lang;
use bareme_engine::law::{
    Ast, AstNode, GivenInput, MODIFIERS, Method, MethodOption, Rounding, Step, Written,
};
use bareme_engine::text::Text;

use crate::formula::{FormulaWords, separator, with_names};
use crate::labels::{FINEST_SHOWN, given_word, in_quotes, with_labels, without_unit};
use crate::locale::Locale;
use crate::say;

/// The computation of a step, in words, with the names of the rules:
/// `cotisation sur brut, chiffres de cnps, au plus sur plafond (mensuel)`.
pub fn sentence(method: &Method, step: &Step, lang: Lang) -> String {
    with_names(lang, |words| {
        let phrases = Phrases {
            method,
            step,
            words,
            is_page: false,
        };
        phrases.sentence()
    })
}

/// The computation of a step for readers of a page, where every name is a label:
/// `cotisation sur « Salaire brut », chiffres de « Retraite », au plus sur « Plafond, mensuel »`.
pub fn labelled_sentence(method: &Method, step: &Step, locale: Locale) -> String {
    with_labels(method, locale, |words| {
        let phrases = Phrases {
            method,
            step,
            words,
            is_page: true,
        };
        phrases.sentence()
    })
}

/// The keys of a step in words.
struct Phrases<'p> {
    method: &'p Method,
    step: &'p Step,
    words: &'p FormulaWords<'p>,
    /// Whether the words are those of a page, which leaves out what only authors of rules read.
    is_page: bool,
}

impl Phrases<'_> {
    fn sentence(&self) -> String {
        let (step, lang) = (self.step, self.words.lang);

        // The key of the kind itself has what the step is about: `contribution: brut`.
        let own = step
            .keys
            .iter()
            .find(|(key, _)| *key == step.kind.name)
            .map(|(_, written)| self.written(written));
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
            let phrase = phrase.in_lang(lang);
            let value = match (*key, written) {
                // The name of a field of another folder, and the word for the year after.
                ("value", Written::Name(_)) if self.is_page => continue,
                ("on", Written::Name(_)) if self.is_page => {
                    text.push_str(&say!(
                        lang,
                        ", au 1er janvier de l’année suivante",
                        ", on 1 January of the following year"
                    ));
                    continue;
                }
                (_, Written::Roundings(read)) if self.is_page && is_fine(read) => continue,
                (_, Written::Formulas(formulas)) => self.by(formulas),
                _ => self.written(written),
            };
            text.push_str(&format!(", {phrase} {value}"));
        }
        text
    }

    fn written(&self, written: &Written) -> String {
        match written {
            Written::Formula(read) => self.words.formula(read),
            Written::Formulas(list) => self.words.list(list),
            Written::Roundings(list) => self.words.roundings(list),
            Written::Name(name) => (self.words.name)(name),
            Written::Given(given) => {
                let given = given.iter().map(|input| self.given(input));
                given.collect::<Vec<_>>().join(separator(self.words.lang))
            }
        }
    }

    /// An input of another folder with its formula.
    fn given(&self, input: &GivenInput) -> String {
        let label = if self.is_page {
            let (lang, label) = (self.words.lang, &input.label);
            let label = without_unit(label, lang);
            say!(lang, "« {label} »", "“{label}”")
        } else {
            input.label.clone()
        };
        let word = match &input.formula.node {
            AstNode::Name(word) if self.is_page => given_word(input, word),
            _ => None,
        };
        let value = word.map(|label| in_quotes(label, self.words.lang));
        let value = value.unwrap_or_else(|| self.words.formula(&input.formula));
        // An input of the same label is passed on as it is.
        if label == value {
            value
        } else {
            format!("{label} = {value}")
        }
    }

    /// The values that select a row, each preceded by its column:
    /// `mois ; la tranche de base_imposable`.
    fn by(&self, formulas: &[Ast]) -> String {
        let shape = self
            .step
            .figures
            .first()
            .and_then(|figure| figure.of(self.method.figures()));
        let keys = shape.map(|shape| shape.keys.as_slice()).unwrap_or_default();

        // Keys of a table come in the order of its columns; what is left selects the bracket.
        let chosen = formulas.iter().enumerate().map(|(index, read)| {
            let shown = self.words.formula(read);
            match keys.get(index) {
                // `by: mois` for the column `mois` needs no more than its name.
                Some(key) if matches!(&read.node, AstNode::Name(name) if *name == key.name) => {
                    shown
                }
                // An input of the same label needs no more either.
                Some(key) => Some((self.words.name)(&key.name))
                    .filter(|name| *name != shown)
                    .map_or_else(|| shown.clone(), |name| format!("{name} = {shown}")),
                None => say!(
                    self.words.lang,
                    "la tranche de {shown}",
                    "the band of {shown}"
                ),
            }
        });
        chosen.collect::<Vec<_>>().join(separator(self.words.lang))
    }
}

/// Whether every rounding is so fine that a page shows no digit that it changes.
fn is_fine(roundings: &[Rounding<Ast>]) -> bool {
    let mut units = roundings.iter().map(|rounding| &rounding.unit.node);
    units.all(|unit| matches!(unit, AstNode::Number(unit) if *unit <= FINEST_SHOWN))
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
    use std::path::Path;

    use bareme_engine::Lang;

    use super::*;

    #[test]
    fn a_page_calls_what_a_step_reads_by_its_labels() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules");
        let rules = bareme_engine::Loader::new()
            .without_cases()
            .only(&["salaire", "statuts"])
            .load(&root)
            .rules
            .unwrap();
        let shown = |folder: &str, name: &str| {
            let method = rules.folder(folder).unwrap().latest().unwrap().method();
            let mut steps = method.steps().iter();
            let step = steps.find(|step| step.name == name).unwrap();
            (
                labelled_sentence(method, step, Locale::PAGE),
                sentence(method, step, Lang::Fr),
            )
        };

        let (page, rules_of) = shown("salaire", "vieillesse_plafonnee");
        assert_eq!(
            page,
            "cotisation sur « Tranche 1 », chiffres de « Vieillesse plafonnée », pour la part \
             au-delà de « Rémunération de l’apprenti exonérée de cotisations », arrondi au plus \
             proche, à 0,01"
        );
        assert!(rules_of.starts_with("cotisation sur tranche_1, chiffres de vieillesse_plafonnee"));

        // A rounding without effect is left out; the rules keep it.
        let (page, rules_of) = shown("salaire", "plafond_compare");
        assert_eq!(page, "« Plafonds depuis janvier ou l’embauche »");
        assert!(rules_of.contains("arrondi au plus proche"));

        // The inputs given to another folder, and its day, in words.
        let (page, rules_of) = shown("statuts", "impot_sans_activite");
        assert!(
            page.contains("« Revenu net imposable du foyer » = « ")
                && page.ends_with(", au 1er janvier de l’année suivante"),
            "{page}"
        );
        assert!(rules_of.contains("next_year"));
    }

    #[test]
    fn every_key_of_every_kind_has_its_words() {
        for key in bareme_engine::law::KINDS.iter().flat_map(|kind| kind.keys) {
            // The page shows the period of a formula with its result.
            assert!(key.phrase.is_some() || key.name == "per", "{}", key.name);
        }
    }
}
