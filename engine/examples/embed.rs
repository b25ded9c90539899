//! Rules compiled into a program, and a calculation with them: `cargo run --example embed`.

use std::error::Error;

use bareme_engine::{FileSet, Loader, Query};
use jiff::civil::date;

/// The rule files, each with its path.
const FILES: [(&str, &str); 3] = [
    ("paie/method.yaml", include_str!("paie/method.yaml")),
    ("paie/2026-01-01.yaml", include_str!("paie/2026-01-01.yaml")),
    ("paie/cases.yaml", include_str!("paie/cases.yaml")),
];

/// The fields of an answer, a line each.
fn answer() -> Result<String, Box<dyn Error>> {
    let loaded = Loader::new().load_files(&FileSet::from_texts(FILES));
    let rules = loaded.rules.ok_or("the rules have errors")?;
    let folder = rules.folder("paie").ok_or("no such folder")?;
    let query = Query::from([("brut", "2500"), ("cadre", "true")]);
    let calculation = folder.calculate(&query, date(2026, 3, 31))?;
    Ok(calculation
        .fields()
        .map(|(field, value)| format!("{} {}\n", field.name, value.datum()))
        .collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", answer()?);
    Ok(())
}

#[test]
fn the_answer_is_exact() {
    assert_eq!(answer().unwrap(), "brut 2500\nretraite 172.5\nnet 2290\n");
}
