//! The files of a rule folder at one moment: their paths, their texts, and those that cannot be
//! read.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use sha2::{Digest as _, Sha256};

use crate::law::source::parse_date;
use crate::run::rules::Digest;
use crate::set::load::Uses;
use crate::set::stamp::Stamp;
use crate::set::walk::Walk;
use crate::text::diagnostic::{ROOT_PATH, folder_of};
use crate::text::limits::{FILE_MEGABYTES, Limit};
use crate::text::{Diagnostic, Lang, Place, Problem, Report, RuleFile};

/// The greatest depth of nested folders: `salaire-net/ci` is two.
pub(super) const MAX_DEPTH: usize = 4;

pub(super) const MEGABYTE: u64 = 1 << 20;

/// The end of the name of a picture.
pub(super) const PICTURE_END: &str = ".svg";

/// The files of a rule set at one moment: read below a folder, or given as texts.
///
/// ```
/// let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// let files = bareme_engine::FileSet::read(root);
/// assert!(files.paths().any(|path| path == "tva/method.yaml"));
/// // Changes with any byte of any file.
/// assert_eq!(files.fingerprint(), bareme_engine::FileSet::read(root).fingerprint());
/// ```
#[derive(Debug, Clone, Default)]
pub struct FileSet {
    pub(crate) root: FilesOfFolder,
    pub(crate) folders: BTreeMap<String, FilesOfFolder>,
    /// The state on disk of each file when it was read, by path; missing for a file that could
    /// change without its stamp changing.
    pub(super) stamps: HashMap<String, Stamp>,
    /// Folders with a file that was not read.
    pub(super) incomplete: BTreeSet<String>,
    /// Whether the set holds no rules, or exceeds a limit: nothing else is then reported.
    pub(crate) is_refused: bool,
    /// The problems of files that cannot be read.
    pub(crate) report: Report,
}

impl FileSet {
    /// Reads the files below a folder. Only regular files of a bounded size are opened, and no
    /// folder is entered twice, whatever links lead to it.
    pub fn read(root: &Path) -> Self {
        Walk::default().set(root)
    }

    /// Reads the files below a folder again. Files whose place on the disk, size and times are
    /// unchanged are taken from the earlier set.
    ///
    /// ```
    /// let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
    /// let files = bareme_engine::FileSet::read(root);
    /// let again = bareme_engine::FileSet::read_again(root, &files);
    /// assert_eq!(again.fingerprint(), files.fingerprint());
    /// ```
    pub fn read_again(root: &Path, before: &Self) -> Self {
        Walk::after(before).set(root)
    }

    /// Refuses a set that exceeded a limit at some path, or that holds no rules.
    pub(super) fn checked(mut self, exceeded: Option<(String, &'static Limit)>) -> Self {
        if let Some((path, limit)) = exceeded {
            self.refuse(&path, limit.problem());
        } else if self.folders.is_empty() {
            // A failure to read is reported instead: it says why there are none.
            self.is_refused = true;
            if self.report.is_ok() {
                self.refuse(ROOT_PATH, Problem::NoRules {});
            }
        }
        self
    }

    /// Makes one problem the only one reported of the set.
    fn refuse(&mut self, path: &str, problem: Problem) {
        // A set beyond a limit was read in part only: what else was found in it may not be true.
        self.is_refused = true;
        self.report = Report::default();
        self.report.error(&whole(path), problem);
    }

    /// Paths of the files, from the rule folder.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.all().map(|file| file.path())
    }

    /// The files, as pairs of path and text; [`from_texts`](Self::from_texts) makes the same set of
    /// these, if every file could be read.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.all().map(|file| (file.path(), file.text()))
    }

    /// Paths of the folders with files that were read, from the rule folder.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.folders
            .iter()
            .filter(|(_, files)| !files.is_empty())
            .map(|(path, _)| path.as_str())
    }

    /// The files of one folder and of those that it calculates, directly or not, with the problems
    /// of reading them: what has to be loaded to check a folder without the others.
    ///
    /// ```
    /// let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
    /// let files = bareme_engine::FileSet::read(root);
    /// let called = files.with_called("facture");
    /// assert_eq!(called.folders().collect::<Vec<_>>(), ["facture", "tva"]);
    /// ```
    #[must_use]
    pub fn with_called(&self, path: &str) -> Self {
        self.with_all_called(&[path])
    }

    /// The files of some folders and of those that they calculate, as
    /// [`with_called`](Self::with_called) does for one.
    #[must_use]
    pub fn with_all_called(&self, paths: &[&str]) -> Self {
        let uses = Uses::of(self);
        let mut all: BTreeSet<&str> = paths.iter().copied().collect();
        for path in paths {
            all.extend(uses.reached(path));
        }
        self.of_folders(&all)
    }

    /// The files of one folder, with the problems of reading them.
    ///
    /// ```
    /// let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
    /// let files = bareme_engine::FileSet::read(root);
    /// assert_eq!(files.of_folder("tva").folders().collect::<Vec<_>>(), ["tva"]);
    /// assert_eq!(files.of_folder("absent").folders().count(), 0);
    /// ```
    #[must_use]
    pub fn of_folder(&self, path: &str) -> Self {
        self.of_folders(&BTreeSet::from([path]))
    }

    fn of_folders(&self, paths: &BTreeSet<&str>) -> Self {
        let is_inside = |found: &Diagnostic| {
            paths.contains(found.file()) || paths.contains(folder_of(found.file()))
        };
        let is_named = |path: &String| paths.contains(path.as_str());
        let files = self.folders.iter().filter(|(path, _)| is_named(path));

        Self {
            folders: files
                .map(|(path, files)| (path.clone(), files.clone()))
                .collect(),
            incomplete: self
                .incomplete
                .iter()
                .filter(|path| is_named(path))
                .cloned()
                .collect(),
            is_refused: self.is_refused,
            report: self.report.only(is_inside),
            ..Self::default()
        }
    }

    /// The same set with the files that some folders had in an earlier one, where these are still in
    /// force; the empty path is that of the files outside of the folders.
    #[must_use]
    pub fn keeping<'p>(&self, folders: impl IntoIterator<Item = &'p str>, before: &Self) -> Self {
        let mut kept = self.clone();
        for path in folders {
            match (path, before.folders.get(path)) {
                ("", _) => kept.root = before.root.clone(),
                (_, Some(files)) => drop(kept.folders.insert(path.to_owned(), files.clone())),
                // It has never been in force.
                (_, None) => drop(kept.folders.remove(path)),
            }
        }
        kept
    }

    /// The text of a file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.file(path).map(|file| file.text())
    }

    /// Digest of the whole set, unreadable files included: it changes when anything changes.
    pub fn fingerprint(&self) -> [u8; 32] {
        let mut digest = Sha256::new();
        digest.update(self.root.content());
        self.folders
            .values()
            .for_each(|files| digest.update(files.content()));

        // A file that becomes unreadable changes no text, but changes the set. Each part is
        // preceded by its length, so that no two lists of parts give the same bytes.
        for reported in self.report.all() {
            for part in [
                reported.file(),
                reported.code(),
                &reported.message(Lang::En),
            ] {
                digest.update((part.len() as u64).to_be_bytes());
                digest.update(part);
            }
        }

        digest.finalize().into()
    }

    /// Paths of the files that this set has and another does not.
    pub fn missing_in<'f>(&'f self, other: &'f Self) -> impl Iterator<Item = &'f str> {
        let has = |path: &str| other.file(path).is_some();
        self.paths().filter(move |path| !has(path))
    }

    pub(super) fn file(&self, path: &str) -> Option<&Arc<RuleFile>> {
        let folder = folder_of(path);
        let files = if folder.is_empty() {
            Some(&self.root)
        } else {
            self.folders.get(folder)
        };
        let files = files?;

        files.get(files.binary_search_by(|file| file.path().cmp(path)).ok()?)
    }

    /// Whether every file of a folder was read; if not, a missing file must not be reported as
    /// missing.
    pub(crate) fn is_complete(&self, folder: &str) -> bool {
        !self.incomplete.contains(folder)
    }

    fn all(&self) -> impl Iterator<Item = &Arc<RuleFile>> {
        self.root
            .iter()
            .chain(self.folders.values().flat_map(|files| files.iter()))
    }
}

/// The files of a folder, by name, and the digest of their names and contents.
#[derive(Debug, Clone, Default)]
pub(crate) struct FilesOfFolder {
    files: Vec<Arc<RuleFile>>,
    content: OnceLock<Digest>,
}

impl FilesOfFolder {
    /// These files, in the order of their names.
    pub(crate) fn new(files: Vec<Arc<RuleFile>>) -> Self {
        Self {
            files,
            content: OnceLock::new(),
        }
    }

    /// Digest of their names and contents.
    pub(crate) fn content(&self) -> Digest {
        *self.content.get_or_init(|| digest(&self.files))
    }

    /// The same files; with the digest of an earlier state that has exactly these, if there is one.
    pub(super) fn same_as(self, before: Option<&Self>) -> Self {
        // Unchanged files are taken from the earlier set, so that comparing pointers suffices.
        let is_same = |before: &&Self| {
            before.len() == self.len()
                && before
                    .iter()
                    .zip(&self.files)
                    .all(|(old, new)| Arc::ptr_eq(old, new))
        };

        match before
            .filter(is_same)
            .and_then(|before| before.content.get())
        {
            Some(content) => Self {
                files: self.files,
                content: OnceLock::from(*content),
            },
            None => self,
        }
    }

    /// The files, for changes; forgets the digest.
    pub(super) fn change(&mut self) -> &mut Vec<Arc<RuleFile>> {
        self.content.take();
        &mut self.files
    }
}

impl Deref for FilesOfFolder {
    type Target = [Arc<RuleFile>];

    fn deref(&self) -> &Self::Target {
        &self.files
    }
}

/// SHA-256 of names and contents.
pub(crate) fn digest<'f>(files: impl IntoIterator<Item = &'f Arc<RuleFile>>) -> Digest {
    let mut digest = Sha256::new();
    files.into_iter().for_each(|file| add(file, &mut digest));
    digest.finalize().into()
}

/// Adds the name and the text of a file, each after its length.
fn add(file: &RuleFile, digest: &mut Sha256) {
    for part in [file.path(), file.text()] {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
}

/// The place of a file or folder that was not read, as a whole.
pub(super) fn whole(path: &str) -> Place {
    Place::of_file(&RuleFile::new(path, ""))
}

/// Whether a name ends like that of a YAML file or of a picture, in any case, or is one with `.txt`
/// added or without an extension. A misspelt file must be reported, not passed over.
pub(super) fn is_rule_file(name: &str) -> bool {
    let name = name.to_lowercase();
    let name = name.strip_suffix(".txt").unwrap_or(&name);
    let ends = [".yaml", ".yml", PICTURE_END];
    ends.iter().any(|end| name.ends_with(end)) || parse_date(name).is_some()
}

/// Decodes the bytes of a file.
pub(super) fn decoded(bytes: Vec<u8>) -> Result<String, Problem> {
    if bytes.len() as u64 > FILE_MEGABYTES.most as u64 * MEGABYTE {
        return Err(FILE_MEGABYTES.problem());
    }

    String::from_utf8(bytes).map_err(|error| {
        // UTF-16 starts with a mark. Without it, a French text that is not UTF-8 is most probably
        // Windows-1252.
        let is_utf16 = error.as_bytes().starts_with(&[0xff, 0xfe])
            || error.as_bytes().starts_with(&[0xfe, 0xff]);

        Problem::NotUtf8 {
            encoding: if is_utf16 { "UTF-16" } else { "Windows-1252" },
        }
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_fingerprint_follows_names_and_bytes_of_rule_files_only() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(root.path().join(name), text).unwrap();
        let now = || FileSet::read(root.path()).fingerprint();
        fs::create_dir(root.path().join("ir")).unwrap();
        write("ir/method.yaml", "a: 1");
        let first = now();
        for (name, text) in [
            ("ir/method.yaml", "a: 1"),
            ("ir/.method.yaml.swp", "x"),
            ("ir/notes.md", "x"),
        ] {
            write(name, text);
        }
        assert_eq!(now(), first);
        write("ir/method.yaml", "a: 2");
        let second = now();
        assert_ne!(second, first);
        fs::rename(
            root.path().join("ir/method.yaml"),
            root.path().join("ir/other.YAML"),
        )
        .unwrap();
        assert_ne!(now(), second);
        fs::remove_dir_all(root.path().join("ir")).unwrap();
        assert_ne!(
            now(),
            FileSet::read(&root.path().join("missing")).fingerprint()
        );
    }
}
