//! A copy of the rules that a test may edit.

use std::fs;
use std::path::{Path, PathBuf};

use crate::process::repository;

/// A folder of rules in a temporary place.
pub struct Rules {
    place: tempfile::TempDir,
}

impl Rules {
    /// A copy of the repository's rules that lets callers without a key call without end.
    pub fn copy() -> Self {
        let rules = Self { place: tempfile::tempdir().unwrap() };
        copy_folder(&repository().join("rules"), &rules.root());
        for quota in ["1 000", "100"] {
            rules.replace("service.yaml", &format!("calls_per_day: {quota},"), "calls_per_day: unlimited,");
        }
        rules
    }

    /// The folder to serve.
    pub fn root(&self) -> PathBuf {
        self.place.path().join("rules")
    }

    /// The text of a file of the folder.
    pub fn read(&self, file: &str) -> String {
        fs::read_to_string(self.root().join(file)).unwrap()
    }

    /// Writes a file of the folder, as a simple editor does: over the old one.
    pub fn write(&self, file: &str, text: &str) {
        let path = self.root().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Removes a file of the folder.
    pub fn remove(&self, file: &str) {
        fs::remove_file(self.root().join(file)).unwrap();
    }

    /// Replaces a text that must be there, once, by another.
    pub fn replace(&self, file: &str, old: &str, new: &str) {
        let text = self.read(file);
        assert_eq!(text.matches(old).count(), 1, "`{old}` in {file}");
        self.write(file, &text.replace(old, new));
    }

    /// Beside the folder, on the same file system.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }
}

/// Copies a folder and what it holds.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
