//! Attacks a service of its own on this machine, as a hostile world would, and prints what held.
//!
//! Each attack starts its own server, is bounded in time and count, and fails when something that the
//! service promises does not hold. `tests/attack/run` starts it; `short` takes a fraction of each.

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
mod heads;
mod keys;
mod queries;
mod quotas;
mod random;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Instant;

/// How much of each attack is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// All of it.
    Full,
    /// Some of it, in a minute.
    Short,
}

impl Effort {
    /// A count or a time of the full attack, or its short form.
    pub(crate) fn of<N>(self, full: N, short: N) -> N {
        if self == Self::Full { full } else { short }
    }
}

/// An attack: its name, and what it does; what it returns are its figures.
type Attack = (&'static str, fn(Effort) -> String);

const ATTACKS: [Attack; 9] = [
    ("hostile queries", queries::hostile),
    ("malformed heads", heads::malformed),
    ("silent and slow connections", connections::silent),
    ("answers that nobody reads", connections::unread),
    ("idle connections", connections::idle),
    ("keys under kill -9", keys::killed),
    ("a quota and many callers", quotas::crowd),
    ("a quota over midnight", quotas::midnight),
    ("corrupted rules under load", corruption::rules),
];

fn main() -> ExitCode {
    let effort = if std::env::args().any(|argument| argument == "short") { Effort::Short } else { Effort::Full };
    let mut failed = 0;
    let start = Instant::now();
    for (name, attack) in ATTACKS {
        let begin = Instant::now();
        let (word, figures) = match catch_unwind(AssertUnwindSafe(|| attack(effort))) {
            Ok(figures) => ("held", figures),
            Err(_) => {
                failed += 1;
                ("FAILED", "see above".to_owned())
            }
        };
        println!("{word:6} {name}, {} s: {figures}", begin.elapsed().as_secs());
    }
    println!("{} of {} attacks held, {} s", ATTACKS.len() - failed, ATTACKS.len(), start.elapsed().as_secs());
    ExitCode::from(u8::from(failed > 0))
}
