//! The web servers of the examples pass what is sold, and write down no more than the privacy page
//! says.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use harness::{Answer, Connection, Server, binary, eventually, repository};
use serde_json::{Value, json};

use crate::kubernetes::locations;
use crate::proxies::Proxy;

/// The address of the caller, an income, a token and an e-mail address: none of them may be in a
/// log.
const CALLER: [u8; 4] = [127, 0, 0, 7];
const INCOME: &str = "31415.92";
const TOKEN: &str = "c0ffee5ca1ab1e";
const EMAIL: &str = "claire@example.org";

/// Rows of the largest lot of a plan.
const ROWS: usize = 10_000;

/// A service with assistants and a key, on a store of its own.
struct Service {
    server: Server,
    key: String,
    _place: tempfile::TempDir,
}

impl Service {
    fn start() -> Self {
        let place = tempfile::tempdir().unwrap();
        let store = format!("sqlite:{}", place.path().join("bareme.db").display());
        let rules = repository().join("rules");
        let key = issue(&store, &rules);
        let flags = [
            "--mcp",
            "--mcp-host",
            "localhost",
            "--trusted-proxy",
            "127.0.0.1,::1",
            "--store",
            &store,
        ];
        let server = Server::with(&rules, &flags);
        Self {
            server,
            key,
            _place: place,
        }
    }
}

/// Issues a key of the largest plan.
fn issue(store: &str, rules: &Path) -> String {
    let mut command = Command::new(binary());
    command.args([
        "keys", "issue", "--plan", "scale", "--email", EMAIL, "--store", store, "--rules",
    ]);
    let issued = command.arg(rules).output().unwrap();
    assert!(
        issued.status.success(),
        "{}",
        String::from_utf8_lossy(&issued.stderr)
    );
    String::from_utf8(issued.stdout).unwrap().trim().to_owned()
}

/// A connection of the caller to a front.
fn connect(proxy: SocketAddr) -> Connection {
    Connection::open_from(CALLER.into(), proxy).unwrap()
}

/// Sends what a customer sends: a call, a lot of the greatest size, a message of an assistant, a
/// link of an e-mail.
fn sends_what_is_sold(proxy: SocketAddr, service: &Service) {
    let key = format!("X-API-Key: {}\r\n", service.key);
    let mut connection = connect(proxy);
    let call = format!("/api/v1/ir?revenu={INCOME}&parts=1&date=2026-03-31");
    let called = connection.call("GET", &call, &key).unwrap();
    assert_eq!(called.json()["impot_net"], 2529);

    let row = |arrondi: &str| json!({"revenu": INCOME, "parts": "1", "date": "2026-03-31", "arrondi": arrondi});
    let rows: Vec<Value> = ["euro", "cent"]
        .iter()
        .cycle()
        .take(ROWS)
        .map(|arrondi| row(arrondi))
        .collect();
    let body = serde_json::to_vec(&rows).unwrap();
    let lot = connection
        .post("/api/v1/lot/ir", "application/json", &body, &key)
        .unwrap();
    assert_eq!(lot.status, 200, "{}", String::from_utf8_lossy(&lot.body));
    let answered: Vec<Value> = serde_json::from_slice(&lot.body).unwrap();
    assert_eq!(answered.len(), ROWS);
    assert!(
        answered
            .iter()
            .step_by(2)
            .all(|row| row["impot_net"] == 2529),
        "{}",
        answered[0]
    );

    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let accept = format!("{key}Accept: application/json, text/event-stream\r\n");
    let listed = connection
        .post(
            "/mcp",
            "application/json",
            message.to_string().as_bytes(),
            &accept,
        )
        .unwrap();
    assert_eq!(
        listed.status,
        200,
        "{}",
        String::from_utf8_lossy(&listed.body)
    );

    let page = connection
        .call("GET", &format!("/cle/confirmation?jeton={TOKEN}"), &key)
        .unwrap();
    assert!(page.status < 500, "{}", page.status);
}

/// A lot over the limit is refused as the service refuses it, in JSON.
fn refuses_what_is_too_long(proxy: SocketAddr) {
    let mut connection = connect(proxy);
    let body = vec![b' '; 2 * 1024 * 1024 + 1];
    // A front that does not read the whole body may close the connection before its answer is read.
    let answer: Option<Answer> = connection
        .post("/api/v1/lot/ir", "application/json", &body, "")
        .ok();
    if let Some(answer) = answer {
        let refused: Value = serde_json::from_slice(&answer.body).expect("JSON");
        assert_eq!(
            (answer.status, refused["code"].as_str()),
            (413, Some("lot_trop_grand")),
            "{refused}"
        );
    }
}

/// A front before a service that answers, then before one that is gone; what it has written down
/// then.
fn writes_nothing_of_callers(
    start: impl Fn(SocketAddr) -> Option<Proxy>,
    says_too_long: bool,
) -> Option<String> {
    let mut service = Service::start();
    let proxy = start(service.server.address())?;
    sends_what_is_sold(proxy.address(), &service);
    if says_too_long {
        refuses_what_is_too_long(proxy.address());
    }

    service.server.kill();
    let key = format!("X-API-Key: {}\r\n", service.key);
    let failing = format!("/api/v1/salaire?brut={INCOME}&email={EMAIL}");
    let failed = connect(proxy.address())
        .call("GET", &failing, &key)
        .unwrap();
    assert!((502..=504).contains(&failed.status), "{}", failed.status);

    eventually("the failure is written, or nothing is", || {
        let written = proxy.written();
        written.is_empty() || written.contains("502") || written.contains("dial")
    });
    let written = proxy.written();
    for secret in [
        service.key.as_str(),
        INCOME,
        TOKEN,
        EMAIL,
        "127.0.0.7",
        "revenu=",
    ] {
        assert!(!written.contains(secret), "{secret} in {written}");
    }
    Some(written)
}

#[test]
fn nginx_passes_what_is_sold_and_logs_no_caller() {
    let Some(written) = writes_nothing_of_callers(|node| Proxy::nginx(&[node]), true) else {
        return;
    };
    for path in [
        "GET /api/v1/ir 200",
        "POST /api/v1/lot/ir 200",
        "POST /mcp 200",
        "GET /api/v1/salaire 502",
    ] {
        assert!(written.contains(path), "{path} in {written}");
    }
}

#[test]
fn caddy_passes_what_is_sold_and_logs_no_caller() {
    let Some(written) = writes_nothing_of_callers(|node| Proxy::caddy(&[node]), true) else {
        return;
    };
    assert!(
        written.contains("/api/v1/salaire"),
        "the failure is logged with its path: {written}"
    );
}

#[test]
fn the_ingress_passes_what_is_sold_and_logs_no_caller() {
    let start = |node| Proxy::ingress(node, &locations());
    let Some(written) = writes_nothing_of_callers(start, false) else {
        return;
    };
    assert!(!written.contains("/api/v1"), "{written}");
}
