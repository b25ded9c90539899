//! Any bytes as a rule file of each kind: accepted, or refused with the place, the cause and the
//! cure of each problem.
//!
//! The first byte of an input is the folder of the file.

use std::path::Path;
use std::sync::OnceLock;

use bareme_engine::law::Presence;
use bareme_engine::service::Rules;
use bareme_engine::set::lint;
use bareme_engine::text::Rendering;
use bareme_engine::{FileSet, Lang, Loader, Query, Report};
use jiff::civil::{Date, date};

use crate::Target;

pub(crate) const METHOD: Target = Target {
    name: "method",
    seeds: || seeds("method.yaml"),
    tokens: &TOKENS,
    check: |bytes| check(bytes, "method.yaml"),
};
pub(crate) const SCALE: Target = Target {
    name: "scale",
    seeds: || seeds(SCALE_FILE),
    tokens: &TOKENS,
    check: |bytes| check(bytes, SCALE_FILE),
};
pub(crate) const CASES: Target = Target {
    name: "cases",
    seeds: || seeds("cases.yaml"),
    tokens: &TOKENS,
    check: |bytes| check(bytes, "cases.yaml"),
};
pub(crate) const SERVICE: Target = Target {
    name: "service",
    seeds: service_seeds,
    tokens: &TOKENS,
    check: check_service,
};

/// Stands for the name of the last dated file of a folder.
const SCALE_FILE: &str = "dated";

/// The day of the calculations.
const TODAY: Date = date(2026, 3, 31);

/// Folders that load quickly and use different parts of the language.
const FOLDERS: [&str; 8] = [
    "tva",
    "ir",
    "is",
    "bareme-kilometrique",
    "plus-value-immobiliere",
    "chomage",
    "parites",
    "salaire-net/mr",
];

/// Maximum length of a file of cases, which is cut after a case.
const CASES_LENGTH: usize = 4_000;

const TOKENS: [&str; 72] = [
    "",
    "\n",
    "\n  ",
    ": ",
    ":",
    "{",
    "}",
    "[",
    "]",
    "- ",
    "0",
    "-1",
    "99999999999999999999999999",
    "1/0",
    "1/3",
    "0%",
    "7%",
    "1 000",
    "1e5",
    "0.1.2",
    "2026-02-30",
    "brut",
    "rows:",
    "rows",
    "up_to: ",
    "below: ",
    "over: ",
    "from: ",
    "when: ",
    "if ",
    "then ",
    "else ",
    "max(",
    "min(",
    "given(",
    "power(",
    "ratio(",
    "year_to_date(",
    "; ",
    " and ",
    " or ",
    "not ",
    "\"",
    "'",
    "é",
    "\u{feff}",
    "\u{a0}",
    "\t",
    "*a",
    "&a ",
    "<<: ",
    "!!str ",
    "|",
    ">",
    "#",
    "null",
    "~",
    "true",
    "required: true",
    "optional ",
    "type: money",
    "key",
    "rate",
    "round: 0.01",
    "label: x",
    "source: ",
    "without: ",
    "state: draft",
    "until: ",
    "steps:",
    "figures:",
    "---\n",
];

/// The files of a folder: the method, its last dated file, the beginning of its cases.
struct Folder {
    name: &'static str,
    /// Paths and texts, by their names.
    files: Vec<(String, String)>,
}

fn folders() -> &'static [Folder] {
    static READ: OnceLock<Vec<Folder>> = OnceLock::new();
    READ.get_or_init(|| FOLDERS.iter().map(|name| read(name)).collect())
}

fn read(name: &'static str) -> Folder {
    let root = harness::repository().join("rules").join(name);
    let mut names: Vec<String> = root
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.retain(|name| name.starts_with("20") || name.starts_with("19"));
    names.sort();
    let is_draft = |file: &String| text(&root.join(file)).contains("state: draft");
    names.retain(|file| !is_draft(file));
    let dated = names.pop();
    let files = ["method.yaml".to_owned(), "cases.yaml".to_owned()]
        .into_iter()
        .chain(dated);
    let files = files.map(|file| {
        let mut text = text(&root.join(&file));
        if file == "cases.yaml" {
            let end = text
                .match_indices("\n  - ")
                .map(|(at, _)| at + 1)
                .take_while(|at| *at < CASES_LENGTH)
                .last();
            text.truncate(end.unwrap_or(text.len()));
        }
        (file, text)
    });
    Folder {
        name,
        files: files.collect(),
    }
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

impl Folder {
    /// The file of a kind.
    fn file(&self, kind: &str) -> Option<&(String, String)> {
        let is_meant = |name: &str| {
            name == kind || kind == SCALE_FILE && name.starts_with(|c: char| c.is_ascii_digit())
        };
        self.files.iter().find(|(name, _)| is_meant(name))
    }
}

fn seeds(kind: &str) -> Vec<Vec<u8>> {
    let seed = |(index, folder): (usize, &Folder)| {
        let (_, text) = folder.file(kind)?;
        Some([&[u8::try_from(index).unwrap()], text.as_bytes()].concat())
    };
    folders().iter().enumerate().filter_map(seed).collect()
}

fn check(bytes: &[u8], kind: &str) -> bool {
    let Some((first, written)) = bytes.split_first() else {
        return false;
    };
    let folder = &folders()[usize::from(*first) % FOLDERS.len()];
    let Some((changed, _)) = folder.file(kind) else {
        return false;
    };
    let is_read = |name: &str| name != "cases.yaml" || kind == "cases.yaml";
    let files = folder
        .files
        .iter()
        .filter(|(name, _)| is_read(name))
        .map(|(name, text)| {
            let bytes = if name == changed {
                written.to_vec()
            } else {
                text.clone().into_bytes()
            };
            (format!("{}/{name}", folder.name), bytes)
        });
    let set = FileSet::from_bytes(files);
    let loaded = Loader::new().load_files(&set);
    assert_eq!(loaded.rules.is_some(), loaded.report.is_ok());
    check_report(&loaded.report, &set);
    let Some(rules) = loaded.rules else {
        return false;
    };
    // The warnings and the answers of accepted rules may be anything but a panic.
    check_report(&lint(rules.folders(), TODAY), &set);
    for folder in rules.folders() {
        let inputs = folder.inputs();
        let all = inputs
            .iter()
            .map(|input| (input.name.clone(), "1".to_owned()))
            .collect::<Vec<_>>();
        let required = inputs
            .iter()
            .filter(|input| matches!(input.presence, Presence::Required));
        let required = required
            .map(|input| (input.name.clone(), "20000".to_owned()))
            .collect::<Vec<_>>();
        for query in [Query::from(&all), Query::from(&required), Query::default()] {
            drop(
                folder
                    .calculate(&query, TODAY)
                    .map(|answer| answer.to_json()),
            );
        }
    }
    true
}

/// Every problem has a place in a file, a cause and a cure.
pub(super) fn check_report(report: &Report, set: &FileSet) {
    for found in report.all() {
        let said = found.render(Rendering::new(Lang::En).within(100));
        assert!(
            !found.code().is_empty()
                && !found.message(Lang::Fr).is_empty()
                && !found.cure(Lang::Fr).is_empty(),
            "{said}"
        );
        drop(found.render(Rendering::new(Lang::Fr)));
        let place = (found.line(), found.column());
        let Some(text) = set.text(found.file()) else {
            // The file is missing or not UTF-8, or the problem concerns the whole folder.
            assert_eq!(place, (1, 1), "{said}");
            continue;
        };
        let lines = text.split('\n').count();
        assert!(
            place.0 >= 1 && place.0 <= lines,
            "line {} of {lines}: {said}",
            place.0
        );
        let letters = text.split('\n').nth(place.0 - 1).unwrap().chars().count();
        assert!(
            place.1 >= 1 && place.1 <= letters + 1,
            "column {} of {letters}: {said}",
            place.1
        );
    }
}

/// A service of two endpoints.
struct Small {
    /// The text of `service.yaml`.
    text: String,
    rules: Rules,
    /// Every file but the cases, by its path.
    files: Vec<(String, String)>,
}

fn small() -> &'static Small {
    static SMALL: OnceLock<Small> = OnceLock::new();
    SMALL.get_or_init(|| {
        let copy = harness::Rules::small();
        let read = FileSet::read(&copy.root());
        let rules = Loader::new()
            .without_cases()
            .load_service_files(&read)
            .rules
            .expect("the rules are right");
        let files = read
            .texts()
            .filter(|(path, _)| !path.ends_with("cases.yaml"));
        let files = files
            .map(|(path, text)| (path.to_owned(), text.to_owned()))
            .collect();
        Small {
            text: copy.read("service.yaml"),
            rules,
            files,
        }
    })
}

fn service_seeds() -> Vec<Vec<u8>> {
    let whole = harness::repository().join("rules/service.yaml");
    vec![
        small().text.clone().into_bytes(),
        std::fs::read(whole).unwrap(),
    ]
}

fn check_service(bytes: &[u8]) -> bool {
    let Small {
        rules: before,
        files,
        ..
    } = small();
    let text = |(path, text): &(String, String)| {
        (
            path.clone(),
            if path == "service.yaml" {
                bytes.to_vec()
            } else {
                text.clone().into_bytes()
            },
        )
    };
    let set = FileSet::from_bytes(files.iter().map(text));
    let loaded = Loader::new()
        .without_cases()
        .reusing(before)
        .load_service_files(&set);
    assert_eq!(loaded.rules.is_some(), loaded.report.is_ok());
    check_report(&loaded.report, &set);
    loaded.report.is_ok()
}
