//! Folders that take figures from another one, or calculate it, where the law ends that one.

use jiff::civil::{Date, date};

use crate::run::{CalculationError, Query};
use crate::service::Rules;
use crate::service::tests::whole;
use crate::set::files::FileSet;
use crate::set::load::Loader;

/// A rule set in which the folder `aa` has a file for each first day, with what ends it.
fn rules(ends: &[(&str, &str)]) -> Rules {
    let head = |folder: &str| format!("format: bareme/1\nfolder: {folder}\ntitle: {folder}\n");
    let inputs = "inputs:\n  brut: {type: number, required: true, label: Brut}\n";
    let rest = "answer:\n  x: x\nheadline: [{field: x, role: levy}]\n";
    let scale = |figures: &str, until: &str| {
        format!(
            "format: bareme/1\ntitle: T\nreviewed: Essai\n{until}known_until: 2026-12-31\n\
             sources:\n  s: {{kind: law, title: Source, publisher: Éditeur}}\nfigures: {{{figures}}}\n"
        )
    };
    let method = |folder: &str, middle: &str| format!("{}{inputs}{middle}{rest}", head(folder));

    let mut files: Vec<(String, String)> = whole()
        .into_iter()
        .map(|(path, text)| (path.to_owned(), text))
        .collect();
    let mut add = |path: &str, text: String| files.push((path.to_owned(), text));
    add(
        "aa/method.yaml",
        method(
            "aa",
            "figures:\n  p: {v: number}\nsteps:\n  x: {formula: brut * p.v, label: X}\n",
        ),
    );
    for (index, (start, until)) in ends.iter().enumerate() {
        let value = format!("p: {{v: {}, source: s, reviewed: Essai}}", index + 2);
        add(&format!("aa/{start}.yaml"), scale(&value, until));
    }

    let taking = "figures:\n  p: {taken_from: aa}\nsteps:\n  x: {formula: brut * p.v, label: X}\n";
    add("bb/method.yaml", method("bb", taking));
    add("bb/2026-01-01.yaml", scale("", ""));
    let calling = "figures:\n  f: {v: number}\nsteps:\n  a: {calculate: aa, given: {brut: brut}, \
                   value: x, label: A}\n  x: {formula: a * f.v, label: X}\n";
    add("cc/method.yaml", method("cc", calling));
    add(
        "cc/2026-01-01.yaml",
        scale("f: {v: 1, source: s, reviewed: Essai}", ""),
    );

    let loaded = Loader::new().load_service_files(&FileSet::from_texts(files));
    loaded
        .rules
        .unwrap_or_else(|| panic!("{:?}", loaded.report))
}

/// The answer of a folder to 10 on a day, or its refusal.
fn answered(rules: &Rules, folder: &str, day: Date) -> String {
    let day = day.to_string();
    let query = Query::from([("brut", "10"), ("date", day.as_str())]);
    let calculation = rules.folder(folder).unwrap().calculate(&query, Date::MIN);
    match calculation {
        Ok(found) => found.field("x").unwrap().number().unwrap().to_string(),
        Err(CalculationError::Refused(refusal)) => {
            let bad = &refusal.parameters[0];
            format!("{} {}: {}", bad.name, bad.code.as_str(), bad.reason.fr)
        }
        Err(fault) => panic!("{fault}"),
    }
}

const LAST: Date = date(2026, 6, 30);
const NEXT: Date = date(2026, 7, 1);
const LATER: Date = date(2026, 9, 1);

#[test]
fn what_is_taken_from_a_scale_ends_with_it() {
    let ended = rules(&[("2026-01-01", "until: 2026-06-30\n")]);
    for folder in ["aa", "bb"] {
        assert_eq!(answered(&ended, folder, LAST), "20");
        let refused = answered(&ended, folder, NEXT);
        assert!(refused.starts_with("date sans_bareme: "), "{refused}");
        assert!(refused.contains("30 juin 2026"), "{refused}");
    }
    assert_eq!(answered(&ended, "cc", LAST), "20");
    let refused = answered(&ended, "cc", NEXT);
    assert!(refused.starts_with("date "), "{refused}");
    assert!(refused.contains("« A »"), "{refused}");
}

#[test]
fn a_scale_that_follows_at_once_ends_nothing() {
    let followed = rules(&[("2026-01-01", "until: 2026-06-30\n"), ("2026-07-01", "")]);
    for folder in ["aa", "bb", "cc"] {
        assert_eq!(answered(&followed, folder, LAST), "20");
        assert_eq!(answered(&followed, folder, NEXT), "30");
    }
}

#[test]
fn a_scale_that_follows_later_leaves_days_without_answers() {
    let gap = rules(&[("2026-01-01", "until: 2026-06-30\n"), ("2026-09-01", "")]);
    for folder in ["aa", "bb", "cc"] {
        assert_eq!(answered(&gap, folder, LAST), "20");
        assert!(
            answered(&gap, folder, NEXT).starts_with("date "),
            "{folder}"
        );
        assert_eq!(answered(&gap, folder, LATER), "30");
    }
}
