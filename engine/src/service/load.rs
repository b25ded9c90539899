//! The loader of a rule set with its service, and the checks across both.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, LazyLock};

use crate::run;
use crate::run::folder::Folder;
use crate::run::rules::family;
use crate::set::files::FileSet;
use crate::set::load::translation::{TRANSLATION, Translation};
use crate::set::load::{Loader, SERVICE, report_root_files};
use crate::set::schema::Schema;
use crate::text::words::distinct;
use crate::text::{Diagnostic, Lang, Node, Place, Problem, Report, RuleFile};

use super::found_by::check_found_by;
use super::leads_to::check_leads_to;
use super::not_calculated;
use super::question::check_questions;
use super::reachable::check_reachable;
use super::shared::check_shared;
use super::{Endpoint, Rules, Service, service_schema};

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::new(service_schema()));

/// A rule set with its service if there are no errors, and the report of the load.
pub type Loaded = crate::set::Loaded<Rules>;

impl Loader<'_> {
    /// Loads the rule set of a folder with its service.
    pub fn load_service(self, root: &Path) -> Loaded {
        self.load_service_files(&FileSet::read(root))
    }

    /// Loads a rule set with its service from their files.
    pub fn load_service_files(self, files: &FileSet) -> Loaded {
        let mut report = files.report.clone();

        if files.is_refused {
            return Loaded {
                rules: None,
                report,
            };
        }

        // The schema of the service is compiled meanwhile, not once all folders are read.
        let (folders, _) = rayon::join(
            || self.read_folders(files, &|_, folder| folder, &mut report),
            || LazyLock::force(&SCHEMA),
        );

        let mut own = Report::default();
        let service = self.read_service(files, &mut own);
        let is_clear = own.is_ok();
        report.extend(own);

        // A service with errors does not tell which folders it needs. Where folders were not read,
        // nothing can be checked across them.
        if is_clear && let Some(service) = &service {
            if self.is_whole() {
                check_whole(service, files, &folders, |_| false, &mut report);
            } else if !self.skips_others {
                let across = self.check_selected(service, files, &folders, &report);
                report.extend(across);
            }
        }

        report.sort();
        let service = if report.is_ok() { service } else { None };

        // Rules without a service have no endpoint, and are not published.
        let rules = service.map(|service| {
            let rules = run::rules::Rules::new(files.root.content(), folders);
            Rules {
                rules,
                service: Arc::new(service),
                held: BTreeMap::new(),
            }
        });
        Loaded { rules, report }
    }

    /// Checks a service and its folders, where some of these were asked for: what is reported of the
    /// others is left out, with what they lack where they have errors.
    fn check_selected(
        self,
        service: &Service,
        files: &FileSet,
        folders: &BTreeMap<String, Arc<Folder>>,
        of_folders: &Report,
    ) -> Report {
        let mut across = Report::default();

        // A folder with errors is absent, and has more than drafts all the same.
        let has_errors = |folder: &str| {
            let mut errors = of_folders.errors();
            errors.any(|found| {
                found
                    .file()
                    .rsplit_once('/')
                    .is_some_and(|(of, _)| of == folder)
            })
        };
        let is_beside = |folder: &str| !self.is_selected(folder) || has_errors(folder);
        check_whole(service, files, folders, is_beside, &mut across);

        let is_of_service = |found: &Diagnostic| found.file() == SERVICE;
        let is_of_selected = |found: &Diagnostic| {
            let folder = found.file().rsplit_once('/').map(|(folder, _)| folder);
            folder.is_some_and(|folder| self.is_selected(folder))
        };
        across.only(|found| is_of_service(found) || is_of_selected(found))
    }

    /// Reads the file of the service. One that was wrongly recorded as checked is checked like any
    /// other.
    pub(super) fn read_service(self, files: &FileSet, report: &mut Report) -> Option<Service> {
        // A file with nearly that name is reported instead of the missing one.
        let is_misnamed = report_root_files(files, report);

        let Some(file) = files.root.iter().find(|file| file.path() == SERVICE) else {
            if !is_misnamed {
                report.error(
                    &Place::of_file(&RuleFile::new(SERVICE, "")),
                    Problem::ServiceMissing {},
                );
            }
            return None;
        };

        let node = Node::read(file, report)?;
        let paths: Vec<&str> = files.folders.keys().map(String::as_str).collect();

        let mut own = Report::default();
        let service = SCHEMA.check_sections(&node, &mut own).then(|| {
            let mut service = Service::read(&node, &paths, &mut own);
            if !self.skips_english {
                service.english = in_english(files, &node, &paths, report).map(Box::new);
            }
            // The schema is checked after the reading, and only where it is not known to hold: a
            // file that was checked before, byte for byte, needs no second check.
            if !self.trusts_service(files) || !own.is_ok() {
                SCHEMA.validate(&node, &mut own);
            }
            service
        });

        report.extend_file(own);
        service
    }
}

/// The service with its texts in English; `None` without a file of them. A mistake in it holds
/// nothing back.
fn in_english(
    files: &FileSet,
    node: &Node,
    folders: &[&str],
    report: &mut Report,
) -> Option<Service> {
    let file = files.root.iter().find(|file| file.path() == TRANSLATION)?;
    let mut own = Report::default();
    let translation = Translation::read(file, &mut own);

    // An endpoint or a variant whose title is in English needs all of its texts: others share the
    // topics of an endpoint.
    let service = translation.map(|translation| {
        let titled = |key| {
            let all = node.entries_of(key).iter();
            all.filter(|(_, node)| translation.has_title(node))
        };
        let variants = titled("variants").map(|(_, node)| node);
        let titled: Vec<_> = titled("endpoints").collect();
        let subjects = node.entries_of(not_calculated::KEY).iter();
        let nodes = titled.iter().map(|(_, node)| node).chain(variants);
        let nodes = nodes.chain(subjects.clone().map(|(_, node)| node));
        translation.check(nodes, [node].into_iter(), &mut own);

        let whole = titled.iter().filter(|(_, node)| translation.has_all(node));
        let whole: Vec<&str> = whole.map(|(name, _)| name.value.as_str()).collect();
        let read = Service::read(&translation.of_file(node), folders, &mut Report::default());
        let endpoints = read.endpoints.into_iter();
        let endpoints = endpoints.filter(|endpoint| whole.contains(&endpoint.name.as_str()));
        let answered = subjects.filter(|(_, node)| translation.has_all(node));
        let answered: Vec<&str> = answered.map(|(name, _)| name.value.as_str()).collect();
        let subjects = read.not_calculated.into_iter();
        let subjects = subjects.filter(|subject| answered.contains(&subject.name.as_str()));
        Service {
            lang: Lang::En,
            endpoints: endpoints.collect(),
            not_calculated: subjects.collect(),
            ..read
        }
    });
    let is_ok = own.is_ok();
    report.extend(own.demoted());
    service.filter(|_| is_ok)
}

/// Checks that a service and its folders are consistent; `is_held` tells the folders that are known
/// to have errors.
pub(super) fn check_whole(
    service: &Service,
    files: &FileSet,
    folders: &BTreeMap<String, Arc<Folder>>,
    is_held: impl Fn(&str) -> bool,
    report: &mut Report,
) {
    check_families(service, folders, report);
    check_headlines(service, folders, report);
    check_found_by(service, folders, report);
    check_leads_to(service, folders, report);
    check_questions(service, folders, report);
    let called = folders.values().flat_map(|folder| folder.used_folders());
    check_reachable(service, files, &called.collect(), report);
    check_shared(folders, report);
    // A folder with errors is absent too, which must not be reported as well.
    if report.is_ok() {
        check_in_force(
            service,
            files,
            |folder| folders.contains_key(folder) || is_held(folder),
            report,
        );
    }
}

/// Checks that a folder that an endpoint names has a scale in force, as far as `is_known` tells.
fn check_in_force(
    service: &Service,
    files: &FileSet,
    is_known: impl Fn(&str) -> bool,
    report: &mut Report,
) {
    // An endpoint of a family answers with the folders that there are; one of a single folder needs
    // that one.
    for endpoint in service
        .endpoints
        .iter()
        .filter(|endpoint| endpoint.by.is_none())
    {
        let first = files
            .folders
            .get(&endpoint.folder)
            .and_then(|files| files.first());

        if let (Some(file), false) = (first, is_known(&endpoint.folder)) {
            let (folder, endpoint) = (endpoint.folder.clone(), endpoint.name.clone());
            report.error(
                &Place::of_file(file),
                Problem::OnlyDrafts { folder, endpoint },
            );
        }
    }
}

/// Checks that each method that an endpoint publishes says which field readers come for: its
/// answers are compared by it.
fn check_headlines(
    service: &Service,
    folders: &BTreeMap<String, Arc<Folder>>,
    report: &mut Report,
) {
    for endpoint in &service.endpoints {
        let alone = folders
            .get_key_value(&endpoint.folder)
            .filter(|_| endpoint.by.is_none());
        let alone = alone.map(|(_, folder)| folder.as_ref());

        // Answers of a family are compared with each other too.
        let of_family = endpoint
            .by
            .iter()
            .flat_map(|_| family(folders, &endpoint.folder))
            .map(|(_, folder)| folder);

        for folder in alone.into_iter().chain(of_family) {
            // The whole method counts, so that a headline in an option that one scale leaves out is
            // enough.
            let methods = folder.editions.iter().map(|edition| edition.method.whole());
            let methods = distinct(
                methods.filter(|method| method.headlines.is_empty()),
                |method| method.name.as_str(),
            );

            for method in methods {
                report.error(
                    &method.place,
                    Problem::FolderWithoutHeadline {
                        endpoint: endpoint.name.clone(),
                    },
                );
            }
        }
    }
}

/// Checks that a constant field with the name of its folder has the word that callers send for it.
fn check_families(service: &Service, folders: &BTreeMap<String, Arc<Folder>>, report: &mut Report) {
    for endpoint in &service.endpoints {
        let Some(by) = &endpoint.by else { continue };

        for (word, folder) in family(folders, &endpoint.folder) {
            // A constant field named like the parameter says to readers which word they have sent.
            let constants = folder
                .editions
                .iter()
                .flat_map(|edition| &edition.method.constants);
            let differing =
                constants.filter(|(field, written)| field == by && written.value != word);
            for (field, written) in differing {
                report.error(
                    &written.place,
                    Problem::ConstantOfOtherFolder {
                        field: field.clone(),
                        stated: written.value.clone(),
                        word: word.to_owned(),
                    },
                );
            }
        }
    }

    // A service with errors may lack a family.
    if report.errors().all(|error| error.file() != SERVICE) {
        check_aliases(service, folders, report);
    }
}

/// Checks that each alias selects one folder only, and that its folder belongs to a family.
fn check_aliases(service: &Service, folders: &BTreeMap<String, Arc<Folder>>, report: &mut Report) {
    // An alias selects a folder by a word, which only a family reads.
    let is_family = |endpoint: &&Endpoint| endpoint.by.is_some();
    let families: BTreeSet<&str> = service
        .endpoints
        .iter()
        .filter(is_family)
        .map(|endpoint| endpoint.folder.as_str())
        .collect();

    for (path, folder) in folders {
        let (in_family, own) = path.rsplit_once('/').unwrap_or(("", path));
        // Words and aliases are looked up in one family: the same alias in two families is no
        // mistake.
        let others = || family(folders, in_family).filter(|(word, _)| *word != own);

        for alias in folder.aliases() {
            // Of two folders with the same alias, the second is reported.
            let is_taken = |(word, other): &(&str, &Folder)| {
                *word == alias.word || (*word < own && other.is_called(&alias.word))
            };

            if !families.contains(in_family) {
                report.error(
                    &alias.place,
                    Problem::AliasOfNoFamily {
                        folder: path.clone(),
                    },
                );
            } else if let Some((taken_by, _)) = others().find(is_taken) {
                let (alias_name, other) = (alias.name.clone(), taken_by.to_owned());
                report.error(
                    &alias.place,
                    Problem::AliasOfTwoFolders {
                        alias: alias_name,
                        other,
                    },
                );
            }
        }

        // A word must not both select one folder and be suggested for another.
        for near in folder.near() {
            let mut all = family(folders, in_family);
            if let Some((other, _)) =
                all.find(|(word, other)| *word == near.word || other.is_called(&near.word))
            {
                let (alias, other) = (near.name.clone(), other.to_owned());
                report.error(&near.place, Problem::AliasOfTwoFolders { alias, other });
            }
        }
    }
}
