//! Atomic writes of files; those of rules by one command at a time.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// Waits for the right to write to the rules that contain this file; it ends with the open file, or
/// with the program.
pub(crate) fn lock(file: &Path) -> io::Result<File> {
    // On network file systems only a file opened for writing can be locked.
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(file)
        .or_else(|_| File::open(file))?;

    // The lock is held by the open file, so the system releases it even if the program is killed.
    file.lock()?;
    Ok(file)
}

/// A file that is written beside the one whose place it takes at the end: until then, and if it
/// never comes to it, the other stays as it is.
#[derive(Debug)]
pub(crate) struct Beside {
    path: PathBuf,
    file: NamedTempFile,
}

impl Beside {
    /// Begins to write a file.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        // A link stays a link.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let folder = path.parent().unwrap_or(Path::new(""));
        // A name that begins with a point is no rule file: whoever loads the rules meanwhile does
        // not read it.
        // A name that begins with a point is no rule file.
        let name = format!(
            ".{}.",
            path.file_name().unwrap_or_default().to_string_lossy()
        );

        // `create_new` has the permissions of the user's mask, where a temporary file would be
        // readable by its owner only.
        let file = Builder::new()
            .prefix(&name)
            .make_in(folder, |beside| File::create_new(beside))?;
        if let Ok(replaced) = std::fs::metadata(&path) {
            file.as_file().set_permissions(replaced.permissions())?;
        }
        Ok(Self { path, file })
    }

    pub(crate) fn writer(&self) -> io::Result<File> {
        self.file.as_file().try_clone()
    }

    /// Puts it in its place.
    pub(crate) fn keep(self) -> io::Result<()> {
        // The data must be on the disk before the name: after a power cut, the file is the old one
        // or the whole new one, never an empty one.
        self.file.as_file().sync_all()?;
        self.file.persist(&self.path)?;
        Ok(())
    }
}

/// Writes a file: whoever reads it meanwhile reads all of the old text or all of the new.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    let beside = Beside::create(path)?;
    beside.writer()?.write_all(text.as_bytes())?;
    beside.keep()
}

/// Writes several files: each is complete on the disk before the first takes its place.
pub(crate) fn write_all<'t>(texts: impl IntoIterator<Item = (PathBuf, &'t str)>) -> io::Result<()> {
    let mut ready = Vec::new();
    for (path, text) in texts {
        let beside = Beside::create(&path)?;
        beside.writer()?.write_all(text.as_bytes())?;
        beside.file.as_file().sync_all()?;
        ready.push(beside);
    }

    ready.into_iter().try_for_each(Beside::keep)
}

/// Writes a file that is not there yet; the caller holds the lock.
pub(crate) fn create(path: &Path, text: &str) -> io::Result<()> {
    // The check and the writing are not one step: the lock of the caller keeps other commands out
    // between them.
    if path.exists() {
        return Err(io::Error::new(
            ErrorKind::AlreadyExists,
            path.display().to_string(),
        ));
    }
    write(path, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_stays_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("2027-01-01.yaml");
        create(&path, "a: 1\n").unwrap();
        assert_eq!(
            create(&path, "b: 1\n").unwrap_err().kind(),
            ErrorKind::AlreadyExists
        );
        write(&path, "a: 2\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "a: 2\n");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write(&folder.path().join("absent/x.yaml"), "").is_err());
    }
}
