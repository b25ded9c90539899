//! How an edited rule file comes into force while the service runs.
//!
//! One thread watches, waits until the files are quiet, loads the set (parse, check, run its cases) and
//! swaps it in with one store. Folders stand alone: one with errors keeps its last good state, or is absent
//! if it never had one, and the others come into force; the errors are in the log and in `/readyz`. When
//! the reading fails in any other way, or takes too long, the last good set goes on serving.
//!
//! A set without some of the files in force may be an unfinished copy: it is held until the files have not
//! changed for a while.
//!
//! SIGHUP has the files read at once.
//!
//! Changes that the watch misses (network file systems, exhausted inotify) are found by polling the content every
//! few seconds. Content also decides whether anything changed at all, so that an editor's swap file or a
//! `touch` loads nothing.

pub(crate) mod in_force;
pub(crate) mod outcome;
mod watch;

use std::collections::BTreeSet;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use bareme_engine::service::{Loaded, Rules};
use bareme_engine::{FileSet, Loader, Report};
use tokio::sync::oneshot;

use crate::api::answer_cache::AnswerCache;
use crate::openapi;
use in_force::{InForce, Snapshot};
use outcome::{MAX_ERRORS, Outcome, RuleError};
use watch::Watch;

/// How often the content is checked when no change was noticed.
const POLL_INTERVAL: Duration = Duration::from_secs(5);

/// How long the files must be unchanged before a set that lost files comes into force.
const SETTLE_TIME: Duration = Duration::from_secs(5);

/// The thread that keeps the rules up to date, as the rest of the service sees it.
#[derive(Debug)]
pub(crate) struct Reload {
    wake: mpsc::Sender<()>,
    asked: Arc<AtomicBool>,
}

impl Reload {
    /// Loads the rules, then keeps them up to date, on a thread of its own. The receiver says when they were read for
    /// the first time.
    pub(crate) fn start(root: &Path, rules: Arc<InForce>) -> io::Result<(Self, oneshot::Receiver<()>)> {
        let root = std::path::absolute(root)?;
        let (first, read) = oneshot::channel();
        let (wake, woken) = mpsc::channel();
        let reload = Self { wake: wake.clone(), asked: Arc::default() };
        let asked = Arc::clone(&reload.asked);
        let reloader = Reloader { root, rules, seen: None, served: BTreeSet::new(), settling: None };
        thread::Builder::new().name("reload".to_owned()).spawn(move || reloader.run((wake, woken), &asked, first))?;
        Ok((reload, read))
    }

    /// Has the files read now, whether a change of them was noticed or not.
    pub(crate) fn ask(&self) {
        self.asked.store(true, Ordering::Release);
        // The thread never ends while the service runs.
        self.wake.send(()).unwrap_or_default();
    }
}

/// Digest of the files at one moment.
type Fingerprint = [u8; 32];

struct Reloader {
    root: PathBuf,
    rules: Arc<InForce>,
    /// The content that was last loaded, be it accepted or refused.
    seen: Option<Fingerprint>,
    /// Paths of the files of the set in force.
    served: BTreeSet<String>,
    /// The content of a set that lost files, and since when it is so.
    settling: Option<(Fingerprint, Instant)>,
}

impl Reloader {
    fn run(mut self, channel: (mpsc::Sender<()>, mpsc::Receiver<()>), asked: &AtomicBool, first: oneshot::Sender<()>) {
        // Watching starts before the first reading, so that no change falls between the two.
        let mut watch = Watch::new(&self.root, channel);
        self.guarded(Self::read);
        // The receiver is gone if the service was stopped meanwhile.
        first.send(()).unwrap_or_default();
        loop {
            let changed = watch.wait(self.settling.map_or(POLL_INTERVAL, |_| SETTLE_TIME / 5));
            let is_asked = asked.swap(false, Ordering::AcqRel);
            let before = self.seen;
            self.guarded(|reloader| {
                if changed {
                    watch.renew(&reloader.root);
                }
                reloader.read();
            });
            if is_asked {
                // The outcome of a set that is new was logged when it was read.
                let (unchanged, refused) = (self.seen == before, self.rules.outcome().errors.len());
                tracing::info!(unchanged, refused, "rules read again, as asked by SIGHUP");
            }
        }
    }

    /// Runs a load; a panic in it does not end the thread.
    fn guarded(&mut self, read: impl FnOnce(&mut Self)) {
        self.rules.loading.start();
        if catch_unwind(AssertUnwindSafe(|| read(self))).is_err() {
            self.refuse(vec![RuleError::internal()]);
        }
        self.rules.loading.end();
    }

    /// Reads the files, and loads the set if its content changed.
    fn read(&mut self) {
        let files = FileSet::read(&self.root);
        let content = files.fingerprint();
        let waits =
            self.settling.filter(|(known, _)| *known == content).map(|(_, since)| since.elapsed() < SETTLE_TIME);
        if waits.unwrap_or(self.seen == Some(content)) {
            return;
        }
        let started = Instant::now();
        let before = self.rules.snapshot();
        let loaded = catch_unwind(AssertUnwindSafe(|| load(&files, before.as_deref())));
        if FileSet::read(&self.root).fingerprint() != content {
            // Files changed while they were read: what was loaded may be a mixture. The change was
            // noticed too, or will be at the next poll.
            tracing::debug!("rules changed while they were read");
            return;
        }
        self.seen = Some(content);
        match loaded {
            Ok(Ok(snapshot)) => {
                let paths = files.paths().map(str::to_owned).collect();
                if self.must_wait(content, &paths, &snapshot.rules) {
                    return;
                }
                self.served = paths;
                self.accept(snapshot, started.elapsed());
            }
            Ok(Err(report)) => self.refuse(report.errors().take(MAX_ERRORS).map(RuleError::from).collect()),
            Err(_) => self.refuse(vec![RuleError::internal()]),
        }
        self.settling = None;
    }

    /// Whether a valid set lost files too recently: it may be an unfinished copy. Reports it the first time. What a folder
    /// lost that is held changes nothing of what serves.
    fn must_wait(&mut self, content: Fingerprint, paths: &BTreeSet<String>, rules: &Rules) -> bool {
        let lost: Vec<String> = self.served.difference(paths).filter(|path| !rules.holds(path)).cloned().collect();
        match self.settling {
            _ if lost.is_empty() => false,
            // It has waited: it would not have been loaded again before.
            Some((known, _)) if known == content => false,
            _ => {
                tracing::warn!(lost = lost.join(" "), "rules on hold: files in force are missing");
                self.settling = Some((content, Instant::now()));
                self.rules.record(Outcome::waiting(lost));
                true
            }
        }
    }

    fn accept(&self, snapshot: Snapshot, took: Duration) {
        let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        tracing::info!(
            version = snapshot.rules.version(),
            folders = snapshot.rules.folders().count(),
            millis,
            "rules in force"
        );
        for (folder, draft) in snapshot.rules.drafts() {
            tracing::info!(
                folder,
                date = draft.date.to_string(),
                unconfirmed = draft.unconfirmed.len(),
                errors = draft.errors,
                "draft not in force"
            );
        }
        let outcome = Outcome::partial(snapshot.rules.held(), &self.rules.outcome());
        for held in &outcome.held {
            let state = if held.serves { "its last good state serves" } else { "it is absent" };
            tracing::error!(folder = held.folder, since = held.since.to_string(), "files of a folder refused: {state}");
        }
        log(&outcome.errors);
        self.rules.publish(snapshot, outcome);
    }

    fn refuse(&self, errors: Vec<RuleError>) {
        log(&errors);
        self.rules.refuse(Outcome::of(errors));
    }
}

fn log(errors: &[RuleError]) {
    for error in errors {
        tracing::error!(
            file = error.file,
            line = error.line,
            column = error.column,
            code = error.code,
            cure = error.cure,
            "rules refused: {}",
            error.message
        );
    }
}

/// The set, each folder by itself, or everything that is wrong with it. Folders that are as they were in the set in
/// force are taken over from it.
fn load(files: &FileSet, before: Option<&Snapshot>) -> Result<Snapshot, Report> {
    let before = before.map(|before| &before.rules);
    let Loaded { rules, report } = Loader::new().load_service_apart(files, before);
    let rules = rules.ok_or(report)?;
    let documents = openapi::documents(&rules);
    Ok(Snapshot { rules, documents, answers: AnswerCache::default() })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn reloader(root: &Path) -> Reloader {
        Reloader { root: root.to_owned(), rules: Arc::default(), seen: None, served: BTreeSet::new(), settling: None }
    }

    fn copy_folder(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
            let target = to.join(entry.file_name());
            if entry.path().is_dir() {
                copy_folder(&entry.path(), &target);
            } else {
                fs::copy(entry.path(), target).unwrap();
            }
        }
    }

    #[tokio::test]
    async fn looking_is_enough_where_nothing_can_be_watched() {
        let folder = tempfile::tempdir().unwrap();
        let mut reloader = reloader(folder.path());
        reloader.guarded(Reloader::read);
        assert!(!reloader.rules.outcome().errors.is_empty() && reloader.rules.snapshot().is_none());

        copy_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules"), folder.path());
        reloader.guarded(Reloader::read);
        assert!(reloader.rules.outcome().errors.is_empty());
        let first = reloader.rules.snapshot().unwrap();

        // Nothing changed, nothing is loaded.
        reloader.guarded(Reloader::read);
        assert!(Arc::ptr_eq(&first, &reloader.rules.snapshot().unwrap()));

        fs::write(folder.path().join("service.yaml"), "format: bareme/1").unwrap();
        reloader.guarded(Reloader::read);
        let outcome = reloader.rules.outcome();
        assert!(outcome.errors.iter().all(|error| error.file == "service.yaml"));
        assert_eq!(outcome.held.iter().map(|held| held.folder.as_str()).collect::<Vec<_>>(), ["service.yaml"]);
        assert_eq!(reloader.rules.snapshot().unwrap().rules.version(), first.rules.version());
    }

    #[tokio::test]
    async fn a_set_that_lost_files_waits_until_they_are_still() {
        let folder = tempfile::tempdir().unwrap();
        copy_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules"), folder.path());
        let mut reloader = reloader(folder.path());
        reloader.guarded(Reloader::read);
        let is_of = |reloader: &Reloader, version: &str| reloader.rules.snapshot().unwrap().rules.version() == version;
        let first = reloader.rules.snapshot().unwrap().rules.version().to_owned();

        fs::remove_dir_all(folder.path().join("salaire-net/ci")).unwrap();
        reloader.guarded(Reloader::read);
        let outcome = reloader.rules.outcome();
        assert!(outcome.errors.is_empty() && outcome.lost.iter().any(|path| path == "salaire-net/ci/method.yaml"));
        assert!(is_of(&reloader, &first));

        // The files are back: nothing waits.
        let ci = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules/salaire-net/ci");
        copy_folder(&ci, &folder.path().join("salaire-net/ci"));
        reloader.guarded(Reloader::read);
        assert!(reloader.rules.outcome().lost.is_empty() && reloader.settling.is_none());
        fs::remove_dir_all(folder.path().join("salaire-net/ci")).unwrap();
        reloader.guarded(Reloader::read);
        assert!(!reloader.rules.outcome().lost.is_empty());

        // Another change starts the wait anew.
        let long_ago = || Instant::now().checked_sub(SETTLE_TIME).unwrap();
        reloader.settling = reloader.settling.map(|(content, _)| (content, long_ago()));
        fs::remove_dir_all(folder.path().join("salaire-net/cm")).unwrap();
        reloader.guarded(Reloader::read);
        assert!(is_of(&reloader, &first));

        reloader.settling = reloader.settling.map(|(content, _)| (content, long_ago()));
        reloader.guarded(Reloader::read);
        assert!(reloader.rules.snapshot().unwrap().rules.folder("salaire-net/ci").is_none());
        assert!(reloader.rules.outcome().lost.is_empty());
    }

    #[tokio::test]
    async fn a_reading_that_panics_leaves_the_last_good_set_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        copy_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules"), folder.path());
        let mut reloader = reloader(folder.path());
        reloader.guarded(Reloader::read);
        let first = reloader.rules.snapshot().unwrap();
        reloader.guarded(|_| panic!("the engine has a defect"));
        assert_eq!(reloader.rules.outcome().errors[0].code, "erreur-interne");
        assert!(Arc::ptr_eq(&first, &reloader.rules.snapshot().unwrap()));
        assert!(reloader.rules.loading.since().is_none());
    }
}
