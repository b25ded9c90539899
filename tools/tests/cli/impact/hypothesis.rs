//! Figures that are set on the command line, and consumption units.

use std::path::Path;

use rust_decimal::Decimal;

use super::{copy_of_rules, decimals, json, number, sample, write};
use crate::common::run;

#[test]
fn figures_that_are_set_cost_what_the_same_rule_files_cost() {
    let folder = tempfile::tempdir().unwrap();
    let file = sample(folder.path());
    let rules = copy_of_rules(folder.path());
    let scale = Path::new(&rules).join("ir/2026-01-01.yaml");
    let text = std::fs::read_to_string(&scale).unwrap();
    let changed = text
        .replace("rate: 11%", "rate: 12%")
        .replace("up_to: 11 600", "up_to: 11 000");
    assert_ne!(changed, text);
    std::fs::write(&scale, changed).unwrap();

    let asked = [
        "impact", "ir", &file, "--after", "2026", "--weight", "poids", "--format", "json",
    ];
    let other = json(run(&[&asked[..], &["--rules-after", &rules]].concat()));
    let set = [
        "--set",
        "bareme[2].rate=12%",
        "--set",
        "ir.bareme[1].up_to=11 000",
    ];
    let found = json(run(&[&asked[..], &set].concat()));
    assert_eq!(found, other);

    assert!(number(&found["difference"]) > Decimal::ZERO);
    let figures = found["figures"].as_array().unwrap();
    let laws: Vec<_> = figures
        .iter()
        .map(|figure| figure["law"].as_str().unwrap())
        .collect();
    assert_eq!(laws, ["chiffre de l’hypothèse"; 2]);
    // What the law changes is named with its article, also beside a hypothesis.
    let beside = ["--before", "2025", "--set", "plafond_case_l.montant=1 100"];
    let beside = json(run(&[&asked[..], &beside].concat()));
    let law = |label: &str| {
        let figures = beside["figures"].as_array().unwrap();
        let found = figures
            .iter()
            .find(|figure| figure["figure"].as_str().unwrap().starts_with(label));
        found.unwrap()["law"].as_str().unwrap().to_owned()
    };
    assert_eq!(law("plafond_case_l"), "chiffre de l’hypothèse");
    assert!(
        law("bareme").contains("Loi de finances pour 2026"),
        "{}",
        law("bareme")
    );
}

#[test]
fn what_cannot_be_set_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let file = sample(folder.path());
    for (set, code, expected) in [
        (
            "bareme[2].rat=12%",
            2,
            "vouliez-vous dire `bareme[2].rate` ?",
        ),
        (
            "irr.bareme[2].rate=12%",
            2,
            "n’est pas un chiffre de ir/2026-01-01.yaml",
        ),
        ("bareme[2].rate=12%}", 2, "n’est pas une valeur"),
        ("bareme[2].rate=12", 1, "erreur[T12]"),
        ("bareme[2].rate=12", 1, "ir/2026-01-01.yaml:25:32"),
        ("bareme[2].up_to=11 000", 1, "erreur["),
        ("bareme[2].rate", 2, "--set"),
    ] {
        let ran = run(&["impact", "ir", &file, "--after", "2026", "--set", set]);
        assert!(
            ran.code == code && ran.errors.contains(expected),
            "{set}: {ran:#?}"
        );
    }

    // A figure that another folder gives is changed there.
    let ran = run(&[
        "impact",
        "salaire",
        &file,
        "--after",
        "2026",
        "--set",
        "plafond_ss.mois=4 100",
    ]);
    assert!(
        ran.code == 2 && ran.errors.contains("est repris d’un autre dossier"),
        "{ran:#?}"
    );
}

#[test]
fn consumption_units_divide_what_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(
        &folder.path().join("menages.arrow"),
        vec![
            (
                "revenu",
                decimals([1_000_000, 1_500_000, 900_000].map(Some).into_iter(), 2),
            ),
            ("uc", decimals([Some(10), Some(15), None].into_iter(), 1)),
        ],
    );
    let asked = [
        "impact",
        "ir",
        &file,
        "--after",
        "2026",
        "--poverty",
        "10001",
        "--format",
        "json",
    ];
    let unit = json(run(&[&asked[..], &["--unit", "uc"]].concat()));
    let inequality = &unit["inequality"];
    // 15 000 of tax base pay 15 000 - 11 600 = 3 400 at 11 %, which the discount takes back: each
    // unit has 10 000.
    assert_eq!(number(&inequality["gini"]["after"]), Decimal::ZERO);
    assert_eq!(number(&inequality["poverty"]["after"]), Decimal::ONE);
    assert_eq!((&unit["rows"], &unit["refused"]), (&3.into(), &1.into()));
    assert_eq!(unit["reasons"][0]["first"], 3);

    // Without units, 9 000, 10 000 and 15 000: by hand 1 - (9 + 28 + 53) / (3 x 34).
    let without = json(run(&asked));
    assert_eq!(
        number(&without["inequality"]["gini"]["after"]).to_string(),
        "0.1176"
    );
}
