//! `bareme code`: the list of the codes, and the examples, each of which is checked before and
//! after it is mended.

use std::path::Path;

use serde_json::Value;

use crate::broken::DAY;
use crate::common::{root, run, run_in, small_rules};
use crate::hand::{Mistake, mistakes};

/// Codes without an example: what takes files that are too large or too many, what no text file
/// holds (another encoding, a link), calculations without dates, and what is left to write. This
/// list only gets shorter.
const WITHOUT: [&str; 56] = [
    "S10", "F09", "F21", "T09", "P01", "P11", "O04", "M01", "M05", "M06", "M07", "M09", "M10",
    "M11", "M13", "M14", "M15", "M17", "L01", "L02", "L03", "L04", "L05", "L06", "L07", "L08",
    "L09", "L10", "L11", "L12", "L13", "L14", "L15", "L16", "L17", "L18", "L19", "L20", "L21",
    "L23", "C10", "V05", "V07", "V10", "X01", "W28", "K08", "K09", "K10", "K11", "K12", "K16",
    "W79", "W80", "W81", "W82",
];

/// Warnings that only say what day it is: they come and go without an edit.
const REMINDERS: [&str; 4] = ["W07", "W08", "W09", "W12"];

/// What is said of each example of two folders, of which one is a copy of the other, amounts
/// included.
const OF_COPIES: &str = "G35";

/// The mistake of each example, and what mends it.
fn examples() -> Vec<(Mistake, Option<Mistake>)> {
    let halves = |mistake: Mistake| {
        let mut halves = mistake.lines.split(|line| line == "mended");
        let half = |lines: &[String]| Mistake {
            name: mistake.name.clone(),
            lines: lines.to_owned(),
        };
        (half(halves.next().unwrap()), halves.next().map(half))
    };
    mistakes(&root().join("tools/src/command/code/examples.txt"))
        .into_iter()
        .map(halves)
        .collect()
}

/// The edits of a mistake the other way round, without those of copies.
fn undone(mistake: &Mistake) -> Mistake {
    let sign = |line: &String| line.chars().next().filter(|sign| ['-', '+'].contains(sign));
    let signed = |sign: char, lines: &[String]| -> Vec<String> {
        lines
            .iter()
            .map(|line| format!("{sign}{}", &line[1..]))
            .collect()
    };

    let mut lines: Vec<String> = Vec::new();
    let mut is_copy = false;
    let mut found: &[String] = &[];
    for group in mistake.lines.chunk_by(|one, next| sign(one) == sign(next)) {
        match sign(&group[0]) {
            Some('-') => found = group,
            Some(_) if is_copy => (),
            Some(_) => lines.extend([signed('-', group), signed('+', found)].concat()),
            None => {
                // The last of several files in a row is the one that is edited.
                let head = group.last().unwrap();
                is_copy = head.contains(" => ");
                lines.extend((!is_copy).then(|| head.clone()));
            }
        }
    }
    Mistake {
        name: mistake.name.clone(),
        lines,
    }
}

/// The codes of all that `bareme check` says of the rules in a folder.
fn found(folder: &Path) -> Vec<String> {
    let arguments = ["check", "--format", "json", "--date", DAY];
    let checked = run_in(folder, &arguments).output;
    let checked: Value = serde_json::from_str(&checked).unwrap();
    ["erreurs", "avertissements"]
        .iter()
        .flat_map(|list| checked[list].as_array().unwrap())
        .map(|found| found["code"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn every_example_gives_its_message_and_nothing_once_it_is_mended() {
    let examples = examples();
    assert!(examples.len() > 200, "{}", examples.len());
    for (mistake, mend) in examples {
        let (folder, code) = (small_rules(None), &mistake.name);
        let rules = folder.path().join("rules");
        mistake.make(&rules);
        assert!(found(folder.path()).contains(code), "{code}");

        let mend = mend.unwrap_or_else(|| undone(&mistake));
        // The copies alone are the mistake: without them the rules are the sound ones.
        if mend.lines.is_empty() {
            continue;
        }
        mend.make(&rules);
        let left: Vec<String> = found(folder.path())
            .into_iter()
            .filter(|left| {
                let is_reminder = REMINDERS.contains(&left.as_str()) || left == OF_COPIES;
                left == code || !is_reminder
            })
            .collect();
        assert_eq!(left, Vec::<String>::new(), "{code}");
    }
}

/// What `bareme code` gives programs.
fn listed(arguments: &[&str]) -> Value {
    let arguments = [&["code", "--format", "json"], arguments].concat();
    serde_json::from_str(&run(&arguments).fine()).unwrap()
}

#[test]
fn every_code_has_an_example_with_its_true_message() {
    for listed_code in listed(&[]).as_array().unwrap() {
        let code = listed_code["code"].as_str().unwrap();
        let one = listed(&[code]);
        assert_eq!(one["cause"], listed_code["cause"], "{code}");
        let example = &one["exemple"];
        assert_eq!(example.is_null(), WITHOUT.contains(&code), "{code}: {one}");
        if example.is_null() {
            continue;
        }
        let places = example["lignes"].as_array().unwrap();
        let is_mended = |place: &Value| place["avant"] != place["apres"];
        assert!(!places.is_empty() && places.iter().all(is_mended), "{one}");
        assert!(!example["message"].as_str().unwrap().is_empty(), "{one}");
    }
}

#[test]
fn the_letters_are_those_of_the_manuals() {
    for (manual, lang) in [("README.md", "en"), ("LISEZMOI.md", "fr")] {
        let text = std::fs::read_to_string(root().join("rules").join(manual)).unwrap();
        let mut listed: Vec<String> = listed(&["--lang", lang])
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                let (letter, about) = (&one["code"].as_str().unwrap()[..1], &one["sujet"]);
                format!("| `{letter}` | {} |", about.as_str().unwrap())
            })
            .collect();
        listed.dedup();
        let mut rows = text
            .lines()
            .skip_while(|line| !line.starts_with(&listed[0]))
            .take(listed.len());
        for row in &listed {
            let line = rows.next().unwrap_or_default();
            assert!(line.starts_with(row), "{manual}: {row}\n{line}");
        }
    }
}

#[test]
fn a_code_is_found_as_it_is_pasted_and_the_nearest_is_named_otherwise() {
    let asked = run(&["code", "W47"]).fine();
    for word in ["w47", "attention[W47]", "[W47]"] {
        assert_eq!(run(&["code", word]).fine(), asked, "{word}");
    }
    assert_eq!(run(&["code", "g7"]).fine(), run(&["code", "G07"]).fine());
    for (word, hint) in [
        (
            "G99",
            "Aucun message n’a le code `G99`. Les plus proches : `G35`, `G34`.",
        ),
        ("W10", "Les plus proches : `W09`, `W11`."),
        ("H07", "Un code est une lettre (Y, S, F,"),
        ("taux", "`bareme code` les liste tous."),
        ("é", "Aucun message n’a le code `É`."),
    ] {
        let ran = run(&["code", word]);
        assert_eq!(ran.code, 2, "{ran:#?}");
        assert!(ran.errors.contains(hint), "{hint}\n{ran:#?}");
    }
}

#[test]
fn the_list_is_a_page_in_each_form_and_language() {
    let text = run(&["code"]).fine();
    let wide = text.lines().find(|line| line.chars().count() > 80);
    assert_eq!(wide, None);
    let page = run(&["code", "--format", "markdown", "--lang", "en"]).fine();
    for line in [
        "# The messages and their codes",
        "## G: figures and sources",
        "| G05 | the source `…` is not in `sources` |",
    ] {
        assert!(page.lines().any(|own| own == line), "{line}\n{page}");
    }
    let page = run(&["code", "W47", "--format", "html"]).fine();
    assert!(page.contains("<h1>W47, avertissement</h1>"), "{page}");
}
