//! Connections held without need.

use std::thread;
use std::time::Duration;

use harness::{Connection, GOOD, Server};

use crate::Effort;

const QUIET: &str = "info,access=off";

/// Memory of a process, in MB.
fn resident(server: &Server) -> u64 {
    server.memory() / 1_024
}

/// Many callers that request the longest answer again and again, and read nothing.
pub(crate) fn unread(effort: Effort) -> String {
    let server = Server::start_with(&[
        "--connections",
        "4096",
        "--trusted-proxy",
        "127.0.0.0/8",
        "--log",
        QUIET,
    ]);
    let before = resident(&server);
    let request = "GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(40);
    let mut peak = before;
    for _ in 0..effort.of(3, 1) {
        let wave: Vec<Connection> = (0..effort.of(4_000, 1_000))
            .map_while(|_| {
                let mut connection = Connection::open(server.address()).ok()?;
                connection.send(request.as_bytes()).ok()?;
                Some(connection)
            })
            .collect();
        thread::sleep(Duration::from_secs(1));
        peak = peak.max(resident(&server));
        assert_eq!(server.get(GOOD).status, 200);
        drop(wave);
    }
    thread::sleep(Duration::from_secs(effort.of(15, 3)));
    let after = resident(&server);
    assert!(peak < before + 200, "{peak} MB");
    format!("{before} MB before, {peak} MB at most, {after} MB after")
}

/// Connections kept open after one request each.
pub(crate) fn idle(effort: Effort) -> String {
    let count: usize = effort.of(8_000, 2_000);
    let most = (count + 100).to_string();
    let server = Server::start_with(&[
        "--connections",
        &most,
        "--trusted-proxy",
        "127.0.0.0/8",
        "--log",
        QUIET,
    ]);
    let before = resident(&server);
    let held: Vec<Connection> = (0..count)
        .map(|_| {
            let mut connection =
                Connection::open(server.address()).expect("`ulimit -n` lets this be opened");
            assert_eq!(connection.call("GET", GOOD, "").unwrap().status, 200);
            connection
        })
        .collect();
    let during = resident(&server);
    drop(held);
    thread::sleep(Duration::from_secs(effort.of(15, 3)));
    let after = resident(&server);
    let each = (during - before) * 1_024 / count as u64;
    format!(
        "{count} of {each} KB each; {before} MB before, {during} MB with them, {after} MB after"
    )
}
