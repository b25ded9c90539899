//! What the product is made of: the table of dependencies says the truth, and cargo-deny finds
//! nothing in them.

#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use harness::repository;
use serde_json::Value;

/// Where `tests/run` installs cargo-deny.
const CARGO_DENY: &str = "target/supply/bin/cargo-deny";

/// The crates and the packages in which they are used, `tests` for what is used in tests alone.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// What the manifests say.
fn declared() -> Uses {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut metadata = Command::new(cargo);
    metadata.args([
        "metadata",
        "--no-deps",
        "--format-version",
        "1",
        "--locked",
        "--offline",
    ]);
    let Output {
        status,
        stdout,
        stderr,
    } = metadata.current_dir(repository()).output().unwrap();
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    let metadata: Value = serde_json::from_slice(&stdout).unwrap();
    let mut uses = Uses::new();
    for package in metadata["packages"].as_array().unwrap() {
        let folder = Path::new(package["manifest_path"].as_str().unwrap())
            .parent()
            .unwrap();
        let folder = folder
            .strip_prefix(repository().canonicalize().unwrap())
            .unwrap();
        let of_others = package["dependencies"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|used| used["path"].is_null());
        for used in of_others {
            assert_ne!(used["req"], "*", "{used} has no version");
            let is_tests = folder.starts_with("tests") || used["kind"] == "dev";
            let place = if is_tests {
                "tests".to_owned()
            } else {
                folder.display().to_string()
            };
            uses.entry(used["name"].as_str().unwrap().to_owned())
                .or_default()
                .insert(place);
        }
    }
    uses
}

/// What the table says.
fn described() -> Uses {
    let text = std::fs::read_to_string(repository().join("tests/supply/DEPENDENCIES.md")).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    let mut uses = Uses::new();
    for row in rows {
        let [name, places, reason] = row
            .trim_end_matches(" |")
            .splitn(3, " | ")
            .collect::<Vec<_>>()[..]
        else {
            panic!("three columns: {row}")
        };
        assert!(reason.len() > 3, "{name} has no reason");
        let places = places.split(", ").map(str::to_owned).collect();
        let before = uses.insert(name.trim_end_matches('`').to_owned(), places);
        assert!(before.is_none(), "{name} twice");
    }
    uses
}

#[test]
fn the_table_names_each_dependency_and_where_it_is_used() {
    let (declared, described) = (declared(), described());
    assert!(declared.len() > 50, "{} dependencies", declared.len());
    for (name, places) in &declared {
        let said = described.get(name);
        assert_eq!(
            said,
            Some(places),
            "`{name}` of the manifests, in tests/supply/DEPENDENCIES.md"
        );
    }
    let unused: Vec<_> = described
        .keys()
        .filter(|name| !declared.contains_key(*name))
        .collect();
    assert!(
        unused.is_empty(),
        "no manifest names {unused:?}: take them out of tests/supply/DEPENDENCIES.md"
    );
}

/// cargo-deny with our settings. None where it is not installed, unless all tests must run.
fn cargo_deny() -> Option<Command> {
    let program: PathBuf = repository().join(CARGO_DENY);
    if !program.exists() {
        let why = format!("{CARGO_DENY} is missing: `tests/run` installs it");
        assert!(std::env::var_os("CI").is_none(), "{why}");
        eprintln!("skipped: {why}");
        return None;
    }
    let mut command = Command::new(program);
    command.current_dir(repository());
    command.args([
        "--workspace",
        "--locked",
        "--config",
        "tests/supply/deny.toml",
    ]);
    Some(command)
}

fn check(what: &[&str]) {
    let Some(mut command) = cargo_deny() else {
        return;
    };
    let Output {
        status,
        stdout,
        stderr,
    } = command
        .arg("--offline")
        .arg("check")
        .args(what)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned();
    assert!(status.success(), "{said}");
    assert!(
        what.iter().all(|what| said.contains(&format!("{what} ok"))),
        "{said}"
    );
}

#[test]
fn licences_sources_and_banned_crates() {
    check(&["licenses", "bans", "sources"]);
}

/// The database of advisories is on a server of its own: where that cannot be reached nobody has
/// looked, and it says so.
#[test]
fn advisories() {
    let Some(mut fetch) = cargo_deny() else {
        return;
    };
    if fetch
        .args(["fetch", "db"])
        .output()
        .unwrap()
        .status
        .success()
    {
        check(&["advisories"]);
    } else {
        eprintln!("NOT CHECKED: the database of advisories cannot be fetched here");
    }
}

/// The crates that are linked into a program of a package on this system, with their licences, as
/// cargo resolves them.
fn linked(package: &str) -> BTreeMap<(String, String), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut tree = Command::new(cargo);
    tree.args([
        "tree",
        "--locked",
        "--offline",
        "--package",
        package,
        "--edges",
        "normal,no-proc-macro",
    ]);
    tree.args(["--prefix", "none", "--format", "{p}|{l}"]);
    let Output {
        status,
        stdout,
        stderr,
    } = tree.current_dir(repository()).output().unwrap();
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    let lines = String::from_utf8(stdout).unwrap();
    let crates = lines.lines().map(|line| {
        let (crate_, licence) = line.trim_end_matches(" (*)").split_once('|').unwrap();
        let mut words = crate_.split(' ');
        let (name, version) = (
            words.next().unwrap(),
            words.next().unwrap().trim_start_matches('v'),
        );
        (
            (name.to_owned(), version.to_owned()),
            licence.replace('/', " OR "),
        )
    });
    crates.collect()
}

/// Writes the bills of materials with the documented command, and compares them with what cargo
/// links.
#[test]
#[ignore = "it installs a library and takes half a minute: cargo test --workspace --test supply -- --ignored"]
fn bills_of_materials_name_each_linked_crate_with_its_licence() {
    let mut command = Command::new(repository().join("server/deploy/sbom.sh"));
    let Output {
        status,
        stdout,
        stderr,
    } = command.current_dir(repository()).output().unwrap();
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    print!("{}", String::from_utf8_lossy(&stdout));
    for (package, file) in [
        ("bareme-server", "bareme-server.cdx.json"),
        ("bareme-tools", "bareme.cdx.json"),
    ] {
        let bill = std::fs::read(repository().join("target/sbom").join(file)).unwrap();
        let bill: Value = serde_json::from_slice(&bill).unwrap();
        assert_eq!(
            (&bill["bomFormat"], &bill["specVersion"]),
            (&"CycloneDX".into(), &"1.6".into())
        );
        let program = &bill["metadata"]["component"];
        let components = bill["components"]
            .as_array()
            .unwrap()
            .iter()
            .chain([program]);
        let named: BTreeMap<_, _> = components
            .map(|component| {
                let licence = &component["licenses"][0];
                let forms = [
                    &licence["expression"],
                    &licence["license"]["id"],
                    &licence["license"]["name"],
                ];
                let licence = forms
                    .iter()
                    .find_map(|form| form.as_str())
                    .unwrap_or_default();
                let text = |member: &str| component[member].as_str().unwrap().to_owned();
                ((text("name"), text("version")), licence.to_owned())
            })
            .collect();
        assert!(named.len() > 100, "{} crates in {file}", named.len());
        assert_eq!(named, linked(package), "{file}");
    }
}
