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
use crate::text::printed;

/// The calculations, each by the word of its folder; one without a word by its country.
pub(crate) fn calculations(rules: &Rules) -> Map<String, Value> {
    let all = catalogue::all(rules).into_iter();
    // Beside a variant without CORS, no script of another site could read the answers.
    let open = all.filter(|listed| listed.variant.cors);
    let calculation = |listed: ListedFolder| {
        let country = listed.endpoint.country.as_deref();
        let name = listed.word.or(country)?.to_owned();
        Some((name, calculation(&listed)?))
    };
    open.filter_map(calculation).collect()
}

/// A calculation; `None` for one that is no pay.
fn calculation(listed: &ListedFolder) -> Option<Value> {
    let method = listed.folder.latest().map(Edition::method)?;
    let driver = driver(method)?;
    let question = Question::empty(*listed);
    let field = |index: usize| Some(method.fields().get(index)?.name.as_str());

    // 1. The amounts: the input, then what may be asked for in its place.
    let own = json!({
        "nom": driver.input.name,
        "champ": field(driver.inverses.first()?.shown)?,
        "libelle": printed(&driver.input.label),
    });
    let targets = driver.inverses.iter().filter_map(|inverse| {
        Some(json!({
            "nom": inverse.parameter.name,
            "champ": field(inverse.field)?,
            "libelle": printed(&targets::label(&question, method, inverse)),
        }))
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
        let words: Vec<_> = words.map(|(word, label)| [word, label]).collect();
        json!({"nom": input.name, "mots": words})
    });

    let money = Money::new(method);
    Some(json!({
        "titre": printed(listed.folder.title()),
        "appel": format!("{}/{}", listed.variant.prefix, listed.endpoint.name),
        "simulateur": listed.simulator(),
        "montants": amounts,
        "champs": fields,
        "avec": with,
        "periode": period,
        "signe": money.sign(),
        "decimales": money.0.decimals,
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
