//! `bareme test`: failing cases, their steps, rewriting, figures that no case notices.

use std::fs::{read_to_string, write};

use crate::common::{broken, run, run_in, small_rules};

#[test]
fn the_cases_of_the_project_hold() {
    let ran = run(&["test", "salaire-net/sn", "tva"]).fine();
    let folders: Vec<&str> = ran.lines().skip(2).filter_map(|line| line.split_whitespace().next()).take(2).collect();
    assert_eq!(folders, ["salaire-net/sn", "tva"]);
    assert!(ran.contains(", tous justes ("), "{ran}");
}

#[test]
fn a_failing_case_shows_what_was_expected_what_came_out_and_how() {
    let folder = small_rules(Some(&broken().join("case-differs")));
    let ran = run_in(folder.path(), &["test"]);
    assert_eq!(ran.code, 1);
    let output = ran.output.rsplit_once("2 cas, ").unwrap().0;
    let expected = "\
zz : Seul, sans enfant
rules/zz/cases.yaml:3

Champ  Attendu  Obtenu
──────────────────────
net     894.33  893.33

Étapes qui y mènent
Étape                   Résultat
────────────────────────────────
Pension                       63
Revenu de l'année         11 244
Déduction pour enfants         0
Revenu imposable          11 240
Impôt de l'année             524
Impôt du mois              43,67
Salaire net               893,33

$ bareme explain zz brut=1000 --date 2026-03-31

Barème  Cas  Faux
─────────────────
zz        2     1

";
    assert_eq!(output, expected);
}

#[test]
fn what_differs_is_rewritten_once_it_is_shown_and_approved() {
    let folder = small_rules(Some(&broken().join("case-differs")));
    let cases = folder.path().join("rules/zz/cases.yaml");
    let before = read_to_string(&cases).unwrap();
    let unapproved = run_in(folder.path(), &["test", "--update"]);
    assert_eq!((unapproved.code, unapproved.errors.trim()), (2, "Pour récrire sans terminal, ajouter `--yes`."));
    assert_eq!(read_to_string(&cases).unwrap(), before);
    let approved = run_in(folder.path(), &["test", "--update", "--yes"]).fine();
    assert!(approved.contains("894.33  893.33"), "the difference is shown first: {approved}");
    assert_eq!(read_to_string(&cases).unwrap(), read_to_string(broken().join("base/zz/cases.yaml")).unwrap());
}

#[test]
fn what_is_no_value_is_not_rewritten() {
    let folder = small_rules(Some(&broken().join("case-not-refused")));
    let cases = folder.path().join("rules/zz/cases.yaml");
    let before = read_to_string(&cases).unwrap();
    let ran = run_in(folder.path(), &["test", "--update", "--yes"]);
    assert_eq!(ran.code, 1);
    assert!(ran.output.contains("devrait être refusé à cause de `enfants`"), "{}", ran.output);
    assert_eq!(read_to_string(&cases).unwrap(), before);
}

#[test]
fn figures_that_no_case_notices_are_told() {
    let folder = small_rules(None);
    let ran = run_in(folder.path(), &["test", "--mutate", "--date", "2026-05-01"]);
    assert_eq!(ran.code, 1);
    let silent: Vec<&str> = ran
        .output
        .lines()
        .filter(|line| line.starts_with("zz "))
        .filter_map(|line| line.split_whitespace().nth(2))
        .collect();
    assert!(silent.contains(&"impot[5].rate") && !silent.contains(&"impot[2].rate"), "{}", ran.output);
    // A case for what is not noticed, and it is.
    let cases = folder.path().join("rules/zz/cases.yaml");
    let more = "  - {name: \"Couple\", date: 2026-03-31, given: {brut: 4000, situation: couple}, expect: {net: 3512.38}, origin: {kind: hand, note: \"essai\"}}\n";
    write(&cases, read_to_string(&cases).unwrap() + more).unwrap();
    let ran = run_in(folder.path(), &["test", "--mutate", "--date", "2026-05-01"]);
    assert!(!ran.output.contains("impot[5].rate"), "{}", ran.output);
    // While a case is wrong every change would seem to be noticed.
    write(&cases, read_to_string(&cases).unwrap().replace("net: 3512.38", "net: 3512.39")).unwrap();
    let ran = run_in(folder.path(), &["test", "--mutate", "--date", "2026-05-01"]);
    assert_eq!((ran.code, ran.errors.contains("Un cas est déjà faux : zz.")), (1, true), "{ran:#?}");
}

#[test]
fn what_no_case_guards_is_a_warning_and_an_error_for_the_strict() {
    let folder = small_rules(None);
    let strict = |code: &str| {
        let ran = run_in(folder.path(), &["check", "--strict", "--date", "2026-05-01"]);
        assert_eq!((ran.code, ran.output.contains(code)), (1, true), "{ran:#?}");
    };
    let cases = folder.path().join("rules/zz/cases.yaml");
    let text = read_to_string(&cases).unwrap();
    let one = "format: bareme/1\ncases:\n  - {name: \"Refus\", date: 2026-03-31, given: {brut: -1}, refuse: brut, origin: {kind: hand}}\n";
    write(&cases, one).unwrap();
    strict("W15");
    std::fs::remove_file(&cases).unwrap();
    strict("W14");
    write(&cases, text).unwrap();
    run_in(folder.path(), &["check", "--strict", "--date", "2026-05-01"]).fine();
}
