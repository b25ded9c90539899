//! Random rule sets: known ones whose numbers, operators and words are replaced at random, and
//! generated ones. Both evaluators must give the same answers by every set that the engine accepts.
//!
//! The suite draws the same sets in every run; `BAREME_FUZZ_SECONDS=600` goes on for ten minutes,
//! `BAREME_FUZZ_SEED=7` draws others.

use std::path::Path;
use std::time::{Duration, Instant};

use bareme_engine::law::Drafts;
use bareme_engine::{FileSet, Loader};

use crate::common::{self, conformance};
use crate::draw::{self, Random};
use crate::generated::rule_set;
use crate::rule_folder::read_folder;
use crate::{calculated, day, difference};

/// Sets drawn of each origin, at least.
const SETS: usize = 80;

/// Queries for each scale of a set.
const QUERIES: usize = 6;

/// Minimum number of accepted sets of each origin: fewer show nothing.
const MIN_ACCEPTED: usize = 10;

/// Words that may replace each other.
const ALIKE: [&[&str]; 12] = [
    &["+", "-", "*", "/"],
    &["<", "<=", ">", ">=", "=", "!="],
    &["and", "or"],
    &["true", "false"],
    &["min", "max"],
    &["annual", "monthly"],
    &["up_to", "below"],
    &["over", "from"],
    &["half_up", "down", "up"],
    &["brut", "n", "pension", "net"],
    &["nord", "sud", "est"],
    &["rate", "ceiling"],
];

const NUMBERS: [&str; 16] = [
    "0", "1", "2", "3", "7", "12", "0.5", "0.25", "1.1", "99.995", "1000", "3 333.33", "1/3",
    "0.01", "100 000", "0.000001",
];

/// A rule set: the texts of its files, by their paths.
pub(crate) type Files = Vec<(String, String)>;

/// The sets to mutate: the cases of each kind, modifier and function, the made-up scales, and some
/// of the law.
fn known() -> Vec<Files> {
    let mut known = Vec::new();
    conformance::each(|case| {
        // Years of pays are compared elsewhere; and loans, since one of an amount below zero has no
        // effective rate.
        let is_year = || {
            case.asks()
                .iter()
                .any(|(query, _)| conformance::is_year(query))
        };
        let is_loan = || {
            case.text("steps")
                .is_some_and(|steps| steps.contains("loan:"))
        };
        if case.errors().is_none() && !is_year() && !is_loan() {
            known.push(
                case.files()
                    .into_iter()
                    .filter(|(path, _)| path != "service.yaml")
                    .collect(),
            );
        }
    });
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/naive/rules");
    let law = common::root().join("rules");

    for (root, folder) in [
        (&own, "days"),
        (&own, "options"),
        (&law, "tva"),
        (&law, "ir"),
        (&law, "salaire-net/mr"),
    ] {
        let files = common::yaml_files(&root.join(folder)).into_iter();
        let files = files
            .filter(|path| !path.ends_with("cases.yaml"))
            .map(|path| {
                let text = std::fs::read_to_string(root.join(folder).join(&path)).unwrap();
                (format!("{folder}/{}", path.display()), text)
            });
        known.push(files.collect());
    }

    known
}

/// Splits a text into words, numbers, and what stands between them.
fn pieces(text: &str) -> Vec<&str> {
    let kind = |letter: char| match letter {
        // A point, a sign of percent and a hyphen belong to what they stand in: `12.5%`,
        // `2026-01-01`.
        _ if letter.is_alphanumeric() || "_.%-".contains(letter) => 0,
        '<' | '>' | '=' | '!' => 1,
        _ => 2,
    };

    let mut pieces = Vec::new();
    let mut start = 0;

    for (at, letter) in text.char_indices().skip(1) {
        let before = text[..at].chars().next_back().unwrap();
        if kind(before) != kind(letter) || kind(letter) == 2 {
            pieces.push(&text[start..at]);
            start = at;
        }
    }

    pieces.push(&text[start..]);
    pieces
}

/// A random replacement of a piece; `None` where it stays.
fn other(piece: &str, random: &mut Random) -> Option<String> {
    let is_number = piece.starts_with(|first: char| first.is_ascii_digit()) && !piece.contains('-');
    if is_number
        && piece
            .trim_end_matches('%')
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        let number = random.pick(&NUMBERS);
        return Some(if piece.ends_with('%') {
            format!("{}%", number.replace("1/3", "33"))
        } else {
            (*number).to_owned()
        });
    }

    let alike = ALIKE.iter().find(|alike| alike.contains(&piece))?;
    Some((*random.pick(alike)).to_owned())
}

/// Replaces some pieces of a set.
fn mutated(files: &Files, random: &mut Random) -> Files {
    let mut files = files.clone();
    for _ in 0..=random.below(4) {
        let count = files.len() as u64;
        let (_, text) = &mut files[random.below(count) as usize];
        // The first lines say what the file is, and the sources are no law.
        let from = ["\ninputs:", "\nfigures:"]
            .iter()
            .filter_map(|key| text.find(key))
            .min()
            .unwrap_or_default();
        let (head, body) = text.split_at(from);
        let mut pieces: Vec<String> = pieces(body).into_iter().map(str::to_owned).collect();
        let places: Vec<usize> = (0..pieces.len())
            .filter(|at| other(&pieces[*at], &mut Random(0)).is_some())
            .collect();
        if places.is_empty() {
            continue;
        }
        let place = *random.pick(&places);
        pieces[place] = other(&pieces[place], random).unwrap();
        *text = head.to_owned() + &pieces.concat();
    }

    files
}

/// Compares the answers to some queries by each scale of a set; returns the number of answers, 0
/// for a refused set.
fn compare(files: &Files, random: &mut Random) -> usize {
    let loader = || Loader::new().drafts(Drafts::Included);
    let texts = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()));
    let Some(rules) = loader().load_files(&FileSet::from_texts(texts)).rules else {
        return 0;
    };

    let root = common::written(files.iter().cloned());
    let folder = rules.folders().next().unwrap();
    let laws = read_folder(&root.path().join(folder.path()));
    let mut count = 0;

    for (index, law) in laws.iter().enumerate() {
        let edges = draw::edges(law);
        for _ in 0..QUERIES {
            let (mut query, when) = day(law, laws.get(index + 1), random);
            query.extend(draw::query(law, &edges, random));
            // A check that divides by zero is a fault of the rules, which no query brings about.
            let Ok(engine) = calculated(folder, &query) else {
                continue;
            };
            // Only the engine refuses what overflows a decimal: fractions have no limit.
            let is_beyond =
                |refused: &Vec<_>| refused.iter().any(|(_, code)| *code == "non_calculable");
            if engine.as_ref().is_err_and(is_beyond) {
                continue;
            }
            if let Some(difference) = difference(law, &query, when, &engine) {
                let files: String = files
                    .iter()
                    .map(|(path, text)| format!("== {path}\n{text}\n"))
                    .collect();
                panic!("{files}\n{query:?}, engine and naive evaluator:\n{difference}");
            }
            count += 1;
        }
    }

    count
}

/// Numbers of sets drawn and accepted, and of answers compared, of one origin.
#[derive(Debug, Default)]
struct Tally {
    drawn: usize,
    accepted: usize,
    answers: usize,
}

#[test]
fn both_evaluators_agree_on_random_rule_sets() {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().expect(name))
    };

    let (seconds, seed) = (
        number("BAREME_FUZZ_SECONDS", 0),
        number("BAREME_FUZZ_SEED", 2026),
    );
    let (known, mut random, start) = (known(), Random(seed), Instant::now());
    let mut tallies = [Tally::default(), Tally::default()];

    while tallies[0].drawn < SETS || start.elapsed() < Duration::from_secs(seconds) {
        for (origin, tally) in tallies.iter_mut().enumerate() {
            let files = if origin == 0 {
                mutated(random.pick(&known), &mut random)
            } else {
                rule_set(&mut random)
            };
            let answers = compare(&files, &mut random);
            tally.drawn += 1;
            tally.accepted += usize::from(answers > 0);
            tally.answers += answers;
        }
    }

    println!(
        "mutated and generated rule sets in {} s, seed {seed}: {tallies:?}",
        start.elapsed().as_secs()
    );
    assert!(
        tallies.iter().all(|tally| tally.accepted >= MIN_ACCEPTED),
        "{tallies:?}"
    );
}
