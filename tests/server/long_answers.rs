//! Long answers: how fast they reach a caller on the same machine.

use std::time::{Duration, Instant};

use harness::{Connection, Server};

/// The descriptions of both variants, of 314 and 70 KB.
const LONG: [&str; 2] = ["/api/v1/openapi.json", "/api-docs/v1/openapi.json"];

/// A peer acknowledges one segment alone after 40 ms at the soonest.
const DELAYED_ACKNOWLEDGEMENT: Duration = Duration::from_millis(35);

/// Each answer was late by one delayed acknowledgement for every 64 KB. The fastest of twenty is
/// not that of a busy machine, and a connection is given a few quick acknowledgements at its start.
#[test]
fn a_long_answer_waits_for_no_acknowledgement() {
    let server = Server::start();
    for target in LONG {
        let mut connection = Connection::open(server.address()).unwrap();
        let mut times = Vec::new();
        for _ in 0..30 {
            let start = Instant::now();
            let answer = connection.call("GET", target, "").unwrap();
            assert!(
                answer.status == 200 && answer.body.len() > 64 * 1024,
                "{}",
                answer.body.len()
            );
            times.push(start.elapsed());
        }
        let fastest = times.split_off(10).into_iter().min().unwrap();
        assert!(fastest < DELAYED_ACKNOWLEDGEMENT, "{target}: {fastest:?}");
    }
}
