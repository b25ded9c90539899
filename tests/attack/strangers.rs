//! What strangers, or another customer, make the service compute or keep.

use std::io::{self, ErrorKind};
use std::thread;
use std::time::Duration;

use harness::{Answer, Connection};
use serde_json::json;

use crate::Effort;
use crate::customer::{Attacked, MCP_HEADERS, beside, key, limits};

const LINES: &str = "application/x-ndjson";

/// Time between two requests of an attacker: what is measured is the service, not this machine.
const PAUSE: Duration = Duration::from_millis(20);

/// The header by which an attacker has an address of its own.
fn from(number: usize) -> String {
    format!("X-Forwarded-For: 192.0.2.{number}\r\n")
}

/// Whether an attacker is answered or refused as it should be; never by a fault. A request that is
/// refused before all of it was read ends with its connection.
fn expect(answer: io::Result<Answer>, known: &[u16]) -> Option<Answer> {
    let answer = match answer {
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::BrokenPipe | ErrorKind::ConnectionReset
            ) =>
        {
            return None;
        }
        answer => answer.unwrap(),
    };
    let text = String::from_utf8_lossy(&answer.body);
    let shown: String = text.chars().take(300).collect();
    assert!(known.contains(&answer.status), "{}: {shown}", answer.status);
    Some(answer)
}

/// Batches of a million rows of one letter.
pub(crate) fn rows(effort: Effort) -> String {
    let body = "1\n".repeat(1_000_000);
    beside(effort, 2, |Attacked { server, .. }, number| {
        let mut connection = Connection::open(server.address()).unwrap();
        let answer = connection.post("/api/v1/lot/ir", LINES, body.as_bytes(), &from(number));
        expect(answer, &[413, 429]);
        thread::sleep(PAUSE);
    })
}

/// Names of fields by the hundred thousand, at every door.
pub(crate) fn fields(effort: Effort) -> String {
    let names: Vec<String> = (0..100_000).map(|number| format!("x{number}")).collect();
    let row = format!("{}\n", json!({"revenu": 30_000, "champs": names.join(",")}));
    let query = names[..700].join(",");
    let tool = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "ir", "arguments": {"revenu": 30_000, "champs": names[..9_000].join(",")}},
    });
    let tool = tool.to_string();
    beside(effort, 3, |Attacked { server, .. }, number| {
        let headers = from(number);
        let mut connection = Connection::open(server.address()).unwrap();
        let answer = match number {
            0 => connection.post("/api/v1/lot/ir", LINES, row.as_bytes(), &headers),
            1 => connection.call(
                "GET",
                &format!("/api/v1/ir?revenu=1&champs={query}"),
                &headers,
            ),
            _ => {
                let headers = format!("{MCP_HEADERS}{headers}");
                connection.post("/mcp", "application/json", tool.as_bytes(), &headers)
            }
        };
        let answer = expect(answer, &[200, 400, 429]);
        let length = answer.map_or(0, |answer| answer.body.len());
        assert!(length < 64 * 1024, "{length} bytes");
        thread::sleep(PAUSE);
    })
}

/// Searches for a thousand words, and for as many as are allowed.
pub(crate) fn words(effort: Effort) -> String {
    let words = |count: usize, number: usize| {
        let words: Vec<String> = (0..count)
            .map(|word| format!("taux{word}x{number}"))
            .collect();
        let search = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "chercher", "arguments": {"mots": words.join(" ")}},
        });
        search.to_string()
    };
    beside(effort, 4, |Attacked { server, .. }, number| {
        let headers = format!("{MCP_HEADERS}{}", from(number));
        let body = words(if number == 0 { 1_000 } else { 16 }, number);
        let mut connection = Connection::open(server.address()).unwrap();
        let answer = connection.post("/mcp", "application/json", body.as_bytes(), &headers);
        expect(answer, &[200, 429]);
        assert_eq!(server.get("/livez").status, 200);
        thread::sleep(PAUSE);
    })
}

/// Pages and files of the site, again and again.
pub(crate) fn pages(effort: Effort) -> String {
    const ASKED: [(&str, &str); 7] = [
        ("GET", "/baremes/changements"),
        ("HEAD", "/baremes.atom"),
        ("GET", "/baremes/salaire"),
        ("GET", "/simulateurs/salaire.csv?cout=4000&employeur=true"),
        ("GET", "/comparer?montant=3000&point-de-depart=cout"),
        ("GET", "/simulateurs/salaire?brut=3000"),
        ("GET", "/simulateurs/salaire.png?brut=3000"),
    ];
    beside(effort, ASKED.len(), |Attacked { server, .. }, number| {
        let (method, target) = ASKED[number];
        let mut connection = Connection::open(server.address()).unwrap();
        let known = connection.call(method, target, &from(number));
        let known = expect(known, &[200, 429]);
        if let Some(known) = known.filter(|known| known.status == 200) {
            let headers = format!(
                "{}If-None-Match: {}\r\n",
                from(number),
                known.header("etag")
            );
            expect(connection.call("GET", target, &headers), &[304, 429]);
        }
        thread::sleep(PAUSE);
    })
}

/// Bodies of batches of which one byte arrives: the batches of the customer are answered.
pub(crate) fn bodies(_: Effort) -> String {
    let (place, server) = limits();
    let key = key(place.path());
    let head = |number: usize| {
        format!(
            "POST /api/v1/lot/ir HTTP/1.1\r\nHost: localhost\r\nContent-Type: {LINES}\r\n{}\
             Content-Length: 100000\r\nExpect: 100-continue\r\n\r\n",
            from(number)
        )
    };
    let open = |number: usize| {
        let mut connection = Connection::open(server.address()).unwrap();
        connection.send(head(number).as_bytes()).unwrap();
        // The service asks for a body once it has a place for it.
        assert!(!connection.is_at_end().unwrap());
        connection.send(b"{").unwrap();
        connection
    };
    let held: Vec<Connection> = (0..64).map(|number| open(number / 4)).collect();

    let row = b"{\"revenu\": 30000}\n";
    let mut connection = Connection::open(server.address()).unwrap();
    for headers in [format!("X-API-Key: {key}\r\n"), from(99)] {
        let answer = connection.post("/api/v1/lot/ir", LINES, row, &headers);
        expect(answer, &[200]).expect("the batch is answered");
    }
    // A caller who has as many as it may is refused, and nobody else.
    let full: Vec<Connection> = (0..8).map(|_| open(100)).collect();
    let refused = connection
        .post("/api/v1/lot/ir", LINES, row, &from(100))
        .unwrap();
    assert_eq!(refused.json()["code"], "trop_de_lots");
    let memory = server.memory() / 1024;
    assert!(memory < 256, "{memory} MB");
    format!(
        "{} slow bodies hold nobody up, {memory} MB",
        held.len() + full.len()
    )
}

/// One key that asks for nothing but inverse calculations.
pub(crate) fn inverses(effort: Effort) -> String {
    beside(effort, 4, |Attacked { server, key }, number| {
        let headers = format!("X-API-Key: {key}\r\n");
        let mut connection = Connection::open(server.address()).unwrap();
        for cost in 0..20 {
            let target = format!("/api/v1/salaire?cout={}", 3_000 + cost * 13 + number);
            expect(connection.call("GET", &target, &headers), &[200, 429]);
        }
    })
}
