//! `cargo bench -p bareme-engine`: the median time of one answer with its JSON for each folder, and of
//! the reading of the whole set with its cases.

use std::path::Path;
use std::time::{Duration, Instant};

use bareme_engine::{Folder, load};
use jiff::civil::date;

/// A typical call of each folder; a folder that is not here is asked its first worked case.
const TYPICAL: [(&str, &str); 4] = [
    ("ir", "revenu=78400&parts=3"),
    ("salaire", "brut=2650&cadre=true"),
    ("pret", "montant=180000&duree=216&taux=3.15"),
    ("salaire-net/qc", "brut=9500"),
];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules");
    let readings = (0..5).map(|_| timed(|| load(&root)));
    println!("{:24} {:>12?}", "the whole set, read", median(readings.collect()));
    let loaded = load(&root);
    let Some(rules) = loaded.rules else { return println!("the rules have errors") };
    for folder in rules.folders() {
        let query = query(folder);
        let answer =
            || folder.answer(&query, Default::default(), date(2026, 3, 31)).map(|answer| answer.into_json().len());
        let Ok(bytes) = answer() else { continue };
        let times = (0..3000).map(|_| timed(answer));
        println!("{:24} {:>12?} {bytes:>6} bytes", folder.path(), median(times.collect()));
    }
}

fn query(folder: &Folder) -> Vec<(String, String)> {
    let typical = TYPICAL.iter().find(|(path, _)| *path == folder.path());
    let pairs = |text: &str| text.split('&').filter_map(|pair| pair.split_once('=')).map(owned).collect();
    let first = || folder.cases().iter().find(|case| case.refuse.is_none()).map(|case| case.query.clone());
    typical.map(|(_, text)| pairs(text)).or_else(first).unwrap_or_default()
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let done = work();
    let time = start.elapsed();
    drop(done);
    time
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
