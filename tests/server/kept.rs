//! Rule sets that came into force are kept: an answer can be had again by the version that it
//! names, or as the rules were known on a day, whatever was corrected since.

use std::collections::BTreeMap;

use harness::{Answer, Connection, Rules, Server};
use serde_json::{Value, json};

/// Calculations that the corrected figure moves, one that it does not, and a year of pays.
const CALLS: [&str; 5] = [
    "/api/v1/ir?revenu=40000&date=2026-06-30&detail=true",
    "/api/v1/dividendes?dividendes=10000&autres_revenus=40000&date=2026-06-30",
    "/api/v1/foyer?salaire=40000&date=2026-06-30",
    "/api/v1/salaire-net?pays=ma&brut=12000&date=2026-06-30",
    "/api/v1/salaire/annee?annee=2026&brut=2650",
];
const IR: &str = CALLS[0];

const FILE: &str = "ir/2026-01-01.yaml";
const RIGHT: &str = "{up_to: 29 579, ";
const WRONG: &str = "{up_to: 29 679, ";

/// A service beside a store, on a day.
fn started(rules: &Rules, day: &str) -> Server {
    started_with(rules, day, &[])
}

/// The same with other flags.
pub(crate) fn started_with(rules: &Rules, day: &str, flags: &[&str]) -> Server {
    let store = format!("sqlite:{}", rules.beside("bareme.db").display());
    let clock = format!("{day}T12:00:00Z");
    let own = [
        "--store",
        &store,
        "--clock",
        &clock,
        "--log",
        "info,access=off",
    ];
    Server::with(&rules.root(), &[&own, flags].concat())
}

/// Waits until the set of this number is kept.
pub(crate) fn kept(server: &Server, number: i64) {
    server.logged(|line| line["message"] == "rule set kept" && line["number"] == number);
}

fn answers(server: &Server) -> BTreeMap<&'static str, Answer> {
    let answer = |call: &&'static str| {
        let answer = server.get(call);
        assert_eq!(answer.status, 200, "{call}: {}", answer.json());
        (*call, answer)
    };
    CALLS.iter().map(answer).collect()
}

fn version(answer: &Answer) -> String {
    answer.json()["version"].as_str().unwrap().to_owned()
}

/// Each answer of an earlier law is had again, byte for byte, by the version that it names.
fn had_again(server: &Server, earlier: &BTreeMap<&'static str, Answer>) {
    for (call, answer) in earlier {
        let again = server.get(&format!("{call}&version={}", version(answer)));
        assert_eq!(again.status, 200, "{call}: {}", again.json());
        assert!(again.body == answer.body, "{call}: {}", again.json());
    }
}

#[test]
fn an_answer_is_had_again_by_its_version_after_corrections_and_restarts() {
    let rules = Rules::copy().without_cases();

    // 1. The first set, and one that corrects a figure of it.
    let server = started(&rules, "2026-07-01");
    kept(&server, 1);
    let first = answers(&server);
    had_again(&server, &first);
    rules.replace(FILE, RIGHT, WRONG);
    kept(&server, 2);
    let second = answers(&server);
    for (call, answer) in &second {
        let is_moved = !(call.contains("salaire-net") || call.contains("annee"));
        assert_eq!(version(answer) != version(&first[call]), is_moved, "{call}");
        assert_eq!(answer.body != first[call].body, is_moved, "{call}");
    }
    had_again(&server, &first);
    had_again(&server, &second);
    drop(server);

    // 2. Another program, and a set that changes another year: the law of this one is the same.
    rules.replace("ir/2025-01-01.yaml", "{up_to: 29 315, ", "{up_to: 29 316, ");
    let server = started(&rules, "2026-08-15");
    kept(&server, 3);
    let third = answers(&server);
    assert_eq!(version(&third[IR]), version(&second[IR]));
    had_again(&server, &first);
    had_again(&server, &second);

    // 3. As the rules were known on a day: at the end of the first, the correction was in.
    let known_on = |day: &str| server.get(&format!("{IR}&connu_le={day}"));
    assert!(known_on("2026-07-01").body == second[IR].body);
    assert!(known_on("2026-08-14").body == second[IR].body);
    assert!(known_on("2026-08-15").body == third[IR].body);
    let before = known_on("2026-06-30").problem(404, "version_inconnue");
    assert_eq!(before["conservees_depuis"], "2026-07-01");
    known_on("2026-06-31").problem(400, "parametres_invalides");
    let both = server.get(&format!(
        "{IR}&connu_le=2026-08-14&version={}",
        version(&first[IR])
    ));
    both.problem(400, "parametres_invalides");

    // 4. What is not kept is refused with what is, the newest first.
    let unknown = server.get(&format!("{IR}&version=0123456789abcdef"));
    let unknown = unknown.problem(404, "version_inconnue");
    let (old, new) = (version(&first[IR]), version(&second[IR]));
    assert_eq!(unknown["versions"], json!([new, old]));
    // That of another day is no law of this one.
    let other = server.get("/api/v1/ir?revenu=40000&date=2024-06-30");
    let other = server.get(&format!("{IR}&version={}", version(&other)));
    assert_eq!(
        other.problem(400, "parametres_invalides")["parametres"][0]["nom"],
        "version"
    );
}

#[test]
fn a_batch_is_computed_by_the_law_that_its_address_names() {
    let rules = Rules::copy().without_cases();
    let server = started(&rules, "2026-07-01");
    kept(&server, 1);
    let first = server.get(IR);
    rules.replace(FILE, RIGHT, WRONG);
    kept(&server, 2);
    let second = server.get(IR);

    let rows = "{\"revenu\": 40000, \"date\": \"2026-06-30\"}\n\
                {\"revenu\": 40000, \"date\": \"2024-06-30\"}\n";
    let batch = |query: &str| {
        let mut connection = Connection::open(server.address()).unwrap();
        let path = format!("/api/v1/lot/ir?{query}");
        let answer = connection.post(&path, "application/x-ndjson", rows.as_bytes(), "");
        let text = String::from_utf8(answer.unwrap().body).unwrap();
        let rows = text.lines().map(|line| serde_json::from_str(line).unwrap());
        rows.collect::<Vec<Value>>()
    };

    for answer in [&first, &second] {
        let version = version(answer);
        let rows = batch(&format!("version={version}"));
        assert_eq!(rows[0]["impot_net"], answer.json()["impot_net"]);
        assert_eq!(rows[0]["version"], version.as_str());
        // A row of another year is of another law.
        assert!(
            rows[1]["erreur"].is_object() && rows[1]["impot_net"].is_null(),
            "{}",
            rows[1]
        );
    }
    let rows = batch("connu_le=2026-07-01");
    assert_eq!(rows[0]["impot_net"], second.json()["impot_net"]);
    assert!(rows[1]["impot_net"].is_number());
}
