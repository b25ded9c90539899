//! A number has the same digits at every door: GET, the rows of a batch, the tools of assistants.

use harness::{Connection, Server};
use serde_json::Value;

fn post(server: &Server, target: &str, media: &str, body: &str) -> String {
    let accept = "Accept: application/json, text/event-stream\r\n";
    let answer = Connection::open(server.address())
        .unwrap()
        .post(target, media, body.as_bytes(), accept)
        .unwrap();
    assert_eq!(answer.status, 200, "{answer:?}");
    String::from_utf8(answer.body).unwrap()
}

/// The text of the first number after a name.
fn number(text: &str, name: &str) -> String {
    let (_, rest) = text
        .split_once(&format!("\"{name}\":"))
        .unwrap_or_else(|| panic!("no {name} in {text}"));
    let is_of_number = |sign: char| sign.is_ascii_digit() || matches!(sign, '.' | '-' | '"');
    rest.chars()
        .take_while(|sign| is_of_number(*sign))
        .collect::<String>()
        .replace('"', "")
}

/// The reason for which a number is refused.
fn refused(text: &str) -> String {
    let (_, rest) = text
        .split_once("\"motif\":")
        .unwrap_or_else(|| panic!("not refused: {text}"));
    rest.split('"').nth(1).unwrap().to_owned()
}

fn doors(server: &Server, amount: &str) -> [String; 4] {
    let get = server.get(&format!("/api/v1/tva?montant={amount}&sens=ttc"));
    let row = format!("{{\"montant\": {amount}, \"sens\": \"ttc\"}}");
    let call = format!(
        "{{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\", \
         \"params\": {{\"name\": \"tva\", \"arguments\": {row}}}}}"
    );
    [
        String::from_utf8(get.body).unwrap(),
        post(
            server,
            "/api/v1/lot/tva",
            "application/json",
            &format!("[{row}]"),
        ),
        post(server, "/api/v1/lot/tva", "application/x-ndjson", &row),
        post(server, "/mcp", "application/json", &call),
    ]
}

#[test]
fn a_number_of_many_digits_is_the_same_amount_at_every_door() {
    let server = Server::start_with(&["--mcp"]);
    // Held in binary, the second and the third would be half a cent more.
    for (amount, total) in [
        ("100.10", "100.1"),
        ("999999999999.004999999999999", "999999999999"),
        ("1.004999999999999", "1"),
        ("120", "120"),
    ] {
        let [get, array, lines, assistant] = doors(&server, amount);
        let expected = number(&get, "ht");
        assert!(!expected.is_empty(), "{get}");
        assert_eq!(number(&get, "ttc"), total, "{amount}");
        for other in [array, lines, assistant] {
            assert_eq!(
                (number(&other, "ht"), number(&other, "ttc")),
                (expected.clone(), total.to_owned()),
                "{amount}: {other}"
            );
        }
    }
}

#[test]
fn a_number_that_is_refused_is_refused_alike_at_every_door() {
    let server = Server::start_with(&["--mcp"]);
    for amount in [
        "1.004999999999999999999999999999",
        "1234567890123456789012345678901",
        "1e3",
        "1E-2",
    ] {
        let [get, others @ ..] = doors(&server, amount);
        for other in others {
            assert_eq!(refused(&other), refused(&get), "{amount}: {other}");
        }
    }
    let body: Value = serde_json::from_str(&doors(&server, "1e3")[0]).unwrap();
    assert_eq!(body["parametres"][0]["code"], "format");
}
