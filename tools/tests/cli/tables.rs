//! `bareme batch` over Parquet and Arrow: the same amounts as from text, refused rows in their
//! place, and what cannot be computed said with its cure.

mod refused;
mod years;

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use bareme_arrow::arrow::array::{
    ArrayRef, AsArray as _, Decimal128Array, Int64Array, RecordBatch, StringArray,
};
use bareme_arrow::arrow::compute::concat_batches;
use bareme_arrow::arrow::datatypes::Decimal128Type;
use bareme_arrow::{Format, Sink, Source};

use crate::common::{command, run, run_in, run_with};

const DAY: &str = "2026-11-01";

/// A folder with files of tables.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// Writes a table; returns its path.
    fn write(&self, name: &str, columns: Vec<(&str, ArrayRef)>) -> String {
        let batch = RecordBatch::try_from_iter_with_nullable(
            columns.into_iter().map(|(name, array)| (name, array, true)),
        );
        write(&self.path(name), &batch.unwrap());
        self.text(name)
    }
}

fn write(path: &Path, batch: &RecordBatch) {
    let mut sink = Sink::new(
        File::create(path).unwrap(),
        batch.schema(),
        Format::from_path(path).unwrap(),
    )
    .unwrap();
    sink.write(batch).unwrap();
    sink.finish().unwrap();
}

fn read(path: &Path) -> RecordBatch {
    let source = Source::open(path, Format::from_path(path).unwrap(), 1_000).unwrap();
    let schema = Arc::clone(source.schema());
    let batches: Vec<RecordBatch> = source.map(Result::unwrap).collect();
    concat_batches(&schema, &batches).unwrap()
}

fn integers(values: &[Option<i64>]) -> ArrayRef {
    Arc::new(Int64Array::from(values.to_vec()))
}

fn texts(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn decimals(values: &[Option<i128>], digits: u8, scale: i8) -> ArrayRef {
    Arc::new(
        Decimal128Array::from(values.to_vec())
            .with_precision_and_scale(digits, scale)
            .unwrap(),
    )
}

/// Households, one of which is refused, with a text, decimals, and cells that are empty.
fn households(place: &Place, name: &str) -> String {
    place.write(
        name,
        vec![
            ("foyer", texts(&["a", "b", "c"])),
            ("revenu", integers(&[Some(30_000), None, Some(78_400)])),
            ("parts", decimals(&[None, Some(100), Some(300)], 4, 2)),
        ],
    )
}

fn texts_of(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
    batch[name]
        .as_string::<i32>()
        .iter()
        .map(|text| text.map(str::to_owned))
        .collect()
}

fn amounts(batch: &RecordBatch, name: &str) -> Vec<Option<i128>> {
    batch[name]
        .as_primitive::<Decimal128Type>()
        .iter()
        .collect()
}

#[test]
fn every_format_of_tables_is_read_and_written_with_refused_rows_in_their_place() {
    let place = Place::new();
    for (input, output) in [
        ("f.parquet", "o.parquet"),
        ("f.arrow", "o.arrow"),
        ("f.arrows", "o.arrows"),
        ("f.parquet", "o2.arrow"),
    ] {
        let (input, out) = (households(&place, input), place.text(output));
        let ran = run(&[
            "batch",
            "ir",
            &input,
            "--keep",
            "foyer",
            "--fields",
            "impot_net,situation",
            "--date",
            DAY,
            "--output",
            &out,
        ]);
        assert_eq!((ran.code, ran.output.as_str()), (1, ""), "{ran:#?}");
        for said in [
            "ligne 2 : revenu : Paramètre obligatoire manquant",
            "3 lignes en moins d’une seconde ; refusées : 1 ; cellules vides, valeur par défaut : parts 1\n",
        ] {
            assert!(ran.errors.contains(said), "{said}\n{}", ran.errors);
        }
        let found = read(&place.path(output));
        let names: Vec<&str> = found
            .schema_ref()
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect();
        let following = [
            "bareme_en_vigueur",
            "version",
            "avertissements",
            "reserves",
            "erreur",
            "champ",
            "message",
        ];
        assert_eq!(
            names,
            [&["foyer", "impot_net", "situation"][..], &following].concat()
        );
        assert_eq!(
            amounts(&found, "impot_net"),
            [Some(210_400), None, Some(611_400)]
        );
        assert_eq!(
            texts_of(&found, "erreur"),
            [None, Some("manquant".to_owned()), None]
        );
        assert_eq!(texts_of(&found, "champ")[1].as_deref(), Some("revenu"));
        let left: Vec<_> = std::fs::read_dir(place.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert!(
            left.iter()
                .all(|name| !name.to_string_lossy().starts_with('.')),
            "{left:?}"
        );
    }
}

#[test]
fn tables_become_text_and_text_becomes_tables() {
    let place = Place::new();
    let input = households(&place, "f.parquet");
    let batch = [
        "batch",
        "ir",
        &input,
        "--keep",
        "foyer",
        "--fields",
        "impot_net",
        "--date",
        DAY,
    ];
    let refused = place.text("refused.csv");
    let csv = run(&[&batch[..], &["--errors", &refused]].concat());
    assert_eq!(
        (csv.code, csv.output.as_str()),
        (1, "ligne,foyer,impot_net\n1,a,2104\n3,c,6114\n"),
        "{csv:#?}"
    );
    let kept = std::fs::read_to_string(&refused).unwrap();
    assert_eq!(
        kept,
        "foyer,revenu,parts,ligne,motif\nb,,1.00,2,revenu : Paramètre obligatoire manquant\n"
    );
    let json = run(&[&batch[..], &["--format", "json"]].concat());
    assert!(
        json.output
            .starts_with("{\"ligne\":1,\"foyer\":\"a\",\"impot_net\":2104}\n"),
        "{json:#?}"
    );
    let lists = run(&[
        "batch", "ir", &input, "--keep", "foyer", "--fields", "tranches", "--date", DAY,
        "--format", "json",
    ]);
    assert!(
        lists.output.contains("\"tranches\":[{\"de\":0"),
        "{lists:#?}"
    );

    let out = place.text("o.parquet");
    let csv = "foyer;Revenu;parts\na;30 000,00;\nb;60.000;2\nc;78400;3\nd;1\n";
    let ran = run_with(
        &[
            "batch",
            "ir",
            "--keep",
            "foyer",
            "--fields",
            "impot_net",
            "--date",
            DAY,
            "--output",
            &out,
        ],
        csv,
    );
    assert!(
        ran.code == 1 && ran.errors.contains("refusées : 2") && !ran.errors.contains("vides"),
        "{ran:#?}"
    );
    let found = read(&place.path("o.parquet"));
    assert_eq!(
        amounts(&found, "impot_net"),
        [Some(210_400), None, Some(611_400), None]
    );
    assert_eq!(
        texts_of(&found, "champ"),
        [
            None,
            Some("revenu".to_owned()),
            None,
            Some("ligne".to_owned())
        ]
    );
    assert_eq!(
        texts_of(&found, "message")[3].as_deref(),
        Some("ligne : 2 cellules au lieu de 3")
    );
    let file = place.text("o.csv");
    let json = "{\"revenu\": 30000, \"detail\": true}\n{\"revenu\": 1, \"part\": 2}\n";
    let ran = run_with(
        &[
            "batch",
            "ir",
            "--fields",
            "impot_net",
            "--date",
            DAY,
            "--output",
            &file,
        ],
        json,
    );
    assert!(
        ran.code == 1 && ran.errors.contains("ligne 2 : part : Paramètre inconnu"),
        "{ran:#?}"
    );
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        "ligne,impot_net\n1,2104\n"
    );
}

#[test]
fn a_stream_is_read_from_the_standard_input() {
    let place = Place::new();
    let stream = std::fs::read(households(&place, "f.arrows")).unwrap();
    let arguments = [
        "batch",
        "ir",
        "-",
        "--input-format",
        "arrows",
        "--keep",
        "foyer",
        "--fields",
        "impot_net",
    ];
    let mut child = command(&[&arguments[..], &["--date", DAY]].concat())
        .current_dir(crate::common::root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&stream).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "ligne,foyer,impot_net\n1,a,2104\n3,c,6114\n"
    );
    let named = run_with(&["batch", "ir", "-", "--input-format", "parquet"], "x");
    assert!(
        named.code == 2
            && named
                .errors
                .contains("un fichier Parquet ou Arrow se nomme"),
        "{named:#?}"
    );
}

#[test]
fn several_files_are_one_input_in_the_order_of_their_names() {
    let place = Place::new();
    for (name, income) in [("b.parquet", 78_400), ("a.parquet", 30_000)] {
        place.write(name, vec![("revenu", integers(&[Some(income), None]))]);
    }
    let rules = crate::common::root().join("rules");
    let batch = [
        "batch",
        "ir",
        "--rules",
        rules.to_str().unwrap(),
        "--date",
        DAY,
        "--fields",
        "impot_net",
    ];
    let within = |arguments: &[&str]| run_in(place.0.path(), &[&batch[..], arguments].concat());
    let ran = within(&["*.parquet"]);
    assert_eq!(
        ran.output, "fichier,ligne,impot_net\na.parquet,1,2104\nb.parquet,1,16624\n",
        "{ran:#?}"
    );
    assert!(
        ran.errors.contains("a.parquet, ligne 2 : revenu"),
        "{ran:#?}"
    );
    place.write("c.parquet", vec![("revenu", texts(&["1"]))]);
    let types = within(&["*.parquet"]);
    let said =
        "`c.parquet` : la colonne `revenu` est de type Utf8, et de type Int64 dans `a.parquet`";
    assert!(types.code == 2 && types.errors.contains(said), "{types:#?}");
    let formats = within(&["a.parquet", "d.csv"]);
    assert!(
        formats.code == 2 && formats.errors.contains("n’est pas du même format"),
        "{formats:#?}"
    );
    let none = within(&["*.arrow"]);
    assert!(
        none.code == 2 && none.errors.contains("aucun fichier ne répond à `*.arrow`"),
        "{none:#?}"
    );
    std::fs::write(place.path("1.csv"), "revenu\n30000\n").unwrap();
    std::fs::write(place.path("2.csv"), "revenu\n78400\nx\n").unwrap();
    std::fs::write(place.path("3.csv"), "revenu,parts\n78400,1\n").unwrap();
    let csv = within(&["1.csv", "2.csv", "--errors", "refused.csv"]);
    assert_eq!(
        csv.output, "fichier,ligne,impot_net\n1.csv,2,2104\n2.csv,2,16624\n",
        "{csv:#?}"
    );
    let refused = std::fs::read_to_string(place.path("refused.csv")).unwrap();
    assert!(
        refused.starts_with("revenu,fichier,ligne,motif\nx,2.csv,3,\"revenu : "),
        "{refused}"
    );
    let columns = within(&["?.csv"]);
    assert!(
        columns.code == 2
            && columns
                .errors
                .contains("`3.csv` : la colonne `parts` est de trop"),
        "{columns:#?}"
    );
}

#[test]
fn columns_of_other_names_are_mapped_in_every_format() {
    let place = Place::new();
    let table = place.write(
        "f.parquet",
        vec![
            ("rni", integers(&[Some(30_000)])),
            ("PARTS", integers(&[Some(1)])),
        ],
    );
    let batch = [
        "batch",
        "ir",
        "--map",
        "rni=revenu",
        "--fields",
        "impot_net",
        "--date",
        DAY,
    ];
    let csv = run_with(&batch, "rni\n30000\n").fine();
    let json = run_with(&batch, "{\"rni\": 30000}\n").fine();
    let table = run(&[&batch[..], &[&table]].concat());
    assert_eq!(
        (csv.as_str(), table.output.as_str()),
        ("ligne,impot_net\n2,2104\n", "ligne,impot_net\n1,2104\n")
    );
    assert_eq!(json, "{\"ligne\":1,\"impot_net\":2104}\n");
    assert!(
        table.errors.contains("Colonne `PARTS` lue comme `parts`."),
        "{table:#?}"
    );
    for (arguments, said) in [
        (
            &["--map", "rnx=revenu"][..],
            "La colonne `rnx` n’existe pas",
        ),
        (
            &["--map", "rni=revenue"],
            "`revenue` n’est pas un paramètre",
        ),
        (&["--map", "rni"], "ne convient pas à"),
    ] {
        let ran = run_with(&[&["batch", "ir"], arguments].concat(), "rni\n1\n");
        assert!(
            ran.code == 2 && ran.errors.contains(said),
            "{said}\n{ran:#?}"
        );
    }
}
