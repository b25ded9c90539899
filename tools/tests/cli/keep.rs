//! `bareme batch` with copied columns, columns of the path, and fields asked for by name: nothing
//! of it changes what a row is computed from, in any format.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use bareme_arrow::arrow::array::{Array as _, ArrayRef, AsArray as _, RecordBatch, StringArray};
use bareme_arrow::arrow::datatypes::Decimal128Type;
use bareme_arrow::{Format, Sink, Source};
use bareme_engine::{Folder, Loader};
use serde_json::{Value, json};

use crate::common::{root, run, run_in, run_with};

const DAY: &str = "2026-11-01";

/// Cases of a folder that are given to the command.
const CASES: usize = 12;

/// Rows of parameters: a value for each name that the row sends.
type Rows = Vec<BTreeMap<String, String>>;

/// Every folder, with a copy of each of its inputs: the other fields are those of the same rows
/// without any copy.
#[test]
fn a_copied_column_is_still_computed_with_in_every_format() {
    let loaded = Loader::new()
        .without_cases()
        .load_service(&root().join("rules"));
    let rules = loaded.rules.unwrap();
    let folders: Vec<&Folder> = rules.folders().collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(folder) =
                    folders.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
                {
                    compare_formats(folder);
                }
            });
        }
    });
}

fn compare_formats(folder: &Folder) {
    let place = tempfile::tempdir().unwrap();
    let rows = rows(folder);
    let names: BTreeSet<&str> = rows
        .iter()
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect();
    let names: Vec<&str> = names.into_iter().collect();
    let is_there = |field: &&str| !names.contains(field);
    let method = folder.edition(DAY.parse().unwrap()).unwrap().method();
    let fields = method
        .fields()
        .iter()
        .filter(|field| field.json_type() != "array" && field.is_always_there());
    let fields: Vec<&str> = fields
        .map(|field| field.name.as_str())
        .filter(is_there)
        .collect();
    let (fields, kept) = (fields.join(","), names.join(","));
    let batch = [
        "batch",
        folder.path(),
        "--fields",
        &fields,
        "--date",
        DAY,
        "--format",
        "json",
    ];
    let csv = csv(&rows, &names);
    let plain = run_with(&batch, &csv);
    let expected = parsed(&plain.output);
    assert!(
        !expected.is_empty() || fields.is_empty(),
        "{}: {}",
        folder.path(),
        plain.errors
    );
    let (csv_path, json_path) = (place.path().join("in.csv"), place.path().join("in.jsonl"));
    std::fs::write(&csv_path, &csv).unwrap();
    let lines: String = rows.iter().map(|row| format!("{}\n", json!(row))).collect();
    std::fs::write(&json_path, lines).unwrap();
    let tables = ["in.parquet", "in.arrow", "in.arrows"].map(|name| place.path().join(name));
    tables
        .iter()
        .for_each(|path| write_table(path, &rows, &names));
    for path in [&csv_path, &json_path].into_iter().chain(&tables) {
        let arguments = [&batch[..], &[path.to_str().unwrap(), "--keep", &kept]].concat();
        let ran = run(&arguments);
        let found = parsed(&ran.output);
        let context = || format!("{} {}: {}", folder.path(), path.display(), ran.errors);
        assert_eq!(found.len(), expected.len(), "{}", context());
        for (found, expected) in found.iter().zip(&expected) {
            for (name, value) in expected
                .as_object()
                .unwrap()
                .iter()
                .filter(|(name, _)| *name != "ligne")
            {
                assert_eq!(&found[name], value, "{name} of {}", context());
            }
        }
        // Rows that are refused leave no line: the copies are compared where none is.
        if found.len() == rows.len() {
            for (found, row) in found.iter().zip(&rows) {
                let copied = |name: &&str| found[*name].as_str().unwrap_or_default().to_owned();
                let sent = |name: &&str| row.get(*name).cloned().unwrap_or_default();
                assert_eq!(
                    names.iter().map(copied).collect::<Vec<_>>(),
                    names.iter().map(sent).collect::<Vec<_>>()
                );
            }
        }
    }
}

/// The queries of some worked cases, spread over them.
fn rows(folder: &Folder) -> Rows {
    let known: Vec<&str> = folder
        .inputs()
        .into_iter()
        .map(|input| input.name.as_str())
        .chain(["date", "annee"])
        .collect();
    let is_row = |query: &&Vec<(String, String)>| {
        query.iter().all(|(name, _)| known.contains(&name.as_str()))
    };
    let queries: Vec<_> = folder
        .answered_cases()
        .map(|case| &case.query)
        .filter(is_row)
        .collect();
    let step = queries.len().div_ceil(CASES).max(1);
    queries
        .into_iter()
        .step_by(step)
        .map(|query| query.iter().cloned().collect())
        .collect()
}

fn csv(rows: &Rows, names: &[&str]) -> String {
    let mut csv = format!("{}\n", names.join(","));
    for row in rows {
        let cells: Vec<&str> = names
            .iter()
            .map(|name| row.get(*name).map_or("", String::as_str))
            .collect();
        writeln!(csv, "{}", cells.join(",")).unwrap();
    }
    csv
}

fn write_table(path: &Path, rows: &Rows, names: &[&str]) {
    let columns = names.iter().map(|name| {
        let cells: StringArray = rows.iter().map(|row| row.get(*name).cloned()).collect();
        (*name, Arc::new(cells) as ArrayRef, true)
    });
    let table = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let mut sink = Sink::new(
        File::create(path).unwrap(),
        table.schema(),
        Format::from_path(path).unwrap(),
    )
    .unwrap();
    sink.write(&table).unwrap();
    sink.finish().unwrap();
}

fn parsed(lines: &str) -> Vec<Value> {
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_copied_column_has_a_name_of_its_own_and_is_there() {
    for (arguments, input, said) in [
        (
            &["ir", "--keep", "parts"][..],
            "revenu,parts\n30000,2\n",
            "`parts` porte le nom d’une colonne de la réponse",
        ),
        (
            &["ir", "--keep", "parts"],
            "{\"revenu\": 30000, \"parts\": 2}\n",
            "`parts` porte le nom d’une colonne",
        ),
        (
            &["ir", "--keep", "ligne"],
            "revenu,ligne\n30000,2\n",
            "`ligne` porte le nom d’une colonne de la réponse",
        ),
        (
            &["ir", "--keep", "foyer"],
            "revenu,parts\n30000,2\n",
            "La colonne `foyer` n’existe pas",
        ),
    ] {
        let ran = run_with(
            &[&["batch"][..], arguments, &["--date", DAY]].concat(),
            input,
        );
        assert!(
            ran.code == 2 && ran.errors.contains(said),
            "{said}\n{ran:#?}"
        );
    }
    // A copied column is read like the others: by its word, or as another parameter.
    let copied = ["batch", "ir", "--fields", "impot_net", "--date", DAY];
    let by_word = run_with(
        &[&copied[..], &["--keep", "Parts"]].concat(),
        "revenu,Parts\n30000,2\n",
    );
    assert_eq!(
        by_word.output, "ligne,Parts,impot_net\n2,2,0\n",
        "{by_word:#?}"
    );
    assert!(
        by_word
            .errors
            .contains("Colonne `Parts` lue comme `parts`."),
        "{by_word:#?}"
    );
    let mapped = run_with(
        &[&copied[..], &["--keep", "rni", "--map", "rni=revenu"]].concat(),
        "rni\n30000\n",
    )
    .fine();
    assert_eq!(mapped, "ligne,rni,impot_net\n2,30000,2104\n");
}

/// A number of JSON has all its digits, and a member that is there twice refuses its row.
#[test]
fn the_members_of_a_line_of_json_are_those_that_are_written() {
    let lines = "{\"revenu\": 30000.0000000000000000000000001}\n{\"revenu\": 1, \"revenu\": 2}\n{\"revenu\": 30000}\n";
    let ran = run_with(
        &["batch", "ir", "--fields", "impot_net", "--date", DAY],
        lines,
    );
    assert_eq!(ran.output, "{\"ligne\":3,\"impot_net\":2104}\n", "{ran:#?}");
    assert!(
        ran.errors.contains("ligne 1 : revenu : ") && ran.errors.contains("ligne 2 : revenu : "),
        "{ran:#?}"
    );
}

#[test]
fn a_field_that_a_row_does_not_have_refuses_the_row_as_the_parameter_does() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("o.parquet");
    let csv = "brut,employeur\n2500,true\n2600,\n2700,false\n";
    let batch = [
        "batch",
        "salaire",
        "--fields",
        "net,cout_employeur",
        "--date",
        DAY,
    ];
    let ran = run_with(&batch, csv);
    assert_eq!((ran.code, ran.output.lines().count()), (1, 2), "{ran:#?}");
    assert_eq!(ran.errors.matches("champs : ").count(), 2, "{ran:#?}");
    let explained = run(&[
        "explain",
        "salaire",
        "brut=2600",
        "champs=net,cout_employeur",
        "--date",
        DAY,
    ]);
    let reason = "`cout_employeur` demande `employeur=true`";
    assert!(
        explained.errors.contains(reason) && ran.errors.contains(reason),
        "{explained:#?}\n{ran:#?}"
    );
    run_with(
        &[&batch[..], &["--output", out.to_str().unwrap()]].concat(),
        csv,
    );
    let table = Source::open(&out, Format::Parquet, 10)
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let texts = |name: &str| {
        table[name]
            .as_string::<i32>()
            .iter()
            .map(Option::unwrap_or_default)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (texts("champ"), texts("erreur")),
        (
            vec!["", "champs", "champs"],
            vec!["", "incompatible", "incompatible"]
        )
    );
    let costs = table["cout_employeur"].as_primitive::<Decimal128Type>();
    assert!(costs.value(0) > 0 && table["cout_employeur"].null_count() == 2);
    // Without names, a field that a row does not have is absent.
    let all = run_with(
        &["batch", "salaire", "--date", DAY, "--format", "json"],
        csv,
    )
    .fine();
    let has_cost: Vec<bool> = parsed(&all)
        .iter()
        .map(|row| row.get("cout_employeur").is_some())
        .collect();
    assert_eq!(has_cost, [true, false, false]);
}

#[test]
fn folders_of_the_path_are_columns() {
    let place = tempfile::tempdir().unwrap();
    let rules = root().join("rules");
    let rules = rules.to_str().unwrap();
    let within = |arguments: &[&str]| {
        let batch = [
            "batch",
            "ir",
            "--rules",
            rules,
            "--fields",
            "impot_net,bareme_en_vigueur",
            "--date",
            DAY,
        ];
        run_in(place.path(), &[&batch[..], arguments].concat())
    };
    let row: Rows = vec![[("revenu".to_owned(), "30000".to_owned())].into()];
    for year in ["2024", "2026"] {
        let folder = place.path().join(format!("annee={year}/lot=a"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("p.csv"), "revenu\n30000\nx\n").unwrap();
        std::fs::write(folder.join("p.jsonl"), "{\"revenu\": 30000}\n").unwrap();
        write_table(&folder.join("p.parquet"), &row, &["revenu"]);
    }
    let of = |year: &str| {
        let ran = run(&[
            "explain",
            "ir",
            "revenu=30000",
            &format!("annee={year}"),
            "--format",
            "json",
        ])
        .fine();
        let answer: Value = serde_json::from_str(&ran).unwrap();
        format!(
            "{},{}",
            answer["impot_net"],
            answer["bareme_en_vigueur"].as_str().unwrap()
        )
    };
    let (old, new) = (of("2024"), of("2026"));
    assert_ne!(old, new);
    let csv = within(&[
        "annee=*/lot=a/p.csv",
        "--keep",
        "annee",
        "--errors",
        "refused.csv",
    ]);
    let line = |year: &str, line: u32, answer: &str| {
        format!("annee={year}/lot=a/p.csv,{line},{year},{answer}\n")
    };
    let expected = format!(
        "fichier,ligne,annee,impot_net,bareme_en_vigueur\n{}{}",
        line("2024", 2, &old),
        line("2026", 2, &new)
    );
    assert_eq!(csv.output, expected, "{csv:#?}");
    assert!(
        csv.errors
            .contains("Dossier `lot=a` du chemin : ce n’est pas un paramètre"),
        "{csv:#?}"
    );
    // A refused row keeps its year, so that it can be given back.
    let refused = std::fs::read_to_string(place.path().join("refused.csv")).unwrap();
    assert!(
        refused.starts_with("revenu,annee,fichier,ligne,motif\nx,2024,"),
        "{refused}"
    );
    for file in ["p.parquet", "p.jsonl"] {
        for (year, answer) in [("2024", &old), ("2026", &new)] {
            let ran = within(&[&format!("annee={year}/lot=a/{file}"), "--output", "o.csv"]);
            let written = std::fs::read_to_string(place.path().join("o.csv")).unwrap();
            assert_eq!(
                written,
                format!("ligne,impot_net,bareme_en_vigueur\n1,{answer}\n"),
                "{ran:#?}"
            );
        }
    }
    let copied = within(&["annee=2024/lot=a/p.parquet", "--keep", "lot"]).fine();
    assert_eq!(
        copied,
        format!("ligne,lot,impot_net,bareme_en_vigueur\n1,a,{old}\n")
    );
    std::fs::write(
        place.path().join("annee=2024/twice.csv"),
        "revenu,annee\n30000,2026\n",
    )
    .unwrap();
    let near = place.path().join("parst=2");
    std::fs::create_dir_all(&near).unwrap();
    std::fs::write(near.join("p.csv"), "revenu\n30000\n").unwrap();
    for (path, said) in [
        (
            "annee=2024/twice.csv",
            "`annee` est à la fois une colonne du fichier et un dossier du chemin, `annee=2024`",
        ),
        (
            "parst=2/p.csv",
            "Le dossier `parst=2` du chemin n’est pas un paramètre ; vouliez-vous dire `parts` ?",
        ),
    ] {
        let ran = within(&[path]);
        assert!(
            ran.code == 2 && ran.errors.contains(said),
            "{said}\n{ran:#?}"
        );
    }
}
