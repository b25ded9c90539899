//! How long an answer takes, with its JSON, in every folder; and the reading of the whole set with
//! its worked cases.
//!
//! `cargo bench --workspace --bench answer`

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use bareme_engine::run::Case;
use bareme_engine::{Folder, Loader};
use criterion::Criterion;
use jiff::civil::{Date, date};

/// For the queries that say no date of their own.
const ANY_DAY: Date = date(2026, 6, 30);

/// A call that goes through most of its folder; a folder that is not here is asked its first worked
/// case.
const FULL: [(&str, &str); 6] = [
    ("ir", "revenu=78400&parts=3"),
    ("salaire", "brut=2650&cadre=true"),
    ("pret", "montant=180000&duree=216&taux=3.15"),
    ("salaire-net/qc", "brut=9500"),
    // Three calculations of another folder.
    (
        "dividendes",
        "dividendes=10000&autres_revenus=60000&parts=2.5",
    ),
    // Most of what a household declares.
    (
        "foyer",
        "situation=couple&enfants=2&salaire=45000&salaire_conjoint=38000&dividendes=5000&per=2000&dons=500&garde=2300",
    ),
];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"))
}

fn query(folder: &Folder) -> Vec<(String, String)> {
    let full = FULL.iter().find(|(path, _)| *path == folder.path());
    let pairs = |(_, text): &(&str, &str)| {
        text.split('&')
            .filter_map(|pair| pair.split_once('='))
            .map(owned)
            .collect()
    };
    let first = || {
        folder
            .cases()
            .iter()
            .find(|case| case.refuse.is_none())
            .map(|case| case.query.clone())
    };
    full.map(pairs).or_else(first).unwrap_or_default()
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// Measures an answer with its JSON; a refusal would measure nothing.
fn measure(criterion: &mut Criterion, name: &str, folder: &Folder, query: &[(String, String)]) {
    let ask = || {
        folder
            .calculate(&black_box(query).into(), ANY_DAY)
            .map(|calculation| calculation.to_json())
    };
    assert!(ask().is_ok(), "{name}: refused");
    criterion.bench_function(name, |bencher| bencher.iter(ask));
}

fn answers(criterion: &mut Criterion) {
    let Some(rules) = Loader::new().load(root()).rules else {
        return eprintln!("the rules have mistakes: see bareme check");
    };
    for folder in rules.folders() {
        measure(criterion, folder.path(), folder, &query(folder));
    }
}

/// Time of an answer with each option of its method on: to be read beside the time without.
fn options(criterion: &mut Criterion) {
    let Some(rules) = Loader::new().load(root()).rules else {
        return;
    };
    for folder in rules.folders() {
        let Some(edition) = folder.edition(ANY_DAY) else {
            continue;
        };
        for option in edition.method().options() {
            let mut query = query(folder);
            query.retain(|(name, _)| *name != option.name);
            query.push((option.name.clone(), "true".to_owned()));
            let name = format!("{} with {}", folder.path(), option.name);
            measure(criterion, &name, folder, &query);
        }
    }
}

/// Time of a year of twelve pays, with the employer's part: to be read beside that of a month.
fn years(criterion: &mut Criterion) {
    let Some(rules) = Loader::new().without_cases().load(root()).rules else {
        return;
    };
    let Some(folder) = rules.folder("salaire") else {
        return;
    };
    let query = [
        ("annee", "2026"),
        ("brut", "2600"),
        ("primes", "0;0;0;0;0;300;0;0;0;0;0;2600"),
        ("employeur", "true"),
    ];
    let ask = || {
        folder
            .year(&black_box(query).into())
            .map(|year| year.to_json())
    };
    assert!(ask().is_ok(), "a refusal would measure nothing");
    criterion.bench_function("salaire, a year with employeur", |bencher| {
        bencher.iter(ask)
    });
}

/// Time of an answer that is searched for: the first worked case of a folder by each of its
/// targets.
fn searches(criterion: &mut Criterion) {
    let Some(rules) = Loader::new().load(root()).rules else {
        return;
    };
    for folder in rules.folders() {
        let Some(edition) = folder.edition(ANY_DAY) else {
            continue;
        };
        for inverse in edition.method().inverses() {
            let target = &inverse.parameter.name;
            let asks = |case: &&Case| {
                let names_it = case.query.iter().any(|(name, _)| name == target);
                names_it && case.refuse.is_none()
            };
            let Some(case) = folder.cases().iter().find(asks) else {
                continue;
            };
            let name = format!("{} by {target}", folder.path());
            measure(criterion, &name, folder, &case.query);
        }
    }
}

fn reading(criterion: &mut Criterion) {
    criterion.bench_function("the whole set, read", |bencher| {
        bencher.iter(|| Loader::new().load(black_box(root())))
    });
}

fn main() {
    let (warm_up, measured) = (Duration::from_millis(500), Duration::from_secs(2));
    let mut criterion = Criterion::default()
        .warm_up_time(warm_up)
        .measurement_time(measured)
        .configure_from_args();
    answers(&mut criterion);
    options(&mut criterion);
    years(&mut criterion);
    searches(&mut criterion);
    reading(&mut criterion);
    criterion.final_summary();
}
