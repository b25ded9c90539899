//! The ways in of a scale that nobody adopted, and of a value that nobody believes: each is refused
//! or said, by `check` and at the moment of `confirm`.

use std::fs::{read_to_string, write};
use std::path::PathBuf;

use crate::common::{Ran, run_in, small_rules};

/// The small rules with a scale of 2027.
struct Rules(tempfile::TempDir);

impl Rules {
    fn run(&self, arguments: &[&str]) -> Ran {
        run_in(self.0.path(), arguments)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("rules/zz/2027-01-01.yaml")
    }

    fn text(&self) -> String {
        read_to_string(self.path()).unwrap()
    }

    /// A draft of 2027, as `new` prepares it.
    fn with_draft() -> Self {
        let rules = Self(small_rules(None));
        rules.run(&["new", "zz", "2027-01-01"]).fine();
        rules
    }

    /// A scale of 2027 in force: that of 2026 with its sources of 2027, and other texts replaced.
    fn with_scale(replaced: &[(&str, &str)]) -> Self {
        let rules = Self(small_rules(None));
        let before = read_to_string(rules.path().with_file_name("2026-01-01.yaml")).unwrap();
        let text = before
            .replace("barème 2026", "barème 2027")
            .replace("known_until: 2026-12-31\n", "")
            .replace("Loi de finances 2026", "Loi de finances 2027")
            .replace("lf2026", "lf2027")
            .replace("2025-12-29", "2026-10-29")
            .replace("date: 2024-06-01", "date: 2026-10-01");
        let text = replaced.iter().fold(text, |text, (from, to)| {
            assert!(text.contains(from), "{from}\n{text}");
            text.replace(from, to)
        });
        write(rules.path(), text).unwrap();
        rules
    }

    /// What `check` says, on one line.
    fn checked(&self) -> Ran {
        let ran = self.run(&["check", "--verbose", "--date", "2026-11-28"]);
        Ran {
            output: on_one_line(&ran.output),
            ..ran
        }
    }

    /// What `confirm` says as it refuses; the file stays as it was.
    fn refused(&self, arguments: &[&str]) -> String {
        let before = self.text();
        let ran = self.run(&[&["confirm", "zz"], arguments].concat());
        assert!(ran.code > 0, "{arguments:?}: {ran:#?}");
        assert_eq!(self.text(), before, "{arguments:?}");
        on_one_line(&ran.errors)
    }

    fn confirmed(&self, arguments: &[&str]) -> String {
        on_one_line(&self.run(&[&["confirm", "zz"], arguments].concat()).fine())
    }
}

/// A text without the line ends at which the page wraps it.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const LAW: [&str; 8] = [
    "--source",
    "lf2027",
    "--title",
    "Loi de finances 2027",
    "--publisher",
    "Journal officiel",
    "--text-date",
    "2026-10-28",
];

#[test]
fn a_scale_of_adopted_law_is_in_force() {
    let ran = Rules::with_scale(&[]).checked();
    assert_eq!(ran.code, 0, "{ran:#?}");
}

#[test]
fn a_bill_does_not_come_in_force() {
    for (from, to) in [
        ("barème 2027", "projet de barème 2027"),
        (
            "Loi de finances 2027, art. 10 ;",
            "Loi de finances 2027 (non votée), art. 10 ;",
        ),
        (
            "title: \"Loi de finances 2027",
            "title: \"Projet de loi de finances 2027",
        ),
        (
            "source: lf2027\n",
            "source: lf2027\n    note: \"Montants du projet\"\n",
        ),
    ] {
        let ran = Rules::with_scale(&[(from, to)]).checked();
        assert_eq!(ran.code, 1, "{to}: {ran:#?}");
        assert!(ran.output.contains("erreur[G32]"), "{to}: {ran:#?}");
    }
    let draft = Rules::with_scale(&[("barème 2027\"", "projet de barème 2027\"\nstate: draft")]);
    assert_eq!(draft.checked().code, 0);
}

#[test]
fn nothing_is_confirmed_by_a_bill() {
    let draft = Rules::with_draft();
    let bill = |title: &'static str| {
        let mut arguments = [&["pension.rate", "7%"], &LAW[..]].concat();
        arguments[5] = title;
        arguments
    };
    for title in [
        "Projet de loi de finances 2027",
        "Loi de finances 2027, non votée",
    ] {
        let said = draft.refused(&bill(title));
        assert!(
            said.contains("la source `lf2027` se dit elle-même un projet"),
            "{said}"
        );
    }
    draft.confirmed(&bill("Loi de finances 2027"));
}

#[test]
fn unchanged_is_compared_with_the_scale_before() {
    let words = "confirmed: \"inchangé, toujours en vigueur\"";
    let moved = Rules::with_scale(&[(
        "{rate: 6.3%, ceiling: 1 200, per: month, source: css}",
        &format!("{{rate: 6.4%, ceiling: 1 200, per: month, source: css, {words}}}"),
    )]);
    let ran = moved.checked();
    assert_eq!(ran.code, 1, "{ran:#?}");
    let said = "erreur[G33] `pension.rate` se dit inchangé, et vaut 6.4% au lieu de 6.3%";
    assert!(ran.output.contains(said), "{ran:#?}");
    let stays = Rules::with_scale(&[("source: css}", &format!("source: css, {words}}}"))]);
    assert_eq!(stays.checked().code, 0);
    let said = Rules::with_draft().refused(&["pension.rate", "6.4%", "--unchanged"]);
    assert!(said.contains("ce n’est pas « inchangé »"), "{said}");
}

#[test]
fn a_tenfold_value_is_confirmed_with_its_reason_only() {
    let draft = Rules::with_draft();
    let tenfold = [&["pension.ceiling", "12 000"], &LAW[..]].concat();
    let said = draft.refused(&tenfold);
    assert!(
        said.contains("[W40] `pension.ceiling` vaut 12 000, et valait 1 200"),
        "{said}"
    );
    assert!(said.contains("--because"), "{said}");
    let said = draft.confirmed(&[&tenfold[..], &["--because", "plafond annuel, art. 12"]].concat());
    assert!(said.contains("Admis avec son motif"), "{said}");
    assert!(
        draft
            .text()
            .contains("source: lf2027, reviewed: \"plafond annuel, art. 12\"}"),
        "{}",
        draft.text()
    );
    assert!(
        !draft.text().contains("confirmed: \"ceiling"),
        "{}",
        draft.text()
    );
}

#[test]
fn a_sheet_is_held_to_the_same() {
    let draft = Rules::with_draft();
    let path = draft.0.path().join("a.csv");
    let rows = [&["--rows", "a.csv"], &LAW[..]].concat();
    write(
        &path,
        "chiffre;valeur;motif\nfamille[2].montant;6 000;\npension.rate;7 %;\n",
    )
    .unwrap();
    let said = draft.refused(&rows);
    assert!(
        said.contains("[W40] `famille[2].montant` vaut 6 000"),
        "{said}"
    );
    write(&path, "chiffre;valeur;source;motif\nfamille[2].montant;6 000;lf2027;décuplé par l’art. 3\npension.rate;7 %;;\n")
        .unwrap();
    draft.confirmed(&rows);
    assert!(
        draft.text().contains("reviewed: \"décuplé par l’art. 3\""),
        "{}",
        draft.text()
    );
}

#[test]
fn a_doubt_about_a_scale_in_force_fails_the_check_until_its_reason_is_written() {
    let tenfold = ("{enfants: 1, montant: 600}", "{enfants: 1, montant: 6 000}");
    let ran = Rules::with_scale(&[tenfold]).checked();
    assert_eq!(ran.code, 1, "{ran:#?}");
    assert!(ran.output.contains("attention[W40]"), "{ran:#?}");
    assert!(
        ran.output.contains("le service garde l’état précédent"),
        "{ran:#?}"
    );
    let reviewed = (
        "montant: 600}",
        "montant: 6 000, reviewed: \"décuplé par la loi\"}",
    );
    assert_eq!(Rules::with_scale(&[reviewed]).checked().code, 0);
    let draft = Rules::with_scale(&[tenfold, ("\nsources:", "\nstate: draft\nsources:")]);
    assert_eq!(draft.checked().code, 0, "a draft answers nothing");
}

#[test]
fn words_of_the_draft_hold_the_confirmed_scale_back() {
    let draft = Rules::with_draft();
    let titled = draft.text().replace("barème 2027", "projet de barème 2027");
    write(draft.path(), titled).unwrap();
    for figure in ["pension", "impot"] {
        draft.confirmed(&[figure, "--whole", "--unchanged"]);
    }
    let said = draft.confirmed(&["famille", "--whole", "--unchanged"]);
    assert!(said.contains("[G32] « projet »"), "{said}");
    assert!(
        draft.text().contains("\nstate: draft\n"),
        "{}",
        draft.text()
    );
}
