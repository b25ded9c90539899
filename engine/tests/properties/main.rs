//! Properties of every answer, whatever the household and the year; and nothing, however strange,
//! that is asked or written makes the engine panic.

#![cfg(test)]

#[path = "../common/mod.rs"]
mod common;
mod garbage;
mod household;
mod payroll;
mod scales;
mod vat;
mod years;

use proptest::test_runner::{Config, RngSeed};

/// The same draws on every machine and every day.
pub(crate) fn draws(cases: u32) -> Config {
    Config {
        cases,
        rng_seed: RngSeed::Fixed(2026),
        failure_persistence: None,
        ..Config::default()
    }
}
