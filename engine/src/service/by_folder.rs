//! The loader that treats each folder alone: a folder with errors, or with doubts that nobody
//! answered, keeps its last good state.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::run;
use crate::run::folder::Folder;
use crate::set::files::FileSet;
use crate::set::load::Loader;
use crate::text::diagnostic::{Diagnostic, Report, folder_of};

use super::load::check_whole;
use super::{Loaded, Rules, Service};

/// A folder, or the file of the service, that is held back: its files have errors.
///
/// [`Rules::held`] lists those of a rule set.
#[derive(Debug, Clone)]
pub struct Held {
    /// Path of the folder; empty for the file of the service.
    pub folder: String,
    /// Whether its last good state is in use; else it is absent.
    pub serves: bool,
    /// Its errors and doubts; at least one.
    pub errors: Vec<Diagnostic>,
}

impl<'r> Loader<'r> {
    /// Loads a rule set with its service from their files, each folder alone. A folder with errors
    /// keeps its state in `before`, or is absent; so does the file of the service. A folder whose
    /// scales in force give rise to [doubts](crate::Folder::doubts) counts as one with errors.
    /// There are no rules without a service, or where the parts without errors are inconsistent.
    ///
    /// ```
    /// use bareme_engine::{FileSet, Loader};
    ///
    /// let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
    /// let read = Loader::new().without_cases().load_service_by_folder(&FileSet::read(root), None);
    /// assert_eq!(read.rules.map(|rules| rules.held().count()), Some(0));
    /// ```
    pub fn load_service_by_folder(self, files: &FileSet, before: Option<&'r Rules>) -> Loaded {
        let mut report = files.report.clone();
        // Files that cannot be read at all say nothing about any folder.
        if files.is_refused {
            return Loaded {
                rules: None,
                report,
            };
        }

        // Folders whose files are the same are taken over as they are, checks included.
        let loader = before.map_or(self, |before| self.reusing(&before.rules));

        // Others calculate the state of a folder that is in force: an earlier one where the new one has
        // errors or doubts.
        let in_force = |path: &str, folder: Option<Arc<Folder>>| {
            let earlier = || before.and_then(|before| before.rules.folders.get(path).cloned());
            folder
                .filter(|folder| folder.doubts().next().is_none())
                .or_else(earlier)
        };
        let folders = loader.read_folders(files, &in_force, &mut report);
        let service = loader.read_service(files, &mut report);

        let mut set = PartialSet {
            files,
            before,
            folders,
            service: service.map(Arc::new),
            held: BTreeMap::new(),
        };

        // Each part with an error gives way to its earlier state; a set that is then inconsistent
        // holds more of them.
        set.hold(report.errors());
        set.hold_doubted();

        let rules = set
            .settle(&mut report)
            .map(|service| set.into_rules(service));

        report.sort();
        Loaded { rules, report }
    }
}

/// A rule set being loaded, some parts of which are held at their earlier state.
struct PartialSet<'f> {
    files: &'f FileSet,
    before: Option<&'f Rules>,
    folders: BTreeMap<String, Arc<Folder>>,
    /// The service, if its file has no errors.
    service: Option<Arc<Service>>,
    held: BTreeMap<String, Held>,
}

impl PartialSet<'_> {
    /// Holds every folder with a doubt that nobody answered: what is doubted is not in force.
    fn hold_doubted(&mut self) {
        let doubts = self.folders.values().flat_map(|folder| folder.doubts());
        let doubts: Vec<Diagnostic> = doubts.cloned().collect();
        self.hold(doubts.iter());
    }

    /// Replaces every part with one of these errors by its earlier state; returns whether one of
    /// them was not held yet.
    fn hold<'d>(&mut self, errors: impl Iterator<Item = &'d Diagnostic>) -> bool {
        let mut is_new = false;
        for error in errors {
            let part = self.part(error.file()).to_owned();
            // A part is replaced once; further errors only add to its reasons.
            if let Some(held) = self.held.get_mut(&part) {
                held.errors.push(error.clone());
                continue;
            }
            is_new = true;

            self.folders.remove(&part);

            // A folder that was never good has no earlier state: it is left out of the set.
            let known = self
                .before
                .and_then(|before| before.rules.folders.get(&part));
            self.folders
                .extend(known.map(|folder| (part.clone(), Arc::clone(folder))));
            let serves = known.is_some() || (part.is_empty() && self.before.is_some());

            self.held.insert(
                part.clone(),
                Held {
                    folder: part,
                    serves,
                    errors: vec![error.clone()],
                },
            );
        }
        is_new
    }

    /// The part that a file belongs to: its folder, or the file of the service for those beside the
    /// folders.
    fn part<'p>(&self, path: &'p str) -> &'p str {
        // A file whose folder cannot be read is reported by the path of the folder itself.
        if self.files.folders.contains_key(path) {
            path
        } else {
            folder_of(path)
        }
    }

    /// Holds parts until the service and the folders are consistent, and returns that service;
    /// `None` if they never are.
    fn settle(&mut self, report: &mut Report) -> Option<Arc<Service>> {
        // Each round holds one part more at least, so that the rounds end.
        loop {
            let service = self.service_in_force()?;

            let mut own = Report::default();
            check_whole(
                &service,
                self.files,
                &self.folders,
                |folder| self.held.contains_key(folder),
                &mut own,
            );
            let is_ok = own.is_ok();

            let goes_on = self.hold(own.errors());
            report.extend(own);

            if !goes_on {
                return Some(service).filter(|_| is_ok && !self.folders.is_empty());
            }
        }
    }

    /// The service of the files, or that of the earlier state. The earlier service keeps its
    /// folders, even those whose files were removed.
    fn service_in_force(&mut self) -> Option<Arc<Service>> {
        if !self.held.contains_key("") {
            return self.service.clone();
        }

        // The file of the service in force names folders that may be gone from the new files.
        // Without an earlier service there is nothing to publish.
        let before = self.before?;
        for (path, folder) in &before.rules.folders {
            self.folders
                .entry(path.clone())
                .or_insert_with(|| Arc::clone(folder));
        }

        Some(Arc::clone(&before.service))
    }

    fn into_rules(self, service: Arc<Service>) -> Rules {
        let before = self.before.filter(|_| self.held.contains_key(""));

        // Without a new service, the root keeps the digest of the files that are in force.
        // The version of a set is made of its files: it must not change while an earlier state is
        // in use.
        let root = before.map_or_else(|| self.files.root.content(), |before| before.rules.root);

        Rules {
            rules: run::rules::Rules::new(root, self.folders),
            service,
            held: self.held,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::tests::whole;
    use crate::testing::{TODAY, query, scale, set, steps};

    type Files = Vec<(&'static str, String)>;

    fn read(files: &Files, before: Option<&Rules>) -> Option<Rules> {
        Loader::new()
            .load_service_by_folder(&FileSet::read(set(files).path()), before)
            .rules
    }

    /// The files with one replaced, added or removed.
    fn with(path: &'static str, text: Option<&str>) -> Files {
        let mut files = whole();
        files.retain(|(known, _)| *known != path);
        files.extend(text.map(|text| (path, text.to_owned())));
        files
    }

    fn held(rules: &Rules) -> Vec<(&str, bool)> {
        rules
            .held()
            .map(|held| (held.folder.as_str(), held.serves))
            .collect()
    }

    const BROKEN: &str = "format: bareme/1\n";

    #[test]
    fn a_folder_with_errors_keeps_its_state_and_holds_back_no_other() {
        let before = read(&whole(), None).unwrap();
        assert_eq!(held(&before), []);
        let mut files = with("zz/method.yaml", Some(BROKEN));
        files
            .iter_mut()
            .filter(|(path, _)| *path == "famille/aa/2026-01-01.yaml")
            .for_each(|(_, text)| text.push('\n'));
        let after = read(&files, Some(&before)).unwrap();
        assert_eq!(held(&after), [("zz", true)]);
        let kept =
            |path: &str| std::ptr::eq(before.folder(path).unwrap(), after.folder(path).unwrap());
        assert_eq!((kept("zz"), kept("famille/aa")), (true, false));
        assert_ne!(before.version(), after.version());
        // A corrected folder is in force again, and the version is that of the whole set.
        let mended = read(&whole(), Some(&after)).unwrap();
        assert_eq!(
            (held(&mended), mended.version()),
            (Vec::new(), before.version())
        );
    }

    #[test]
    fn a_folder_that_gives_rise_to_doubts_is_held_until_a_reason_is_written() {
        let before = read(&whole(), None).unwrap();
        let later = |figure: &str| {
            let mut files = whole();
            files.push((
                "zz/2027-01-01.yaml",
                scale(figure).replace("title: Source", "title: \"Loi de 2027\""),
            ));
            files
        };
        let doubted = later("  f: {v: 100%, source: s}");
        let after = read(&doubted, Some(&before)).unwrap();
        assert_eq!(held(&after), [("zz", true)]);
        let codes = |rules: &Rules| {
            let errors = rules.held().flat_map(|held| &held.errors);
            errors.map(Diagnostic::code).collect::<Vec<_>>()
        };
        assert_eq!(codes(&after), ["W40"]);
        assert_eq!(
            after.folder("zz").unwrap().editions().len(),
            1,
            "the state before answers"
        );
        // Without a state before the folder is absent, as one with errors is.
        assert_eq!(held(&read(&doubted, None).unwrap()), [("zz", false)]);

        let reviewed = later("  f: {v: 100%, source: s, reviewed: \"la loi le décuple\"}");
        let accepted = read(&reviewed, Some(&after)).unwrap();
        assert_eq!(held(&accepted), []);
        assert_eq!(accepted.folder("zz").unwrap().editions().len(), 2);
        let draft = later("  f: {v: 100%, source: s, unconfirmed: true}");
        assert_eq!(
            held(&read(&draft, Some(&before)).unwrap()),
            [],
            "a draft answers nothing"
        );
    }

    #[test]
    fn a_change_of_a_folder_that_is_refused_changes_no_version() {
        let before = read(&whole(), None).unwrap();
        let after = read(
            &with("zz/2026-01-01.yaml", Some("figures: [")),
            Some(&before),
        )
        .unwrap();
        assert_eq!(
            (before.version(), held(&after)),
            (after.version(), vec![("zz", true)])
        );
    }

    #[test]
    fn a_folder_that_never_was_good_is_absent() {
        let rules = read(&with("zz/method.yaml", Some(BROKEN)), None).unwrap();
        assert_eq!(held(&rules), [("zz", false)]);
        let [calculation, country] = &rules.service().endpoints[..] else {
            panic!("two endpoints")
        };
        assert_eq!(
            rules
                .absent_for(calculation, || query(""))
                .map(|held| held.folder.as_str()),
            Some("zz")
        );
        assert!(rules.absent_for(country, || query("pays=aa")).is_none());
        let rules = read(&with("famille/aa/method.yaml", Some(BROKEN)), None);
        let rules = rules.unwrap();
        let absent = |text: &str| {
            rules
                .absent_for(&rules.service().endpoints[1], || query(text))
                .is_some()
        };
        assert!(
            absent("pays=aa") && absent("pays=Gold Island"),
            "it may be another name of the absent one"
        );
        assert!(!absent("brut=1"), "a missing word is the caller's mistake");
        assert!(read(&with("service.yaml", Some(BROKEN)), None).is_none());
    }

    #[test]
    fn the_file_of_the_service_keeps_its_state_and_its_folders() {
        let before = read(&whole(), None).unwrap();
        let mut files = with("service.yaml", Some(BROKEN));
        files.retain(|(path, _)| !path.starts_with("famille/"));
        let after = read(&files, Some(&before)).unwrap();
        assert_eq!(held(&after), [("", true)]);
        assert!(
            after.folder("famille/aa").is_some(),
            "the service in force names it"
        );
        assert_eq!(after.version(), before.version());
        assert!(
            after
                .calculate(&after.service().endpoints[0], &query("brut=50"), TODAY)
                .is_ok()
        );
    }

    #[test]
    fn folders_that_do_not_go_together_are_held_too() {
        let named = |folder: &str| {
            steps().replace(
                "folder: zz",
                &format!("folder: famille/{folder}\naliases: Or"),
            )
        };
        let mut files = with("famille/aa/method.yaml", Some(&named("aa")));
        let before = read(&files, None).unwrap();
        let second = [
            ("famille/bb/method.yaml", named("bb")),
            (
                "famille/bb/2026-01-01.yaml",
                scale("  f: {v: 10%, source: s}"),
            ),
        ];
        files.extend(second);
        let after = read(&files, Some(&before)).unwrap();
        assert_eq!(held(&after), [("famille/bb", false)]);
    }
}
