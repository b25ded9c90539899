//! Helpers shared by the tests of whole rule sets.

#![allow(dead_code, reason = "each test takes what it needs")]

pub(crate) mod conformance;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use bareme_engine::service::{Loaded, Rules};
use bareme_engine::text::Rendering;
use bareme_engine::{CalculationError, Lang, Refusal, Report};

/// The description of a service of one folder, `zz`.
pub(crate) const SERVICE: &str = "format: bareme/1
title: Service
documentation: https://example.org
attribution: Service
endpoints: {calcul: {title: Calcul, folder: zz}}
variants:
  a:
    title: A
    prefix: /a
    endpoints: calcul
    key_prefix: aaa
    cors: false
    plans: {libre: {title: Libre, price: rien, calls_per_day: unlimited, attribution: false}}
";

/// The root of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The rules of the project; fails with everything that is wrong with them.
pub(crate) fn rules() -> &'static Rules {
    static RULES: LazyLock<Rules> = LazyLock::new(|| {
        // The test of the rules themselves runs their cases.
        let loaded = bareme_engine::Loader::new()
            .without_cases()
            .load_service(&root().join("rules"));
        loaded
            .rules
            .unwrap_or_else(|| panic!("the rules have errors:\n{}", reported(&loaded.report)))
    });
    &RULES
}

/// Loads a rule set from the texts of its files, by their paths. A method that lacks nothing but
/// the field that readers come for gets its first result: examples and cases are about something
/// else.
pub(crate) fn load_files(files: impl IntoIterator<Item = (String, String)>) -> Loaded {
    let mut files: Vec<(String, String)> = files.into_iter().collect();
    let loaded = bareme_engine::Loader::new().load_service(written(files.clone()).path());
    let lacking: Vec<&str> = loaded.report.errors().map(|error| error.file()).collect();
    if lacking.is_empty() || loaded.report.errors().any(|error| error.code() != "V13") {
        return loaded;
    }
    let folders = bareme_engine::Loader::new()
        .load(written(files.clone()).path())
        .rules;
    for (path, text) in files
        .iter_mut()
        .filter(|(path, _)| lacking.contains(&path.as_str()))
    {
        let folder = path
            .rsplit_once('/')
            .and_then(|(folder, _)| folders.as_ref()?.folder(folder));
        let fields = folder
            .and_then(|folder| folder.latest())
            .into_iter()
            .flat_map(|edition| edition.method().fields());
        let result = fields
            .into_iter()
            .find(|field| field.json_type() == "number" && !field.is_echo());
        // A method that answers lines alone has nothing to measure.
        let name = result.map(|field| field.name.clone());
        let name = name.unwrap_or_else(|| {
            *text = text.replace("\nanswer:\n", "\nanswer:\n  mesure: {value: 1}\n");
            "mesure".to_owned()
        });
        text.push_str(&format!("\nheadline: [{{field: {name}, role: levy}}]\n"));
    }
    bareme_engine::Loader::new().load_service(written(files).path())
}

/// Writes files in a temporary folder, by their paths.
pub(crate) fn written(files: impl IntoIterator<Item = (String, String)>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// The refusal of a calculation; a fault of the engine fails the test.
pub(crate) fn refusal(error: CalculationError) -> Refusal {
    match error {
        CalculationError::Refused(refusal) => refusal,
        CalculationError::Internal(fault) => panic!("{fault}"),
    }
}

/// Everything that a report says, as it is shown.
pub(crate) fn reported(report: &Report) -> String {
    report
        .all()
        .map(|diagnostic| diagnostic.render(Rendering::new(Lang::En)))
        .collect()
}

/// The YAML files below a folder, as paths relative to it.
pub(crate) fn yaml_files(folder: &Path) -> Vec<PathBuf> {
    files(folder, "yaml")
}

/// The files below a folder that have an ending, as paths relative to it, in order.
pub(crate) fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(here) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&here) else {
            continue;
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|found| found == ending) {
                found.push(path.strip_prefix(folder).unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}
