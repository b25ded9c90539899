//! Outcome of the last load of the rules, for `/readyz` and the metrics.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use bareme_engine::service::Held;
use bareme_engine::{Diagnostic, Lang};
use jiff::{Timestamp, Unit};

/// Greatest number of errors kept for `/readyz` and the log; once fixed, the next ones show.
pub(super) const MAX_ERRORS: usize = 50;

/// The name under which the file of the service is listed among the folders.
const SERVICE: &str = "service.yaml";

/// Outcome of the last load, and when.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Since when.
    pub since: Timestamp,
    /// The errors of the set, or of its held folders; empty when everything is in force, or waits.
    pub errors: Vec<RuleError>,
    /// The folders with errors, while the others are in force.
    pub held: Vec<HeldFolder>,
    /// Files in force that the set lost: it waits until the files no longer change.
    pub lost: Vec<String>,
}

/// A folder with errors, held alone.
#[derive(Debug, Clone)]
pub(crate) struct HeldFolder {
    /// Its path; `service.yaml` for the file of the service.
    pub folder: String,
    /// Whether its last good state is in use; else it is absent.
    pub serves: bool,
    /// Since when its files have errors.
    pub since: Timestamp,
}

impl Outcome {
    /// The outcome of a load that ends now.
    pub(crate) fn of(errors: Vec<RuleError>) -> Self {
        let now = Timestamp::now();
        Self {
            since: now.round(Unit::Second).unwrap_or(now),
            errors,
            held: Vec::new(),
            lost: Vec::new(),
        }
    }

    /// The outcome of a set that comes into force without its held folders; `before` is the earlier
    /// outcome.
    pub(crate) fn partial<'h>(held: impl Iterator<Item = &'h Held>, before: &Self) -> Self {
        let mut outcome = Self::of(Vec::new());
        // The folder was refused before: its errors are as old as then.
        for held in held {
            let folder = if held.folder.is_empty() {
                SERVICE
            } else {
                &held.folder
            };
            let known = before
                .held
                .iter()
                .find(|known| known.folder == folder && known.serves == held.serves);

            let since = known.map_or(outcome.since, |known| known.since);
            outcome.held.push(HeldFolder {
                folder: folder.to_owned(),
                serves: held.serves,
                since,
            });

            outcome
                .errors
                .extend(held.errors.iter().map(RuleError::from));
        }

        // Many folders may fail for one reason: a bounded list shows it.
        outcome.errors.truncate(MAX_ERRORS);
        outcome
    }

    /// The outcome of a set without errors that waits because it lost files.
    pub(crate) fn waiting(lost: Vec<String>) -> Self {
        Self {
            lost,
            ..Self::of(Vec::new())
        }
    }
}

/// The running load, if any.
#[derive(Debug, Default)]
pub(crate) struct LoadProgress {
    /// Second at which it started; 0 when none runs.
    started: AtomicI64,
}

/// A longer load is reported: the file system does not respond.
const SLOW_AFTER: Duration = Duration::from_secs(10);

impl LoadProgress {
    /// Notes that a load starts.
    pub(crate) fn start(&self) {
        self.started
            .store(Timestamp::now().as_second(), Ordering::Release);
    }

    pub(crate) fn end(&self) {
        self.started.store(0, Ordering::Release);
    }

    /// When the running load started.
    pub(crate) fn since(&self) -> Option<Timestamp> {
        Timestamp::from_second(self.started.load(Ordering::Acquire))
            .ok()
            .filter(|since| *since != Timestamp::UNIX_EPOCH)
    }

    /// Seconds that the load has been running; 0 when none runs.
    pub(crate) fn seconds(&self) -> i64 {
        self.since().map_or(0, |since| {
            (Timestamp::now().as_second() - since.as_second()).max(0)
        })
    }

    /// When the running load started, if it takes too long.
    pub(crate) fn slow_since(&self) -> Option<Timestamp> {
        // A load of a healthy disk takes a second or two.
        let is_slow =
            u64::try_from(self.seconds()).is_ok_and(|seconds| seconds >= SLOW_AFTER.as_secs());
        if is_slow { self.since() } else { None }
    }
}

/// An error of a refused set, in French for the authors.
#[derive(Debug)]
pub(crate) struct RuleError {
    /// File, relative to the rule folder.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// Stable code of the mistake.
    pub code: String,
    /// The mistake.
    pub message: String,
    /// How to fix it.
    pub cure: String,
}

impl From<&Diagnostic> for RuleError {
    fn from(diagnostic: &Diagnostic) -> Self {
        Self {
            file: diagnostic.file().to_owned(),
            line: diagnostic.line(),
            column: diagnostic.column(),
            code: diagnostic.code().to_owned(),
            message: diagnostic.message(Lang::Fr),
            cure: diagnostic.cure(Lang::Fr),
        }
    }
}

impl RuleError {
    /// An internal error of the engine, whose panic is in the log.
    pub(crate) fn internal() -> Self {
        Self {
            file: String::new(),
            line: 1,
            column: 1,
            code: "erreur-interne".to_owned(),
            message: "la lecture des barèmes a échoué".to_owned(),
            cure: "signalez ce défaut avec les fichiers qui le provoquent".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_is_slow_after_a_while_and_no_more_when_it_ended() {
        let progress = LoadProgress::default();
        assert_eq!((progress.seconds(), progress.slow_since()), (0, None));
        progress.start();
        assert!(progress.since().is_some() && progress.slow_since().is_none());
        progress
            .started
            .store(Timestamp::now().as_second() - 11, Ordering::Release);
        assert!(progress.slow_since().is_some() && progress.seconds() >= 11);
        progress.end();
        assert_eq!((progress.seconds(), progress.slow_since()), (0, None));
    }
}
