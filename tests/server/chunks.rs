//! Bodies in chunks (`Transfer-Encoding: chunked`), as clients of .NET and Java send them.

use harness::{Answer, Connection, Server};
use serde_json::{Value, json};

/// Sends a body in chunks of a length.
fn post(server: &Server, target: &str, media: &str, body: &str, length: usize) -> Answer {
    let mut connection = Connection::open(server.address()).unwrap();
    let head = format!(
        "POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {media}\r\n\
         Accept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    connection.send(head.as_bytes()).unwrap();
    for chunk in body.as_bytes().chunks(length) {
        let size = format!("{:x}\r\n", chunk.len());
        // A body that is too long is refused before its end.
        if connection
            .send(&[size.as_bytes(), chunk, b"\r\n"].concat())
            .is_err()
        {
            break;
        }
    }
    drop(connection.send(b"0\r\n\r\n"));
    let answer = connection.receive(false).unwrap();
    assert_eq!(answer.header("connection"), "close");
    assert!(connection.is_closed());
    answer
}

#[test]
fn a_batch_in_chunks_has_the_answer_of_one_with_its_length() {
    let server = Server::start();
    let body = r#"[{"id": "a", "revenu": 30000}, {"id": "b", "revenu": -1}]"#;
    let whole = Connection::open(server.address())
        .unwrap()
        .post("/api/v1/lot/ir", "application/json", body.as_bytes(), "")
        .unwrap();
    assert_eq!(
        (whole.status, &whole.json()[0]["impot_net"]),
        (200, &json!(2104))
    );
    for length in [1, 7, 1000] {
        let chunks = post(&server, "/api/v1/lot/ir", "application/json", body, length);
        assert_eq!(
            (chunks.status, chunks.json()),
            (200, whole.json()),
            "{length}"
        );
    }
}

#[test]
fn a_body_in_chunks_is_bounded_as_it_is_read() {
    let server = Server::start();
    let long = format!("[{}]", " ".repeat(2 * 1024 * 1024));
    post(
        &server,
        "/api/v1/lot/ir",
        "application/json",
        &long,
        64 * 1024,
    )
    .problem(413, "lot_trop_grand");
    let good = post(
        &server,
        "/api/v1/lot/ir",
        "application/json",
        "[{\"revenu\": 30000}]",
        5,
    );
    assert_eq!(good.json()[0]["impot_net"], 2104);
}

#[test]
fn a_message_of_an_assistant_may_come_in_chunks() {
    let server = Server::start_with(&["--mcp"]);
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "ir", "arguments": {"revenu": 30000}},
    });
    let answer = post(&server, "/mcp", "application/json", &call.to_string(), 11);
    assert_eq!(answer.status, 200, "{answer:?}");
    let body: Value = answer.json();
    assert_eq!(
        body["result"]["structuredContent"]["reponse"]["impot_net"], 2104,
        "{body}"
    );

    let long = format!("{}{}", " ".repeat(70_000), call);
    post(&server, "/mcp", "application/json", &long, 8192).problem(413, "message_trop_long");
}
