//! The version of an answer names the law that was used: what nobody computes with leaves it as it
//! is, and each figure and step changes it, for the days that it is of.

#![cfg(test)]

mod common;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use bareme_engine::jiff::civil::{Date, date};
use bareme_engine::{FileSet, Loader};

/// Folders of one file a year and of several, alone and with others that they calculate.
const FOLDERS: [&str; 5] = ["ir", "salaire-net/ma", "salaire", "foyer", "independant"];

static FILES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let files = FileSet::read(&common::root().join("rules"));
    let texts = files.texts();
    texts
        .map(|(path, text)| (path.to_owned(), text.to_owned()))
        .collect()
});

/// The versions of a folder by the first day of their editions, with some files changed; `None`
/// where these have errors.
fn versions(
    folder: &str,
    change: impl Fn(&str, &str) -> Option<String>,
) -> Option<BTreeMap<Date, Vec<String>>> {
    let files = FILES.iter().map(|(path, text)| {
        let changed = change(path, text).unwrap_or_else(|| text.clone());
        (path.clone(), changed)
    });
    let files = FileSet::from_texts(files).with_called(folder);

    let loaded = Loader::new()
        .without_cases()
        .only(&[folder])
        .load_files(&files);
    let rules = loaded.rules?;
    let found = rules.folder(folder)?;
    let starts = found
        .editions()
        .iter()
        .filter_map(|edition| edition.scale());
    let days = starts.flat_map(|scale| [scale.date, scale.date.last_of_year()]);

    let mut versions = BTreeMap::new();
    for day in days {
        let version = found.edition(day).unwrap().version().to_owned();
        versions.entry(day).or_insert_with(Vec::new).push(version);
    }
    Some(versions)
}

fn unchanged(folder: &str) -> BTreeMap<Date, Vec<String>> {
    versions(folder, |_, _| None).unwrap()
}

#[test]
fn what_nobody_computes_with_changes_no_version() {
    for folder in FOLDERS {
        let before = unchanged(folder);
        let changed = versions(folder, |path, text| {
            let is_cases = path.ends_with("cases.yaml");
            let text = if is_cases {
                text.replace("  - {case:", "  -  {case:")
            } else {
                // Thousands without their spaces, another layout of the texts, a note.
                let text = text.replace("14 426", "14426").replace(": {", ":  {");
                text.replace("note: \"", "note: \"Relu. ")
            };
            Some(format!("# Commentaire.\n{text}\n# Fin.\n"))
        });
        assert_eq!(changed.as_ref(), Some(&before), "{folder}");
    }
}

#[test]
fn the_day_until_which_a_scale_is_known_is_no_law() {
    let later = |path: &str, text: &str| {
        let own = text
            .lines()
            .filter(|line| !line.starts_with("known_until:"));
        let text = own.collect::<Vec<_>>().join("\n");
        path.ends_with("/2026-01-01.yaml")
            .then(|| text.replacen("\nfigures:", "\nknown_until: 2028-12-31\nfigures:", 1))
    };
    for folder in ["ir", "salaire-net/ma"] {
        assert_eq!(versions(folder, later), Some(unchanged(folder)), "{folder}");
    }
}

#[test]
fn each_figure_changes_the_version_of_its_days_and_no_other() {
    for folder in FOLDERS {
        let before = unchanged(folder);
        let path = format!("{folder}/2026-01-01.yaml");
        let text = &FILES.iter().find(|(known, _)| *known == path).unwrap().1;
        let figures = text.find("\nfigures:").unwrap();

        let mut noticed = 0;
        for place in numbers(text, figures) {
            let mut bytes = text.clone().into_bytes();
            bytes[place] = if bytes[place] == b'9' {
                b'8'
            } else {
                bytes[place] + 1
            };
            let mutated = String::from_utf8(bytes).unwrap();

            let change = |known: &str, _: &str| (known == path).then(|| mutated.clone());
            // A figure out of order is refused: nobody is answered by it.
            let Some(after) = versions(folder, change) else {
                continue;
            };
            noticed += 1;
            for (day, versions) in &before {
                let is_of_file = *day >= date(2026, 1, 1) && *day < next_start(&before);
                assert_eq!(
                    after[day] != *versions,
                    is_of_file,
                    "{path}, byte {place}, {day}"
                );
            }
        }
        assert!(noticed > 3, "{folder}: {noticed}");
    }
}

/// The first day of the next file after that of 1 January 2026.
fn next_start(versions: &BTreeMap<Date, Vec<String>>) -> Date {
    let later = versions
        .keys()
        .filter(|day| **day > date(2026, 1, 1) && day.day() == 1);
    later.copied().min().unwrap_or(Date::MAX)
}

/// The places of the last digits of numbers after a place, each third of them: of amounts and
/// rates, not of names, texts and days.
fn numbers(text: &str, from: usize) -> Vec<usize> {
    let mut places = Vec::new();
    let mut start = from;
    for line in text[from..].split_inclusive('\n') {
        // A quoted text ends the numbers of its line; a comment is none.
        let code = line.split(['"', '#']).next().unwrap_or_default();
        let bytes = code.as_bytes();
        for at in 2..bytes.len() {
            let ends = bytes.get(at + 1).is_none_or(|next| b",}%\n".contains(next));
            let begins = code[..at].rfind(':').is_some_and(|colon| {
                code[colon + 1..at]
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || b" .".contains(&byte))
            });
            if bytes[at].is_ascii_digit() && ends && begins {
                places.push(start + at);
            }
        }
        start += line.len();
    }
    places.into_iter().step_by(3).collect()
}

#[test]
fn a_step_changes_the_version_of_all_days_of_its_method_and_of_whoever_calculates_it() {
    let change = |path: &str, text: &str| {
        (path == "ir/method.yaml").then(|| {
            let changed = text.replacen(
                "{formula: 2 * (parts - reference)",
                "{formula: 3 * (parts - reference)",
                1,
            );
            assert_ne!(changed, text);
            changed
        })
    };
    for folder in ["ir", "foyer", "dividendes"] {
        let (before, after) = (unchanged(folder), versions(folder, change).unwrap());
        assert_eq!(before.len(), after.len());
        for (day, versions) in &before {
            assert_ne!(after[day], *versions, "{folder}, {day}");
        }
    }
}

#[test]
fn a_shared_figure_changes_the_version_of_whoever_takes_it() {
    let change = |path: &str, text: &str| {
        (path == "plafond-securite-sociale/2026-01-01.yaml").then(|| {
            let changed = text.replace("4 005", "4 006");
            assert_ne!(changed, text);
            changed
        })
    };
    let (before, after) = (unchanged("salaire"), versions("salaire", change).unwrap());
    for (day, versions) in &before {
        assert_eq!(after[day] != *versions, day.year() == 2026, "{day}");
    }
}
