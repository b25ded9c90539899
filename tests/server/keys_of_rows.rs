//! The key of a row of a batch, which its answer repeats untouched.

use harness::{Answer, Connection, Server};
use serde_json::{Value, json};

const JSON: &str = "application/json";
const LINES: &str = "application/x-ndjson";
const CSV: &str = "text/csv";

fn post(server: &Server, target: &str, (media, accept): (&str, &str), body: &str) -> Answer {
    let accept = format!("Accept: {accept}\r\n");
    Connection::open(server.address())
        .unwrap()
        .post(target, media, body.as_bytes(), &accept)
        .unwrap()
}

fn text(answer: &Answer) -> &str {
    std::str::from_utf8(&answer.body).unwrap()
}

#[test]
fn the_usual_names_come_back_as_they_were_sent_in_every_form() {
    let server = Server::start();
    let target = "/api/v1/lot/ir?champs=impot_net";
    let rows = r#"[{"id": 1.50, "revenu": 30000}, {"revenu": 30000, "matricule": "0012"}, {"id": null, "revenu": "x"}, {"revenu": 30000}]"#;
    let answered = post(&server, target, (JSON, JSON), rows);
    assert_eq!(answered.status, 200, "{answered:?}");
    let lines: Vec<&str> = text(&answered).lines().collect();
    assert_eq!(lines[1], r#"{"id":1.50,"impot_net":2104},"#);
    assert_eq!(lines[2], r#"{"matricule":"0012","impot_net":2104},"#);
    assert!(
        lines[3].starts_with(r#"{"id":null,"erreur":{"type":"#),
        "{}",
        lines[3]
    );
    assert_eq!(lines[4], r#"{"impot_net":2104}"#);

    let table = post(&server, target, (JSON, CSV), rows);
    let cells: Vec<&str> = text(&table).lines().collect();
    assert_eq!(
        cells[..3],
        [
            "id,matricule,impot_net,avertissements,erreur",
            "1.50,,2104,,",
            ",0012,2104,,"
        ]
    );

    let lines = post(
        &server,
        target,
        (LINES, LINES),
        "{\"id\": \"a\\u00e9\", \"revenu\": 30000}\n",
    );
    assert_eq!(text(&lines), "{\"id\":\"a\\u00e9\",\"impot_net\":2104}\n");

    let sheet = "matricule;revenu;id\n 0012 ;30000;1,50\n\"a;b\";x;\n";
    let answered = post(&server, target, (CSV, CSV), sheet);
    let lines: Vec<&str> = text(&answered).lines().collect();
    assert_eq!(lines[0], "id;matricule;impot_net;avertissements;erreur");
    assert_eq!(lines[1], "1,50; 0012 ;2104;;");
    assert!(
        lines[2].starts_with(";\"a;b\";;;revenu (x) : "),
        "{}",
        lines[2]
    );
    let as_json = post(&server, target, (CSV, JSON), sheet).json();
    assert_eq!(
        as_json[0],
        json!({"id": "1,50", "matricule": " 0012 ", "impot_net": 2104})
    );
}

#[test]
fn the_address_may_name_another_key_which_is_then_in_every_answer() {
    let server = Server::start();
    let target = "/api/v1/lot/ir?champs=impot_net&cle=dossier";
    let answered = post(
        &server,
        target,
        (JSON, JSON),
        r#"[{"dossier": "A", "revenu": 1}, {"revenu": 30000}, 7]"#,
    );
    let rows: Value = answered.json();
    assert_eq!(
        (&rows[0], &rows[1]),
        (
            &json!({"dossier": "A", "impot_net": 0}),
            &json!({"dossier": null, "impot_net": 2104})
        )
    );
    assert_eq!(
        (&rows[2]["dossier"], &rows[2]["erreur"]["code"]),
        (&Value::Null, &json!("parametres_invalides"))
    );
    // `id` is then a parameter like any other, which the calculation does not have.
    let unknown = post(
        &server,
        target,
        (JSON, JSON),
        r#"[{"id": 1, "revenu": 30000}]"#,
    )
    .json();
    assert_eq!(unknown[0]["erreur"]["parametres"][0]["code"], "inconnu");

    let refused = |target: &str, body: &str| {
        let refused = post(&server, target, (CSV, CSV), body).problem(400, "parametres_invalides");
        let bad = &refused["parametres"][0];
        (
            bad["nom"].as_str().unwrap().to_owned(),
            bad["code"].as_str().unwrap().to_owned(),
        )
    };
    let pair = |name: &str, code: &str| (name.to_owned(), code.to_owned());
    let rows = "revenu\n1\n";
    // A parameter, the parameter that selects a folder, a parameter of every folder.
    assert_eq!(
        refused("/api/v1/lot/ir?cle=revenu", rows),
        pair("cle", "incompatible")
    );
    assert_eq!(
        refused("/api/v1/lot/ir?cle=date", rows),
        pair("cle", "incompatible")
    );
    assert_eq!(
        refused("/api/v1/lot/ir?cle=champs", rows),
        pair("cle", "incompatible")
    );
    assert_eq!(
        refused("/api/v1/lot/salaire-net?cle=pays", rows),
        pair("cle", "incompatible")
    );
    assert_eq!(
        refused("/api/v1/lot/salaire/annee?cle=premier_mois", rows),
        pair("cle", "incompatible")
    );
    // A field, and members of every answer.
    for name in ["impot_net", "version", "avertissements", "erreur"] {
        assert_eq!(
            refused(&format!("/api/v1/lot/ir?cle={name}"), rows),
            pair("cle", "incompatible"),
            "{name}"
        );
    }
    assert_eq!(
        refused("/api/v1/lot/salaire/annee?cle=total", rows),
        pair("cle", "incompatible")
    );
    assert_eq!(
        refused("/api/v1/lot/ir?cle=dossier", rows),
        pair("cle", "manquant")
    );
    assert_eq!(
        refused("/api/v1/lot/ir", "id;id;revenu\n1;2;3\n"),
        pair("id", "repete")
    );
    assert_eq!(
        refused("/api/v1/lot/ir?cle=a&cle=b", rows),
        pair("cle", "repete")
    );
    // A key of the service that is sent where it does not belong is not sent back.
    let key = "bma_000000000000000000000000000000000000";
    let answer = post(
        &server,
        &format!("/api/v1/lot/ir?cle={key}"),
        (CSV, CSV),
        rows,
    );
    assert_eq!((answer.status, text(&answer).contains(key)), (400, false));
}

#[test]
fn a_year_has_its_key_too() {
    let server = Server::start();
    let rows = r#"{"matricule": 7, "annee": 2026, "brut": [2600, 2650.10], "premier_mois": 11}"#;
    let answered = post(&server, "/api/v1/lot/salaire/annee", (LINES, LINES), rows);
    let year: Value = serde_json::from_str(text(&answered)).unwrap();
    assert_eq!(
        (&year["matricule"], year["mois"].as_array().map(Vec::len)),
        (&json!(7), Some(2)),
        "{year}"
    );
    let whole = server
        .get("/api/v1/salaire/annee?annee=2026&brut=2600;2650.10&premier_mois=11")
        .json();
    assert_eq!(year["total"], whole["total"]);
}
