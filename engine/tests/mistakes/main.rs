//! Wrong law that is well-formed: edits of the dated files of the project, as hands make them, and
//! what `check` says of each.
//!
//! A table of `tables/` has sections and rows. `## ir/2026-01-01` edits that file,
//! `## ir/2026-01-01 => 2027-01-01` a new file that is copied from it as `bareme new` does (its
//! title has its own year, and what is known of it is not said), and
//! `## … => 2026-12-20 then 2027-01-01` one between that file and another copy of it, of which the
//! codes are those. A row is `code
//! | text | text in its place | what the mistake is`; `\n` is a line end. The code must come with the edit and not without it; a
//! row of `unseen` says why nothing can be said, and nothing may be.

#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bareme_engine::set::lint;
use bareme_engine::{Diagnostic, FileSet, Loader};
use jiff::civil::{Date, date};

/// The day of the checks: the next year is being prepared.
const TODAY: Date = date(2026, 12, 1);

/// Fewer rows do not show what `check` sees.
const FEWEST: usize = 170;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules")
}

/// The file that is edited, and the copy of it in which the edit shows.
struct Section {
    folder: String,
    from: String,
    /// The day of the copy that is edited.
    to: Option<String>,
    /// The day of the copy that follows it.
    then: Option<String>,
}

impl Section {
    fn read(header: &str) -> Self {
        let (from, rest) = header
            .split_once(" => ")
            .map_or((header, None), |(from, rest)| (from, Some(rest)));
        let (folder, from) = from.rsplit_once('/').unwrap();
        let (to, then) = rest.map_or((None, None), |rest| match rest.split_once(" then ") {
            Some((to, then)) => (Some(to), Some(then)),
            None => (Some(rest), None),
        });
        let [to, then] = [to, then].map(|day| day.map(str::to_owned));
        Self {
            folder: folder.to_owned(),
            from: from.to_owned(),
            to,
            then,
        }
    }

    fn path(&self, day: &str) -> String {
        format!("{}/{day}.yaml", self.folder)
    }

    /// The path of the file that is edited, and of that of which the codes are looked at.
    fn paths(&self) -> (String, String) {
        let edited = self.to.as_ref().unwrap_or(&self.from);
        (
            self.path(edited),
            self.path(self.then.as_ref().unwrap_or(edited)),
        )
    }

    /// The files of the folder, with the copies, and of those whose figures it takes.
    fn files(&self) -> BTreeMap<String, String> {
        let mut files = files_of(&self.folder);
        for folder in taken_from(&files) {
            files.extend(files_of(&folder));
        }

        for day in [&self.to, &self.then].into_iter().flatten() {
            let text = copied(&files[&self.path(&self.from)], &self.from[..4], &day[..4]);
            files.insert(self.path(day), text);
        }
        files
    }
}

/// The rule files of a folder.
fn files_of(folder: &str) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(root().join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let yaml = entries.filter(|path| path.extension().is_some_and(|end| end == "yaml"));
    yaml.map(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        (format!("{folder}/{name}"), text)
    })
    .collect()
}

/// The folders whose figures the methods among some files take.
fn taken_from(files: &BTreeMap<String, String>) -> BTreeSet<String> {
    let texts = files
        .values()
        .flat_map(|text| text.split("taken_from: ").skip(1));
    let path = |rest: &str| rest.split([',', '}']).next().unwrap().trim().to_owned();
    texts.map(path).collect()
}

/// A dated file copied for another year.
fn copied(text: &str, year: &str, new: &str) -> String {
    let is_dropped = |line: &&str| {
        ["until:", "known_until:", "checked:"]
            .iter()
            .any(|key| line.starts_with(key))
    };
    let lines = text.lines().filter(|line| !is_dropped(line));
    let lines = lines.map(|line| {
        if line.starts_with("title:") {
            line.replace(year, new)
        } else {
            line.to_owned()
        }
    });
    lines.map(|line| line + "\n").collect()
}

/// The codes of what is said of a file, and of the worked cases: one that fails shows a wrong
/// figure too. A year to come has none yet.
fn codes(files: &BTreeMap<String, String>, section: &Section) -> Vec<String> {
    let (_, path) = section.paths();
    let files = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()));
    let loader = if section.to.is_some() {
        Loader::new().without_cases()
    } else {
        Loader::new()
    };
    let loaded = loader.load_files(&FileSet::from_texts(files));
    let advice = loaded
        .rules
        .as_ref()
        .map(|rules| lint(rules, TODAY))
        .unwrap_or_default();
    let is_of_it =
        |found: &&Diagnostic| found.file() == path || found.file().ends_with("cases.yaml");
    loaded
        .report
        .all()
        .chain(advice.all())
        .filter(is_of_it)
        .map(|found| found.code().to_owned())
        .collect()
}

/// Checks the rows of a table; those that are wrong, and how many there are.
fn check(table: &Path) -> (Vec<String>, usize) {
    let text = std::fs::read_to_string(table).unwrap();
    let (mut wrong, mut count) = (Vec::new(), 0);
    let mut section = None;
    for line in text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("# "))
    {
        if let Some(header) = line.strip_prefix("## ") {
            let read = Section::read(header);
            let files = read.files();
            let usual = codes(&files, &read);
            section = Some((header, read, files, usual));
            continue;
        }
        let (header, section, files, usual) = section.as_ref().unwrap();
        let parts: Vec<String> = line
            .split(" | ")
            .map(|part| part.replace("\\n", "\n"))
            .collect();
        let [code, find, put, what] = parts.as_slice() else {
            panic!("{line}")
        };
        let (edited, _) = section.paths();
        let mut files = files.clone();
        let text = &files[&edited];
        assert!(
            text.contains(find.as_str()),
            "{header}: `{find}` is not in {edited}"
        );
        files.insert(edited, text.replacen(find.as_str(), put, 1));
        let found = codes(&files, section);
        let often = |codes: &[String]| codes.iter().filter(|known| *known == code).count();
        let new: Vec<&String> = found.iter().filter(|code| !usual.contains(code)).collect();
        let is_right = if code == "unseen" {
            new.is_empty()
        } else {
            often(&found) > often(usual)
        };
        if !is_right {
            wrong.push(format!(
                "{header} | {what}: {code} expected, {found:?} said, {usual:?} without the edit"
            ));
        }
        count += 1;
    }
    (wrong, count)
}

#[test]
fn wrong_law_that_is_well_formed_is_seen() {
    let tables =
        std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes/tables"))
            .unwrap();
    let tables: Vec<PathBuf> = tables.map(|entry| entry.unwrap().path()).collect();
    let checked: Vec<(Vec<String>, usize)> = std::thread::scope(|scope| {
        let running: Vec<_> = tables
            .iter()
            .map(|table| scope.spawn(|| check(table)))
            .collect();
        running
            .into_iter()
            .map(|table| table.join().unwrap())
            .collect()
    });
    let wrong: Vec<&String> = checked.iter().flat_map(|(wrong, _)| wrong).collect();
    let count: usize = checked.iter().map(|(_, count)| count).sum();
    assert!(wrong.is_empty(), "{} of {count}:\n{wrong:#?}", wrong.len());
    assert!(count >= FEWEST, "{count} rows");
}
