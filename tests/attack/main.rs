//! Attacks a service started on this machine, and prints what was measured.
//!
//! Each attack starts its own server, is bounded in time and count, and fails when a promise of the
//! service does not hold. `tests/attack/run` starts it; `short` runs a fraction of each attack, and
//! any other word selects the attacks whose names contain it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::float_arithmetic,
    reason = "a test says what must be true: a panic is its message"
)]

mod connections;
mod corruption;
mod costs;
mod customer;
mod heads;
mod keys;
mod queries;
mod quotas;
mod strangers;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Instant;

/// How long each attack runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// The full attack.
    Full,
    /// A part of it, within a minute.
    Short,
}

impl Effort {
    /// A count or a time of the full attack, or its short form.
    pub(crate) fn of<N>(self, full: N, short: N) -> N {
        if self == Self::Full { full } else { short }
    }
}

/// An attack: its name, and a function that returns its measurements.
type Attack = (&'static str, fn(Effort) -> String);

const ATTACKS: [Attack; 15] = [
    ("costs of the doors", costs::costs),
    ("batches of too many rows", strangers::rows),
    ("fields by the hundred thousand", strangers::fields),
    ("searches for a thousand words", strangers::words),
    ("pages again and again", strangers::pages),
    ("bodies that never arrive", strangers::bodies),
    ("a key with inverse calculations", strangers::inverses),
    ("hostile queries", queries::hostile),
    ("malformed heads", heads::malformed),
    ("answers that nobody reads", connections::unread),
    ("idle connections", connections::idle),
    ("keys under kill -9", keys::killed),
    ("a quota and many callers", quotas::crowd),
    ("a quota over midnight", quotas::midnight),
    ("corrupted rules under load", corruption::rules),
];

fn main() -> ExitCode {
    let (short, words): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word == "short");
    let effort = if short.is_empty() {
        Effort::Full
    } else {
        Effort::Short
    };
    let is_asked =
        |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    let attacks: Vec<Attack> = ATTACKS
        .into_iter()
        .filter(|(name, _)| is_asked(name))
        .collect();
    let mut failed = 0;
    let start = Instant::now();
    for (name, attack) in &attacks {
        let begin = Instant::now();
        let (word, figures) = match catch_unwind(AssertUnwindSafe(|| attack(effort))) {
            Ok(figures) => ("held", figures),
            Err(_) => {
                failed += 1;
                ("FAILED", "see above".to_owned())
            }
        };
        println!(
            "{word:6} {name}, {} s: {figures}",
            begin.elapsed().as_secs()
        );
    }
    println!(
        "{} of {} attacks held, {} s",
        attacks.len() - failed,
        attacks.len(),
        start.elapsed().as_secs()
    );
    ExitCode::from(u8::from(failed > 0 || attacks.is_empty()))
}
