//! Quotas are never exceeded.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use harness::{Connection, Server, repository};

use crate::Effort;

const CALLERS: usize = 64;

const CALL: &str = "/api/v1/tva?montant=100";

/// The quota of callers without a key.
const QUOTA: usize = 1_000;

/// Many concurrent connections, far beyond the quota: exactly the quota is answered.
pub(crate) fn crowd(effort: Effort) -> String {
    let server = serve(&[]);
    let calls = effort.of(20_000, 3_000) / CALLERS;
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| {
            let mut connection = Connection::open(server.address()).unwrap();
            thread::spawn(move || {
                (0..calls)
                    .filter(|_| connection.call("GET", CALL, "").unwrap().status == 200)
                    .count()
            })
        })
        .collect();
    let granted: usize = callers
        .into_iter()
        .map(|caller| caller.join().unwrap())
        .sum();
    assert_eq!(granted, QUOTA);
    format!(
        "{granted} of {} calls answered on a quota of {QUOTA}",
        calls * CALLERS
    )
}

/// The same over midnight: each day has its own count, by the dates in the answers.
pub(crate) fn midnight(_: Effort) -> String {
    let server = serve(&["--clock", "2026-12-31T23:59:57Z"]);
    let (address, end) = (server.address(), Instant::now() + Duration::from_secs(6));
    let callers: Vec<_> = (0..8)
        .map(|_| {
            let mut connection = Connection::open(address).unwrap();
            thread::spawn(move || {
                let mut seen: BTreeMap<(String, u16), usize> = BTreeMap::new();
                while Instant::now() < end {
                    let answer = connection.call("GET", CALL, "").unwrap();
                    let day = answer.header("date")[5..16].to_owned();
                    *seen.entry((day, answer.status)).or_default() += 1;
                    if answer.has("connection") {
                        connection = Connection::open(address).unwrap();
                    }
                    thread::sleep(Duration::from_millis(2));
                }
                seen
            })
        })
        .collect();
    let mut seen: BTreeMap<(String, u16), usize> = BTreeMap::new();
    for caller in callers {
        for (what, count) in caller.join().unwrap() {
            *seen.entry(what).or_default() += count;
        }
    }
    for day in ["31 Dec 2026", "01 Jan 2027"] {
        assert!(
            seen.get(&(day.to_owned(), 200))
                .is_some_and(|granted| (1..=QUOTA).contains(granted)),
            "{seen:?}"
        );
    }
    assert!(
        seen.keys().all(|(_, status)| matches!(status, 200 | 429)),
        "{seen:?}"
    );
    format!("answers by day and status {seen:?}")
}

/// Starts a server with the rules of the repository and their quotas.
fn serve(flags: &[&str]) -> Server {
    Server::with(
        &repository().join("rules"),
        &[&["--log", "info,access=off"], flags].concat(),
    )
}
