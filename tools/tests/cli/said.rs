//! Help and mistakes, in French unless English is asked for.

use crate::common::{command, run, run_with};

#[test]
fn help_is_in_french_or_in_english() {
    let french = run(&["--help"]).fine();
    assert!(
        french.contains("Usage : bareme [OPTIONS] <COMMANDE>"),
        "{french}"
    );
    assert!(
        french.contains("Codes de sortie : 0 rien à redire"),
        "{french}"
    );
    let english = run(&["--help", "--lang", "en"]).fine();
    assert!(
        english.contains("Exit codes: 0 nothing is wrong"),
        "{english}"
    );
    let by_environment = command(&["check", "--help"])
        .env("BAREME_LANG", "en")
        .output()
        .unwrap();
    assert!(
        String::from_utf8(by_environment.stdout)
            .unwrap()
            .starts_with("Check rule files")
    );
}

#[test]
fn a_mistake_on_the_command_line_ends_by_two_and_says_what_would_be_right() {
    for (arguments, said) in [
        (
            &["chek"][..],
            "`chek` n’est pas une commande ; vouliez-vous dire ",
        ),
        (
            &["check", "--wach"],
            "`--wach` n’est pas une option de cette commande ; vouliez-vous dire `--watch` ?",
        ),
        (&["explain"], "il manque <DOSSIER>"),
        (&["list", "--format", "jsn"], "vouliez-vous dire `json` ?"),
        (
            &["new", "ir", "demain"],
            "`demain` ne convient pas à `[DATE]` : écrire l’année, le mois et le jour, comme ",
        ),
        (
            &["status", "rules"],
            "`rules` ne convient pas à `[ANNEE]` : écrire une année, comme 2027",
        ),
        (&["list", "ir", "autres"], "`autres` est de trop"),
        (
            &["diff", "ir", "2019", "2026"],
            "écrire une année ou un jour. Barèmes : 2023-01-01, ",
        ),
        (
            &["inverse", "salaire", "nett=2000"],
            "`cout=…` ; vouliez-vous dire `net` ?",
        ),
        (
            &["confirm", "salaire-net/ma", "ir"],
            "`bareme new` en prépare un",
        ),
        (&["test", "--mutate", "--update"], "ne va pas avec"),
        (&[], "il manque une commande"),
    ] {
        let ran = run(arguments);
        assert_eq!(ran.code, 2, "{ran:#?}");
        assert!(ran.errors.contains(said), "{said}\n{ran:#?}");
        assert_eq!(ran.output, "");
    }
    assert!(
        run(&["chek", "--lang", "en"])
            .errors
            .starts_with("error: unrecognized subcommand 'chek'")
    );
}

/// The words of the rules stay French; those of the program follow `--lang`.
#[test]
fn english_is_answered_in_english() {
    let refused = run(&[
        "explain",
        "salaire-net/sn",
        "brut=12,5x",
        "part=2",
        "--lang",
        "en",
    ])
    .errors;
    for said in [
        "`part`: Unknown parameter; did you mean `parts`?",
        "`brut`: A comma is not accepted: write decimals after a point. (received: 12,5x)\n  accepted: an amount",
    ] {
        assert!(refused.contains(said), "{said}\n{refused}");
    }
    let batch = |name: &str, input: &str| run_with(&["batch", name, "--lang", "en"], input).errors;
    for (input, said) in [
        (
            "brut\nbeaucoup\n",
            "line 2: brut: A number is expected, in plain decimal notation",
        ),
        (
            "brut;cadre\n60.000;vrai\n",
            "line 2: brut: `60.000` reads in two ways: write 60,000 or 60000",
        ),
        ("brut,cadre\n1\n", "line 2: 1 cells instead of 2"),
        (
            "{\"brut\": [1]}\n",
            "line 1: `brut`: a single value is expected",
        ),
        (
            "{\"brut\": 1\n",
            "line 1: a JSON object is expected, one a line",
        ),
    ] {
        let errors = batch("salaire", input);
        assert!(errors.contains(said), "{said}\n{errors}");
    }
    let refused = batch("pret", "montant,duree,taux,frais\n1000,12,3,900\n");
    assert!(
        refused.contains(
            "The rules say, in French: \"Les frais dépassent la moitié du capital emprunté\""
        ),
        "{refused}"
    );
    let late = run_with(
        &["batch", "ir", "--lang", "en"],
        "revenu,date\n30000,2030-01-01\n",
    )
    .fine();
    // Warnings are objects of the service, whose sentences are French in every language; the code
    // is for programs.
    assert!(late.contains("bareme_non_verifie"), "{late}");
    let warned = run(&["inverse", "salaire-net/sn", "net=1", "--lang", "en"]).fine();
    assert!(
        warned.contains("Above, the result falls: 80.36 gives only 0.36, and 1 takes 81 again."),
        "{warned}"
    );
    let listed = run(&["list", "salaire-net/sn", "--lang", "en"]).fine();
    assert!(
        listed.contains("an amount from 0") && !listed.contains("un montant"),
        "{listed}"
    );
}

#[test]
fn a_reader_who_leaves_early_is_no_mistake() {
    use std::io::Read as _;
    use std::process::Stdio;

    let mut child = command(&["schema", "method"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut errors = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut errors)
        .unwrap();
    assert_eq!(
        (child.wait().unwrap().code(), errors.as_str()),
        (Some(0), "")
    );
}
