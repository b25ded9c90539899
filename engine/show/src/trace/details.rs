//! How a step was computed, as terms with their values.

use bareme_engine::Datum;
use bareme_engine::law::{Method, Operand, Sentence, Step, Written};
use bareme_engine::run::StepTrace;
use rust_decimal::Decimal;

use crate::formula::{applied_roundings, column, formula};
use crate::labels::{self, FINEST_SHOWN, column_label, given_word, known_label};
use crate::locale::{Locale, Medium};
use crate::names;
use crate::say;

use super::{capitalized, is_bare, limits, settled, worded};

/// How a step was computed, as terms with their values: formula, operands by label, limits,
/// rounding, article.
pub fn details(trace: &StepTrace, method: &Method, locale: Locale) -> Vec<(String, String)> {
    let lang = locale.lang;
    let mut details = Vec::new();
    let operands: Vec<(String, String)> = match locale.medium {
        Medium::Page => {
            let equation = worded::equation(trace, method, locale);
            let rule = worded::rule(trace, method, locale, equation.is_some());
            details.extend(equation.map(|shown| (say!(lang, "Calcul", "Computation"), shown)));
            details.extend(rule.map(|shown| (say!(lang, "Règle", "Rule"), shown)));
            let shown = |operand| {
                // A word that is given to another folder has its label there.
                let value = given_label(trace.step, operand).map(str::to_owned);
                let value = value.unwrap_or_else(|| worded::operand(operand, method, locale));
                (operand_label(trace.step, operand, method, locale), value)
            };
            worded::operands(trace, method, locale).map(shown).collect()
        }
        Medium::Plain => {
            // A formula of one name would repeat the operand below it.
            if trace.step.sentence() == Sentence::Formula && !is_bare(trace.step) {
                let read = trace.step.formula().map(|read| formula(read, lang));
                details.extend(read.map(|read| (say!(lang, "Calcul", "Computation"), read)));
            }
            let shown = |operand: &Operand| {
                let value = locale.operand(operand, method);
                (operand_label(trace.step, operand, method, locale), value)
            };
            trace.operands.iter().map(shown).collect()
        }
    };
    details.extend(operands.into_iter().filter(|(_, value)| !value.is_empty()));

    details.extend(
        limits(trace, method.into(), locale).map(|(phrase, limit)| (capitalized(phrase), limit)),
    );

    // A page shows no digits that a rounding so fine would change.
    let mut units = trace.rounding.0.iter().map(|rounding| rounding.unit);
    let is_shown = |unit: Decimal| locale.medium == Medium::Plain || unit > FINEST_SHOWN;
    if units.any(is_shown) {
        details.push((
            say!(lang, "Arrondi", "Rounding"),
            applied_roundings(&trace.rounding.0, locale),
        ));
    }

    details.extend(settled(trace, method.into(), locale).into_iter().flat_map(
        |(so_far, given)| {
            [
                (
                    say!(
                        lang,
                        "Cumul depuis le premier mois",
                        "Sum since the first month"
                    ),
                    so_far,
                ),
                (
                    say!(
                        lang,
                        "Déjà compté les mois précédents",
                        "Counted in the months before"
                    ),
                    given,
                ),
            ]
        },
    ));

    details.extend(
        trace
            .step
            .law
            .clone()
            .map(|law| (say!(lang, "Article", "Article"), law)),
    );

    details
}

/// The label of a word that a step gives to another folder.
fn given_label<'s>(step: &'s Step, operand: &Operand) -> Option<&'s str> {
    let Datum::Text(word) = operand.value.datum() else {
        return None;
    };
    let label = operand.label?;
    let mut given = step.keys.iter().flat_map(|(_, written)| match written {
        Written::Given(given) => given.as_slice(),
        _ => &[],
    });
    given_word(given.find(|given| given.label == label)?, word)
}

/// The label of an operand: of the input, step or figure that it is, or of its role in the step.
fn operand_label(of: &Step, operand: &Operand, method: &Method, locale: Locale) -> String {
    // What is given to another folder has its label there.
    if let Some(label) = operand.label {
        return label.to_owned();
    }

    // `famille.taux` is a column of a figure or an output of a step: it may have its own label, and
    // the owner has one.
    let (owner, member) = operand.name.split_once('.').unwrap_or((operand.name, ""));
    let mut steps = method.steps().iter();
    let step = steps.find(|step| step.name == owner && !member.is_empty());
    if let Some(label) = step.and_then(|step| column_label(step, member, method)) {
        return label.to_owned();
    }
    let known = known_label(owner, method).map(|label| match member {
        "" => label,
        member => match labels::member(owner, member, method, locale.lang) {
            Some(column) => format!("{label} ({column})"),
            // In English, analysts read the French name that the rules give.
            None if locale.medium == Medium::Plain => {
                format!("{label} ({})", column(member, locale.lang))
            }
            None => label,
        },
    });

    let spelled = spelled(operand.name, locale);
    // Operands of a kind of step have fixed names, which a step of the method may have too.
    if matches!(of.sentence(), Sentence::Words(_)) {
        spelled.or(known)
    } else {
        known.or(spelled)
    }
    .unwrap_or_else(|| capitalized(&names::words(&operand.name.replace('.', "_"), locale.lang)))
}

/// The words for the role of an operand in a kind of step.
fn spelled(name: &str, locale: Locale) -> Option<String> {
    let lang = locale.lang;

    Some(match name {
        "a_partir_de" => say!(lang, "À partir de", "From"),
        "assiette" => say!(lang, "Assiette retenue", "Base that counts"),
        "au_dela_de" => say!(lang, "Au-delà de", "Above"),
        "base" => say!(lang, "Assiette", "Base"),
        "jusqu_a" => say!(lang, "Jusqu’à", "Up to"),
        "plafond" => say!(lang, "Plafond", "Ceiling"),
        "plancher" => say!(lang, "Plancher", "Floor"),
        "taux" => say!(lang, "Taux", "Rate"),
        "taux_marginal" => say!(lang, "Taux marginal", "Marginal rate"),
        _ => return None,
    })
}
