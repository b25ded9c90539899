//! Batches: `POST /api/v1/lot/{endpoint}`, as callers send them.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use harness::{Answer, Connection, Rules, Server};
use serde_json::{Value, json};

const JSON: &str = "application/json";
const LINES: &str = "application/x-ndjson";
const CSV: &str = "text/csv";

fn post(server: &Server, target: &str, media: &str, body: &str) -> Answer {
    Connection::open(server.address())
        .unwrap()
        .post(target, media, body.as_bytes(), "")
        .unwrap()
}

fn text(answer: &Answer) -> &str {
    std::str::from_utf8(&answer.body).unwrap()
}

/// A number as a cell of a file with semicolons.
fn in_french(number: &Value) -> String {
    number.to_string().replace('.', ",")
}

/// A row has the answer of the single call, in each form; one that is refused keeps its place.
#[test]
fn a_row_has_the_answer_of_a_single_call() {
    let server = Server::start();
    let calls = [
        ("salaire-net", vec![("pays", "ci"), ("brut", "300000")]),
        (
            "salaire-net",
            vec![("pays", "sn"), ("brut", "450000"), ("detail", "true")],
        ),
        ("salaire-net", vec![("pays", "be"), ("brut", "x")]),
        ("salaire-net", vec![("pays", "ca"), ("brut", "1")]),
    ];
    let rows: Vec<Value> = calls
        .iter()
        .map(|(_, pairs)| {
            Value::Object(
                pairs
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), json!(value)))
                    .collect(),
            )
        })
        .collect();
    let single: Vec<Value> = calls
        .iter()
        .map(|(endpoint, pairs)| {
            let query: Vec<String> = pairs
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let mut answer = server
                .get(&format!("/api/v1/{endpoint}?{}", query.join("&")))
                .json();
            let members = answer.as_object_mut().unwrap();
            match members.shift_remove("instance") {
                Some(_) => json!({"erreur": answer}),
                None => answer,
            }
        })
        .collect();
    let array = post(
        &server,
        "/api/v1/lot/salaire-net",
        JSON,
        &Value::Array(rows.clone()).to_string(),
    );
    assert_eq!((array.status, array.header("content-type")), (200, JSON));
    assert_eq!(array.json(), Value::Array(single.clone()));
    assert_eq!(array.header("cache-control"), "no-store");

    let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let answered = post(&server, "/api/v1/lot/salaire-net", LINES, &lines);
    assert_eq!(answered.header("content-type"), LINES);
    let answered: Vec<Value> = text(&answered)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answered, single);
}

#[test]
fn columns_of_a_table_are_the_fields_that_are_asked_for() {
    let server = Server::start();
    let table = "brut;cadre;employeur\n2500;true;true\n2600;false;\n2 600;;\n1;2\n";
    let answered = post(
        &server,
        "/api/v1/lot/salaire?champs=net_a_payer,cout_employeur",
        CSV,
        table,
    );
    assert!(answered.header("content-type").starts_with(CSV));
    let lines: Vec<&str> = text(&answered).lines().collect();
    assert_eq!(lines[0], "net_a_payer;cout_employeur;avertissements;erreur");
    let net = |query: &str| server.get(&format!("/api/v1/salaire?{query}")).json();
    let [cadre, other] = [net("brut=2500&cadre=true&employeur=true"), net("brut=2600")];
    let [cadre_net, cadre_cost] =
        ["net_a_payer", "cout_employeur"].map(|name| in_french(&cadre[name]));
    let both = format!("{cadre_net};{cadre_cost};");
    assert!(
        lines[1].starts_with(&both) && lines[1].contains("prévoyance"),
        "{}",
        lines[1]
    );
    // A field that a row does not have refuses the row, as `champs` refuses the call.
    assert!(
        lines[2].starts_with(";;;champs (cout_employeur) : "),
        "{}",
        lines[2]
    );
    let available = post(&server, "/api/v1/lot/salaire", CSV, "brut\n2600\n");
    let [names, cells] = [0, 1].map(|line| text(&available).lines().nth(line).unwrap());
    let cell = |name: &str| {
        names
            .split(',')
            .zip(cells.split(','))
            .find(|(known, _)| *known == name)
            .unwrap()
            .1
    };
    assert_eq!(
        (cell("net_a_payer"), cell("cout_employeur")),
        (other["net_a_payer"].to_string().as_str(), "")
    );
    assert!(
        lines[3].starts_with(";;;champs (cout_employeur) : "),
        "{}",
        lines[3]
    );
    assert!(
        lines[4].starts_with(";;;ligne : La ligne a 2 cellules."),
        "{}",
        lines[4]
    );

    // Another form is had by asking for it; every field of one value has a column.
    let mut connection = Connection::open(server.address()).unwrap();
    let rows = br#"[{"revenu": 30000}, {"revenu": 1234567.89}]"#;
    let answered = connection
        .post("/api/v1/lot/ir", JSON, rows, "Accept: text/csv\r\n")
        .unwrap();
    let lines: Vec<&str> = text(&answered).lines().collect();
    assert!(
        lines[0].starts_with("impot_net,taux_marginal,")
            && lines[0].ends_with(",avertissements,erreur")
    );
    assert!(
        lines[1].starts_with("2104,0.3,") && lines.len() == 3,
        "{lines:?}"
    );
    // The connection goes on.
    assert_eq!(connection.call("GET", "/livez", "").unwrap().status, 200);
}

#[test]
fn everything_that_is_wrong_with_the_whole_is_said_before_anything_is_charged() {
    let server = Server::with(&Rules::small().root(), &[]);
    let refused = |target: &str, media: &str, body: &str, status: u16, code: &str| {
        post(&server, target, media, body).problem(status, code)
    };
    refused(
        "/api/v1/lot/ir",
        "text/plain",
        "x",
        415,
        "type_de_lot_refuse",
    );
    refused(
        "/api/v1/lot/ir",
        JSON,
        "{\"revenu\": 1}",
        400,
        "lot_illisible",
    );
    refused("/api/v1/lot/ir", JSON, "[]", 400, "lot_illisible");
    refused("/api/v1/lot/ir", CSV, "revenu\n", 400, "lot_illisible");
    refused("/api/v1/lot/irr", JSON, "[{}]", 404, "adresse_inconnue");
    refused("/api/v1/lot", JSON, "[{}]", 404, "adresse_inconnue");
    refused("/api/v1/ir", JSON, "[{}]", 405, "methode_refusee");
    let body = refused(
        "/api/v1/lot/ir?revenus=1&champs=impot_nett",
        JSON,
        "[{}]",
        400,
        "parametres_invalides",
    );
    assert_eq!(body["parametres"].as_array().unwrap().len(), 2, "{body}");
    let body = refused(
        "/api/v1/lot/ir",
        CSV,
        "revenue\n1\n",
        400,
        "parametres_invalides",
    );
    assert!(
        body["parametres"][0]["motif"]
            .as_str()
            .unwrap()
            .contains("`revenu`"),
        "{body}"
    );
    let get = server.get("/api/v1/lot/ir");
    get.problem(405, "methode_refusee");
    assert_eq!(get.header("allow"), "POST, OPTIONS");

    let rows = |count: usize| json!(vec![json!({"revenu": 30000}); count]).to_string();
    refused("/api/v1/lot/ir", JSON, &rows(10_001), 413, "lot_trop_grand");
    refused(
        "/api/v1/lot/ir",
        JSON,
        &format!("[{}]", " ".repeat(2 * 1024 * 1024)),
        413,
        "lot_trop_grand",
    );
    let mut connection = Connection::open(server.address()).unwrap();
    let key = "X-API-Key: bma_000000000000000000000000000000000000\r\n";
    let unknown = connection
        .post("/api/v1/lot/ir", JSON, rows(2).as_bytes(), key)
        .unwrap();
    unknown.problem(401, "cle_refusee");

    // Nothing of this was a call.
    let first = server.get("/api/v1/ir?revenu=30000");
    assert!(
        first.header("ratelimit").contains("r=999;"),
        "{}",
        first.header("ratelimit")
    );
}

#[test]
fn each_row_is_a_call_and_too_few_left_compute_nothing() {
    harness::avoid_midnight();
    let server = Server::with(&Rules::small().root(), &[]);
    let rows = |count: usize| json!(vec![json!({"revenu": 30000}); count]).to_string();
    let remaining = |answer: &Answer| {
        let field = answer.header("ratelimit");
        field
            .split(";r=")
            .nth(1)
            .unwrap()
            .split(';')
            .next()
            .unwrap()
            .parse::<u32>()
            .unwrap()
    };
    let first = post(&server, "/api/v1/lot/ir?champs=impot_net", JSON, &rows(900));
    assert_eq!((first.status, remaining(&first)), (200, 100));
    assert_eq!(first.json().as_array().unwrap().len(), 900);

    let refused = post(&server, "/api/v1/lot/ir", JSON, &rows(101));
    let body = refused.problem(429, "quota_depasse");
    assert_eq!(
        (&body["restant"], &body["limite"]),
        (&json!(100), &json!(1000))
    );
    assert!(body["detail"].as_str().unwrap().contains("101"), "{body}");
    assert_eq!(remaining(&refused), 100);

    assert_eq!(
        remaining(&post(&server, "/api/v1/lot/ir", JSON, &rows(100))),
        0
    );
    server
        .get("/api/v1/ir?revenu=30000")
        .problem(429, "quota_depasse");
}

#[test]
fn a_plan_may_allow_fewer_rows() {
    let rules = Rules::small();
    rules.replace(
        "service.yaml",
        "calls_per_address: 2 000, batch_rows: 10 000,",
        "calls_per_address: 2 000, batch_rows: 2,",
    );
    let server = Server::with(&rules.root(), &[]);
    let body =
        post(&server, "/api/v1/lot/tva", CSV, "montant\n1\n2\n3\n").problem(413, "lot_trop_grand");
    assert!(
        body["detail"].as_str().unwrap().contains("2 au plus"),
        "{body}"
    );
    assert_eq!(
        post(&server, "/api/v1/lot/tva", CSV, "montant\n1\n2\n").status,
        200
    );
}

#[test]
fn the_largest_batch_comes_whole_and_in_order_and_single_calls_do_not_wait_for_it() {
    let server = Server::start();
    let mut table = String::from("montant\n");
    for amount in 0..10_000 {
        writeln!(table, "{amount}").unwrap();
    }
    let address = server.address();
    let batch = std::thread::spawn(move || {
        let mut connection = Connection::open(address).unwrap();
        connection
            .post("/api/v1/lot/tva?champs=ht", CSV, table.as_bytes(), "")
            .unwrap()
    });
    let mut longest = Duration::ZERO;
    let mut connection = Connection::open(address).unwrap();
    while !batch.is_finished() {
        let asked = Instant::now();
        let answer = connection
            .call("GET", "/api/v1/tva?montant=100", "")
            .unwrap();
        assert_eq!(answer.status, 200, "{}", text(&answer));
        if answer.has("connection") {
            connection = Connection::open(address).unwrap();
        }
        longest = longest.max(asked.elapsed());
    }
    let answered = batch.join().unwrap();
    let lines: Vec<&str> = text(&answered).lines().collect();
    assert_eq!(lines.len(), 10_001);
    for (amount, line) in lines[1..].iter().enumerate() {
        assert_eq!(*line, format!("{amount},,"));
    }
    // The machine that runs the tests has other work too: what a batch costs is measured by a
    // bench.
    assert!(longest < Duration::from_secs(1), "{longest:?}");
}

#[test]
fn scripts_of_other_sites_may_send_batches() {
    let server = Server::start();
    let asked = Connection::open(server.address())
        .unwrap()
        .call("OPTIONS", "/api/v1/lot/ir", "")
        .unwrap();
    assert_eq!(
        asked.header("access-control-allow-methods"),
        "POST, OPTIONS"
    );
    assert!(
        asked
            .header("access-control-allow-headers")
            .contains("Content-Type")
    );
    assert_eq!(
        post(&server, "/api/v1/lot/ir", JSON, "[{\"revenu\": 1}]")
            .header("access-control-allow-origin"),
        "*"
    );
}
