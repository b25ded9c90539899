//! Attacks a service of its own on this machine, as a hostile world would, and prints what held.
//!
//! Each attack starts its own server, is bounded in time and count, and fails when something that the
//! service promises does not hold. `tests/attack/run` starts it; `short` takes a fraction of each, any other
//! words are the attacks to run: those whose names hold one of them.

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

const ATTACKS: [Attack; 8] = [
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
    let (short, words): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|word| word == "short");
    let effort = if short.is_empty() { Effort::Full } else { Effort::Short };
    let is_asked = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    let attacks: Vec<Attack> = ATTACKS.into_iter().filter(|(name, _)| is_asked(name)).collect();
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
        println!("{word:6} {name}, {} s: {figures}", begin.elapsed().as_secs());
    }
    println!("{} of {} attacks held, {} s", attacks.len() - failed, attacks.len(), start.elapsed().as_secs());
    ExitCode::from(u8::from(failed > 0 || attacks.is_empty()))
}
