//! Tests of the Model Context Protocol with its reference implementations: a client from PyPI, the
//! inspector and the conformance suite from npm; over standard input and output, and over HTTP with
//! keys and quotas.

#![cfg(test)]

use std::path::PathBuf;
use std::process::Command;

use harness::{Answer, Connection, Rules, Server, built, repository};
use serde_json::{Value, json};

/// Path where `tests/run` installs the programs of PyPI and npm.
const PYTHON: &str = "target/assistant-python/bin/python";
const NODE: &str = "target/assistant/node_modules/.bin";

/// The scenarios of the conformance suite that any server can run; the others call tools made for
/// the suite.
const SCENARIOS: [&str; 5] = [
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "dns-rebinding-protection",
];

/// The path of a program of the tests; `None` where it is not installed, unless all tests must run.
fn installed(path: &str) -> Option<PathBuf> {
    let path = repository().join(path);
    if path.exists() {
        return Some(path);
    }
    assert!(
        std::env::var_os("CI").is_none(),
        "{} is missing: `tests/run` installs it",
        path.display()
    );
    eprintln!("skipped: {} is not installed", path.display());
    None
}

/// Runs a program to its end, and returns what it printed.
fn run(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    let said =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(
        output.status.success(),
        "{command:?}\n{}\n{}",
        said[0],
        said[1]
    );
    said[0].clone()
}

/// A program of npm, run by the Node that it is installed with.
fn node(program: &str, arguments: &[&str]) -> Option<String> {
    let folder = installed(NODE)?;
    let path = format!(
        "{}:{}",
        folder.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    Some(run(Command::new(folder.join(program))
        .args(arguments)
        .env("PATH", path)
        .current_dir(folder.join("../.."))))
}

fn served() -> (Rules, Server, String) {
    let rules = Rules::copy();
    let server = Server::with(&rules.root(), &["--mcp", "--date", "2026-11-24"]);
    let address = format!("http://{}/mcp", server.address());
    (rules, server, address)
}

/// Sends a message, and returns the answer.
fn send(server: &Server, message: &Value, headers: &str) -> Answer {
    let accepted = format!("Accept: application/json, text/event-stream\r\n{headers}");
    let mut connection = Connection::open(server.address()).unwrap();
    connection
        .post(
            "/mcp",
            "application/json",
            message.to_string().as_bytes(),
            &accepted,
        )
        .unwrap()
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

#[test]
fn the_questions_are_answered_over_the_standard_input() {
    let Some(python) = installed(PYTHON) else {
        return;
    };
    let (client, rules) = (
        repository().join("tests/assistant-python/client.py"),
        repository().join("rules"),
    );
    let program = built("bareme");
    let asked = Command::new(python)
        .arg(client)
        .arg(program)
        .args(["mcp", "--date", "2026-11-24", "--rules"])
        .arg(rules)
        .output();
    let asked = asked.expect("Python starts");
    let said = String::from_utf8_lossy(&asked.stdout).into_owned();
    assert!(
        asked.status.success() && said.starts_with("300 of 300 right"),
        "{said}\n{}",
        String::from_utf8_lossy(&asked.stderr)
    );
}

#[test]
fn the_inspector_and_the_conformance_suite_find_nothing_wrong() {
    let (_rules, _server, address) = served();
    let inspect = |arguments: &[&str]| {
        node(
            "mcp-inspector",
            &[&["--cli", address.as_str()], arguments].concat(),
        )
    };
    let Some(listed) = inspect(&["--method", "tools/list", "--strict"]) else {
        return;
    };
    let tools: Value =
        serde_json::from_str(&listed).unwrap_or_else(|error| panic!("{error}: {listed}"));
    assert!(tools["tools"].as_array().unwrap().len() > 20, "{listed}");
    let asked = [
        "--method",
        "tools/call",
        "--tool-name",
        "ir",
        "--tool-arg",
        "revenu=30000",
        "date=2026-03-31",
    ];
    let answer = inspect(&asked).unwrap();
    assert!(answer.contains("\"impot_net\": 2104"), "{answer}");
    for scenario in SCENARIOS {
        let said = node(
            "conformance",
            &["server", "--url", &address, "--scenario", scenario],
        )
        .unwrap();
        assert!(
            said.contains("Passed") || said.contains("passed"),
            "{scenario}: {said}"
        );
    }
}

#[test]
fn a_calculation_is_charged_and_a_list_is_not() {
    let (rules, service) = (
        Rules::small(),
        "calls_per_day: 1 000, calls_per_address: 2 000",
    );
    rules.replace(
        "service.yaml",
        service,
        "calls_per_day: 2, calls_per_address: 2 000",
    );
    let server = Server::with(&rules.root(), &["--mcp", "--date", "2026-11-24"]);
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let search = call("chercher", json!({"mots": "plafond"}));
    for message in [&list, &search, &list, &search] {
        assert!(send(&server, message, "").json()["result"].is_object());
    }
    let calculate = call("tva", json!({"montant": 100, "date": "2026-03-31"}));
    for _ in 0..2 {
        let answer = send(&server, &calculate, "");
        assert_eq!(
            answer.json()["result"]["structuredContent"]["reponse"]["ttc"],
            120
        );
        assert!(answer.has("ratelimit"));
    }
    send(&server, &calculate, "").problem(429, "quota_depasse");
    assert!(send(&server, &list, "").json()["result"].is_object());
    send(&server, &list, "X-API-Key: bma_wrong\r\n").problem(401, "cle_refusee");
}

#[test]
fn what_is_no_message_is_refused() {
    let (_rules, server, _) = served();
    server.get("/mcp").problem(405, "methode_refusee");
    let long = call("tva", json!({"montant": "9".repeat(70_000)}));
    send(&server, &long, "").problem(413, "message_trop_long");
    let unknown = send(&server, &call("inconnu", json!({})), "").json();
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let refused = send(&server, &call("tva", json!({"montant": "cent"})), "").json();
    assert_eq!(refused["result"]["isError"], true);
    assert_eq!(
        refused["result"]["structuredContent"]["parametres"][0]["code"],
        "format"
    );
    let without = Server::start();
    without.get("/mcp").problem(404, "adresse_inconnue");
}
