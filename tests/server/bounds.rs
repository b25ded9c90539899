//! Limits of a connection: time, places, requests.

use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use harness::{Connection, GOOD, Server, eventually};

/// The server's patience for a head, and some slack for a busy machine.
const PATIENCE: std::ops::Range<Duration> = Duration::from_secs(9)..Duration::from_secs(14);

#[test]
fn silent_dribbling_and_idle_connections_are_closed() {
    let server = Server::start();
    let address = server.address();
    let waiting = [
        // Says nothing.
        thread::spawn(move || closed_after(Connection::open(address).unwrap())),
        // One byte of a head every second, for ever.
        thread::spawn(move || {
            let mut connection = Connection::open(address).unwrap();
            let start = Instant::now();
            for byte in format!("GET {GOOD} HTTP/1.1\r\nX-Slow: {}", "a".repeat(60)).into_bytes() {
                if connection.send(&[byte]).is_err() {
                    break;
                }
                thread::sleep(Duration::from_millis(500));
                if start.elapsed() > PATIENCE.end {
                    panic!(
                        "a dribbled head is still accepted after {:?}",
                        start.elapsed()
                    );
                }
            }
            start.elapsed()
        }),
        // Idle after a good request.
        thread::spawn(move || {
            let mut connection = Connection::open(address).unwrap();
            assert_eq!(connection.call("GET", "/livez", "").unwrap().status, 200);
            closed_after(connection)
        }),
    ];
    for waited in waiting {
        let waited = waited.join().unwrap();
        assert!(PATIENCE.contains(&waited), "closed after {waited:?}");
    }
}

fn closed_after(mut connection: Connection) -> Duration {
    let start = Instant::now();
    assert!(connection.is_closed());
    start.elapsed()
}

#[test]
fn a_connection_serves_a_thousand_requests_then_says_goodbye() {
    let server = Server::start_with(&["--log", "info,access=off"]);
    let mut connection = Connection::open(server.address()).unwrap();
    for rank in 1..=1000 {
        let answer = connection.call("GET", "/livez", "").unwrap();
        assert_eq!(answer.has("connection"), rank == 1000, "request {rank}");
    }
    assert!(connection.is_closed());
}

#[test]
fn a_reader_that_does_not_read_is_cut() {
    let server = Server::start();
    let mut connection = Connection::open(server.address()).unwrap();
    let request = b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n";
    let start = Instant::now();
    // Answers pile up unread until the server can write no more, reads no more, and at last cuts.
    let cut = loop {
        if connection.send(request).is_err() {
            break start.elapsed();
        }
        if start.elapsed() > Duration::from_secs(60) {
            panic!("still accepted");
        }
        if start.elapsed() > Duration::from_secs(2) {
            thread::sleep(Duration::from_millis(100));
        }
    };
    assert!(cut > Duration::from_secs(8), "cut after {cut:?}");
    assert_eq!(server.get(GOOD).status, 200);
}

#[test]
fn an_address_that_takes_too_many_places_is_turned_away() {
    let server = Server::start_with(&["--connections", "64"]);
    let mut held: Vec<_> = (0..16)
        .map(|_| Connection::open(server.address()).unwrap())
        .collect();
    // All of them are surely accepted once the last one is answered.
    assert_eq!(
        held.last_mut()
            .unwrap()
            .call("GET", "/livez", "")
            .unwrap()
            .status,
        200
    );
    let mut over = Connection::open(server.address()).unwrap();
    let answer = over.receive(false).unwrap();
    answer.problem(503, "trop_de_connexions");
    assert_eq!(
        (answer.header("retry-after"), answer.header("connection")),
        ("1", "close")
    );
    assert!(over.is_closed());
    held.truncate(8);
    eventually("a place is free again", || {
        Connection::open(server.address())
            .and_then(|mut free| free.call("GET", GOOD, ""))
            .is_ok_and(|answer| answer.status == 200)
    });
}

#[test]
fn a_service_that_answers_as_many_as_it_can_says_so() {
    let server = Server::start_with(&["--connections", "8", "--trusted-proxy", "127.0.0.1"]);
    let mut held: Vec<Connection> = (0..8)
        .map(|_| Connection::open(server.address()).unwrap())
        .collect();
    for connection in &mut held {
        assert!(!connection.call("GET", GOOD, "").unwrap().has("connection"));
    }
    let mut over = Connection::open(server.address()).unwrap();
    let answer = over.receive(false).unwrap();
    answer.problem(503, "service_surcharge");
    assert_eq!(
        (answer.header("retry-after"), answer.header("connection")),
        ("1", "close")
    );
    assert!(over.is_closed());
    // Nobody gives way; where one leaves, it is for the next.
    assert!(held.iter_mut().all(|kept| {
        kept.call("GET", GOOD, "")
            .is_ok_and(|answer| answer.status == 200)
    }));
    held.pop();
    eventually("there is room again", || {
        Connection::open(server.address())
            .and_then(|mut next| next.call("GET", GOOD, ""))
            .is_ok_and(|answer| answer.status == 200)
    });
}

#[test]
fn what_connections_take_is_bounded_and_given_back() {
    const CROWD: u64 = 400;
    let server = Server::start_with(&["--log", "info,access=off", "--trusted-proxy", "127.0.0.1"]);
    server.get(GOOD);
    // The description takes memory that is no connection's, once it is asked for.
    server.get("/api/v1/openapi.json");
    let before = server.memory();
    let crowd = |said: String| -> Vec<Connection> {
        let open = |_| {
            let mut connection = Connection::open(server.address()).unwrap();
            connection.send(said.as_bytes()).unwrap();
            connection
        };
        (0..CROWD).map(open).collect()
    };
    let long = "GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(40);
    for (name, said) in [
        ("readers of nothing", long),
        ("long heads", format!("GET /{}", "a".repeat(15_000))),
    ] {
        let waiting = crowd(said);
        thread::sleep(Duration::from_secs(2));
        let each = server.memory().saturating_sub(before) / CROWD;
        println!("{name}: {each} KB each");
        assert!(each < 70, "{name}: {each} KB each");
        drop(waiting);
    }
    let given_back = eventually("the memory is given back", || {
        server.memory() < before + 8 * 1024
    });
    println!("given back after {given_back:?}");
}

#[test]
fn a_service_that_has_no_file_left_waits_without_haste() {
    let server = Server::start();
    let files = |most: u32| {
        let limit = format!("--nofile={most}:");
        assert!(
            Command::new("prlimit")
                .args(["--pid", &server.id().to_string(), &limit])
                .status()
                .unwrap()
                .success()
        );
    };
    let refusals = || {
        server
            .log()
            .iter()
            .filter(|event| event["message"] == "cannot accept a connection")
            .count()
    };
    files(4);
    let mut waiting = Connection::open(server.address()).unwrap();
    waiting
        .send(format!("GET {GOOD} HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes())
        .unwrap();
    eventually("the system refuses", || refusals() > 0);
    thread::sleep(Duration::from_millis(500));
    assert!(refusals() <= 20, "{} times in half a second", refusals());
    files(1024);
    assert_eq!(waiting.receive(false).unwrap().status, 200);
}
