//! `bareme impact`: sums that calculations of each row add up to, groups, wrong samples, a sweep.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bareme_arrow::arrow::array::{
    ArrayRef, Decimal128Array, Float64Array, RecordBatch, StringArray,
};
use bareme_arrow::{Format, Sink};
use bareme_engine::{Loader, Query, Rules};
use jiff::civil::{Date, date};
use rust_decimal::Decimal;
use serde_json::Value;

use crate::common::{Ran, root, run};

/// Row: income in cents, shares in quarters, situation, weight in tenths.
type Household = (Option<i128>, i128, &'static str, i128);

/// Few enough to be calculated one by one. One has no income, one a number of shares that does not
/// exist.
fn households() -> Vec<Household> {
    let mut rows: Vec<Household> = Vec::new();
    for step in 0..60_i128 {
        let (shares, situation) = match step % 3 {
            0 => (100, "celibataire"),
            1 => (250, "couple"),
            _ => (200, "parent_isole"),
        };
        rows.push((Some(800_000 + step * 211_317), shares, situation, 10 + step));
    }
    rows.push((None, 100, "celibataire", 10));
    rows.push((Some(3_000_000), 110, "celibataire", 10));
    rows
}

fn decimals(values: impl Iterator<Item = Option<i128>>, scale: i8) -> ArrayRef {
    Arc::new(
        values
            .collect::<Decimal128Array>()
            .with_precision_and_scale(18, scale)
            .unwrap(),
    )
}

fn write(path: &Path, columns: Vec<(&str, ArrayRef)>) -> String {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut sink = Sink::new(
        std::fs::File::create(path).unwrap(),
        batch.schema(),
        Format::from_path(path).unwrap(),
    )
    .unwrap();
    sink.write(&batch).unwrap();
    sink.finish().unwrap();
    path.display().to_string()
}

fn sample(folder: &Path) -> String {
    let rows = households();
    write(
        &folder.join("menages.parquet"),
        vec![
            ("revenu", decimals(rows.iter().map(|row| row.0), 2)),
            ("parts", decimals(rows.iter().map(|row| Some(row.1)), 2)),
            (
                "situation",
                Arc::new(rows.iter().map(|row| Some(row.2)).collect::<StringArray>()),
            ),
            ("poids", decimals(rows.iter().map(|row| Some(row.3)), 1)),
            (
                "couleur",
                Arc::new(rows.iter().map(|_| Some("rouge")).collect::<StringArray>()),
            ),
        ],
    )
}

fn json(ran: Ran) -> Value {
    serde_json::from_str(&ran.fine()).unwrap()
}

/// The tax of a household on a day, calculated alone.
fn tax(rules: &Rules, row: &Household, day: Date) -> Decimal {
    let income = Decimal::from_i128_with_scale(row.0.unwrap(), 2).to_string();
    let shares = Decimal::from_i128_with_scale(row.1, 2)
        .normalize()
        .to_string();
    let query = Query::from([
        ("revenu", income.as_str()),
        ("parts", &shares),
        ("situation", row.2),
    ]);
    let calculation = rules.folder("ir").unwrap().calculate(&query, day).unwrap();
    calculation
        .field("impot_total")
        .and_then(|value| value.number())
        .unwrap()
}

fn number(value: &Value) -> Decimal {
    value.to_string().parse().unwrap()
}

#[test]
fn sums_are_those_of_the_calculations_of_each_row() {
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
        "situation",
        "--format",
        "json",
    ];
    let found = json(run(&asked));
    let rules = Loader::new()
        .without_cases()
        .only(&["ir"])
        .load(&root().join("rules"))
        .rules
        .unwrap();
    let mut totals = [Decimal::ZERO; 2];
    let mut gains: BTreeMap<&str, (u64, Decimal)> = BTreeMap::new();
    let mut of_couples = Decimal::ZERO;
    for row in &households()[..60] {
        let (before, after) = (
            tax(&rules, row, date(2025, 1, 1)),
            tax(&rules, row, date(2026, 1, 1)),
        );
        let weight = Decimal::from_i128_with_scale(row.3, 1);
        totals[0] += before * weight;
        totals[1] += after * weight;
        let gain = before - after;
        let part = if gain.is_zero() {
            "unchanged"
        } else if gain > Decimal::ZERO {
            "winners"
        } else {
            "losers"
        };
        let (rows, total) = gains.entry(part).or_default();
        *rows += 1;
        *total += gain * weight;
        if row.2 == "couple" {
            of_couples += (after - before) * weight;
        }
    }
    assert_eq!(
        (&found["format"], &found["field"]),
        (&"impact/1".into(), &"impot_total".into())
    );
    assert_eq!(
        (found["rows"].as_u64(), found["refused"].as_u64()),
        (Some(62), Some(2))
    );
    assert_eq!(
        [
            number(&found["before"]["total"]),
            number(&found["after"]["total"])
        ],
        totals
    );
    assert_eq!(number(&found["difference"]), totals[1] - totals[0]);
    for (part, (rows, total)) in gains {
        assert_eq!(
            (found[part]["rows"].as_u64(), number(&found[part]["total"])),
            (Some(rows), total),
            "{part}"
        );
    }
    let couples = found["groups"]
        .as_array()
        .unwrap()
        .iter()
        .find(|group| group["value"] == "couple")
        .unwrap();
    assert_eq!(number(&couples["difference"]), of_couples);
    assert_eq!(found["reasons"].as_array().unwrap().len(), 2);
    assert_eq!(found["unused_columns"], serde_json::json!(["couleur"]));
    let figures = found["figures"].as_array().unwrap();
    assert!(
        figures
            .iter()
            .any(|figure| figure["law"].as_str().unwrap().contains("art. 197")),
        "{figures:?}"
    );
}

/// A rounding is meant for the parameters: weights and groups are read as they are shown.
#[test]
fn a_rounding_of_floats_does_not_touch_the_weights() {
    let folder = tempfile::tempdir().unwrap();
    let floats = |values: &[f64]| -> ArrayRef { Arc::new(Float64Array::from(values.to_vec())) };
    let columns = vec![
        ("revenu", floats(&[30_000.4, 60_000.0, 30_000.0])),
        ("poids", floats(&[500.32, 500.32, 0.123_456_789])),
        ("taille", floats(&[1.5, 2.25, 1.5])),
    ];
    let file = write(&folder.path().join("menages.parquet"), columns);
    let asked = [
        "impact", "ir", &file, "--before", "2025", "--after", "2026", "--weight", "poids", "--by",
        "taille",
    ];
    let found = json(run(&[
        &asked[..],
        &["--round-floats", "0", "--format", "json"],
    ]
    .concat()));
    assert_eq!(number(&found["weight"]), "1000.763456789".parse().unwrap());
    let sizes = found["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| group["value"].to_string());
    assert_eq!(sizes.collect::<Vec<_>>(), ["1.5", "2.25"]);
    let rules = Loader::new()
        .without_cases()
        .only(&["ir"])
        .load(&root().join("rules"))
        .rules
        .unwrap();
    let tax = |income: &str| {
        let calculation = rules
            .folder("ir")
            .unwrap()
            .calculate(&[("revenu", income)].into(), date(2026, 1, 1))
            .unwrap();
        calculation
            .field("impot_net")
            .and_then(|value| value.number())
            .unwrap()
    };
    let weight = |text: &str| text.parse::<Decimal>().unwrap();
    let expected =
        tax("30000") * (weight("500.32") + weight("0.123456789")) + tax("60000") * weight("500.32");
    assert_eq!(number(&found["after"]["total"]), expected);
}

/// The values of a field that is a rate are those of its calculations.
#[test]
fn a_rate_has_its_own_scale() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(
        &folder.path().join("menages.parquet"),
        vec![(
            "revenu",
            decimals([Some(3_000_000), Some(6_000_000)].into_iter(), 2),
        )],
    );
    let asked = [
        "impact",
        "ir",
        &file,
        "--before",
        "2025",
        "--after",
        "2026",
        "--field",
        "taux_effectif",
    ];
    let found = json(run(&[&asked[..], &["--format", "json"]].concat()));
    let rules = Loader::new()
        .without_cases()
        .only(&["ir"])
        .load(&root().join("rules"))
        .rules
        .unwrap();
    let rate = |income: &str| {
        let calculation = rules
            .folder("ir")
            .unwrap()
            .calculate(&[("revenu", income)].into(), date(2026, 1, 1))
            .unwrap();
        calculation
            .field("taux_effectif")
            .and_then(|value| value.number())
            .unwrap()
    };
    let mean = (rate("30000") + rate("60000")) / Decimal::TWO;
    assert_eq!(
        (
            number(&found["after"]["mean"]),
            found["after"]["total"].is_null()
        ),
        (mean, true)
    );
}

#[test]
fn a_spreadsheet_gives_the_same_sums() {
    let folder = tempfile::tempdir().unwrap();
    let table = sample(folder.path());
    let mut text = "revenu;parts;situation;poids\n".to_owned();
    for (income, shares, situation, weight) in households() {
        let number = |value: i128, decimals| {
            Decimal::from_i128_with_scale(value, decimals)
                .normalize()
                .to_string()
        };
        let income = income.map(|income| number(income, 2)).unwrap_or_default();
        let row = format!(
            "{income};{};{situation};{}\n",
            number(shares, 2),
            number(weight, 1)
        );
        text.push_str(&row.replace('.', ","));
    }
    let csv = folder.path().join("menages.csv");
    std::fs::write(&csv, text).unwrap();
    let csv = csv.display().to_string();
    let asked = [
        "--before",
        "2025",
        "--after",
        "2026",
        "--weight",
        "poids",
        "--by",
        "decile:revenu",
        "--format",
        "json",
    ];
    let [mut table, csv] =
        [&table, &csv].map(|file| json(run(&[&["impact", "ir", file], &asked[..]].concat())));
    table["unused_columns"] = serde_json::json!([]);
    assert_eq!(table, csv);
    let odd = folder.path().join("bizarre.csv");
    std::fs::write(
        &odd,
        "revenu;parts;rang;poids\n30000;1;1;2\n12,5,3;1;2;1\n40000;1;3;x\n",
    )
    .unwrap();
    let odd = odd.display().to_string();
    let found = json(run(&[
        "impact",
        "ir",
        &odd,
        "--after",
        "2026",
        "--weight",
        "poids",
        "--by",
        "decile:rang",
        "--format",
        "json",
    ]));
    assert_eq!(
        (&found["rows"], &found["refused"], &found["weight"]),
        (&3.into(), &2.into(), &2.into())
    );
    let unreadable = run(&[
        "impact",
        "ir",
        &odd,
        "--after",
        "2026",
        "--by",
        "decile:poids",
    ]);
    assert!(
        unreadable.code == 2 && unreadable.errors.contains("ligne 3 : « x »"),
        "{unreadable:?}"
    );
    let broken = folder.path().join("faux.csv");
    std::fs::write(&broken, "revenu;parts\n30000;1\n1.234,5;1;2\n").unwrap();
    let broken = run(&["impact", "ir", broken.to_str().unwrap(), "--after", "2026"]);
    assert!(
        broken.code == 2 && broken.errors.contains("ligne 3"),
        "{broken:?}"
    );
}

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

fn copy(from: &Path, to: &PathBuf) {
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
