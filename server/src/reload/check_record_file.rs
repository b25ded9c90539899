//! The file beside the store that records which folders were fully checked, with their parsed
//! files.
//!
//! It only saves time: a file that cannot be read, or was not completely written by this very
//! program on this day, counts as empty, and everything is checked.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use bareme_engine::set::CheckRecord;
use jiff::civil::Date;

use bareme_accounts::store::Location;

/// Greatest size of the file: that of all rules, of which parsed files take a quarter.
const MAX_LENGTH: u64 = 64 << 20;

/// The file; without a path where the store is not a file.
#[derive(Debug, Default)]
pub(super) struct CheckRecordFile {
    path: Option<PathBuf>,
    /// The record in it.
    kept: CheckRecord,
}

impl CheckRecordFile {
    /// The file beside a store that is a file: `bareme.db.checked`.
    pub(super) fn beside(store: &Location) -> Self {
        let Location::Sqlite(store) = store else {
            return Self::default();
        };
        Self::at(ending(store, ".checked"))
    }

    fn at(path: PathBuf) -> Self {
        Self {
            path: Some(path),
            kept: CheckRecord::default(),
        }
    }

    /// The record of folders checked on a day.
    pub(super) fn checked(&mut self, day: Date) -> CheckRecord {
        let Some(path) = &self.path else {
            return CheckRecord::default();
        };
        // A file of another size or kind is none of ours, and is not read.
        let is_small = |path: &PathBuf| {
            fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() <= MAX_LENGTH)
        };
        let bytes = Some(path)
            .filter(|path| is_small(path))
            .and_then(|path| fs::read(path).ok());

        self.kept = CheckRecord::read(&bytes.unwrap_or_default(), day);
        self.kept.clone()
    }

    /// Writes the record, if it has changed. A failure only costs time at the next start.
    pub(super) fn keep(&mut self, checked: CheckRecord) {
        let Some(path) = self.path.as_ref().filter(|_| self.kept != checked) else {
            return;
        };
        // Written beside, then renamed: a process that ends meanwhile leaves the old one.
        if let Err(error) = write(path, &checked.to_bytes()) {
            tracing::warn!(file = %path.display(), %error, "what was checked is not remembered");
        }
        self.kept = checked;
    }
}

/// Writes a file atomically.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // The rename comes after the bytes are on the disk, or a crash could leave an empty file.
    let beside = ending(path, ".new");
    let mut file = File::create(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;

    fs::rename(beside, path)
}

fn ending(path: &Path, end: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

#[cfg(test)]
mod tests {
    use bareme_engine::Loader;
    use jiff::civil::date;

    use super::*;

    const DAY: Date = date(2026, 3, 31);

    fn some() -> CheckRecord {
        let method = "format: bareme/1\nfolder: double\ntitle: Le double\ndated: false\ncurrency: \
                      EUR\ninputs:\n  montant: {type: money, required: true, label: \
                      Montant}\nsteps:\n  double: montant * 2\nanswer:\n  double: double\n";
        let files = bareme_engine::FileSet::from_texts([("double/method.yaml", method)]);
        CheckRecord::from_rules(&Loader::new().load_files(&files).rules.unwrap(), DAY)
    }

    #[test]
    fn what_was_kept_is_read_again_and_a_damaged_file_is_as_none() {
        let place = tempfile::tempdir().unwrap();
        let store = place.path().join("bareme.db");
        let remembered = || CheckRecordFile::beside(&Location::Sqlite(store.clone()));
        assert_eq!(remembered().checked(DAY).count(), 0, "there is no file yet");
        remembered().keep(some());
        assert_eq!(remembered().checked(DAY), some());
        assert_eq!(remembered().checked(DAY.tomorrow().unwrap()).count(), 0);

        let file = place.path().join("bareme.db.checked");
        let text = fs::read(&file).unwrap();
        fs::write(&file, &text[..text.len() / 2]).unwrap();
        assert_eq!(remembered().checked(DAY).count(), 0, "cut off");
        fs::write(&file, [0xff, 0xfe]).unwrap();
        assert_eq!(remembered().checked(DAY).count(), 0, "another file");
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert_eq!(remembered().checked(DAY).count(), 0, "no file");
        remembered().keep(some());
        assert!(file.is_dir(), "what cannot be written is let be");
    }

    #[test]
    fn without_a_file_of_a_store_nothing_is_remembered() {
        let mut remembered = CheckRecordFile::beside(&Location::Postgres(
            "postgres://localhost/bareme".to_owned(),
        ));
        remembered.keep(some());
        assert_eq!(remembered.checked(DAY).count(), 0);
    }
}
