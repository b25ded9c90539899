//! The JSON Schemas in `schemas/` are those that the engine writes, they compile, and every rule
//! file points to its own, so that an editor completes what the engine accepts.
//!
//! `BAREME_UPDATE_SCHEMAS=1 cargo test --workspace --test schemas` refreshes them.

#![cfg(test)]

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bareme_engine::service::{Rules, service_schema};
use bareme_engine::set::{cases_schema, method_schema, scale_schema, translation_schema};
use serde_json::Value;

const REFRESH: &str = "BAREME_UPDATE_SCHEMAS=1 cargo test --workspace --test schemas";

/// Every schema, by its path in `schemas/`.
fn generated(rules: &Rules) -> BTreeMap<PathBuf, Value> {
    let mut schemas = BTreeMap::from([
        ("method.json".into(), method_schema()),
        ("cases.json".into(), cases_schema()),
        ("en.json".into(), translation_schema()),
        ("service.json".into(), service_schema()),
    ]);
    for folder in rules.folders() {
        for method in folder
            .editions()
            .iter()
            .filter(|edition| edition.scale().is_some())
            .map(|found| found.method())
        {
            let path = format!("scales/{}/{}.json", folder.path(), method.name);
            schemas.insert(path.into(), scale_schema(method));
        }
    }
    schemas
}

fn written(schema: &Value) -> String {
    serde_json::to_string_pretty(schema).unwrap() + "\n"
}

fn refresh(folder: &Path, schemas: &BTreeMap<PathBuf, Value>) {
    for (path, schema) in schemas {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, written(schema)).unwrap();
    }
    for path in common::files(folder, "json")
        .iter()
        .filter(|path| !schemas.contains_key(*path))
    {
        std::fs::remove_file(folder.join(path)).unwrap();
    }
}

#[test]
fn the_schemas_are_those_that_the_engine_writes() {
    let schemas = generated(common::rules());
    let folder = common::root().join("schemas");
    if std::env::var_os("BAREME_UPDATE_SCHEMAS").is_some() {
        refresh(&folder, &schemas);
    }
    let is_stale = |path: &&PathBuf| {
        std::fs::read_to_string(folder.join(path)).ok() != schemas.get(*path).map(written)
    };
    let found = common::files(&folder, "json");
    let stale: Vec<_> = schemas
        .keys()
        .filter(is_stale)
        .chain(found.iter().filter(is_stale))
        .collect();
    assert!(
        stale.is_empty(),
        "these schemas are stale: {stale:?}\nto refresh them: {REFRESH}"
    );
}

#[test]
fn every_schema_compiles_and_is_itself_valid() {
    for (path, schema) in generated(common::rules()) {
        assert!(
            jsonschema::meta::is_valid(&schema),
            "{path:?} is not a JSON Schema"
        );
        jsonschema::draft202012::new(&schema).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    }
}

/// The schema that a file of the rules must point to.
fn schema_of(file: &Path, text: &str) -> PathBuf {
    let name = file.file_stem().unwrap().to_str().unwrap();
    let method = text
        .lines()
        .find_map(|line| line.strip_prefix("method: "))
        .unwrap_or("method.yaml");
    match name {
        "service" | "cases" | "en" => format!("{name}.json").into(),
        _ if name.starts_with("method") => "method.json".into(),
        _ => Path::new("scales")
            .join(file.parent().unwrap())
            .join(method)
            .with_extension("json"),
    }
}

#[test]
fn every_rule_file_points_to_its_schema() {
    let schemas = generated(common::rules());
    let rules = common::root().join("rules");
    for file in common::yaml_files(&rules) {
        let text = std::fs::read_to_string(rules.join(&file)).unwrap();
        let up = "../".repeat(file.components().count());
        let wanted = schema_of(&file, &text);
        let line = format!(
            "# yaml-language-server: $schema={up}schemas/{}",
            wanted.display()
        );
        assert_eq!(
            text.lines().next(),
            Some(line.as_str()),
            "first line of rules/{}",
            file.display()
        );
        assert!(
            schemas.contains_key(&wanted),
            "rules/{} points to a schema that is not written",
            file.display()
        );
    }
}
