//! `bareme impact`: sums that calculations of each row add up to, groups, wrong samples, a sweep.

mod hypothesis;
mod reforms;

use std::collections::BTreeMap;
use std::path::Path;
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

/// A copy of the rules below a folder.
fn copy_of_rules(folder: &Path) -> String {
    let rules = folder.join("rules");
    reforms::copy(&root().join("rules"), &rules);
    rules.display().to_string()
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
