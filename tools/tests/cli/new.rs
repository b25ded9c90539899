//! `bareme new`: the file of the next year, a draft until every figure is confirmed.

mod year_start;

use std::fs::{read_to_string, write};

use crate::common::{once_read, run_in, small_rules};

#[test]
fn the_next_file_is_a_draft_until_each_figure_is_confirmed() {
    let folder = small_rules(None);
    let output = run_in(
        folder.path(),
        &["new", "zz", "2027-01-01", "--index", "1.1%"],
    )
    .fine();
    assert!(
        output.contains("Copie du barème du 2026-01-01 : 3 chiffres à confirmer."),
        "{output}"
    );
    // Nothing shows that they follow an index.
    assert!(
        output.contains("pension.ceiling          1 200        –      –  aucun barème antérieur"),
        "{output}"
    );
    let path = folder.path().join("rules/zz/2027-01-01.yaml");
    let text = read_to_string(&path).unwrap();
    assert!(
        text.contains("title: \"Espérie, barème 2027\"\ncitation:"),
        "until and title: {text}"
    );
    assert!(
        text.contains(
            "  pension: {unconfirmed: true, rate: 6.3%, ceiling: 1 200, per: month, source: css}"
        ),
        "{text}"
    );
    assert!(
        text.contains("  impot:\n    unconfirmed: true\n    per: year\n"),
        "{text}"
    );
    let check = |arguments: &[&str]| {
        run_in(
            folder.path(),
            &[&["check", "--date", "2026-12-01"], arguments].concat(),
        )
    };
    let waiting = check(&[]);
    assert!(
        waiting.code == 0 && waiting.output.contains("W12"),
        "{waiting:#?}"
    );
    assert!(waiting.output.contains("3 chiffres"), "{waiting:#?}");
    let explain = |arguments: &[&str]| {
        run_in(
            folder.path(),
            &[
                &["explain", "zz", "brut=1000", "--date", "2027-05-01"],
                arguments,
            ]
            .concat(),
        )
        .fine()
    };
    assert!(explain(&[]).contains("barème 2026") && explain(&["--drafts"]).contains("barème 2027"));
    // One by one, as somebody reads them in the official text.
    write(&path, text.replace("unconfirmed: true, ", "")).unwrap();
    assert!(check(&[]).output.contains("2 chiffres"));
    write(
        &path,
        text.replace("unconfirmed: true, ", "")
            .replace("    unconfirmed: true\n", ""),
    )
    .unwrap();
    let confirmed = check(&[]);
    // Copied figures are still worth a look: a file that repeats the one before is held back until
    // its reason is written.
    assert_eq!(confirmed.code, 1, "{confirmed:#?}");
    assert!(
        confirmed.output.contains("W48") && !confirmed.output.contains("W12"),
        "{confirmed:#?}"
    );
    let text = std::fs::read_to_string(&path).unwrap();
    let reviewed = "reviewed: \"Loi de finances pour 2027, lue : rien ne change.\"\ncitation:";
    write(&path, text.replace("citation:", reviewed)).unwrap();
    let reviewed = check(&[]);
    assert_eq!(reviewed.code, 0, "{reviewed:#?}");
    assert!(reviewed.output.contains("W09"), "{reviewed:#?}");
    assert!(explain(&[]).contains("barème 2027"));
}

#[test]
fn a_folder_that_is_broken_stops_no_command_about_another() {
    let folder = small_rules(None);
    let other = folder.path().join("rules/yy");
    std::fs::create_dir(&other).unwrap();
    write(other.join("method.yaml"), "format: bareme/1\n").unwrap();
    assert_eq!(run_in(folder.path(), &["check"]).code, 1);
    for command in [
        &["explain", "zz", "brut=1000", "--date", "2026-05-01"][..],
        &["test", "rules/zz"],
        &["list", "zz"],
    ] {
        run_in(folder.path(), command).fine();
    }
    assert_eq!(run_in(folder.path(), &["list", "yy"]).code, 1);
}

#[test]
fn the_reason_for_which_a_figure_was_right_is_not_copied() {
    let folder = small_rules(None);
    let path = folder.path().join("rules/zz/2026-01-01.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    let reviewed = text.replace(
        "source: css}",
        "source: css, reviewed: \"Réforme de 2026.\"}",
    );
    let reviewed = reviewed.replace(
        "citation:",
        "reviewed: \"Rien d’autre ne change.\"\ncitation:",
    );
    write(
        &path,
        reviewed.replace(
            "      - {enfants: 0,",
            "      - {reviewed: \"Nul.\", enfants: 0,",
        ),
    )
    .unwrap();
    let next = run_in(folder.path(), &["new", "zz", "2027-01-01", "--print"]).fine();
    assert!(
        next.contains("enfants: 0, montant: 0}") && !next.contains("reviewed"),
        "{next}"
    );
}

#[test]
fn indexed_amounts_keep_the_unit_of_the_law_unless_another_is_given() {
    let folder = small_rules(None);
    let printed = |arguments: &[&str]| {
        run_in(
            folder.path(),
            &[&["new", "zz", "2027-01-01", "--print"], arguments].concat(),
        )
        .fine()
    };
    // 6 000, 12 000 and 18 000 are thousands: a tenth of the first is less than one.
    let thousands = printed(&["--index", "impot=10%"]);
    assert!(
        thousands.contains("{situation: seul, up_to: 6 000, rate: 0%}"),
        "{thousands}"
    );
    assert!(
        thousands.contains("{situation: seul, up_to: 20 000, rate: 10%}"),
        "{thousands}"
    );
    let to_the_unit = printed(&["--index", "impot=1.1%", "--round", "1"]);
    assert!(
        to_the_unit.contains("{situation: seul, up_to: 6 066, rate: 0%}"),
        "{to_the_unit}"
    );
    assert!(
        to_the_unit.contains("ceiling: 1 200,"),
        "only the figure that is named: {to_the_unit}"
    );
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
    let run = |arguments: &[&str]| run_in(folder.path(), &once_read(arguments));
    let written = run(&["new", "--all", "2027-01-01"]).fine();
    assert!(
        written.contains("zz") && written.contains("bareme status 2027"),
        "{written}"
    );
    assert!(
        run(&["new", "--all", "2027-01-01"])
            .fine()
            .contains("a déjà un fichier")
    );
    let status = run(&["status", "2027", "--date", "2026-12-01"]).fine();
    assert!(
        status.contains("brouillon") && status.contains("1 à finir"),
        "{status}"
    );
    assert_eq!(run(&["check", "--date", "2026-11-01"]).code, 0);
    // A decree of the summer comes between the two.
    run(&["new", "zz", "2026-07-01"]).fine();
    let inserted = read_to_string(folder.path().join("rules/zz/2026-07-01.yaml")).unwrap();
    assert!(
        inserted.contains("title: \"Espérie, barème 2026\""),
        "{inserted}"
    );
    assert_eq!(
        run(&["new", "zz", "2025-01-01"]).code,
        2,
        "nothing comes before the first"
    );
}

#[test]
fn a_figure_is_confirmed_with_a_source_that_the_command_describes() {
    let folder = small_rules(None);
    let said = |arguments: &[&str]| run_in(folder.path(), &once_read(arguments));
    assert_eq!(
        said(&["new", "zz", "2027-01-01", "--date", "2026-11-01"]).code,
        0
    );
    let refused = said(&[
        "confirm",
        "zz",
        "pension.rate",
        "6.5%",
        "--source",
        "lf2027",
    ]);
    assert!(
        refused.code == 2 && refused.errors.contains("--title"),
        "{refused:#?}"
    );
    let confirmed = [
        "confirm",
        "zz",
        "pension.rate",
        "6.5%",
        "--source",
        "lf2027",
        "--title",
        "Loi \"2027\"",
        "--publisher",
    ];
    let confirmed = said(
        &[
            &confirmed[..],
            &["Journal officiel", "--text-date", "2026-12-28"],
        ]
        .concat(),
    );
    assert_eq!(confirmed.code, 0, "{confirmed:#?}");
    let text = std::fs::read_to_string(folder.path().join("rules/zz/2027-01-01.yaml")).unwrap();
    let source = r#"  lf2027: {kind: law, title: "Loi \"2027\"", publisher: "Journal officiel", date: 2026-12-28}"#;
    assert!(
        text.contains(source)
            && text
                .contains("  pension: {unconfirmed: ceiling, rate: 6.5%, ceiling: 1 200, per: month, source: lf2027}"),
        "{text}"
    );
    let again = said(&[
        "confirm",
        "zz",
        "famille[1].montant",
        "--source",
        "lf2027",
        "--title",
        "Loi 2027",
    ]);
    assert!(
        again.code == 2 && again.errors.contains("déjà"),
        "{again:#?}"
    );
}

#[test]
fn a_scale_whose_cases_fail_stays_a_draft_when_its_last_figure_is_confirmed() {
    let folder = small_rules(None);
    let said = |arguments: &[&str]| run_in(folder.path(), &once_read(arguments));
    let cases = folder.path().join("rules/zz/cases.yaml");
    let beyond = "  - {name: Après, date: 2027-03-01, given: {brut: 1000}, expect: {year: 2026}, origin: {kind: hand}}\n";
    write(
        &cases,
        format!("{}{beyond}", read_to_string(&cases).unwrap()),
    )
    .unwrap();
    assert_eq!(said(&["check"]).code, 0);
    said(&["new", "zz", "2027-01-01"]).fine();
    for figure in ["impot", "famille", "pension"] {
        let last = said(&["confirm", "zz", figure, "--whole", "--unchanged"]).fine();
        assert_eq!(last.contains("state: draft"), figure == "pension", "{last}");
    }
    let text = read_to_string(folder.path().join("rules/zz/2027-01-01.yaml")).unwrap();
    assert!(
        text.contains("\nstate: draft\nsources:") && !text.contains("unconfirmed"),
        "{text}"
    );
    // Nothing is stopped.
    assert_eq!(said(&["check"]).code, 0);
}

#[test]
fn an_index_moves_what_was_moved_before_and_nothing_else() {
    let folder = small_rules(None);
    let path = |day: &str| folder.path().join(format!("rules/zz/{day}.yaml"));
    let first = read_to_string(path("2026-01-01")).unwrap();
    let second = first
        .replace("up_to: 6 000", "up_to: 6 066")
        .replace("up_to: 18 000", "up_to: 18 198")
        .replace(
            "ceiling: 1 200, per: month",
            "ceiling: 1 213, per: month, note: \"24 fois le salaire minimum\"",
        )
        .replace("barème 2026", "barème 2027")
        .replace("known_until: 2026-12-31\n", "");
    write(path("2027-01-01"), second).unwrap();
    let said = run_in(folder.path(), &["new", "zz", "2028-01-01", "--index", "1%"]).fine();
    for line in [
        "pension.ceiling          1 213         –      –  lié à un autre",
        "impot[1].up_to           6 066     6 127  1,01 %  1",
        "impot[4].up_to          12 000         –      –  le même depuis le",
        "famille[2].montant         600         –      –  le même depuis le",
    ] {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&said).contains(&words(line)), "{line}\n{said}");
    }
    let text = read_to_string(path("2028-01-01")).unwrap();
    assert!(
        text.contains("up_to: 18 380,") && text.contains("ceiling: 1 213,"),
        "{text}"
    );
}

#[test]
fn an_index_of_one_folder_writes_all_of_them() {
    let folder = small_rules(None);
    let (rules, zy) = (folder.path().join("rules"), folder.path().join("rules/zy"));
    std::fs::create_dir(&zy).unwrap();
    for file in ["method.yaml", "2026-01-01.yaml", "cases.yaml"] {
        let text = read_to_string(rules.join("zz").join(file)).unwrap();
        write(zy.join(file), text.replace("folder: zz", "folder: zy")).unwrap();
    }
    let service = read_to_string(rules.join("service.yaml")).unwrap();
    let line = "  zz: {title: \"Salaire net en Espérie\", folder: zz}\n";
    assert!(service.contains(line), "{service}");
    write(
        rules.join("service.yaml"),
        service.replace(line, &format!("{line}{}", line.replace("zz", "zy"))),
    )
    .unwrap();
    let run = |arguments: &[&str]| run_in(folder.path(), &once_read(arguments));
    let unknown = run(&["new", "--all", "2027-01-01", "--index", "zx=1.1%"]);
    assert!(
        unknown.code == 2 && !zy.join("2027-01-01.yaml").exists(),
        "{unknown:#?}"
    );
    run(&[
        "new",
        "--all",
        "2027-01-01",
        "--index",
        "zy=20%",
        "--round",
        "1",
    ])
    .fine();
    assert!(zy.join("2027-01-01.yaml").exists() && rules.join("zz/2027-01-01.yaml").exists());
    // One that cannot be written is said, and the exit code too.
    write(zy.join("2026-01-01.yaml"), "figures: [").unwrap();
    let broken = run(&["new", "--all", "2028-01-01"]);
    assert!(
        broken.code == 1 && broken.output.contains("zy : non écrit"),
        "{broken:#?}"
    );
    assert!(rules.join("zz/2028-01-01.yaml").exists());
}

#[test]
fn a_change_between_two_files_is_carried_into_the_later_ones() {
    let folder = small_rules(None);
    let run = |arguments: &[&str]| run_in(folder.path(), &once_read(arguments));
    let text =
        |day: &str| read_to_string(folder.path().join(format!("rules/zz/{day}.yaml"))).unwrap();
    run(&["new", "zz", "2027-01-01"]).fine();
    let inserted = run(&["new", "zz", "2026-12-20"]).fine();
    assert!(
        inserted.contains("Fichiers qui suivent : 2027-01-01.") && inserted.contains("--carry"),
        "{inserted}"
    );
    let decree = [
        "--source",
        "decret",
        "--title",
        "Décret",
        "--publisher",
        "JO",
        "--text-date",
        "2026-12-18",
    ];
    let confirm = |more: &[&str]| {
        run(&[
            &[
                "confirm",
                "zz",
                "pension.rate",
                "7%",
                "--from",
                "2026-12-20",
            ],
            more,
        ]
        .concat())
        .fine()
    };
    let told = confirm(&decree);
    assert!(told.contains("2027-01-01 porte encore 6.3%"), "{told}");
    assert!(text("2027-01-01").contains("rate: 6.3%"));
    let carried = confirm(&["--source", "decret", "--carry"]);
    assert!(
        carried.contains("écrit aussi dans : 2027-01-01"),
        "{carried}"
    );
    let later = text("2027-01-01");
    assert!(
        later.contains(
            "{unconfirmed: true, rate: 7%, ceiling: 1 200, per: month, source: css; decret}"
        ),
        "{later}"
    );
    assert!(
        later.contains("decret: {kind: law, title: \"Décret\""),
        "{later}"
    );
}

#[test]
fn a_file_that_carries_forward_needs_no_further_word() {
    let folder = small_rules(None);
    let run = |arguments: &[&str]| run_in(folder.path(), &once_read(arguments));
    let text =
        |day: &str| read_to_string(folder.path().join(format!("rules/zz/{day}.yaml"))).unwrap();
    run(&["new", "zz", "2027-01-01"]).fine();
    assert!(
        run(&["new", "zz", "2026-12-20", "--carry"])
            .fine()
            .contains("carry_forward")
    );
    assert!(
        text("2026-12-20").contains("\ncarry_forward: true\nsources:"),
        "{}",
        text("2026-12-20")
    );
    assert_eq!(run(&["check", "--date", "2026-12-01"]).code, 0);
    run(&[
        "confirm",
        "zz",
        "famille[2].montant",
        "650",
        "--from",
        "2026-12-20",
        "--because",
        "décret du 18 décembre, art. 2",
    ])
    .fine();
    assert!(
        text("2027-01-01").contains("montant: 650"),
        "{}",
        text("2027-01-01")
    );
    for figure in ["pension", "impot", "famille"] {
        run(&[
            "confirm",
            "zz",
            figure,
            "--whole",
            "--from",
            "2026-12-20",
            "--unchanged",
        ]);
    }
    for cell in ["famille[1].montant", "famille[3].montant"] {
        run(&["confirm", "zz", cell, "--from", "2026-12-20", "--unchanged"]).fine();
    }
    assert!(
        !text("2026-12-20").contains("carry_forward")
            && !text("2026-12-20").contains("unconfirmed")
    );
}
