//! A single calculation of the engine beside the same law written by hand in Rust, for one day:
//! what it costs that the law is data.
//!
//! Each law is written out in a file of its own, with its figures as constants, for the inputs that
//! are sent and no others: what the rule folder can do besides (hours, apprentices, overseas) is
//! not there, which favours the hand. Both read the same texts of a query. All amounts are compared
//! first: a difference ends the measurement. The engine is timed twice: for the same amounts, and
//! for the whole answer as JSON, with its brackets, lines, sources and citation.
//!
//! `cargo bench --workspace --bench by_hand`

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_arithmetic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a measurement: whatever fails ends it, and the law by hand is written as a program would write it"
)]

mod ci;
mod ir;
mod salaire;

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use bareme_engine::run::FieldSelection;
use bareme_engine::{Folder, Loader, Query};
use jiff::civil::{Date, date};
use rust_decimal::{Decimal, RoundingStrategy};

/// The day whose law is written by hand.
const DAY: Date = date(2026, 3, 31);

/// Rounds, of which the quickest counts: the others were disturbed. They are many and short, so
/// that one fits the time that a busy machine gives a process.
const ROUNDS: usize = 400;

/// Names and values of a query.
type Sent = [(String, String)];

/// A law, by hand and as a rule folder.
struct Law {
    name: &'static str,
    folder: &'static str,
    queries: Vec<Vec<(String, String)>>,
    /// The amounts, in the order in which the law by hand gives them.
    fields: &'static [&'static str],
    by_hand: fn(&Sent, &mut Vec<Decimal>),
}

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules");
    let folders = ["ir", "salaire", "salaire-net/ci"];
    let rules = Loader::new()
        .without_cases()
        .only(&folders)
        .load(&root)
        .rules
        .expect("the rules are good");
    let heads = [
        "by hand, µs",
        "engine, µs",
        "ratio",
        "with JSON, µs",
        "ratio",
    ];
    println!(
        "{:<28}{:>14}{:>14}{:>8}{:>16}{:>8}",
        "", heads[0], heads[1], heads[2], heads[3], heads[4]
    );
    let mut rows = Vec::new();
    for law in [
        ir::law(),
        ci::law(),
        ci::law_with_employer(),
        salaire::law(),
        salaire::law_with_employer(),
    ] {
        let folder = rules.folder(law.folder).expect("the folder is there");
        let compared = law.check(folder);
        let [hand, amounts, whole] = law.measure(folder);
        let (more, most) = (amounts / hand, whole / hand);
        println!(
            "{:<28}{hand:>14.2}{amounts:>14.2}{more:>8.1}{whole:>16.2}{most:>8.1}",
            law.name
        );
        assert!(compared > 0, "nothing was compared");
        rows.push(format!(
            "| engine over the law by hand, {} | {more:.1}, with its JSON {most:.1} | | |",
            law.name
        ));
    }
    // Of the table of all figures (`server/benches/speed`); no aim was set.
    rows.iter().for_each(|row| println!("{row}"));
}

impl Law {
    /// Compares every amount of every query; how many there were.
    fn check(&self, folder: &Folder) -> usize {
        let mut by_hand = Vec::new();
        for query in &self.queries {
            by_hand.clear();
            (self.by_hand)(query, &mut by_hand);
            let calculation = folder
                .calculate(&query.into(), DAY)
                .expect("the query is good");
            assert_eq!(by_hand.len(), self.fields.len());
            for (name, hand) in self.fields.iter().zip(&by_hand) {
                let field = calculation
                    .datum()
                    .path(name)
                    .and_then(|field| field.number());
                assert_eq!(field, Some(*hand), "{name} of {query:?}");
            }
        }
        self.queries.len() * self.fields.len()
    }

    /// Microseconds of a query by hand, by the engine for the same amounts, and for the whole
    /// answer.
    fn measure(&self, folder: &Folder) -> [f64; 3] {
        let mut amounts = Vec::new();
        let mut quickest = [Duration::MAX; 3];
        for _ in 0..ROUNDS {
            let by_hand = self.timed(|query| {
                amounts.clear();
                (self.by_hand)(query, &mut amounts);
                black_box(&amounts);
            });
            let same = self.timed(|query| {
                let query = Query::from(query).selecting(FieldSelection::Available(self.fields));
                black_box(folder.calculate(&query, DAY).unwrap().fields().count());
            });
            let whole = self.timed(|query| {
                black_box(folder.calculate(&query.into(), DAY).unwrap().to_json());
            });
            for (quickest, taken) in quickest.iter_mut().zip([by_hand, same, whole]) {
                *quickest = taken.min(*quickest);
            }
        }
        quickest.map(|taken| taken.as_secs_f64() * 1e6 / self.queries.len() as f64)
    }

    fn timed(&self, mut ask: impl FnMut(&Sent)) -> Duration {
        let start = Instant::now();
        for query in &self.queries {
            ask(black_box(query));
        }
        start.elapsed()
    }
}

/// A query from its text.
fn query(text: &str) -> Vec<(String, String)> {
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// The text sent for a parameter.
fn sent<'q>(query: &'q Sent, name: &str) -> Option<&'q str> {
    query
        .iter()
        .find(|(known, _)| known == name)
        .map(|(_, value)| value.as_str())
}

/// The number sent for a parameter.
fn number(query: &Sent, name: &str) -> Option<Decimal> {
    sent(query, name)?.parse().ok()
}

/// A constant: `dec(690, 4)` is 0.0690.
const fn dec(digits: u32, scale: u32) -> Decimal {
    Decimal::from_parts(digits, 0, 0, false, scale)
}

/// A number rounded half up to some decimals.
fn rounded(value: Decimal, decimals: u32) -> Decimal {
    value.round_dp_with_strategy(decimals, RoundingStrategy::MidpointAwayFromZero)
}

/// A part of a whole, zero of nothing.
fn share(part: Decimal, whole: Decimal) -> Decimal {
    if whole.is_zero() {
        Decimal::ZERO
    } else {
        part / whole
    }
}

/// Tax by brackets, of which each has its upper limit and its rate, for so many shares; and the
/// rate that the last unit bears.
fn by_brackets(
    base: Decimal,
    shares: Decimal,
    brackets: &[(Decimal, Decimal)],
) -> (Decimal, Decimal) {
    let (mut tax, mut lower) = (Decimal::ZERO, Decimal::ZERO);
    for (limit, rate) in brackets {
        let upper = limit * shares;
        if base <= upper {
            return (tax + (base - lower) * rate, *rate);
        }
        tax += (upper - lower) * rate;
        lower = upper;
    }
    (tax, Decimal::ZERO)
}

/// An upper limit that no amount reaches.
const UNLIMITED: Decimal = dec(4_000_000_000, 0);
