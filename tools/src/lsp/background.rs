//! The check of a whole rule set, apart from the editor that goes on.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use bareme_engine::law::Drafts;
use bareme_engine::service::Rules;
use bareme_engine::set::lint;
use bareme_engine::{Diagnostic, FileSet, Loader, Report};
use jiff::civil::Date;

/// A rule set to be checked.
#[derive(Debug)]
pub(super) struct Job {
    pub root: PathBuf,
    /// The state of its files, by number.
    pub revision: u64,
    pub files: FileSet,
    /// The rules before: what has not changed is not read again.
    pub before: Option<Arc<Rules>>,
    /// The folders that the editor has asked about: of one that is held, what can be computed with is read too.
    pub asked: Vec<String>,
    pub drafts: Drafts,
    pub today: Date,
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Done {
    pub root: PathBuf,
    pub revision: u64,
    /// The folders that are right, and the last good state of the others.
    pub rules: Option<Arc<Rules>>,
    /// What `bareme check` says of mistakes and of their files.
    pub said: Vec<Diagnostic>,
    /// What it says of rules that are right, also of those beside which others are not.
    pub advice: Vec<Diagnostic>,
    /// The folders with errors, and those of them that have a state without the cases.
    pub held: Vec<String>,
    pub good: BTreeMap<String, Arc<bareme_engine::Rules>>,
}

impl Job {
    pub(super) fn run(self) -> Done {
        let loader = Loader::new().drafts(self.drafts);
        let apart = loader.load_service_apart(&self.files, self.before.as_deref()).rules;
        let loader = apart.as_deref().map_or(loader, |rules| loader.after(rules));
        let loaded = loader.load_service_files(&self.files);
        let advice = match (&loaded.rules, &apart) {
            (Some(rules), _) => lint(rules, self.today),
            (None, Some(rules)) => lint(rules, self.today),
            (None, None) => Report::default(),
        };
        let is_good = |found: &&Diagnostic| apart.as_ref().is_none_or(|rules| !rules.holds(found.file()));
        let said = loaded.report.all().cloned().map(as_checked).collect();
        let advice = advice.all().filter(is_good).cloned().collect();
        let held: Vec<String> = match &apart {
            Some(rules) => rules.held().map(|held| held.folder.clone()).collect(),
            None => self.asked.clone(),
        };
        let uncased = |folder: &String| {
            let loader = Loader::new().drafts(self.drafts).without_cases();
            Some((folder.clone(), Arc::new(loader.load_files(&self.files.of_folder(folder)).rules?)))
        };
        let good = held.iter().filter(|folder| self.asked.contains(folder)).filter_map(uncased).collect();
        Done { root: self.root, revision: self.revision, rules: apart.map(Arc::new), said, advice, held, good }
    }
}

/// A diagnostic as `bareme check` counts it.
pub(super) fn as_checked(found: Diagnostic) -> Diagnostic {
    found.of_unreadable_draft().unwrap_or(found)
}
