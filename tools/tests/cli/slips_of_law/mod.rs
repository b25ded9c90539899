//! What a hand gets wrong in the rules of the project, and what becomes of it.
//!
//! Each slip is one edit of a shipped file: the last scale in force, a method, the cases, the
//! service. A slip is *stopped* where `bareme check` fails by what it knows (an error, or a doubt
//! that holds the folder back), *by a case* where only a worked case fails, *warned of* where a
//! warning is new, or it *passes*. The same seed draws the same slips.
//!
//! `BAREME_SLIPS=all cargo test --workspace --test cli slips_of_law -- --nocapture` draws six slips
//! of each kind in all folders, and names those that pass; the suite draws one, in small folders.
//! Both tables are beside this file. What passes in the long one, and why:
//!
//! - it says the same: no-break spaces, rows with keys in another order, a wider margin, lines of
//!   Windows, `0` for `0%`, a source that no figure cited, a last known day beyond that on which
//!   the law itself ends the scale;
//! - it is shown as it was written: typographic quotes around a title, which are an error where a
//!   comma follows in it;
//! - no case has that amount: `>=` for `>`, a limit, a rounding or a sign, where both words answer
//!   all cases the same; `bareme test --mutate` proposes a case for each;
//! - only the text knows: another date, or another source of the file, which nothing contradicts;
//! - whoever sells decides: what a plan allows, which endpoints a variant has, the name of the
//!   parameter that chooses a folder.

mod changes;
mod edits;
mod kinds;

use std::collections::{BTreeMap, BTreeSet};

use bareme_engine::run::Edition;
use bareme_engine::service::Rules;
use bareme_engine::set::lint;
use bareme_engine::{FileSet, Folder, Loader, Report};
use jiff::civil::Date;

use crate::common::root;
use kinds::{KINDS, Kind, Target};

/// The day of the checks.
const TODAY: Date = Date::constant(2026, 11, 1);
/// Slips of a kind in the long run.
const OF_EACH_KIND: usize = 6;
/// Folders of the short run, few and small.
const SMALL: [&str; 5] = [
    "donation",
    "frais-acquisition",
    "ifi",
    "salaire-net/ci",
    "succession",
];

/// A generator of numbers: the same seed gives the same ones.
pub(super) struct Draw(u64);

impl Draw {
    /// An index below a count; `None` where there is nothing to choose from.
    fn below(&mut self, count: usize) -> Option<usize> {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (count > 0).then(|| usize::try_from(self.0 >> 33).unwrap() % count)
    }

    pub(super) fn one<'a, T>(&mut self, choices: &'a [T]) -> Option<&'a T> {
        let index = self.below(choices.len())?;
        choices.get(index)
    }
}

/// What becomes of a slip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Stopped,
    ByCase,
    Warned,
    Passes,
}

/// The rules without a slip, once checked: for each slip its own folder is checked again.
struct Checked {
    files: FileSet,
    rules: Rules,
    report: Report,
    /// The folders in which slips are made; none: all.
    only: &'static [&'static str],
}

impl Checked {
    fn new(only: &'static [&'static str]) -> Self {
        let files = FileSet::read(&root().join("rules"));
        let loaded = Loader::new()
            .keeping_cases()
            .only(only)
            .load_service_files(&files);
        Self {
            files,
            rules: loaded.rules.unwrap(),
            report: loaded.report,
            only,
        }
    }

    /// The folders of dated files, in the order in which a draw takes them.
    fn folders(&self) -> Vec<&Folder> {
        let all = self.rules.folders().filter(|folder| folder.is_dated());
        let is_chosen =
            |folder: &&Folder| self.only.is_empty() || self.only.contains(&folder.path());
        all.filter(is_chosen).collect()
    }

    /// What is found in a folder, a number of each code; in the service, everywhere.
    fn warnings(
        &self,
        rules: &Rules,
        report: &Report,
        path: &str,
    ) -> BTreeMap<&'static str, usize> {
        let (folder, _) = path.rsplit_once('/').unwrap_or_default();
        let advice = lint(rules.folder(folder), TODAY);
        let mut counts = BTreeMap::new();
        let found = report.warnings().chain(advice.all());
        for one in found.filter(|one| one.file().starts_with(folder)) {
            *counts.entry(one.code()).or_default() += 1;
        }
        counts
    }

    /// The fate of a file with another text.
    fn fate(&self, path: &str, text: &str) -> Fate {
        let files = self.files.clone().with(path, text);
        let load = |loader: Loader| {
            let loader = loader.only(self.only).reusing(&self.rules);
            loader.load_service_files(&files)
        };
        let is_held = |rules: &Rules| {
            let mut folders = rules.folders();
            folders.any(|folder| folder.doubts().next().is_some())
        };

        // 1. What `check` knows by itself.
        let alone = load(Loader::new().without_cases());
        if alone.rules.as_ref().is_none_or(is_held) {
            return Fate::Stopped;
        }

        // 2. The cases.
        let whole = load(Loader::new().keeping_cases());
        let Some(rules) = &whole.rules else {
            return Fate::ByCase;
        };

        // 3. What is new in the warnings.
        let known = self.warnings(&self.rules, &self.report, path);
        let found = self.warnings(rules, &whole.report, path);
        let is_new =
            |(code, count): (&&str, &usize)| known.get(*code).is_none_or(|known| known < count);
        if found.iter().any(is_new) {
            Fate::Warned
        } else {
            Fate::Passes
        }
    }
}

impl Target {
    /// The file of a folder that slips of this kind are made in.
    fn path(self, folder: &Folder) -> Option<String> {
        let name = match self {
            Self::Service => return Some("service.yaml".to_owned()),
            Self::Method => "method.yaml".to_owned(),
            Self::Cases => "cases.yaml".to_owned(),
            Self::Scale => {
                let scales = folder.editions().iter().filter_map(Edition::scale);
                let last = scales
                    .map(|scale| scale.date)
                    .filter(|date| *date <= TODAY)
                    .max();
                format!("{}.yaml", last?)
            }
        };
        Some(format!("{}/{name}", folder.path()))
    }
}

/// The fates of the slips of a kind, each in another folder as far as there are enough.
fn drawn(kind: &Kind, rules: &Checked, count: usize, passed: &mut Vec<String>) -> Vec<Fate> {
    let folders = rules.folders();
    // The name seeds its kind: another kind before it draws nothing else.
    let seed = kind.name.bytes().fold(0xA1, |seed: u64, byte| {
        seed.wrapping_mul(31) + u64::from(byte)
    });
    let mut draw = Draw(seed);
    let (mut fates, mut made) = (Vec::new(), BTreeSet::new());

    for _ in 0..count * 40 {
        if fates.len() == count {
            break;
        }
        let folder = draw.one(&folders).unwrap();
        let Some(path) = kind.target.path(folder) else {
            continue;
        };
        let Some(text) = rules.files.text(&path) else {
            continue;
        };
        let Some(slipped) = kind.made(text, &mut draw) else {
            continue;
        };
        if slipped == text || !made.insert((path.clone(), slipped.clone())) {
            continue;
        }

        let fate = rules.fate(&path, &slipped);
        if fate == Fate::Passes {
            passed.push(format!(
                "{}: {path}: {}",
                kind.name,
                changed(text, &slipped)
            ));
        }
        fates.push(fate);
    }
    fates
}

/// The first line that differs, before and after.
fn changed(before: &str, after: &str) -> String {
    let mut pairs = before.lines().zip(after.lines());
    let (one, other) = pairs.find(|(one, other)| one != other).unwrap_or_default();
    format!("{} -> {}", one.trim(), other.trim())
}

/// The table of all kinds, and the slips that pass.
fn table(rules: &Checked, count: usize) -> (String, usize, Vec<String>) {
    let (mut lines, mut total, mut passed) = (Vec::new(), [0; 4], Vec::new());
    let line = |name: &str, counts: [usize; 4]| {
        let [stopped, by_case, warned, passes] = counts;
        format!("{name:<44}{stopped:>9}{by_case:>9}{warned:>9}{passes:>9}")
    };
    lines.push(format!(
        "{:<44}{:>9}{:>9}{:>9}{:>9}",
        "slip", "stopped", "by case", "warned", "passes"
    ));

    for kind in KINDS {
        let fates = drawn(kind, rules, count, &mut passed);
        let of = |fate: Fate| fates.iter().filter(|one| **one == fate).count();
        let counts = [Fate::Stopped, Fate::ByCase, Fate::Warned, Fate::Passes].map(of);
        for (sum, count) in total.iter_mut().zip(counts) {
            *sum += count;
        }
        lines.push(line(kind.name, counts));
    }

    lines.push(line("all", total));
    (lines.join("\n"), total.iter().sum(), passed)
}

fn assert_table(name: &str, table: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(root().join("tools/tests/cli/slips_of_law"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, table));
}

#[test]
fn slips_of_small_folders_have_the_fate_of_the_table() {
    let (table, made, _) = table(&Checked::new(&SMALL), 1);
    assert!(made > 50, "{made}");
    assert_table("small", &table);
}

/// In release it takes a minute, in a test build some.
#[test]
fn slips_of_all_folders_have_the_fate_of_the_table() {
    if std::env::var("BAREME_SLIPS").is_ok_and(|folders| folders == "all") {
        let (table, made, passed) = table(&Checked::new(&[]), OF_EACH_KIND);
        println!("{table}\n\n{}", passed.join("\n"));
        assert!(made >= 300, "{made}");
        assert_table("all", &table);
    }
}
