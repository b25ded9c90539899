//! How the service stops.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use harness::{Connection, GOOD, Server, eventually};

#[test]
fn a_stop_is_announced_then_lets_requests_end() {
    let mut server = Server::start_with(&["--drain", "1"]);
    let mut slow = Connection::open(server.address()).unwrap();
    let mut idle = Connection::open(server.address()).unwrap();
    assert_eq!(idle.call("GET", GOOD, "").unwrap().status, 200);
    slow.send(format!("GET {GOOD} HTTP/1.1\r\nHost: loc").as_bytes())
        .unwrap();

    server.terminate();
    eventually("readiness is lost", || server.get("/readyz").status == 503);
    let body = server.get("/readyz").json();
    assert_eq!(body["status"], "arret");
    // The balancer has not noticed yet: calls are still answered, and the service is alive.
    assert_eq!(server.get(GOOD).status, 200);
    assert_eq!(server.get("/livez").status, 200);

    slow.send(b"alhost\r\n\r\n").unwrap();
    assert_eq!(slow.receive(false).unwrap().status, 200);
    assert!(idle.is_closed());
    assert_eq!(server.ended_within(Duration::from_secs(5)).code(), Some(0));
    assert!(Connection::open(server.address()).is_err());
}

#[test]
fn no_request_fails_while_it_stops() {
    let mut server = Server::start_with(&["--log", "info,access=off"]);
    let address = server.address();
    let answered = Arc::new(AtomicU32::new(0));
    let callers: Vec<_> = (0..8)
        .map(|_| {
            let answered = Arc::clone(&answered);
            thread::spawn(move || {
                let mut connection = Connection::open(address).unwrap();
                loop {
                    let Ok(answer) = connection.call("GET", GOOD, "") else {
                        // Closed between two requests, or refused: never in the middle of an
                        // answer.
                        return;
                    };
                    assert_eq!((answer.status, answer.json().is_object()), (200, true));
                    answered.fetch_add(1, Ordering::Relaxed);
                    if answer.has("connection") {
                        match Connection::open(address) {
                            Ok(next) => connection = next,
                            Err(_) => return,
                        }
                    }
                }
            })
        })
        .collect();
    eventually("the load is on", || answered.load(Ordering::Relaxed) > 500);
    server.terminate();
    for caller in callers {
        caller.join().unwrap();
    }
    assert_eq!(server.ended_within(Duration::from_secs(5)).code(), Some(0));
}

#[test]
fn a_second_signal_ends_at_once() {
    let mut server = Server::start_with(&["--drain", "60"]);
    server.terminate();
    eventually("readiness is lost", || server.get("/readyz").status == 503);
    server.terminate();
    assert_eq!(server.ended_within(Duration::from_secs(2)).code(), Some(0));
}

#[test]
fn a_port_that_is_taken_or_a_missing_folder_is_said_at_once() {
    let server = Server::start();
    let taken = server.address().to_string();
    for (flags, wanted) in [
        (vec!["--listen", taken.as_str()], "cannot listen"),
        (
            vec!["--listen", "127.0.0.1:0", "--rules", "/does/not/exist"],
            "`/does/not/exist` is not a folder",
        ),
        (vec!["--listen", "127.0.0.1:0", "--log", "a=b=c"], "--log"),
        (vec!["--date", "2026-02-30"], "--date"),
    ] {
        let ended = harness::run(&flags);
        assert!(!ended.status.success());
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(said.contains(wanted), "{said}");
    }
}
