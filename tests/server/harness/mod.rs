//! Starts the server, speaks to it, edits its rules.

mod client;
mod cluster;
mod load;
mod process;
mod rules;

pub(crate) use client::{Answer, Connection, get, raw};
pub(crate) use cluster::Cluster;
pub(crate) use load::Load;
pub(crate) use process::{Server, binary, built, repository, run};
pub(crate) use rules::{Rules, copy_folder};

use std::time::{Duration, Instant};

/// A call that is right and always gives the same bytes.
pub(crate) const GOOD: &str = "/api/v1/ir?revenu=30000&parts=1";

/// Waits until `holds`, at most ten seconds; tells how long it took.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) -> Duration {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(10), "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
    start.elapsed()
}
