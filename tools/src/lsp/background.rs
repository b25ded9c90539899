//! Background check of a whole rule set, while the editor is in use.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use bareme_engine::law::Drafts;
use bareme_engine::service::Rules;
use bareme_engine::set::lint;
use bareme_engine::{Diagnostic, FileSet, Loader, Report};
use jiff::civil::Date;

use super::index::FileKind;

/// A rule set to check.
#[derive(Debug)]
pub(super) struct Job {
    pub root: PathBuf,
    /// Revision of its files.
    pub revision: u64,
    pub files: FileSet,
    /// The earlier rules: unchanged folders are not read again.
    pub before: Option<Arc<Rules>>,
    /// Folders that the editor has asked about: where one is held, its usable part is loaded too.
    pub asked: Vec<String>,
    pub drafts: Drafts,
    pub today: Date,
}

/// A check that failed.
#[derive(Debug)]
pub(super) struct Fault {
    pub root: PathBuf,
    pub revision: u64,
}

/// The result of a check.
#[derive(Debug)]
pub(super) struct Done {
    pub root: PathBuf,
    pub revision: u64,
    /// The folders without errors, and the last good state of the others.
    pub rules: Option<Arc<Rules>>,
    /// Diagnostics that `bareme check` reports, by file.
    pub reported: Vec<Diagnostic>,
    /// Warnings of `lint`, also where other folders have errors.
    pub advice: Vec<Diagnostic>,
    /// The folders with errors, and those of them that can be loaded without their cases.
    pub held: Vec<String>,
    pub good: BTreeMap<String, Arc<bareme_engine::Rules>>,
}

impl Job {
    /// Checks the set; a panic ends the check, not the server.
    pub(super) fn run(self) -> Result<Done, Fault> {
        let fault = Fault {
            root: self.root.clone(),
            revision: self.revision,
        };
        // Only owned data goes in, and its result is dropped after a panic: no inconsistent state
        // is seen.
        catch_unwind(AssertUnwindSafe(|| self.check())).map_err(|_| fault)
    }

    fn check(self) -> Done {
        // 1. Folder by folder, so that a folder with errors keeps its last good state and the
        // others are up to date. Unchanged folders are reused.
        let loader = Loader::new().drafts(self.drafts);
        let by_folder = loader
            .load_service_by_folder(&self.files, self.before.as_deref())
            .rules;

        // 2. The whole set, as `bareme check` reads it, for errors across folders. The folders that
        // were just read are reused.
        let loader = by_folder
            .as_deref()
            .map_or(loader, |rules| loader.reusing(rules));
        let loaded = loader.load_service_files(&self.files);

        // 3. Warnings, even where some folders have errors: `check` reports none then, but an
        // author wants those of the folder being edited.
        let advice = match (&loaded.rules, &by_folder) {
            (Some(rules), _) => lint(rules.folders(), self.today),
            (None, Some(rules)) => lint(rules.folders(), self.today),
            (None, None) => Report::default(),
        };
        let is_good = |found: &&Diagnostic| {
            by_folder
                .as_ref()
                .is_none_or(|rules| !rules.holds(found.file()))
        };

        let reported = loaded.report.all().cloned().map(as_checked).collect();
        // A folder with errors has the warnings of an earlier text, whose places are wrong now.
        let advice = advice.all().filter(is_good).cloned().collect();

        // 4. Folders with errors that are open: their usable part, so that completion and hover
        // work while a file is being edited.
        let held: Vec<String> = match &by_folder {
            Some(rules) => rules.held().map(|held| held.folder.clone()).collect(),
            None => self.asked.clone(),
        };
        let loader = Loader::new().drafts(self.drafts);
        let uncased = |folder: &String| {
            Some((
                folder.clone(),
                usable(loader, &self.files.with_called(folder))?,
            ))
        };
        let good = held
            .iter()
            .filter(|folder| self.asked.contains(folder))
            .filter_map(uncased)
            .collect();

        Done {
            root: self.root,
            revision: self.revision,
            rules: by_folder.map(Arc::new),
            reported,
            advice,
            held,
            good,
        }
    }
}

/// Usable part of a folder with errors: without its cases, or else without the files that have
/// errors.
pub(super) fn usable(loader: Loader, files: &FileSet) -> Option<Arc<bareme_engine::Rules>> {
    let loader = loader.without_cases();

    let loaded = loader.load_files(files);
    // A method cannot be left out, since nothing is calculated without it.
    let wrong = loaded
        .report
        .errors()
        .map(Diagnostic::file)
        .filter(|path| FileKind::from_path(path) != FileKind::Method);
    let right = || wrong.fold(files.clone(), |files, path| files.without(path));

    // Loaded a second time only if the first attempt failed.
    loaded
        .rules
        .or_else(|| loader.load_files(&right()).rules)
        .map(Arc::new)
}

/// A diagnostic with the severity that `bareme check` gives it.
pub(super) fn as_checked(found: Diagnostic) -> Diagnostic {
    // A draft that cannot be read prevents no calculation: `check` reports it as a warning.
    found.of_unreadable_draft().unwrap_or(found)
}
