//! Warnings: the same objects at every door, and every code where it is listed.

use std::collections::BTreeSet;

use harness::{Connection, Server};
use serde_json::{Value, json};

/// The warnings of the first row of a CSV, whose only list they are.
fn of_csv(body: &[u8]) -> Value {
    let text = std::str::from_utf8(body).unwrap();
    let row = text.lines().nth(1).unwrap();
    let (start, end) = (row.find("\"[{").unwrap(), row.rfind("}]\"").unwrap());
    serde_json::from_str(&row[start + 1..end + 2].replace("\"\"", "\"")).unwrap()
}

#[test]
fn a_row_of_a_batch_has_the_warnings_of_a_call() {
    let server = Server::start();
    let single = server
        .get("/api/v1/salaire-net/be?brut=3000&employeur=true")
        .json();
    let warnings = &single["avertissements"];
    let absent = json!({
        "code": "fonds_sectoriel_absent",
        "texte": "Le fonds de sécurité d’existence du secteur n’est pas dans le coût : donner son taux par fonds_sectoriel_taux.",
        "parametre": "fonds_sectoriel_taux",
    });
    assert!(warnings.as_array().unwrap().contains(&absent), "{warnings}");

    let post = |media: &str, body: &str| {
        let mut connection = Connection::open(server.address()).unwrap();
        connection
            .post("/api/v1/lot/salaire-net/be", media, body.as_bytes(), "")
            .unwrap()
    };
    let rows = post("application/json", r#"[{"brut": 3000, "employeur": true}]"#).json();
    assert_eq!(rows[0]["avertissements"], *warnings);
    assert_eq!(
        of_csv(&post("text/csv", "brut,employeur\n3000,true\n").body),
        *warnings
    );
}

#[test]
fn a_warning_of_some_months_of_a_year_names_them() {
    let server = Server::start();
    // In July only is the gross below the minimum wage.
    let list = "2600;2600;2600;2600;2600;2600;900;2600;2600;2600;2600;2600";
    let year = server
        .get(&format!(
            "/api/v1/salaire/annee?annee=2025&employeur=true&brut={list}"
        ))
        .json();
    let below = |warning: &&Value| warning["code"] == "brut_sous_salaire_minimum";
    let found: Vec<&Value> = year["avertissements"]
        .as_array()
        .unwrap()
        .iter()
        .filter(below)
        .collect();
    assert_eq!(found.len(), 1, "{year}");
    assert_eq!(
        (&found[0]["mois"], &found[0]["parametre"]),
        (&json!([7]), &json!("brut"))
    );

    // Where it is of every month, it is that of a month alone.
    let all = server
        .get("/api/v1/salaire/annee?annee=2025&employeur=true&brut=900")
        .json();
    let of_all = all["avertissements"]
        .as_array()
        .unwrap()
        .iter()
        .find(below)
        .unwrap();
    assert_eq!(of_all["mois"], Value::Null);
}

#[test]
fn every_code_is_on_the_page_of_errors_and_in_the_description_of_its_folder() {
    let server = Server::start();
    let page = String::from_utf8(server.get("/erreurs").body).unwrap();
    let documents = server.get("/api/v1/openapi.json").json();
    let schemas = documents["components"]["schemas"].as_object().unwrap();
    let described = |name: &str| {
        let codes = schemas[name]["properties"]["avertissements"]["x-codes"].as_array();
        let codes = codes
            .into_iter()
            .flatten()
            .map(|code| code.as_str().unwrap().to_owned());
        codes.collect::<BTreeSet<_>>()
    };
    assert!(described("IsReponse").contains("exercice_deficitaire"));
    assert!(!described("IsReponse").contains("fonds_sectoriel_absent"));
    assert!(described("SalaireNetBeReponse").contains("fonds_sectoriel_absent"));
    assert!(described("SalaireAnneeReponse").contains("brut_sous_salaire_minimum"));

    let own = schemas
        .iter()
        .filter(|(_, schema)| schema["properties"]["avertissements"].is_object());
    let codes: BTreeSet<String> = own.flat_map(|(name, _)| described(name)).collect();
    assert!(codes.len() > 80, "{codes:?}");
    let silent: Vec<&String> = codes
        .iter()
        .filter(|code| !page.contains(&format!("<code>{code}</code>")))
        .collect();
    assert!(silent.is_empty(), "{silent:?}");
    let item = &schemas["Avertissement"];
    assert_eq!(item["required"], json!(["code", "texte"]));
}
