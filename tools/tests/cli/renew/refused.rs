//! What `bareme renew` refuses, with its place, its cause and its cure.

use super::{Rules, UNTIL};
use crate::common::NEW;

/// A text that the command describes.
fn described<'a>(id: &'a str, title: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let own = ["--source", id, "--title", title, "--publisher", "JO"];
    [&own[..], more, &UNTIL].concat()
}

/// A refusal without its line breaks.
fn in_a_line(shown: &str) -> String {
    shown.replace("\n    ", " ").replace("\n  ", " ")
}

#[test]
fn a_day_that_is_no_renewal_is_refused_with_its_place_and_cure() {
    let rules = Rules::new();
    for (code, days, parts) in [
        (
            2,
            vec!["--until", "2026-12-31"],
            [
                "zz : ce barème est déjà connu jusqu’au 2026-12-31",
                " --> rules/zz/2026-01-01.yaml:3",
                "= remède : donner un jour après le 2026-12-31",
            ],
        ),
        (
            2,
            vec!["--until", "2025-06-30"],
            [
                "2025-06-30 est avant le premier jour du barème, le 2026-01-01",
                " --> ",
                "remède",
            ],
        ),
        (
            2,
            [&UNTIL[..], &["--from", "2025-01-01"]].concat(),
            [
                "zz : aucun fichier du 2025-01-01",
                " --> rules/zz",
                "2026-01-01",
            ],
        ),
        (
            2,
            [&UNTIL[..], &["--answered", "retraites"]].concat(),
            ["Aucun texte attendu (`watch`) ne dit `retraites`", "", ""],
        ),
        // Nobody knows so much: the mistake of `check`.
        (
            1,
            vec!["--until", "2029-12-31", "--date", "2026-12-30"],
            [
                "W23",
                "vérification impossible jusqu’au 2029-12-31",
                " --> rules/zz/",
            ],
        ),
    ] {
        let shown = in_a_line(&rules.refused(code, &[&NEW[..], &days].concat()));
        for part in parts {
            assert!(shown.contains(part), "{part}\n{shown}");
        }
    }

    let unknown = rules.run(&[&["renew", "zy"], &NEW[..], &UNTIL].concat());
    assert_eq!(unknown.code, 2);
    assert!(
        unknown
            .errors
            .contains("Aucun barème ne s’appelle `zy`\nBarèmes : zz"),
        "{unknown:#?}"
    );
}

#[test]
fn a_text_that_confirms_nothing_is_refused_with_its_place_and_cure() {
    let rules = Rules::new();
    let law = "Loi de finances 2027";
    for (code, arguments, parts) in [
        (
            2,
            [&["--source", "lf2028"][..], &UNTIL].concat(),
            [
                "`lf2028` n’est pas dans `sources`",
                "lf2026, css",
                "2026-01-01.yaml:6",
            ],
        ),
        (
            2,
            [&["--source", "css"][..], &UNTIL].concat(),
            [
                "`css` est du 2024-06-01",
                "`lf2026` du 2025-12-29",
                "yaml:7",
            ],
        ),
        (
            2,
            described("lf2027", "Projet de loi de finances 2027", &[]),
            [
                "`lf2027` se dit elle-même un projet",
                " --> ",
                "le texte adopté",
            ],
        ),
        (
            2,
            described("lf2027", law, &[]),
            ["`lf2027` n’a pas de date", " --> ", "--because"],
        ),
        (
            2,
            described("lf2027", law, &["--text-date", "2026-12-31"]),
            ["datée du 2026-12-31, un jour à venir", " --> ", "remède"],
        ),
        (
            2,
            described("guide", law, &["--kind", "secondary"]),
            [
                "`guide` n’est ni la loi ni une page officielle",
                " --> ",
                "remède",
            ],
        ),
        (
            2,
            described("lf2026", law, &["--text-date", "2026-12-28"]),
            ["`lf2026` est déjà dans `sources`", "", ""],
        ),
        // A law for 2026 under the name of 2027 is doubted.
        (
            1,
            described(
                "lf2027",
                "Loi de finances pour 2026",
                &["--text-date", "2026-12-28"],
            ),
            ["W49", "remède", "`reviewed: \"…\"`"],
        ),
    ] {
        let shown = in_a_line(&rules.refused(code, &arguments));
        for part in parts {
            assert!(shown.contains(part), "{part}\n{shown}");
        }
    }
}
