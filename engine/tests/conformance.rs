//! What each kind of step computes and refuses, in `conformance/<kind>.yaml`, what every step may write, in
//! `conformance/modifiers.yaml`, and how two steps share a row of a payslip, in `conformance/payslip.yaml`: a method, a scale, and what is asked of them. A kind without its file fails.
//!
//! A case has `name`, `figures` (the shapes), `steps`, `scale` (the figures, whose source is `s`), and
//! may have `inputs`, `answer` and `later` (the figures from 2027 on); then `asks`, a map from a query to its fields or
//! to `refused: <input> <code>`, or `errors`, the codes that refuse the rules. `wrong` lists variants of the case, each
//! with what it writes otherwise and its `errors`.

#![cfg(test)]

mod common;

use std::path::{Path, PathBuf};

use bareme_engine::{Content, Datum, Diagnostic, Folder, KINDS, Node, Report, RuleFile, Rules};
use jiff::civil::{Date, date};

const TODAY: Date = date(2026, 6, 30);

const INPUTS: &str = "
brut:  {type: money, per: month, required: true, label: Brut}
n:     {type: number, default: 1, label: Nombre}
cadre: {type: boolean, default: false, label: Cadre}
";

const SERVICE: &str = "format: bareme/1
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

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance")
}

#[test]
fn every_kind_has_its_file_and_every_file_its_kind() {
    let found: Vec<String> = common::files(&folder(), "yaml").iter().map(|path| path.display().to_string()).collect();
    let mut wanted: Vec<String> = subjects().map(|subject| format!("{subject}.yaml")).collect();
    wanted.sort();
    assert_eq!(found, wanted);
}

fn subjects() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|kind| kind.name).chain(["modifiers", "payslip"])
}

#[test]
fn every_kind_does_what_its_file_says() {
    for subject in subjects() {
        let path = format!("{subject}.yaml");
        let text = std::fs::read_to_string(folder().join(&path)).unwrap();
        let mut report = Report::default();
        let node = Node::read(&RuleFile::new(path, text), &mut report).unwrap();
        assert!(report.all().next().is_none(), "{}", common::reported(&report));
        for case in node.items() {
            Case { subject, node: case, variant: None }.run();
            for variant in case.get("wrong").map(Node::items).unwrap_or_default() {
                Case { subject, node: case, variant: Some(variant) }.check_errors();
            }
        }
    }
}

struct Case<'c> {
    subject: &'static str,
    node: &'c Node,
    variant: Option<&'c Node>,
}

impl Case<'_> {
    fn text(&self, key: &str) -> Option<&str> {
        let of_variant = self.variant.and_then(|variant| variant.get(key));
        of_variant.or_else(|| self.node.get(key))?.text().map(|text| text.value.as_str())
    }

    fn name(&self) -> String {
        format!(
            "{}, {:?}{}",
            self.subject,
            self.text("name").unwrap(),
            self.variant.map_or("", |_| ", a wrong variant")
        )
    }

    fn run(&self) {
        if self.text("errors").is_some() {
            return self.check_errors();
        }
        let loaded = common::load_files(self.files());
        let rules: Rules =
            loaded.rules.unwrap_or_else(|| panic!("{}:\n{}", self.name(), common::reported(&loaded.report)));
        let asks = self.node.get("asks").unwrap().entries();
        assert!(!asks.is_empty(), "{} asks nothing", self.name());
        for (query, expected) in asks {
            self.ask(rules.folder("zz").unwrap(), &query.value, expected);
        }
    }

    fn check_errors(&self) {
        let report = common::load_files(self.files()).report;
        let found: Vec<&str> = report.errors().map(Diagnostic::code).collect();
        let steps = self.text("steps").unwrap();
        let wanted = self.text("errors").unwrap();
        assert_eq!(found.join("; "), wanted, "{}:\n{steps}\n{}", self.name(), common::reported(&report));
    }

    fn files(&self) -> Vec<(String, String)> {
        let indented = |text: &str| text.lines().map(|line| format!("  {line}\n")).collect::<String>();
        let part = |key: &str, or: &str| format!("{key}:\n{}\n", indented(self.text(key).unwrap_or(or)));
        let head = "format: bareme/1\nfolder: zz\ntitle: Titre\ncurrency: EUR\n";
        let figures = self.text("figures").map(|_| part("figures", "")).unwrap_or_default();
        let dated = if figures.is_empty() { "dated: false\n" } else { "" };
        let method =
            [head, dated, &part("inputs", INPUTS), &figures, &part("steps", ""), &part("answer", "x: x")].concat();
        let mut files = vec![("service.yaml".to_owned(), SERVICE.to_owned()), ("zz/method.yaml".to_owned(), method)];
        for (key, day) in [("scale", "2026-01-01"), ("later", "2027-01-01")] {
            let Some(scale) = self.text(key) else { continue };
            let sources = "sources:\n  s: {kind: law, title: Source, publisher: Editeur}\n";
            let scale = format!("format: bareme/1\ntitle: Titre\n{sources}figures:\n{}\n", indented(scale));
            files.push((format!("zz/{day}.yaml"), scale));
        }
        files
    }

    fn ask(&self, folder: &Folder, asked: &str, expected: &Node) {
        let pairs = asked.split('&').map(|pair| pair.split_once('=').unwrap());
        let query: Vec<_> = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let reported = format!("{}, {asked}", self.name());
        match folder.calculate(&(&query).into(), TODAY) {
            Ok(calculation) => self.compare(calculation.datum(), expected, &reported),
            Err(error) => {
                let bad = &common::refusal(error).parameters[0];
                let found = format!("{} {}", bad.name, bad.code);
                let wanted = expected.get("refused").and_then(Node::text).map(|text| text.value.as_str());
                assert_eq!(Some(found.as_str()), wanted, "{reported}");
            }
        }
    }

    fn compare(&self, answer: Datum, expected: &Node, reported: &str) {
        for (path, value) in expected.entries() {
            let found = answer.path(&path.value).map_or("absent".to_owned(), |found| match found {
                Datum::Text(text) => text.to_owned(),
                Datum::Shown(value) => value.to_string(),
                other => other.to_string(),
            });
            let wanted = match &value.content {
                Content::Text(text) => text.value.as_str(),
                _ => "null",
            };
            assert_eq!(found, wanted, "{} of {reported}", path.value);
        }
    }
}
