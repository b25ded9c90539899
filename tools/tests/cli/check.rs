//! `bareme check` beyond the mistakes themselves: advice, formats, the part that is looked at,
//! watching.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

use crate::common::{Ended, broken, command, run, run_in, small_rules};

#[test]
fn the_rules_of_the_project_have_no_mistake() {
    let ran = run(&["check"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert!(
        ran.output.lines().last().unwrap().starts_with("0 erreur, "),
        "{}",
        ran.output
    );
}

#[test]
fn a_scale_that_ends_soon_a_source_without_date_and_a_copied_figure_are_told_apart_from_mistakes() {
    let folder = small_rules(None);
    let scale = std::fs::read_to_string(folder.path().join("rules/zz/2026-01-01.yaml")).unwrap();
    let next = scale
        .replace("barème 2026", "barème 2027")
        .replace("known_until: 2026-12-31", "known_until: 2027-12-31")
        .replace(", art. 4\", publisher", "\", publisher")
        .replace(", date: 2024-06-01", "");
    std::fs::write(folder.path().join("rules/zz/2027-01-01.yaml"), next).unwrap();
    let codes = |day: &str| {
        let ran = run_in(folder.path(), &["check", "--date", day, "--format", "json"]);
        let found: Value = serde_json::from_str(&ran.fine()).unwrap();
        assert_eq!(found["erreurs"].as_array().unwrap().len(), 0);
        let warnings = found["avertissements"].as_array().unwrap().iter();
        warnings
            .map(|warning| warning["code"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(codes("2026-12-01"), ["W09", "W14", "W06"]);
    assert_eq!(codes("2027-06-01"), ["W14", "W06"]);
    assert_eq!(codes("2027-11-15"), ["W14", "W07", "W06"]);
    assert_eq!(codes("2028-01-01"), ["W14", "W08", "W06"]);
    assert_eq!(
        run_in(
            folder.path(),
            &["check", "--date", "2027-06-01", "--strict"]
        )
        .code,
        1
    );
}

#[test]
fn what_only_the_day_brings_fails_no_strict_check() {
    let folder = small_rules(None);
    let scale = folder.path().join("rules/zz/2026-01-01.yaml");
    let text = std::fs::read_to_string(&scale).unwrap();
    let ended = text.replacen("known_until:", "until: 2026-12-31\nknown_until:", 1);
    std::fs::write(&scale, ended).unwrap();

    // The day before its end, the day itself and the day after: nobody has changed a file.
    let strict = |day: &str| {
        let asked = ["check", "--strict", "--date", day, "--format", "json"];
        let ran = run_in(folder.path(), &asked);
        let found: Value = serde_json::from_str(&ran.output).unwrap();
        let warnings = found["avertissements"].as_array().unwrap().iter();
        let codes = warnings.map(|warning| warning["code"].as_str().unwrap().to_owned());
        (ran.code, codes.collect::<Vec<_>>())
    };
    assert_eq!(strict("2026-03-31"), (0, Vec::new()));
    for (day, reminder) in [
        ("2026-12-30", "W25"),
        ("2026-12-31", "W25"),
        ("2027-01-01", "W24"),
        ("2028-06-01", "W24"),
    ] {
        let (code, codes) = strict(day);
        assert!(
            codes.iter().any(|code| code == reminder),
            "{day}: {codes:?}"
        );
        assert_eq!(code, 0, "{day}: {codes:?}");
    }
}

#[test]
fn a_pull_request_is_annotated_on_its_lines() {
    let folder = small_rules(Some(&broken().join("rate-without-percent")));
    let ran = run_in(
        folder.path(),
        &["check", "--format", "github", "--date", "2026-05-01"],
    );
    assert_eq!(ran.code, 1);
    let expected = "::error file=rules/zz/2026-01-01.yaml,line=9,col=19,title=T12::le taux `6.3` n’a pas de `%25`%0Aécrire `6.3%25`";
    assert_eq!(ran.output.lines().next(), Some(expected));
}

#[test]
fn a_draft_that_cannot_be_read_fails_the_check() {
    let folder = small_rules(None);
    let rules = folder.path().join("rules/zz");
    let scale = std::fs::read_to_string(rules.join("2026-01-01.yaml"))
        .unwrap()
        .replace("2026", "2027");
    let check = |text: String| {
        std::fs::write(rules.join("2027-01-01.yaml"), text).unwrap();
        run_in(folder.path(), &["check", "--date", "2026-05-01"])
    };
    let draft = scale.replace("format: bareme/1", "format: bareme/1\nstate: draft");
    assert_eq!(check(draft.clone()).code, 0);
    let unclosed = check(draft.replace("source: css}", "source: css"));
    assert!(
        unclosed.code == 1 && unclosed.output.contains("erreur[Y01]"),
        "{unclosed:#?}"
    );
    let merged = check(draft.replace(
        "figures:\n",
        "<<<<<<< HEAD\nfigures:\n=======\nfigures:\n>>>>>>> budget\n",
    ));
    assert!(
        merged.code == 1 && merged.output.contains("erreur[Y10]"),
        "{merged:#?}"
    );
    // What is wrong with a draft that can be read stops nothing.
    assert_eq!(check(draft.replace("6.3%", "6.3")).code, 0);
}

#[test]
fn a_far_day_does_not_hide_that_a_year_is_missing() {
    let folder = small_rules(None);
    let rules = folder.path().join("rules/zz");
    let scale = std::fs::read_to_string(rules.join("2026-01-01.yaml")).unwrap();
    let scale = scale
        .replace("barème 2026", "barème 2072")
        .replace("known_until: 2026-12-31\n", "");
    let codes = |text: &str, is_held: bool| {
        std::fs::write(rules.join("2072-01-01.yaml"), text).unwrap();
        let checked = run_in(
            folder.path(),
            &["check", "--date", "2026-12-01", "--format", "json"],
        );
        // A doubt holds a scale in force back until its reason is written.
        assert_eq!(checked.code, i32::from(is_held), "{checked:?}");
        let found: Value = serde_json::from_str(&checked.output).unwrap();
        let warnings = found["avertissements"].as_array().unwrap().iter();
        warnings
            .map(|warning| warning["code"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let said = codes(&scale, true);
    assert!(
        ["W07", "W48", "W50"]
            .iter()
            .all(|code| said.iter().any(|known| known == code)),
        "{said:?}"
    );
    let reviewed = codes(
        &scale.replace("citation:", "reviewed: \"Loi-cadre de 2072.\"\ncitation:"),
        false,
    );
    assert!(
        !reviewed
            .iter()
            .any(|code| ["W48", "W50", "W51"].contains(&code.as_str())),
        "{reviewed:?}"
    );
}

#[test]
fn only_what_is_named_is_reported() {
    let folder = small_rules(Some(&broken().join("rate-without-percent")));
    let check = |paths: &[&str]| {
        run_in(
            folder.path(),
            &[&["check", "--date", "2026-05-01"], paths].concat(),
        )
    };
    assert_eq!(check(&["rules/zz/2026-01-01.yaml"]).code, 1);
    assert_eq!(check(&["rules/zz"]).code, 1);
    assert_eq!(check(&["zz"]).code, 1);
    assert_eq!(check(&["rules/zz/cases.yaml"]).code, 0);
    let elsewhere = check(&["rules/zy"]);
    assert_eq!(elsewhere.code, 2);
    assert!(
        elsewhere.errors.contains("`rules/zy` n’existe pas"),
        "{elsewhere:#?}"
    );
    let nowhere = run_in(
        std::env::temp_dir().as_path(),
        &["check", "--rules", "nulle/part"],
    );
    assert_eq!(nowhere.code, 1, "{nowhere:#?}");
}

#[test]
fn a_folder_alone_has_the_messages_that_it_has_among_all() {
    let of = |paths: &[&str]| -> Vec<String> {
        let arguments = [
            &["check", "--date", "2026-12-20", "--format", "json"],
            paths,
        ]
        .concat();
        let found: Value = serde_json::from_str(&run(&arguments).output).unwrap();
        let kinds = [&found["erreurs"], &found["avertissements"]];
        let messages = kinds.iter().flat_map(|kind| kind.as_array().unwrap());
        messages.map(Value::to_string).collect()
    };
    let all = of(&[]);

    // One that is alone, one that others calculate, one that calculates them, one of a family.
    for folder in ["ifi", "ir", "foyer", "salaire-net/be", "salaire-net"] {
        let is_of_it = |message: &&String| message.contains(&format!("\"rules/{folder}/"));
        let among_all: Vec<&String> = all.iter().filter(is_of_it).collect();
        assert_eq!(
            of(&[folder]).iter().collect::<Vec<_>>(),
            among_all,
            "{folder}"
        );
    }
    assert!(
        all.iter()
            .any(|message| message.contains("\"rules/salaire-net/"))
    );
}

#[test]
fn it_checks_again_at_each_save() {
    let folder = small_rules(None);
    let mut watch = command(&["check", "--watch", "--date", "2026-05-01"]);
    let mut child = Ended(
        watch
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let (sender, lines) = mpsc::channel();
    let output = BufReader::new(child.0.stdout.take().unwrap());
    let reading = std::thread::spawn(move || {
        output
            .lines()
            .map_while(Result::ok)
            .try_for_each(|line| sender.send(line))
    });
    let said = |wanted: &str| {
        let mut seen = std::iter::from_fn(|| lines.recv_timeout(Duration::from_secs(30)).ok());
        seen.any(|line| line.contains(wanted))
    };
    assert!(said("0 erreur, 0 avertissement."));
    assert!(said("en attente d’une modification"));
    std::fs::copy(
        broken().join("missing-source/2026-01-01.yaml"),
        folder.path().join("rules/zz/2026-01-01.yaml"),
    )
    .unwrap();
    assert!(said("erreur[G04]"));
    assert!(said("1 erreur, 0 avertissement."));
    drop(child);
    let _ = reading.join();
}
