//! The file of a store: readable by its owner only, used by one service, and watched, since writes
//! to a replaced file are lost.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, fchown};
use std::path::{Path, PathBuf};

use super::super::{Purpose, Unavailable};

/// The open file.
#[derive(Debug)]
pub(super) struct StoreFile {
    path: PathBuf,
    /// Kept open as long as any connection to it: closing a file releases the locks that SQLite has
    /// on it.
    handle: File,
}

impl StoreFile {
    /// Opens the file, or creates it. To serve from it requires its lock: two services would each
    /// grant the whole quota, whatever name or link they use.
    pub(super) fn open(path: &Path, purpose: Purpose) -> Result<Self, Unavailable> {
        let failed = failing(path);
        // It holds e-mail addresses. SQLite gives its other files the same permissions.
        let created = OpenOptions::new()
            .create_new(true)
            .read(true)
            .write(true)
            .mode(0o600)
            .open(path);
        if let Ok(handle) = &created {
            leave_to_owner(handle, path).map_err(failed)?;
        }

        let handle = match created {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .mode(0o600)
                .open(path),
            other => other,
        };

        let file = Self {
            path: path.to_owned(),
            handle: handle.map_err(failed)?,
        };
        if !file.handle.metadata().map_err(failed)?.is_file() {
            return Err(failure(path, &"it is not a regular file"));
        }

        if purpose == Purpose::Serving {
            // Not one of SQLite's own locks, which `keys` needs beside a service.
            match file.handle.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(failure(path, &"another bareme-server serves from it"));
                }
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        Ok(file)
    }

    /// Whether its path still leads to this file.
    pub(super) fn is_in_place(&self) -> bool {
        let (Ok(opened), Ok(found)) = (self.handle.metadata(), fs::metadata(&self.path)) else {
            return false;
        };
        // By its identity and not its path: a file that was put back under the same name is another
        // one.
        (opened.dev(), opened.ino()) == (found.dev(), found.ino())
    }

    /// The error for a file that was replaced.
    pub(super) fn replaced(&self) -> Unavailable {
        failure(
            &self.path,
            &"it was deleted or replaced while it was in use: put it back, or restart the service",
        )
    }
}

/// Gives a new file to the owner of its folder, for root that runs `keys` before the service has
/// ever started. The other files of SQLite get the same owner.
pub(super) fn leave_to_owner(file: &File, path: &Path) -> std::io::Result<()> {
    const ROOT: u32 = 0;
    let folder = fs::metadata(
        path.parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new(".")),
    )?;
    if file.metadata()?.uid() == ROOT && folder.uid() != ROOT {
        fchown(file, Some(folder.uid()), Some(folder.gid()))?;
    }
    Ok(())
}

/// Names the file in an error.
pub(super) fn failing<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> Unavailable + Copy {
    move |error| failure(path, &error)
}

/// An error that names the file.
pub(super) fn failure(path: &Path, error: &dyn std::fmt::Display) -> Unavailable {
    Unavailable(format!("`{}`: {error}", path.display()))
}
