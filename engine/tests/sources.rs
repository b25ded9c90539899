//! The sources: no file of the workspace is too long to be read at once (functions: `clippy.toml`), and no module of
//! the engine or of the server knows one above it.

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

/// The modules of a package, the lowest first: each knows those before it.
type Modules = &'static [&'static str];

/// The packages whose modules are layers. What stands beside them in `src` joins them, and is above all.
const LAYERS: [(&str, Modules); 2] = [
    ("engine", &["text", "law", "run", "set", "service", "guide"]),
    ("server", &["wire", "work", "api", "data", "openapi", "pages", "reload", "ops", "app"]),
];

/// Files and folders of unit tests, which share what reads whole folders.
const TESTS: [&str; 3] = ["tests.rs", "tests", "simulation"];

/// The names that a source imports from the crate, or reaches by `super`, which are no module at or below its own.
///
/// Unit tests are left out: what they share reads whole folders.
fn imported_upwards(modules: Modules, module: &str, depth: usize, source: &str) -> Vec<String> {
    let own = modules.iter().position(|known| *known == module).unwrap();
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut found = Vec::new();
    for line in lines {
        // Paths in a macro that other crates expand begin with `$crate`.
        let starts = line.match_indices("crate::").filter(|(at, _)| !line[..*at].ends_with('$'));
        for path in starts.map(|(at, word)| &line[at + word.len()..]) {
            let name: String = path.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
            // A macro that is exported stands at the root, wherever it is written.
            if !modules[..=own].contains(&name.as_str()) && name != "say" {
                found.push(format!("crate::{name}"));
            }
        }
        if line.contains(&"super::".repeat(depth)) {
            found.push("super::".repeat(depth));
        }
    }
    found
}

#[test]
fn no_module_knows_one_above_it() {
    for (package, modules) in LAYERS {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(package).join("src");
        for module in modules {
            let mut found = Vec::new();
            sources(&root.join(module), &mut found);
            assert!(!found.is_empty(), "{module} has no source");
            for path in &found {
                let inside = path.strip_prefix(&root).unwrap();
                if inside.iter().any(|part| TESTS.iter().any(|name| part == *name)) {
                    continue;
                }
                // `super` of `text/mod.rs` is the crate, as is `super::super` of `text/words.rs`.
                let depth = inside.iter().count() - usize::from(path.ends_with("mod.rs"));
                let source = std::fs::read_to_string(path).unwrap();
                let upwards = imported_upwards(modules, module, depth, &source);
                assert!(upwards.is_empty(), "{package}, {}: {upwards:?}", inside.display());
            }
        }
    }
}

#[test]
fn every_folder_of_a_package_is_a_layer() {
    for (package, modules) in LAYERS {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(package).join("src");
        let mut found = Vec::new();
        sources(&root, &mut found);
        let folder = |path: &PathBuf| path.strip_prefix(&root).unwrap().iter().next().unwrap().to_owned();
        let is_layer = |folder: &str| folder.ends_with(".rs") || modules.contains(&folder);
        let unknown: Vec<_> = found.iter().map(folder).filter(|folder| !is_layer(folder.to_str().unwrap())).collect();
        assert!(unknown.is_empty(), "{package}: give {unknown:?} a place");
    }
}

#[test]
fn an_import_upwards_is_found_wherever_it_stands() {
    let found = |source: &str| imported_upwards(LAYERS[0].1, "law", 2, source);
    assert_eq!(found("use crate::law::step::Step;\nuse crate::text::{words, yaml};"), Vec::<String>::new());
    assert_eq!(found("/// [`Rules`](crate::Rules)\nfn f() -> crate::run::Query {}"), ["crate::run"]);
    assert_eq!(found("use crate::Rules;\nuse crate::{set, text};"), ["crate::Rules", "crate::"]);
    assert_eq!(found("#[cfg(test)]\nmod tests;\nuse crate::run::Query;"), ["crate::run"]);
    assert_eq!(found("use super::step;\nuse super::super::set;"), ["super::super::"]);
    assert_eq!(found("fn f() {}\n#[cfg(test)]\nmod tests {\n    use crate::run::Query;\n}"), Vec::<String>::new());
}
