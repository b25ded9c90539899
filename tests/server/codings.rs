//! What caches and codings make of answers.

use std::process::{Command, Stdio};

use harness::{Connection, Rules, Server};

const GOOD: &str = "/api/v1/salaire?brut=2500";
const TAX: &str = "/api/v1/ir?revenu=30000";

/// The text of a gzip file, by a program that is not ours.
fn gunzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut child = Command::new("gzip")
        .args(["-d", "-c"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    child.wait_with_output().unwrap().stdout
}

#[test]
fn long_answers_are_compressed_for_who_reads_gzip() {
    let server = Server::start();
    let mut connection = Connection::open(server.address()).unwrap();
    for target in [GOOD, "/api/v1/openapi.json", GOOD] {
        let plain = connection.call("GET", target, "").unwrap();
        assert!(!plain.has("content-encoding") && plain.header("vary").contains("Accept-Encoding"));
        let gzip = connection
            .call("GET", target, "Accept-Encoding: gzip, br\r\n")
            .unwrap();
        assert_eq!(gzip.header("content-encoding"), "gzip", "{target}");
        assert!(
            gzip.body.len() * 2 < plain.body.len(),
            "{target}: {} of {}",
            gzip.body.len(),
            plain.body.len()
        );
        assert_eq!(gunzip(&gzip.body), plain.body, "{target}");
        // Other bytes have another name, which is known again.
        assert_ne!(gzip.header("etag"), plain.header("etag"));
        let known = format!(
            "Accept-Encoding: gzip\r\nIf-None-Match: {}\r\n",
            gzip.header("etag")
        );
        assert_eq!(
            connection.call("GET", target, &known).unwrap().status,
            304,
            "{target}"
        );
        let refused = connection
            .call("GET", target, "Accept-Encoding: gzip;q=0\r\n")
            .unwrap();
        assert_eq!(
            (refused.has("content-encoding"), &refused.body),
            (false, &plain.body)
        );
    }
    // Short answers are not, nor errors.
    for target in [
        "/api/v1/salaire?brut=2500&champs=net_a_payer",
        "/api/v1/salaire?brut=x",
        "/livez",
    ] {
        let answer = connection
            .call("GET", target, "Accept-Encoding: gzip\r\n")
            .unwrap();
        assert!(!answer.has("content-encoding"), "{target}");
    }
}

/// A cache asks again each time: a key that is not good is refused, and quota fields are those of
/// the call.
#[test]
fn caches_do_not_mix_callers() {
    let server = Server::with(&Rules::small().root(), &[]);
    let mut connection = Connection::open(server.address()).unwrap();
    let first = connection.call("GET", TAX, "").unwrap();
    assert_eq!(first.header("cache-control"), "private, no-cache");
    for field in ["X-API-Key", "Authorization", "Accept-Encoding"] {
        assert!(first.header("vary").contains(field), "{field}");
    }
    let again = connection
        .call(
            "GET",
            TAX,
            &format!("If-None-Match: {}\r\n", first.header("etag")),
        )
        .unwrap();
    assert_eq!(
        (again.status, again.header("vary")),
        (304, first.header("vary"))
    );
    assert_ne!(again.header("ratelimit"), first.header("ratelimit"));
    // The description is the same for everybody.
    let description = connection.call("GET", "/api/v1/openapi.json", "").unwrap();
    assert_eq!(
        (
            description.header("cache-control"),
            description.header("vary")
        ),
        ("private, max-age=300", "Accept-Encoding")
    );
}
