//! Cost of the service beside a bare hyper server that sends as many bytes: every call comes with a
//! key, is charged to its quota and is logged, and the answer has all its fields.
//!
//! It measures the processor time that the whole process takes for an answer, as a multiple of that
//! of the bare server: what else the machine does changes it little. Servers and callers share the
//! machine, as `wrk` and a server would, and short rounds alternate: each is compared with the bare
//! server of the same round, and the median of these ratios is printed, so that a machine that is
//! slower for a while changes little. Three loads of the service are measured: the same call again,
//! whose answer is known, calls that all differ, each computed anew, and the same compressed. A
//! bare server whose answer has the same fields shows what they cost to whoever writes, carries and
//! reads them.
//!
//! `cargo bench --workspace --bench throughput`. Behind `--` may follow the number of rounds, if it
//! is not 36, and other builds of the service, by their paths, to be measured in the same run:
//! `-- 36 /elsewhere/bareme-server`.

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

use std::fs;
use std::time::Duration;

use load::{ask, run};
use process::{PROGRAM, Process};

/// Rounds, unless the command line says how many.
const ROUNDS: usize = 36;
const ROUND: Duration = Duration::from_millis(500);

/// Head that hyper writes around a content of some thousand bytes: status, `content-length` and
/// `date`.
const BARE_HEAD: usize = 17 + 22 + 37 + 2;

/// Aims of the processor time of each load over that of bare hyper.
const AIMS: [Option<f64>; 3] = [Some(2.0), Some(3.0), None];

/// Aim of the 99th percentile, in milliseconds.
const P99_AIM: f64 = 3.0;

/// Calls that differ: several times as many as the service keeps the answers of.
const DIFFERENT: usize = 20_000;

fn main() {
    // cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    match arguments.as_slice() {
        [command, size, fields @ ..] if command == bare::COMMAND => {
            bare::serve(size.parse().unwrap(), fields)
        }
        [rounds, programs @ ..] => compare(rounds.parse().unwrap(), programs),
        [] => compare(ROUNDS, &[]),
    }
}

/// An ordinary call, with more fields where it has any.
fn call(pay: usize, key: &str, fields: &str) -> Vec<u8> {
    let target = format!("/api/v1/salaire-net?pays=ci&brut={pay}&parts=2.5&date=2026-03-31");
    format!("GET {target} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {key}\r\n{fields}\r\n")
        .into_bytes()
}

/// Figures of one round of a load.
#[derive(Clone, Copy)]
struct Measure {
    /// Answers a second.
    rate: f64,
    /// Processor time of the server for an answer, in microseconds.
    cost: f64,
    /// Time within which half of the answers came, in milliseconds.
    p50: f64,
    /// Time within which 99 of 100 answers came, in milliseconds.
    p99: f64,
}

impl Measure {
    fn of(Load { server, calls, .. }: &Load) -> Self {
        let before = server.processor_time();
        let times = run(server.address, calls, ROUND);
        let taken = server.processor_time() - before;
        let answers = times.len() as f64;
        let within = |percent: usize| times[times.len() * percent / 100].as_secs_f64() * 1e3;
        Self {
            rate: answers / ROUND.as_secs_f64(),
            cost: taken.as_secs_f64() * 1e6 / answers,
            p50: within(50),
            p99: within(99),
        }
    }
}

/// Calls that are made of a server, and what they are.
struct Load<'s> {
    name: &'static str,
    server: &'s Process,
    calls: Vec<Vec<u8>>,
}

/// The loads of a service with these keys.
fn loads<'s>((server, keys): &'s (Process, Vec<String>)) -> [Load<'s>; 3] {
    let differing = |fields| {
        let keys = keys.iter().cycle().take(DIFFERENT).enumerate();
        keys.map(|(rank, key)| call(300_000 + rank, key, fields))
            .collect()
    };
    let same = keys.iter().map(|key| call(350_000, key, "")).collect();
    [
        Load {
            name: "the same call again",
            server,
            calls: same,
        },
        Load {
            name: "calls that all differ",
            server,
            calls: differing(""),
        },
        Load {
            name: "the same, gzip",
            server,
            calls: differing("Accept-Encoding: gzip\r\n"),
        },
    ]
}

fn compare(rounds: usize, others: &[String]) {
    let programs: Vec<&str> = others.iter().map(String::as_str).chain([PROGRAM]).collect();
    let services: Vec<(Process, Vec<String>)> = programs
        .iter()
        .map(|program| Process::service(program))
        .collect();
    let of_services: Vec<Load> = services.iter().flat_map(loads).collect();
    let last = &of_services[of_services.len() - 3];
    let (head, content) = ask(last.server.address, &last.calls[0]);
    let bare = Process::bare(head.len() + content - BARE_HEAD, &[]);
    let alike = Process::bare(content, &fields(&head));
    let of_bare = [
        ("bare hyper", &bare),
        ("bare hyper, the same fields", &alike),
    ];
    let of_bare = of_bare.map(|(name, server)| Load {
        name,
        server,
        calls: last.calls.clone(),
    });
    let loads: Vec<&Load> = of_bare.iter().chain(&of_services).collect();
    let size = head.len() + content;
    println!(
        "{size} bytes an answer, {rounds} rounds of {} ms each; load average {}",
        ROUND.as_millis(),
        load_average()
    );

    let round = || -> Vec<Measure> { loads.iter().map(|load| Measure::of(load)).collect() };
    // The first one warms all up.
    round();
    let rounds: Vec<Vec<Measure>> = (0..rounds).map(|_| round()).collect();
    print(&loads, &rounds, &programs);
    println!("load average at the end {}", load_average());
}

fn print(loads: &[&Load], rounds: &[Vec<Measure>], programs: &[&str]) {
    let median_of =
        |load: usize, of: fn(&Measure) -> f64| median(rounds.iter().map(|round| of(&round[load])));
    let mut rows = Vec::new();
    let head = [
        "answers a second",
        "µs of processor",
        "over bare",
        "p50, ms",
        "p99, ms",
    ];
    println!(
        "{:<30}{:>18}{:>18}{:>12}{:>10}{:>10}",
        "", head[0], head[1], head[2], head[3], head[4]
    );
    for (index, load) in loads.iter().enumerate() {
        if let Some(program) = index
            .checked_sub(2)
            .filter(|after| after % 3 == 0)
            .and_then(|after| programs.get(after / 3))
        {
            println!("{program}");
            rows.clear();
        }
        let (rate, cost, p50, p99) = (
            median_of(index, |measure| measure.rate),
            median_of(index, |measure| measure.cost),
            median_of(index, |measure| measure.p50),
            median_of(index, |measure| measure.p99),
        );
        let share = median(rounds.iter().map(|round| round[index].cost / round[0].cost));
        println!(
            "{:<30}{rate:>18.0}{cost:>18.1}{share:>12.2}{p50:>10.2}{p99:>10.2}",
            load.name
        );
        rows.push((load.name, share, p50, p99));
    }
    // The service that was just built comes last.
    for ((name, share, p50, p99), aim) in rows.into_iter().zip(AIMS) {
        let (over, most) = aim.map_or_else(Default::default, |aim| {
            (format!("{aim:.1}"), format!("{:.2}", share / aim))
        });
        println!("| processor time over bare hyper, {name} | {share:.2} | {over} | {most} |");
        println!("| p50 at 64 connections, {name} | {p50:.1} ms | | |");
        println!(
            "| p99 at 64 connections, {name} | {p99:.1} ms | {P99_AIM} ms | {:.2} |",
            p99 / P99_AIM
        );
    }
}

/// The median of some figures.
fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_unstable_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// The processes that wanted a processor in the last minute, on average: the callers and the server
/// among them.
fn load_average() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap();
    text.split_whitespace().next().unwrap().to_owned()
}

/// The fields of a head, but for those that hyper writes by itself.
fn fields(head: &str) -> Vec<(String, String)> {
    let fields = head.lines().filter_map(|line| line.split_once(": "));
    let fields = fields.filter(|(name, _)| !["content-length", "date"].contains(name));
    fields
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}
