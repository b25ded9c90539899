//! `bareme test`: failing cases, their steps, rewriting, figures that no case notices.

use std::fs::{read_to_string, write};

use crate::common::{broken, run, run_in, small_rules};

#[test]
fn the_cases_of_the_project_hold() {
    let ran = run(&["test", "salaire-net/sn", "tva"]).fine();
    let folders: Vec<&str> = ran
        .lines()
        .skip(2)
        .filter_map(|line| line.split_whitespace().next())
        .take(2)
        .collect();
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
    assert_eq!(
        (unapproved.code, unapproved.errors.trim()),
        (2, "Pour récrire sans terminal, ajouter `--yes`.")
    );
    assert_eq!(read_to_string(&cases).unwrap(), before);
    let approved = run_in(folder.path(), &["test", "--update", "--yes"]).fine();
    assert!(
        approved.contains("894.33  893.33"),
        "the difference is shown first: {approved}"
    );
    assert!(
        approved
            .contains("Cas dont les valeurs sont désormais celles du programme (`computed`) : 1."),
        "{approved}"
    );
    // What was said of other values is said of them no longer.
    let origin = "{kind: hand, note: \"12 x 937 = 11 244, arrondi à 11 240 ; 10 % de 5 240 = 524 ; 524 / 12 = 43,67\"}";
    let computed =
        format!("{{kind: computed, before: {{expect: {{net: 894.33}}, origin: {origin}}}}}");
    let base = read_to_string(broken().join("base/zz/cases.yaml")).unwrap();
    assert_eq!(
        read_to_string(&cases).unwrap(),
        base.replace(origin, &computed)
    );
}

/// Rules of which one case asks beyond the last scale; the next scale, confirmed, answers it.
fn next_year() -> tempfile::TempDir {
    let folder = small_rules(None);
    let cases = folder.path().join("rules/zz/cases.yaml");
    let beyond = "  - name: Après
    date: 2027-03-01
    given: {brut: 1000}
    expect:
      pension: 63
      impot: 43.67
      source: Code des impôts, art. 12 à 20 ; code social, art. 8
      year: 2026
      bareme_en_vigueur: 2026-01-01
    warns: \"vérifié jusqu’au 31 décembre 2026\"
    origin:
      kind: official
      title: Calculateur, \"le vrai\"
";
    let text = read_to_string(&cases).unwrap() + beyond;
    write(
        &cases,
        text.replace(
            "Code des impôts, art. 12 à 20 ; code social, art. 8",
            &cited(folder.path()),
        ),
    )
    .unwrap();
    run_in(folder.path(), &["check", "--date", "2026-05-01"]).fine();
    let asking = run_in(folder.path(), &["new", "zz", "2027-01-01"]).fine();
    assert!(
        asking.contains("Après") && asking.contains("`bareme test zz --drafts"),
        "{asking}"
    );
    let read = [
        "pension.rate",
        "7%",
        "--source",
        "css",
        "--because",
        "taux lu dans le code",
    ];
    let unchanged = |name| [name, "--whole", "--unchanged"];
    for figure in [
        &unchanged("impot")[..],
        &unchanged("famille"),
        &read,
        &["pension.ceiling", "--unchanged"],
    ] {
        run_in(folder.path(), &[&["confirm", "zz"], figure].concat()).fine();
    }
    folder
}

/// Sources of the scale of 2026.
fn cited(folder: &std::path::Path) -> String {
    let scale = read_to_string(folder.join("rules/zz/2026-01-01.yaml")).unwrap();
    let citation = scale
        .lines()
        .find_map(|line| line.strip_prefix("citation: "))
        .unwrap();
    citation.trim_matches('"').to_owned()
}

#[test]
fn a_case_beyond_the_last_scale_is_proposed_anew_as_computed() {
    let folder = next_year();
    let run = |arguments: &[&str]| run_in(folder.path(), arguments);
    let cases = folder.path().join("rules/zz/cases.yaml");
    run(&["test", "zz", "--drafts", "--update", "--yes"]).fine();
    let text = read_to_string(&cases).unwrap();
    let cited = cited(folder.path());
    let proposed = format!(
        "      pension: 70
      impot: 43
      source: {cited}
      year: 2027
      bareme_en_vigueur: \"2027-01-01\"
    origin:
      {{kind: computed, before: {{expect: {{pension: 63, impot: 43.67, year: 2026, bareme_en_vigueur: 2026-01-01}}, \
         warns: \"vérifié jusqu’au 31 décembre 2026\", origin: {{kind: official, title: \"Calculateur, \\\"le vrai\\\"\"}}}}}}
"
    );
    assert!(text.ends_with(&proposed), "{text}");
    // It holds, so that nothing is blocked; it proves nothing, and everything says so.
    let scale = folder.path().join("rules/zz/2027-01-01.yaml");
    write(
        &scale,
        read_to_string(&scale)
            .unwrap()
            .replace("state: draft\n", ""),
    )
    .unwrap();
    assert!(
        run(&["test", "zz"])
            .fine()
            .contains("Aux valeurs données par le programme")
    );
    let checked = run(&["check", "--date", "2026-12-01"]);
    assert!(
        checked.output.contains("W31") && checked.output.contains("1 cas aux valeurs"),
        "{checked:#?}"
    );
    assert!(
        checked.output.contains("W14"),
        "no other case runs the new scale: {checked:#?}"
    );
    assert_eq!(run(&["check", "--strict", "--date", "2026-12-01"]).code, 1);
    let status = run(&["status", "2027", "--date", "2026-12-01", "--format", "json"]).fine();
    assert!(status.contains("\"calcules\": 1"), "{status}");
    let silent = run(&["test", "zz", "--mutate", "--date", "2027-02-01"]);
    assert!(silent.output.contains("pension.rate"), "{silent:#?}");
    // Worked out by hand.
    let (before, after) = text.split_once("{kind: computed").unwrap();
    write(
        &cases,
        format!("{before}{{kind: hand, note: \"refait\"}}\n"),
    )
    .unwrap();
    assert!(after.ends_with("}\n"), "{after}");
    let checked = run(&["check", "--date", "2026-12-01"]);
    assert!(
        !checked.output.contains("W31") && !checked.output.contains("W14"),
        "{checked:#?}"
    );
    let silent = run(&["test", "zz", "--mutate", "--date", "2027-02-01"]);
    assert!(!silent.output.contains("pension.rate"), "{silent:#?}");
}

#[test]
fn a_case_that_gives_again_what_it_gave_has_its_origin_back() {
    let folder = small_rules(None);
    let (cases, scale) = ["cases", "2026-01-01"]
        .map(|name| folder.path().join(format!("rules/zz/{name}.yaml")))
        .into();
    let (by_hand, right) = (
        read_to_string(&cases).unwrap(),
        read_to_string(&scale).unwrap(),
    );
    let with_rate = |rate: &str| {
        write(
            &scale,
            right.replace("rate: 6.3%", &format!("rate: {rate}")),
        )
        .unwrap();
        run_in(folder.path(), &["test", "--update", "--yes"]).fine();
        read_to_string(&cases).unwrap()
    };
    // Typed wrong, twice; then right.
    assert!(with_rate("63%").contains(
        "before: {expect: {pension: 63, impot: 43.67, net: 893.33}, origin: {kind: hand,"
    ));
    assert!(with_rate("6.4%").contains(
        "before: {expect: {pension: 63, impot: 43.67, net: 893.33}, origin: {kind: hand,"
    ));
    assert_eq!(with_rate("6.3%"), by_hand);
}

#[test]
fn what_is_no_value_is_not_rewritten() {
    let folder = small_rules(Some(&broken().join("case-not-refused")));
    let cases = folder.path().join("rules/zz/cases.yaml");
    let before = read_to_string(&cases).unwrap();
    let ran = run_in(folder.path(), &["test", "--update", "--yes"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.output
            .contains("devrait être refusé à cause de `enfants`"),
        "{}",
        ran.output
    );
    assert_eq!(read_to_string(&cases).unwrap(), before);
}

#[test]
fn figures_that_no_case_notices_are_told() {
    let folder = small_rules(None);
    let ran = run_in(folder.path(), &["test", "--mutate", "--date", "2026-05-01"]);
    assert_eq!(ran.code, 1);
    for line in [
        "   18  impot[5].rate       15%     14.9%",
        "   18  steps.imposable.formula  -        +",
        "- {name: \"…\", date: 2026-03-31, given: {brut: 18000}, expect: {impot: …, net: …, verse: …}, \
         origin: {kind: hand, note: \"…\"}}",
    ] {
        assert!(ran.output.contains(line), "{line}\n{}", ran.output);
    }
    assert!(!ran.output.contains("impot[2].rate"), "{}", ran.output);
    // A case for what is not noticed, and it is.
    let cases = folder.path().join("rules/zz/cases.yaml");
    let more = "  - {name: \"Couple\", date: 2026-03-31, given: {brut: 4000, situation: couple}, expect: {net: 3512.38}, origin: {kind: hand, note: \"essai\"}}\n";
    write(&cases, read_to_string(&cases).unwrap() + more).unwrap();
    let ran = run_in(folder.path(), &["test", "--mutate", "--date", "2026-05-01"]);
    assert!(!ran.output.contains("impot[5].rate"), "{}", ran.output);
    // While a case is wrong every change would seem to be noticed.
    write(
        &cases,
        read_to_string(&cases)
            .unwrap()
            .replace("net: 3512.38", "net: 3512.39"),
    )
    .unwrap();
    let ran = run_in(folder.path(), &["test", "--mutate", "--date", "2026-05-01"]);
    assert_eq!(
        (ran.code, ran.errors.contains("Un cas est déjà faux : zz.")),
        (1, true),
        "{ran:#?}"
    );
}

#[test]
fn what_no_case_guards_is_a_warning_and_an_error_for_the_strict() {
    let folder = small_rules(None);
    let strict = |code: &str| {
        let ran = run_in(
            folder.path(),
            &["check", "--strict", "--date", "2026-05-01"],
        );
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
    run_in(
        folder.path(),
        &["check", "--strict", "--date", "2026-05-01"],
    )
    .fine();
}
