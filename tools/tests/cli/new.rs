//! `bareme new`: the file of the next year, a draft until every figure is confirmed.

use std::fs::{read_to_string, write};

use crate::common::{run_in, small_rules};

#[test]
fn the_next_file_is_a_draft_until_each_figure_is_confirmed() {
    let folder = small_rules(None);
    let output = run_in(folder.path(), &["new", "zz", "2027-01-01", "--index", "1.1%"]).fine();
    assert!(output.contains("Copie du barème du 2026-01-01 : 3 chiffres à confirmer."), "{output}");
    assert!(output.contains("pension.ceiling       1 200    1 200"), "{output}");
    assert!(output.contains("famille.montant       1 500    1 500"), "{output}");
    let path = folder.path().join("rules/zz/2027-01-01.yaml");
    let text = read_to_string(&path).unwrap();
    assert!(text.contains("title: \"Espérie, barème 2027\"\ncitation:"), "until and title: {text}");
    assert!(
        text.contains("  pension: {unconfirmed: true, rate: 6.3%, ceiling: 1 200, per: month, source: css}"),
        "{text}"
    );
    assert!(text.contains("  impot:\n    unconfirmed: true\n    per: year\n"), "{text}");
    let check = |arguments: &[&str]| run_in(folder.path(), &[&["check", "--date", "2026-12-01"], arguments].concat());
    let waiting = check(&[]);
    assert!(waiting.code == 0 && waiting.output.contains("W12"), "{waiting:#?}");
    assert!(waiting.output.contains("3 chiffre(s)"), "{waiting:#?}");
    let explain = |arguments: &[&str]| {
        run_in(folder.path(), &[&["explain", "zz", "brut=1000", "--date", "2027-05-01"], arguments].concat()).fine()
    };
    assert!(explain(&[]).contains("barème 2026") && explain(&["--drafts"]).contains("barème 2027"));
    // One by one, as somebody reads them in the official text.
    write(&path, text.replace("unconfirmed: true, ", "")).unwrap();
    assert!(check(&[]).output.contains("2 chiffre(s)"));
    write(&path, text.replace("unconfirmed: true, ", "").replace("    unconfirmed: true\n", "")).unwrap();
    let confirmed = check(&[]);
    assert_eq!(confirmed.code, 0, "{confirmed:#?}");
    // Copied figures are still worth a look.
    assert!(confirmed.output.contains("W09") && !confirmed.output.contains("W12"), "{confirmed:#?}");
    assert!(explain(&[]).contains("barème 2027"));
}

#[test]
fn a_folder_that_is_broken_stops_no_command_about_another() {
    let folder = small_rules(None);
    let other = folder.path().join("rules/yy");
    std::fs::create_dir(&other).unwrap();
    write(other.join("method.yaml"), "format: bareme/1\n").unwrap();
    assert_eq!(run_in(folder.path(), &["check"]).code, 1);
    for command in [&["explain", "zz", "brut=1000", "--date", "2026-05-01"][..], &["test", "rules/zz"], &["list", "zz"]]
    {
        run_in(folder.path(), command).fine();
    }
    assert_eq!(run_in(folder.path(), &["list", "yy"]).code, 1);
}

#[test]
fn indexed_amounts_keep_the_unit_of_the_law_unless_another_is_given() {
    let folder = small_rules(None);
    let printed = |arguments: &[&str]| {
        run_in(folder.path(), &[&["new", "zz", "2027-01-01", "--print"], arguments].concat()).fine()
    };
    // 6 000, 12 000 and 18 000 are thousands.
    assert!(printed(&["--index", "impot=10%"]).contains("{situation: seul, up_to: 7 000, rate: 0%}"));
    let to_the_unit = printed(&["--index", "impot=1.1%", "--round", "1"]);
    assert!(to_the_unit.contains("{situation: seul, up_to: 6 066, rate: 0%}"), "{to_the_unit}");
    assert!(to_the_unit.contains("ceiling: 1 200,"), "only the figure that is named: {to_the_unit}");
    assert!(!folder.path().join("rules/zz/2027-01-01.yaml").exists());
}

#[test]
fn a_day_that_is_past_or_an_index_that_means_nothing_is_told() {
    let folder = small_rules(None);
    for arguments in [
        &["new", "zz", "2026-01-01"][..],
        &["new", "zz", "2027-01-01", "--index", "1.1"],
        &["new", "zz", "2027-01-01", "--index", "impots=1%"],
    ] {
        let ran = run_in(folder.path(), arguments);
        assert_eq!((ran.code, ran.errors.is_empty()), (2, false), "{ran:#?}");
    }
}

#[test]
fn a_year_is_prepared_without_stopping_anything() {
    let folder = small_rules(None);
    let run = |arguments: &[&str]| run_in(folder.path(), arguments);
    let written = run(&["new", "--all", "2027-01-01"]).fine();
    assert!(written.contains("zz") && written.contains("bareme status 2027"), "{written}");
    assert!(run(&["new", "--all", "2027-01-01"]).fine().contains("a déjà un fichier"));
    let status = run(&["status", "2027", "--date", "2026-12-01"]).fine();
    assert!(status.contains("(brouillon)") && status.contains("1 à finir"), "{status}");
    assert_eq!(run(&["check", "--date", "2026-11-01"]).code, 0);
    // A decree of the summer comes between the two.
    run(&["new", "zz", "2026-07-01"]).fine();
    let inserted = read_to_string(folder.path().join("rules/zz/2026-07-01.yaml")).unwrap();
    assert!(inserted.contains("title: \"Espérie, barème 2026\""), "{inserted}");
    assert_eq!(run(&["new", "zz", "2025-01-01"]).code, 2, "nothing comes before the first");
}

#[test]
fn a_figure_is_confirmed_with_its_value_and_its_source() {
    let folder = small_rules(None);
    let run = |arguments: &[&str]| run_in(folder.path(), arguments);
    run(&["new", "zz", "2027-01-01"]).fine();
    let path = folder.path().join("rules/zz/2027-01-01.yaml");
    let text = || read_to_string(&path).unwrap();
    let before = text();
    for (arguments, said) in [
        (&["confirm", "zz", "pensoin"][..], "pension"),
        (&["confirm", "zz", "pension", "7%"], "pension.rate, pension.ceiling"),
        (&["confirm", "zz", "pension", "--source", "lf2027"], "lf2026, css"),
        (&["confirm", "zz", "pension.rate", "7"], "T12"),
    ] {
        let ran = run(arguments);
        assert!(ran.code > 0 && ran.errors.contains(said), "{ran:#?}");
        assert_eq!(text(), before, "{arguments:?} changes nothing");
    }
    let confirmed = run(&["confirm", "zz", "pension.rate", "7%", "--source", "lf2026"]).fine();
    assert!(confirmed.contains("2 chiffre(s) à confirmer"), "{confirmed}");
    assert!(text().contains("  pension: {rate: 7%, ceiling: 1 200, per: month, source: lf2026}"), "{}", text());
    run(&["confirm", "zz", "impot[2].rate", "11%"]).fine();
    assert!(text().contains("  impot:\n    per: year\n") && text().contains("up_to: 18 000, rate: 11%"), "{}", text());
    let last = run(&["confirm", "zz", "famille"]).fine();
    assert!(last.contains("Plus aucun chiffre à confirmer"), "{last}");
    assert!(run(&["explain", "zz", "brut=1000", "--date", "2027-02-01"]).fine().contains("7 %"));
}

#[test]
fn a_figure_is_confirmed_with_a_source_that_the_command_describes() {
    let folder = small_rules(None);
    let said = |arguments: &[&str]| run_in(folder.path(), arguments);
    assert_eq!(said(&["new", "zz", "2027-01-01", "--date", "2026-11-01"]).code, 0);
    let refused = said(&["confirm", "zz", "pension.rate", "6.5%", "--source", "lf2027"]);
    assert!(refused.code == 2 && refused.errors.contains("--title"), "{refused:#?}");
    let confirmed =
        ["confirm", "zz", "pension.rate", "6.5%", "--source", "lf2027", "--title", "Loi \"2027\"", "--publisher"];
    let confirmed = said(&[&confirmed[..], &["Journal officiel", "--text-date", "2026-12-28"]].concat());
    assert_eq!(confirmed.code, 0, "{confirmed:#?}");
    let text = std::fs::read_to_string(folder.path().join("rules/zz/2027-01-01.yaml")).unwrap();
    let source = r#"  lf2027: {kind: law, title: "Loi \"2027\"", publisher: "Journal officiel", date: 2026-12-28}"#;
    assert!(
        text.contains(source) && text.contains("  pension: {rate: 6.5%, ceiling: 1 200, per: month, source: lf2027}"),
        "{text}"
    );
    let again = said(&["confirm", "zz", "famille", "--source", "lf2027", "--title", "Loi 2027"]);
    assert!(again.code == 2 && again.errors.contains("déjà"), "{again:#?}");
}

#[test]
fn a_scale_whose_cases_fail_stays_a_draft_when_its_last_figure_is_confirmed() {
    let folder = small_rules(None);
    let said = |arguments: &[&str]| run_in(folder.path(), arguments);
    let cases = folder.path().join("rules/zz/cases.yaml");
    let beyond =
        "  - {name: Après, date: 2027-03-01, given: {brut: 1000}, expect: {year: 2026}, origin: {kind: hand}}\n";
    write(&cases, format!("{}{beyond}", read_to_string(&cases).unwrap())).unwrap();
    assert_eq!(said(&["check"]).code, 0);
    said(&["new", "zz", "2027-01-01"]).fine();
    for figure in ["impot", "famille", "pension"] {
        let last = said(&["confirm", "zz", figure]).fine();
        assert_eq!(last.contains("state: draft"), figure == "pension", "{last}");
    }
    let text = read_to_string(folder.path().join("rules/zz/2027-01-01.yaml")).unwrap();
    assert!(text.contains("\nstate: draft\nsources:") && !text.contains("unconfirmed"), "{text}");
    // Nothing is stopped.
    assert_eq!(said(&["check"]).code, 0);
}
