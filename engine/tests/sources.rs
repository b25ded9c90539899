//! The sources of the whole workspace: no file is too long to be read at once. (Functions: `clippy.toml`.)

#![cfg(test)]

use std::path::{Path, PathBuf};

/// Lines of the longest file.
const LONGEST: usize = 500;

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_file_is_longer_than_five_hundred_lines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    for package in ["engine", "server", "tools", "tests"] {
        sources(&root.join(package), &mut found);
    }
    assert!(found.len() > 100, "{} sources", found.len());
    let lines = |path: &PathBuf| std::fs::read_to_string(path).unwrap().lines().count();
    let long: Vec<_> = found.iter().filter(|path| lines(path) > LONGEST).collect();
    assert!(long.is_empty(), "cut these by subject: {long:?}");
}
