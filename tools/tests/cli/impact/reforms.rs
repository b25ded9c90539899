//! Deciles, the page, a sweep, other rules, another field, and what cannot be costed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bareme_arrow::arrow::array::{ArrayRef, Float64Array};
use rust_decimal::Decimal;

use super::{decimals, json, number, sample, write};
use crate::common::{root, run};

#[test]
fn deciles_hold_a_tenth_each_and_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let file = sample(folder.path());
    let found = json(run(&[
        "impact",
        "ir",
        &file,
        "--after",
        "2026",
        "--by",
        "decile:revenu",
        "--poverty",
        "60%",
        "--format",
        "json",
    ]));
    let deciles = found["groups"].as_array().unwrap();
    assert_eq!(deciles.len(), 10);
    assert!(
        deciles
            .iter()
            .all(|decile| (5..=7).contains(&decile["rows"].as_u64().unwrap())),
        "{deciles:#?}"
    );
    let sum: Decimal = deciles
        .iter()
        .map(|decile| number(&decile["difference"]))
        .sum();
    assert_eq!(sum, number(&found["difference"]));
    // A tax that takes more of those who have more leaves less inequality than there was.
    assert!(number(&found["inequality"]["gini"]["before"]) > Decimal::ZERO);
    assert_eq!(found["from"]["scale"], "2025-01-01");
}

#[test]
fn the_page_says_what_a_ministry_asks() {
    let folder = tempfile::tempdir().unwrap();
    let file = sample(folder.path());
    let asked = [
        "impact",
        "ir",
        &file,
        "--before",
        "2025",
        "--after",
        "2026",
        "--weight",
        "poids",
        "--by",
        "decile:revenu",
    ];
    let page = run(&asked).fine();
    for wanted in [
        "Impôt net et contribution exceptionnelle : −",
        "2 lignes sur 62 sont refusées",
        "Gagnants et perdants",
        "Par décile de revenu",
        "Ce qui change dans la loi",
        "Code",
        "Plus forts gains",
        "Étapes qui changent pour la ligne",
        "Colonnes du fichier que le calcul ne lit pas : couleur.",
    ] {
        assert!(page.contains(wanted), "{wanted}\n{page}");
    }
    assert!(
        page.lines().all(|line| line.chars().count() <= 80),
        "{page}"
    );
    let html = run(&[&asked[..], &["--format", "html"]].concat()).fine();
    assert!(html.matches("<svg").count() >= 2 && html.contains("<h1>"));
    let english = run(&[&asked[..], &["--lang", "en"]].concat()).fine();
    assert!(
        english.contains("Winners and losers") && !english.contains("Gagnants"),
        "{english}"
    );
}

#[test]
fn a_figure_is_swept_and_at_its_own_value_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = sample(folder.path());
    let asked = [
        "impact",
        "ir",
        &file,
        "--after",
        "2026",
        "--figure",
        "bareme[1].up_to=11 600..12 000:200",
        "--format",
        "json",
    ];
    let found = json(run(&asked));
    let points = found["points"].as_array().unwrap();
    let differences: Vec<Decimal> = points
        .iter()
        .map(|point| number(&point["difference"]))
        .collect();
    assert_eq!((points.len(), differences[0]), (3, Decimal::ZERO));
    assert!(
        differences[1] < Decimal::ZERO && differences[2] < differences[1],
        "{differences:?}"
    );
    let wrong = run(&[
        "impact",
        "ir",
        &file,
        "--after",
        "2026",
        "--figure",
        "bareme[1].upto=11 600..12 000:200",
    ]);
    assert!(
        wrong.code == 2
            && wrong
                .errors
                .contains("vouliez-vous dire `bareme[1].up_to` ?"),
        "{wrong:?}"
    );
    let backwards = run(&[
        "impact",
        "ir",
        &file,
        "--after",
        "2026",
        "--figure",
        "bareme[1].up_to=12 000..11 600:200",
    ]);
    assert_eq!(backwards.code, 2, "{backwards:?}");
}

#[test]
fn other_rules_are_compared_with_these() {
    let folder = tempfile::tempdir().unwrap();
    let (file, rules) = (sample(folder.path()), folder.path().join("rules"));
    copy(&root().join("rules"), &rules);
    let scale = rules.join("ir/2026-01-01.yaml");
    let text = std::fs::read_to_string(&scale).unwrap();
    assert!(text.contains("up_to: 11 600"));
    std::fs::write(&scale, text.replace("up_to: 11 600", "up_to: 12 000")).unwrap();
    let rules = rules.display().to_string();
    let found = json(run(&[
        "impact",
        "ir",
        &file,
        "--after",
        "2026",
        "--rules-after",
        &rules,
        "--format",
        "json",
    ]));
    assert!(number(&found["difference"]) < Decimal::ZERO);
    assert_eq!(
        found["figures"].as_array().unwrap().len(),
        1,
        "{}",
        found["figures"]
    );
    assert_eq!(found["losers"]["rows"], 0);
}

pub(super) fn copy(from: &Path, to: &PathBuf) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)
        } else {
            assert!(std::fs::copy(entry.path(), target).is_ok())
        }
    }
}

#[test]
fn a_pay_gains_by_more_of_its_net_and_another_field_may_be_named() {
    let folder = tempfile::tempdir().unwrap();
    let gross = (0..20).map(|step| Some(200_000 + step * 20_000));
    let file = write(
        &folder.path().join("paies.arrow"),
        vec![("brut", decimals(gross, 2))],
    );
    let found = json(run(&[
        "impact", "salaire", &file, "--after", "2026", "--format", "json",
    ]));
    let (gain, difference) = (
        number(&found["winners"]["total"]) + number(&found["losers"]["total"]),
        number(&found["difference"]),
    );
    assert_eq!((&found["is_net"], gain), (&true.into(), difference));
    let cost = json(run(&[
        "impact",
        "salaire",
        &file,
        "--after",
        "2026",
        "--field",
        "cout_employeur",
        "--format",
        "json",
    ]));
    let gain = number(&cost["winners"]["total"]) + number(&cost["losers"]["total"]);
    assert_eq!(
        (&cost["is_net"], gain),
        (&false.into(), -number(&cost["difference"]))
    );
    assert!(number(&cost["before"]["total"]) > number(&found["before"]["total"]));
}

#[test]
fn what_cannot_be_costed_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let file = sample(folder.path());
    let wrong = |arguments: &[&str], code: i32, said: &str| {
        let ran = run(&[&["impact", "ir", &file], arguments].concat());
        assert!(
            ran.code == code && ran.errors.contains(said),
            "{arguments:?} {ran:#?}"
        );
    };
    wrong(&[], 2, "Dire la réforme");
    wrong(
        &["--before", "2026", "--after", "2026"],
        2,
        "Le barème est le même",
    );
    wrong(&["--after", "demain"], 2, "ni une année ni un jour");
    wrong(&["--after", "1950"], 2, "n’a pas de barème");
    wrong(
        &["--after", "2026", "--weight", "poid"],
        2,
        "vouliez-vous dire `poids` ?",
    );
    wrong(
        &["--after", "2026", "--by", "decil:revenu"],
        2,
        "vouliez-vous dire `decile:` ?",
    );
    wrong(
        &["--after", "2026", "--field", "situation"],
        2,
        "Dire par `--field`",
    );
    wrong(
        &["--after", "2026", "--poverty", "beaucoup"],
        2,
        "un montant, ou une part",
    );
    wrong(
        &["--after", "2026", "--map", "revenu"],
        2,
        "colonne=parametre",
    );
    wrong(
        &["--after", "2026", "--map-after", "rni=revenu"],
        2,
        "Pas de colonne `rni`",
    );
    let other = |name: &str, columns: Vec<(&str, ArrayRef)>| {
        let file = write(&folder.path().join(name), columns);
        run(&["impact", "ir", &file, "--after", "2026"])
    };
    let floats = other(
        "flottants.parquet",
        vec![("revenu", Arc::new(Float64Array::from(vec![30_000.0])))],
    );
    assert!(
        floats.code == 2 && floats.errors.contains("virgule flottante"),
        "{floats:?}"
    );
    let empty = other(
        "vide.parquet",
        vec![("revenu", decimals(std::iter::empty(), 2))],
    );
    assert!(
        empty.code == 1 && empty.errors.contains("aucune ligne"),
        "{empty:?}"
    );
    let refused = other(
        "refus.parquet",
        vec![("revenu", decimals([None, None].into_iter(), 2))],
    );
    assert!(
        refused.code == 1 && refused.errors.contains("Aucune des 2 lignes"),
        "{refused:?}"
    );
    let missing = other(
        "sans.parquet",
        vec![("parts", decimals([Some(100)].into_iter(), 2))],
    );
    assert!(
        missing.code == 2 && missing.errors.contains("`revenu` manque"),
        "{missing:?}"
    );
    let bytes = std::fs::read(&file).unwrap();
    let cut = folder.path().join("coupe.parquet");
    std::fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let cut = run(&["impact", "ir", cut.to_str().unwrap(), "--after", "2026"]);
    assert!(
        cut.code == 2 && cut.errors.contains("Parquet illisible"),
        "{cut:?}"
    );
    let unknown = run(&["impact", "ir", "menages.xlsx", "--after", "2026"]);
    assert!(
        unknown.code == 2 && unknown.errors.contains(".parquet"),
        "{unknown:?}"
    );
}

#[test]
fn a_credit_of_households_is_costed_by_family_and_over_all_that_they_declare() {
    let folder = tempfile::tempdir().unwrap();
    let households = folder.path().join("foyers.csv").display().to_string();
    let rows = ["--rows", "800", "--seed", "5", "--output", &households];
    run(&[&["population", "foyer"], rows.as_slice()].concat()).fine();

    // Half of what is paid for child care is credited, and 60 % of it in the other rules.
    let other = folder.path().join("rules");
    copy(&root().join("rules"), &other);
    let scale = other.join("foyer/2026-01-01.yaml");
    let text = std::fs::read_to_string(&scale).unwrap();
    assert!(text.contains("frais_garde: {rate: 50%"));
    let raised = text.replace("frais_garde: {rate: 50%", "frais_garde: {rate: 60%");
    std::fs::write(&scale, raised).unwrap();
    let other = other.display().to_string();

    // What the households pay, asked row by row with either rules.
    let paid = |rules: &[&str]| -> Vec<[Decimal; 3]> {
        let asked = [
            "batch",
            "foyer",
            &households,
            "--keep",
            "foyer,enfants,salaires_et_pensions,poids",
        ];
        let asked = [
            &asked[..],
            &["--fields", "total,revenus", "--date", "2026-11-01"],
            rules,
        ];
        let text = run(&asked.concat()).fine();
        let mut table = csv::Reader::from_reader(text.as_bytes());
        let names: Vec<String> = table.headers().unwrap().iter().map(str::to_owned).collect();
        let place = |name: &str| names.iter().rposition(|column| column == name).unwrap();
        let places = [place("enfants"), place("total"), place("revenus")];
        let rows = table.records().map(Result::unwrap);
        rows.map(|row| places.map(|place| row[place].parse().unwrap()))
            .collect()
    };
    let (before, after) = (paid(&[]), paid(&["--rules", &other]));
    let differences = before.iter().zip(&after).map(|(old, new)| new[1] - old[1]);
    let differences: Vec<Decimal> = differences.collect();
    let of_family = |children: i64| -> Decimal {
        let own = before.iter().zip(&differences);
        let own = own.filter(|(row, _)| row[0] == Decimal::from(children));
        own.map(|(_, difference)| *difference).sum()
    };

    let asked = [
        "impact",
        "foyer",
        &households,
        "--after",
        "2026",
        "--rules-after",
        &other,
    ];
    let asked = [&asked[..], &["--by", "enfants", "--format", "json"]].concat();
    let found = json(run(&asked));
    let whole: Decimal = differences.iter().sum();
    assert_eq!(number(&found["difference"]), whole);
    assert!(whole < Decimal::ZERO && of_family(0).is_zero());

    let groups = found["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 5);
    for group in groups {
        let children: i64 = group["value"].as_str().unwrap().parse().unwrap();
        assert_eq!(number(&group["difference"]), of_family(children), "{group}");
    }

    // Pensioners have no wage: rates are of everything that is declared.
    let declared: Decimal = before.iter().map(|row| row[2]).sum();
    let taken: Decimal = before.iter().map(|row| row[1]).sum();
    let rate = (taken / declared).round_dp(4);
    assert_eq!(number(&found["effective_rate"]["before"]), rate);
}
