//! What the dearest request of each door costs, in ordinary calls: the table of `server/README.md`,
//! measured.

use std::time::Duration;

use harness::{Connection, Server, repository};
use serde_json::{Value, json};

use crate::Effort;
use crate::customer::{MCP_HEADERS, key, limits};

/// Marks around the table in the manual.
const MARKS: [&str; 2] = ["<!-- costs -->", "<!-- end -->"];

/// Time between two requests.
const PAUSE: Duration = Duration::from_millis(2);

/// Ordinary calls that a request may cost without being charged as such.
const MOST: u128 = 100;

/// Rows on either side of one whose ordinary calls count for it.
const NEIGHBOURS: usize = 3;

/// A row of the table.
struct Row {
    cells: Vec<String>,
    /// What is charged.
    charged: u128,
    dearest: String,
}

/// Measures each row, and prints the table with what was found.
pub(crate) fn costs(effort: Effort) -> String {
    let (place, server) = limits();
    let key = key(place.path());
    // The first calls warm all up.
    ordinary(&server, &key);
    let rows = rows();
    let measures: Vec<Measure> = rows
        .iter()
        .map(|row| measure(row, &server, &key, effort))
        .collect();

    let mut failed = Vec::new();
    for (position, (row, measure)) in rows.iter().zip(&measures).enumerate() {
        let base = base_near(&measures, position);
        let cost = (measure.own.as_nanos() * 10).div_ceil(base.as_nanos());
        println!(
            "| {} | {}.{} | {} µs",
            row.cells.join(" | "),
            cost / 10,
            cost % 10,
            base.as_micros()
        );
        if cost > MOST * 10 && cost > row.charged * 15 {
            let (door, charged) = (&row.cells[0], row.charged);
            failed.push(format!("{door}: {} instead of {charged}", cost / 10));
        }
    }
    assert!(failed.is_empty(), "charged too little: {failed:#?}");
    let base = median(measures.iter().map(|measure| measure.base));
    format!(
        "{} doors, an ordinary call takes {} µs",
        rows.len(),
        base.as_micros()
    )
}

/// Processor time of the dearest request of a row, and of ordinary calls around it.
struct Measure {
    own: Duration,
    base: Duration,
}

fn measure(row: &Row, server: &Server, key: &str, effort: Effort) -> Measure {
    // What is made at the first request is charged then, by a row of its own.
    let count = if row.cells[0].contains("first time") {
        1
    } else {
        measured(server, key, &row.dearest, 1);
        effort.of(12, 4)
    };

    let before = ordinary(server, key);
    let own = measured(server, key, &row.dearest, count);
    let base = (before + ordinary(server, key)) / 2;
    Measure { own, base }
}

/// Processor time of an ordinary call while a row was measured: the speed of a shared machine drifts
/// over minutes, so that only neighbouring rows count, and an ordinary call, being short, costs half
/// where the processor happens to be warm, so that it is their median.
fn base_near(measures: &[Measure], position: usize) -> Duration {
    let first = position.saturating_sub(NEIGHBOURS);
    let near = measures.iter().skip(first).take(2 * NEIGHBOURS + 1);
    median(near.map(|measure| measure.base))
}

fn median(times: impl Iterator<Item = Duration>) -> Duration {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    times[times.len() / 2]
}

fn rows() -> Vec<Row> {
    let manual = std::fs::read_to_string(repository().join("server/README.md")).unwrap();
    let (_, rest) = manual
        .split_once(MARKS[0])
        .expect("the mark of the beginning");
    let (table, _) = rest.split_once(MARKS[1]).expect("the mark of the end");
    let row = |line: &str| {
        let cells: Vec<String> = line
            .trim_matches('|')
            .split(" | ")
            .map(|cell| cell.trim().to_owned())
            .collect();
        let charged = cells[1].parse().ok()?;
        let dearest = cells[3].trim_matches('`').to_owned();
        Some(Row {
            cells: cells[..4].to_vec(),
            charged,
            dearest,
        })
    };
    table
        .lines()
        .filter(|line| line.starts_with("| "))
        .filter_map(row)
        .collect()
}

/// Processor time of an ordinary call, one after the other, each another.
fn ordinary(server: &Server, key: &str) -> Duration {
    measured(server, key, "GET /api/v1/ir?revenu=4{n}", 400)
}

/// Processor time of a request.
fn measured(server: &Server, key: &str, request: &str, count: u32) -> Duration {
    let mut connection = Connection::open(server.address()).unwrap();
    let before = server.processor_time();
    for n in 0..count {
        let request = request.replace("{n}", &(1_000 + n * 7).to_string());
        send(&mut connection, &request, key);
        // Calls come one by one: each wakes the service, which costs what it costs a customer.
        std::thread::sleep(PAUSE);
    }
    // A thread that ends takes its time with it.
    server.processor_time().saturating_sub(before) / count
}

/// Sends a request as the table writes it.
fn send(connection: &mut Connection, request: &str, key: &str) {
    let headers = format!("X-API-Key: {key}\r\n");
    let answer = if let Some(target) = request.strip_prefix("GET ") {
        // Pages take no key, and count for the address.
        let headers = if target.starts_with("/api/") {
            headers.as_str()
        } else {
            ""
        };
        connection.call("GET", target, headers)
    } else if let Some(message) = request.strip_prefix("MCP ") {
        let headers = format!("{MCP_HEADERS}{headers}");
        let body = message_of(message).to_string();
        connection.post("/mcp", "application/json", body.as_bytes(), &headers)
    } else {
        let body = "1\n".repeat(1_000_000);
        let target = request.split(' ').nth(1).unwrap();
        connection.post(target, "application/x-ndjson", body.as_bytes(), &headers)
    };
    let answer = answer.unwrap_or_else(|error| panic!("{error}: {request}"));
    assert!(
        matches!(answer.status, 200 | 413),
        "{} to {request}",
        answer.status
    );
}

/// The message that the table abridges: a method, or a call of a tool with its arguments.
fn message_of(text: &str) -> Value {
    let (method, rest) = text.split_once(' ').unwrap_or((text, ""));
    let params = match method {
        "initialize" => json!({
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "a", "version": "1"},
        }),
        "tools/call" => {
            let (name, arguments) = rest.split_once(' ').unwrap();
            json!({"name": name, "arguments": serde_json::from_str::<Value>(arguments).unwrap()})
        }
        _ => json!({}),
    };
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}
