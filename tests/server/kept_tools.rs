//! Tools of an assistant by the law that a call names: the answers of the interface by that law,
//! the same for ever, and the same refusals.

use harness::{Answer, Connection, Rules, Server};
use serde_json::{Value, json};

use crate::kept::{kept, started_with};

const FILE: &str = "ir/2026-01-01.yaml";
const RIGHT: &str = "{up_to: 29 579, ";
const WRONG: &str = "{up_to: 29 679, ";

const IR: &str = "/api/v1/ir?revenu=40000&date=2026-06-30";

/// Sends a call of a tool.
fn sent(server: &Server, tool: &str, arguments: &Value) -> Answer {
    let params = json!({"name": tool, "arguments": arguments});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let mut connection = Connection::open(server.address()).unwrap();
    let headers = "Accept: application/json, text/event-stream\r\n";
    let body = message.to_string();
    let answer = connection.post("/mcp", "application/json", body.as_bytes(), headers);
    answer.unwrap()
}

/// The members of the answer of a tool.
fn called(server: &Server, tool: &str, arguments: &Value) -> Value {
    let answer = sent(server, tool, arguments);
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()["result"]["structuredContent"].clone()
}

/// The arguments of every tool that calculates, by a law.
fn calls(law: &Value) -> Vec<(&'static str, Value)> {
    let with = |mut parameters: Value| {
        let named = law.as_object().unwrap().clone();
        parameters.as_object_mut().unwrap().extend(named);
        parameters
    };
    let income = || with(json!({"revenu": 40000, "date": "2026-06-30"}));
    let whole = with(json!({"revenu": 40000, "date": "2026-06-30", "detail": true}));
    let explained = json!({"calcul": "ir", "parametres": income(), "detail": true});
    let other = json!({"calcul": "ir", "parametres": income(), "avec": {"revenu": 50000}});
    vec![("ir", whole), ("expliquer", explained), ("comparer", other)]
}

#[test]
fn a_tool_answers_by_the_law_that_it_names_as_the_interface_does() {
    let rules = Rules::copy().without_cases();
    let server = started_with(&rules, "2026-07-01", &["--mcp"]);
    kept(&server, 1);

    // 1. The law in force, named or not: the same answer, but for its link.
    let answer = server.get(&format!("{IR}&detail=true"));
    let first = answer.json()["version"].as_str().unwrap().to_owned();
    let by_first = json!({"version": first});
    let answered = |server: &Server, law: &Value| -> Vec<String> {
        let answers = calls(law).into_iter();
        let answers = answers.map(|(tool, arguments)| sent(server, tool, &arguments));
        answers
            .map(|answer| String::from_utf8(answer.body).unwrap())
            .collect()
    };
    let before = answered(&server, &by_first);
    let mut plain = called(&server, "ir", &calls(&json!({}))[0].1);
    let mut named = called(&server, "ir", &calls(&by_first)[0].1);
    let links = [&mut plain, &mut named].map(|answer| answer["lien"].take());
    assert_eq!(plain, named);
    assert_eq!(plain["version"], first.as_str());
    assert!(links[0].as_str().unwrap().contains("/simulateurs/ir?"));

    // 2. After a correction, by the version and by the day: byte for byte what was answered.
    rules.replace(FILE, RIGHT, WRONG);
    kept(&server, 2);
    assert_eq!(answered(&server, &by_first), before);
    let second = server.get(IR).json();
    let second_version = second["version"].as_str().unwrap();
    assert_ne!(second_version, first);
    drop(server);
    rules.replace("ir/2025-01-01.yaml", "{up_to: 29 315, ", "{up_to: 29 316, ");
    let server = started_with(&rules, "2026-08-15", &["--mcp"]);
    kept(&server, 3);
    assert_eq!(answered(&server, &by_first), before);

    // 3. The amounts are those of the interface, and so are those of the link.
    let interface = server.get(&format!("{IR}&version={first}")).json();
    assert_ne!(interface["impot_net"], second["impot_net"]);
    let tool = called(&server, "ir", &calls(&by_first)[0].1);
    for (name, value) in tool["reponse"].as_object().unwrap() {
        assert_eq!(value, &interface[name], "{name}");
    }
    let link = tool["lien"].as_str().unwrap();
    let path = link.find("/api/v1/").map(|place| &link[place..]).unwrap();
    assert_eq!(server.get(path).json()["impot_net"], interface["impot_net"]);
    let known = called(
        &server,
        "ir",
        &calls(&json!({"connu_le": "2026-07-01"}))[0].1,
    );
    assert_eq!(known["version"], second_version);
    assert_eq!(known["reponse"]["impot_net"], second["impot_net"]);

    // 4. Two laws side by side: what the correction moved.
    let day = json!({"revenu": 40000, "date": "2026-06-30", "version": first});
    let other = json!({"version": second_version});
    let arguments = json!({"calcul": "ir", "parametres": day, "avec": other, "detail": true});
    let compared = called(&server, "comparer", &arguments);
    assert_eq!(compared["premier"]["version"], first.as_str());
    assert_eq!(compared["second"]["version"], second_version);
    let amount = |answer: &Value| answer["impot_net"].as_f64().unwrap();
    let moved = amount(&second) - amount(&interface);
    let differences = compared["ecarts"].as_array().unwrap();
    let of_tax = differences.iter().find(|one| one["champ"] == "impot_net");
    assert_eq!(of_tax.unwrap()["ecart"].as_f64(), Some(moved));
}

#[test]
fn an_inverse_is_searched_in_the_law_that_it_names() {
    let rules = Rules::copy().without_cases();
    let server = started_with(&rules, "2026-07-01", &["--mcp"]);
    kept(&server, 1);

    let path = "/api/v1/salaire-net/ma?net=9000&date=2026-06-30";
    let first = server.get(path).json();
    let parameters = json!({"pays": "ma", "date": "2026-06-30", "version": first["version"]});
    let arguments = json!({"calcul": "salaire-net", "parametres": parameters, "montant": 9000});
    let before = sent(&server, "inverse", &arguments).body;

    rules.replace(
        "salaire-net/ma/2026-01-01.yaml",
        "cnss: {rate: 4.48%",
        "cnss: {rate: 5.48%",
    );
    kept(&server, 2);
    let second = server.get(path).json();
    assert_ne!(second["brut_mensuel"], first["brut_mensuel"]);
    let answer = called(&server, "inverse", &arguments);
    assert_eq!(answer["trouve"]["brut"], first["brut_mensuel"]);
    assert!(sent(&server, "inverse", &arguments).body == before);
}

#[test]
fn a_law_that_is_not_kept_is_refused_with_those_that_are() {
    let rules = Rules::copy().without_cases();
    let server = started_with(&rules, "2026-07-01", &["--mcp"]);
    kept(&server, 1);
    rules.replace(FILE, RIGHT, WRONG);
    kept(&server, 2);

    // 1. The members of the problem of the interface.
    let unknown = json!({"version": "0123456789abcdef"});
    let problem = server.get(&format!("{IR}&version=0123456789abcdef"));
    let problem = problem.problem(404, "version_inconnue");
    for (tool, arguments) in calls(&unknown) {
        let answer = sent(&server, tool, &arguments);
        let refused = answer.json()["result"].clone();
        assert_eq!(refused["isError"], true, "{tool}: {refused}");
        let members = &refused["structuredContent"];
        for name in ["code", "detail", "versions", "conservees_depuis"] {
            assert_eq!(members[name], problem[name], "{tool}: {name}");
        }
        assert_eq!(members["versions"].as_array().unwrap().len(), 2);
    }

    // 2. A day before the first set, a day that is none, a law of another day.
    let before = called(
        &server,
        "ir",
        &calls(&json!({"connu_le": "2026-06-30"}))[0].1,
    );
    assert_eq!(before["code"], "version_inconnue");
    let no_day = called(
        &server,
        "ir",
        &calls(&json!({"connu_le": "2026-06-31"}))[0].1,
    );
    assert_eq!(no_day["parametres"][0]["nom"], "connu_le");
    let other = server.get("/api/v1/ir?revenu=40000&date=2024-06-30").json();
    let other = json!({"version": other["version"]});
    let refused = called(&server, "ir", &calls(&other)[0].1);
    assert_eq!(refused["parametres"][0]["nom"], "version");

    // 3. The tools name both parameters.
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let mut connection = Connection::open(server.address()).unwrap();
    let headers = "Accept: application/json, text/event-stream\r\n";
    let body = message.to_string();
    let answer = connection.post("/mcp", "application/json", body.as_bytes(), headers);
    let list = answer.unwrap().json();
    let tools = list["result"]["tools"].as_array().unwrap();
    let ir = tools.iter().find(|tool| tool["name"] == "ir").unwrap();
    let properties = &ir["inputSchema"]["properties"];
    assert!(properties["version"].is_object() && properties["connu_le"].is_object());
}

#[test]
fn a_law_that_is_not_kept_is_no_call_of_the_quota() {
    let rules = Rules::small();
    let quota = "calls_per_day: 1 000, calls_per_address: 2 000";
    let two = "calls_per_day: 2, calls_per_address: 2 000";
    rules.replace("service.yaml", quota, two);
    let server = started_with(&rules, "2026-07-01", &["--mcp"]);
    kept(&server, 1);

    let unknown = &calls(&json!({"version": "0123456789abcdef"}))[0].1;
    for _ in 0..3 {
        assert_eq!(called(&server, "ir", unknown)["code"], "version_inconnue");
    }
    let known = &calls(&json!({"connu_le": "2026-07-01"}))[0].1;
    for _ in 0..2 {
        assert!(called(&server, "ir", known)["reponse"].is_object());
    }
    sent(&server, "ir", known).problem(429, "quota_depasse");
}
