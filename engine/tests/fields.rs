//! Some fields of an answer: each has the value that it has in the whole answer, whichever steps
//! did not run for it.

#![cfg(test)]

mod common;

use std::collections::BTreeMap;

use bareme_engine::run::FieldSelection;
use bareme_engine::text::ParameterCode;
use bareme_engine::{Calculation, CalculationError, Folder, Query};
use jiff::civil::{Date, date};

const TODAY: Date = date(2026, 6, 30);

type Parameters = Vec<(String, String)>;

fn calculate<'f>(
    folder: &'f Folder,
    query: &[(String, String)],
) -> Result<Calculation<'f>, CalculationError> {
    folder.calculate(&Query::from(query), TODAY)
}

/// The members of an answer, each as JSON has it.
fn members(calculation: &Calculation) -> BTreeMap<String, String> {
    let members = calculation.datum().members();
    members
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_string()))
        .collect()
}

fn with(query: &Parameters, name: &str, value: &str) -> Parameters {
    query
        .iter()
        .cloned()
        .chain([(name.to_owned(), value.to_owned())])
        .collect()
}

fn codes(folder: &Folder, query: &[(&str, &str)]) -> Vec<(ParameterCode, String)> {
    let query: Parameters = query
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let error = calculate(folder, &query).unwrap_err();
    let bad = error.refusal().unwrap().parameters.iter();
    bad.map(|bad| (bad.code, bad.received.clone().unwrap_or_default()))
        .collect()
}

/// Every member of the answers to worked cases, asked for alone.
#[test]
fn a_field_alone_has_the_value_of_the_whole_answer() {
    let rules = common::rules();
    let (mut compared, mut alone) = (0, 0);
    for folder in rules.folders() {
        // One in several: what differs between cases of a folder is mostly the amounts.
        let step = folder.cases().len().div_ceil(20).max(1);
        for case in folder.cases().iter().step_by(step) {
            let Ok(whole) = calculate(folder, &case.query) else {
                continue;
            };
            let whole = members(&whole);
            for (name, value) in &whole {
                let part = calculate(folder, &with(&case.query, "champs", name)).unwrap();
                let mut part = members(&part);
                assert_eq!(
                    part.remove(name).as_ref(),
                    Some(value),
                    "{} {:?} {name}",
                    folder.path(),
                    case.query
                );
                // Warnings are not for the choosing, nor the steps that `detail` asks for.
                part.retain(|name, _| name != "avertissements" && name != "etapes");
                assert_eq!(
                    part,
                    BTreeMap::new(),
                    "{} {:?} {name}",
                    folder.path(),
                    case.query
                );
                alone += 1;
            }
            compared += 1;
        }
    }
    assert!(
        compared > 300 && alone > 5_000,
        "{compared} cases, {alone} fields"
    );
}

#[test]
fn several_fields_come_in_the_order_of_the_answer() {
    let rules = common::rules();
    let folder = rules.folder("ir").unwrap();
    let answered = |fields: &str| {
        let query = [("revenu", "30000"), ("champs", fields)]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        calculate(folder, &query).unwrap().to_json()
    };
    assert_eq!(answered("impot_net"), r#"{"impot_net":2104}"#);
    assert_eq!(
        answered(" bareme_en_vigueur, impot_net,impot_net"),
        answered("impot_net,bareme_en_vigueur")
    );
    assert!(
        answered("bareme_en_vigueur,impot_net")
            .starts_with(r#"{"impot_net":2104,"bareme_en_vigueur":"20"#)
    );
}

#[test]
fn what_an_answer_does_not_have_is_refused_by_its_name() {
    let rules = common::rules();
    let ir = rules.folder("ir").unwrap();
    let refused = codes(
        ir,
        &[("revenu", "30000"), ("champs", "impot_nett,version,,autre")],
    );
    let unknown = |name: &str| (ParameterCode::UnknownValue, name.to_owned());
    assert_eq!(
        refused,
        [unknown("impot_nett"), unknown(""), unknown("autre")]
    );

    // A field of an option needs it on; the steps need `detail`.
    let pay = rules.folder("salaire").unwrap();
    let option = pay.latest().unwrap().method().options().first().unwrap();
    let field = pay
        .fields()
        .into_iter()
        .find(|field| pay.option_of(field) == Some(option.name.as_str()))
        .unwrap();
    let refused = codes(
        pay,
        &[
            ("brut", "2500"),
            ("champs", &format!("{},etapes", field.name)),
        ],
    );
    assert_eq!(
        refused.iter().map(|(code, _)| *code).collect::<Vec<_>>(),
        [ParameterCode::Incompatible; 2]
    );
    let query = [
        ("brut", "2500"),
        (option.name.as_str(), "true"),
        ("champs", field.name.as_str()),
    ];
    let query = query.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(members(&calculate(pay, &query).unwrap()).len(), 1);
}

/// Fields that are selected beside the parameters are those of `champs`, with the same refusals;
/// fields that nobody named are left out where an answer does not have them.
#[test]
fn a_selection_is_refused_like_the_parameter() {
    let rules = common::rules();
    let pay = rules.folder("salaire").unwrap();
    let refused = |query: Query| pay.calculate(&query, TODAY).unwrap_err();
    let names = ["net", "cout_employeur", "nett", "etapes"];
    let asked = refused(Query::from([("brut", "2500")]).selecting(FieldSelection::Asked(&names)));
    let champs = names.join(",");
    assert_eq!(
        asked,
        refused(Query::from([("brut", "2500"), ("champs", champs.as_str())]))
    );
    assert_eq!(asked.refusal().unwrap().parameters.len(), 3);

    let query = Query::from([("brut", "2500")]).selecting(FieldSelection::Available(&names));
    let available = members(&pay.calculate(&query, TODAY).unwrap());
    assert_eq!(available.keys().collect::<Vec<_>>(), ["net"]);
    let both = [("brut", "2500"), ("champs", "net")];
    let twice = refused(Query::from(both).selecting(FieldSelection::Asked(&["net"])));
    assert_eq!(
        twice.refusal().unwrap().parameters[0].code,
        ParameterCode::Repeated
    );
    let own = Query::from(both).selecting(FieldSelection::Available(&["brut"]));
    assert_eq!(
        members(&pay.calculate(&own, TODAY).unwrap())
            .keys()
            .collect::<Vec<_>>(),
        ["net"]
    );
}
