//! Any bytes as a formula: accepted and evaluated, or refused with a place in the file.
//!
//! The first byte of an input is the key that holds the formula.

use bareme_engine::{FileSet, Loader, Query};
use jiff::civil::date;

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "formula",
    seeds,
    tokens: &TOKENS,
    check,
};

const TOKENS: [&str; 52] = [
    "+",
    "-",
    "*",
    "/",
    "(",
    ")",
    ";",
    " = ",
    " != ",
    " < ",
    " <= ",
    " > ",
    " >= ",
    " and ",
    " or ",
    "not ",
    "if ",
    " then ",
    " else ",
    "true",
    "false",
    "min(",
    "max(",
    "given(",
    "annual(",
    "monthly(",
    "power(",
    "ratio(",
    "year_to_date(",
    "year_mean(",
    "last_month(",
    "already",
    "brut",
    "n",
    "cadre",
    "zone",
    "nord",
    "f.taux",
    "f.montant",
    "t.taux",
    "scale.year",
    "scale.months",
    "scale.date",
    "0",
    "0.5",
    "1/3",
    "12%",
    "1 000",
    "79228162514264337593543950335",
    "0.0000000000000000000000000001",
    "é",
    ".",
];

/// Keys that hold a formula.
const PLACES: [&str; 4] = ["formula", "when", "default", "value"];

fn seeds() -> Vec<Vec<u8>> {
    let formulas = [
        "brut * f.taux + min(f.montant; brut / 2; 0) - f.montant",
        "if cadre and brut > f.montant then brut * 0.12 else max(0; brut - f.montant)",
        "not cadre and zone = nord or n != 3",
        "power(1 + t.taux; 0.25) * ratio(brut; f.montant) + n",
        "-(brut - n * (2 - n) * brut) / (1 + n)",
        "scale.year = 2026 and not (n >= 2)",
    ];
    let mut seeds = Vec::new();
    for (place, formula) in
        (0..PLACES.len()).flat_map(|place| formulas.map(|formula| (place, formula)))
    {
        seeds.push([&[u8::try_from(place).unwrap()], formula.as_bytes()].concat());
    }
    seeds
}

fn method(place: &str, formula: &str) -> String {
    // A string of JSON is one of YAML.
    let formula = serde_json::Value::from(formula);
    let at = |known: &str, otherwise: &str| {
        if place == known {
            formula.to_string()
        } else {
            otherwise.to_owned()
        }
    };
    format!(
        "format: bareme/1
folder: zz
title: Titre
currency: EUR
inputs:
  brut:  {{type: money, required: true, label: Brut}}
  n:     {{type: number, default: {}, label: Nombre}}
  cadre: {{type: boolean, default: false, label: Cadre}}
  zone:  {{type: choice, values: nord; sud, default: nord, label: Zone}}
figures:
  f: {{taux: rate, montant: money}}
  t: {{zone: key, taux: rate}}
steps:
  t: {{table: t, by: zone}}
  x: {{formula: {}, when: {}}}
answer:
  x: {{value: {}, label: Valeur}}
  y: {{value: f.montant * (f.taux * t.taux + n), label: Autre}}
  z: {{value: x, label: Encore}}
",
        at("default", "1"),
        at("formula", "brut"),
        at("when", "true"),
        at("value", "x")
    )
}

const SCALE: &str = "format: bareme/1
title: Titre
sources:
  s: {kind: law, title: Source, publisher: Editeur}
figures:
  f: {taux: 12.5%, montant: 100, source: s}
  t:
    source: s
    rows:
      - {zone: nord, taux: 1%}
      - {zone: sud, taux: 1/3}
";

fn check(bytes: &[u8]) -> bool {
    let Some((first, formula)) = bytes.split_first() else {
        return false;
    };
    let place = PLACES[usize::from(*first) % PLACES.len()];
    let text = method(place, &String::from_utf8_lossy(formula));
    let set = FileSet::from_texts([
        ("zz/method.yaml", text.as_str()),
        ("zz/2026-01-01.yaml", SCALE),
    ]);
    let loaded = Loader::new().load_files(&set);
    super::rules::check_report(&loaded.report, &set);
    let Some(rules) = loaded.rules else {
        return false;
    };
    let folder = rules.folder("zz").unwrap();
    for (brut, n, cadre) in [
        ("0", "0", "false"),
        ("2500.55", "3.25", "true"),
        ("1000000000000", "0.000001", "false"),
    ] {
        let query = Query::from([("brut", brut), ("n", n), ("cadre", cadre), ("zone", "sud")]);
        drop(
            folder
                .calculate(&query, date(2026, 3, 31))
                .map(|answer| answer.to_json()),
        );
    }
    true
}
