//! Many concurrent calls, and many callers in a day.

use std::fs;
use std::io::{BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use harness::{Connection, Server};

use crate::desk::{A, B, Desk};

#[test]
fn a_thousand_calls_at_once_on_a_quota_of_a_hundred_are_a_hundred() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    let mut callers: Vec<Connection> = (0..1_000)
        .map(|_| {
            Connection::open(server.address())
                .expect("this machine lets a test open 1 000 connections")
        })
        .collect();
    let call = format!("GET {B} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    for caller in &mut callers {
        caller.send(call.as_bytes()).unwrap();
    }
    let statuses: Vec<u16> = callers
        .iter_mut()
        .map(|caller| caller.receive(false).unwrap().status)
        .collect();
    let count = |status| statuses.iter().filter(|known| **known == status).count();
    assert_eq!((count(200), count(429)), (100, 900));
}

/// Memory of a process, in MB.
fn resident(server: &Server) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<u64>()
        .unwrap()
        / 1_000
}

/// Calls once from each of these addresses, through a proxy; returns how many calls were granted.
/// Callers retry where the disk is too busy for the store to count in time.
fn call_from(server: SocketAddr, addresses: impl Iterator<Item = u32>) -> usize {
    const BATCH: usize = 100;
    let mut granted = 0;
    let mut addresses = addresses.peekable();
    while addresses.peek().is_some() {
        let mut batch: Vec<u32> = addresses.by_ref().take(BATCH).collect();
        for round in 0.. {
            let statuses = call_at_once(server, &batch);
            // A call without parameters is refused, but is charged.
            granted += statuses.iter().filter(|status| **status == 400).count();
            let mut statuses = statuses.iter();
            batch.retain(|_| statuses.next() == Some(&503));
            if batch.is_empty() {
                break;
            }
            assert!(round < 20, "each call is granted or refused in the end");
            std::thread::sleep(Duration::from_millis(500));
        }
    }
    granted
}

/// Calls once from each of these addresses, on twenty threads; returns how many calls were granted.
fn call_from_all(server: SocketAddr, addresses: std::ops::Range<u32>) -> usize {
    let part = (addresses.end - addresses.start) / 20;
    let callers: Vec<_> = addresses
        .step_by(part as usize)
        .map(|first| std::thread::spawn(move || call_from(server, first..first + part)))
        .collect();
    callers
        .into_iter()
        .map(|caller| caller.join().unwrap())
        .sum()
}

/// Sends one pipeline with a call from each of these addresses, on its own connection; returns the
/// statuses.
fn call_at_once(server: SocketAddr, addresses: &[u32]) -> Vec<u16> {
    let mut stream = TcpStream::connect(server).unwrap();
    let mut calls = String::new();
    for address in addresses {
        let address = std::net::Ipv4Addr::from_bits(*address);
        calls.push_str(&format!(
            "GET /api/v1/tva HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: {address}\r\n\r\n"
        ));
    }
    stream.write_all(calls.as_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answers = Vec::new();
    BufReader::new(stream).read_to_end(&mut answers).unwrap();
    let answers = String::from_utf8(answers).unwrap();
    let statuses: Vec<u16> = answers
        .split("HTTP/1.1 ")
        .skip(1)
        .map(|answer| answer[..3].parse().unwrap())
        .collect();
    assert_eq!(statuses.len(), addresses.len(), "each call is answered");
    statuses
}

/// Greatest memory for a full day of callers, in MB, besides the peak of the start: their counts,
/// what a call takes, and the scale that the first one compiles.
const MOST: u64 = 100;

/// A million addresses in a day, then a flood of further ones.
#[test]
fn a_million_addresses_hold_in_little_memory_and_a_flood_wins_nothing() {
    let desk = Desk::new();
    let server = desk.serve(&["--trusted-proxy", "127.0.0.1", "--log", "info,access=off"]);
    let address = server.address();
    let before = resident(&server);
    let start = Instant::now();
    let granted = call_from_all(address, 0..1_000_000);
    let rate = 1_000_000 / start.elapsed().as_secs().max(1);
    println!(
        "{before} MB before, {} MB after a million addresses, {rate} calls a second",
        resident(&server)
    );
    assert_eq!(granted, 1_000_000);
    assert!(
        resident(&server) < before + MOST,
        "{} MB",
        resident(&server)
    );

    // There is room for 120 000 more addresses; later ones share the free quota.
    let flood = call_from_all(address, 1_000_000..1_160_000);
    println!("{} MB after the flood, {flood} granted", resident(&server));
    assert!((120_000..=121_000).contains(&flood), "{flood}");
    assert!(
        resident(&server) < before + MOST,
        "{} MB",
        resident(&server)
    );

    let mut known = Connection::open(address).unwrap();
    let answer = known
        .call("GET", A, "X-Forwarded-For: 0.0.0.7\r\n")
        .unwrap();
    assert_eq!(answer.status, 200, "who was there is still served");
}
