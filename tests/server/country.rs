//! A country that is added to the rules, and removed from them, while the service runs.

use std::fs;

use harness::{Rules, Server, eventually};
use serde_json::{Value, json};

#[test]
fn a_country_appears_and_disappears_without_a_restart() {
    let rules = Rules::copy();
    let server = Server::with(&rules.root(), &[]);
    let pay = "/api/v1/salaire-net?pays=zz&brut=4000&parts=2&date=2026-03-31";
    assert_eq!(server.get(pay).blamed(), ["pays"]);

    for (name, text) in ESPERIA {
        rules.write(&format!("salaire-net/zz/{name}"), text);
    }

    eventually("the new country answers", || server.get(pay).status == 200);
    assert_eq!(server.get(pay).json()["net_mensuel"], json!(3640.73));

    let described = server.get("/api/v1/openapi.json").json();
    let operation = &described["paths"]["/api/v1/salaire-net"]["get"];
    let names = |parameter: &Value| parameter["name"].as_str().unwrap().to_owned();
    let parameters = operation["parameters"].as_array().unwrap();
    let country = parameters
        .iter()
        .find(|parameter| names(parameter) == "pays")
        .unwrap();
    assert!(
        country["schema"]["enum"]
            .as_array()
            .unwrap()
            .contains(&json!("zz")),
        "{country}"
    );
    assert!(
        parameters
            .iter()
            .any(|parameter| names(parameter) == "anciennete")
    );
    let own = &described["paths"]["/api/v1/salaire-net/zz"]["get"];
    assert_eq!(own["summary"], "Salaire net en Espérie");
    let own = own["parameters"].as_array().unwrap();
    let seniority = own
        .iter()
        .find(|parameter| names(parameter) == "anciennete")
        .unwrap();
    assert_eq!(seniority["schema"]["maximum"], 40);
    assert_eq!(
        described["components"]["schemas"]["SalaireNetZzReponse"]["properties"]["caisse"]["type"],
        "number"
    );

    fs::remove_dir_all(rules.root().join("salaire-net/zz")).unwrap();
    eventually("the country is gone", || server.get(pay).status == 400);
    assert!(
        !server
            .get("/api/v1/openapi.json")
            .json()
            .to_string()
            .contains("Espérie")
    );
}

/// A country that does not exist.
const ESPERIA: [(&str, &str); 3] = [
    (
        "method.yaml",
        r#"format: bareme/1
folder: salaire-net/zz
title: "Salaire net en Espérie"
currency: ESD
inputs:
  brut:       {type: money, per: month, required: true, min: 0, max: 10 000 000, round: 0.01, label: "Salaire brut du mois"}
  anciennete: {type: integer, default: 0, min: 0, max: 40, label: "Années d’ancienneté"}
figures:
  caisse: {rate: rate, ceiling: money/month}
  impot:  {bound: money/month, rate: rate}
  prime:  {montant: money/month}
steps:
  caisse: {contribution: brut, with: caisse, round: 0.01, law: "Code social, art. 40"}
  impot:  {brackets: brut - caisse, with: impot, round: 0.01, law: "Code des impôts, art. 12"}
  prime:  {formula: prime.montant * anciennete, law: "Code du travail, art. 7"}
answer:
  pays: {text: zz}
  devise: scale.currency
  brut_mensuel: brut
  impot: impot
  caisse: caisse
  net_mensuel: brut - caisse - impot + prime
  taux_prelevement_effectif: {value: ratio(caisse + impot; brut), as: percent, round: 0.01}
  source: scale.source
  year: scale.year
  tranches: {brackets: impot}
headline: [{field: net_mensuel, role: net}]
"#,
    ),
    (
        "2026-01-01.yaml",
        r#"format: bareme/1
title: "Espérie, barème 2026"
sources:
  lf2026: {kind: law, title: "Loi de finances 2026, art. 10 à 14", publisher: "Journal officiel", date: 2025-12-29, url: "https://example.org/lf2026"}
figures:
  caisse: {rate: 6.3%, ceiling: 1 200, per: month, source: lf2026}
  impot:  {per: month, source: lf2026, rows: [{up_to: 1 000, rate: 0%}, {rate: 9.7%}]}
  prime:  {montant: 12, per: month, source: lf2026}
"#,
    ),
    (
        "cases.yaml",
        r#"format: bareme/1
cases:
  - {name: "Au-dessus du plafond", date: 2026-03-31, given: {brut: 4000}, expect: {caisse: 75.60, impot: 283.67, net_mensuel: 3640.73}, origin: {kind: hand}}
"#,
    ),
];
