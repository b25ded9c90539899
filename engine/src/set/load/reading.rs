//! The reading of a rule set some folders of which calculate others.

use std::collections::BTreeMap;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::law::callee::{Callees, KnownCallee};
use crate::run::folder::Folder;
use crate::run::rules::Digest;
use crate::set::files::{FileSet, FilesOfFolder};
use crate::text::diagnostic::Report;
use crate::text::problem::Problem;

use super::folder::{FolderFiles, read_folder};
use super::uses::{Cycle, Uses};
use super::{Checks, Drafts, Findings, Loader};

/// The state of a folder in force: the one that was just read, or an earlier one.
pub(crate) type InForce<'i> = dyn Fn(&str, Option<Arc<Folder>>) -> Option<Arc<Folder>> + 'i;

/// The reading of a rule set, some folders of which calculate others.
pub(super) struct Reading<'f> {
    pub files: &'f FileSet,
    pub uses: Uses,
    /// The paths of all folders.
    paths: Arc<[String]>,
    /// The folders that were read so far, in the state that is in force; `None` where they have
    /// errors.
    pub known: BTreeMap<String, Option<Arc<Folder>>>,
}

impl<'f> Reading<'f> {
    pub(super) fn new(files: &'f FileSet) -> Self {
        Self {
            files,
            uses: Uses::of(files),
            paths: files.folders.keys().cloned().collect(),
            known: BTreeMap::new(),
        }
    }

    /// Digest of the files of a folder and of the folders that it calculates, in the state that is in
    /// force: what was checked with another one has to be checked again.
    pub(super) fn content(&self, path: &str, files: &FilesOfFolder) -> Digest {
        let used = self.uses.folders(path);
        if used.is_empty() {
            return files.content();
        }

        let mut digest = Sha256::new();
        digest.update(files.content());
        for path in used {
            // A path has no line feed: different sets never hash the same bytes.
            digest.update(format!("{path}\n"));
            if let Some(Some(folder)) = self.known.get(path) {
                digest.update(folder.content);
            }
        }
        digest.finalize().into()
    }

    /// What a folder may calculate.
    pub(super) fn callees(&self, path: &str) -> Callees {
        let used = self.uses.folders(path).into_iter();
        let state = |path: &str| {
            // One that was not read so far waits for itself.
            let known = self.known.get(path).cloned().flatten();
            match known {
                Some(folder) => Some(KnownCallee::Read(folder)),
                None if self.files.folders.contains_key(path) => Some(KnownCallee::WithErrors),
                None => None,
            }
        };
        let known = used.filter_map(|path| Some((path.to_owned(), state(path)?)));
        Callees::new(known.collect(), Arc::clone(&self.paths))
    }

    /// The other folders, with their drafts in force, for the drafts of a folder to calculate.
    pub(super) fn callees_with_drafts(&self, path: &str) -> Callees {
        let used = self.uses.folders(path).into_iter();
        let state = |path: &str| {
            let known = self.known.get(path).cloned().flatten()?;
            let folder = self.with_drafts(path, &known).map_or(known, Arc::new);
            Some((path.to_owned(), KnownCallee::Read(folder)))
        };
        Callees::new(used.filter_map(state).collect(), Arc::clone(&self.paths))
    }

    /// A folder with its drafts in force; `None` where neither it nor what it calculates has any, or
    /// where they have errors.
    fn with_drafts(&self, path: &str, known: &Folder) -> Option<Folder> {
        let has_drafts = |path: &str| {
            let folder = self.known.get(path).and_then(Option::as_ref);
            folder.is_some_and(|folder| !folder.drafts.is_empty())
        };
        let mut used = self.uses.folders(path).into_iter();
        if known.drafts.is_empty() && !used.any(has_drafts) {
            return None;
        }

        let files = FolderFiles {
            path,
            content: known.content,
            files: self.files.folders.get(path)?,
            callees: &self.callees_with_drafts(path),
            is_complete: self.files.is_complete(path),
            checks: Checks::Unchecked,
            reads_cases: false,
            reads_english: false,
            findings: Findings::First,
            trees: None,
        };
        // Its mistakes are reported with the folder itself.
        read_folder(&files, Drafts::Included, &mut Report::default())
    }

    /// Reports the folders that are calculated by what they calculate, and those that are left
    /// because they calculate one of these.
    pub(super) fn report_cycles(&self, loader: Loader, report: &mut Report) {
        let is_left = |path: &&String| !self.known.contains_key(*path);
        for path in self.files.folders.keys().filter(is_left) {
            if !loader.is_selected(path) {
                continue;
            }
            match self.uses.cycle(path) {
                Some(Cycle { place, path }) => report.error(&place, Problem::CallsItself { path }),
                None => report.extend(loader.folder(path, self).2),
            }
        }
    }
}
