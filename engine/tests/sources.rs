//! The sources of the whole workspace: no file is too long to be read at once. (Functions: `clippy.toml`.)

#![cfg(test)]

use std::path::{Path, PathBuf};

/// Lines of the longest file.
const LONGEST: usize = 500;

/// Files that are one table, which nobody reads from top to bottom.
const TABLES: [&str; 1] = ["engine/src/problem/catalogue.rs"];

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
    let is_table = |path: &PathBuf| TABLES.iter().any(|table| path.ends_with(table));
    let long: Vec<_> = found.iter().filter(|path| !is_table(path) && lines(path) > LONGEST).collect();
    assert!(long.is_empty(), "cut these by subject: {long:?}");
}
