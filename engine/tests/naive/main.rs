//! A second evaluator, deliberately naive: it reads the rule files itself, computes with exact
//! fractions straight from the meaning that the manual gives to each key, and shares nothing with
//! the engine but the reader of YAML. Thousands of random queries to each folder must get the same
//! answer from both.
//!
//! `BAREME_DRAWS=100000` draws more of them than the usual number.

#![cfg(test)]

mod answer;
mod calendar;
mod call;
#[path = "../common/mod.rs"]
mod common;
mod compute;
mod days;
mod draw;
mod eval;
mod fields;
mod formula;
mod generated;
mod input;
mod interpolate;
mod items;
mod json;
mod kinds;
mod law;
mod loan;
mod number;
mod past;
mod references;
mod rows;
mod rule_folder;
mod rule_sets;
mod sentence;
mod slices;
mod taken;
mod total;
mod year;

use std::path::Path;

use bareme_engine::authoring::Node;
use bareme_engine::law::Drafts;
use bareme_engine::{CalculationError, Folder};
use common::conformance::{self, Case};
use days::TODAY;
use draw::Random;
use jiff::civil::Date;
use json::Json;
use law::{Law, entries};
use past::When;
use rule_folder::read_folder;

/// Whether drafts count as the scales in force do.
const WITH_DRAFTS: bool = true;

/// Queries drawn for each folder, shared out among its scales.
fn draws() -> usize {
    std::env::var("BAREME_DRAWS").map_or(2400, |draws| draws.parse().unwrap())
}

#[test]
fn both_evaluators_agree_on_every_scale() {
    compare_set(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules"));
}

/// Forms that the rules in force may not use, or not on every day.
#[test]
fn both_evaluators_agree_on_made_up_scales() {
    compare_set(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/naive/rules"));
}

/// Cases of each kind, modifier and function: one that the naive evaluator does not know fails
/// here.
#[test]
fn both_evaluators_agree_on_the_cases_of_the_kinds() {
    conformance::each(|case| match case.errors() {
        Some(_) => {}
        None => compare_case(&case),
    });
}

fn compare_case(case: &Case) {
    let root = common::written(case.files());
    let loaded = bareme_engine::Loader::new().load(root.path());
    let rules = loaded
        .rules
        .unwrap_or_else(|| panic!("{}:\n{}", case.name(), common::reported(&loaded.report)));
    let laws = read_folder(&root.path().join("zz"));
    for (query, expected) in case.asks() {
        // Only the engine refuses what overflows a decimal: fractions have no limit.
        let refused = expected.get("refused").and_then(Node::text);
        if refused.is_none_or(|refused| !refused.value.ends_with("non_calculable")) {
            if conformance::is_year(&query) {
                // Refusals of years have cases of their own.
                if refused.is_none() {
                    year::compare_asked(rules.folder("zz").unwrap(), &laws, &query);
                }
                continue;
            }
            let sent = query.iter().find(|(name, _)| name == "date");
            let asked = sent.map_or(TODAY, |(_, date)| date.parse().unwrap());
            let is_in_force = |law: &&Law| {
                law.first_day
                    .as_ref()
                    .is_none_or(|date| date.parse::<Date>().unwrap() <= asked)
            };
            let law = laws.iter().rfind(is_in_force).unwrap();
            compare_one(
                rules.folder("zz").unwrap(),
                law,
                &query,
                days::when(law, asked),
            );
        }
    }
}

fn compare_set(root: &Path) {
    let rules = bareme_engine::Loader::new()
        .drafts(Drafts::Included)
        .load_service(root)
        .rules
        .expect("the rules have errors: run `bareme check` on them");
    let folders: Vec<&Folder> = rules.folders().collect();
    let (even, odd): (Vec<_>, Vec<_>) = folders
        .iter()
        .enumerate()
        .partition(|(index, _)| index % 2 == 0);
    let compare = |half: Vec<(usize, &&Folder)>| {
        half.iter()
            .for_each(|(_, folder)| compare_folder(root, folder))
    };

    std::thread::scope(|scope| {
        scope.spawn(|| compare(even));
        compare(odd);
    });
}

fn compare_folder(root: &Path, folder: &Folder) {
    let laws = read_folder(&root.join(folder.path()));
    for (index, law) in laws.iter().enumerate() {
        let edges = draw::edges(law);
        let mut random = Random(index as u64);
        for _ in 0..draws() / laws.len() / calculations(law) {
            let (mut query, when) = day(law, laws.get(index + 1), &mut random);
            query.extend(draw::query(law, &edges, &mut random));
            if random.one_in(8) {
                query.push(("detail".to_owned(), "true".to_owned()));
            }
            compare_one(folder, law, &query, when);
        }
    }

    year::compare(folder, &laws);
}

/// About how many calculations one answer is; a search is dozens of them.
fn calculations(law: &Law) -> usize {
    let parts = law.parts().into_iter();
    let steps = parts.flat_map(|(_, part)| entries(part, "steps"));
    let called = steps.filter(|(_, step)| step.get("calculate").is_some());
    (1 + called.count()) * if call::searches(law) { 3 } else { 1 }
}

/// A day of the scale, as a query says it, and what the answer speaks of.
fn day(law: &Law, next: Option<&Law>, random: &mut Random) -> (Vec<(String, String)>, When) {
    let Some(date) = &law.first_day else {
        return (Vec::new(), days::when(law, TODAY));
    };

    let first: Date = date.parse().unwrap();
    let ended = law.until().or(next.and_then(|next| next.first_day.clone()));
    let room = ended.map_or(800, |end| {
        first
            .until(end.parse::<Date>().unwrap())
            .unwrap()
            .get_days()
    });
    let later = if random.one_in(4) {
        0
    } else {
        random.below(u64::try_from(room).unwrap())
    };

    let asked = first + jiff::Span::new().days(i64::try_from(later).unwrap());
    (
        vec![("date".to_owned(), asked.to_string())],
        days::when(law, asked),
    )
}

fn compare_one(folder: &Folder, law: &Law, query: &[(String, String)], when: When) {
    let engine = calculated(folder, query).unwrap_or_else(|fault| panic!("{fault}"));
    if let Some(difference) = difference(law, query, when, &engine) {
        panic!(
            "{} of {:?}, {query:?}, engine and naive evaluator:\n{difference}",
            folder.path(),
            law.first_day
        );
    }
}

/// Names and texts of the fields of an answer, or the refused parameters.
type Answered = Result<Vec<(String, String)>, Vec<Refused>>;

/// The engine's answer to a query. An error is an internal fault.
fn calculated(folder: &Folder, query: &[(String, String)]) -> Result<Answered, CalculationError> {
    match folder.calculate(&query.into(), TODAY) {
        Ok(calculation) => {
            let members = calculation.datum().members().into_iter();
            let members = members.filter_map(|(name, value)| {
                let text = match name {
                    "avertissements" => without_searches(&value.to_string())?,
                    _ => value.to_string(),
                };
                Some((name.to_owned(), text))
            });
            Ok(Ok(comparable(members)))
        }
        Err(CalculationError::Refused(refusal)) => Ok(Err(refusal
            .parameters
            .iter()
            .map(|bad| (bad.name.clone(), bad.code.as_str()))
            .collect())),
        Err(fault) => Err(fault),
    }
}

/// The warnings of the law, without those of the search of an amount, which the tests of the search
/// compare with every amount; `None` where none is left.
fn without_searches(warnings: &str) -> Option<String> {
    let of_search = ["montant_inexact", "plusieurs_montants", "resultat_retombe"];
    let mut list: Vec<serde_json::Value> = serde_json::from_str(warnings).unwrap();
    list.retain(|warning| !of_search.contains(&warning["code"].as_str().unwrap()));
    (!list.is_empty()).then(|| serde_json::to_string(&list).unwrap())
}

/// The first difference between the answer of the engine and that of the naive evaluator.
fn difference(
    law: &Law,
    query: &[(String, String)],
    when: When,
    engine: &Answered,
) -> Option<String> {
    let naive = answer::answer(law, query, when).map(|answer| {
        let Json::Object(members) = answer else {
            panic!("an answer is an object")
        };
        comparable(
            members
                .into_iter()
                .map(|(name, value)| (name.into_owned(), value.to_string())),
        )
    });
    if *engine == naive {
        return None;
    }

    if let (Err(engine), Err(missing)) = (engine, &naive)
        && is_told_beside(law, query, when, engine, missing)
    {
        return None;
    }

    let differs = match (engine, &naive) {
        (Ok(engine), Ok(naive)) => engine
            .iter()
            .zip(naive)
            .find(|(engine, naive)| engine != naive)
            .map(|found| format!("{found:#?}")),
        _ => None,
    };

    Some(differs.unwrap_or_else(|| format!("{engine:?}\n{naive:?}")))
}

type Refused = (String, &'static str);

/// Whether the engine names what is missing, and besides values without a row that are refused as
/// well when something is sent in its place.
fn is_told_beside(
    law: &Law,
    query: &[(String, String)],
    when: When,
    engine: &[Refused],
    missing: &[Refused],
) -> bool {
    let Some(beside) = engine.strip_prefix(missing) else {
        return false;
    };

    let is_missing = |name: &str| missing.iter().any(|(known, _)| known == name);
    let mut filled: Vec<(String, String)> = query
        .iter()
        .filter(|(name, _)| !is_missing(name))
        .cloned()
        .collect();
    filled.extend(
        missing
            .iter()
            .map(|(name, _)| (name.clone(), "2500".to_owned())),
    );
    let refused = answer::answer(law, &filled, when).err().unwrap_or_default();
    missing.iter().all(|(_, code)| *code == "manquant")
        && beside.iter().all(|(_, code)| *code == "valeur_inconnue")
        // A check of the inputs speaks before the tables do.
        && refused.iter().any(|refused| beside.contains(refused) || is_missing(&refused.0) || refused.1 == "incompatible")
}

/// Names and texts of the fields of an answer, without what bears the hash of the files and the
/// engine's own account of its steps.
fn comparable(members: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    members
        .filter(|(name, _)| !["version", "citation", "etapes"].contains(&name.as_str()))
        .collect()
}
