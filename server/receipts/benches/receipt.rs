//! Time of a receipt beyond its answer: the facts, the canonical answer and its digest, the
//! signature.
//!
//! `cargo bench --workspace --bench receipt`

use std::hint::black_box;
use std::path::Path;

use bareme_engine::Loader;
use bareme_engine::jiff::Timestamp;
use bareme_engine::jiff::civil::{Date, date};
use bareme_receipts::canonical::canonical;
use bareme_receipts::claim::{self, Facts, Question};
use bareme_receipts::jws::Kind;
use bareme_receipts::keys::SigningKey;
use criterion::Criterion;

const TODAY: Date = date(2026, 6, 30);

/// Calls from a short answer to a long one.
const CALLS: [(&str, &[(&str, &str)]); 4] = [
    ("ir", &[("revenu", "30000"), ("champs", "impot_net")]),
    ("ir", &[("revenu", "30000")]),
    ("salaire", &[("brut", "2650")]),
    (
        "salaire",
        &[("brut", "2650"), ("employeur", "true"), ("detail", "true")],
    ),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../rules"));
    let loader = Loader::new().unchecked().without_cases();
    let rules = loader
        .load_service(root)
        .rules
        .ok_or("the rules have errors")?;
    let key = SigningKey::from_seed(&[7; 32])?;
    let issued: Timestamp = "2026-07-01T12:00:00Z".parse()?;
    let mut criterion = Criterion::default().configure_from_args();

    for (name, pairs) in CALLS {
        let mut endpoints = rules.service().endpoints.iter();
        let endpoint = endpoints
            .find(|endpoint| endpoint.name == name)
            .ok_or("no endpoint")?;
        let calculation = rules.calculate(endpoint, pairs, TODAY)?;
        let answer = calculation.to_json();
        let question = Question {
            calculation: name,
            pairs,
            today: TODAY,
        };
        let made = || {
            let facts = Facts::of(&calculation);
            claim::payload(question, &facts, &answer, issued)
        };
        let payload = made()?;
        let (long, short) = (answer.len(), payload.len());
        let label = |part: &str| format!("{name}, {long} bytes, payload {short}: {part}");

        criterion.bench_function(&label("answer"), |bench| {
            bench.iter(|| {
                rules
                    .calculate(endpoint, pairs, TODAY)
                    .map(|found| found.to_json())
            });
        });
        criterion.bench_function(&label("canonical"), |bench| {
            bench.iter(|| canonical(black_box(&answer)));
        });
        criterion.bench_function(&label("payload"), |bench| bench.iter(made));
        criterion.bench_function(&label("signature"), |bench| {
            bench.iter(|| key.signed(Kind::Receipt, black_box(&payload)));
        });
    }
    criterion.final_summary();
    Ok(())
}
