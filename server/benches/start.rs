//! The start of a service and its memory, each beside its aim:
//! `cargo bench --workspace --bench start`.
//!
//! Each start is a process of its own, from its call until its rules are in force and its port is
//! open: the first time, when everything is checked, and again on the same day, when it trusts what
//! it had checked. Memory is what Linux counts as resident: of a service that has made its checks
//! and answered a call, twelve seconds later, and twelve seconds after a burst of calls that all
//! differ, on 64 connections.

#![allow(
    clippy::unwrap_used,
    clippy::float_arithmetic,
    clippy::indexing_slicing,
    reason = "a measurement: whatever fails ends it, and it reckons in seconds, not in money"
)]

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use harness::{Connection, Rules, Server, eventually};

/// Starts of each kind, of which the median counts.
const STARTS: usize = 9;

/// How long memory is given back after a load.
const REST: Duration = Duration::from_secs(12);

const CONNECTIONS: usize = 64;

/// Calls of each connection.
const CALLS: usize = 900;

fn main() {
    let rules = Rules::copy();
    let first = median(|| started(&rules, tempfile::tempdir().unwrap().path()).0);
    let place = tempfile::tempdir().unwrap();
    started(&rules, place.path());
    let again = median(|| started(&rules, place.path()).0);
    let (_, server) = started(&rules, place.path());
    assert_eq!(server.get("/api/v1/tva?montant=100").status, 200);
    thread::sleep(REST);
    let rest = megabytes(&server);
    burst(&server);
    thread::sleep(REST);
    let after = megabytes(&server);
    println!(
        "{STARTS} starts of each kind; {} calls in the burst",
        CONNECTIONS * CALLS
    );
    row("start to ready, nothing checked before", first, "ms", None);
    row("start to ready, checked before", again, "ms", Some(100.0));
    row("memory at rest", rest, "MB", Some(40.0));
    row("memory after a burst", after, "MB", None);
}

/// A row of the table of all figures (`server/benches/speed`).
fn row(name: &str, figure: f64, unit: &str, aim: Option<f64>) {
    let (aim, ratio) = aim.map_or_else(Default::default, |aim| {
        (format!("{aim} {unit}"), format!("{:.2}", figure / aim))
    });
    println!("| {name} | {figure:.0} {unit} | {aim} | {ratio} |");
}

/// Milliseconds of the median.
fn median(start: impl FnMut() -> Duration) -> f64 {
    let mut times: Vec<Duration> = std::iter::repeat_with(start).take(STARTS).collect();
    times.sort();
    times[STARTS / 2].as_secs_f64() * 1e3
}

/// A service whose store is in a folder, once what it checked is recorded; and how long it took
/// until it was ready.
fn started(rules: &Rules, place: &Path) -> (Duration, Server) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bareme-server"));
    command.args([
        "--listen",
        "127.0.0.1:0",
        "--log-format",
        "json",
        "--log",
        "info,access=off",
        "--rules",
    ]);
    command
        .arg(rules.root())
        .current_dir(place)
        .env("BAREME_DRAIN", "0");
    let begun = Instant::now();
    let server = Server::spawn(&mut command);
    let taken = begun.elapsed();
    eventually("what was checked is remembered", || {
        place.join("bareme.db.checked").exists()
    });
    (taken, server)
}

/// Memory that a service holds.
fn megabytes(server: &Server) -> f64 {
    server.memory() as f64 / 1e3
}

/// Calls that all differ, on many connections at once.
fn burst(server: &Server) {
    thread::scope(|scope| {
        for rank in 0..CONNECTIONS {
            scope.spawn(move || {
                let mut connection = Connection::open(server.address()).unwrap();
                for call in 0..CALLS {
                    let pay = 300_000 + rank * CALLS + call;
                    let target =
                        format!("/api/v1/salaire-net?pays=ci&brut={pay}&parts=2.5&date=2026-03-31");
                    assert_eq!(connection.call("GET", &target, "").unwrap().status, 200);
                }
            });
        }
    });
}
