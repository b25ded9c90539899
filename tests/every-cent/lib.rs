//! Every cent of every scale: the engine against an independent evaluator, point by point.
//!
//! `README.md` says what is enumerated, how it is run and what it has found.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what must be true: a panic is its message"
)]

#[path = "../../engine/tests/naive/answer.rs"]
mod answer;
#[path = "../../engine/tests/naive/calendar.rs"]
mod calendar;
#[path = "../../engine/tests/naive/call.rs"]
mod call;
mod cases;
mod cliffs;
mod compare;
#[path = "../../engine/tests/naive/compute.rs"]
mod compute;
#[path = "../../engine/tests/naive/days.rs"]
mod days;
#[path = "../../engine/tests/naive/eval.rs"]
mod eval;
mod evaluator;
#[path = "../../engine/tests/naive/fields.rs"]
mod fields;
#[path = "../../engine/tests/naive/formula.rs"]
mod formula;
#[path = "../../engine/tests/naive/input.rs"]
mod input;
#[path = "../../engine/tests/naive/interpolate.rs"]
mod interpolate;
mod inverse;
#[path = "../../engine/tests/naive/items.rs"]
mod items;
#[path = "../../engine/tests/naive/json.rs"]
mod json;
#[path = "../../engine/tests/naive/kinds.rs"]
mod kinds;
mod kinks;
#[path = "../../engine/tests/naive/law.rs"]
mod law;
#[path = "../../engine/tests/naive/loan.rs"]
mod loan;
#[path = "../../engine/tests/naive/number.rs"]
mod number;
mod order;
mod outcome;
#[path = "../../engine/tests/naive/past.rs"]
mod past;
mod properties;
#[path = "../../engine/tests/naive/references.rs"]
mod references;
#[path = "../../engine/tests/naive/rule_folder.rs"]
mod rule_folder;
#[path = "../../engine/tests/naive/sentence.rs"]
mod sentence;
#[path = "../../engine/tests/naive/slices.rs"]
mod slices;
mod state;
#[path = "../../engine/tests/naive/taken.rs"]
mod taken;
mod world;

/// Whether drafts count as the scales in force do.
const WITH_DRAFTS: bool = false;

pub use outcome::Outcome;
pub use state::State;
pub use world::{Candidate, Cases, World};
