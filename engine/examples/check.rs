//! Rule files with mistakes, reported for people and for programs: `cargo run --example check`.

use std::error::Error;

use bareme_engine::text::Rendering;
use bareme_engine::{FileSet, Lang, Loader};

/// A dated file in which a column is misspelt.
const SCALE: &str = "format: bareme/1
title: Taux au 1er janvier 2026
sources:
  code: {kind: law, title: Code de la sécurité sociale, article: L. 241-3, publisher: Légifrance, date: 2025-12-30}
figures:
  retraite:   {taus: 6.90%, plafond: 4 005, per: month, source: code}
  prevoyance: {taux: 1.50%, source: code}
";

/// The diagnostics, as a terminal shows them, then as JSON.
fn reported() -> Result<(String, serde_json::Value), Box<dyn Error>> {
    let files = [
        ("paie/method.yaml", include_str!("paie/method.yaml")),
        ("paie/2026-01-01.yaml", SCALE),
    ];
    let loaded = Loader::new().load_files(&FileSet::from_texts(files));
    let rendering = Rendering::new(Lang::En).within(80);
    let texts = loaded
        .report
        .all()
        .map(|diagnostic| diagnostic.render(rendering))
        .collect();
    Ok((texts, serde_json::to_value(&loaded.report)?))
}

fn main() -> Result<(), Box<dyn Error>> {
    let (text, data) = reported()?;
    println!("{text}\n{data:#}");
    Ok(())
}

#[test]
fn a_mistake_has_its_place_and_its_cure() {
    let (text, data) = reported().unwrap();
    assert!(
        text.contains("paie/2026-01-01.yaml:6:16") && text.contains("did you mean `taux`?"),
        "{text}"
    );
    assert_eq!(data[0]["line"], 6);
}
