//! The data behind the answers: all of it is reached from its first page, is as described, and says
//! what the rule files say.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::Path;

use harness::{Connection, Server, repository};
use serde_json::{Value, json};

use crate::description::{undescribed, validator};

/// The texts of a document, whatever member holds them.
fn texts<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(members) => members.values().for_each(|member| texts(member, found)),
        _ => {}
    }
}

/// The described path that an address is of.
fn described_as<'d>(document: &'d Value, address: &str) -> Option<&'d str> {
    let address = address.split('?').next().unwrap();
    let paths = document["paths"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str);
    let fits = |path: &&str| {
        let (parts, own): (Vec<_>, Vec<_>) =
            (path.split('/').collect(), address.split('/').collect());
        parts.len() == own.len()
            && parts
                .iter()
                .zip(own)
                .all(|(part, own)| part.starts_with('{') || *part == own)
    };
    // The most precise one.
    paths
        .filter(fits)
        .min_by_key(|path| path.matches('{').count())
}

#[test]
fn everything_is_reached_from_the_first_page_and_is_as_described() {
    let server = Server::start_with(&["--log", "info,access=off"]);
    for prefix in ["/api/v1", "/api-docs/v1"] {
        let document = server.get(&format!("{prefix}/openapi.json")).json();
        let mut connection = Connection::open(server.address()).unwrap();
        let (mut seen, mut waiting) = (BTreeSet::new(), VecDeque::from([prefix.to_owned()]));
        let mut checked: BTreeMap<String, usize> = BTreeMap::new();
        while let Some(address) = waiting.pop_front() {
            if !seen.insert(address.clone()) {
                continue;
            }
            let answer = connection.call("GET", &address, "").unwrap();
            if answer.has("connection") {
                connection = Connection::open(server.address()).unwrap();
            }
            let path = described_as(&document, &address).map(str::to_owned);
            let operation = path
                .as_ref()
                .map_or(&Value::Null, |path| &document["paths"][path]["get"]);
            // What a calculation answers to a word alone is for others to say.
            if operation["tags"] != json!(["donnees"]) {
                let expected: &[u16] = if address.contains("/lot/") {
                    &[405]
                } else {
                    &[200, 400]
                };
                assert!(
                    address.ends_with("openapi.json") || expected.contains(&answer.status),
                    "{address}"
                );
                continue;
            }
            assert_eq!(answer.status, 200, "{address}");
            assert!(!answer.has("ratelimit") && answer.has("etag"), "{address}");
            let body = answer.json();
            let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"];
            let fault = validator(&document, schema)
                .iter_errors(&body)
                .next()
                .map(|fault| format!("{fault} at {}", fault.instance_path()));
            assert_eq!(fault, None, "{address}");
            assert_eq!(
                undescribed(&document, schema, &body),
                Vec::<String>::new(),
                "{address}"
            );
            *checked.entry(path.unwrap()).or_default() += 1;
            let mut found = Vec::new();
            texts(&body, &mut found);
            waiting.extend(
                found
                    .into_iter()
                    .filter(|text| text.starts_with("/api"))
                    .map(str::to_owned),
            );
        }
        let all = document["paths"].as_object().unwrap().iter();
        for (path, _) in all.filter(|(_, operation)| operation["get"]["tags"] == json!(["donnees"]))
        {
            assert!(
                checked.contains_key(path),
                "{path} is reached by no link: {checked:?}"
            );
        }
        assert!(
            prefix != "/api/v1" || checked.values().sum::<usize>() > 200,
            "{checked:?}"
        );
    }
}

/// A value of a rule file as the shortest decimal; none for a text.
fn decimal(written: &str) -> Option<String> {
    let plain: String = written
        .chars()
        .filter(|character| !character.is_whitespace())
        .collect();
    let (digits, shift) = plain
        .strip_suffix('%')
        .map_or((plain.as_str(), 0), |digits| (digits, 2));
    let (sign, digits) = digits
        .strip_prefix('-')
        .map_or(("", digits), |digits| ("-", digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty()
        || !format!("{whole}{fraction}")
            .bytes()
            .all(|byte| byte.is_ascii_digit())
    {
        return None;
    }
    let all = format!("{}{whole}{fraction}", "0".repeat(shift));
    let (whole, fraction) = all.split_at(all.len() - fraction.len() - shift);
    let (whole, fraction) = (
        whole.trim_start_matches('0'),
        fraction.trim_end_matches('0'),
    );
    let whole = if whole.is_empty() { "0" } else { whole };
    let number = if fraction.is_empty() {
        whole.to_owned()
    } else {
        format!("{whole}.{fraction}")
    };
    Some(if number == "0" {
        number
    } else {
        format!("{sign}{number}")
    })
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[test]
fn every_number_of_a_figure_is_that_of_its_rule_file() {
    let server = Server::start_with(&["--log", "info,access=off"]);
    let folders = server.get("/api/v1/baremes").json();
    let mut compared = 0;
    for folder in folders["baremes"].as_array().unwrap() {
        let name = folder["dossier"].as_str().unwrap();
        let described = server.get(folder["adresse"].as_str().unwrap()).json();
        for edition in described["editions"].as_array().into_iter().flatten() {
            let day = edition["date"].as_str().unwrap();
            let file = repository()
                .join("rules")
                .join(name)
                .join(format!("{day}.yaml"));
            let written: Value = serde_yaml::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
            let answer = server.get(edition["adresse"].as_str().unwrap()).json();
            assert_eq!(answer["date"], day);
            for figure in answer["chiffres"].as_array().into_iter().flatten() {
                let own = &written["figures"][figure["nom"].as_str().unwrap()];
                compared += compare(Path::new(name), &figure["valeurs"], own);
                let rows = own["rows"]
                    .as_array()
                    .map(Vec::as_slice)
                    .unwrap_or_default();
                let lines = figure["lignes"]
                    .as_array()
                    .map(Vec::as_slice)
                    .unwrap_or_default();
                assert_eq!(lines.len(), rows.len(), "{name} {day} {}", figure["nom"]);
                for (line, row) in lines.iter().zip(rows) {
                    compared += compare(Path::new(name), &line["valeurs"], row);
                }
            }
        }
    }
    assert!(compared > 4000, "{compared} numbers");
}

/// Compares the numbers of a record or of a row with what is written; how many there are.
fn compare(place: &Path, values: &Value, written: &Value) -> usize {
    let numbers = values
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, value)| value.is_number());
    let compared = numbers.filter_map(|(column, value)| {
        let text = text_of(&written[column])?;
        // A fraction, `137/51`, has no end.
        let expected = decimal(&text)?;
        assert_eq!(
            value.to_string().trim_end_matches(".0"),
            expected,
            "{} {column}",
            place.display()
        );
        Some(())
    });
    compared.count()
}

#[test]
fn changes_between_two_days_are_told_value_by_value() {
    let server = Server::start();
    let body = server
        .get("/api/v1/baremes/ir/2026-03-31?avant=2025-03-31")
        .json();
    assert_eq!(
        (&body["date"], &body["changements"]["depuis"]),
        (&json!("2026-01-01"), &json!("2025-01-01"))
    );
    let values = body["changements"]["valeurs"].as_array().unwrap();
    let of = |figure: &str| {
        values
            .iter()
            .filter(|value| value["chiffre"] == figure)
            .collect::<Vec<_>>()
    };
    let [cap] = of("plafond_demi_part")[..] else {
        panic!("{values:?}")
    };
    assert_eq!((&cap["avant"], &cap["apres"]), (&json!(1791), &json!(1807)));
    assert_eq!(
        (&cap["type"], &cap["unite"]),
        (&json!("montant"), &json!("EUR par an"))
    );
    assert!(of("seuil_recouvrement").is_empty(), "it did not change");
    assert!(of("bareme").len() == 4, "{values:?}");
    for told in values {
        for label in ["libelle", "valeur"] {
            assert!(!told[label].as_str().unwrap().contains('_'), "{told}");
        }
    }
    // The same edition on both days.
    let body = server
        .get("/api/v1/baremes/ir/2026-03-31?avant=2026-01-01")
        .json();
    assert_eq!(body["changements"]["resume"], "Aucun chiffre ne change.");
    assert!(body["changements"].get("valeurs").is_none());
}

#[test]
fn the_words_of_a_choice_say_their_name_and_their_currency() {
    let server = Server::start();
    let body = server.get("/api/v1/pays").json();
    let calculations = body["calculs"].as_array().unwrap();
    for calculation in calculations {
        for word in calculation["mots"].as_array().unwrap() {
            assert_eq!(word["monnaie"].as_str().map(str::len), Some(3), "{word}");
            let answer = server.get(&format!(
                "{}&brut=1000000",
                word["adresse"].as_str().unwrap()
            ));
            let blamed = if answer.status == 200 {
                Vec::new()
            } else {
                answer.blamed()
            };
            assert!(!blamed.contains(&"pays".to_owned()), "{word}: {blamed:?}");
        }
    }
    let names: Vec<&str> = calculations
        .iter()
        .map(|calculation| calculation["nom"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["salaire-net", "salaire-minimum", "tva-afrique"]);
    let elsewhere = calculations[0]["ailleurs"].as_array().unwrap();
    assert!(
        elsewhere
            .iter()
            .any(|word| word["mot"] == "fr" && word["adresse"] == "/api/v1/salaire"),
        "{elsewhere:?}"
    );
    server
        .get("/api-docs/v1/pays")
        .problem(404, "adresse_inconnue");
}

#[test]
fn what_cannot_be_answered_is_refused_as_elsewhere() {
    let server = Server::start();
    for (target, name) in [
        ("/api/v1?x=1", "x"),
        ("/api/v1/baremes?page=2", "page"),
        ("/api/v1/baremes/ir?avant=2025-01-01", "avant"),
        ("/api/v1/baremes/ir/2026-01-01?Avant=2025-01-01", "Avant"),
        ("/api/v1/baremes/ir/2026-01-01?avant=hier", "avant"),
        (
            "/api/v1/baremes/ir/2026-01-01?avant=2025-01-01&avant=2025-01-01",
            "avant",
        ),
        ("/api/v1/baremes/ir/2026-01-01?avant=1950-01-01", "avant"),
        ("/api/v1/baremes/ir/1950-01-01", "date"),
        ("/api/v1/baremes/pret/2026-01-01", "date"),
        ("/api/v1/pays?api_key=x", "api_key"),
    ] {
        assert_eq!(server.get(target).blamed(), [name], "{target}");
    }
    for path in [
        "/api/v1/baremes/",
        "/api/v1/baremes/zz",
        "/api/v1/baremes/ir/2026-02-30",
        "/api-docs/v1/baremes/ifi",
    ] {
        server.get(path).problem(404, "adresse_inconnue");
    }
}

#[test]
fn what_a_caller_knows_is_not_sent_again() {
    let server = Server::start();
    let mut connection = Connection::open(server.address()).unwrap();
    for target in [
        "/api/v1",
        "/api/v1/baremes",
        "/api/v1/pays",
        "/api/v1/baremes/ir/2026-03-31?avant=2025-01-01",
    ] {
        let first = connection.call("GET", target, "").unwrap();
        let known = format!("If-None-Match: {}\r\n", first.header("etag"));
        assert_eq!(
            connection.call("GET", target, &known).unwrap().status,
            304,
            "{target}"
        );
        assert_eq!(
            connection.call("HEAD", target, "").unwrap().header("etag"),
            first.header("etag")
        );
        assert_eq!(connection.call("OPTIONS", target, "").unwrap().status, 200);
        connection
            .call("POST", target, "")
            .unwrap()
            .problem(405, "methode_refusee");
    }
}
