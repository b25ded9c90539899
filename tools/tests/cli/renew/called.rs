//! `bareme renew` of a folder that takes figures from another one: each has its own days.

use std::fs;

use crate::common::{root, run_in, small_rules};

const READ: [&str; 8] = [
    "--source",
    "lf2027",
    "--title",
    "Loi de finances pour 2027",
    "--publisher",
    "Journal officiel",
    "--text-date",
    "2026-12-29",
];
const DAYS: [&str; 4] = ["--until", "2027-12-31", "--date", "2026-12-30"];

/// `donation` has a file of the same day as `succession`, which takes a figure from it; it comes
/// first, and is known for other days.
#[test]
fn a_folder_is_renewed_by_its_own_days_not_those_of_one_that_it_reads() {
    let copy = small_rules(None);
    let rules = copy.path().join("rules");
    for folder in ["donation", "succession"] {
        fs::create_dir(rules.join(folder)).unwrap();
        for entry in fs::read_dir(root().join("rules").join(folder)).unwrap() {
            let entry = entry.unwrap();
            if entry.file_name().to_string_lossy().ends_with(".yaml") {
                fs::copy(entry.path(), rules.join(folder).join(entry.file_name())).unwrap();
            }
        }
    }
    let text = |file: &str| fs::read_to_string(rules.join(file)).unwrap();
    let scale = "succession/2023-01-01.yaml";
    assert!(
        text(scale).contains("known_until: 2026-12-31\n") && text(scale).contains("\nwatch:\n")
    );
    assert!(rules.join("donation/2023-01-01.yaml").exists());

    let run = |arguments: &[&str]| {
        let renew = ["renew", "--answered", "finances pour 2027", "--cases"];
        run_in(copy.path(), &[&renew[..], arguments, &READ, &DAYS].concat())
    };
    // What it takes from another folder is not known for these days.
    let refused = run(&["succession"]);
    assert_eq!(refused.code, 2, "{refused:#?}");
    let line = refused.errors.replace("\n  ", " ");
    for part in [
        "le chiffre `abattement_handicap` vient de donation",
        "qui n’est connu que jusqu’au 2027-01-01",
        "renouveler d’abord donation",
    ] {
        assert!(line.contains(part), "{part}\n{}", refused.errors);
    }

    run(&["donation", "--from", "2027-01-01"]).fine();
    let others = ["donation/2027-01-01.yaml", "donation/cases.yaml"].map(text);
    let shown = run(&["succession"]).fine();
    assert!(
        shown.contains("succession : connu jusqu’au 31 décembre 2026 -> 31 décembre 2027"),
        "{shown}"
    );
    assert!(text(scale).contains("known_until: 2027-12-31\n"));
    assert!(!text(scale).contains("\nwatch:\n"), "{}", text(scale));
    let late = "name: \"Après le dernier jour vérifié\", date: 2028-01-01,";
    assert!(text("succession/cases.yaml").contains(late));
    let after = ["donation/2027-01-01.yaml", "donation/cases.yaml"].map(text);
    assert_eq!(after, others);
}

/// A calculation without dated files names none to renew.
#[test]
fn a_calculation_without_dated_files_has_nothing_to_renew() {
    let renew = [&["renew", "pret"][..], &READ, &DAYS].concat();
    let ran = run_in(&root(), &renew);
    assert_eq!(ran.code, 2, "{ran:#?}");
    let line = ran.errors.replace("\n  ", " ");
    assert!(
        line.contains("pret : ce calcul n’a pas de fichier daté, rien à renouveler")
            && line.contains("nommer un dossier de fichiers datés (`bareme list`)"),
        "{}",
        ran.errors
    );
}
