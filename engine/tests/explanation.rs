//! Explanations of the calculations that steps ask of other folders: the address that an answer
//! gives for one answers with the same steps, digit for digit.

#![cfg(test)]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use bareme_engine::service::{Endpoint, Rules};
use jiff::civil::{Date, date};
use serde_json::Value;

/// The day of a calculation without dates, and of those that it asks for.
const TODAY: Date = date(2026, 6, 30);

/// A step whose calculation of another folder is explained.
#[derive(Debug)]
struct Explained {
    /// The calculation that asks, for a failure.
    asked_by: String,
    address: String,
    steps: Vec<Value>,
}

/// The pairs of a query string of numbers, words and days.
fn pairs(query: &str) -> Vec<(String, String)> {
    let pair = |text: &str| {
        let (name, value) = text.split_once('=').expect("a name and a value");
        assert!(!value.contains('%'), "{text}");
        (name.to_owned(), value.to_owned())
    };
    query.split('&').map(pair).collect()
}

/// The steps of the answer of an endpoint, with those of all that it calculates.
fn steps(rules: &Rules, endpoint: &Endpoint, sent: &[(String, String)]) -> Vec<Value> {
    let mut sent = sent.to_vec();
    sent.push(("detail".to_owned(), "complet".to_owned()));
    let answer = rules.calculate(endpoint, &sent, TODAY);
    let answer = answer.unwrap_or_else(|error| panic!("{}: {sent:?}: {error}", endpoint.name));
    let json: Value = serde_json::from_str(&answer.to_json()).expect("JSON");
    json["etapes"].as_array().expect("steps").clone()
}

/// Adds the explained calculations of some steps, and of the steps within them.
fn collect(asked_by: &str, steps: &[Value], found: &mut Vec<Explained>) {
    for call in steps.iter().filter_map(|step| step.get("calcul")) {
        let nested = call["etapes"].as_array().expect("its steps");
        collect(asked_by, nested, found);

        if let Some(address) = call.get("adresse") {
            found.push(Explained {
                asked_by: asked_by.to_owned(),
                address: address.as_str().expect("a text").to_owned(),
                steps: nested.clone(),
            });
        }
    }
}

#[test]
fn the_address_of_a_called_calculation_has_its_steps() {
    let rules = common::rules();
    let endpoints = &rules.service().endpoints;
    let by_name: BTreeMap<&str, &Endpoint> = endpoints
        .iter()
        .map(|endpoint| (endpoint.name.as_str(), endpoint))
        .collect();

    // 1. Every calculation that a worked case asks of another folder.
    let mut explained = Vec::new();
    for endpoint in endpoints.iter().filter(|endpoint| endpoint.by.is_none()) {
        let folder = rules.folder(&endpoint.folder).expect("its folder");
        for case in folder.answered_cases().filter(|case| !case.is_year) {
            let own = steps(rules, endpoint, &case.query);
            let asked_by = format!("{}: {:?}", endpoint.name, case.query);
            collect(&asked_by, &own, &mut explained);
        }
    }

    // 2. Each address once.
    let mut seen = BTreeSet::new();
    let mut folders = BTreeSet::new();
    for called in explained {
        if !seen.insert(called.address.clone()) {
            continue;
        }
        let (name, query) = called.address.split_once('?').expect("a query");
        folders.insert(name.to_owned());
        let answered = steps(rules, by_name[name], &pairs(query));
        assert_eq!(
            called.steps, answered,
            "{} of {}",
            called.address, called.asked_by
        );
    }

    // 3. The folders that others calculate were among them.
    let called = ["independant", "ir", "micro-entreprise", "salaire", "tva"];
    for name in called {
        assert!(folders.contains(name), "{name} is not among {folders:?}");
    }
    assert!(seen.len() > 500, "{} addresses", seen.len());
}
