//! Counts and keys after a stop or a crash.

use std::time::Duration;

use harness::Server;

use crate::desk::{A, Desk, rate_limit, with_key};

/// Before any key is given: a paid one ends a year after the day of the machine.
const NOON: [&str; 2] = ["--clock", "2024-05-05T12:00:00Z"];

fn stopped(mut server: Server) {
    server.terminate();
    assert_eq!(server.ended_within(Duration::from_secs(5)).code(), Some(0));
}

#[test]
fn a_clean_stop_forgets_no_call() {
    let desk = Desk::new();
    let key = desk.issue("a", "pro");
    for round in 0..3 {
        let server = desk.serve(&NOON);
        for call in 1..=10 {
            assert_eq!(
                rate_limit(&with_key(&server, A, &key)).1,
                10_000 - round * 10 - call
            );
            assert_eq!(rate_limit(&server.get(A)).1, 1_000 - round * 10 - call);
        }
        stopped(server);
    }
}

#[test]
fn a_kill_forgets_the_last_second_only() {
    let desk = Desk::new();
    let key = desk.issue("a", "pro");
    let mut server = desk.serve(&NOON);
    for _ in 0..50 {
        with_key(&server, A, &key);
        server.get(A);
    }
    std::thread::sleep(Duration::from_millis(1_500));
    for _ in 0..5 {
        with_key(&server, A, &key);
    }
    server.kill();
    let server = desk.serve(&NOON);
    let left = rate_limit(&with_key(&server, A, &key)).1;
    assert!((9_944..=9_949).contains(&left), "{left}");
    assert_eq!(rate_limit(&server.get(A)).1, 949);
}

#[test]
fn a_key_is_kept_when_it_is_shown() {
    let desk = Desk::new();
    let mut server = desk.serve(&NOON);
    let key = desk.issue("a", "free");
    server.kill();
    assert_eq!(with_key(&desk.serve(&NOON), A, &key).status, 200);
}

#[test]
fn the_remains_of_past_days_are_forgotten() {
    let desk = Desk::new();
    let server = desk.serve(&NOON);
    server.get(A);
    stopped(server);
    let rows = |table: &str| -> i64 {
        let database = rusqlite::Connection::open(desk.file()).unwrap();
        database
            .query_row(&format!("select count(*) from {table}"), [], |row| {
                row.get(0)
            })
            .unwrap()
    };
    assert_eq!((rows("daily_counts"), rows("daily_salts")), (1, 1));
    let server = desk.serve(&["--clock", "2024-05-06T23:59:00Z"]);
    std::thread::sleep(Duration::from_millis(1_500));
    assert_eq!(
        rows("daily_salts"),
        1,
        "yesterday is kept: this clock may be ahead"
    );
    drop(server);
    let server = desk.serve(&["--clock", "2024-05-07T00:00:00Z"]);
    harness::eventually("the day before yesterday is forgotten", || {
        rows("daily_salts") == 0
    });
    assert_eq!(rows("daily_counts"), 0);
    drop(server);
}

#[test]
fn an_address_is_not_kept_in_clear() {
    let desk = Desk::new();
    let server = desk.serve(&["--trusted-proxy", "127.0.0.1", "--log", "info"]);
    let mut connection = harness::Connection::open(server.address()).unwrap();
    connection
        .call("GET", A, "X-Forwarded-For: 203.0.113.77\r\n")
        .unwrap();
    connection
        .call(
            "GET",
            A,
            "X-Forwarded-For: 203.0.113.77\r\nX-API-Key: x\r\n",
        )
        .unwrap();
    harness::eventually("both are in the log", || {
        server
            .log()
            .iter()
            .filter(|line| line["status"].is_u64())
            .count()
            == 2
    });
    assert!(
        !serde_json::to_string(&server.log())
            .unwrap()
            .contains("203.0.113")
    );
    stopped(server);
    for file in std::fs::read_dir(desk.place()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        for clear in [&b"203.0.113.77"[..], &[203, 0, 113, 77]] {
            assert!(!bytes.windows(clear.len()).any(|window| window == clear));
        }
    }
}

#[test]
fn a_copy_that_was_made_while_it_served_takes_its_place() {
    let (desk, other) = (Desk::new(), Desk::new());
    let key = desk.issue("a", "pro");
    let server = desk.serve(&NOON);
    assert_eq!(rate_limit(&with_key(&server, A, &key)).1, 9_999);
    // The call is written in the next second.
    std::thread::sleep(Duration::from_millis(1_500));
    let database = rusqlite::Connection::open(desk.file()).unwrap();
    database
        .execute("vacuum into ?", [other.file().to_str().unwrap()])
        .unwrap();
    drop(server);
    let restored = other.serve(&NOON);
    assert_eq!(rate_limit(&with_key(&restored, A, &key)).1, 9_998);
}

#[test]
fn after_a_clean_stop_the_file_alone_holds_everything() {
    let (desk, other) = (Desk::new(), Desk::new());
    let key = desk.issue("a", "pro");
    let server = desk.serve(&NOON);
    assert_eq!(rate_limit(&with_key(&server, A, &key)).1, 9_999);
    stopped(server);
    std::fs::copy(desk.file(), other.file()).unwrap();
    let restored = other.serve(&NOON);
    assert_eq!(rate_limit(&with_key(&restored, A, &key)).1, 9_998);
}

#[test]
fn two_services_on_one_file_are_one_too_many() {
    let desk = Desk::new();
    let _server = desk.serve(&[]);
    let store = format!("sqlite:{}", desk.file().display());
    let second = harness::run(&["--listen", "127.0.0.1:0", "--store", &store]);
    assert_eq!(second.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&second.stderr).contains("another bareme-server serves from it")
    );
}
