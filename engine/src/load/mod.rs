//! The reading of a rule set: found, parsed, checked, bound, its cases run. All or nothing.

mod folder;
mod served;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::cases::Case;
use crate::diagnostic::{Place, Report, RuleFile};
use crate::draft::Drafts;
use crate::files::{FileSet, hash};
use crate::folder::Folder;
use crate::problem::{Problem, meant};
use crate::rules::{Rules, family};
use crate::schema;
use crate::service::{Endpoint, Service};
use crate::source::respelled_date;
use crate::yaml::Node;

pub(crate) use folder::{FolderFiles, read_folder};

/// What a reading gives: the rules if nothing is wrong, and everything there is to say.
///
/// The example of [`Loader`] reads one.
#[derive(Debug)]
pub struct Loaded {
    /// The rules; `None` when the report has an error.
    pub rules: Option<Rules>,
    /// Errors and warnings.
    pub report: Report,
}

/// Reads rule sets: parses, checks and compiles every file, then runs every worked case.
///
/// ```
/// use bareme_engine::Loader;
///
/// let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// let loaded = Loader::new().without_cases().about(&["tva"]).load(root);
/// let rules = loaded.rules.ok_or("the rules have errors")?;
/// // Once files have changed, the folders that have not are kept.
/// let newer = Loader::new().after(&rules).without_cases().about(&["tva"]).load(root);
/// assert_eq!(newer.rules.map(|newer| newer.version().to_owned()), Some(rules.version().to_owned()));
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[must_use]
pub struct Loader<'r> {
    drafts: Drafts,
    skips_cases: bool,
    about: &'r [&'r str],
    leaves_broken: bool,
    before: Option<&'r Rules>,
}

impl<'r> Loader<'r> {
    /// A loader of the whole set, its drafts aside.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether drafts are scales like the others.
    pub fn drafts(self, drafts: Drafts) -> Self {
        Self { drafts, ..self }
    }

    /// Leaves the worked cases to those who run them one by one.
    pub fn without_cases(self) -> Self {
        Self { skips_cases: true, ..self }
    }

    /// Only these folders, or those of these families, must be right; none: all. Another folder that has errors is
    /// left out, and nothing is said of it.
    pub fn about(self, folders: &'r [&'r str]) -> Self {
        Self { about: folders, ..self }
    }

    /// Leaves out every folder that has errors, and says nothing of it.
    pub fn leave_broken(self) -> Self {
        Self { leaves_broken: true, ..self }
    }

    /// Takes over the folders of a set that are as they were in it: their content was checked then, and their
    /// cases run.
    pub fn after(self, before: &'r Rules) -> Self {
        Self { before: Some(before), ..self }
    }

    /// Reads the rule set of a folder.
    pub fn load(self, root: &Path) -> Loaded {
        self.load_files(&FileSet::read(root))
    }

    /// Reads a rule set from its files.
    pub fn load_files(self, files: &FileSet) -> Loaded {
        if files.is_refused {
            return Loaded { rules: None, report: files.report.clone() };
        }
        let mut report = files.report.clone();
        let mut folders = BTreeMap::new();
        for (path, folder, own) in self.folders(files) {
            if !own.is_ok() && !self.is_about(&path) {
                continue;
            }
            folders.extend(folder.map(|folder| (path, folder)));
            report.extend(own);
        }
        let mut own = Report::default();
        let service = read_service(files, &mut own);
        let is_clear = own.is_ok();
        report.extend(own);
        // What folders owe to the service is not known while the service itself is wrong.
        if let Some(service) = service.as_ref().filter(|_| is_clear) {
            check_families(service, &folders, &mut report);
            if self.about.is_empty() && !self.leaves_broken {
                served::check_served(service, files, &mut report);
            }
            if report.is_ok() && self.about.is_empty() && !self.leaves_broken {
                check_in_force(service, files, &folders, &mut report);
            }
        }
        report.sort();
        let drafts = folders.values().flat_map(|folder| folder.drafts.iter().map(|draft| draft.path(&folder.path)));
        let drafts: BTreeSet<String> = drafts.filter(|_| self.drafts == Drafts::Aside).collect();
        let version = files.version_without(&drafts);
        let rules = service.filter(|_| report.is_ok()).map(|service| Rules { version, service, folders });
        Loaded { rules, report }
    }

    fn is_about(self, path: &str) -> bool {
        let holds =
            |asked: &&str| path.strip_prefix(*asked).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        !self.leaves_broken && (self.about.is_empty() || self.about.iter().any(holds))
    }

    /// Reads the folders, which know nothing of each other, on every processor.
    fn folders(self, files: &FileSet) -> Vec<ReadFolder> {
        files.folders.par_iter().map(|(path, texts)| self.folder(path, texts, files.is_complete(path))).collect()
    }

    /// Reads a folder, or keeps that of the set before.
    fn folder(self, path: &str, texts: &[Arc<RuleFile>], is_complete: bool) -> ReadFolder {
        let content = hash(texts);
        let known = self.before.and_then(|before| before.folders.get(path)).filter(|folder| folder.content == content);
        if let Some(folder) = known {
            return (path.to_owned(), Some(Arc::clone(folder)), folder.warnings.clone());
        }
        let mut report = Report::default();
        let files = FolderFiles { path, content: &content, files: texts, is_complete };
        let mut folder = read_folder(&files, self.drafts, &mut report);
        if let Some(folder) = folder.as_mut().filter(|_| !self.skips_cases) {
            for case in &folder.cases {
                case.run(folder, &mut report);
            }
            if self.drafts == Drafts::Aside {
                check_drafts(&files, folder, &mut report);
            }
        }
        let folder =
            folder.filter(|_| report.is_ok()).map(|folder| Arc::new(Folder { warnings: report.clone(), ..folder }));
        (path.to_owned(), folder, report)
    }
}

/// A folder read, or what is wrong with it.
type ReadFolder = (String, Option<Arc<Folder>>, Report);

/// Runs the cases of the drafts of a folder against them: what fails is a warning.
pub(crate) fn check_drafts(files: &FolderFiles, folder: &mut Folder, report: &mut Report) {
    if folder.drafts.is_empty() {
        return;
    }
    let mut failed = Report::default();
    let Some(whole) = read_folder(files, Drafts::Included, &mut failed) else {
        for draft in &mut folder.drafts {
            let file = draft.path(files.path);
            draft.errors = failed.errors().filter(|error| error.file() == file).count();
        }
        return;
    };
    let waits = |case: &&Case| case.date().is_some_and(|day| folder.is_draft_on(day));
    let waiting: Vec<&Case> = whole.cases.iter().filter(waits).collect();
    for case in waiting {
        let mut own = Report::default();
        case.run(&whole, &mut own);
        let scale = case.date().and_then(|day| whole.edition(day)?.scale());
        if let Some(draft) = folder.drafts.iter_mut().find(|draft| scale.is_some_and(|scale| scale.date == draft.date))
        {
            draft.errors += own.errors().count();
        }
        report.extend(own.demoted());
    }
}

/// A folder that an endpoint names has a scale in force.
fn check_in_force(service: &Service, files: &FileSet, folders: &BTreeMap<String, Arc<Folder>>, report: &mut Report) {
    for endpoint in service.endpoints.iter().filter(|endpoint| endpoint.by.is_none()) {
        let first = files.folders.get(&endpoint.folder).and_then(|files| files.first());
        if let (Some(file), false) = (first, folders.contains_key(&endpoint.folder)) {
            let (folder, endpoint) = (endpoint.folder.clone(), endpoint.name.clone());
            report.error(&Place::of_file(file), Problem::OnlyDrafts { folder, endpoint });
        }
    }
}

/// The file at the root of the rules.
const SERVICE: &str = "service.yaml";

fn read_service(files: &FileSet, report: &mut Report) -> Option<Service> {
    let mut service = None;
    let is_there = files.root.iter().any(|file| file.path() == SERVICE);
    for file in &files.root {
        if file.path() != SERVICE {
            let name = file.path().to_owned();
            let problem = match well_named(&name) == SERVICE {
                true if is_there => Problem::FileBesideItsTwin { name, twin: SERVICE.to_owned() },
                true => Problem::UnexpectedFile { name, near: Some(SERVICE.to_owned()) },
                false => Problem::FileAtRoot { name },
            };
            report.error(&Place::of_file(file), problem);
            continue;
        }
        let Some(node) = Node::read(file, report) else { continue };
        let paths: Vec<&str> = files.folders.keys().map(String::as_str).collect();
        let mut own = Report::default();
        if !schema::SERVICE.check_sections(&node, &mut own) {
            report.extend_file(own);
            continue;
        }
        service = Some(Service::read(&node, &paths, &mut own));
        schema::SERVICE.validate(&node, &mut own);
        report.extend_file(own);
    }
    if !is_there && !files.root.iter().any(|file| well_named(file.path()) == SERVICE) {
        report.error(&Place::of_file(&RuleFile::new(SERVICE, "")), Problem::ServiceMissing {});
    }
    service
}

/// What an answer says of the folder that it comes from must be the word that the caller asked for.
fn check_families(service: &Service, folders: &BTreeMap<String, Arc<Folder>>, report: &mut Report) {
    for endpoint in &service.endpoints {
        let Some(by) = &endpoint.by else { continue };
        for (word, folder) in family(folders, &endpoint.folder) {
            let constants = folder.editions.iter().flat_map(|edition| &edition.method.constants);
            for (field, said) in constants.filter(|(field, said)| field == by && said.value != word) {
                let (field, said, place) = (field.clone(), said.value.clone(), &said.place);
                report.error(place, Problem::ConstantOfOtherFolder { field, said, word: word.to_owned() });
            }
        }
    }
    // A service that was not read whole may lack a family.
    if report.errors().all(|error| error.file() != SERVICE) {
        check_aliases(service, folders, report);
    }
}

/// A word chooses one folder of a family, and there is a family to choose from.
fn check_aliases(service: &Service, folders: &BTreeMap<String, Arc<Folder>>, report: &mut Report) {
    let is_family = |endpoint: &&Endpoint| endpoint.by.is_some();
    let families: BTreeSet<&str> =
        service.endpoints.iter().filter(is_family).map(|endpoint| endpoint.folder.as_str()).collect();
    for (path, folder) in folders {
        let (in_family, own) = path.rsplit_once('/').unwrap_or(("", path));
        let others = || family(folders, in_family).filter(|(word, _)| *word != own);
        for alias in folder.aliases() {
            // Of two folders with the same alias, the second is reported.
            let is_taken =
                |(word, other): &(&str, &Folder)| *word == alias.word || (*word < own && other.is_called(&alias.word));
            if !families.contains(in_family) {
                report.error(&alias.place, Problem::AliasOfNoFamily { folder: path.clone() });
            } else if let Some((taken_by, _)) = others().find(is_taken) {
                let (alias_name, other) = (alias.name.clone(), taken_by.to_owned());
                report.error(&alias.place, Problem::AliasOfTwoFolders { alias: alias_name, other });
            }
        }
    }
}

/// A name of a file as it should be written: `Cases.YML` and `cas.yaml` are `cases.yaml`, `2027-1-1.yaml` is
/// `2027-01-01.yaml`.
fn well_named(name: &str) -> String {
    let name = name.to_lowercase();
    let mut stem = name.as_str();
    while let Some(shorter) = [".txt", ".yaml", ".yml"].iter().find_map(|end| stem.strip_suffix(end)) {
        stem = shorter;
    }
    let known = meant(stem, ["method", "cases", "service"]).map(str::to_owned);
    let stem = respelled_date(stem).or(known).unwrap_or_else(|| stem.to_owned());
    format!("{stem}.yaml")
}
