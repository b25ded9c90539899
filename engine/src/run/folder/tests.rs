use crate::run::query::Query;
use crate::testing::{GROSS, TODAY, folder, method, query, read, refused, scale, shown, shown_all};

use super::*;

/// Three scales: 2024, 2025 until June, July 2025 checked until the end of 2027.
fn dated() -> Folder {
    let keys = format!(
        "{GROSS}figures:\n  f: {{v: number}}\nsteps:\n  x: brut * f.v\nanswer:\n  x: x\n  an: scale.year\n  jour: scale.date\n"
    );
    let old = scale("  f: {v: 1, source: s}");
    let ended = scale("  f: {v: 2, source: s}")
        .replace("title: Titre\n", "title: Titre\nuntil: 2025-06-29\n");
    let known = scale("  f: {v: 3, source: s}")
        .replace("title: Titre\n", "title: Titre\nknown_until: 2027-12-31\n");
    let files = [
        ("method.yaml", method(&keys)),
        ("2024-02-01.yaml", old),
        ("2025-01-01.yaml", ended),
        ("2025-07-01.yaml", known),
    ];
    let files = files
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect::<Vec<_>>();
    read(&files).0.unwrap()
}

#[test]
fn the_day_decides_the_scale() {
    for (asked, x, year, date) in [
        ("date=2024-02-01", "10", "2024", "2024-02-01"),
        ("date=2024-12-31", "10", "2024", "2024-02-01"),
        ("annee=2025", "20", "2025", "2025-01-01"),
        ("date=2025-07-01", "30", "2025", "2025-07-01"),
        ("date=", "30", "2026", "2025-07-01"),
        ("date=2030-01-01", "30", "2027", "2025-07-01"),
    ] {
        let shown = shown_all(
            &dated(),
            &format!("brut=10&{asked}"),
            "x an jour bareme_en_vigueur",
        );
        assert_eq!(shown, format!(r#"{x} {year} "{date}" "{date}""#), "{asked}");
    }
}

#[test]
fn an_empty_input_of_another_method_was_not_sent() {
    let keys = |inputs: &str, formula: &str| {
        method(&format!(
            "{GROSS}{inputs}figures:\n  f: {{v: number}}\nsteps:\n  x: {formula}\nanswer:\n  x: x\n"
        ))
    };
    let old = keys("", "brut * f.v");
    let new = keys(
        "  prime: {type: money, per: month, default: 0, label: Prime}\n",
        "(brut + prime) * f.v",
    );
    let figures = scale("  f: {v: 2, source: s}");
    let of_old = figures.replace("title: Titre\n", "title: Titre\nmethod: method-old.yaml\n");
    let files = [
        ("method.yaml", new.as_str()),
        ("method-old.yaml", old.as_str()),
        ("2025-01-01.yaml", of_old.as_str()),
        ("2026-01-01.yaml", figures.as_str()),
    ];
    let folder = read(&files).0.unwrap();

    // A spreadsheet of both years has a column for the bonus, which is empty in the first one.
    for (asked, x) in [
        ("date=2025-06-30&brut=10&prime=", "20"),
        ("date=2026-06-30&brut=10&prime=", "20"),
        ("date=2026-06-30&brut=10&prime=5", "30"),
    ] {
        assert_eq!(shown(&folder, asked, "x"), x, "{asked}");
    }
    for asked in [
        "date=2025-06-30&brut=10&prime=5",
        "date=2025-06-30&brut=10&autre=",
    ] {
        let unknown = folder.calculate(&Query::from(&query(asked)), TODAY);
        assert!(unknown.is_err(), "{asked}");
    }
}

#[test]
fn a_name_that_one_method_takes_and_another_looks_for_is_accepted_once() {
    let keys = |input: &str, found: &str, formula: &str| {
        method(&format!(
            "inputs:\n  {input}: {{type: money, per: month, required: true, label: Montant}}\n\
             figures:\n  f: {{v: number}}\nsteps:\n  x: {formula}\n\
             answer:\n  {input}: {input}\n  {found}: x\n\
             inverse:\n  - {{input: {input}, field: {found}, find: smallest, \
             unit: 1, parameter: {found}, label: Montant}}\n"
        ))
    };
    let figures = scale("  f: {v: 2, source: s}");
    let of_old = figures.replace("title: Titre\n", "title: Titre\nmethod: method-old.yaml\n");
    let (new, old) = (
        keys("brut", "net", "brut / f.v"),
        keys("net", "brut", "net * f.v"),
    );
    let files = [
        ("method.yaml", new.as_str()),
        ("method-old.yaml", old.as_str()),
        ("2025-01-01.yaml", of_old.as_str()),
        ("2026-01-01.yaml", figures.as_str()),
    ];
    let folder = read(&files).0.unwrap();

    let accepted = folder.accepted_inputs().into_iter();
    let names: Vec<&str> = accepted.map(|input| input.name.as_str()).collect();
    assert_eq!(names, ["brut", "net"]);
    for day in ["2025-06-30", "2026-06-30"] {
        assert_eq!(
            shown(&folder, &format!("date={day}&net=10"), "brut"),
            "20",
            "{day}"
        );
        assert_eq!(
            shown(&folder, &format!("date={day}&brut=20"), "net"),
            "10",
            "{day}"
        );
    }
}

#[test]
fn a_default_that_is_a_figure_is_reported_by_its_value() {
    let keys = "inputs:
  brut: {type: money, per: month, required: true, label: Brut}
  taux: {type: rate, default: f.v, label: Taux}
  autre: {type: money, per: month, default: brut / 2, label: Autre}
figures:
  f: {v: rate}
steps:
  x: brut * taux + autre
answer:
  x: x
";
    let folder = folder(keys, "  f: {v: 2.5%, source: s}");
    let shown = |input: &Input| {
        let DefaultText { text, scale } = folder.default_of(input)?;
        Some(format!("{text} {scale:?}"))
    };
    let shown: Vec<Option<String>> = folder.inputs().into_iter().map(shown).collect();
    assert_eq!(
        shown,
        [
            None,
            Some("2.5 Some(2026-01-01)".to_owned()),
            Some("brut / 2 None".to_owned())
        ]
    );
}

#[test]
fn what_not_all_scales_have_has_a_first_or_a_last_day() {
    let days = |years: &[i16]| {
        let folder = dated();
        let has = |edition: &Edition| {
            edition
                .scale()
                .is_some_and(|scale| years.contains(&scale.date.year()))
        };
        let shown = |day: Option<Date>| day.map_or_else(String::new, |day| day.to_string());
        let (since, until) = folder.days_with(has);
        format!("{} {}", shown(since), shown(until))
    };
    assert_eq!(days(&[2024, 2025]), " ");
    assert_eq!(days(&[2025]), "2025-01-01 ");
    assert_eq!(days(&[2024]), " 2024-12-31");
}

#[test]
fn a_day_without_scale_is_refused() {
    for (asked, expected) in [
        ("date=2024-01-31", "date sans_bareme"),
        ("annee=2023", "annee sans_bareme"),
        ("date=2025-06-30", "date sans_bareme"),
        ("date=2025-02-30", "date format"),
        ("date=2025-2-3", "date format"),
        ("annee=25", "annee format"),
        ("annee=+025", "annee format"),
        ("annee=2025&date=2025-01-01", "date incompatible"),
    ] {
        assert_eq!(
            refused(&dated(), &format!("brut=1&{asked}")),
            [expected],
            "{asked}"
        );
    }
}

#[test]
fn a_day_that_nobody_checked_gets_a_warning() {
    assert_eq!(
        shown(&dated(), "brut=1&date=2027-12-31", "avertissements"),
        "absent"
    );
    let warning = shown(&dated(), "brut=1&date=2028-01-01", "avertissements.0.texte");
    assert!(
        warning.contains("31 décembre 2027") && warning.contains("1er janvier 2028"),
        "{warning}"
    );
    let code = shown(&dated(), "brut=1&date=2028-01-01", "avertissements.0.code");
    assert_eq!(code, format!("\"{}\"", WarningCode::Unchecked.as_str()));
    // Without `known_until`, a scale is checked until the end of its year.
    let warning = shown(&dated(), "brut=1&date=2024-12-31", "avertissements");
    assert_eq!(warning, "absent");
}

#[test]
fn every_bad_parameter_is_reported_at_once_in_the_order_of_the_inputs() {
    let reported = refused(&dated(), "date=hier&cadre=peut-etre&brutt=5&detail=x");
    assert_eq!(
        reported,
        [
            "date format",
            "detail format",
            "brutt inconnu",
            "brut manquant",
            "cadre format"
        ]
    );
}

#[test]
fn an_unknown_parameter_may_be_a_known_one_mistyped() {
    let refusal = dated()
        .calculate(&Query::from(&query("brut=5&cadr=true")), TODAY)
        .unwrap_err();
    let bad = &refusal.refusal().unwrap().parameters[0];
    assert!(bad.reason.fr.contains("`cadre`"), "{}", bad.reason.fr);
    assert_eq!(
        bad.expected.fr,
        "brut, cadre, date, annee, detail, champs, version"
    );
}

#[test]
fn a_parameter_is_given_once() {
    assert_eq!(refused(&dated(), "brut=5&brut=6&brut=7"), ["brut repete"]);
    assert_eq!(refused(&dated(), "brut=5&brut="), ["brut repete"]);
}

#[test]
fn a_parameter_of_others_is_ignored_with_a_warning_and_the_selector_without() {
    let ignored = ["parts".to_owned(), "cadre".to_owned()];
    let folder = dated();
    let warned = |text: &str| {
        let sent = query(text);
        let query = Query::from(&sent)
            .ignoring(&ignored)
            .chosen_by(Some("pays"));
        let calculation = folder.calculate(&query, TODAY).unwrap();
        calculation
            .warnings()
            .iter()
            .map(|warning| warning.text.fr.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(warned("brut=5&pays=zz&cadre=oui"), Vec::<String>::new());
    let warnings = warned("brut=5&pays=zz&parts=2");
    assert!(warnings[0].contains("`parts`"), "{warnings:?}");
    assert_eq!(refused(&dated(), "brut=5&parts=2"), ["parts inconnu"]);
}

#[test]
fn steps_are_shown_when_they_are_asked_for() {
    assert_eq!(shown(&dated(), "brut=5&detail=non", "etapes"), "absent");
    let paths = "etapes.0.nom etapes.0.resultat etapes.0.sources etapes.1";
    assert_eq!(
        shown_all(&dated(), "brut=5&detail=1", paths),
        r#""x" 15 ["s"] absent"#
    );
}

#[test]
fn a_method_without_dates_takes_none() {
    let keys = format!("{GROSS}steps:\n  x: brut\nanswer:\n  x: x\n");
    assert_eq!(
        refused(&folder(&keys, ""), "brut=5&date=2026-01-01&annee=2026"),
        ["date inconnu", "annee inconnu"]
    );
    assert_eq!(
        shown_all(&folder(&keys, ""), "brut=5", "x bareme_en_vigueur"),
        "5 absent"
    );
}

#[test]
fn equal_queries_give_equal_bytes() {
    let ask = |text: &str| {
        dated()
            .calculate(&Query::from(&query(text)), TODAY)
            .unwrap()
            .to_json()
    };
    assert_eq!(ask("brut=5.10&cadre=oui"), ask("cadre=1&brut=5.1"));
}

#[test]
fn checks_refuse_before_the_steps_and_warn_after_them() {
    let checks = "checks:
  - {if: cadre, refuse: \"Pas de cadre.\", input: cadre}
  - {if: brut < 0, refuse: \"Pas de brut.\", input: brut}
  - {if: x > brut, warn: \"Plus que le brut.\", code: plus_que_le_brut, input: brut}
  - {if: inverse > 1 and cadre, refuse: \"Jamais.\", input: brut}
";
    let steps = "steps:\n  x: brut * 2\n  inverse: brut / brut\nanswer:\n  x: x\n";
    let folder = folder(&format!("{GROSS}{checks}{steps}"), "");
    assert_eq!(
        refused(&folder, "brut=-1&cadre=oui"),
        ["cadre incompatible", "brut incompatible"]
    );
    assert_eq!(refused(&folder, "brut=0&cadre=oui"), ["cadre incompatible"]);
    assert_eq!(refused(&folder, "brut=0"), ["brut non_calculable"]);
    let warning = r#"[{"code":"plus_que_le_brut","texte":"Plus que le brut.","parametre":"brut"}]"#;
    assert_eq!(shown(&folder, "brut=1", "avertissements"), warning);
}
