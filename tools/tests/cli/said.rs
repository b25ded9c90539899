//! Help and mistakes, in French unless English is asked for.

use crate::common::{command, run};

#[test]
fn help_is_in_french_or_in_english() {
    let french = run(&["--help"]).fine();
    assert!(french.contains("Usage : bareme [OPTIONS] <COMMANDE>"), "{french}");
    assert!(french.contains("Codes de sortie : 0 rien à redire"), "{french}");
    let english = run(&["--help", "--lang", "en"]).fine();
    assert!(english.contains("Exit codes: 0 nothing is wrong"), "{english}");
    let by_environment = command(&["check", "--help"]).env("BAREME_LANG", "en").output().unwrap();
    assert!(String::from_utf8(by_environment.stdout).unwrap().starts_with("Check rule files"));
}

#[test]
fn a_mistake_on_the_command_line_ends_by_two_and_says_what_would_be_right() {
    for (arguments, said) in [
        (&["chek"][..], "`chek` n'est pas une commande ; vouliez-vous dire "),
        (&["check", "--wach"], "`--wach` n'est pas une option de cette commande ; vouliez-vous dire `--watch` ?"),
        (&["explain"], "il manque <DOSSIER>"),
        (&["list", "--format", "jsn"], "vouliez-vous dire `json` ?"),
        (&["new", "ir", "demain"], "`demain` ne convient pas à `[DATE]` : écrire l'année, le mois et le jour, comme "),
        (&["status", "rules"], "`rules` ne convient pas à `[ANNEE]` : écrire une année, comme 2027"),
        (&["batch", "ir", "paies.csv"], "`paies.csv` est de trop"),
        (&["diff", "ir", "2019", "2026"], "écrire une année ou un jour. Barèmes : 2023-01-01, "),
        (&["inverse", "salaire", "nett=2000"], "`cout=…` ; vouliez-vous dire `net` ?"),
        (&["confirm", "ir", "bareme"], "`bareme new` en prépare un"),
        (&["test", "--mutate", "--update"], "ne va pas avec"),
        (&[], "il manque une commande"),
    ] {
        let ran = run(arguments);
        assert_eq!(ran.code, 2, "{ran:#?}");
        assert!(ran.errors.contains(said), "{said}\n{ran:#?}");
        assert_eq!(ran.output, "");
    }
    assert!(run(&["chek", "--lang", "en"]).errors.starts_with("error: unrecognized subcommand 'chek'"));
}

#[test]
fn a_reader_who_leaves_early_is_no_mistake() {
    use std::io::Read as _;
    use std::process::Stdio;

    let mut child = command(&["schema", "method"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!((child.wait().unwrap().code(), errors.as_str()), (Some(0), ""));
}
