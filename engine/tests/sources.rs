//! The sources: no file of the workspace is too long to be read at once (functions: `clippy.toml`),
//! and no module of the engine or of the server knows one above it.

#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bareme_engine::law::parameter::GENERAL;

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

/// Words that this project does not use where the field has its own: `reported`, `requested`,
/// `again`, `separately`, `the same`, `holds`, `started`.
const PRIVATE_WORDS: [&str; 8] = [
    "told", "said", "wanted", "anew", "apart", "alike", "stands", "begun",
];

/// The private words of a source, with their lines. Those of a name count too: `is_told`.
fn private_words(source: &str) -> Vec<(usize, &'static str)> {
    let words_of = |line: &str| {
        let words = line.split(|letter: char| !letter.is_ascii_alphanumeric());
        let found = words.filter_map(|word| PRIVATE_WORDS.iter().find(|known| **known == word));
        found.copied().collect::<Vec<_>>()
    };
    let lines = (1..).zip(source.lines());
    lines
        .flat_map(|(number, line)| words_of(line).into_iter().map(move |word| (number, word)))
        .collect()
}

#[test]
fn the_words_are_those_of_the_field() {
    assert_eq!(
        private_words("let is_told = 1;\n// It stands here.\nretold"),
        [(1, "told"), (2, "stands")]
    );

    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    for folder in SOURCE_FOLDERS {
        sources(&root.join(folder), &mut found);
    }
    let words = found.iter().flat_map(|path| {
        let words = private_words(&std::fs::read_to_string(path).unwrap());
        words
            .into_iter()
            .map(move |(line, word)| format!("{}:{line} {word}", path.display()))
    });
    let words: Vec<String> = words.collect();
    assert!(
        words.is_empty(),
        "say these in the words of the field:\n{words:#?}"
    );
}

/// Folders of the sources of the product.
const SOURCE_FOLDERS: [&str; 11] = [
    "engine/src",
    "engine/assistant/src",
    "engine/columns/src",
    "engine/show/src",
    "server/src",
    "server/accounts/src",
    "server/api/src",
    "server/receipts/src",
    "server/site/src",
    "tools/src",
    "tools/python/src",
];

/// The modules of a package, the lowest first: each knows those before it.
type Modules = &'static [&'static str];

/// The packages whose modules are layers. What is beside them in `src` joins them, and is above
/// all.
const LAYERS: [(&str, Modules); 3] = [
    ("engine", &["text", "law", "run", "set", "service", "guide"]),
    ("server/api", &["wire", "work", "calls", "data", "openapi"]),
    (
        "server",
        &["net", "reload", "archive", "ops", "app", "flags"],
    ),
];

/// Files and folders of unit tests, which share what reads whole folders.
const TESTS: [&str; 3] = ["tests.rs", "tests", "simulation"];

/// The names that a source imports from the crate, or reaches by `super`, which are no module at or
/// below its own.
///
/// Unit tests are left out: what they share reads whole folders.
fn imported_upwards(modules: Modules, module: &str, depth: usize, source: &str) -> Vec<String> {
    let own = modules.iter().position(|known| *known == module).unwrap();
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let mut found = Vec::new();
    for line in lines {
        // Paths in a macro that other crates expand begin with `$crate`.
        let starts = line
            .match_indices("crate::")
            .filter(|(at, _)| !line[..*at].ends_with('$'));
        for path in starts.map(|(at, word)| &line[at + word.len()..]) {
            let name: String = path
                .chars()
                .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
                .collect();
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
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .unwrap()
            .join(package)
            .join("src");
        for module in modules {
            let mut found = Vec::new();
            sources(&root.join(module), &mut found);
            assert!(!found.is_empty(), "{module} has no source");
            for path in &found {
                let inside = path.strip_prefix(&root).unwrap();
                if inside
                    .iter()
                    .any(|part| TESTS.iter().any(|name| part == *name))
                {
                    continue;
                }
                // `super` of `text/mod.rs` is the crate, as is `super::super` of `text/words.rs`.
                let depth = inside.iter().count() - usize::from(path.ends_with("mod.rs"));
                let source = std::fs::read_to_string(path).unwrap();
                let upwards = imported_upwards(modules, module, depth, &source);
                assert!(
                    upwards.is_empty(),
                    "{package}, {}: {upwards:?}",
                    inside.display()
                );
            }
        }
    }
}

#[test]
fn every_folder_of_a_package_is_a_layer() {
    for (package, modules) in LAYERS {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .unwrap()
            .join(package)
            .join("src");
        let mut found = Vec::new();
        sources(&root, &mut found);
        let folder = |path: &PathBuf| {
            path.strip_prefix(&root)
                .unwrap()
                .iter()
                .next()
                .unwrap()
                .to_owned()
        };
        let is_layer = |folder: &str| folder.ends_with(".rs") || modules.contains(&folder);
        let unknown: Vec<_> = found
            .iter()
            .map(folder)
            .filter(|folder| !is_layer(folder.to_str().unwrap()))
            .collect();
        assert!(unknown.is_empty(), "{package}: give {unknown:?} a place");
    }
}

#[test]
fn an_import_upwards_is_found_wherever_it_is() {
    let found = |source: &str| imported_upwards(LAYERS[0].1, "law", 2, source);
    assert_eq!(
        found("use crate::law::step::Step;\nuse crate::text::{words, yaml};"),
        Vec::<String>::new()
    );
    assert_eq!(
        found("/// [`Rules`](crate::Rules)\nfn f() -> crate::run::Query {}"),
        ["crate::run"]
    );
    assert_eq!(
        found("use crate::Rules;\nuse crate::{set, text};"),
        ["crate::Rules", "crate::"]
    );
    assert_eq!(
        found("#[cfg(test)]\nmod tests;\nuse crate::run::Query;"),
        ["crate::run"]
    );
    assert_eq!(
        found("use super::step;\nuse super::super::set;"),
        ["super::super::"]
    );
    assert_eq!(
        found("fn f() {}\n#[cfg(test)]\nmod tests {\n    use crate::run::Query;\n}"),
        Vec::<String>::new()
    );
}

/// Where the name of a parameter of every folder is something else: a member of an object, a key of
/// a rule file, a column of a table.
const OTHER_MEANINGS: &[(&str, &[&str])] = &[
    ("engine/assistant/src/answer.rs", &["detail"]),
    ("engine/assistant/src/tools/changes.rs", &["date"]),
    ("engine/assistant/src/tools/search.rs", &["date"]),
    ("engine/columns/src/output.rs", &["version"]),
    ("engine/src/law/formula/expr.rs", &["date"]),
    ("engine/src/law/input/read.rs", &["date"]),
    ("engine/src/law/members.rs", &["date", "version"]),
    ("engine/src/law/members/year.rs", &["annee"]),
    ("engine/src/law/source.rs", &["date"]),
    ("engine/src/law/types.rs", &["date"]),
    ("engine/src/service/question.rs", &["annee"]),
    ("engine/src/service/read.rs", &["date"]),
    ("engine/src/service/schema.rs", &["date"]),
    ("engine/src/set/cases.rs", &["date"]),
    ("engine/src/set/compare/outliers.rs", &["date"]),
    ("engine/src/set/compare/sources.rs", &["date"]),
    ("engine/src/set/compare/texts.rs", &["date"]),
    ("engine/src/set/schema/cases.rs", &["date"]),
    ("engine/src/set/schema/input.rs", &["date"]),
    ("engine/src/set/schema/scale.rs", &["date"]),
    ("engine/src/text/problem/suggestion.rs", &["annee", "cle"]),
    // The name of a limit in the headers of the quota.
    ("server/accounts/src/allowance.rs", &["cle"]),
    (
        "server/accounts/src/store/postgres/operation.rs",
        &["detail"],
    ),
    (
        "server/accounts/src/store/postgres/corrections.rs",
        &["version"],
    ),
    (
        "server/accounts/src/store/postgres/rule_sets.rs",
        &["version"],
    ),
    (
        "server/accounts/src/store/postgres/subscription.rs",
        &["detail", "version"],
    ),
    ("server/accounts/src/store/sqlite/operation.rs", &["detail"]),
    (
        "server/accounts/src/store/sqlite/corrections.rs",
        &["version"],
    ),
    (
        "server/accounts/src/store/sqlite/rule_sets.rs",
        &["version"],
    ),
    (
        "server/accounts/src/store/sqlite/subscription.rs",
        &["detail", "version"],
    ),
    ("server/receipts/src/claim.rs", &["cle", "version"]),
    ("server/api/src/calls/batch/mod.rs", &["version"]),
    ("server/src/app/site/form/usage.rs", &["cle"]),
    ("server/src/archive/described.rs", &["champs", "version"]),
    ("server/api/src/data/edition.rs", &["date", "version"]),
    ("server/api/src/data/figures.rs", &["cle"]),
    ("server/api/src/data/index.rs", &["cle"]),
    ("server/api/src/data/labels.rs", &["date"]),
    ("server/api/src/data/scale.rs", &["annee", "champs", "date"]),
    ("server/api/src/openapi/data/mod.rs", &["date"]),
    ("server/api/src/openapi/data/schemas.rs", &["cle", "date"]),
    ("server/api/src/openapi/form.rs", &["cle"]),
    ("server/api/src/openapi/responses.rs", &["detail"]),
    ("server/src/ops/metrics/table.rs", &["version"]),
    ("server/site/src/compare/form.rs", &["depart"]),
    (
        "server/site/src/guide/api_changes.rs",
        &["cle", "recu", "version"],
    ),
    ("server/site/src/guide/mod.rs", &["annee"]),
    ("server/site/src/key.rs", &["cle"]),
    ("server/site/src/owner.rs", &["cle"]),
    ("server/site/src/simulator/form.rs", &["date"]),
    ("server/site/src/simulator/months.rs", &["annee"]),
    ("server/api/src/wire/credentials.rs", &["cle"]),
    ("server/src/net/refusal.rs", &["date"]),
    ("server/api/src/wire/problem/mod.rs", &["detail"]),
    ("tools/python/src/errors.rs", &["recu", "version"]),
    ("tools/python/src/values.rs", &["date"]),
    ("tools/src/cli/help/texts.rs", &["date", "version"]),
    ("tools/src/cli/mod.rs", &["version"]),
    ("tools/src/command/batch/format.rs", &["version"]),
    ("tools/src/command/confirm/reading.rs", &["date"]),
    ("tools/src/command/confirm/source.rs", &["date"]),
    ("tools/src/command/confirm/text_of_law.rs", &["date"]),
    ("tools/src/command/confirm/year/plans.rs", &["date"]),
    ("tools/src/command/diff/mod.rs", &["champs"]),
    ("tools/src/lsp/symbols.rs", &["date"]),
];

/// The names of parameters of every folder that are literals in the code of a source; not the
/// members of an object in `json!`, nor what a page shows as code.
fn literal_parameters(source: &str) -> BTreeSet<&'static str> {
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = || {
        code.lines()
            .filter(|line| !line.trim_start().starts_with("//"))
    };
    let is_literal = |name: &str| {
        let literal = format!("\"{name}\"");
        let is_in = |line: &str| {
            line.match_indices(&literal).any(|(start, _)| {
                let (before, after) = (&line[..start], &line[start + literal.len()..]);
                !after.starts_with(':')
                    && !before.ends_with("code { ")
                    && !before.ends_with("\"format\": ")
            })
        };
        lines().any(is_in)
    };
    GENERAL
        .iter()
        .map(|parameter| parameter.name)
        .filter(|name| is_literal(name))
        .collect()
}

#[test]
fn a_parameter_of_every_folder_is_named_by_its_constant() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    for package in ["engine", "server", "tools"] {
        sources(&root.join(package), &mut found);
    }
    let is_shipped = |path: &Path| {
        let table = path.ends_with("law/parameter.rs");
        !table
            && !path.iter().any(|part| {
                ["tests", "benches", "examples", "tests.rs"]
                    .iter()
                    .any(|kind| part == *kind)
            })
    };
    let mut literals: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for path in found {
        let inside = path.strip_prefix(root).unwrap().to_owned();
        let names = literal_parameters(&std::fs::read_to_string(&path).unwrap());
        if is_shipped(&inside) && !names.is_empty() {
            literals.insert(inside.to_str().unwrap().to_owned(), names);
        }
    }
    let pairs = |path: &str, names: &BTreeSet<&'static str>| -> Vec<(String, &str)> {
        names.iter().map(|name| (path.to_owned(), *name)).collect()
    };
    let literals: BTreeSet<_> = literals
        .iter()
        .flat_map(|(path, names)| pairs(path, names))
        .collect();
    let others: BTreeSet<_> = OTHER_MEANINGS
        .iter()
        .flat_map(|(path, names)| pairs(path, &names.iter().copied().collect()))
        .collect();

    let unlisted: Vec<_> = literals.difference(&others).collect();
    assert!(
        unlisted.is_empty(),
        "take the constant of bareme_engine::law::parameter, or add the file to OTHER_MEANINGS where \
         the word is something else: {unlisted:?}"
    );
    let gone: Vec<_> = others.difference(&literals).collect();
    assert!(gone.is_empty(), "remove from OTHER_MEANINGS: {gone:?}");
}

#[test]
fn the_literal_of_a_parameter_is_found_wherever_it_is() {
    let found = |source: &str| literal_parameters(source).into_iter().collect::<Vec<_>>();
    assert_eq!(
        found("if name == \"depart\" {}\n// \"annee\"\n"),
        ["depart"]
    );
    assert_eq!(found("[\"date\", \"annee\"]"), ["annee", "date"]);
    assert_eq!(
        found("json!({\"date\": day, \"format\": \"date\"}); code { \"champs\" }"),
        Vec::<&str>::new()
    );
    assert_eq!(
        found("fn f() {}\n#[cfg(test)]\nmod tests {\n    \"cle\"\n}"),
        Vec::<&str>::new()
    );
}
