//! A copy of the rules that a test may edit.

use std::fs;
use std::path::{Path, PathBuf};

use crate::process::repository;

/// A folder of rules in a temporary place.
pub struct Rules {
    place: tempfile::TempDir,
}

impl Rules {
    /// A copy of the repository's rules without a quota for callers without a key.
    pub fn copy() -> Self {
        let rules = Self {
            place: tempfile::tempdir().unwrap(),
        };
        copy_folder(&repository().join("rules"), &rules.root());
        rules.unlimited()
    }

    /// Removes the quotas of callers without a key.
    pub fn unlimited(self) -> Self {
        for quota in ["1 000", "100"] {
            self.replace(
                "service.yaml",
                &format!("calls_per_day: {quota},"),
                "calls_per_day: unlimited,",
            );
        }
        self
    }

    /// Removes the worked cases, which a server runs when it starts.
    pub fn without_cases(self) -> Self {
        remove_cases(&self.root());
        self
    }

    /// The repository's service with two endpoints, for tests of everything but calculations: a
    /// server that loads every folder with its cases starts some seconds later.
    pub fn small() -> Self {
        const ENDPOINTS: [&str; 2] = ["ir", "tva"];
        let rules = Self {
            place: tempfile::tempdir().unwrap(),
        };
        for folder in ENDPOINTS {
            copy_folder(
                &repository().join("rules").join(folder),
                &rules.root().join(folder),
            );
        }
        let service = fs::read_to_string(repository().join("rules/service.yaml")).unwrap();
        let (mut kept, mut section, mut endpoint) = (String::new(), "", "");
        for line in service.lines() {
            let inset = line.len() - line.trim_start().len();
            match inset {
                0 => section = line,
                2 => endpoint = line.trim().trim_end_matches(':'),
                _ => {}
            }
            let is_other = inset > 0 && !ENDPOINTS.contains(&endpoint);
            // Topics and subjects that are not calculated name endpoints that are left out.
            let is_left_out = section == "endpoints:" && is_other
                || ["topics:", "not_calculated:"].contains(&section);
            match line.strip_prefix("    endpoints: ") {
                Some(_) => kept.push_str(&format!("    endpoints: {}\n", ENDPOINTS.join("; "))),
                // The folder of the parities is left out.
                None if is_left_out || line.starts_with("parities:") => {}
                None => kept.push_str(&format!("{line}\n")),
            }
        }
        rules.write("service.yaml", &kept);
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

    /// Overwrites a file of the folder in place, like a simple editor.
    pub fn write(&self, file: &str, text: &str) {
        let path = self.root().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Removes a file of the folder.
    pub fn remove(&self, file: &str) {
        fs::remove_file(self.root().join(file)).unwrap();
    }

    /// Replaces a text that must occur once.
    pub fn replace(&self, file: &str, old: &str, new: &str) {
        let text = self.read(file);
        assert_eq!(text.matches(old).count(), 1, "`{old}` in {file}");
        self.write(file, &text.replace(old, new));
    }

    /// A path beside the folder, on the same file system.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }
}

/// Copies a folder recursively.
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

fn remove_cases(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            remove_cases(&path);
        } else if path.ends_with("cases.yaml") {
            fs::remove_file(path).unwrap();
        }
    }
}
