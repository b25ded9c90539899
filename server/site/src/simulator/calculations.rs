//! The pays whose amounts may be asked for both ways, as the script of the element for other sites
//! needs them: the call, the amounts, the period.

use bareme_engine::law::{Inverse, Method};
use bareme_engine::run::Edition;
use bareme_engine::service::Rules;
use serde_json::{Map, Value, json};

use super::amounts::Money;
use super::driver::driver;
use super::period;
use super::question::Question;
use super::targets;
use crate::catalogue::{self, ListedFolder};
use crate::language::code;
use crate::text::printed;

/// The calculations, each by the word of its folder; one without a word by its country. Those whose
/// texts are in English too have their words in both languages.
pub(crate) fn calculations(rules: &Rules, english: Option<&Rules>) -> Map<String, Value> {
    let all = catalogue::all(rules).into_iter();
    // Beside a variant without CORS, no script of another site could read the answers.
    let open = all.filter(|listed| listed.variant.cors);
    let calculation = |listed: ListedFolder| {
        let country = listed.endpoint.country.as_deref();
        let name = listed.word.or(country)?.to_owned();
        let path = listed.folder.path();
        let english = english.and_then(|rules| catalogue::find(rules, path));
        Some((name, calculation(&listed, english.as_ref())?))
    };
    open.filter_map(calculation).collect()
}

/// A calculation; `None` for one that is no pay.
fn calculation(listed: &ListedFolder, english: Option<&ListedFolder>) -> Option<Value> {
    let method = listed.folder.latest().map(Edition::method)?;
    let driver = driver(method)?;
    let field = |index: usize| Some(method.fields().get(index)?.name.as_str());

    // 1. The amounts: the input, then what may be asked for in its place.
    let own = json!({
        "nom": driver.input.name,
        "champ": field(driver.inverses.first()?.shown)?,
    });
    let targets = driver.inverses.iter().filter_map(|inverse| {
        Some(json!({"nom": inverse.parameter.name, "champ": field(inverse.field)?}))
    });
    let amounts: Vec<Value> = [own].into_iter().chain(targets).collect();
    let fields: Vec<&Value> = amounts.iter().map(|amount| &amount["champ"]).collect();

    // 2. What brings their fields along, and the word of a family.
    let mut with = Map::new();
    if let Some((by, word)) = listed.endpoint.by.as_ref().zip(listed.word) {
        with.insert(by.clone(), word.into());
    }
    for inverse in &driver.inverses {
        with.extend(brought(method, inverse));
    }

    // 3. The choice of the period.
    let period = period::input(method).map(|input| {
        let words = input.values.iter();
        let words: Vec<_> = words.map(|(word, _)| word).collect();
        json!({"nom": input.name, "mots": words})
    });

    // 4. The words of each language.
    let both = [Some(listed), english].into_iter().flatten();
    let words: Map<String, Value> = both
        .filter_map(|listed| Some((code(listed.lang()).to_owned(), words(listed)?)))
        .collect();

    Some(json!({
        "appel": format!("{}/{}", listed.variant.prefix, listed.endpoint.name),
        "montants": amounts,
        "champs": fields,
        "avec": with,
        "periode": period,
        "decimales": Money::new(method).0.decimals,
        "textes": words,
    }))
}

/// What a calculation is called in a language: its amounts and its periods in the order of the
/// calculation.
fn words(listed: &ListedFolder) -> Option<Value> {
    let method = listed.folder.latest().map(Edition::method)?;
    let driver = driver(method)?;
    let question = Question::empty(*listed);

    let targets = driver.inverses.iter();
    let targets = targets.map(|inverse| printed(&targets::label(&question, method, inverse)));
    let amounts: Vec<String> = [printed(&driver.input.label)]
        .into_iter()
        .chain(targets)
        .collect();
    let periods = period::input(method).map(|input| {
        let labels = input.values.iter();
        labels.map(|(_, label)| label).collect::<Vec<_>>()
    });

    Some(json!({
        "titre": printed(listed.folder.title()),
        "montants": amounts,
        "periodes": periods.unwrap_or_default(),
        "signe": Money::new(method).sign(),
        "simulateur": listed.simulator(),
    }))
}

/// The options and the inputs with which an answer has the field of a target.
fn brought(method: &Method, inverse: &Inverse) -> Vec<(String, Value)> {
    let option = inverse
        .option
        .and_then(|option| method.options().get(option));
    let option = option.map(|option| (option.name.clone(), "true".into()));
    let assumed = inverse.assumed.iter().filter_map(|assumed| {
        let input = assumed.input.of(method.inputs())?;
        Some((input.name.clone(), input.sent_text(&assumed.value).into()))
    });
    assumed.chain(option).collect()
}
