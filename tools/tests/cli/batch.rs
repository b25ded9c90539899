//! `bareme batch`: rows in, rows out, the same amounts as the service, whatever the number of
//! threads.

use std::fmt::Write as _;

use jiff::civil::date;
use serde_json::{Value, json};

use crate::common::{root, run, run_with};

const DAY: &str = "2026-11-01";

/// Rows that differ from each other in every column.
fn payroll(rows: usize) -> String {
    let mut csv = "matricule,brut,cadre,taux_pas\n".to_owned();
    for row in 0..rows {
        let gross = 190_000 + row * 7_919 % 900_000;
        let rate = ["", "neutre", "7.5"][row % 3];
        writeln!(
            csv,
            "m{row},{}.{:02},{},{rate}",
            gross / 100,
            gross % 100,
            row % 4 == 0
        )
        .unwrap();
    }
    csv
}

#[test]
fn rows_get_the_amounts_that_the_service_gives() {
    let csv = payroll(300);
    let ran = run_with(
        &["batch", "salaire", "--keep", "matricule", "--date", DAY],
        &csv,
    );
    let loaded = bareme_engine::Loader::new().load_service(&root().join("rules"));
    let rules = loaded.rules.unwrap();
    let endpoint = rules
        .service()
        .endpoints
        .iter()
        .find(|endpoint| endpoint.name == "salaire")
        .unwrap();
    let mut rows = csv::Reader::from_reader(ran.output.as_bytes());
    let names = rows.headers().unwrap().clone();
    let mut count = 0;
    for (found, sent) in rows.records().map(Result::unwrap).zip(csv.lines().skip(1)) {
        let cells: Vec<&str> = sent.split(',').collect();
        let pairs = [
            ("brut", cells[1]),
            ("cadre", cells[2]),
            ("taux_pas", cells[3]),
        ];
        let query = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let calculation = rules
            .calculate(endpoint, &query, date(2026, 11, 1))
            .unwrap();
        let answer: Value = serde_json::from_str(&calculation.to_json()).unwrap();
        assert_eq!(&found[1], cells[0]);
        for (name, cell) in names.iter().zip(found.iter()).skip(2) {
            let expected = match answer.get(name) {
                _ if name == "reserves" => remarks(&answer),
                None => String::new(),
                Some(Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
            };
            assert_eq!(cell, expected, "{name} of {sent}");
        }
        count += 1;
    }
    assert_eq!((ran.code, count), (0, 300));
    assert!(ran.errors.starts_with("300 lignes en "), "{}", ran.errors);
}

/// The remarks of an answer, under its references and without one, as a cell of CSV.
fn remarks(answer: &Value) -> String {
    let references = answer["references"].as_array().unwrap().iter();
    let all = references
        .map(|reference| &reference["reserves"])
        .chain([&answer["reserves"]]);
    let all: Vec<&Value> = all.filter_map(Value::as_array).flatten().collect();
    if all.is_empty() {
        String::new()
    } else {
        serde_json::to_string(&all).unwrap()
    }
}

#[test]
fn the_order_and_the_amounts_do_not_depend_on_the_threads() {
    let csv = payroll(5_000);
    let with = |jobs| {
        run_with(
            &[
                "batch",
                "salaire",
                "--keep",
                "matricule",
                "--date",
                DAY,
                "--jobs",
                jobs,
            ],
            &csv,
        )
        .fine()
    };
    let alone = with("1");
    assert_eq!(alone.lines().count(), 5_001);
    assert!(alone.lines().nth(5_000).unwrap().starts_with("5001,m4999,"));
    assert_eq!(with("7"), alone);
}

#[test]
fn refused_rows_are_kept_apart_and_can_be_given_back_once_mended() {
    let folder = tempfile::tempdir().unwrap();
    let errors = folder.path().join("errors.csv");
    let path = errors.to_str().unwrap();
    let csv =
        "brut;statut;nom\n450000;cadre;Awa\n12,5x;;Ndeye\n;;Fatou\n300000;non_cadre;Modou;trop\n";
    let batch = [
        "batch",
        "salaire-net/sn",
        "--keep",
        "nom",
        "--fields",
        "net_mensuel",
        "--date",
        DAY,
    ];
    let ran = run_with(&[&batch[..], &["--errors", path]].concat(), csv);
    assert_eq!(
        (ran.code, ran.output.as_str()),
        (1, "ligne;nom;net_mensuel\n2;Awa;322425\n")
    );
    let refused = std::fs::read_to_string(&errors).unwrap();
    let expected = "brut;statut;nom;ligne;motif\n\
        12,5x;;Ndeye;3;brut : La virgule n’est pas acceptée : écrire les décimales après un point (reçu : 12,5x)\n\
        ;;Fatou;4;brut : Paramètre obligatoire manquant\n\
        300000;non_cadre;Modou;5;4 cellules au lieu de 3\n";
    assert_eq!(refused, expected);
    let fixed = refused
        .replace("12,5x;", "12500;")
        .replace("\n;;Fatou", "\n300000;;Fatou");
    let again = run_with(&batch, &fixed);
    assert_eq!(
        (again.code, again.output.lines().count()),
        (0, 4),
        "{again:#?}"
    );
}

/// A payroll as a spreadsheet in French saves it, and the answers as it opens them.
#[test]
fn a_french_file_is_read_and_written_as_it_is() {
    let csv = "\u{feff}nom;brut;cadre\r\nZoé;3 200,50;FAUX\r\n;;\r\n\r\nMax;2\u{a0}480;VRAI\r\nLéa;60.000;\r\n";
    let batch = [
        "batch", "salaire", "--keep", "nom", "--fields", "brut,net", "--date", DAY,
    ];
    let ran = run_with(&batch, csv);
    let lines: Vec<&str> = ran.output.split("\r\n").collect();
    assert_eq!(lines[0], "\u{feff}ligne;nom;brut;net", "{ran:#?}");
    assert!(
        lines[1].starts_with("2;Zoé;3200,5;25") && lines[1].split(',').count() == 3,
        "{ran:#?}"
    );
    assert!(lines[2].starts_with("5;Max;2480;19"), "{ran:#?}");
    assert!(
        ran.errors
            .contains("ligne 6 : brut : `60.000` se lit de deux façons : écrire 60,000 ou 60000"),
        "{ran:#?}"
    );
    let comma = run_with(
        &[&batch[..], &["--locale", "fr"]].concat(),
        "nom,brut,cadre\nMax,\"2 480,00\",\n",
    )
    .fine();
    assert!(
        comma.starts_with("ligne,nom,brut,net\n2,Max,2480,\"19"),
        "{comma}"
    );
}

/// Fields that a row of CSV cannot hold are said to be left out.
#[test]
fn the_lists_that_a_csv_leaves_out_are_named() {
    let ran = run_with(&["batch", "salaire", "--date", DAY], "brut\n2480\n");
    assert!(
        ran.errors.contains("absents du CSV : ") && ran.errors.contains("--format json"),
        "{ran:#?}"
    );
    let json = run_with(
        &["batch", "salaire", "--date", DAY, "--format", "json"],
        "brut\n2480\n",
    );
    assert!(!json.errors.contains("absents du CSV"), "{json:#?}");
}

#[test]
fn json_lines_choose_their_country_by_row() {
    let lines = "{\"pays\": \"sn\", \"brut\": 450000}\n{\"pays\": \"be\", \"brut\": \"3000.50\", \"parts\": 2}\n{\"pays\": \"zz\", \"brut\": 1}\n";
    let ran = run_with(
        &[
            "batch",
            "salaire-net",
            "--fields",
            "net_mensuel,devise,avertissements",
            "--date",
            DAY,
        ],
        lines,
    );
    assert_eq!(ran.code, 1);
    let rows: Vec<Value> = ran
        .output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(
        (
            &rows[0]["ligne"],
            &rows[0]["devise"],
            &rows[0]["net_mensuel"]
        ),
        (&1.into(), &"XOF".into(), &333_225.into())
    );
    let warning = json!({
        "code": "parametre_sans_effet", "texte": "Le paramètre `parts` n’a pas d’effet sur ce calcul.", "parametre": "parts",
    });
    assert_eq!(rows[1]["avertissements"], json!([warning]));
    assert!(
        ran.errors
            .contains("ligne 3 : pays : Valeur inconnue (reçu : zz)"),
        "{}",
        ran.errors
    );
}

#[test]
fn a_column_or_a_field_that_nobody_knows_stops_everything_at_once() {
    let column = run_with(&["batch", "salaire"], "brut,cadres\n1,true\n");
    assert_eq!(column.code, 2);
    assert!(
        column
            .errors
            .contains("La colonne `cadres` n’est pas un paramètre ; vouliez-vous dire `cadre` ?"),
        "{column:#?}"
    );
    let field = run_with(&["batch", "salaire", "--fields", "nets"], "brut\n1\n");
    assert_eq!(field.code, 2);
    assert_eq!(run_with(&["batch", "salaire"], "").code, 2);
    assert_eq!(run(&["batch", "salaire", "--format", "html"]).code, 2);
}

/// The rows come from a file that is named, or from the standard input.
#[test]
fn rows_are_read_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("paies.csv");
    std::fs::write(&file, "Brut;Début;;\n3 200,00 €;;;\n").unwrap();
    let path = file.to_str().unwrap();
    let unknown = run(&["batch", "salaire", path, "--date", DAY]);
    assert!(
        unknown.code == 2 && unknown.errors.contains("La colonne `Début`"),
        "{unknown:#?}"
    );
    std::fs::write(
        &file,
        "Brut;Matricule;;\n3 200,00 €;a;;\n3,2E+03;b;;\n2 000;c;;x\n",
    )
    .unwrap();
    let batch = [
        "batch",
        "SALAIRE",
        path,
        "--keep",
        "Matricule",
        "--fields",
        "brut",
        "--date",
        DAY,
    ];
    let ran = run(&batch);
    assert_eq!(
        (ran.code, ran.output.as_str()),
        (1, "ligne;Matricule;brut\n2;a;3200\n"),
        "{ran:#?}"
    );
    for wanted in [
        "Colonne `Brut` lue comme `brut`.",
        "Colonnes sans nom, ignorées : 2.",
        "ligne 3 : brut : `3,2E+03` a pu perdre des chiffres",
        "ligne 4 : `x` dans la colonne 4, qui n’a pas de nom",
    ] {
        assert!(ran.errors.contains(wanted), "{wanted}\n{}", ran.errors);
    }
    let piped = run_with(
        &["batch", "salaire", "-", "--fields", "brut", "--date", DAY],
        "brut\n3200\n",
    )
    .fine();
    assert_eq!(piped, "ligne,brut\n2,3200\n");
    let missing = run(&["batch", "salaire", "nulle-part.csv"]);
    assert!(
        missing.code == 2 && missing.errors.contains("`nulle-part.csv` ne se lit pas"),
        "{missing:#?}"
    );
    let twice = run_with(&["batch", "salaire", "-"], "brut,Brut\n1,2\n");
    assert!(
        twice.code == 2 && twice.errors.contains("Deux colonnes sont `brut`."),
        "{twice:#?}"
    );
}

/// A decimal comma in a file of points is refused with the option that reads it.
#[test]
fn a_comma_in_an_english_file_is_refused_with_its_cure() {
    let ran = run_with(&["batch", "salaire", "--date", DAY], "brut\n\"3200,50\"\n");
    assert!(
        ran.code == 1 && ran.errors.contains("`--locale fr` la lit"),
        "{ran:#?}"
    );
}

#[test]
fn warnings_are_counted() {
    let ran = run_with(
        &["batch", "salaire-net/sn", "--date", "2031-01-01"],
        "brut\n450000\n460000\n",
    );
    assert!(
        ran.errors.contains("Avertissement, 2 lignes : "),
        "{ran:#?}"
    );
    assert!(
        ran.output
            .lines()
            .next()
            .unwrap()
            .contains("avertissements"),
        "{ran:#?}"
    );
}
