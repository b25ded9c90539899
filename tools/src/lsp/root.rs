//! A folder of rules in an editor: the files on disk, replaced by the open ones.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bareme_engine::law::Drafts;
use bareme_engine::service::Rules;
use bareme_engine::text::Severity;
use bareme_engine::{Diagnostic, FileSet, Folder, Loader};
use jiff::civil::Date;

use super::background::{Done, Job, as_checked, usable};
use super::index::{FileKind, Index, Occurrence, Parsed};
use crate::rule_files::{MARK, USUAL, folder_of, is_root};

/// Number of earlier dated files loaded with one while it is edited; findings that need more appear
/// with the whole check.
const COMPARED: usize = 1;
/// The code of a finding that needs all the dated files of a folder.
const OF_ALL_DAYS: &str = "W17";

/// A folder of rules.
#[derive(Debug, Default)]
pub(super) struct Root {
    pub path: PathBuf,
    /// The files, with the texts of the editor.
    pub files: FileSet,
    /// The files as they were last on the disk.
    disk: FileSet,
    /// The rules of the last whole check.
    rules: Option<Arc<Rules>>,
    folders: BTreeMap<String, State>,
    /// Diagnostics, by file.
    found: BTreeMap<String, Vec<Diagnostic>>,
    /// Warnings of `lint` from the last whole check.
    advice: Vec<Diagnostic>,
    revision: u64,
    /// The revision that was checked, and the one being checked.
    checked: Option<u64>,
    running: Option<u64>,
    drafts: Drafts,
    today: Date,
}

/// State of a folder that the editor has asked about.
#[derive(Debug, Default)]
struct State {
    /// Its last load without cases, where the whole check has an older one, so that a folder with
    /// failing cases can be used.
    good: Option<Arc<bareme_engine::Rules>>,
    /// The files changed since they were last loaded.
    stale: BTreeSet<String>,
    /// Its names may be asked for.
    is_prepared: bool,
    index: OnceCell<Index>,
    parsed: RefCell<Parsed>,
}

impl Root {
    /// Reads the files of a folder of rules.
    pub(super) fn read(path: PathBuf, drafts: Drafts, today: Date) -> Self {
        let disk = FileSet::read(&path);
        Self {
            path,
            files: disk.clone(),
            disk,
            revision: 1,
            drafts,
            today,
            ..Self::default()
        }
    }

    /// The folder of rules that contains a path, or is in it.
    pub(super) fn find(path: &Path) -> Option<PathBuf> {
        // A project has its rules in the usual folder below; a file is in a folder of rules above
        // it.
        let below = path.join(USUAL);
        if is_root(&below) {
            return Some(below);
        }

        path.ancestors()
            .find(|folder| is_root(folder))
            .map(Path::to_owned)
    }

    /// The path of a file within the rules.
    pub(super) fn inside(&self, path: &Path) -> Option<String> {
        let relative = path.strip_prefix(&self.path).ok()?;
        let parts: Vec<_> = relative
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        Some(parts.join("/"))
    }

    /// Sets the text of an open file.
    pub(super) fn write(&mut self, path: &str, text: &str) {
        // An editor sends a change even where the text is the same, as after an undo.
        if self.files.text(path) != Some(text) {
            self.files = std::mem::take(&mut self.files).with(path, text);
            self.touch(path);
        }
    }

    /// Reads the disk again; `open` are the texts of the editor.
    pub(super) fn read_again<'o>(&mut self, open: impl Iterator<Item = (String, &'o str)>) {
        // Unchanged files are not read again: the sizes and times of the disk are compared.
        self.disk = FileSet::read_again(&self.path, &self.disk);

        let before = std::mem::replace(&mut self.files, self.disk.clone());
        // The text of an open file counts, whatever the disk has: it is saved later.
        for (path, text) in open {
            self.files = std::mem::take(&mut self.files).with(&path, text);
        }

        if before.fingerprint() != self.files.fingerprint() {
            let earlier: BTreeMap<&str, &str> = before.texts().collect();
            let now: BTreeMap<&str, &str> = self.files.texts().collect();
            let paths: BTreeSet<&str> = earlier.keys().chain(now.keys()).copied().collect();
            let changed = paths
                .into_iter()
                .filter(|path| earlier.get(path) != now.get(path));
            let changed: Vec<String> = changed.map(str::to_owned).collect();

            self.revision += 1;
            changed.iter().for_each(|path| self.touch(path));
        }
    }

    fn touch(&mut self, path: &str) {
        self.revision += 1;
        let state = self.folders.entry(folder_of(path).to_owned()).or_default();

        state.stale.insert(path.to_owned());
        // The index is built again when it is next asked for.
        state.index = OnceCell::new();
    }

    /// Loads the changed files; returns whether there were any. Effects on other files are left to
    /// the whole check.
    pub(super) fn settle(&mut self) -> bool {
        // Several changes of a file are one load: they are collected while messages wait.
        let stale: Vec<String> = self
            .folders
            .values_mut()
            .flat_map(|state| std::mem::take(&mut state.stale))
            .collect();

        for path in &stale {
            self.read_file(path);
        }
        !stale.is_empty()
    }

    /// Loads a file with its methods and the dated files before it, without running cases.
    fn read_file(&mut self, path: &str) {
        // Files outside of the folders are checked with the whole set.
        if folder_of(path).is_empty() {
            return;
        }

        let report = Loader::new()
            .drafts(self.drafts)
            .without_cases()
            .load_files(&self.beside(path))
            .report;
        // With some of the dated files only, it is unknown whether a figure starts on the day of
        // one.
        let is_sure = |found: &&Diagnostic| found.file() == path && found.code() != OF_ALL_DAYS;

        let advice = self
            .advice
            .iter()
            .filter(|found| found.file() == path)
            .cloned();

        let found = report
            .all()
            .filter(is_sure)
            .cloned()
            .map(as_checked)
            .chain(advice)
            .collect();
        self.found.insert(path.to_owned(), found);
    }

    /// A file with those to load with it: the methods, and the dated files that it is compared
    /// with.
    fn beside(&self, path: &str) -> FileSet {
        // All dated files would be exact, but some folders have dozens: an edit must show its
        // errors at once.
        let kind = FileKind::from_path(path);
        let folder = folder_of(path);
        let files = self.files.with_called(folder);
        let is_dated = |other: &&str| FileKind::from_path(other) == FileKind::Scale;
        let dated: Vec<&str> = files
            .paths()
            .filter(|other| folder_of(other) == folder && is_dated(other))
            .collect();

        let own: Vec<&str> = match kind {
            // A dated file is compared with the one before it.
            FileKind::Scale => {
                let place = dated
                    .iter()
                    .position(|other| *other == path)
                    .unwrap_or_default();
                dated
                    .get(place.saturating_sub(COMPARED)..=place)
                    .unwrap_or_default()
                    .to_vec()
            }
            // A method or cases need one dated file: the newest that follows the method.
            _ => {
                let name = path
                    .rsplit('/')
                    .next()
                    .unwrap_or_default()
                    .trim_end_matches(".yaml");
                // Texts rather than nodes are searched, since a file may be unreadable.
                let follows = |other: &&&str| match (kind, files.text(other)) {
                    (FileKind::Method, Some(text)) if name == "method" => {
                        !text.contains("\nmethod: ")
                    }
                    (FileKind::Method, Some(text)) => text.contains(&format!("\nmethod: {name}")),
                    _ => true,
                };
                dated
                    .iter()
                    .rev()
                    .find(follows)
                    .into_iter()
                    .copied()
                    .collect()
            }
        };

        let is_left_out = |other: &&str| match FileKind::from_path(other) {
            FileKind::Scale => folder_of(other) == folder && !own.contains(other),
            FileKind::Cases => *other != path,
            FileKind::Method | FileKind::Translation | FileKind::Picture | FileKind::Service => {
                false
            }
        };

        let left_out: Vec<String> = files
            .paths()
            .filter(is_left_out)
            .map(str::to_owned)
            .collect();
        left_out
            .iter()
            .fold(files.clone(), |files, path| files.without(path))
    }

    /// The whole check to run now, if files have changed since the last one.
    pub(super) fn job(&mut self) -> Option<Job> {
        if !self.awaits_check() {
            return None;
        }
        self.running = Some(self.revision);
        Some(Job {
            root: self.path.clone(),
            revision: self.revision,
            files: self.files.clone(),
            before: self.rules.clone(),
            asked: self.folders.keys().cloned().collect(),
            drafts: self.drafts,
            today: self.today,
        })
    }

    /// Whether files have changed since the last whole check, and none is running.
    pub(super) fn awaits_check(&self) -> bool {
        self.running.is_none() && self.checked != Some(self.revision)
    }

    /// Cancels a check; the next one is after the next change.
    pub(super) fn give_up(&mut self, revision: u64) {
        // A check that panicked would do so again on the same files.
        self.running = None;
        self.checked = Some(revision);
    }

    /// Takes the result of a whole check; returns whether the files are unchanged since.
    pub(super) fn take(&mut self, done: Done) -> bool {
        self.running = None;
        // The rules are newer than those so far, even if files have changed since.
        self.rules = done.rules.or_else(|| self.rules.take());
        // Diagnostics have places in texts that are no longer there.
        if done.revision != self.revision {
            return false;
        }

        self.checked = Some(done.revision);
        self.found.clear();
        for found in done.reported.iter().chain(&done.advice).cloned() {
            self.found
                .entry(found.file().to_owned())
                .or_default()
                .push(found);
        }

        self.advice = done.advice;
        // The whole set has just loaded all files.
        for (folder, state) in &mut self.folders {
            state.stale.clear();
            // A folder that has become right needs no state of its own.
            state.good = done
                .good
                .get(folder)
                .cloned()
                .or_else(|| state.good.take().filter(|_| done.held.contains(folder)));
        }
        true
    }

    /// Diagnostics by the file at which they are shown: those of a folder at its first file.
    pub(super) fn shown(&self) -> BTreeMap<String, Vec<&Diagnostic>> {
        let mut shown: BTreeMap<String, Vec<&Diagnostic>> = BTreeMap::new();

        for (path, found) in &self.found {
            // A finding about a folder, as a missing method, has no file to be marked in.
            let is_file = self.files.text(path).is_some() || self.path.join(path).is_file();
            let first = || {
                self.files
                    .paths()
                    .find(|file| folder_of(file) == path)
                    .map(str::to_owned)
            };

            let at = if is_file {
                path.clone()
            } else {
                first().unwrap_or_else(|| MARK.to_owned())
            };
            shown.entry(at).or_default().extend(found);
        }
        shown
    }

    /// Diagnostics of a file.
    pub(super) fn found_in(&self, path: &str) -> &[Diagnostic] {
        self.found.get(path).map(Vec::as_slice).unwrap_or_default()
    }

    /// The last good state of a folder.
    pub(super) fn folder(&self, path: &str) -> Option<&Folder> {
        // The folder's own state is newer than the whole check, or the only one with failing cases.
        let own = self
            .folders
            .get(path)
            .and_then(|state| state.good.as_ref())
            .and_then(|rules| rules.folder(path));
        own.or_else(|| self.rules.as_ref()?.folder(path))
    }

    /// The last good state of a folder that another one calculates or takes figures from.
    pub(super) fn called_folder(&self, path: &str, caller: &str) -> Option<&Folder> {
        // Before the first whole check, what was loaded with the caller.
        let with_caller = || self.folders.get(caller)?.good.as_ref()?.folder(path);
        self.folder(path).or_else(with_caller)
    }

    /// Whether the files of a folder have no error.
    pub(super) fn is_right(&self, folder: &str) -> bool {
        // A failing case does not prevent calculations.
        let is_error = |found: &Diagnostic| {
            found.severity() == Severity::Error && !found.code().starts_with('C')
        };
        !self
            .found
            .iter()
            .any(|(path, found)| folder_of(path) == folder && found.iter().any(is_error))
    }

    /// Prepares the index of a folder.
    pub(super) fn prepare(&mut self, folder: &str) {
        // A file that was opened and typed in has made an entry already.
        let mut state = self.folders.remove(folder).unwrap_or_default();
        let is_held = |rules: &Arc<Rules>| rules.held().any(|held| held.folder == folder);
        // The whole check that has just started need not be awaited; for a folder with errors it
        // has an old state, or none. What is being typed may have none that is usable, where the
        // disk has.
        if !state.is_prepared && state.good.is_none() && self.rules.as_ref().is_none_or(is_held) {
            let loaded = |files: &FileSet| {
                usable(
                    Loader::new().drafts(self.drafts),
                    &files.with_called(folder),
                )
            };
            state.good = loaded(&self.files).or_else(|| loaded(&self.disk));
        }

        state.is_prepared = true;
        self.folders.insert(folder.to_owned(), state);
    }

    /// The index of a folder; `None` where it was not prepared.
    pub(super) fn index(&self, folder: &str) -> Option<&Index> {
        let state = self.folders.get(folder)?;
        let read = || {
            Index::new(
                &self.files.of_folder(folder),
                &mut state.parsed.borrow_mut(),
            )
        };
        Some(state.index.get_or_init(read))
    }

    /// Prepares the indexes of a folder and of those that calculate it or take its figures.
    pub(super) fn prepare_users(&mut self, folder: &str) {
        for path in self.users(folder) {
            self.folders.entry(path).or_default();
        }
        self.folders.entry(folder.to_owned()).or_default();
    }

    /// The folders that calculate one or take its figures themselves.
    pub(super) fn users(&self, folder: &str) -> BTreeSet<String> {
        let names_it = |(path, text): &(&str, &str)| {
            FileKind::from_path(path) == FileKind::Method
                && folder_of(path) != folder
                && Index::may_name(text, folder)
        };
        let methods = self.files.texts().filter(names_it);
        methods
            .map(|(path, _)| folder_of(path).to_owned())
            .collect()
    }

    /// Every occurrence of a symbol, in its folder and in those that were prepared with it.
    pub(super) fn all_of<'r>(&'r self, one: &'r Occurrence) -> Vec<&'r Occurrence> {
        let indexes = self.folders.keys().filter_map(|path| self.index(path));
        indexes.flat_map(|index| index.all_of(one)).collect()
    }

    /// The errors of some folders with some of their files changed.
    pub(super) fn tried(
        &self,
        folders: &[&str],
        changed: impl IntoIterator<Item = (String, String)>,
    ) -> Vec<Diagnostic> {
        let files = changed.into_iter().fold(
            self.files.with_all_called(folders),
            |files, (path, text)| files.with(&path, &text),
        );

        Loader::new()
            .drafts(self.drafts)
            .load_files(&files)
            .report
            .errors()
            .cloned()
            .collect()
    }

    /// The errors of a file with another text, without running cases.
    pub(super) fn tried_alone(&self, path: &str, text: &str) -> Vec<Diagnostic> {
        // Fixes are tried often: cases would take most of the time, and only `C…` errors depend on
        // them.
        let files = self.beside(path).with(path, text);

        Loader::new()
            .drafts(self.drafts)
            .without_cases()
            .load_files(&files)
            .report
            .errors()
            .cloned()
            .collect()
    }

    pub(super) fn today(&self) -> Date {
        self.today
    }
}
