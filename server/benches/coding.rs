//! What it costs to compress answers, and what it saves: `cargo bench --workspace --bench coding`.
//!
//! For each answer and each level, the time of one compression beside that of the calculation, and
//! the bytes. It says why answers are compressed at the quickest level, and from 1 KiB on: below,
//! an answer and its head fit one packet whatever is done.

#![allow(
    clippy::expect_used,
    clippy::float_arithmetic,
    reason = "a measurement: whatever fails ends it, and it reckons in microseconds, not in money"
)]

use std::cell::RefCell;
use std::path::Path;
use std::time::Instant;

use bareme_engine::Loader;
use flate2::{Compress, Compression, FlushCompress};
use jiff::civil::date;

const ROUNDS: u32 = 2_000;

/// Calls whose answers go from the shortest to the longest.
const CALLS: [(&str, &[(&str, &str)]); 5] = [
    ("ir", &[("revenu", "30000"), ("champs", "impot_net")]),
    ("tva", &[("montant", "100")]),
    ("ir", &[("revenu", "30000")]),
    ("salaire", &[("brut", "2500")]),
    (
        "salaire",
        &[("brut", "2500"), ("employeur", "true"), ("detail", "true")],
    ),
];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules");
    let rules = Loader::new()
        .without_cases()
        .load(&root)
        .rules
        .expect("the rules are right");
    println!(
        "{:>8} {:>7} {:>7} {:>10} {:>10}",
        "bytes", "level", "gzip", "µs", "µs answer"
    );
    for (folder, query) in CALLS {
        let folder = rules.folder(folder).expect("a folder of the repository");
        let query = query.iter().copied().collect();
        let answer = || {
            folder
                .calculate(&query, date(2026, 6, 30))
                .expect("a good call")
                .to_json()
        };
        let text = answer();
        let alone = time(|| answer().len());
        for level in [1, 2, 4, 6] {
            let encoder = RefCell::new(Compress::new_gzip(Compression::new(level), 15));
            let gzip = || {
                let mut encoder = encoder.borrow_mut();
                encoder.reset();
                let mut out = Vec::with_capacity(text.len() + 1024);
                encoder
                    .compress_vec(text.as_bytes(), &mut out, FlushCompress::Finish)
                    .expect("memory takes all");
                out.len()
            };
            println!(
                "{:>8} {level:>7} {:>7} {:>10.1} {alone:>10.1}",
                text.len(),
                gzip(),
                time(gzip)
            );
        }
    }
}

/// The time of a piece of work, in microseconds.
fn time(work: impl Fn() -> usize) -> f64 {
    let start = Instant::now();
    for _ in 0..ROUNDS {
        std::hint::black_box(work());
    }
    start.elapsed().as_secs_f64() * 1e6 / f64::from(ROUNDS)
}
