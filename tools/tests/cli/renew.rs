//! `bareme renew`: a scale that does not change holds longer, and nothing else of it is written.

mod called;
mod refused;

use std::fs::{read_to_string, write};
use std::path::PathBuf;

use crate::common::{NEW, Ran, run_in, small_rules};

/// Rules whose scale of 2026 is to be renewed.
struct Rules(tempfile::TempDir);

const UNTIL: [&str; 4] = ["--until", "2027-12-31", "--date", "2026-12-30"];

impl Rules {
    fn new() -> Self {
        Self(small_rules(None))
    }

    /// The small rules with a text in the place of another one.
    fn with(file: &str, from: &str, to: &str) -> Self {
        let rules = Self::new();
        rules.edit(file, from, to);
        rules
    }

    fn edit(&self, file: &str, from: &str, to: &str) {
        let text = self.text(file);
        assert!(text.contains(from), "{from}");
        write(self.path(file), text.replacen(from, to, 1)).unwrap();
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join("rules/zz").join(file)
    }

    fn text(&self, file: &str) -> String {
        read_to_string(self.path(file)).unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        run_in(self.0.path(), arguments)
    }

    fn renew(&self, arguments: &[&str]) -> Ran {
        self.run(&[&["renew", "zz"], arguments].concat())
    }

    /// What a refused renewal says; no file is written.
    fn refused(&self, code: i32, arguments: &[&str]) -> String {
        let texts = || ["2026-01-01.yaml", "cases.yaml"].map(|file| self.text(file));
        let before = texts();
        let ran = self.renew(arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {ran:#?}");
        assert_eq!(texts(), before, "{arguments:?}");
        assert!(
            ran.errors.ends_with("Rien n’est écrit.\n"),
            "{}",
            ran.errors
        );
        ran.errors
    }
}

#[test]
fn the_days_the_text_and_that_nothing_changes_are_written() {
    let rules = Rules::new();
    rules.run(&["fmt"]).fine();
    let shown = rules.renew(&[&NEW[..], &UNTIL].concat()).fine();
    for part in [
        "zz : connu jusqu’au 31 décembre 2026 -> 31 décembre 2027",
        "pension.ceiling",
        "1 200  css",
        "18 000  lf2026",
        "3 chiffres, 13 valeurs, rien ne change. Lu : lf2027 (2026-12-28), Loi de\nfinances 2027.",
        "`bareme check` de zz/2026-01-01.yaml : 0 erreur",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }

    let text = rules.text("2026-01-01.yaml");
    for line in [
        "known_until: 2027-12-31\n",
        "checked: 2026-12-30\n",
        "note: \"Relu pour 2027 le 30 décembre 2026 : rien ne change jusqu’au 31 décembre 2027, Loi de finances 2027 (28 décembre 2026).\"\n",
        "{kind: law, title: \"Loi de finances 2027\", publisher: \"Journal officiel\", date: 2026-12-28}\n",
        "pension: {rate: 6.3%, ceiling: 1 200, per: month, source: css, checked_with: lf2027}\n",
        "    source: lf2026\n    checked_with: lf2027\n    rows:\n",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert_eq!(text.matches("checked_with: lf2027").count(), 3, "{text}");

    // The scale answers for 2027 as for 2026, without the warning.
    let computed = |day: &str| {
        rules
            .run(&["explain", "zz", "brut=1000", "--date", day])
            .fine()
    };
    let (before, after) = (computed("2026-05-01"), computed("2027-12-31"));
    assert!(
        after.contains("893,33") && before.contains("893,33"),
        "{after}"
    );
    assert!(!after.contains("vérifié jusqu"), "{after}");
    assert!(computed("2028-01-01").contains("vérifié jusqu’au 31 décembre 2027"));
    let checked = rules.run(&["check", "--strict", "--date", "2026-12-30"]);
    assert_eq!(checked.code, 0, "{checked:#?}");
    // What was laid out is so still.
    assert_eq!(rules.run(&["fmt", "--check"]).code, 0, "{text}");

    // The year after, the next text is added to the same places.
    let next = [
        "--source",
        "lf2028",
        "--title",
        "Loi de finances 2028",
        "--publisher",
        "JO",
    ];
    let days = [
        "--text-date",
        "2027-12-29",
        "--until",
        "2028-12-31",
        "--date",
        "2027-12-30",
    ];
    rules.renew(&[&next[..], &days].concat()).fine();
    let text = rules.text("2026-01-01.yaml");
    assert!(text.contains("checked_with: lf2027; lf2028}"), "{text}");
    assert!(
        text.contains("(28 décembre 2026). Relu pour 2028 le 30 décembre 2027 : rien"),
        "{text}"
    );
}

#[test]
fn an_older_text_needs_a_reason_which_the_file_keeps() {
    let rules = Rules::new();
    let reason = ["--because", "L’article 4 fixe le taux pour trois ans."];
    rules
        .renew(&[&["--source", "css"], &reason[..], &UNTIL].concat())
        .fine();
    let text = rules.text("2026-01-01.yaml");
    assert!(
        text.contains(
            "Code social, art. 4 (1er juin 2024) : L’article 4 fixe le taux pour trois ans.\"\n"
        ),
        "{text}"
    );
    // The figure that rests on it does not name it twice.
    assert!(text.contains("per: month, source: css}"), "{text}");
    assert_eq!(text.matches("checked_with: css").count(), 2, "{text}");
    assert_eq!(
        rules
            .run(&["check", "--strict", "--date", "2026-12-30"])
            .code,
        0
    );
}

#[test]
fn a_draft_or_a_later_file_of_these_days_is_named() {
    let rules = Rules::new();
    rules.run(&["new", "zz", "2027-07-01"]).fine();
    let arguments = [&NEW[..], &UNTIL].concat();
    let shown = rules.refused(2, &arguments);
    for part in [
        "zz : un brouillon attend pour le 2027-07-01",
        " --> rules/zz/2027-07-01.yaml\n",
        "bareme confirm zz",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    let draft = [&arguments[..], &["--from", "2027-07-01"]].concat();
    assert!(rules.refused(2, &draft).contains("est un brouillon"));

    // Up to its eve nothing answers but the scale itself.
    let eve = [
        &NEW[..],
        &["--until", "2027-06-30", "--date", "2026-12-30", "--print"],
    ]
    .concat();
    rules.renew(&eve).fine();

    // A file that is whole is renewed by its day.
    let whole = rules.text("2026-01-01.yaml").replace("6.3%", "6.4%");
    let whole = whole.replace("known_until: 2026-12-31\n", "");
    let whole = whole
        .replace("2026", "2027")
        .replace("2025-12-29", "2026-12-28");
    write(
        rules.path("2027-07-01.yaml"),
        whole.replace("2024-06-01", "2026-06-01"),
    )
    .unwrap();
    let shown = rules.refused(2, &arguments);
    assert!(
        shown.contains("le fichier du 2027-07-01 remplace celui du 2026-01-01")
            && shown.contains("--from 2027-07-01"),
        "{shown}"
    );
    let later = [
        "--until",
        "2028-12-31",
        "--date",
        "2027-12-30",
        "--text-date",
        "2027-12-29",
    ];
    let source = [
        "--source",
        "lf2028",
        "--title",
        "Loi de finances 2028",
        "--publisher",
        "JO",
    ];
    rules.renew(&[&source[..], &later].concat()).fine();
    assert!(
        rules
            .text("2027-07-01.yaml")
            .contains("known_until: 2028-12-31\n")
    );
    assert!(
        rules
            .text("2026-01-01.yaml")
            .contains("known_until: 2026-12-31\n")
    );
}

#[test]
fn an_awaited_text_is_taken_off_by_its_name_only() {
    let awaited = "watch:\n  - {text: \"Projet de loi de finances pour 2027\", expected: 2026-12-31, changes: \"barème\"}\n  - {text: \"Décret sur la pension\", expected: 2027-03-31, changes: \"taux\"}\n  - {text: \"Réforme de 2029\", expected: 2028-12-31, changes: \"tout\"}\n";
    let rules = Rules::with(
        "2026-01-01.yaml",
        "citation:",
        &format!("{awaited}citation:"),
    );
    let arguments = [&NEW[..], &UNTIL].concat();

    let shown = rules.refused(2, &arguments);
    for part in [
        "`watch` attend pour le 2026-12-31, avant le 2027-12-31",
        " --> rules/zz/2026-01-01.yaml:5",
        "--answered",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    let one = [&arguments[..], &["--answered", "finances pour 2027"]].concat();
    assert!(rules.refused(2, &one).contains("attend pour le 2027-03-31"));
    let both = [&arguments[..], &["--answered", "de"]].concat();
    assert!(
        rules
            .refused(2, &both)
            .contains("nomme plusieurs textes attendus")
    );

    // What is awaited later stays.
    let all = [&one[..], &["--answered", "décret sur la pension"]].concat();
    let shown = rules.renew(&all).fine();
    assert!(
        shown.contains("Ôté de `watch` : 2027-03-31 : Décret sur la pension"),
        "{shown}"
    );
    let text = rules.text("2026-01-01.yaml");
    assert!(
        !text.contains("Décret") && !text.contains("Projet"),
        "{text}"
    );
    assert!(
        text.contains("watch:\n  - {text: \"Réforme de 2029\""),
        "{text}"
    );
    assert_eq!(rules.run(&["check", "--date", "2026-12-30"]).code, 0);

    // With the last one the key goes.
    let next = [
        "--source",
        "lf2028",
        "--title",
        "Loi de finances 2028",
        "--publisher",
        "JO",
    ];
    let days = [
        "--text-date",
        "2027-12-29",
        "--until",
        "2028-12-31",
        "--date",
        "2027-12-30",
    ];
    rules
        .renew(&[&next[..], &days, &["--answered", "Réforme"]].concat())
        .fine();
    assert!(!rules.text("2026-01-01.yaml").contains("watch"));
}

#[test]
fn cases_beyond_the_last_known_day_go_on_with_it() {
    let case = |name: &str, rest: &str| {
        format!("  - {{name: \"{name}\", {rest}, origin: {{kind: hand}}}}\n")
    };
    let given = "given: {brut: 1000}, expect: {net: 893.33, year: 2026}, warns: \"vérifié jusqu’au 31 décembre 2026\"";
    let cases = format!(
        "cases:\n{}{}",
        case(
            "Après le dernier jour",
            &format!("date: 2027-01-15, {given}")
        ),
        case("Longtemps après", &format!("date: 2030-01-01, {given}"))
    );
    let rules = Rules::with("cases.yaml", "cases:\n", &cases);
    assert_eq!(rules.run(&["test"]).code, 0);

    let arguments = [&NEW[..], &UNTIL].concat();
    let shown = rules.refused(2, &arguments).replace("\n  ", " ");
    for part in [
        "2 : « Après le dernier jour » (2027-01-15), « Longtemps après » (2030-01-01)",
        " --> rules/zz/cases.yaml:3",
        "`--cases` les déplace",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }

    let shown = rules.renew(&[&arguments[..], &["--cases"]].concat()).fine();
    assert!(
        shown.contains("Cas déplacé, du 2027-01-15 au 2028-01-15 : « Après le dernier jour »"),
        "{shown}"
    );
    let text = rules.text("cases.yaml");
    assert!(
        text.contains("date: 2028-01-15") && text.contains("date: 2030-01-01"),
        "{text}"
    );
    // The year of an answer beyond what is known is that of the last known day.
    assert_eq!(
        text.matches("year: 2027}, warns: \"vérifié jusqu’au 31 décembre 2027\"")
            .count(),
        2,
        "{text}"
    );
    assert_eq!(rules.run(&["test"]).code, 0);

    // A case that is wrong for another reason is shown, and nothing is written.
    rules.edit("cases.yaml", "net: 893.33", "net: 893.34");
    let days = [
        "--until",
        "2028-12-31",
        "--date",
        "2027-12-30",
        "--because",
        "loi de trois ans",
    ];
    let shown = rules.refused(1, &[&["--source", "lf2027", "--cases"], &days[..]].concat());
    assert!(
        shown.contains("893.34") && shown.contains("893.33"),
        "{shown}"
    );
}

#[test]
fn what_would_be_written_is_printed_and_programs_read_it() {
    let rules = Rules::new();
    let before = rules.text("2026-01-01.yaml");
    let arguments = [&NEW[..], &UNTIL, &["--print"]].concat();
    let shown = rules.renew(&arguments).fine();
    for line in [
        "zz/2026-01-01.yaml - known_until: 2026-12-31",
        "zz/2026-01-01.yaml + known_until: 2027-12-31",
        "Rien n’est écrit",
    ] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
    let json = rules
        .renew(&[&arguments[..], &["--format", "json"]].concat())
        .fine();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[0]["connu_avant"], "2026-12-31");
    assert_eq!(json[0]["connu_apres"], "2027-12-31");
    assert_eq!(json[0]["chiffres"][0]["chiffre"], "pension.rate");
    assert_eq!(json[0]["chiffres"][0]["valeur"], "6.3%");
    assert_eq!(json[0]["chiffres"][0]["sources"][0], "css");
    assert_eq!(json[0]["ecrit"], false);
    assert_eq!(rules.text("2026-01-01.yaml"), before);

    // One folder that is refused keeps all of them.
    let both = rules.run(&[&["renew", "zz", "zy"], &NEW[..], &UNTIL].concat());
    assert_eq!((both.code, rules.text("2026-01-01.yaml")), (2, before));
    let english = rules
        .renew(&[&arguments[..], &["--lang", "en"]].concat())
        .fine();
    assert!(
        english.contains("known until 2026-12-31 -> 2027-12-31"),
        "{english}"
    );
}
