//! Parameters on the address of a batch, which hold for all its rows; and batches larger than a
//! day.

use harness::{Answer, Connection, Rules, Server};
use serde_json::{Value, json};

const JSON: &str = "application/json";
const CSV: &str = "text/csv";

fn post(server: &Server, target: &str, media: &str, body: &str) -> Answer {
    Connection::open(server.address())
        .unwrap()
        .post(target, media, body.as_bytes(), "")
        .unwrap()
}

#[test]
fn what_is_on_the_address_is_in_every_row() {
    let server = Server::start();
    let shared = "date=2026-03-31&employeur=true&champs=net_a_payer,cout_employeur";
    let single = |query: &str| {
        server
            .get(&format!("/api/v1/salaire?{query}&{shared}"))
            .json()
    };
    let expected = [single("brut=2500"), single("brut=4200&cadre=true")];
    assert!(expected[0]["cout_employeur"].is_number() && expected[0] != expected[1]);
    let rows = r#"[{"brut": 2500}, {"brut": 4200, "cadre": true, "employeur": true, "date": ""}]"#;
    let answered = post(
        &server,
        &format!("/api/v1/lot/salaire?{shared}"),
        JSON,
        rows,
    );
    assert_eq!(answered.json(), json!(expected));

    // A column of the shared name may be empty, and a required one may be on the address.
    let table = "cadre,date\nfalse,\ntrue,2026-03-31\n";
    let answered = post(
        &server,
        &format!("/api/v1/lot/salaire?{shared}&brut=4200"),
        CSV,
        table,
    );
    let text = String::from_utf8(answered.body).unwrap();
    let last = text.lines().last().unwrap();
    let cells = format!(
        "{},{},",
        expected[1]["net_a_payer"], expected[1]["cout_employeur"]
    );
    assert!(last.starts_with(&cells), "{text}");

    // The folder of a family, and the months of a year.
    let country = post(
        &server,
        "/api/v1/lot/salaire-net?pays=ci&champs=net_mensuel",
        JSON,
        "[{\"brut\": 300000}]",
    );
    assert_eq!(
        country.json()[0],
        server
            .get("/api/v1/salaire-net?pays=ci&brut=300000&champs=net_mensuel")
            .json()
    );
    let year = post(
        &server,
        "/api/v1/lot/salaire/annee?annee=2026&brut=2600;2700&dernier_mois=2",
        JSON,
        "[{}]",
    );
    let whole = server
        .get("/api/v1/salaire/annee?annee=2026&brut=2600;2700&dernier_mois=2")
        .json();
    assert_eq!(year.json()[0], whole);
}

#[test]
fn a_row_that_contradicts_the_address_is_refused_and_the_others_are_computed() {
    let server = Server::start();
    let rows = r#"[{"revenu": 30000, "parts": 2}, {"revenu": 30000, "parts": 1}, {"revenu": -1, "parts": 3}]"#;
    let answered = post(
        &server,
        "/api/v1/lot/ir?parts=1&champs=impot_net",
        JSON,
        rows,
    )
    .json();
    let codes = |row: &Value| -> Vec<(String, String)> {
        let bad = row["erreur"]["parametres"].as_array().unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        bad.iter()
            .map(|bad| (text(&bad["nom"]), text(&bad["code"])))
            .collect()
    };
    let pair = |name: &str, code: &str| (name.to_owned(), code.to_owned());
    assert_eq!(codes(&answered[0]), [pair("parts", "incompatible")]);
    assert_eq!(answered[1], json!({"impot_net": 2104}));
    assert_eq!(
        codes(&answered[2]),
        [pair("parts", "incompatible"), pair("revenu", "hors_bornes")]
    );
    // Whose fields a row wants is said once too.
    let fields = post(
        &server,
        "/api/v1/lot/ir?champs=impot_net",
        JSON,
        r#"[{"revenu": 1, "champs": "impot_brut"}]"#,
    );
    assert!(
        fields.json()[0]["erreur"].is_object(),
        "{:?}",
        fields.json()
    );
}

#[test]
fn what_is_wrong_on_the_address_refuses_the_whole_uncharged() {
    let server = Server::with(&Rules::small().root(), &[]);
    let codes = |query: &str| -> Vec<String> {
        let answer = post(
            &server,
            &format!("/api/v1/lot/ir?{query}"),
            JSON,
            "[{\"revenu\": 1}]",
        );
        let body = answer.problem(400, "parametres_invalides");
        let bad = body["parametres"].as_array().unwrap().iter();
        bad.map(|bad| {
            format!(
                "{} {}",
                bad["nom"].as_str().unwrap(),
                bad["code"].as_str().unwrap()
            )
        })
        .collect()
    };
    assert_eq!(codes("revenue=1"), ["revenue inconnu"]);
    assert_eq!(
        codes("date=2026-02-30&parts=x"),
        ["date format", "parts format"]
    );
    assert_eq!(codes("parts=1&parts=2"), ["parts repete"]);
    assert_eq!(
        codes("champs=impot_nett&parts=%zz"),
        ["parts codage", "champs valeur_inconnue"]
    );
    let first = server.get("/api/v1/ir?revenu=30000");
    assert!(
        first.header("ratelimit").contains("r=999;"),
        "{}",
        first.header("ratelimit")
    );
}

#[test]
fn a_batch_that_no_day_holds_is_too_large_and_one_that_today_does_not_hold_waits() {
    harness::avoid_midnight();
    let server = Server::with(&Rules::small().root(), &[]);
    let rows = |count: usize| json!(vec![json!({"revenu": 30000}); count]).to_string();
    let target = "/api/v1/lot/ir?champs=impot_net";
    let refused = post(&server, target, JSON, &rows(1001));
    let body = refused.problem(413, "lot_superieur_au_quota");
    assert_eq!(
        (&body["limite"], &body["lignes"]),
        (&json!(1000), &json!(1001))
    );
    assert!(!refused.has("retry-after"));
    // It was not charged: the largest that a day holds passes, and the next waits for midnight.
    assert_eq!(post(&server, target, JSON, &rows(1000)).status, 200);
    let late = post(&server, target, JSON, &rows(1));
    late.problem(429, "quota_depasse");
    assert!(late.has("retry-after"));
    post(&server, target, JSON, &rows(1001)).problem(413, "lot_superieur_au_quota");
}
