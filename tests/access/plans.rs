//! The published plans, row by row, and the end of the day at midnight.

use std::time::{Duration, SystemTime};

use harness::{Answer, Connection, Server, eventually};

use crate::desk::{A, B, Desk, rate_limit, with_key};

const DAY: u64 = 86_400;

/// A row: the plan, its calls a day, and whether attribution is required.
type Row = (&'static str, Option<u64>, bool);

const VARIANT_A: [Row; 4] = [
    ("free", Some(1_000), true),
    ("pro", Some(10_000), false),
    ("business", Some(100_000), false),
    ("scale", Some(500_000), false),
];

const VARIANT_B: [Row; 3] = [
    ("free", Some(100), true),
    ("pro", Some(10_000), false),
    ("enterprise", None, false),
];

/// Sets the calls of an account today.
fn has_used(desk: &Desk, account: &str, calls: u64) {
    let bytes: Vec<u8> = account
        .replace('-', "")
        .as_bytes()
        .chunks(2)
        .map(hex)
        .collect();
    let today = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap()
        .as_secs()
        / DAY;
    let database = rusqlite::Connection::open(desk.file()).unwrap();
    let sql = "insert into daily_counts (day, subject, total) values (?, ?, ?)";
    database
        .execute(sql, rusqlite::params![today as i64, bytes, calls as i64])
        .unwrap();
}

fn hex(digits: &[u8]) -> u8 {
    u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap()
}

#[test]
fn each_plan_has_its_quota_on_its_variant_and_nothing_on_the_other() {
    let desk = Desk::new();
    for (variant, own, other, rows) in [("a", A, B, &VARIANT_A[..]), ("b", B, A, &VARIANT_B[..])] {
        for (plan, quota, credit) in rows {
            let key = desk.issue(variant, plan);
            let record = desk.find(&key);
            let lasts = if *plan == "free" { 180 } else { 365 };
            let days = record["expires"].as_str().map(|end| {
                let moment = |text: &str| text.parse::<jiff::Timestamp>().unwrap();
                moment(end)
                    .duration_since(moment(record["created"].as_str().unwrap()))
                    .as_hours()
                    / 24
            });
            assert_eq!(days, Some(lasts), "{variant} {plan}");
            if let Some(quota) = quota {
                has_used(&desk, record["account"].as_str().unwrap(), quota - 2);
            }

            let server = desk.serve(&[]);
            let row = format!("{variant} {plan}");
            for left in [1, 0] {
                let answer = with_key(&server, own, &key);
                assert_eq!(answer.status, 200, "{row}");
                assert_eq!(answer.has("link"), *credit, "{row}");
                match quota {
                    Some(quota) => assert_eq!(
                        (rate_limit(&answer).0, rate_limit(&answer).1),
                        (*quota, left),
                        "{row}"
                    ),
                    None => assert!(
                        !answer.has("ratelimit") && !answer.has("ratelimit-policy"),
                        "{row}"
                    ),
                }
            }
            let third = with_key(&server, own, &key);
            match quota {
                Some(quota) => refused(&third, *quota),
                None => assert_eq!(third.status, 200, "{row}"),
            }
            with_key(&server, other, &key).problem(403, "cle_autre_version");
        }
    }
}

/// Checks a 429 answer, whose reset time must agree in all of its headers.
fn refused(answer: &Answer, quota: u64) {
    let body = answer.problem(429, "quota_depasse");
    let seconds = |name| {
        let date = httpdate::parse_http_date(answer.header(name)).unwrap();
        date.duration_since(SystemTime::UNIX_EPOCH)
            .unwrap()
            .as_secs()
    };
    let (stated, remaining, left) = rate_limit(answer);
    assert_eq!((stated, remaining), (quota, 0));
    assert_eq!(seconds("date") + left, seconds("retry-after"));
    assert_eq!(seconds("retry-after") % DAY, 0);
    assert!((1..=DAY).contains(&left));
    assert_eq!(
        (&body["limite"], &body["restant"]),
        (&quota.into(), &0.into())
    );
    assert_eq!(body["violated-policies"], serde_json::json!(["jour"]));
    let until: jiff::Timestamp = body["reinitialisation"].as_str().unwrap().parse().unwrap();
    assert_eq!(until.as_second() as u64, seconds("retry-after"));
}

#[test]
fn without_a_key_each_variant_has_its_free_quota() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    let mut connection = Connection::open(server.address()).unwrap();
    for (target, quota) in [(A, 1_000), (B, 100)] {
        for call in 1..=quota {
            let answer = connection.call("GET", target, "").unwrap();
            assert_eq!(
                (answer.status, rate_limit(&answer).0, rate_limit(&answer).1),
                (200, quota, quota - call)
            );
            assert_eq!(
                answer.header("link"),
                "<https://bareme.example/cle#attribution>; rel=\"license\""
            );
            if answer.has("connection") {
                connection = Connection::open(server.address()).unwrap();
            }
        }
        refused(&connection.call("GET", target, "").unwrap(), quota);
    }
}

#[test]
fn what_is_charged_and_what_is_not() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    let key = desk.issue("a", "free");
    let field = format!("X-API-Key: {key}\r\n");
    let mut connection = Connection::open(server.address()).unwrap();
    let etag = connection
        .call("GET", A, "")
        .unwrap()
        .header("etag")
        .to_owned();
    let left = || rate_limit(&with_key(&server, A, &key)).1;
    let before = left();

    for (method, target, headers, status, charged) in [
        ("GET", A, "", 200, 1),
        ("HEAD", A, "", 200, 1),
        ("GET", A, &*format!("If-None-Match: {etag}\r\n"), 304, 1),
        ("GET", "/api/v1/tva?montant=x", "", 400, 1),
        ("GET", "/api/v1/nothing", "", 404, 0),
        ("POST", A, "", 405, 0),
        ("OPTIONS", A, "", 200, 0),
        ("GET", "/api/v1/openapi.json", "", 200, 0),
        ("GET", "/readyz", "", 200, 0),
        ("GET", B, "", 403, 0),
    ] {
        let before = left();
        let answer = connection
            .call(method, target, &format!("{field}{headers}"))
            .unwrap();
        assert_eq!(answer.status, status, "{method} {target}");
        assert_eq!(answer.has("ratelimit"), charged > 0, "{method} {target}");
        // The check itself costs a call.
        assert_eq!(before - left(), charged + 1, "{method} {target}");
    }
    assert_eq!(before - left(), 4 + 10 * 2 + 1);
}

#[test]
fn the_quota_is_whole_again_at_midnight() {
    let desk = Desk::new();
    let server = desk.serve(&["--clock", "2028-02-29T23:59:50Z"]);
    let mut connection = Connection::open(server.address()).unwrap();
    for _ in 0..100 {
        assert_eq!(connection.call("GET", B, "").unwrap().status, 200);
    }
    let last = connection.call("GET", B, "").unwrap();
    refused(&last, 100);
    assert_eq!(last.header("retry-after"), "Wed, 01 Mar 2028 00:00:00 GMT");

    let answer = loop {
        let answer = connection.call("GET", B, "").unwrap();
        match answer.status {
            200 => break answer,
            _ => refused(&answer, 100),
        }
        assert!(
            answer
                .header("date")
                .starts_with("Tue, 29 Feb 2028 23:59:5"),
            "{}",
            answer.header("date")
        );
        std::thread::sleep(Duration::from_millis(50));
    };
    assert!(
        answer
            .header("date")
            .starts_with("Wed, 01 Mar 2028 00:00:0"),
        "{}",
        answer.header("date")
    );
    let (_, remaining, left) = rate_limit(&answer);
    assert_eq!(remaining, 99);
    assert!(left > DAY - 10, "{left}");
}

#[test]
fn a_plan_that_changes_in_the_rules_changes_at_once() {
    let rules = harness::Rules::copy();
    let server = Server::with(&rules.root(), &["--log", "info,access=off"]);
    assert!(!server.get(A).has("ratelimit"));
    let text = rules.read("service.yaml");
    rules.write(
        "service.yaml",
        &text.replacen("calls_per_day: unlimited,", "calls_per_day: 3,", 1),
    );
    eventually("there is a quota", || server.get(A).has("ratelimit"));
    for _ in 0..3 {
        server.get(A);
    }
    refused(&server.get(A), 3);
    rules.write(
        "service.yaml",
        &text.replacen("cors: true", "cors: false", 1),
    );
    eventually("pages of other sites may no longer read", || {
        !server.get(A).has("access-control-allow-origin")
    });
    assert!(server.get(B).has("access-control-allow-origin"));
}
