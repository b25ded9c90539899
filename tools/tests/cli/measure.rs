//! What `diff` and `impact` measure: a result of the law and never an echo, in its own unit, with
//! the fields that each changed figure moves; and days whose scale is only a draft.

use std::path::Path;

use serde_json::Value;

use crate::common::{root, run};

/// A copy of the rules, in which some texts of a file are others.
fn changed(file: &str, edits: &[(&str, &str)]) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    copy_folder(&root().join("rules"), copy.path());
    let path = copy.path().join(file);
    let mut text = std::fs::read_to_string(&path).unwrap();
    for (from, to) in edits {
        assert!(text.contains(from), "{file}: {from}");
        text = text.replacen(from, to, 1);
    }
    std::fs::write(&path, text).unwrap();
    copy
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A page on one line.
fn unwrapped(page: &str) -> String {
    page.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn sample(folder: &Path, text: &str) -> String {
    let path = folder.join("lignes.csv");
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// The impact of a changed file on a sample, as JSON and as a page.
fn impact(folder: &str, day: &str, rules: &Path, rows: &str, more: &[&str]) -> (Value, String) {
    let place = tempfile::tempdir().unwrap();
    let (file, rules) = (sample(place.path(), rows), rules.display().to_string());
    let asked = [
        "impact",
        folder,
        &file,
        "--after",
        day,
        "--rules-after",
        &rules,
    ];
    let asked = [&asked[..], more].concat();
    let json = run(&[&asked[..], &["--format", "json"]].concat()).fine();
    (
        serde_json::from_str(&json).unwrap(),
        unwrapped(&run(&asked).fine()),
    )
}

#[test]
fn the_measure_of_each_folder_is_a_result() {
    let is = changed("is/2025-12-31.yaml", &[("rate: 25%", "rate: 33%")]);
    let (found, page) = impact(
        "is",
        "2025-12-31",
        is.path(),
        "resultat;ca\n100000;900000\n200000;900000\n",
        &[],
    );
    assert_eq!(
        (&found["field"], &found["role"], &found["unit"]),
        (&"total".into(), &"levy".into(), &"amount".into())
    );
    // 8 % of what exceeds the slice at the reduced rate, 42 500 euros.
    assert_eq!(found["difference"], 17_200, "{found:#}");
    assert_eq!(
        (&found["losers"]["rows"], &found["losers"]["total"]),
        (&2.into(), &(-17_200).into())
    );
    assert!(
        page.contains("bareme → total, taux_effectif, resultat_net, is"),
        "{page}"
    );

    let row = |word: &str| {
        format!("      - {{territoire: {word}, taux: 21%, libelle: normal, source: cgi}}\n")
    };
    let (metropolis, corsica) = (row("metropole"), row("corse"));
    let admitted = "  taux_admis:\n    rows:\n";
    let tva = changed(
        "tva/2014-01-01.yaml",
        &[
            ("metropole; corse, taux: 20%", "metropole; corse, taux: 21%"),
            (admitted, &format!("{admitted}{metropolis}{corsica}")),
        ],
    );
    let (found, page) = impact("tva", "2026", tva.path(), "montant\n100\n250\n", &[]);
    assert_eq!(
        (&found["field"], number(&found["difference"]).as_str()),
        (&"tva".into(), "3.5"),
        "{found:#}"
    );
    assert!(
        page.contains("taux_normal → tva, ") && page.contains("ttc"),
        "{page}"
    );

    let dividends = changed(
        "dividendes/2026-01-01.yaml",
        &[("{rate: 12.8%", "{rate: 22.8%")],
    );
    let (found, _) = impact(
        "dividendes",
        "2026",
        dividends.path(),
        "dividendes;taux_marginal\n10000;30\n",
        &[],
    );
    assert_eq!(
        (&found["field"], &found["is_net"]),
        (&"net".into(), &true.into())
    );
    // The scale, by then 316 euros dearer than the flat rate was, is chosen.
    assert_eq!(number(&found["difference"]), "-316", "{found:#}");
    assert_eq!(found["losers"]["rows"], 1);
}

fn number(value: &Value) -> String {
    value
        .to_string()
        .parse::<rust_decimal::Decimal>()
        .unwrap()
        .normalize()
        .to_string()
}

/// A figure that changes other fields than the measure is named with them, and the measure is said
/// to stay.
#[test]
fn a_change_beside_the_measure_is_not_passed_over() {
    let rules = changed("is/2025-12-31.yaml", &[("nombre: 4", "nombre: 5")]);
    let (found, page) = impact(
        "is",
        "2025-12-31",
        rules.path(),
        "resultat;ca\n100000;900000\n",
        &[],
    );
    assert_eq!(found["difference"], 0);
    let moved = &found["moved"][0];
    assert_eq!(moved["figure"], "acomptes");
    let fields: Vec<&str> = moved["fields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    assert!(
        fields.contains(&"acompte_trimestriel") && !fields.contains(&"total"),
        "{fields:?}"
    );
    assert!(moved["calculations"].as_u64().unwrap() > 10, "{moved}");
    assert!(page.contains("acomptes → acompte_trimestriel"), "{page}");
    assert!(
        page.contains("« Impôt et contributions de l’exercice » ne change pas)"),
        "{page}"
    );
}

/// A rate is in percent, its change in points; it has a mean and no total.
#[test]
fn a_rate_is_no_amount_of_money() {
    let rules = changed("is/2025-12-31.yaml", &[("rate: 25%", "rate: 33%")]);
    let rows = "resultat;ca\n142500;900000\n242500;900000\n";
    let (found, page) = impact(
        "is",
        "2025-12-31",
        rules.path(),
        rows,
        &["--field", "taux_effectif"],
    );
    assert_eq!(
        (
            &found["unit"],
            &found["before"]["total"],
            &found["difference"]
        ),
        (&"fraction".into(), &Value::Null, &Value::Null)
    );
    // 0.2202 and 0.2325, then 0.2763 and 0.2985: to four decimals each, as an answer has them.
    assert_eq!(
        [&found["before"]["mean"], &found["after"]["mean"]].map(number),
        ["0.22635", "0.2874"],
        "{found:#}"
    );
    assert!(
        page.contains("+6,1") && page.contains(" pt en moyenne") && !page.contains("EUR"),
        "{page}"
    );
    assert!(
        page.contains("Moyenne avant : 22,6") && page.contains("une baisse de «"),
        "{page}"
    );

    let compared = run(&["diff", "ir", "2025", "2026", "--field", "taux_effectif"]).fine();
    assert!(
        compared.contains(" pt") && compared.contains(" %"),
        "{compared}"
    );
    let effect: Value = serde_json::from_str(
        &run(&[
            "diff",
            "ir",
            "2025",
            "2026",
            "--field",
            "taux_effectif",
            "--format",
            "json",
        ])
        .fine(),
    )
    .unwrap();
    assert_eq!(effect["effet"]["unite"], "fraction");
}

#[test]
fn diff_measures_what_the_method_declares_and_names_what_moves() {
    let measure = |folder: &str, days: [&str; 2]| {
        let ran = run(&["diff", folder, days[0], days[1], "--format", "json"]).fine();
        let found: Value = serde_json::from_str(&ran).unwrap();
        let moved = found["champs_changes"].as_array().unwrap().clone();
        (found["effet"]["champ"].as_str().unwrap().to_owned(), moved)
    };
    let (field, moved) = measure("ir", ["2025", "2026"]);
    assert_eq!(field, "impot_total");
    let fields = |figure: &str| {
        moved
            .iter()
            .find(|moved| moved["chiffre"] == figure)
            .unwrap()["champs"]
            .clone()
    };
    assert_eq!(
        (&fields("bareme")[0], fields("decote")[0].as_str()),
        (&"impot_total".into(), Some("impot_total"))
    );
    assert_eq!(measure("dividendes", ["2025", "2026"]).0, "net");
    assert_eq!(measure("salaire", ["2025", "2026"]).0, "net");
}

#[test]
fn a_scale_that_is_a_draft_or_that_there_is_not_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let file = sample(place.path(), "revenu\n30000\n");
    let refused = |asked: &[&str], said: &str| {
        let ran = run(asked);
        let errors = unwrapped(&ran.errors);
        assert!(
            ran.code == 2 && errors.contains(said),
            "{asked:?}: {ran:#?}"
        );
    };
    refused(
        &["impact", "ir", &file, "--after", "2027"],
        "n’a qu’un brouillon, celui du 2027-01-01 : ajouter `--drafts`",
    );
    refused(
        &["diff", "tva-afrique", "2025", "2031"],
        "n’est vérifié que jusqu’au 2026-12-31",
    );

    let rules = changed("ir/2026-01-01.yaml", &[]);
    let scale = std::fs::read_to_string(rules.path().join("ir/2026-01-01.yaml")).unwrap();
    let lines = scale.lines().filter(|line| {
        !["until:", "known_until:", "checked:"]
            .iter()
            .any(|key| line.starts_with(key))
    });
    let text: String = lines
        .map(|line| line.replace("2026", "2027") + "\n")
        .collect();
    let text = text.replacen("format: bareme/1\n", "format: bareme/1\nstate: draft\n", 1);
    std::fs::write(rules.path().join("ir/2027-01-01.yaml"), text).unwrap();
    let rules = rules.path().display().to_string();
    let draft = "n’a qu’un brouillon, celui du 2027-01-01 : ajouter `--drafts`";
    refused(
        &["impact", "ir", &file, "--after", "2027", "--rules", &rules],
        draft,
    );
    refused(&["diff", "ir", "2025", "2027", "--rules", &rules], draft);
    refused(
        &["doc", "ir", "--date", "2027-01-01", "--rules", &rules],
        draft,
    );
    // A calculation is that of the service: by the last scale in force, with its warning.
    let computed = run(&[
        "batch",
        "ir",
        &file,
        "--date",
        "2027-01-01",
        "--rules",
        &rules,
    ])
    .fine();
    assert!(
        computed.contains("2026-01-01") && computed.contains("bareme_non_verifie"),
        "{computed}"
    );
    let with = run(&[
        "impact",
        "ir",
        &file,
        "--after",
        "2027-03-01",
        "--rules",
        &rules,
        "--drafts",
        "--format",
        "json",
    ]);
    let found: Value = serde_json::from_str(&with.fine()).unwrap();
    assert_eq!(
        (&found["from"]["scale"], &found["to"]["scale"]),
        (&"2026-01-01".into(), &"2027-01-01".into())
    );
    let page = unwrapped(&run(&["impact", "ir", &file, "--after", "2026-03-01"]).fine());
    let dates = "du 2025-01-01 (calcul au 2025-12-31) au 2026-01-01 (calcul au 2026-03-01)";
    assert!(page.contains(dates), "{page}");
}
