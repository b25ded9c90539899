//! Backups of a store in a file: by a command, and by the service itself, which keeps the latest
//! ones, and a list of the keys that is at most a few seconds old.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bareme_accounts::command::export;
use bareme_accounts::store::sqlite::copy::{self, PARTIAL, VerifiedCopy};
use bareme_accounts::store::{Location, Unavailable};
use jiff::Timestamp;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep_until};

use crate::ops::metrics::Metrics;

/// The name of a backup, with its moment (UTC).
const NAME: &str = "bareme-%Y%m%dT%H%M%SZ.db";

/// The list of the keys, beside the backups.
const KEYS: &str = "bareme-keys.json";

/// Interval at which the list of the keys is written, if it has changed.
const KEYS_PERIOD: Duration = Duration::from_secs(10);

/// Pause after a backup that failed.
const RETRY: Duration = Duration::from_secs(60);

/// Why a backup failed.
#[derive(Debug, thiserror::Error)]
pub enum BackupFailure {
    /// The store is not a file.
    #[error(
        "a store in PostgreSQL is backed up with `pg_dump`, or by who hosts it; `bareme-server \
         keys export` writes the list of the keys that a restore is reconciled with"
    )]
    Database,
    /// The copy failed.
    #[error(transparent)]
    Copy(#[from] Unavailable),
    /// The folder cannot be used.
    #[error("`{0}`: {1}")]
    Folder(PathBuf, io::Error),
}

fn file(store: &Location) -> Result<&Path, BackupFailure> {
    match store {
        Location::Sqlite(path) => Ok(path),
        Location::Postgres(_) => Err(BackupFailure::Database),
    }
}

/// Makes one backup: to a new file, or into a folder, with its moment in the name.
pub(crate) fn run(store: &Location, to: &Path) -> Result<(), BackupFailure> {
    let from = file(store)?;
    // In a folder the name tells when the backup was made.
    let to = if to.is_dir() {
        to.join(name(Timestamp::now()))
    } else {
        to.to_owned()
    };

    let VerifiedCopy { keys, bytes } = copy::copy(from, &to)?;
    eprintln!(
        "`{}`: {keys} keys, {bytes} bytes, opened and checked",
        to.display()
    );
    Ok(())
}

fn name(moment: Timestamp) -> String {
    moment.strftime(NAME).to_string()
}

/// The moment of a backup, by its name; `None` for any other name.
fn moment(name: &str) -> Option<Timestamp> {
    let moment = jiff::civil::DateTime::strptime(NAME, name).ok()?;
    Some(moment.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
}

/// The schedule of the service's own backups.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    store: PathBuf,
    folder: PathBuf,
    period: Duration,
    kept: usize,
}

impl Schedule {
    /// A schedule with a folder, which is created if needed.
    pub(crate) fn new(
        store: &Location,
        folder: &Path,
        period: Duration,
        kept: u16,
    ) -> Result<Self, BackupFailure> {
        let failed = |error| BackupFailure::Folder(folder.to_owned(), error);
        let schedule = Self {
            store: file(store)?.to_owned(),
            folder: folder.to_owned(),
            period,
            kept: usize::from(kept),
        };
        // Readable by the owner alone: the store holds the digests of keys.
        if !folder.is_dir() {
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)
                .map_err(failed)?;
        }

        // Tried at once: a folder that cannot be read fails the start, not the first night.
        schedule.made().map_err(failed)?;
        Ok(schedule)
    }

    /// The backups in the folder, oldest first.
    fn made(&self) -> io::Result<Vec<(Timestamp, PathBuf)>> {
        // The names sort by their moment.
        let mut made = self.files(moment)?;
        made.sort();
        Ok(made)
    }

    /// The files of the folder whose names have a moment.
    fn files(
        &self,
        moment: impl Fn(&str) -> Option<Timestamp>,
    ) -> io::Result<Vec<(Timestamp, PathBuf)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            // Other files in the folder are left alone.
            let moment = path.file_name().and_then(|name| moment(name.to_str()?));
            files.extend(moment.map(|moment| (moment, path)));
        }
        Ok(files)
    }

    /// Makes a backup, and removes outdated ones.
    fn back_up(&self, now: Timestamp) -> Result<VerifiedCopy, BackupFailure> {
        let failed = |error| BackupFailure::Folder(self.folder.clone(), error);
        // The unfinished backup of a service that was stopped.
        for (_, path) in self
            .files(|name| moment(name.strip_suffix(PARTIAL)?))
            .map_err(failed)?
        {
            fs::remove_file(path).map_err(failed)?;
        }

        // 1. The copy; it is opened and checked before it gets its name.
        let copied = copy::copy(&self.store, &self.folder.join(name(now)))?;

        // 2. The oldest are removed only after it, so that a failed backup removes none.
        let made = self.made().map_err(failed)?;
        for (_, path) in made.iter().take(made.len().saturating_sub(self.kept)) {
            fs::remove_file(path).map_err(failed)?;
        }

        Ok(copied)
    }

    /// Writes the list of the keys, if it differs from the last one; returns the current one.
    fn list_keys(&self, known: Option<Vec<u8>>) -> Result<Vec<u8>, BackupFailure> {
        let records = copy::keys(&self.store)?;
        let list = export::keys(&records);
        // The list is written beside and put in place, so that a reader never sees half of it.
        if known.as_ref() != Some(&list) {
            let to = self.folder.join(KEYS);
            let partial = copy::partial_of(&to);
            let write = || {
                let mut file = fs::OpenOptions::new()
                    .create(true)
                    .write(true)
                    .truncate(true)
                    .mode(0o600)
                    .open(&partial)?;
                file.write_all(&export::list(&records, Timestamp::now()))
            };
            write().map_err(|error| BackupFailure::Folder(partial.clone(), error))?;
            copy::put_in_place(&partial, &to)?;
        }

        Ok(list)
    }
}

/// Makes backups until the service stops. The first is due one period after the last one in the
/// folder, so that frequent restarts make no more of them.
pub(crate) async fn keep(metrics: Arc<Metrics>, schedule: Schedule) {
    // The folder tells when the last backup was made, even by an earlier process.
    let last = schedule
        .made()
        .ok()
        .and_then(|made| made.last().map(|(moment, _)| *moment));
    metrics.backs_up(schedule.period, last);

    let age = last.map(|last| Timestamp::now().duration_since(last));
    // A backup with a moment in the future does not count.
    let age = age
        .and_then(|age| Duration::try_from(age).ok())
        .unwrap_or(schedule.period);

    let mut due = Instant::now() + schedule.period.saturating_sub(age);
    let (mut keys, mut failed) = (None, false);

    loop {
        keys = list_keys(&schedule, keys, failed).await;
        failed = keys.is_none();
        // A failed backup is tried again soon: the next period may be a day away.
        if Instant::now() >= due {
            due = Instant::now()
                + if back_up(&metrics, &schedule).await {
                    schedule.period
                } else {
                    RETRY
                };
        }

        sleep_until(due.min(Instant::now() + KEYS_PERIOD)).await;
    }
}

/// Writes the list of the keys; a failure is logged once, until it succeeds again.
async fn list_keys(
    schedule: &Schedule,
    known: Option<Vec<u8>>,
    failed_before: bool,
) -> Option<Vec<u8>> {
    let schedule = schedule.clone();

    match spawn_blocking(move || schedule.list_keys(known)).await {
        Ok(Ok(keys)) => Some(keys),
        Ok(Err(error)) => {
            if !failed_before {
                tracing::error!(
                    %error,
                    "the list of the keys beside the backups cannot be written"
                );
            }
            None
        }
        // The service is stopping.
        Err(_) => None,
    }
}

/// Makes one backup and logs it; returns whether it succeeded.
async fn back_up(metrics: &Metrics, schedule: &Schedule) -> bool {
    let (now, schedule) = (Timestamp::now(), schedule.clone());
    let Ok(made) = spawn_blocking(move || schedule.back_up(now)).await else {
        return false;
    };

    metrics.backed_up(made.is_ok().then_some(now));

    match &made {
        Ok(VerifiedCopy { keys, bytes }) => {
            tracing::info!(keys, bytes, "backup made, opened and checked")
        }
        Err(error) => tracing::error!(%error, "no backup could be made"),
    }
    made.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_is_named_by_its_moment() {
        let at: Timestamp = "2026-11-22T20:55:01Z".parse().unwrap();
        assert_eq!(name(at), "bareme-20261122T205501Z.db");
        assert_eq!(moment(&name(at)), Some(at));
        for other in [
            "bareme.db",
            "bareme-keys.json",
            "bareme-20261122T205501Z.db.partial",
            "bareme-2026.db",
        ] {
            assert_eq!(moment(other), None, "{other}");
        }
    }
}
