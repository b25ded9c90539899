//! A calculation explained step by step, from a wanted net: `cargo run --example explain`.

use std::error::Error;
use std::fmt::Write as _;

use bareme_engine::law::{Find, Operand};
use bareme_engine::run::StepResult;
use bareme_engine::{FileSet, Folder, Loader, Query};
use jiff::civil::date;

const FILES: [(&str, &str); 2] = [
    ("paie/method.yaml", include_str!("paie/method.yaml")),
    ("paie/2026-01-01.yaml", include_str!("paie/2026-01-01.yaml")),
];

/// The steps that lead to a net pay, a line each, with the sources of their figures.
fn explained(folder: &Folder, net: &str) -> Result<String, Box<dyn Error>> {
    let inverse = folder
        .inverses()
        .into_iter()
        .find(|inverse| inverse.find == Find::Smallest)
        .ok_or("no inverse")?;
    let query = Query::from([(inverse.parameter.name.as_str(), net)]);
    let calculation = folder.calculate(&query, date(2026, 3, 31))?;
    let mut text = String::new();
    let named = |operand: &Operand| format!("{} = {}", operand.name, operand.value.datum());
    for trace in calculation.steps()?.iter().filter(|trace| trace.applied) {
        let operands = trace
            .operands
            .iter()
            .map(named)
            .collect::<Vec<_>>()
            .join(", ");
        let result = match &trace.result {
            StepResult::Value(value, _) => value.datum().to_string(),
            StepResult::Outputs(outputs) => {
                outputs.iter().map(named).collect::<Vec<_>>().join(", ")
            }
        };
        writeln!(text, "{}: {result} ({operands})", trace.step.name)?;
    }
    for reference in calculation.references() {
        writeln!(text, "{}", reference.source.title)?;
    }
    Ok(text)
}

fn main() -> Result<(), Box<dyn Error>> {
    let rules = Loader::new()
        .load_files(&FileSet::from_texts(FILES))
        .rules
        .ok_or("the rules have errors")?;
    print!(
        "{}",
        explained(rules.folder("paie").ok_or("no such folder")?, "2327.50")?
    );
    Ok(())
}

#[test]
fn every_step_that_applied_is_explained() {
    let rules = Loader::new()
        .load_files(&FileSet::from_texts(FILES))
        .rules
        .unwrap();
    let text = explained(rules.folder("paie").unwrap(), "2327.50").unwrap();
    let steps: Vec<&str> = text
        .lines()
        .filter_map(|line| Some(line.split_once(": ")?.0))
        .collect();
    assert_eq!(steps, ["retraite", "net"]);
    assert!(
        text.contains("net: 2327.5 ") && text.ends_with("Code de la sécurité sociale\n"),
        "{text}"
    );
}
