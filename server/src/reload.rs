//! How an edited rule file comes into force while the service runs.
//!
//! One thread watches, waits until the files are quiet, loads the **whole** set (parse, check, run
//! its cases) and swaps it in with one store. A set with one error is refused: the last good one
//! goes on serving, and the errors are in the log and in `/readyz`.
//!
//! Whatever the watching misses (network file systems, an exhausted inotify) is caught by looking
//! at the content every few seconds. Content also decides whether anything changed at all, so that
//! an editor's swap file or a `touch` loads nothing.

mod content;
mod watch;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use bareme_engine::{Loaded, Report};

use crate::openapi;
use crate::outcome::{Fault, Outcome};
use crate::recent::Recent;
use crate::shared::{Shared, Snapshot};
use crate::site::Site;
use content::Fingerprint;
use watch::Watch;

/// How often the content is looked at when nothing was noticed.
const LOOK: Duration = Duration::from_secs(5);

/// Most errors kept for `/readyz` and the log; whoever mends one file sees the next ones then.
const MOST_FAULTS: usize = 50;

/// Loads the rules, then keeps them up to date on a thread of its own.
pub fn start(root: &Path, shared: Arc<Shared>) -> io::Result<()> {
    let root = std::path::absolute(root)?;
    // Watching starts before the first reading, so that no change falls between the two.
    let watch = Watch::new(&root);
    let mut keeper = Keeper { root, shared, seen: None };
    keeper.look();
    thread::Builder::new().name("reload".to_owned()).spawn(move || keeper.keep(watch))?;
    Ok(())
}

struct Keeper {
    root: PathBuf,
    shared: Arc<Shared>,
    /// The content that was last loaded, be it accepted or refused.
    seen: Option<Fingerprint>,
}

impl Keeper {
    fn keep(mut self, mut watch: Watch) {
        loop {
            if watch.wait(LOOK) {
                // A folder replaced by another of the same name is no longer watched: start anew.
                watch = Watch::new(&self.root);
            }
            self.look();
        }
    }

    /// Loads the set if its content changed.
    fn look(&mut self) {
        let before = content::fingerprint(&self.root);
        if self.seen.as_ref() == Some(&before) {
            return;
        }
        let started = Instant::now();
        let loaded = catch_unwind(AssertUnwindSafe(|| load(&self.root, self.shared.snapshot().as_deref())));
        if content::fingerprint(&self.root) != before {
            // Files changed while they were read: what was loaded may be half of each. The change
            // was noticed too, or will be at the next look.
            tracing::debug!("rules changed while they were read");
            return;
        }
        self.seen = Some(before);
        match loaded {
            Ok(Ok(snapshot)) => self.accept(snapshot, started.elapsed()),
            Ok(Err(report)) => self.refuse(report.errors().take(MOST_FAULTS).map(Fault::from).collect()),
            Err(_) => self.refuse(vec![Fault::internal()]),
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
fn load(root: &Path, before: Option<&Snapshot>) -> Result<Snapshot, Report> {
    let loaded = before.map_or_else(|| bareme_engine::load(root), |before| bareme_engine::reload(root, &before.rules));
    let Loaded { rules, report } = loaded;
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
        Keeper { root: root.to_owned(), shared: Arc::new(shared()), seen: None }
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
        keeper.look();
        assert!(!keeper.shared.outcome().faults.is_empty() && keeper.shared.snapshot().is_none());

        copy_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules"), place.path());
        keeper.look();
        assert!(keeper.shared.outcome().faults.is_empty());
        let first = keeper.shared.snapshot().unwrap();

        // Nothing changed, nothing is loaded.
        keeper.look();
        assert!(Arc::ptr_eq(&first, &keeper.shared.snapshot().unwrap()));

        fs::write(place.path().join("service.yaml"), "format: bareme/1").unwrap();
        keeper.look();
        assert!(keeper.shared.outcome().faults.iter().all(|fault| fault.file == "service.yaml"));
        assert!(Arc::ptr_eq(&first, &keeper.shared.snapshot().unwrap()));
    }
}
