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
    pub said: Vec<Diagnostic>,
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
        catch_unwind(AssertUnwindSafe(|| self.check())).map_err(|_| fault)
    }

    fn check(self) -> Done {
        let loader = Loader::new().drafts(self.drafts);
        let apart = loader
            .load_service_by_folder(&self.files, self.before.as_deref())
            .rules;
        let loader = apart
            .as_deref()
            .map_or(loader, |rules| loader.reusing(rules));
        let loaded = loader.load_service_files(&self.files);
        let advice = match (&loaded.rules, &apart) {
            (Some(rules), _) => lint(rules, self.today),
            (None, Some(rules)) => lint(rules, self.today),
            (None, None) => Report::default(),
        };
        let is_good = |found: &&Diagnostic| {
            apart
                .as_ref()
                .is_none_or(|rules| !rules.holds(found.file()))
        };
        let said = loaded.report.all().cloned().map(as_checked).collect();
        let advice = advice.all().filter(is_good).cloned().collect();
        let held: Vec<String> = match &apart {
            Some(rules) => rules.held().map(|held| held.folder.clone()).collect(),
            None => self.asked.clone(),
        };
        let loader = Loader::new().drafts(self.drafts);
        let uncased = |folder: &String| {
            Some((
                folder.clone(),
                usable(loader, &self.files.of_folder(folder))?,
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
            rules: apart.map(Arc::new),
            said,
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
    let wrong = loaded
        .report
        .errors()
        .map(Diagnostic::file)
        .filter(|path| FileKind::from_path(path) != FileKind::Method);
    let right = || wrong.fold(files.clone(), |files, path| files.without(path));
    loaded
        .rules
        .or_else(|| loader.load_files(&right()).rules)
        .map(Arc::new)
}

/// A diagnostic with the severity that `bareme check` gives it.
pub(super) fn as_checked(found: Diagnostic) -> Diagnostic {
    found.of_unreadable_draft().unwrap_or(found)
}
