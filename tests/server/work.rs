//! What a caller may make the service compute: a small one of each attack of `tests/attack`.

use harness::{Answer, Connection, Server};
use serde_json::json;

const LINES: &str = "application/x-ndjson";

fn post(server: &Server, target: &str, body: &str) -> Answer {
    let mut connection = Connection::open(server.address()).unwrap();
    connection.post(target, LINES, body.as_bytes(), "").unwrap()
}

/// The answer to the only row of a batch.
fn only_row(answer: &Answer) -> serde_json::Value {
    assert_eq!((answer.status, answer.header("content-type")), (200, LINES));
    serde_json::from_slice(&answer.body).expect("a line and no more")
}

/// The answer of a tool, and its length.
fn tool(server: &Server, name: &str, arguments: serde_json::Value) -> (serde_json::Value, usize) {
    let params = json!({"name": name, "arguments": arguments});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let mut connection = Connection::open(server.address()).unwrap();
    let headers = "Accept: application/json, text/event-stream\r\n";
    let body = message.to_string();
    let answer = connection
        .post("/mcp", "application/json", body.as_bytes(), headers)
        .unwrap();
    assert_eq!(
        answer.status,
        200,
        "{}",
        String::from_utf8_lossy(&answer.body)
    );
    (
        answer.json()["result"]["structuredContent"].clone(),
        answer.body.len(),
    )
}

/// `count` names that are no fields.
fn names(count: usize) -> String {
    (0..count)
        .map(|number| format!("x{number}"))
        .collect::<Vec<_>>()
        .join(",")
}

#[test]
fn rows_beyond_the_limit_are_counted_and_not_made() {
    let server = Server::start();
    let before = server.memory();
    let refused = post(&server, "/api/v1/lot/ir", &"1\n".repeat(1_000_000));
    let problem = refused.problem(413, "lot_trop_grand");
    assert!(
        problem["detail"].as_str().unwrap().contains("1000000"),
        "{problem}"
    );
    let grown = server.memory().saturating_sub(before) / 1_024;
    assert!(grown < 64, "{grown} MB more");
}

#[test]
fn names_of_fields_are_bounded_at_every_door_and_a_refusal_with_them() {
    let server = Server::start_with(&["--mcp"]);
    let row = json!({"revenu": 30_000, "champs": names(100_000)}).to_string();
    let answer = post(&server, "/api/v1/lot/ir", &row);
    assert!(answer.body.len() < 8_192, "{} bytes", answer.body.len());
    assert_eq!(
        only_row(&answer)["erreur"]["parametres"][0]["code"],
        "trop_de_parametres"
    );

    let refused = server.get(&format!("/api/v1/ir?revenu=30000&champs={}", names(20)));
    let problem = refused.problem(400, "parametres_invalides");
    let listed = problem["parametres"].as_array().unwrap();
    assert_eq!(listed.len(), 9);
    assert!(
        listed[8]["motif"].as_str().unwrap().contains("12"),
        "{}",
        listed[8]
    );

    let (refused, length) = tool(&server, "ir", json!({"revenu": 1, "champs": names(9_000)}));
    assert_eq!(refused["parametres"][0]["code"], "trop_de_parametres");
    assert!(length < 8_192, "{length} bytes");

    let unknown: serde_json::Map<String, serde_json::Value> = (0..5_000)
        .map(|number| (format!("x{number}"), json!(1)))
        .collect();
    let (refused, length) = tool(&server, "ir", unknown.into());
    assert!(refused["autres"].as_u64().unwrap() > 200, "{refused}");
    assert!(length < 64 * 1_024, "{length} bytes");
    assert_eq!(
        server
            .get(&format!("/api/v1/ir?revenu=1&champs={}", names(600)))
            .status,
        400
    );
}

#[test]
fn the_words_of_a_search_are_bounded_and_its_index_is_made_once() {
    let server = Server::start_with(&["--mcp"]);
    let words = |count: usize| {
        let words: Vec<String> = (0..count)
            .map(|number| format!("plafond{number}"))
            .collect();
        json!({"mots": words.join(" ")})
    };
    let (refused, _) = tool(&server, "chercher", words(1_000));
    assert_eq!(refused["parametres"][0]["code"], "trop_de_parametres");
    let (found, _) = tool(
        &server,
        "chercher",
        json!({"mots": "plafond sécurité sociale"}),
    );
    assert_eq!(found["trouve"][0]["nature"], "chiffre", "{found}");

    let before = server.processor_time();
    let (again, _) = tool(
        &server,
        "chercher",
        json!({"mots": "plafond sécurité sociale"}),
    );
    let one = server.processor_time() - before;
    assert_eq!(again, found);
    assert!(
        one.as_millis() < 200,
        "{one:?} in a build that is not optimised"
    );
}

#[test]
fn pages_of_the_rules_are_made_once_and_public() {
    let server = Server::start();
    for path in [
        "/baremes/changements",
        "/baremes.atom",
        "/baremes/salaire",
        "/style.css",
    ] {
        let first = server.get(path);
        assert_eq!(first.status, 200);
        assert_eq!(
            first.header("cache-control"),
            "public, max-age=300",
            "{path}"
        );

        let before = server.processor_time();
        let headers = format!("If-None-Match: {}\r\n", first.header("etag"));
        let mut connection = Connection::open(server.address()).unwrap();
        assert_eq!(connection.call("GET", path, &headers).unwrap().status, 304);
        assert_eq!(
            connection.call("HEAD", path, "").unwrap().header("etag"),
            first.header("etag")
        );
        let again = server.processor_time() - before;
        assert!(again.as_millis() < 20, "{path}: {again:?}");
    }
    let calculated = server.get("/simulateurs/ir?revenu=30000");
    assert_eq!(calculated.header("cache-control"), "private, max-age=300");
}

#[test]
fn a_slow_body_holds_nobody_up() {
    let server = Server::start_with(&["--trusted-proxy", "127.0.0.1"]);
    let slow = |number: usize| {
        let mut connection = Connection::open(server.address()).unwrap();
        let head = format!(
            "POST /api/v1/lot/ir HTTP/1.1\r\nHost: localhost\r\nContent-Type: {LINES}\r\n\
             X-Forwarded-For: 192.0.2.{}\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n",
            number / 8
        );
        connection.send(head.as_bytes()).unwrap();
        // The service asks for a body once it has a place for it. Without waiting, the calls below
        // could take that place first.
        assert!(!connection.is_at_end().unwrap());
        connection.send(b"{").unwrap();
        connection
    };
    let held: Vec<Connection> = (0..40).map(slow).collect();
    let one = "{\"revenu\": 30000}\n";
    let sent = |address: &str| {
        let mut connection = Connection::open(server.address()).unwrap();
        let headers = format!("X-Forwarded-For: {address}\r\n");
        connection
            .post("/api/v1/lot/ir", LINES, one.as_bytes(), &headers)
            .unwrap()
    };
    // The first caller has eight of them, and may have no more.
    sent("192.0.2.0").problem(503, "trop_de_lots");
    assert_eq!(sent("192.0.2.200").status, 200);
    drop(held);
    harness::eventually("it may send again", || sent("192.0.2.0").status == 200);
}

#[test]
fn a_calculation_for_a_result_says_what_is_left_of_the_budget() {
    let server = Server::start();
    let answer = server.get("/api/v1/salaire?cout=3500");
    let left = answer
        .header("ratelimit")
        .split("\"travail\";r=")
        .nth(1)
        .unwrap();
    let left: u32 = left.split(';').next().unwrap().parse().unwrap();
    assert!(left < 1_200_000, "{left}");
    let plain = server.get("/api/v1/salaire?brut=3500");
    let has = plain
        .headers
        .iter()
        .any(|(_, text)| text.contains("travail"));
    assert!(!has, "an ordinary call has the fields that it had");
}

#[test]
fn a_calculation_whose_law_searches_is_charged_as_a_search() {
    let server = Server::start();
    // Of a whole budget, which is whole again a moment after each.
    let charged = |answer: Answer| -> u32 {
        assert_eq!(answer.status, 200);
        let left = answer.header("ratelimit").split("\"travail\";r=").nth(1);
        let left = left.and_then(|left| left.split(';').next()).unwrap();
        std::thread::sleep(std::time::Duration::from_secs(1));
        1_200_000 - left.parse::<u32>().unwrap()
    };
    // A pay is looked for in each call, and in each row of a batch, as it is for a cost.
    let search = charged(server.get("/api/v1/salaire?cout=3500"));
    let single = charged(server.get("/api/v1/statuts?ca=60000&activite=vente"));
    assert!(single >= search, "{single} {search}");

    let plain = "{\"revenu\": 30000}\n".repeat(100);
    let plain = charged(post(&server, "/api/v1/lot/ir", &plain));
    let rows = "{\"ca\": 60000, \"activite\": \"vente\"}\n".repeat(100);
    let searching = charged(post(&server, "/api/v1/lot/statuts", &rows));
    assert!(
        plain <= 400 && searching >= 100 * single,
        "{plain} {searching}"
    );
}
