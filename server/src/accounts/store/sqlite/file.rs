//! The file of a store: readable by its owner only, used by one service, and watched, since whatever is
//! written to a file that was replaced is lost.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, fchown};
use std::path::{Path, PathBuf};

use super::super::{Purpose, Unavailable};

/// The file, as it was opened.
#[derive(Debug)]
pub(super) struct StoreFile {
    path: PathBuf,
    /// Stays open as long as any connection to it: to close a file ends the locks that SQLite has on it.
    handle: File,
}

impl StoreFile {
    /// Opens the file, which is created if there is none. To serve from it is to hold its lock: two
    /// services would each grant the whole quota, whatever name or link they know it by.
    pub(super) fn open(path: &Path, purpose: Purpose) -> Result<Self, Unavailable> {
        let failed = |error: std::io::Error| failure(path, &error);
        // E-mail addresses are in it. SQLite gives its other files the same rights.
        let created = OpenOptions::new().create_new(true).read(true).write(true).mode(0o600).open(path);
        if let Ok(handle) = &created {
            leave_to_owner(handle, path).map_err(failed)?;
        }
        let handle = match created {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
            }
            other => other,
        };
        let file = Self { path: path.to_owned(), handle: handle.map_err(failed)? };
        if !file.handle.metadata().map_err(failed)?.is_file() {
            return Err(failure(path, &"it is not a regular file"));
        }
        if purpose == Purpose::Serving {
            // Of another kind than SQLite's own locks, which `keys` needs beside a service.
            match file.handle.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(failure(path, &"another bareme-server serves from it")),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        Ok(file)
    }

    /// Whether its path still leads to it.
    pub(super) fn is_in_place(&self) -> bool {
        let (Ok(opened), Ok(found)) = (self.handle.metadata(), fs::metadata(&self.path)) else { return false };
        (opened.dev(), opened.ino()) == (found.dev(), found.ino())
    }

    /// The failure of a file that was replaced.
    pub(super) fn replaced(&self) -> Unavailable {
        failure(&self.path, &"it was deleted or replaced while it was in use: put it back, or restart the service")
    }
}

/// Root that runs `keys` before the service has ever started leaves the new file to whoever owns its folder. The other
/// files of SQLite get the owner of this one.
pub(super) fn leave_to_owner(file: &File, path: &Path) -> std::io::Result<()> {
    const ROOT: u32 = 0;
    let folder = fs::metadata(path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")))?;
    if file.metadata()?.uid() == ROOT && folder.uid() != ROOT {
        fchown(file, Some(folder.uid()), Some(folder.gid()))?;
    }
    Ok(())
}

/// A failure that names the file.
pub(super) fn failure(path: &Path, error: &dyn std::fmt::Display) -> Unavailable {
    Unavailable(format!("`{}`: {error}", path.display()))
}
