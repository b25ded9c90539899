//! Costs of a service that may grow with its rules, for 23, 39, 100, 300 and 990 folders: its
//! start, with everything to be checked and with everything checked before, the reload of one
//! folder, its memory at rest, a call.
//!
//! The folders are those of the repository, fewer countries or copies of one under other names.
//! Processor time is that of the whole process, from the scheduler: other work on the machine
//! changes it little.
//!
//! `cargo bench --workspace --bench folders`, or with the numbers wanted: `-- 300 990`

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_arithmetic,
    clippy::indexing_slicing,
    reason = "a measurement: whatever fails ends it, and it reckons in seconds, not in money"
)]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use harness::{Connection, Rules, Server, copy_folder, eventually};

/// Folders of the sets, the repository's own number among them. The limit of a set is 1 000,
/// families of folders included.
const SETS: [usize; 5] = [23, 39, 100, 300, 990];

/// The country that is copied.
const COPIED: &str = "salaire-net/mr";

const CALLS: u64 = 20_000;

/// Calls of one connection.
const CALLS_EACH: u64 = 900;

fn main() {
    println!(
        "| folders | YAML | first start | again, same day | at rest | reload of one | a call |"
    );
    println!("|---|---|---|---|---|---|---|");
    let asked: Vec<usize> = std::env::args()
        .filter_map(|argument| argument.parse().ok())
        .collect();
    for folders in if asked.is_empty() {
        SETS.to_vec()
    } else {
        asked
    } {
        println!("{}", measured(folders));
    }
}

/// One row of the table.
fn measured(folders: usize) -> String {
    let rules = rules_of(folders);
    let place = tempfile::tempdir().unwrap();
    let start = || {
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
            .current_dir(place.path())
            .env("BAREME_DRAIN", "0");
        let started = Instant::now();
        let server = Server::spawn(&mut command);
        (started.elapsed(), server.processor_time(), server)
    };
    let (wall, processor, mut server) = start();
    assert_eq!(in_force(&server)[0]["folders"], folders);
    await_file(&place.path().join("bareme.db.checked"));
    stop(&mut server);
    let (wall_again, processor_again, server) = start();
    assert_eq!(
        in_force(&server)[0]["checked_before"],
        folders,
        "all were checked before"
    );
    let rest = at_rest(&server);
    let reload = reload(&rules, &server);
    let call = call(&server);
    let size = fs::read_dir(rules.root())
        .map(|_| size(&rules.root()))
        .unwrap()
        / 1_000;
    format!(
        "| {folders} | {:.1} MB | {wall:.0?}, {processor:.0?} of processor | {wall_again:.0?}, {processor_again:.0?} | \
         {rest} MB | {} ms, {:.0?} of processor | {call:.1?} |",
        size as f64 / 1_000.0,
        reload.0,
        reload.1
    )
}

/// Waits for the record of what was checked, at most five minutes: hundreds of folders describe
/// themselves for long.
fn await_file(path: &Path) {
    let begun = Instant::now();
    while !path.exists() {
        assert!(
            begun.elapsed() < Duration::from_secs(300),
            "{} was never written",
            path.display()
        );
        thread::sleep(Duration::from_millis(50));
    }
}

/// The rules of the repository with so many folders.
fn rules_of(folders: usize) -> Rules {
    let rules = Rules::copy();
    let count = || folders_of(&rules.root());
    let mut countries: Vec<_> = fs::read_dir(rules.root().join("salaire-net"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    countries.sort();
    countries.retain(|country| !country.ends_with("mr"));
    while count() > folders {
        fs::remove_dir_all(countries.pop().unwrap()).unwrap();
    }
    for index in 0..folders - count() {
        let word = format!(
            "z{}{}{}",
            letter(index / 676),
            letter(index / 26),
            letter(index)
        );
        let copy = format!("salaire-net/{word}");
        copy_folder(&rules.root().join(COPIED), &rules.root().join(&copy));
        for entry in fs::read_dir(rules.root().join(&copy)).unwrap() {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap().replace(COPIED, &copy);
            let text = text
                .replace("{text: mr,", &format!("{{text: {word},"))
                .replace("pays: mr,", &format!("pays: {word},"));
            let lines: Vec<&str> = text
                .lines()
                .filter(|line| !line.starts_with("aliases:"))
                .collect();
            fs::write(&path, lines.join("\n") + "\n").unwrap();
        }
    }
    rules
}

fn letter(index: usize) -> char {
    char::from(b'a' + u8::try_from(index % 26).unwrap())
}

fn folders_of(root: &Path) -> usize {
    let inside = |folder: &Path| {
        fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect::<Vec<_>>()
    };
    let below = inside(root).into_iter().filter(|path| path.is_dir());
    let own =
        usize::from(root.join("method.yaml").exists() || root.join("2020-01-01.yaml").exists());
    own + below.map(|folder| folders_of(&folder)).sum::<usize>()
}

fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .map(|path| {
            if path.is_dir() {
                size(&path)
            } else {
                fs::metadata(path).unwrap().len()
            }
        })
        .sum()
}

/// The events of the log about rules that came into force.
fn in_force(server: &Server) -> Vec<serde_json::Value> {
    server
        .log()
        .into_iter()
        .filter(|event| event["message"] == "rules in force")
        .collect()
}

fn stop(server: &mut Server) {
    server.terminate();
    server.ended_within(Duration::from_secs(20));
}

/// Memory of the service, in MB, some seconds after its start and a call.
fn at_rest(server: &Server) -> u64 {
    assert_eq!(server.get("/api/v1/tva?montant=100").status, 200);
    thread::sleep(Duration::from_secs(12));
    server.memory() / 1_000
}

/// The milliseconds of the reading after a change of one folder, and the processor time of all that
/// follows.
fn reload(rules: &Rules, server: &Server) -> (u64, Duration) {
    let mut times = Vec::new();
    for round in 1..=5 {
        let before = server.processor_time();
        let text = rules.read(&format!("{COPIED}/method.yaml"));
        rules.write(
            &format!("{COPIED}/method.yaml"),
            &format!("{text}# {round}\n"),
        );
        eventually("it is in force", || in_force(server).len() > round);
        thread::sleep(Duration::from_secs(1));
        let millis = in_force(server)[round]["millis"].as_u64().unwrap();
        times.push((millis, server.processor_time().saturating_sub(before)));
    }
    times.sort();
    times[2]
}

/// Processor time of a call that no other is like, of the last country.
fn call(server: &Server) -> Duration {
    let before = server.processor_time();
    let mut calls = 0;
    while calls < CALLS {
        let mut connection = Connection::open(server.address()).unwrap();
        for _ in 0..CALLS_EACH {
            let target = format!(
                "/api/v1/salaire-net?pays=mr&brut={}&date=2026-03-31",
                10_000 + calls
            );
            assert_eq!(connection.call("GET", &target, "").unwrap().status, 200);
            calls += 1;
        }
    }
    server.processor_time().saturating_sub(before) / u32::try_from(calls).unwrap()
}
