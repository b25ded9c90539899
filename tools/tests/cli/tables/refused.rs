//! What no table can be computed from, and rows that are refused for themselves.

use std::sync::Arc;

use bareme_arrow::arrow::array::{Array as _, ArrayRef, Float64Array};

use super::{DAY, Place, amounts, decimals, households, integers, read, texts_of};
use crate::common::{run, run_with};

#[test]
fn binary_floats_are_refused_with_the_cure() {
    let place = Place::new();
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![30_000.004, 0.1 + 0.2]));
    let path = place.write("f.parquet", vec![("revenu", floats)]);
    let batch = [
        "batch",
        "ir",
        &path,
        "--fields",
        "revenu_imposable",
        "--date",
        DAY,
    ];
    let ran = run(&batch);
    assert!(
        ran.code == 2 && ran.errors.contains("`revenu` est en virgule flottante"),
        "{ran:#?}"
    );
    assert!(ran.errors.contains("--round-floats 2"), "{ran:#?}");
    let english = run(&[&batch[..], &["--lang", "en"]].concat());
    assert!(
        english.errors.contains("holds binary floats"),
        "{english:#?}"
    );
    let rounded = run(&[&batch[..], &["--round-floats", "2"]].concat()).fine();
    assert_eq!(rounded, "ligne,revenu_imposable\n1,30000\n2,0.3\n");
    let text = run_with(&["batch", "ir", "--round-floats", "2"], "revenu\n1\n");
    assert!(
        text.code == 2 && text.errors.contains("ne vaut que pour les tables"),
        "{text:#?}"
    );
}

#[test]
fn what_no_table_can_be_computed_from_is_said() {
    let place = Place::new();
    let good = households(&place, "good.parquet");
    let bytes = std::fs::read(&good).unwrap();
    std::fs::write(place.path("cut.parquet"), &bytes[..bytes.len() / 2]).unwrap();
    let (cut, none) = (
        place.text("cut.parquet"),
        place.write("none.parquet", vec![("revenu", integers(&[]))]),
    );
    let without = place.write("without.parquet", vec![("parts", integers(&[Some(1)]))]);
    let unknown = place.write(
        "unknown.parquet",
        vec![
            ("revenu", integers(&[Some(1)])),
            ("part", integers(&[Some(1)])),
        ],
    );
    let absent = place.text("absent/o.parquet");
    for (arguments, said) in [
        (&[&cut][..], "ne se lit pas"),
        (&[&none], "Rien à calculer : aucune ligne dans"),
        (&[&without], "La colonne `revenu` manque"),
        (
            &[&unknown],
            "La colonne `part` n’est pas un paramètre ; vouliez-vous dire `parts` ?",
        ),
        (
            &[&good, &"--keep".to_owned(), &"foyers".to_owned()],
            "La colonne `foyers` n’existe pas",
        ),
        (
            &[
                &good,
                &"--keep".to_owned(),
                &"foyer".to_owned(),
                &"--output".to_owned(),
                &absent,
            ],
            "ne s’écrit pas",
        ),
        (
            &[&good, &"--output".to_owned(), &"o.xlsx".to_owned()],
            "la fin du nom dit le format",
        ),
        (
            &[&good, &"--errors".to_owned(), &"o.parquet".to_owned()],
            "`--errors` écrit du CSV",
        ),
    ] {
        let arguments: Vec<&str> = arguments.iter().map(|argument| argument.as_str()).collect();
        let ran = run(&[&["batch", "ir", "--date", DAY][..], &arguments].concat());
        assert!(
            ran.code == 2 && ran.errors.contains(said),
            "{said}\n{ran:#?}"
        );
    }
    let header = run_with(&["batch", "ir"], "revenu\n");
    assert!(
        header.code == 2 && header.errors.contains("Rien à calculer"),
        "{header:#?}"
    );
}

#[test]
fn a_decimal_that_is_too_wide_and_a_row_of_nulls_are_refused_for_themselves() {
    let place = Place::new();
    let wide = 10_i128.pow(36);
    let path = place.write(
        "f.parquet",
        vec![
            (
                "revenu",
                decimals(&[Some(wide), Some(3_000_000), None], 38, 2),
            ),
            ("parts", integers(&[Some(1), Some(1), None])),
        ],
    );
    let out = place.text("o.parquet");
    let ran = run(&[
        "batch",
        "ir",
        &path,
        "--fields",
        "impot_net",
        "--date",
        DAY,
        "--output",
        &out,
    ]);
    assert_eq!(ran.code, 1, "{ran:#?}");
    let found = read(&place.path("o.parquet"));
    assert_eq!(amounts(&found, "impot_net"), [None, Some(210_400), None]);
    assert_eq!(
        texts_of(&found, "champ"),
        [Some("revenu".to_owned()), None, Some("revenu".to_owned())]
    );
    assert!(found["version"].is_null(0) && found["version"].is_valid(1));
}
