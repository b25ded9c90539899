//! Record of checked folders, so that the next start need not check the same files again.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jiff::civil::Date;
use sha2::{Digest as _, Sha256};

use crate::run::folder::Checks;
use crate::run::rules::{Digest, Rules};

/// Version of the engine and a digest of its sources: another build may read the same files differently.
pub(crate) const PROGRAM: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("BAREME_SOURCES"));

/// First line of the text.
const FORMAT: &str = "bareme-checked/1";

/// Folders that were fully checked, cases included, by this build of the engine on one day.
///
/// A folder is identified by the SHA-256 of its files. The record is stored as a text that ends with its own digest:
/// a truncated or damaged one counts as empty.
///
/// ```
/// use bareme_engine::Loader;
/// use bareme_engine::set::CheckRecord;
/// use jiff::civil::date;
///
/// let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// let day = date(2026, 3, 31);
/// let rules = Loader::new().load(root).rules.ok_or("the rules have errors")?;
/// let text = CheckRecord::from_rules(&rules, day).to_text();
///
/// let again = Loader::new().trusting(&CheckRecord::read(&text, day)).load(root).rules.ok_or("the rules have errors")?;
/// assert!(again.folders().all(|folder| folder.is_trusted()));
/// let tomorrow = CheckRecord::read(&text, date(2026, 4, 1));
/// let again = Loader::new().trusting(&tomorrow).load(root).rules.ok_or("the rules have errors")?;
/// assert!(!again.folders().any(|folder| folder.is_trusted()));
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CheckRecord {
    day: Date,
    /// Digest of the files of each folder, by path.
    folders: BTreeMap<String, String>,
}

impl CheckRecord {
    /// The fully checked folders of a rule set, on a day.
    pub fn from_rules(rules: &Rules, day: Date) -> Self {
        let checked = rules.folders.values().filter(|folder| folder.checks == Checks::Whole);
        let folders = checked.map(|folder| (folder.path.clone(), hexadecimal(folder.content)));
        Self { day, folders: folders.collect() }
    }

    /// Parses a record; empty unless this build wrote it, whole and on this day.
    pub fn read(text: &str, day: Date) -> Self {
        let folders = Self::folders_in(text, day).unwrap_or_default();
        Self { day, folders }
    }

    fn folders_in(text: &str, day: Date) -> Option<BTreeMap<String, String>> {
        let (lines, end) = text.strip_suffix('\n')?.rsplit_once('\n')?;
        let lines = lines.strip_prefix(&head(day)).filter(|_| end == end_of(lines))?;
        let folder = |line: &str| line.split_once(' ').map(|(content, path)| (path.to_owned(), content.to_owned()));
        lines.split_terminator('\n').map(folder).collect()
    }

    /// The text of the record, which [`read`](Self::read) parses.
    pub fn to_text(&self) -> String {
        let mut text = head(self.day);
        for (path, content) in &self.folders {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{content} {path}");
        }
        let end = end_of(text.trim_end_matches('\n'));
        text + &end + "\n"
    }

    /// The number of folders.
    pub fn count(&self) -> usize {
        self.folders.len()
    }

    pub(crate) fn holds(&self, path: &str, content: Digest) -> bool {
        self.folders.get(path).is_some_and(|known| *known == hexadecimal(content))
    }
}

fn head(day: Date) -> String {
    format!("{FORMAT}\n{PROGRAM}\n{day}\n")
}

/// The last line of a record, from the lines before it.
fn end_of(lines: &str) -> String {
    hexadecimal(Sha256::digest(lines).into())
}

fn hexadecimal(digest: Digest) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::set::load::Loader;
    use crate::testing::{scale, set, whole};

    const DAY: Date = date(2026, 3, 31);

    /// The paths of the folders loaded without checks, given the text of a record.
    fn trusted(text: &str, day: Date, files: &[(&'static str, String)]) -> Vec<String> {
        let checked = CheckRecord::read(text, day);
        let rules = Loader::new().trusting(&checked).load(set(files).path()).rules.unwrap();
        rules.folders().filter(|folder| folder.is_trusted()).map(|folder| folder.path().to_owned()).collect()
    }

    fn remembered() -> String {
        CheckRecord::from_rules(&Loader::new().load(set(&whole()).path()).rules.unwrap(), DAY).to_text()
    }

    #[test]
    fn the_same_files_the_same_day_are_trusted() {
        assert_eq!(trusted(&remembered(), DAY, &whole()), ["famille/aa", "zz"]);
        assert_eq!(trusted(&remembered(), date(2026, 4, 1), &whole()), Vec::<String>::new());
    }

    #[test]
    fn a_folder_with_another_byte_is_checked_again_alone() {
        let mut files = whole();
        files.iter_mut().filter(|(path, _)| *path == "zz/2026-01-01.yaml").for_each(|(_, text)| text.push('\n'));
        assert_eq!(trusted(&remembered(), DAY, &files), ["famille/aa"]);
    }

    #[test]
    fn a_text_of_another_program_or_with_a_change_or_cut_off_remembers_nothing() {
        let text = remembered();
        assert_eq!(CheckRecord::read(&text, DAY).count(), 2);
        let (known, _) = PROGRAM.split_once('+').unwrap();
        let other = text.replacen(PROGRAM, &format!("{known}+0000000000000000"), 1);
        let (lines, _) = other.trim_end().rsplit_once('\n').unwrap();
        let signed = format!("{lines}\n{}\n", end_of(lines));
        let changed = text.replacen("zz", "zy", 1);
        for (what, text) in [("program", other), ("program, whole", signed), ("path", changed)] {
            assert_eq!(CheckRecord::read(&text, DAY).count(), 0, "{what}");
        }
        for end in 0..text.len() {
            assert_eq!(CheckRecord::read(&text[..end], DAY).count(), 0, "cut off after {end} bytes");
        }
        assert_eq!(CheckRecord::read(&format!("{text}{text}"), DAY).count(), 0);
        assert_eq!(CheckRecord::read("\u{0}\n\n\n", DAY).count(), 0);
    }

    #[test]
    fn only_what_was_checked_as_a_whole_is_remembered() {
        let root = set(&whole());
        let count = |loader: Loader| CheckRecord::from_rules(&loader.load(root.path()).rules.unwrap(), DAY).count();
        let checked = CheckRecord::read(&remembered(), DAY);
        assert_eq!(count(Loader::new()), 2);
        assert_eq!(count(Loader::new().without_cases()), 0);
        assert_eq!(count(Loader::new().trusting(&checked)), 0);
    }

    #[test]
    fn what_was_wrongly_remembered_is_found_by_the_reading_after() {
        let mut files = whole();
        let case = "format: bareme/1\ncases:\n  - {name: C, date: 2026-01-01, given: {brut: 50}, expect: {x: 6}, origin: {kind: hand}}\n";
        files.push(("zz/cases.yaml", case.to_owned()));
        let root = set(&files);
        let content = crate::set::FileSet::read(root.path()).folders["zz"].content();
        let forged = CheckRecord { day: DAY, folders: BTreeMap::from([("zz".to_owned(), hexadecimal(content))]) };
        let loader = Loader::new().trusting(&forged);
        let served = loader.load(root.path()).rules.unwrap();
        assert!(served.folder("zz").unwrap().is_trusted());
        let after = Loader::new().reusing(&served).load(root.path());
        assert_eq!(after.report.errors().map(|error| error.code()).collect::<Vec<_>>(), ["C01"]);
    }

    #[test]
    fn what_cannot_be_compiled_is_reported_whatever_is_remembered() {
        let mut files = whole();
        files.retain(|(path, _)| *path != "zz/2026-01-01.yaml");
        files.push(("zz/2026-01-01.yaml", scale("  g: {v: 10%, source: s}")));
        let root = set(&files);
        let content = crate::set::FileSet::read(root.path()).folders["zz"].content();
        let forged = CheckRecord { day: DAY, folders: BTreeMap::from([("zz".to_owned(), hexadecimal(content))]) };
        let codes = |loader: Loader| {
            let report = loader.load(root.path()).report;
            report.errors().map(|error| error.code()).collect::<Vec<_>>()
        };
        assert_eq!(codes(Loader::new().trusting(&forged)), codes(Loader::new()));
        assert!(!codes(Loader::new()).is_empty());
    }
}
