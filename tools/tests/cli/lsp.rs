//! `bareme lsp`, end to end: an editor that opens every rule file of the project and hundreds of
//! broken ones, and an analyst who edits.

mod across;
mod analyst;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use bareme_engine::law::Drafts;
use bareme_engine::service::Loaded;
use bareme_engine::set::lint;
use bareme_engine::text::Severity;
use bareme_engine::{Diagnostic, FileSet, Lang, Loader};
use serde_json::{Value, json};

use crate::broken::{self, DAY};
use crate::common::{command, root, small_rules};
use crate::language_server::{LanguageServer, uri};

/// Starts the server for folders that an editor has open.
pub(crate) fn server(folders: &[&Path], day: &str) -> LanguageServer {
    LanguageServer::start(&mut command(&["lsp", "--stdio", "--date", day]), folders)
}

/// Diagnostic, as tests compare it: severity, code, line and sentence.
type Said = (bool, String, u64, String);

/// Mistakes that `bareme check` reports in the rules of a folder, by file; of folders and files
/// that cannot be read nothing, since an editor has another place for it.
fn checked(rules: &Path, day: &str) -> BTreeMap<String, Vec<Said>> {
    let files = FileSet::read(rules);
    let Loaded { rules, report } = Loader::new()
        .drafts(Drafts::Aside)
        .load_service_files(&files);
    let advice = rules
        .as_ref()
        .map(|rules| lint(rules.folders(), day.parse().unwrap()))
        .unwrap_or_default();
    let mut said: BTreeMap<String, Vec<Said>> = BTreeMap::new();
    for found in report.all().chain(advice.all()) {
        let found = found.of_unreadable_draft().unwrap_or_else(|| found.clone());
        said.entry(found.file().to_owned())
            .or_default()
            .push(of_engine(&found));
    }
    said.values_mut().for_each(|said| said.sort());
    said
}

fn of_engine(found: &Diagnostic) -> Said {
    let line = found.line() as u64 - 1;
    (
        found.severity() == Severity::Error,
        found.code().to_owned(),
        line,
        found.message(Lang::Fr),
    )
}

fn of_editor(found: &Value) -> Said {
    let message = found["message"]
        .as_str()
        .unwrap()
        .split("\nremède : ")
        .next()
        .unwrap()
        .to_owned();
    let line = found["range"]["start"]["line"].as_u64().unwrap();
    (
        found["severity"] == 1,
        found["code"].as_str().unwrap().to_owned(),
        line,
        message,
    )
}

/// Diagnostics that an editor shows for the rules of a folder.
fn shown(rules: &Path, diagnostics: &HashMap<String, Vec<Value>>) -> BTreeMap<String, Vec<Said>> {
    let start = uri(rules) + "/";
    let found = diagnostics.iter().filter(|(_, found)| !found.is_empty());
    let found =
        found.filter_map(|(address, found)| Some((decoded(address.strip_prefix(&start)?), found)));
    found
        .map(|(path, found)| {
            let mut said: Vec<Said> = found.iter().map(of_editor).collect();
            said.sort();
            (path, said)
        })
        .collect()
}

/// A path without the percent signs of an address: `a%20b` is `a b`.
fn decoded(path: &str) -> String {
    let mut parts = path.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).unwrap()
}

/// The rule files below a folder, by their paths from it.
fn rule_files(rules: &Path) -> Vec<String> {
    FileSet::read(rules).paths().map(str::to_owned).collect()
}

#[test]
fn every_rule_file_of_the_project_is_opened_and_says_what_check_says() {
    const TODAY: &str = "2026-11-01";
    let rules = root().join("rules");
    let expected = checked(&rules, TODAY);
    let mut server = server(&[&root()], TODAY);
    assert!(
        server.until(|told| shown(&rules, told) == expected),
        "{:#?}",
        shown(&rules, &server.diagnostics)
    );
    let paths = rule_files(&rules);
    assert!(paths.len() > 200);
    // Editors do not ask about a picture.
    for path in paths.iter().filter(|path| path.ends_with(".yaml")) {
        let file = rules.join(path);
        server.open(&file, &std::fs::read_to_string(&file).unwrap());
        let document = json!({"uri": uri(&file)});
        let outline = server.ask(
            "textDocument/documentSymbol",
            json!({"textDocument": document}),
        );
        assert!(
            outline
                .as_array()
                .is_some_and(|sections| sections.len() > 1),
            "{path}"
        );
        // A word in the middle of the file, whatever it is.
        let text = server.text(&file).to_owned();
        let before: String = text.chars().take(text.chars().count() / 2).collect();
        let place = server.at(&file, &before);
        server.ask("textDocument/hover", place.clone());
        server.ask("textDocument/completion", place);
    }
    assert!(
        server.until(|told| shown(&rules, told) == expected),
        "a file that is opened says the same"
    );
}

#[test]
fn hundreds_of_broken_sets_say_what_check_says_and_end_nothing() {
    let good = small_rules(None);
    let mut folders: Vec<(String, tempfile::TempDir)> = Vec::new();
    for path in broken::mistakes() {
        folders.push((
            path.file_name().unwrap().to_str().unwrap().to_owned(),
            small_rules(Some(&path)),
        ));
    }
    let mut themes: Vec<PathBuf> = std::fs::read_dir(root().join("tests/hand"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    themes.retain(|path| path.extension().is_some_and(|end| end == "txt"));
    themes.sort();
    // Every third one: the suite is to be quick.
    for mistake in themes
        .iter()
        .flat_map(|theme| crate::hand::mistakes(theme))
        .step_by(3)
    {
        let folder = small_rules(None);
        mistake.make(&folder.path().join("rules"));
        folders.push((mistake.name.clone(), folder));
    }
    // Without that file an editor sees no folder of rules.
    folders.retain(|(_, folder)| folder.path().join("rules/service.yaml").is_file());
    assert!(folders.len() > 200, "{}", folders.len());
    let mut server = server(&[good.path()], DAY);
    let added: Vec<Value> = folders
        .iter()
        .map(|(name, folder)| json!({"uri": uri(folder.path()), "name": name}))
        .collect();
    server.notify(
        "workspace/didChangeWorkspaceFolders",
        json!({"event": {"added": added, "removed": []}}),
    );
    for (name, folder) in &folders {
        let rules = folder.path().join("rules");
        let files = rule_files(&rules);
        let expected = checked(&rules, DAY);
        let is_file = |path: &String| files.contains(path) || rules.join(path).is_file();
        let of_files: BTreeMap<String, Vec<Said>> = expected
            .iter()
            .filter(|(path, _)| is_file(path))
            .map(|(path, said)| (path.clone(), said.clone()))
            .collect();
        let count = |said: &BTreeMap<String, Vec<Said>>| said.values().map(Vec::len).sum::<usize>();
        // A mistake of a folder is shown at one of its files; nothing is left out.
        let is_right = |told: &HashMap<String, Vec<Value>>| {
            let shown = shown(&rules, told);
            let holds = |(path, said): (&String, &Vec<Said>)| {
                shown
                    .get(path)
                    .is_some_and(|shown| said.iter().all(|one| shown.contains(one)))
            };
            of_files.iter().all(holds) && count(&shown) >= count(&expected)
        };
        assert!(
            server.until(is_right),
            "{name}: {expected:#?} {:#?}",
            shown(&rules, &server.diagnostics)
        );
    }
    let method = good.path().join("rules/zz/method.yaml");
    server.open(&method, &std::fs::read_to_string(&method).unwrap());
    let place = server.at(&method, "  net");
    assert!(
        server.ask("textDocument/hover", place)["contents"]["value"]
            .as_str()
            .unwrap()
            .contains("Salaire net")
    );
}

#[test]
fn what_is_typed_is_checked_before_it_is_saved() {
    let folder = small_rules(None);
    let rules = folder.path().join("rules");
    let mut server = server(&[folder.path()], DAY);
    let open = |name: &str| rules.join("zz").join(name);
    for name in ["method.yaml", "2026-01-01.yaml", "cases.yaml"] {
        server.open(&open(name), &std::fs::read_to_string(open(name)).unwrap());
    }
    for path in broken::mistakes().into_iter().step_by(5) {
        for entry in std::fs::read_dir(&path)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            let file = open(entry.file_name().unwrap().to_str().unwrap());
            if !file.exists() || file.extension().is_none_or(|end| end != "yaml") {
                continue;
            }
            let text = crate::common::repeated(&std::fs::read_to_string(&entry).unwrap());
            let copy = small_rules(None);
            std::fs::write(
                copy.path().join("rules/zz").join(file.file_name().unwrap()),
                &text,
            )
            .unwrap();
            let expected = checked(&copy.path().join("rules"), DAY);
            server.rewrite(&file, &text);
            let is_right = |told: &HashMap<String, Vec<Value>>| shown(&rules, told) == expected;
            assert!(
                server.until(is_right),
                "{}: {expected:#?} {:#?}",
                path.display(),
                shown(&rules, &server.diagnostics)
            );
            server.rewrite(&file, &std::fs::read_to_string(&file).unwrap());
            assert!(
                server.until(|told| shown(&rules, told).is_empty()),
                "{}",
                path.display()
            );
        }
    }
}

/// The labels of what is proposed at a place.
pub(crate) fn proposed(server: &mut LanguageServer, path: &Path, before: &str) -> Vec<String> {
    let place = server.at(path, before);
    let items = server.ask("textDocument/completion", place);
    items
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["label"].as_str().unwrap().to_owned())
        .collect()
}

/// The first cure that is offered where a file is wrong, made.
pub(crate) fn cured(server: &mut LanguageServer, path: &Path, before: &str) -> String {
    let place = server.at(path, before)["position"].take();
    let asked = json!({"textDocument": {"uri": uri(path)}, "range": {"start": place, "end": place}, "context": {"diagnostics": []}});
    let actions = server.ask("textDocument/codeAction", asked);
    let first = actions
        .get(0)
        .unwrap_or_else(|| panic!("no cure at {before}: {:?}", server.diagnostics));
    server.apply(&first["edit"]);
    first["title"].as_str().unwrap().to_owned()
}

/// How long an editor waits on the largest folder, with a rule set in which nothing else moves;
/// printed, and compared with nothing: a machine that does much else decides.
#[test]
#[ignore = "measures: cargo test --workspace --release --test cli latencies -- --ignored --nocapture"]
fn latencies_on_the_largest_folder() {
    let rules = root().join("rules");
    let (method, scale) = (
        rules.join("salaire/method.yaml"),
        rules.join("salaire/2026-01-01.yaml"),
    );
    let mut server = server(&[&root()], "2026-11-01");
    for path in [&method, &scale] {
        server.open(path, &std::fs::read_to_string(path).unwrap());
    }
    let place = server.at(&method, "\nsteps");
    server.ask("textDocument/hover", place);
    std::thread::sleep(std::time::Duration::from_secs(5));
    let text = server.text(&method).to_owned();
    let steps: Vec<String> = text
        .lines()
        .filter(|line| line.starts_with("  ") && line.contains("{formula: "))
        .map(|line| format!("\n{}", line.split("formula: ").next().unwrap()))
        .collect();
    let mut measured: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for round in 0..100 {
        let head = &steps[round * 7 % steps.len()];
        let name = head.split(':').next().unwrap();
        for (what, asked, before) in [
            ("hover", "textDocument/hover", name),
            (
                "completion",
                "textDocument/completion",
                &format!("{head}formula: "),
            ),
        ] {
            let place = server.at(&method, before);
            let started = std::time::Instant::now();
            server.ask(asked, place);
            measured
                .entry(what)
                .or_default()
                .push(started.elapsed().as_secs_f64() * 1000.0);
        }
    }
    for (what, path, good, bad) in [
        (
            "diagnostics, dated file",
            &scale,
            "vieillesse_plafonnee:   {rate: 6.90%",
            "vieillesse_plafonnee:   {rate: 6.90",
        ),
        (
            "diagnostics, method",
            &method,
            "formula: ",
            "formula: 1 + ; ",
        ),
    ] {
        for _ in 0..20 {
            for (old, new) in [(good, bad), (bad, good)] {
                std::thread::sleep(std::time::Duration::from_millis(1200));
                let started = std::time::Instant::now();
                server.replace(path, old, new);
                let (address, version) = (uri(path), server.version(path));
                server.wait(|message| {
                    message["params"]["uri"] == address.as_str()
                        && message["params"]["version"] == version
                });
                measured
                    .entry(what)
                    .or_default()
                    .push(started.elapsed().as_secs_f64() * 1000.0);
            }
        }
    }
    for (what, mut taken) in measured {
        taken.sort_by(f64::total_cmp);
        let at = |part: usize| taken[(taken.len() * part / 100).min(taken.len() - 1)];
        println!(
            "{what}: p50 {:.1} ms, p99 {:.1} ms, {} times",
            at(50),
            at(99),
            taken.len()
        );
    }
}
