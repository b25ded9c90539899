//! `bareme fmt`: one layout of rule files, of which every value and comment is the same as before.

use std::path::{Path, PathBuf};

use bareme_engine::Report;
use bareme_engine::authoring::{Content, Node};
use bareme_engine::text::RuleFile;

use crate::common::{root, run_in, small_rules};

/// Every rule file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|end| end == "yaml") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Content of a file, in one text: its keys and its values, numbers without the spaces of their
/// thousands.
fn said(text: &str) -> String {
    fn write(node: &Node, out: &mut String) {
        match &node.content {
            Content::Empty => out.push('~'),
            Content::Text(text) => {
                let is_number = text
                    .value
                    .bytes()
                    .all(|sign| sign.is_ascii_digit() || b" .-".contains(&sign));
                let value = if is_number {
                    text.value.replace(' ', "")
                } else {
                    text.value.clone()
                };
                out.push_str(&format!("{value:?}"));
            }
            Content::Map(entries) => entries.iter().for_each(|(key, value)| {
                out.push_str(&format!("\n{:?}: ", key.value));
                write(value, out);
            }),
            Content::List(items) => items.iter().for_each(|item| {
                out.push_str("\n- ");
                write(item, out);
            }),
        }
    }
    let mut out = String::new();
    let node = Node::read(&RuleFile::new("f.yaml", text), &mut Report::default()).unwrap();
    write(&node, &mut out);
    // The comments are all there.
    let comments = text
        .lines()
        .filter(|line| line.trim_start().starts_with('#'))
        .map(str::trim);
    out + &comments.collect::<Vec<_>>().join("\n")
}

/// A copy of the rules of the project.
fn copy() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let from = root().join("rules");
    for path in files(&from) {
        let to = folder
            .path()
            .join("rules")
            .join(path.strip_prefix(&from).unwrap());
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(&path, to).unwrap();
    }
    folder
}

#[test]
fn every_rule_file_says_the_same_in_its_layout_and_has_one_only() {
    let folder = copy();
    let rules = folder.path().join("rules");
    let before: Vec<(PathBuf, String)> = files(&rules)
        .into_iter()
        .map(|path| (path.clone(), std::fs::read_to_string(path).unwrap()))
        .collect();
    assert!(before.len() > 200);
    let laid_out = run_in(folder.path(), &["fmt"]);
    assert_eq!(laid_out.code, 0, "{laid_out:#?}");
    for (path, text) in &before {
        let now = std::fs::read_to_string(path).unwrap();
        assert!(said(&now) == said(text), "{}", path.display());
    }
    let again = run_in(folder.path(), &["fmt", "--check"]).fine();
    assert!(again.contains("à mettre en page : 0 fichier"), "{again}");
}

#[test]
fn a_file_is_laid_out_and_its_values_stay() {
    let folder = small_rules(None);
    let path = folder.path().join("rules/zz/2026-01-01.yaml");
    let good = std::fs::read_to_string(&path).unwrap();
    let bad = good
        .replace("ceiling: 1 200,", "ceiling:   1200 ,")
        .replace(
            "- {situation: seul, up_to: 18 000, rate: 10%}",
            "- { situation: seul,up_to: 18000, rate: 10.00% }   # dixième",
        )
        .replace("figures:\n", "\n\n\nfigures:\n")
        .replace("  famille:\n    per: year", "  famille:\n      per: year")
        .replace(
            "    source: lf2026\n    rows:\n      - {enfants",
            "      source: lf2026\n      rows:\n        - {enfants",
        )
        .replace("      - {enfants: 1", "        - {enfants: 1")
        .replace("      - {enfants: 2", "        - {enfants: 2");
    std::fs::write(&path, bad.replace('\n', "\r\n")).unwrap();
    let refused = run_in(
        folder.path(),
        &["fmt", "--check", "rules/zz/2026-01-01.yaml"],
    );
    assert_eq!(refused.code, 1);
    assert!(
        refused
            .output
            .contains("1 fichier, à mettre en page : 1 fichier."),
        "{}",
        refused.output
    );
    assert!(
        std::fs::read_to_string(&path).unwrap().contains("\r\n"),
        "--check writes nothing"
    );
    run_in(folder.path(), &["fmt", "rules/zz/2026-01-01.yaml"]).fine();
    let now = std::fs::read_to_string(&path).unwrap();
    let wanted = good
        .replace("rate: 10%}", "rate: 10.00%} # dixième")
        .replace("figures:\n", "\nfigures:\n")
        .replace("up_to: 6 000, ", "up_to: 6 000,  ");
    let rows = |text: &str| {
        text.lines()
            .filter(|line| line.contains("situation: "))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(rows(&now).len(), rows(&wanted).len());
    assert_eq!(said(&now), said(&wanted));
    assert!(
        now.contains("  pension: {rate: 6.3%, ceiling: 1 200, per: month, source: css}\n"),
        "{now}"
    );
    assert!(
        now.contains("      - {situation: seul,   up_to: 18 000, rate: 10.00%} # dixième\n"),
        "{now}"
    );
    assert!(
        now.contains("  famille:\n    per: year\n    source: lf2026\n    rows:\n      - {enfants: 0, montant: 0}\n"),
        "{now}"
    );
}

#[test]
fn what_cannot_be_read_is_told_and_left() {
    let folder = small_rules(None);
    let path = folder.path().join("rules/zz/2026-01-01.yaml");
    std::fs::write(&path, "title: [\n").unwrap();
    let refused = run_in(folder.path(), &["fmt"]);
    assert_eq!(refused.code, 1);
    assert!(
        refused.output.contains("erreur[Y01]") && refused.output.contains("illisibles : 1"),
        "{}",
        refused.output
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "title: [\n");
    let none = run_in(folder.path(), &["fmt", "rules/zz/absent.yaml"]);
    assert_eq!(none.code, 2);
}
