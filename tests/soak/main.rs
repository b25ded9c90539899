//! Soaks a service started on this machine, and prints a row a minute: calls, latencies, memory,
//! reloads, keys.
//!
//! `tests/soak/run` starts it. It fails when a call fails, when memory or the median latency of the
//! last quarter is above that of the second quarter, or when no reload or no key was seen.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::float_arithmetic,
    reason = "a test says what must be true: a panic is its message"
)]

mod callers;
mod keys;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use callers::{Callers, Latencies};
use harness::{Rules, Server};
use keys::Requests;

/// Keys that the callers share.
const PAID_KEYS: usize = 120;

/// Calls of a key in a soak at most: below its quota of a day.
const CALLS_OF_A_KEY: usize = 400_000;

/// Time between two reloads.
const RELOAD: Duration = Duration::from_secs(5);

/// Time at full speed, from which half is taken.
const TRIAL: Duration = Duration::from_secs(10);

const MINUTE: Duration = Duration::from_secs(60);

/// Growth of memory that is no drift: pages that the allocator has not returned yet.
const MEMORY_MARGIN: f64 = 1.05;

/// Growth of the median latency that is no drift on a machine that does other things too.
const LATENCY_MARGIN: f64 = 1.5;

/// Figures of a minute.
struct Row {
    latencies: Latencies,
    /// Memory of the service, in MB.
    memory: f64,
}

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .map(|argument| argument.parse::<usize>().expect("a number"));
    let minutes = arguments.next().unwrap_or(60);
    assert!(minutes >= 4, "four quarters are compared");
    let rules = Rules::copy();
    let place = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", place.path().join("bareme.db").display());
    let paid = keys::paid(&rules.root(), &store, PAID_KEYS);
    let flags = [
        "--store",
        &store,
        "--trusted-proxy",
        "127.0.0.1",
        "--log",
        "info,access=off",
    ];
    let server = Server::with(&rules.root(), &flags);
    let rate = arguments
        .next()
        .unwrap_or_else(|| Callers::full_speed(server.address(), &paid, TRIAL) / 2);
    assert!(
        rate * minutes * 60 <= PAID_KEYS * CALLS_OF_A_KEY,
        "{rate} calls a second are more than the quotas of the keys"
    );
    println!("{rate} calls a second, {minutes} minutes\n");
    println!(
        "| Minute | Calls | p50 (ms) | p99 (ms) | Longest (ms) | Memory (MB) | Reloads | Keys issued | Late |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");

    let (stop, requests) = (AtomicBool::new(false), Requests::default());
    let rows = thread::scope(|scope| {
        scope.spawn(|| reload(&rules, &stop));
        scope.spawn(|| keys::issue(server.address(), &stop, &requests));
        let callers = Callers::start(scope, server.address(), &paid, rate, &stop);
        let start = Instant::now();
        let rows = (1..=minutes).map(|minute| {
            thread::sleep((start + MINUTE * minute as u32).saturating_duration_since(Instant::now()));
            let row = Row { latencies: callers.take(), memory: server.memory() as f64 / 1e3 };
            let [p50, p99, longest] = [50, 99, 100].map(|part| row.latencies.percentile(part).as_secs_f64() * 1e3);
            let (calls, memory, reloads) = (row.latencies.count(), row.memory, reloads(&server));
            let [keys, late] = [&requests.issued, &requests.late].map(|count| count.load(Ordering::Relaxed));
            println!("| {minute} | {calls} | {p50:.2} | {p99:.2} | {longest:.0} | {memory:.1} | {reloads} | {keys} | {late} |");
            row
        });
        let rows: Vec<Row> = rows.collect();
        stop.store(true, Ordering::Relaxed);
        rows
    });
    judge(&rows, reloads(&server), &requests);
}

/// Compares the last quarter with the second; the first one fills caches.
fn judge(rows: &[Row], reloads: usize, requests: &Requests) {
    let quarter = rows.len() / 4;
    let (second, last) = (&rows[quarter..2 * quarter], &rows[rows.len() - quarter..]);
    let mean = |rows: &[Row], figure: fn(&Row) -> f64| {
        rows.iter().map(figure).sum::<f64>() / rows.len() as f64
    };
    let growth = |figure| mean(last, figure) / mean(second, figure);
    let memory = growth(|row| row.memory);
    let p50 = growth(|row| row.latencies.percentile(50).as_secs_f64());
    let p99 = growth(|row| row.latencies.percentile(99).as_secs_f64());
    let calls: usize = rows.iter().map(|row| row.latencies.count()).sum();
    let [keys, late] =
        [&requests.issued, &requests.late].map(|count| count.load(Ordering::Relaxed));
    println!(
        "\n{calls} calls, none failed; {reloads} reloads, {keys} keys issued, each accepted; {late} late."
    );
    println!("Last quarter over the second: memory {memory:.3}, p50 {p50:.2}, p99 {p99:.2}.");
    assert!(
        calls > 0 && reloads > rows.len() && keys > 0,
        "calls, reloads and keys"
    );
    assert!(
        late * 100 <= keys,
        "more than one key in a hundred was refused"
    );
    assert!(memory < MEMORY_MARGIN, "memory grows");
    assert!(p50 < LATENCY_MARGIN, "calls get slower");
}

/// Writes a rule file with another comment every five seconds.
fn reload(rules: &Rules, stop: &AtomicBool) {
    const FILE: &str = "tva/2014-01-01.yaml";
    let text = rules.read(FILE);
    for round in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        rules.write(FILE, &format!("{text}# {round}\n"));
        thread::sleep(RELOAD);
    }
}

/// Times that changed rules came into force.
fn reloads(server: &Server) -> usize {
    server
        .log()
        .iter()
        .filter(|event| event["message"] == "rules in force")
        .count()
        - 1
}
