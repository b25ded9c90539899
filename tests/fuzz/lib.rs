//! Fuzz targets: any input is answered or refused, and nothing panics or hangs.
//!
//! A [`Target`] gives bytes to the product and checks what comes back. The suite mutates its inputs
//! at random ([`run_mutations`]); `tests/fuzz/run` has libFuzzer mutate them, guided by coverage.
//! Both read [`TARGETS`].

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what must be true: a panic is its message"
)]

mod corpus;
mod mutations;
mod targets;

pub use corpus::{inputs, write_for_libfuzzer};
pub use mutations::run_mutations;

/// A fuzz target: a part of the product that is given any bytes.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, and that of its folder in `corpus`.
    pub name: &'static str,
    /// Valid inputs to mutate, besides the files of its corpus.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Tokens that mutations insert: the dictionary of libFuzzer.
    pub tokens: &'static [&'static str],
    /// Whether the product accepts an input. Panics if the product does something wrong.
    pub check: fn(&[u8]) -> bool,
}

/// Every target.
pub const TARGETS: [Target; 11] = [
    targets::query::TARGET,
    targets::head::TARGET,
    targets::event::TARGET,
    targets::batch_body::TARGET,
    targets::batch_file::TARGET,
    targets::tables::TARGET,
    targets::rules::METHOD,
    targets::rules::SCALE,
    targets::rules::CASES,
    targets::rules::SERVICE,
    targets::formula::TARGET,
];

/// The target of a name.
///
/// # Panics
/// If there is none.
pub fn target(name: &str) -> &'static Target {
    TARGETS
        .iter()
        .find(|target| target.name == name)
        .unwrap_or_else(|| {
            let known: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            panic!("`{name}` is no target; these are: {}", known.join(", "))
        })
}
