//! Any bytes as a file of rows for `bareme batch`, CSV or JSON lines: each row is answered, or
//! refused with a reason.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "batch_file",
    seeds,
    tokens: &TOKENS,
    check,
};

const TOKENS: [&str; 34] = [
    "\n",
    "\r\n",
    "\r",
    ",",
    ";",
    "\t",
    "|",
    "\"",
    "\"\"",
    "\u{feff}",
    "\u{a0}",
    "\u{202f}",
    "{",
    "}",
    "[",
    "]",
    ":",
    "null",
    "true",
    "1e5",
    "1 234,56",
    "1.234,56",
    "12 %",
    "€",
    "-0",
    "é",
    "\0",
    "montant",
    "Montant HT",
    "taux",
    "sens",
    "date",
    "ligne",
    "motif",
];

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = [
        "montant,taux,sens\n100,20,ht\n99.99,5.5,ttc\n",
        "\u{feff}Montant;Taux;Sens;Nom\r\n1 234,56 €;20 %;HT;\"Zoé; fille\"\r\n;;;\r\n12;20;ttc;\"a\nb\"\r\n",
        "montant\ttaux\tsens\n100\t20\tht\n",
        "{\"montant\": 100, \"taux\": 20, \"sens\": \"ht\"}\n\n{\"montant\": null, \"sens\": [1]}\n",
        "fichier,ligne,montant,taux,sens,motif\na.csv,2,100,20,ht,autre\n",
    ]
    .map(|rows| rows.as_bytes().to_vec())
    .to_vec();
    // Encoded as Windows does.
    seeds.push(b"montant;sens;pr\xe9nom\r\n1\xa0000,50;ht;Zo\xe9\r\n".to_vec());
    seeds
}

/// The smallest service: the command reads its rules for each input.
const SERVICE: &str = "format: bareme/1
title: Service
documentation: https://example.org
attribution: Service
endpoints: {tva: {title: TVA, folder: tva}}
variants:
  a:
    title: A
    prefix: /a
    endpoints: tva
    key_prefix: aaa
    cors: false
    plans: {libre: {title: Libre, price: rien, calls_per_day: unlimited, attribution: false}}
";

/// A folder with the rules of one endpoint, and for the files of a run.
fn place() -> &'static Path {
    static PLACE: OnceLock<tempfile::TempDir> = OnceLock::new();
    let place = PLACE.get_or_init(|| {
        let place = tempfile::tempdir().unwrap();
        let rules = place.path().join("rules");
        harness::copy_folder(&harness::repository().join("rules/tva"), &rules.join("tva"));
        fs::remove_file(rules.join("tva/cases.yaml")).unwrap();
        fs::write(rules.join("service.yaml"), SERVICE).unwrap();
        place
    });
    place.path()
}

fn check(bytes: &[u8]) -> bool {
    let place = place();
    fs::write(place.join("rows"), bytes).unwrap();
    let ending = if bytes.first() == Some(&b'{') {
        "jsonl"
    } else {
        "csv"
    };
    let (answers, refused) = (
        place.join("answers").with_extension(ending),
        place.join("refused.csv"),
    );
    for path in [&answers, &refused] {
        drop(fs::remove_file(path));
    }
    let words: [OsString; 10] = [
        "bareme".into(),
        "batch".into(),
        "tva".into(),
        place.join("rows").into(),
        "--rules".into(),
        place.join("rules").into(),
        "--output".into(),
        answers.clone().into(),
        "--errors".into(),
        refused.into(),
    ];
    let exit = bareme_tools::run(words);
    assert!(exit <= 2, "exit {exit}");
    // Success means that rows were answered.
    assert!(
        exit != 0 || fs::metadata(&answers).is_ok_and(|written| written.len() > 0),
        "nothing answered"
    );
    exit == 0
}
