//! Reloading of edited rule files while the service runs.
//!
//! One thread watches the files, waits until they no longer change, loads the set (parse, check,
//! run its cases) and swaps it in atomically. Only changed files are read. Folders are independent:
//! one with errors keeps its last good state, or is absent if it never had one, while the others
//! come into force; the errors are in the log and in `/readyz`. When the load fails in any other
//! way, or takes too long, the last good set stays in force.
//!
//! A set without some of the files in force may be an incomplete copy: it waits until the files
//! have not changed for a while.
//!
//! SIGHUP reads all files at once.
//!
//! **When the service starts, a folder whose files were fully checked by the same program on the
//! same day serves at once; any other serves only once all of its cases hold.**
//! [`check_record_file`] records the checked folders. Each day everything is checked again, so that
//! the record stays valid.
//!
//! Changes that the watcher misses (network file systems, exhausted inotify) are found by polling
//! the content every few seconds. The content also decides whether anything changed, so that an
//! editor's swap file or a `touch` does not cause a load.

mod check_record_file;
pub(crate) mod in_force;
pub(crate) mod outcome;
#[cfg(test)]
mod tests;
mod watch;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use bareme_accounts::store::Location;
use bareme_engine::service::{Loaded, Rules};
use bareme_engine::set::CheckRecord;
use bareme_engine::{FileSet, Loader, Report};
use jiff::civil::Date;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use bareme_api::wire::clock::Clock;
use check_record_file::CheckRecordFile;
use in_force::{InForce, Published, Snapshot};
use outcome::{MAX_ERRORS, Outcome, RuleError};
use watch::{Change, Watch};

/// Interval at which the content is polled.
const POLL_INTERVAL: Duration = Duration::from_secs(5);

/// How long the files must be unchanged before a set that lost files comes into force.
const SETTLE_TIME: Duration = Duration::from_secs(5);

/// Handle of the thread that keeps the rules up to date.
#[derive(Debug)]
pub(crate) struct Reload {
    wake: mpsc::Sender<Change>,
    asked: Arc<AtomicBool>,
}

impl Reload {
    /// Loads the rules, then keeps them up to date, on its own thread. Checked folders are recorded
    /// beside a store that is a file. The receiver is notified once the rules were read for the
    /// first time.
    pub(crate) fn start(
        root: &Path,
        store: &Location,
        clock: Clock,
        rules: Arc<InForce>,
        publisher: UnboundedSender<Published>,
    ) -> io::Result<(Self, oneshot::Receiver<()>)> {
        // The folder is watched by its absolute path: the process may change its own.
        let root = std::path::absolute(root)?;
        let (first, read) = oneshot::channel();
        let (wake, woken) = mpsc::channel();
        let reload = Self {
            wake: wake.clone(),
            asked: Arc::default(),
        };

        let asked = Arc::clone(&reload.asked);
        let remembered = CheckRecordFile::beside(store);
        let reloader = Reloader::new(root, remembered, clock, rules, publisher);

        thread::Builder::new()
            .name("reload".to_owned())
            .spawn(move || reloader.run((wake, woken), &asked, first))?;
        Ok((reload, read))
    }

    /// Reads all files now, whether a change was noticed or not.
    pub(crate) fn ask(&self) {
        self.asked.store(true, Ordering::Release);
        // The thread never ends while the service runs.
        self.wake.send(Change::Folders).unwrap_or_default();
    }
}

/// Digest of the files at one moment.
type Fingerprint = [u8; 32];

struct Reloader {
    root: PathBuf,
    remembered: CheckRecordFile,
    clock: Clock,
    rules: Arc<InForce>,
    /// The files as last read.
    files: Arc<FileSet>,
    /// The content last loaded, accepted or refused.
    seen: Option<Fingerprint>,
    /// The files of the set in force.
    served: Arc<FileSet>,
    /// The same, with the last good files of folders that are held back.
    in_force: Arc<FileSet>,
    /// Where each set that comes into force is sent, to be kept.
    publisher: UnboundedSender<Published>,
    /// The content of a set that lost files, and since when.
    settling: Option<(Fingerprint, Instant)>,
    /// The last day on which everything was checked, and whether it had no errors then.
    checked: Option<(Date, bool)>,
}

impl Reloader {
    fn new(
        root: PathBuf,
        remembered: CheckRecordFile,
        clock: Clock,
        rules: Arc<InForce>,
        publisher: UnboundedSender<Published>,
    ) -> Self {
        let (files, served) = (Arc::default(), Arc::default());
        Self {
            root,
            remembered,
            clock,
            rules,
            files,
            seen: None,
            served,
            in_force: Arc::default(),
            publisher,
            settling: None,
            checked: None,
        }
    }

    fn run(
        mut self,
        channel: (mpsc::Sender<Change>, mpsc::Receiver<Change>),
        asked: &AtomicBool,
        first: oneshot::Sender<()>,
    ) {
        // The watch starts before the first read, so that no change in between is missed.
        let mut watch = Watch::new(&self.root, channel);
        self.guarded(Self::read);
        // The receiver is gone if the service was stopped meanwhile.
        first.send(()).unwrap_or_default();
        self.guarded(Self::complete);
        loop {
            let change = watch.wait(self.settling.map_or(POLL_INTERVAL, |_| SETTLE_TIME / 5));

            let is_asked = asked.swap(false, Ordering::AcqRel);
            let before = self.seen;
            self.guarded(|reloader| {
                if change == Some(Change::Folders) {
                    watch.renew(&reloader.root);
                }
                if is_asked {
                    reloader.files = Arc::default();
                }
                reloader.read();
            });

            self.guarded(Self::complete);
            if is_asked {
                // The outcome of a new set was logged when it was loaded.
                let (unchanged, refused) = (self.seen == before, self.rules.outcome().errors.len());
                tracing::info!(unchanged, refused, "rules read again, as asked by SIGHUP");
            }
        }
    }

    /// Runs a load; a panic in it does not end the thread.
    fn guarded(&mut self, read: impl FnOnce(&mut Self)) {
        // The time is visible meanwhile, so that a file system that hangs is reported.
        self.rules.loading.start();
        if catch_unwind(AssertUnwindSafe(|| read(self))).is_err() {
            self.refuse(vec![RuleError::internal()]);
        }
        self.rules.loading.end();
    }

    /// Reads the files, and loads the set if its content has changed.
    fn read(&mut self) {
        let root = self.root.clone();
        // Only files whose size or time has changed are read again.
        let files = FileSet::read_again(&root, &self.files);
        self.consider(files, |files| FileSet::read_again(&root, files));
    }

    /// Loads files that were read, if their content changed; `read_again` shows whether they are
    /// still so after it.
    fn consider(&mut self, files: FileSet, read_again: impl FnOnce(&FileSet) -> FileSet) {
        // 1. Unchanged content is not loaded again, unless a set that waited has waited long
        // enough.
        let files = Arc::new(files);
        let content = files.fingerprint();
        let waits = self
            .settling
            .filter(|(known, _)| *known == content)
            .map(|(_, since)| since.elapsed() < SETTLE_TIME);
        if waits.unwrap_or(self.seen == Some(content)) {
            self.files = files;
            return;
        }

        // 2. The load. Folders that have not changed are taken from the set in force.
        let started = Instant::now();
        let before = self.rules.snapshot();
        // Only the start trusts the record: changes at run time are checked before they serve.
        let checked = if before.is_some() {
            CheckRecord::default()
        } else {
            self.remembered.checked(self.today())
        };
        let before = before.as_ref().map(|before| &before.rules);
        let loaded = catch_unwind(AssertUnwindSafe(|| {
            load(Loader::new().trusting(&checked), &files, before)
        }));

        // 3. The files are read a second time: only if they are still the same was one state
        // loaded.
        let is_still = read_again(&files).fingerprint() == content;
        self.files = files;
        if !is_still {
            // Files changed while they were read, so the loaded set may be a mixture. The change
            // was noticed too, or will be at the next poll.
            tracing::debug!("rules changed while they were read");
            return;
        }

        // 4. The set comes into force, waits, or is refused.
        self.seen = Some(content);
        match loaded {
            Ok(Ok(snapshot)) => {
                if self.must_wait(content, &snapshot.rules) {
                    return;
                }
                self.served = Arc::clone(&self.files);
                self.accept(snapshot, started.elapsed());
            }
            Ok(Err(report)) => self.refuse(
                report
                    .errors()
                    .take(MAX_ERRORS)
                    .map(RuleError::from)
                    .collect(),
            ),
            Err(_) => self.refuse(vec![RuleError::internal()]),
        }

        self.settling = None;
    }

    /// Deferred work that answers do not wait for: checks everything once a day, and records what
    /// was checked.
    fn complete(&mut self) {
        let Some(before) = self.rules.snapshot() else {
            return;
        };
        // A day that was checked is not checked again, whatever the outcome.
        let today = self.today();
        let is_good = match self.checked {
            None => true,
            Some((day, was_good)) if day == today => was_good,
            Some(_) => self.check(&before.rules),
        };

        // Only a set without errors is recorded: the next start trusts what is in the record.
        self.checked = Some((today, is_good));
        let checked = self.rules.snapshot().filter(|_| is_good);
        let checked = checked.map(|snapshot| snapshot.rules.check_record(today));
        self.remembered.keep(checked.unwrap_or_default());
    }

    /// Fully checks the files of the set in force again; whether they have no errors.
    fn check(&mut self, rules: &Rules) -> bool {
        // With the cases of all folders, as at a start without a record.
        let started = Instant::now();
        match catch_unwind(AssertUnwindSafe(|| {
            load(Loader::new().rechecking(), &self.served, Some(rules))
        })) {
            Ok(Ok(snapshot)) if snapshot.rules.held().count() == rules.held().count() => {
                let millis = millis(started.elapsed());
                tracing::info!(
                    version = snapshot.rules.version(),
                    millis,
                    "rules checked as a whole"
                );
                self.rules.renew(snapshot);
                return true;
            }
            Ok(Ok(snapshot)) => self.accept(snapshot, started.elapsed()),
            Ok(Err(report)) => self.refuse(
                report
                    .errors()
                    .take(MAX_ERRORS)
                    .map(RuleError::from)
                    .collect(),
            ),
            Err(_) => self.refuse(vec![RuleError::internal()]),
        }
        false
    }

    fn today(&self) -> Date {
        self.clock.read().today
    }

    /// Whether a valid set has just lost files, and may be an incomplete copy; reported the first
    /// time. Files lost by a held folder do not matter.
    fn must_wait(&mut self, content: Fingerprint, rules: &Rules) -> bool {
        // A folder that is refused keeps its last good state, whatever files it has lost.
        let missing = self
            .served
            .missing_in(&self.files)
            .filter(|path| !rules.holds(path));
        let lost: Vec<String> = missing.map(str::to_owned).collect();

        match self.settling {
            _ if lost.is_empty() => false,
            // It has waited: otherwise it would not be loaded again.
            Some((known, _)) if known == content => false,
            _ => {
                tracing::warn!(
                    lost = lost.join(" "),
                    "rules on hold: files in force are missing"
                );
                self.settling = Some((content, Instant::now()));
                self.rules.record(Outcome::waiting(lost));
                true
            }
        }
    }

    /// Publishes a set, then logs it: whoever reads the log may call at once.
    fn accept(&mut self, snapshot: Snapshot, took: Duration) {
        let outcome = Outcome::partial(snapshot.rules.held(), &self.rules.outcome());
        let snapshot = self.rules.publish(snapshot, outcome);

        let held = snapshot.rules.held().map(|held| held.folder.as_str());
        self.in_force = Arc::new(self.served.keeping(held, &self.in_force));
        let published = Published {
            snapshot: Arc::clone(&snapshot),
            files: Arc::clone(&self.in_force),
        };
        // Nobody receives it while the service stops.
        drop(self.publisher.send(published));

        let folders = || snapshot.rules.folders();
        tracing::info!(
            version = snapshot.rules.version(),
            folders = folders().count(),
            checked_before = folders().filter(|folder| folder.is_trusted()).count(),
            millis = millis(took),
            "rules in force"
        );

        // Drafts are reported at each load, until they are finished.
        for (folder, draft) in snapshot.rules.drafts() {
            tracing::info!(
                folder,
                date = draft.date.to_string(),
                unconfirmed = draft.unconfirmed.len(),
                errors = draft.errors,
                "draft not in force"
            );
        }

        let outcome = self.rules.outcome();
        for held in &outcome.held {
            let state = if held.serves {
                "its last good state serves"
            } else {
                "it is absent"
            };
            tracing::error!(
                folder = held.folder,
                since = held.since.to_string(),
                "files of a folder refused: {state}"
            );
        }
        log(&outcome.errors);
    }

    fn refuse(&self, errors: Vec<RuleError>) {
        self.rules.refuse(Outcome::of(errors));
        log(&self.rules.outcome().errors);
    }
}

fn log(errors: &[RuleError]) {
    // One line for each error, in the form of the probe.
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

fn millis(took: Duration) -> u64 {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
}

/// Loads the set, each folder alone; the error is the report. Folders unchanged since the set in
/// force are kept.
fn load(loader: Loader, files: &FileSet, before: Option<&Rules>) -> Result<Snapshot, Report> {
    let Loaded { rules, report } = loader.load_service_by_folder(files, before);
    rules.map(Snapshot::new).ok_or(report)
}
