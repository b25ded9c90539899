//! A folder of rules as an editor has it: the files of the disk, and over them those that are open.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bareme_engine::law::Drafts;
use bareme_engine::service::Rules;
use bareme_engine::set::lint;
use bareme_engine::text::Severity;
use bareme_engine::{Diagnostic, FileSet, Folder, Loader};
use jiff::civil::Date;

use super::background::{Done, Job, as_checked};
use super::index::Index;

/// The file that marks a folder of rules.
const MARK: &str = "service.yaml";
/// The name that such a folder has in a project.
const USUAL: &str = "rules";

/// A folder of rules.
#[derive(Debug)]
pub(super) struct Root {
    pub path: PathBuf,
    /// The files, with the texts of the editor.
    pub files: FileSet,
    /// The rules of the last check of the whole.
    rules: Option<Arc<Rules>>,
    folders: BTreeMap<String, State>,
    /// What is wrong, by file.
    found: BTreeMap<String, Vec<Diagnostic>>,
    revision: u64,
    /// The state that was checked whole, and the one that is being checked.
    checked: Option<u64>,
    running: Option<u64>,
    drafts: Drafts,
    today: Date,
}

/// What is known of a folder that an editor has asked about.
#[derive(Debug, Default)]
struct State {
    /// Its last reading without a mistake, since the whole was checked.
    good: Option<Arc<bareme_engine::Rules>>,
    /// Whether its files have changed since they were read.
    is_stale: bool,
    index: OnceCell<Index>,
}

/// Path of the folder of a file, empty at the root.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

impl Root {
    /// Reads the files of a folder of rules; `open` are those that the editor has.
    pub(super) fn read(path: PathBuf, drafts: Drafts, today: Date) -> Self {
        let files = FileSet::read(&path);
        let (folders, found) = (BTreeMap::new(), BTreeMap::new());
        Self { path, files, rules: None, folders, found, revision: 1, checked: None, running: None, drafts, today }
    }

    /// The folder of rules that a path is in, or that it holds.
    pub(super) fn find(path: &Path) -> Option<PathBuf> {
        let is_root = |folder: &Path| folder.join(MARK).is_file();
        let below = path.join(USUAL);
        if is_root(&below) {
            return Some(below);
        }
        path.ancestors().find(|folder| is_root(folder)).map(Path::to_owned)
    }

    /// The path of a file as the rules name it.
    pub(super) fn inside(&self, path: &Path) -> Option<String> {
        let relative = path.strip_prefix(&self.path).ok()?;
        let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        Some(parts.join("/"))
    }

    /// Takes over the text of a file that is open.
    pub(super) fn write(&mut self, path: &str, text: &str) {
        if self.files.text(path) != Some(text) {
            self.files = std::mem::take(&mut self.files).with(path, text);
            self.touch(folder_of(path));
        }
    }

    /// Reads the disk again; `open` are the texts of the editor.
    pub(super) fn read_again<'o>(&mut self, open: impl Iterator<Item = (String, &'o str)>) {
        let before = std::mem::replace(&mut self.files, FileSet::read(&self.path));
        for (path, text) in open {
            self.files = std::mem::take(&mut self.files).with(&path, text);
        }
        if before.fingerprint() != self.files.fingerprint() {
            let known: BTreeMap<&str, &str> = before.texts().collect();
            let now: BTreeMap<&str, &str> = self.files.texts().collect();
            let paths: BTreeSet<&str> = known.keys().chain(now.keys()).copied().collect();
            let changed = paths.into_iter().filter(|path| known.get(path) != now.get(path));
            let folders: BTreeSet<String> = changed.map(|path| folder_of(path).to_owned()).collect();
            self.revision += 1;
            folders.iter().for_each(|folder| self.touch(folder));
        }
    }

    fn touch(&mut self, folder: &str) {
        self.revision += 1;
        let state = self.folders.entry(folder.to_owned()).or_default();
        state.is_stale = true;
        state.index = OnceCell::new();
    }

    /// Reads the folders that have changed, and returns the paths of which something else is said now.
    pub(super) fn settle(&mut self) -> bool {
        let stale: Vec<String> =
            self.folders.iter().filter(|(_, state)| state.is_stale).map(|(folder, _)| folder.clone()).collect();
        for folder in &stale {
            self.read_folder(folder);
        }
        !stale.is_empty()
    }

    fn read_folder(&mut self, folder: &str) {
        let rules = self.rules.as_deref();
        let Some(state) = self.folders.get_mut(folder) else { return };
        state.is_stale = false;
        // What is beside the folders is checked with the whole.
        if folder.is_empty() {
            return;
        }
        let before = state.good.clone();
        let loader = Loader::new().drafts(self.drafts);
        let loader = match (&before, rules) {
            (Some(before), _) => loader.after(before),
            (None, Some(rules)) => loader.after(rules),
            (None, None) => loader,
        };
        // The cases run here, so that one that fails leaves the folder to compute with.
        let loaded = loader.without_cases().load_files(&self.files.of_folder(folder));
        let mut said: Vec<Diagnostic> = loaded.report.all().cloned().map(as_checked).collect();
        if let Some(read) = loaded.rules.as_ref().and_then(|rules| rules.folder(folder)) {
            said.extend(read.cases().iter().flat_map(|case| case.outcome(read).report().all().cloned().collect::<Vec<_>>()));
        }
        if said.iter().all(|found| found.severity() != Severity::Error) {
            let advice = loaded.rules.as_ref().map(|rules| lint(rules, self.today)).unwrap_or_default();
            said.extend(advice.all().cloned());
        }
        state.good = loaded.rules.map(Arc::new).or(before);
        self.found.retain(|path, _| folder_of(path) != folder && path != folder);
        for found in said {
            self.found.entry(found.file().to_owned()).or_default().push(found);
        }
    }

    /// A check of the whole that should be made now, if its files have changed since the last one.
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
            drafts: self.drafts,
            today: self.today,
        })
    }

    /// Whether its files have changed since the last check of the whole, and none is running.
    pub(super) fn awaits_check(&self) -> bool {
        self.running.is_none() && self.checked != Some(self.revision)
    }

    /// Takes over a check of the whole; whether it is of the files as they are now.
    pub(super) fn take(&mut self, done: Done) -> bool {
        self.running = None;
        self.rules = done.rules.or_else(|| self.rules.take());
        if done.revision != self.revision {
            return false;
        }
        self.checked = Some(done.revision);
        self.found.clear();
        for found in done.found {
            self.found.entry(found.file().to_owned()).or_default().push(found);
        }
        let held = |folder: &str| self.rules.as_ref().is_none_or(|rules| rules.held().any(|held| held.folder == folder));
        let right: Vec<String> = self.folders.keys().filter(|folder| !held(folder)).cloned().collect();
        for folder in right {
            if let Some(state) = self.folders.get_mut(&folder) {
                state.good = None;
            }
        }
        true
    }

    /// What is wrong, by the file at which an editor shows it: what is about a folder stands at its first file.
    pub(super) fn shown(&self) -> BTreeMap<String, Vec<&Diagnostic>> {
        let mut shown: BTreeMap<String, Vec<&Diagnostic>> = BTreeMap::new();
        for (path, found) in &self.found {
            let is_file = self.files.text(path).is_some() || self.path.join(path).is_file();
            let first = || self.files.paths().find(|file| folder_of(file) == path).map(str::to_owned);
            let at = if is_file { path.clone() } else { first().unwrap_or_else(|| MARK.to_owned()) };
            shown.entry(at).or_default().extend(found);
        }
        shown
    }

    /// What is wrong in a file.
    pub(super) fn found_in(&self, path: &str) -> &[Diagnostic] {
        self.found.get(path).map(Vec::as_slice).unwrap_or_default()
    }

    /// The last good state of a folder.
    pub(super) fn folder(&self, path: &str) -> Option<&Folder> {
        let own = self.folders.get(path).and_then(|state| state.good.as_ref()).and_then(|rules| rules.folder(path));
        own.or_else(|| self.rules.as_ref()?.folder(path))
    }

    /// Whether the files of a folder have no error.
    pub(super) fn is_right(&self, folder: &str) -> bool {
        // A case that fails has a calculation to show.
        let is_error = |found: &Diagnostic| found.severity() == Severity::Error && !found.code().starts_with('C');
        !self.found.iter().any(|(path, found)| folder_of(path) == folder && found.iter().any(is_error))
    }

    /// Makes a folder one whose index may be asked for.
    pub(super) fn prepare(&mut self, folder: &str) {
        if self.folders.contains_key(folder) {
            return;
        }
        // Of a folder with errors the whole check has an old state, or none.
        let is_held = self.rules.as_ref().is_none_or(|rules| rules.held().any(|held| held.folder == folder));
        self.folders.insert(folder.to_owned(), State { is_stale: is_held, ..State::default() });
        if is_held {
            self.read_folder(folder);
        }
    }

    /// The names of a folder and their places; none of a folder that nobody has prepared.
    pub(super) fn index(&self, folder: &str) -> Option<&Index> {
        let state = self.folders.get(folder)?;
        Some(state.index.get_or_init(|| Index::of(&self.files.of_folder(folder))))
    }

    /// What a change of files would make of a folder: its errors, if there would be any.
    pub(super) fn tried(&self, folder: &str, changed: impl IntoIterator<Item = (String, String)>) -> Vec<Diagnostic> {
        let mut files = self.files.of_folder(folder);
        for (path, text) in changed {
            files = files.with(&path, &text);
        }
        let report = Loader::new().drafts(self.drafts).load_files(&files).report;
        report.errors().cloned().collect()
    }

    pub(super) fn today(&self) -> Date {
        self.today
    }
}
