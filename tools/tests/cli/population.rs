//! `bareme population`: samples that are all computed, the same for the same seed.

use crate::common::run;

const DAY: &str = "2026-11-01";

#[test]
fn every_made_up_row_is_computed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for (kind, kept, field) in [
        ("foyer", "foyer,salaires_et_pensions,poids", "total"),
        ("ir", "foyer,poids", "impot_net"),
        ("salaire", "salarie,poids", "net"),
    ] {
        for ending in ["parquet", "csv"] {
            let sample = path(&format!("{kind}.{ending}"));
            let made = run(&[
                "population",
                kind,
                "--rows",
                "3000",
                "--seed",
                "7",
                "--output",
                &sample,
            ]);
            assert!(
                made.code == 0 && made.errors.contains("lignes inventées, poids total"),
                "{made:#?}"
            );
            let ran = run(&[
                "batch", kind, &sample, "--keep", kept, "--fields", field, "--date", DAY,
            ]);
            assert_eq!(
                (ran.code, ran.output.lines().count()),
                (0, 3_001),
                "{}",
                ran.errors
            );
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_weights_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let made = |name: &str, seed: &str| {
        let path = folder.path().join(name);
        run(&[
            "population",
            "ir",
            "--rows",
            "500",
            "--seed",
            seed,
            "--output",
            path.to_str().unwrap(),
        ])
        .fine();
        std::fs::read(path).unwrap()
    };
    assert_eq!(made("a.parquet", "1"), made("b.parquet", "1"));
    assert_ne!(made("a.parquet", "1"), made("c.parquet", "2"));
    let csv = run(&["population", "ir", "--rows", "500"]).fine();
    let mut lines = csv.lines();
    assert_eq!(
        lines.next(),
        Some("foyer,revenu,parts,situation,case_l,poids")
    );
    assert!(lines.all(|line| line.ends_with(",82000.000000")), "{csv}");
}

#[test]
fn a_file_of_another_ending_or_no_rows_are_refused() {
    let ending = run(&["population", "ir", "--output", "foyers.xlsx"]);
    assert!(
        ending.code == 2 && ending.errors.contains("la fin du nom dit le format"),
        "{ending:#?}"
    );
    assert_eq!(run(&["population", "ir", "--rows", "0"]).code, 2);
    assert_eq!(run(&["population", "tva"]).code, 2);
    let absent = run(&["population", "ir", "--output", "absent/foyers.csv"]);
    assert!(
        absent.code == 2 && absent.errors.contains("ne s’écrit pas"),
        "{absent:#?}"
    );
}
