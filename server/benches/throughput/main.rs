//! Cost of the service beside a bare hyper server that sends as many bytes: every call comes with a
//! key, is charged to its quota and is logged, and the answer has all its fields.
//!
//! Servers and callers share the machine, as `wrk` and a server would. Rounds alternate, so that
//! whatever else the machine does falls on all alike, and what counts is the median of the shares of
//! the rounds. Two loads of the service are measured: the same call again, whose answer is known, and calls
//! that all differ, each computed anew. A bare server whose answer has the same fields shows what they
//! cost to whoever writes, carries and reads them.
//!
//! `cargo bench --package bareme-server --bench throughput`

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_arithmetic,
    clippy::indexing_slicing,
    reason = "a measurement: whatever fails ends it, and it reckons in seconds, not in money"
)]

mod bare;
mod load;
mod process;

use std::time::Duration;

use load::{ask, run};
use process::Process;

const ROUNDS: usize = 9;
const ROUND: Duration = Duration::from_secs(2);

/// Head that hyper writes around a content of some thousand bytes: status, `content-length` and `date`.
const BARE_HEAD: usize = 17 + 22 + 37 + 2;

/// Calls that differ: several times as many as the service keeps the answers of.
const DIFFERENT: usize = 20_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [command, size, fields @ ..] if command == bare::COMMAND => bare::serve(size.parse().unwrap(), fields),
        _ => compare(),
    }
}

/// An ordinary call.
fn call(pay: usize, key: &str) -> Vec<u8> {
    let target = format!("/api/v1/salaire-net?pays=ci&brut={pay}&parts=2.5&date=2026-03-31");
    format!("GET {target} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {key}\r\n\r\n").into_bytes()
}

fn compare() {
    let (service, keys) = Process::service();
    let same: Vec<Vec<u8>> = keys.iter().map(|key| call(350_000, key)).collect();
    let different: Vec<Vec<u8>> =
        keys.iter().cycle().take(DIFFERENT).enumerate().map(|(rank, key)| call(300_000 + rank, key)).collect();
    let (head, content) = ask(service.address, &same[0]);
    let bare = Process::bare(head.len() + content - BARE_HEAD, &[]);
    let alike = Process::bare(content, &fields(&head));
    println!("{} bytes an answer, {ROUNDS} rounds of {} s each\n", head.len() + content, ROUND.as_secs());

    let loads = [
        ("bare hyper", &bare, &same),
        ("bare hyper, the same fields", &alike, &same),
        ("the same call again", &service, &same),
        ("calls that all differ", &service, &different),
    ];
    let round = || loads.map(|(_, server, calls)| run(server.address, calls, ROUND) / ROUND.as_secs_f64());
    // The first one warms all up.
    round();
    let rounds: Vec<[f64; 4]> = (0..ROUNDS).map(|_| round()).collect();

    println!("{:<30}{:>18}{:>10}", "", "answers a second", "share");
    for (load, (name, ..)) in loads.iter().enumerate() {
        let rate = median(rounds.iter().map(|round| round[load]).collect());
        let share = median(rounds.iter().map(|round| round[load] / round[0]).collect());
        println!("{name:<30}{rate:>18.0}{:>8.0} %", share * 100.0);
    }
}

/// The fields of a head, but for those that hyper writes by itself.
fn fields(head: &str) -> Vec<(String, String)> {
    let fields = head.lines().filter_map(|line| line.split_once(": "));
    let fields = fields.filter(|(name, _)| !["content-length", "date"].contains(name));
    fields.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
