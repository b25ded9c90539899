//! The loader of a rule set: finds, parses, checks and compiles the files, and runs the cases. All
//! or nothing.

mod english;
mod folder;
mod followed;
mod kind;
mod law;
mod methods;
mod nodes;
mod options;
mod picture;
mod reading;
mod shared;
#[cfg(test)]
mod tests;
pub(crate) mod translation;
mod uses;
mod years;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use jiff::civil::Date;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::law::draft::Drafts;
use crate::law::source::corrected_date;
use crate::run::case::Case;
use crate::run::edition::Edition;
use crate::run::folder::{Checks, Folder};
use crate::run::rules::{Rules, word_in};
use crate::set::check_record::CheckRecord;
use crate::set::compare::Findings;
use crate::set::files::{FileSet, PICTURE_END};
use crate::text::diagnostic::{Place, Report};
use crate::text::problem::{Problem, suggestion};

pub(crate) use folder::{FolderFiles, read_folder};
use picture::PICTURE;
pub(crate) use reading::InForce;
use reading::Reading;
use translation::TRANSLATION;
pub(crate) use uses::Uses;
use years::check_settlement;

/// The result of a load: the rules if there are no errors, and the report.
///
/// [`Loader`] has an example.
#[derive(Debug)]
pub struct Loaded<R = Rules> {
    /// The rules; `None` when the report has an error.
    pub rules: Option<R>,
    /// Errors and warnings.
    pub report: Report,
}

/// Reads rule sets: parses, checks and compiles every file, then runs every worked case.
///
/// ```
/// use bareme_engine::Loader;
///
/// let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// let loaded = Loader::new().without_cases().only(&["tva"]).load(root);
/// let rules = loaded.rules.ok_or("the rules have errors")?;
/// // Once files have changed, the folders that have not are kept.
/// let newer = Loader::new().reusing(&rules).without_cases().only(&["tva"]).load(root);
/// let newer = newer.rules.ok_or("the rules have errors")?;
/// assert_eq!(newer.version(), rules.version());
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[must_use]
pub struct Loader<'r> {
    drafts: Drafts,
    skips_cases: bool,
    pub(crate) skips_english: bool,
    keeps_cases: bool,
    only: &'r [&'r str],
    pub(crate) skips_others: bool,
    skips_broken: bool,
    before: Option<&'r Rules>,
    checked: Option<&'r CheckRecord>,
    rechecks: bool,
    checks_nothing: bool,
    findings: Findings,
}

impl<'r> Loader<'r> {
    /// Loads the rule set of a folder.
    pub fn load(self, root: &Path) -> Loaded {
        self.load_files(&FileSet::read(root))
    }

    /// Loads a rule set from its files.
    pub fn load_files(self, files: &FileSet) -> Loaded {
        let mut report = files.report.clone();
        if files.is_refused {
            return Loaded {
                rules: None,
                report,
            };
        }

        let folders = self.read_folders(files, &|_, folder| folder, &mut report);
        report_root_files(files, &mut report);
        report.sort();

        // All or nothing: otherwise a program would calculate with half of a change.
        let rules = report
            .is_ok()
            .then(|| Rules::new(files.root.content(), folders));
        Loaded { rules, report }
    }

    /// Reads the folders in parallel, those that others calculate before these; leaves out those
    /// that may have errors. `in_force` gives the state of a folder that others calculate, once it
    /// was read: that one, or an earlier one.
    pub(crate) fn read_folders(
        self,
        files: &FileSet,
        in_force: &InForce,
        report: &mut Report,
    ) -> BTreeMap<String, Arc<Folder>> {
        let mut reading = Reading::new(files);
        let mut folders = BTreeMap::new();
        let needed = self.skips_others.then(|| self.needed(files, &reading.uses));
        let is_needed = |path: &str| needed.as_ref().is_none_or(|needed| needed.contains(path));

        for group in reading.uses.groups(files) {
            let read = group.par_iter().filter(|path| is_needed(path));
            let read = read
                .map(|path| self.folder(path, &reading))
                .collect::<Vec<_>>();

            for (path, folder, own) in read {
                let known = in_force(&path, folder.clone());
                reading.known.insert(path.clone(), known);
                if !own.is_ok() && !self.is_selected(&path) {
                    continue;
                }
                folders.extend(folder.map(|folder| (path, folder)));
                report.extend(own);
            }
        }

        // Folders that calculate each other cannot be read; those that calculate one of them say
        // so.
        reading.report_cycles(self, report);
        folders
    }

    /// The folders that are named, and those that they calculate.
    fn needed(self, files: &FileSet, uses: &Uses) -> BTreeSet<String> {
        let paths = files.folders.keys();
        let named = paths.filter(|path| self.is_named(path));

        named
            .flat_map(|path| {
                let used = uses.reached(path).into_iter().map(str::to_owned);
                used.chain([path.clone()])
            })
            .collect()
    }

    /// Whether every folder of the set must be without errors.
    pub(crate) fn is_whole(self) -> bool {
        self.only.is_empty() && !self.skips_broken
    }

    /// Whether a record says that the file of the service was checked.
    pub(crate) fn trusts_service(self, files: &FileSet) -> bool {
        self.checked
            .is_some_and(|checked| checked.holds_service(files.root.content()))
    }

    /// Whether the errors of a folder are reported.
    pub(crate) fn is_selected(self, path: &str) -> bool {
        !self.skips_broken && self.is_named(path)
    }

    /// Whether a folder is one of [`Self::only`], where there are any.
    fn is_named(self, path: &str) -> bool {
        let holds = |named: &&str| path == *named || word_in(named, path).is_some();
        self.only.is_empty() || self.only.iter().any(holds)
    }

    /// Reads a folder, or keeps that of the earlier set.
    fn folder(self, path: &str, reading: &Reading) -> ReadFolder {
        let Some(files) = reading.files.folders.get(path) else {
            return (path.to_owned(), None, Report::default());
        };

        // 1. What has to be checked. A record is used without drafts only: with them, more scales
        // answer than were checked.
        let content = reading.content(path, files);
        let checked = self.checked.filter(|_| self.drafts == Drafts::Aside);
        let known = checked.and_then(|checked| checked.folder(path, content));
        // For a folder whose mistakes are not reported, only its calculations matter.
        let is_beside = !self.skips_broken && !self.is_selected(path);
        let checks = match known {
            Some(_) => Checks::Trusted,
            None if is_beside || self.checks_nothing => Checks::Unchecked,
            None => Checks::Whole,
        };
        let callees = reading.callees(path);
        let files = FolderFiles {
            path,
            content,
            files,
            callees: &callees,
            is_complete: reading.files.is_complete(path),
            checks,
            reads_cases: !checks.are_skipped(),
            reads_english: !self.skips_english && checks != Checks::Unchecked,
            findings: self.findings,
            trees: known.map(|known| &known.trees),
        };

        // 2. The folder of the earlier set, if its files are the same and it was checked as much.
        if let Some(folder) = self.unchanged(&files) {
            return (
                path.to_owned(),
                Some(Arc::clone(folder)),
                folder.warnings.clone(),
            );
        }

        // 3. Else the files are read, and the cases run.
        let mut report = Report::default();
        let mut folder = read_folder(&files, self.drafts, &mut report);
        if checks == Checks::Trusted && folder.is_none() {
            // A folder with mistakes, wrongly recorded as checked, is checked completely and its
            // mistakes are reported.
            return Self {
                checked: None,
                ..self
            }
            .folder(path, reading);
        }

        match &mut folder {
            Some(folder) if checks == Checks::Whole && !self.skips_cases => {
                self.run_cases(&files, reading, folder, &mut report);
                folder.checks = Checks::Whole;
            }
            Some(folder) => {
                let errors = known.into_iter().flat_map(|known| &known.draft_errors);
                folder
                    .drafts
                    .iter_mut()
                    .zip(errors)
                    .for_each(|(draft, errors)| draft.errors = *errors);
            }
            None => {}
        }

        // 4. The warnings stay with the folder: a later set that keeps it reports them again.
        let folder = if report.is_ok() { folder } else { None };
        let folder = folder.map(|folder| {
            Arc::new(Folder {
                warnings: report.clone(),
                ..folder
            })
        });
        (path.to_owned(), folder, report)
    }

    /// The folder of the earlier set, where it has these files and was checked as much as is asked.
    fn unchanged(self, files: &FolderFiles) -> Option<&'r Arc<Folder>> {
        let is_enough = |folder: &&Arc<Folder>| match folder.checks {
            _ if self.rechecks => false,
            Checks::Whole | Checks::Trusted => true,
            Checks::Unchecked => files.checks.are_skipped(),
            Checks::WithoutCases => self.skips_cases,
        };

        let before = self.before?.folders.get(files.path);
        before
            .filter(|folder| folder.content == files.content)
            .filter(is_enough)
    }

    /// Runs the cases of a folder, and keeps only the examples among them. Its compiled programs
    /// are dropped too: most are of past years, and nobody calls them.
    fn run_cases(
        self,
        files: &FolderFiles,
        reading: &Reading,
        folder: &mut Folder,
        report: &mut Report,
    ) {
        // Folders that others wait for are few at a time: their cases share the processors.
        let run = |case: &Case| {
            let mut own = Report::default();
            case.run(folder, &mut own);

            // Its author may have meant the draft.
            if let Some(draft) = draft_on(folder, case).filter(|_| !own.is_ok()) {
                let date = draft.to_string();
                own.warn(&case.place, Problem::CaseOnDayOfDraft { date });
            }
            own
        };
        let reports: Vec<Report> = folder.cases().par_iter().map(run).collect();
        reports.into_iter().for_each(|own| report.extend(own));

        // Where a case fails, the sums of a year are wrong for the same reason.
        if report.is_ok() {
            check_settlement(folder, report);
        }

        if self.drafts == Drafts::Aside && !folder.drafts.is_empty() {
            let callees = reading.callees_with_drafts(files.path);
            // The cases were read with the folder, those of its drafts too.
            let files = FolderFiles {
                callees: &callees,
                reads_cases: false,
                ..*files
            };
            check_drafts(&files, folder, report);
        }

        if self.keeps_cases {
            return;
        }
        folder.forget_cases();
        folder.editions.iter_mut().for_each(Edition::forget_program);
    }
}

/// A folder, if it has no errors, by path; with its report.
type ReadFolder = (String, Option<Arc<Folder>>, Report);

/// The draft that would answer on a day of a case, if it were in force.
fn draft_on(folder: &Folder, case: &Case) -> Option<Date> {
    let is_covered = case.days().into_iter().any(|day| folder.is_draft_on(day));
    let drafts = folder.drafts.iter().map(|draft| draft.date);
    let last = case.date()?;
    drafts.filter(|date| is_covered && *date <= last).max()
}

/// Runs the cases of the drafts of a folder against them: failures are warnings.
pub(crate) fn check_drafts(files: &FolderFiles, folder: &mut Folder, report: &mut Report) {
    if folder.drafts.is_empty() {
        return;
    }

    // A draft is put in force beside the other scales. One that cannot be read prevents that for
    // the folder; the errors are then counted by file.
    let mut failed = Report::default();
    let Some(whole) = read_folder(files, Drafts::Included, &mut failed) else {
        for draft in &mut folder.drafts {
            let file = draft.path(files.path);
            draft.errors = failed.errors().filter(|error| error.file() == file).count();
        }
        return;
    };

    // A case of a draft names it, and asks nothing of what is in force.
    let waiting = folder.cases.of_drafts.take().unwrap_or_default();

    let run = |case: &Case| {
        let mut own = Report::default();
        case.run(&whole, &mut own);
        own
    };
    let reports: Vec<Report> = waiting.par_iter().map(run).collect();

    for (case, own) in waiting.iter().zip(reports) {
        let scale = case.scale.as_ref().map(|(date, _)| *date);
        if let Some(draft) = folder
            .drafts
            .iter_mut()
            .find(|draft| scale == Some(draft.date))
        {
            draft.errors += own.errors().count();
        }

        report.extend(own.demoted());
    }
}

/// The file at the root of the rules that says how a service publishes them.
pub(crate) const SERVICE: &str = "service.yaml";

/// Reports every file at the root but those of the service; returns whether one of them may be that
/// file, misnamed.
pub(crate) fn report_root_files(files: &FileSet, report: &mut Report) -> bool {
    let is_there = files.root.iter().any(|file| file.path() == SERVICE);
    let mut is_misnamed = false;

    let own = [SERVICE, TRANSLATION];
    for file in files.root.iter().filter(|file| !own.contains(&file.path())) {
        let name = file.path().to_owned();
        let is_service = corrected_name(&name) == SERVICE;

        let problem = match is_service {
            true if is_there => Problem::FileBesideItsTwin {
                name,
                twin: SERVICE.to_owned(),
            },
            true => Problem::UnexpectedFile {
                name,
                near: Some(SERVICE.to_owned()),
            },
            false => Problem::FileAtRoot { name },
        };
        report.error(&Place::of_file(file), problem);
        is_misnamed |= is_service;
    }

    is_misnamed
}

/// Corrects the name of a file: `Cases.YML` and `cas.yaml` are `cases.yaml`, `2027-1-1.yaml` is
/// `2027-01-01.yaml`, and `drapeau.svg` is `picture.svg`.
fn corrected_name(name: &str) -> String {
    let name = name.to_lowercase();
    // A folder has one picture.
    if name.trim_end_matches(".txt").ends_with(PICTURE_END) {
        return PICTURE.to_owned();
    }

    // Editors and downloads add endings to endings: `method.yaml.txt`.
    let mut stem = name.as_str();
    while let Some(shorter) = [".txt", ".yaml", ".yml"]
        .iter()
        .find_map(|end| stem.strip_suffix(end))
    {
        stem = shorter;
    }

    let known = suggestion(stem, ["method", "cases", "service"]).map(str::to_owned);
    let stem = corrected_date(stem)
        .or(known)
        .unwrap_or_else(|| stem.to_owned());
    format!("{stem}.yaml")
}
