//! How an edited rule file comes into force while the service runs.
//!
//! One thread watches, waits until the files are quiet, loads the **whole** set (parse, check, run
//! its cases) and swaps it in with one store. A set with one error is refused: the last good one
//! goes on serving, and the errors are in the log and in `/readyz`. So it does when the reading
//! fails in any other way, or takes too long.
//!
//! A set without some of the files in force may be half a copy: it waits until the files have been
//! still for a while.
//!
//! Whatever the watching misses (network file systems, an exhausted inotify) is caught by looking
//! at the content every few seconds. Content also decides whether anything changed at all, so that
//! an editor's swap file or a `touch` loads nothing.

mod watch;

use std::collections::BTreeSet;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use bareme_engine::{FileSet, Loaded, Report};
use tokio::sync::oneshot;

use crate::openapi;
use crate::outcome::{Fault, Outcome};
use crate::recent::Recent;
use crate::shared::{Shared, Snapshot};
use crate::site::Site;
use watch::Watch;

/// How often the content is looked at when nothing was noticed.
const LOOK: Duration = Duration::from_secs(5);

/// How long the files must have been still before a set that lost files comes into force.
const STILL: Duration = Duration::from_secs(5);

/// Most errors kept for `/readyz` and the log; whoever mends one file sees the next ones then.
const MOST_FAULTS: usize = 50;

/// Loads the rules, then keeps them up to date, on a thread of its own. What is returned says when they were read
/// for the first time.
pub fn start(root: &Path, shared: Arc<Shared>) -> io::Result<oneshot::Receiver<()>> {
    let root = std::path::absolute(root)?;
    let (first, read) = oneshot::channel();
    let keeper = Keeper { root, shared, seen: None, served: BTreeSet::new(), shrunk: None };
    thread::Builder::new().name("reload".to_owned()).spawn(move || keeper.keep(first))?;
    Ok(read)
}

/// What the files say at one moment.
type Fingerprint = [u8; 32];

struct Keeper {
    root: PathBuf,
    shared: Arc<Shared>,
    /// The content that was last loaded, be it accepted or refused.
    seen: Option<Fingerprint>,
    /// Paths of the files of the set in force.
    served: BTreeSet<String>,
    /// The content of a set that lost files, and since when it is so.
    shrunk: Option<(Fingerprint, Instant)>,
}

impl Keeper {
    fn keep(mut self, first: oneshot::Sender<()>) {
        // Watching starts before the first reading, so that no change falls between the two.
        let mut watch = Watch::new(&self.root);
        self.guarded(Self::read);
        // Nobody waits when the service was told to stop meanwhile.
        first.send(()).unwrap_or_default();
        loop {
            let changed = watch.wait(self.shrunk.map_or(LOOK, |_| STILL / 5));
            self.guarded(|keeper| {
                if changed {
                    // A folder replaced by another of the same name is no longer watched: start anew.
                    watch = Watch::new(&keeper.root);
                }
                keeper.read();
            });
        }
    }

    /// Does what reads the files; nothing that fails in it ends the thread.
    fn guarded(&mut self, read: impl FnOnce(&mut Self)) {
        self.shared.reading.start();
        if catch_unwind(AssertUnwindSafe(|| read(self))).is_err() {
            self.refuse(vec![Fault::internal()]);
        }
        self.shared.reading.end();
    }

    /// Reads the files, and loads the set if its content changed.
    fn read(&mut self) {
        let files = FileSet::read(&self.root);
        let content = files.fingerprint();
        let waits = self.shrunk.filter(|(known, _)| *known == content).map(|(_, since)| since.elapsed() < STILL);
        if waits.unwrap_or(self.seen == Some(content)) {
            return;
        }
        let started = Instant::now();
        let before = self.shared.snapshot();
        let loaded = catch_unwind(AssertUnwindSafe(|| load(&files, before.as_deref())));
        if FileSet::read(&self.root).fingerprint() != content {
            // Files changed while they were read: what was loaded may be half of each. The change
            // was noticed too, or will be at the next look.
            tracing::debug!("rules changed while they were read");
            return;
        }
        self.seen = Some(content);
        match loaded {
            Ok(Ok(snapshot)) => {
                let paths = files.paths().map(str::to_owned).collect();
                if self.must_wait(content, &paths) {
                    return;
                }
                self.served = paths;
                self.accept(snapshot, started.elapsed());
            }
            Ok(Err(report)) => self.refuse(report.errors().take(MOST_FAULTS).map(Fault::from).collect()),
            Err(_) => self.refuse(vec![Fault::internal()]),
        }
        self.shrunk = None;
    }

    /// Whether a good set lost files too lately: it may be half a copy. The first time, says so.
    fn must_wait(&mut self, content: Fingerprint, paths: &BTreeSet<String>) -> bool {
        let lost: Vec<String> = self.served.difference(paths).cloned().collect();
        match self.shrunk {
            _ if lost.is_empty() => false,
            // It has waited: it would not have been loaded again before.
            Some((known, _)) if known == content => false,
            _ => {
                tracing::warn!(lost = lost.join(" "), "rules wait: files in force are gone");
                self.shrunk = Some((content, Instant::now()));
                self.shared.record(Outcome::waiting(lost));
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
        self.shared.metrics.reloaded(true);
        self.shared.publish(snapshot);
        self.shared.record(Outcome::of(Vec::new()));
    }

    fn refuse(&self, faults: Vec<Fault>) {
        self.shared.metrics.reloaded(false);
        for fault in &faults {
            tracing::error!(
                file = fault.file,
                line = fault.line,
                column = fault.column,
                code = fault.code,
                cure = fault.cure,
                "rules refused: {}",
                fault.message
            );
        }
        self.shared.record(Outcome::of(faults));
    }
}

/// The whole set, or everything that is wrong with it. Folders that are as they were in the set in
/// force are taken over from it.
fn load(files: &FileSet, before: Option<&Snapshot>) -> Result<Snapshot, Report> {
    let Loaded { rules, report } = bareme_engine::load_files(files, before.map(|before| &before.rules));
    let rules = rules.ok_or(report)?;
    let documents = openapi::documents(&rules);
    let site = Site::new(&rules);
    Ok(Snapshot { rules, documents, site, recent: Recent::default() })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::shared;

    fn keeper(root: &Path) -> Keeper {
        Keeper { root: root.to_owned(), shared: Arc::new(shared()), seen: None, served: BTreeSet::new(), shrunk: None }
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
        let place = tempfile::tempdir().unwrap();
        let mut keeper = keeper(place.path());
        keeper.guarded(Keeper::read);
        assert!(!keeper.shared.outcome().faults.is_empty() && keeper.shared.snapshot().is_none());

        copy_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules"), place.path());
        keeper.guarded(Keeper::read);
        assert!(keeper.shared.outcome().faults.is_empty());
        let first = keeper.shared.snapshot().unwrap();

        // Nothing changed, nothing is loaded.
        keeper.guarded(Keeper::read);
        assert!(Arc::ptr_eq(&first, &keeper.shared.snapshot().unwrap()));

        fs::write(place.path().join("service.yaml"), "format: bareme/1").unwrap();
        keeper.guarded(Keeper::read);
        assert!(keeper.shared.outcome().faults.iter().all(|fault| fault.file == "service.yaml"));
        assert!(Arc::ptr_eq(&first, &keeper.shared.snapshot().unwrap()));
    }

    #[tokio::test]
    async fn a_set_that_lost_files_waits_until_they_are_still() {
        let place = tempfile::tempdir().unwrap();
        copy_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules"), place.path());
        let mut keeper = keeper(place.path());
        keeper.guarded(Keeper::read);
        let is_of = |keeper: &Keeper, version: &str| keeper.shared.snapshot().unwrap().rules.version() == version;
        let first = keeper.shared.snapshot().unwrap().rules.version().to_owned();

        fs::remove_dir_all(place.path().join("salaire-net/ci")).unwrap();
        keeper.guarded(Keeper::read);
        let outcome = keeper.shared.outcome();
        assert!(outcome.faults.is_empty() && outcome.lost.iter().any(|path| path == "salaire-net/ci/method.yaml"));
        assert!(is_of(&keeper, &first));

        // The files are back: nothing waits.
        let ci = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules/salaire-net/ci");
        copy_folder(&ci, &place.path().join("salaire-net/ci"));
        keeper.guarded(Keeper::read);
        assert!(keeper.shared.outcome().lost.is_empty() && keeper.shrunk.is_none());
        fs::remove_dir_all(place.path().join("salaire-net/ci")).unwrap();
        keeper.guarded(Keeper::read);
        assert!(!keeper.shared.outcome().lost.is_empty());

        // Another change starts the wait anew.
        let long_ago = || Instant::now().checked_sub(STILL).unwrap();
        keeper.shrunk = keeper.shrunk.map(|(content, _)| (content, long_ago()));
        fs::remove_dir_all(place.path().join("salaire-net/cm")).unwrap();
        keeper.guarded(Keeper::read);
        assert!(is_of(&keeper, &first));

        keeper.shrunk = keeper.shrunk.map(|(content, _)| (content, long_ago()));
        keeper.guarded(Keeper::read);
        assert!(keeper.shared.snapshot().unwrap().rules.folder("salaire-net/ci").is_none());
        assert!(keeper.shared.outcome().lost.is_empty());
    }

    #[tokio::test]
    async fn a_reading_that_panics_leaves_the_last_good_set_and_says_so() {
        let place = tempfile::tempdir().unwrap();
        copy_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules"), place.path());
        let mut keeper = keeper(place.path());
        keeper.guarded(Keeper::read);
        let first = keeper.shared.snapshot().unwrap();
        keeper.guarded(|_| panic!("the engine has a defect"));
        assert_eq!(keeper.shared.outcome().faults[0].code, "erreur-interne");
        assert!(Arc::ptr_eq(&first, &keeper.shared.snapshot().unwrap()));
        assert!(keeper.shared.reading.since().is_none());
    }
}
