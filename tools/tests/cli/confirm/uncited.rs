//! The sources of a confirmed draft: those that nothing cites any more go, others stay.

use std::fs::{read_to_string, write};

use super::Draft;
use crate::common::{NEW, run_in, small_rules};

const UNUSED: &str = "  guide:  {kind: administration, title: \"Guide de la caisse\", publisher: \"Caisse d'Espérie\", date: 2024-01-01}\n";

/// The ids of the sources of the draft.
fn sources(draft: &Draft) -> Vec<String> {
    let text = draft.text();
    let (_, sources) = text.split_once("\nsources:\n").unwrap();
    let entries = sources.lines().take_while(|line| line.starts_with("  "));
    entries
        .map(|line| line.trim_start().split_once(':').unwrap().0.to_owned())
        .collect()
}

/// What `check` finds unused in the draft.
fn unused(draft: &Draft) -> usize {
    let checked = draft.run(&["check", "--verbose", "--date", "2026-12-30"]);
    assert_eq!(checked.code, 0, "{checked:#?}");
    let found = format!("{}{}", checked.output, checked.errors);
    found.matches("[W05]").count()
}

/// Confirms all figures but one by the law of the year.
fn read_all_but_the_family(draft: &Draft) {
    draft.confirmed(&[&["pension.rate", "7%"], &NEW[..]].concat());
    draft.confirmed(&["pension.ceiling", "1 300", "--source", "lf2027"]);
    for (cell, value) in [
        ("impot[1].up_to", "6 100"),
        ("impot[2].up_to", "18 100"),
        ("impot[4].up_to", "12 100"),
    ] {
        draft.confirmed(&[cell, value, "--source", "lf2027"]);
    }
    let left = ["impot", "--whole", "--source", "lf2027"];
    draft.confirmed(&left);
}

#[test]
fn the_sources_of_the_scale_before_go_with_the_last_figure() {
    let draft = Draft::new(&[]);
    read_all_but_the_family(&draft);
    // Another figure is left: it may still rest on any of them.
    assert_eq!(sources(&draft), ["lf2027", "lf2026", "css"]);

    let last = ["famille", "--whole", "--source", "lf2027"];
    let shown = draft.confirmed(&last);
    assert!(
        shown
            .contains("Sources que plus aucun chiffre ne cite, retirées du fichier : lf2026, css."),
        "{shown}"
    );
    assert_eq!(sources(&draft), ["lf2027"]);
    assert_eq!(unused(&draft), 0);
    // The rest of the file is what it was.
    assert!(
        draft
            .text()
            .contains("citation: \"Loi de finances 2026, art. 10 ; code social, art. 4\"\n"),
        "{}",
        draft.text()
    );
}

#[test]
fn a_source_that_is_still_cited_stays() {
    let draft = Draft::new(&[]);
    read_all_but_the_family(&draft);
    // A note that names it, and values that did not move.
    let text = draft.text().replace(
        "title: \"Espérie, barème 2027\"\n",
        "title: \"Espérie, barème 2027\"\nnote: \"Le plafond de l'ancien texte (css) n'est plus lu.\"\n",
    );
    write(draft.path(), text).unwrap();
    let json = draft.confirmed(&["famille", "--whole", "--unchanged", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["sources_retirees"], serde_json::json!([]));
    assert_eq!(sources(&draft), ["lf2027", "lf2026", "css"]);
    assert_eq!(unused(&draft), 1, "that of the note is cited by no figure");
}

#[test]
fn a_source_that_was_unused_before_stays_with_its_warning() {
    let folder = small_rules(None);
    let last = folder.path().join("rules/zz/2026-01-01.yaml");
    let text = read_to_string(&last).unwrap();
    write(
        &last,
        text.replace("figures:\n", &format!("{UNUSED}figures:\n")),
    )
    .unwrap();
    run_in(folder.path(), &["new", "zz", "2027-01-01"]).fine();
    let draft = Draft(folder);

    // So does one that somebody wrote into the draft.
    let text = draft.text();
    let added = UNUSED.replace("guide: ", "avis: ").replace("Guide", "Avis");
    write(
        draft.path(),
        text.replace("figures:\n", &format!("{added}figures:\n")),
    )
    .unwrap();
    read_all_but_the_family(&draft);
    draft.confirmed(&["famille", "--whole", "--source", "lf2027"]);
    assert_eq!(sources(&draft), ["lf2027", "guide", "avis"]);
    assert_eq!(unused(&draft), 2 + 1, "two of 2027, and that of 2026");
}

#[test]
fn the_bill_that_proposed_the_values_goes_with_them() {
    let draft = Draft::new(&[]);
    let bill = "  plf2027: {kind: law, title: \"Projet de loi de finances pour 2027\", publisher: \"Journal officiel\", date: 2026-10-01}\n";
    let text = draft
        .text()
        .replace("sources:\n", &format!("sources:\n{bill}"));
    let text = text.replace("source: lf2026", "source: plf2027");
    write(draft.path(), text.replace("source: css", "source: plf2027")).unwrap();
    read_all_but_the_family(&draft);
    assert_eq!(sources(&draft), ["lf2027", "plf2027", "lf2026", "css"]);
    draft.confirmed(&["famille", "--whole", "--source", "lf2027"]);
    assert_eq!(sources(&draft), ["lf2027"]);
}

/// A scale in force that is corrected: what the correction replaces goes, and nothing else.
#[test]
fn a_correction_of_a_scale_in_force_removes_what_it_replaces() {
    let folder = small_rules(None);
    let path = folder.path().join("rules/zz/2026-01-01.yaml");
    let own = UNUSED.replace("guide: ", "avis: ");
    let text = read_to_string(&path).unwrap();
    let text = text.replace("figures:\n", &format!("{UNUSED}{own}figures:\n"));
    let (before, family) = text.split_once("  famille:").unwrap();
    let family = family.replace("source: lf2026", "source: avis");
    write(&path, format!("{before}  famille:{family}")).unwrap();

    let describe = [
        "--title",
        "Code de la famille, art. 2",
        "--publisher",
        "Journal officiel",
        "--text-date",
        "2025-12-31",
    ];
    for (row, value, described) in [
        ("1", "0", &describe[..]),
        ("2", "600", &[]),
        ("3", "1 500", &[]),
    ] {
        let cell = format!("famille[{row}].montant");
        let corrected = ["confirm", "zz", &cell, value, "--source", "cf"];
        let days = ["--from", "2026-01-01", "--date", "2026-12-30"];
        run_in(folder.path(), &[&corrected[..], described, &days].concat()).fine();
    }
    let after = read_to_string(&path).unwrap();
    assert!(after.contains("    source: cf\n"), "{after}");
    assert!(
        !after.contains("  avis: ") && after.contains(UNUSED),
        "{after}"
    );
}
