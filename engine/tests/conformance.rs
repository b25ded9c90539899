//! Results and refusals of each kind of step, in `conformance/<kind>.yaml`, the keys of every step,
//! in `conformance/modifiers.yaml`, and how two steps share a row of a payslip, in
//! `conformance/payslip.yaml`. A kind without its file fails. `common/conformance.rs` says what a
//! case holds.

#![cfg(test)]

mod common;

use bareme_engine::authoring::{Content, Node};
use bareme_engine::service::Rules;
use bareme_engine::{Datum, Diagnostic};
use common::conformance::{self, Case};
use jiff::civil::{Date, date};

const TODAY: Date = date(2026, 6, 30);

#[test]
fn every_kind_has_its_file_and_every_file_its_kind() {
    let found = common::files(&conformance::folder(), "yaml");
    let found: Vec<String> = found
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let mut wanted: Vec<String> = conformance::subjects()
        .map(|subject| format!("{subject}.yaml"))
        .collect();
    wanted.sort();
    assert_eq!(found, wanted);
}

#[test]
fn every_kind_does_what_its_file_says() {
    conformance::each(|case| match case.errors() {
        Some(codes) => check_errors(&case, codes),
        None => check_answers(&case),
    });
}

fn check_errors(case: &Case, codes: &str) {
    let report = common::load_files(case.files()).report;
    let found: Vec<&str> = report.errors().map(Diagnostic::code).collect();
    let steps = case.text("steps").unwrap();
    assert_eq!(
        found.join("; "),
        codes,
        "{}:\n{steps}\n{}",
        case.name(),
        common::reported(&report)
    );
}

fn check_answers(case: &Case) {
    let loaded = common::load_files(case.files());
    let rules: Rules = loaded
        .rules
        .unwrap_or_else(|| panic!("{}:\n{}", case.name(), common::reported(&loaded.report)));
    for (query, expected) in case.asks() {
        let asked = format!("{}, {query:?}", case.name());
        let folder = rules.folder("zz").unwrap();
        let answered = if conformance::is_year(&query) {
            folder
                .year(&(&query).into())
                .map(|year| compare(year.datum(), expected, &asked))
        } else {
            folder
                .calculate(&(&query).into(), TODAY)
                .map(|found| compare(found.datum(), expected, &asked))
        };
        match answered {
            Ok(()) => {}
            Err(error) => {
                let bad = &common::refusal(error).parameters[0];
                let found = format!("{} {}", bad.name, bad.code);
                let wanted = expected
                    .get("refused")
                    .and_then(Node::text)
                    .map(|text| text.value.as_str());
                assert_eq!(Some(found.as_str()), wanted, "{asked}");
            }
        }
    }
}

fn compare(answer: Datum, expected: &Node, asked: &str) {
    for (path, value) in expected.entries() {
        let found = answer
            .path(&path.value)
            .map_or("absent".to_owned(), |found| match found {
                Datum::Text(text) => text.to_owned(),
                Datum::Shown(value) => value.to_string(),
                other => other.to_string(),
            });
        let wanted = match &value.content {
            Content::Text(text) => text.value.as_str(),
            _ => "null",
        };
        assert_eq!(found, wanted, "{} of {asked}", path.value);
    }
}
