//! Long answers: how fast they reach a caller on the same machine.

use std::time::{Duration, Instant};

use harness::{Connection, Server};

/// The descriptions of both variants, of 1.6 MB and 70 KB.
const LONG: [&str; 2] = ["/api/v1/openapi.json", "/api-docs/v1/openapi.json"];

/// A peer acknowledges one segment alone after 40 ms at the soonest.
const DELAYED_ACKNOWLEDGEMENT: Duration = Duration::from_millis(35);

/// Connections that are tried on a busy machine, one after another.
const CONNECTIONS: usize = 40;

/// Each answer was late by one delayed acknowledgement for every 64 KB, on every connection. A
/// busy machine is late too, for a while, so that one answer in time is enough.
#[test]
fn a_long_answer_waits_for_no_acknowledgement() {
    let server = Server::start();
    for target in LONG {
        let mut fastest = Duration::MAX;
        for _ in 0..CONNECTIONS {
            fastest = fastest.min(fastest_of_a_connection(&server, target));
            if fastest < DELAYED_ACKNOWLEDGEMENT {
                break;
            }
        }

        assert!(fastest < DELAYED_ACKNOWLEDGEMENT, "{target}: {fastest:?}");
    }
}

/// The shortest time that a connection takes for an answer, once it has no more of the quick
/// acknowledgements of its start.
fn fastest_of_a_connection(server: &Server, target: &str) -> Duration {
    let mut connection = Connection::open(server.address()).unwrap();
    let times = (0..30).map(|_| {
        let start = Instant::now();
        let answer = connection.call("GET", target, "").unwrap();
        assert!(
            answer.status == 200 && answer.body.len() > 64 * 1024,
            "{}",
            answer.body.len()
        );
        start.elapsed()
    });

    times.skip(10).min().unwrap()
}
