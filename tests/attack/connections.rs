//! Connections that are held for nothing.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use harness::{Connection, GOOD, Server};

use crate::Effort;

const LIMIT: usize = 1_024;

/// What one address may hold.
const SHARE: usize = LIMIT / 4;

const QUIET: &str = "info,access=off";

/// Some of the addresses of this machine.
fn address(last: u8) -> IpAddr {
    Ipv4Addr::new(127, 0, 0, last).into()
}

/// Memory that a process holds now, in MB.
fn resident(server: &Server) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1_024
}

/// What an attacker holds of its connections: nothing sent, a head or a form that never ends.
const STARTS: [&str; 4] = [
    "",
    "GET /api/v1/ir HTTP/1.1\r\nHost: a\r\nX-Slow: ",
    "GE",
    "POST /cle HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 900\r\n\r\n",
];

/// Six addresses hold all that they can, and dribble; everybody else is served as ever.
pub(crate) fn silent(effort: Effort) -> String {
    let server = Server::start_with(&["--connections", &LIMIT.to_string(), "--log", QUIET]);
    let (stop, opened) = (AtomicBool::new(false), AtomicUsize::new(0));
    let end = Instant::now() + Duration::from_secs(effort.of(30, 5));
    let mut kept = Connection::open_from(address(100), server.address()).unwrap();
    let mut slowest = Duration::ZERO;
    let mut served = 0;
    thread::scope(|scope| {
        for attacker in 2..8 {
            let (stop, opened, to) = (&stop, &opened, server.address());
            scope.spawn(move || hold(address(attacker), to, stop, opened));
        }
        thread::sleep(Duration::from_millis(500));
        while Instant::now() < end {
            let begin = Instant::now();
            let answer = kept.call("GET", GOOD, "");
            let newcomer = Connection::open_from(address(101 + (served % 50) as u8), server.address())
                .and_then(|mut newcomer| newcomer.call("GET", GOOD, ""));
            slowest = slowest.max(begin.elapsed());
            for answer in [answer, newcomer] {
                if !answer.as_ref().is_ok_and(|answer| answer.status == 200 && !answer.has("connection")) {
                    stop.store(true, Ordering::Relaxed);
                    panic!("a good caller is not served: {answer:?}");
                }
            }
            served += 1;
            // A kept connection ends with its thousandth request, by design: it is not to come to that.
            thread::sleep(Duration::from_millis(40));
        }
        stop.store(true, Ordering::Relaxed);
    });
    let opened = opened.load(Ordering::Relaxed);
    assert!(opened > LIMIT, "{opened} connections are no attack");
    let slowest = slowest.as_millis();
    format!(
        "{opened} connections held for nothing, {served} callers kept and {served} new ones served, the slowest pair in {slowest} ms"
    )
}

fn hold(from: IpAddr, to: SocketAddr, stop: &AtomicBool, opened: &AtomicUsize) {
    let mut held: Vec<Connection> = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        held.retain_mut(|connection| !connection.is_closed_by_now() && connection.send(b"a").is_ok());
        while held.len() < SHARE && !stop.load(Ordering::Relaxed) {
            let Ok(mut connection) = Connection::open_from(from, to) else { break };
            drop(connection.send(STARTS[held.len() % STARTS.len()].as_bytes()));
            opened.fetch_add(1, Ordering::Relaxed);
            held.push(connection);
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// Waves of callers who ask for the longest answer again and again, and read nothing.
pub(crate) fn unread(effort: Effort) -> String {
    let server = Server::start_with(&["--connections", "4096", "--trusted-proxy", "127.0.0.0/8", "--log", QUIET]);
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

/// Connections that have each sent one request and are kept.
pub(crate) fn idle(effort: Effort) -> String {
    let count: usize = effort.of(8_000, 2_000);
    let most = (count + 100).to_string();
    let server = Server::start_with(&["--connections", &most, "--trusted-proxy", "127.0.0.0/8", "--log", QUIET]);
    let before = resident(&server);
    let held: Vec<Connection> = (0..count)
        .map(|_| {
            let mut connection = Connection::open(server.address()).expect("`ulimit -n` lets this be opened");
            assert_eq!(connection.call("GET", GOOD, "").unwrap().status, 200);
            connection
        })
        .collect();
    let during = resident(&server);
    drop(held);
    thread::sleep(Duration::from_secs(effort.of(15, 3)));
    let after = resident(&server);
    let each = (during - before) * 1_024 / count as u64;
    format!("{count} of {each} KB each; {before} MB before, {during} MB with them, {after} MB after")
}
