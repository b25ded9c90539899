//! Bad parameters: every one is named, with what is accepted, and nothing ever breaks.

use std::cell::{Cell, RefCell};

use harness::{Connection, RIGHT, Server};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

/// Problem of one parameter in an answer.
fn reported(body: &Value, name: &str) -> Value {
    let named = body["parametres"].as_array().unwrap();
    named
        .iter()
        .find(|reported| reported["nom"] == name)
        .unwrap_or_else(|| panic!("{name} is not named in {body}"))
        .clone()
}

#[test]
fn a_value_that_the_scale_does_not_have_is_named_beside_a_missing_one() {
    let server = Server::start();
    for target in ["/api/v1/tva?taux=21", "/api/v1/tva?montant=&taux=21"] {
        let answer = server.get(target);
        assert_eq!(answer.blamed(), ["montant", "taux"], "{target}");
        let body = answer.json();
        assert_eq!(reported(&body, "montant")["code"], "manquant");
        assert_eq!(reported(&body, "taux")["code"], "valeur_inconnue");
        assert_eq!(reported(&body, "taux")["valeur_recue"], "21");
    }
    assert_eq!(server.get("/api/v1/tva?taux=20").blamed(), ["montant"]);
    // What is looked up by a missing value has no row either, and is no fault of whoever sent the
    // other one.
    for target in [
        "/api/v1/tva-afrique",
        "/api/v1/tva-afrique?categorie=",
        "/api/v1/tva-afrique?categorie=normal",
    ] {
        assert!(
            !server
                .get(target)
                .blamed()
                .contains(&"categorie".to_owned()),
            "{target}"
        );
    }
}

#[test]
fn what_was_meant_is_proposed() {
    let server = Server::start();
    let said = |target: &str, name: &str| {
        let found = reported(&server.get(target).json(), name);
        found["motif"].as_str().unwrap().to_owned()
    };
    for word in ["fr", "FRANCE"] {
        let reason = said(
            &format!("/api/v1/salaire-net?pays={word}&brut=2500"),
            "pays",
        );
        assert_eq!(reason, "Se calcule à l’adresse `/salaire`, sans `pays`.");
    }
    for word in ["ca", "Canada"] {
        let reason = said(
            &format!("/api/v1/salaire-net?pays={word}&brut=2500"),
            "pays",
        );
        assert_eq!(
            reason, "Valeur inconnue ; vouliez-vous dire `qc` ?",
            "{word}"
        );
    }
    assert_eq!(
        said("/api/v1/salaire?BRUT=2500", "BRUT"),
        "Paramètre inconnu ; vouliez-vous dire `brut` ?"
    );
    for name in ["api_key", "key", "cle", "apikey", "token"] {
        let answer = server.get(&format!("/api/v1/ir?revenu=30000&{name}=tres-secret"));
        let found = reported(&answer.json(), name);
        assert!(
            found["motif"].as_str().unwrap().contains("`X-API-Key`"),
            "{found}"
        );
        assert_eq!(
            (&found["code"], &found["valeur_recue"]),
            (&Value::from("inconnu"), &Value::Null)
        );
        assert!(
            !String::from_utf8(answer.body)
                .unwrap()
                .contains("tres-secret")
        );
    }
    assert!(
        server
            .log()
            .iter()
            .all(|line| !line.to_string().contains("tres-secret"))
    );
}

#[test]
fn amounts_have_as_many_decimals_in_every_country() {
    let server = Server::start();
    let words = server.get("/api/v1/pays").json();
    let countries: Vec<String> = words["calculs"][0]["mots"]
        .as_array()
        .unwrap()
        .iter()
        .map(|word| format!("salaire-net?pays={}&", word["mot"].as_str().unwrap()))
        .chain(["salaire?".to_owned()])
        .collect();
    assert!(countries.len() > 20, "{countries:?}");
    for country in countries {
        let body = server
            .get(&format!("/api/v1/{country}brut=2916.6666666666665"))
            .json();
        let found = reported(&body, "brut");
        assert_eq!(found["code"], "trop_de_chiffres", "{country}");
        assert!(
            found["attendu"]
                .as_str()
                .unwrap()
                .ends_with(" décimales au plus"),
            "{found}"
        );
    }
}

#[test]
fn numbers_are_written_as_each_language_does() {
    let server = Server::start();
    let mut connection = Connection::open(server.address()).unwrap();
    let mut expected = |language: &str| {
        let answer = connection
            .call(
                "GET",
                "/api/v1/ir?revenu=-1",
                &format!("Accept-Language: {language}\r\n"),
            )
            .unwrap();
        reported(&answer.json(), "revenu")["attendu"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(
        expected("fr").contains(" à 1\u{202f}000\u{202f}000\u{202f}000"),
        "{}",
        expected("fr")
    );
    assert!(
        expected("en").contains(" to 1,000,000,000"),
        "{}",
        expected("en")
    );
}

#[test]
fn every_kind_of_bad_value_is_named_with_what_is_accepted() {
    let server = Server::start();
    let long = "9".repeat(200);
    for (target, name) in [
        ("/api/v1/ir?parts=1".to_owned(), "revenu"),
        ("/api/v1/ir?parts=1&revenu=".to_owned(), "revenu"),
        ("/api/v1/ir?parts=1&revenu=abc".to_owned(), "revenu"),
        ("/api/v1/ir?parts=1&revenu=1e9".to_owned(), "revenu"),
        ("/api/v1/ir?parts=1&revenu=NaN".to_owned(), "revenu"),
        ("/api/v1/ir?parts=1&revenu=Infinity".to_owned(), "revenu"),
        ("/api/v1/ir?parts=1&revenu=-1".to_owned(), "revenu"),
        ("/api/v1/ir?parts=1&revenu=12,5".to_owned(), "revenu"),
        ("/api/v1/ir?parts=1&revenu=12%2C5".to_owned(), "revenu"),
        ("/api/v1/ir?parts=1&revenu=0x10".to_owned(), "revenu"),
        ("/api/v1/ir?parts=1&revenu=1%20000".to_owned(), "revenu"),
        ("/api/v1/ir?parts=1&revenu=1_000".to_owned(), "revenu"),
        ("/api/v1/ir?parts=1&revenu=%2B5".to_owned(), "revenu"),
        ("/api/v1/ir?parts=1&revenu=%D9%A3".to_owned(), "revenu"),
        (format!("/api/v1/ir?parts=1&revenu={long}"), "revenu"),
        (
            "/api/v1/ir?parts=1&revenu=9999999999999".to_owned(),
            "revenu",
        ),
        ("/api/v1/ir?parts=0&revenu=1".to_owned(), "parts"),
        ("/api/v1/ir?parts=1&revenu=1&revenu=1".to_owned(), "revenu"),
        ("/api/v1/ir?parts=1&revenu=%".to_owned(), "revenu"),
        ("/api/v1/ir?parts=1&revenu=%4".to_owned(), "revenu"),
        ("/api/v1/ir?parts=1&revenu=%ZZ".to_owned(), "revenu"),
        ("/api/v1/ir?parts=1&revenu=%FF".to_owned(), "revenu"),
        ("/api/v1/ir?parts=1&revenu=1%00".to_owned(), "revenu"),
        (
            "/api/v1/ir?parts=1&revenu=1&date=2026-02-30".to_owned(),
            "date",
        ),
        ("/api/v1/ir?parts=1&revenu=1&date=hier".to_owned(), "date"),
        (
            "/api/v1/ir?parts=1&revenu=1&date=1990-01-01".to_owned(),
            "date",
        ),
        ("/api/v1/ir?parts=1&revenu=1&annee=26".to_owned(), "annee"),
        (
            "/api/v1/ir?parts=1&revenu=1&date=2026-01-01&annee=2026".to_owned(),
            "date",
        ),
        (
            "/api/v1/ir?parts=1&revenu=1&detail=peut-etre".to_owned(),
            "detail",
        ),
        ("/api/v1/ir?parts=1&revenu=1&Parts=1".to_owned(), "Parts"),
        ("/api/v1/salaire?brut=2500&cadre=2".to_owned(), "cadre"),
        (
            "/api/v1/tva?montant=100&taux=20&sens=net".to_owned(),
            "sens",
        ),
        (
            "/api/v1/pret?montant=1000&taux=3&duree=12.5".to_owned(),
            "duree",
        ),
        (
            "/api/v1/pret?montant=1000&taux=3&duree=12&date=2026-01-01".to_owned(),
            "date",
        ),
        ("/api/v1/salaire-net?brut=1000".to_owned(), "pays"),
        ("/api/v1/salaire-net?pays=&brut=1000".to_owned(), "pays"),
        (
            "/api/v1/salaire-net?pays=atlantide&brut=1000".to_owned(),
            "pays",
        ),
        (
            "/api/v1/salaire-net?pays=ci&pays=sn&brut=1000".to_owned(),
            "pays",
        ),
        (
            "/api/v1/salaire-net?pays=ci%2F..%2Fsn&brut=1000".to_owned(),
            "pays",
        ),
        ("/api/v1/tva-afrique".to_owned(), "pays"),
        ("/api/v1/tva-afrique?pays=atlantide".to_owned(), "pays"),
    ] {
        let answer = server.get(&target);
        assert!(
            answer.blamed().contains(&name.to_owned()),
            "{target}: {}",
            String::from_utf8_lossy(&answer.body)
        );
    }
}

#[test]
fn all_bad_parameters_are_named_at_once() {
    let server = Server::start();
    let answer =
        server.get("/api/v1/salaire-net?pays=ci&brut=abc&parts=9&cmu=%FF&date=demain&inconnu=1");
    let blamed = answer.blamed();
    for name in ["brut", "parts", "cmu", "date", "inconnu"] {
        assert!(blamed.contains(&name.to_owned()), "{name} in {blamed:?}");
    }
    assert!(!blamed.contains(&"pays".to_owned()));
}

#[test]
fn what_is_accepted_is_told() {
    let server = Server::start();
    let body = server.get("/api/v1/salaire-net?pays=cj&brut=1").json();
    let country = reported(&body, "pays");
    assert!(
        country["attendu"].as_str().unwrap().contains("ci, cm,"),
        "{country}"
    );
    let body = server.get("/api/v1/ir?revenu=1000&part=2").json();
    let typo = reported(&body, "part");
    assert!(
        typo["motif"].as_str().unwrap().contains("`parts`"),
        "{typo}"
    );
    let body = server.get("/api/v1/ir?parts=1&revenu=12,5").json();
    let comma = reported(&body, "revenu");
    assert_eq!(comma["valeur_recue"], "12,5");
    assert!(
        comma["motif"].as_str().unwrap().contains("virgule"),
        "{comma}"
    );
    let body = server.get("/api/v1/tva-afrique?pays=senegla").json();
    let near = reported(&body, "pays");
    assert!(
        near["motif"].as_str().unwrap().contains("`senegal`"),
        "{near}"
    );
}

#[test]
fn without_a_country_only_what_no_country_accepts_is_told() {
    let server = Server::start();
    let answer = server.get("/api/v1/salaire-net?pays=atlantide&brut=12,5&personnes=2&persones=2");
    assert_eq!(answer.blamed(), ["pays", "persones", "brut"]);
    // Each country has parameters and bounds of its own.
    for name in ["persones", "brut"] {
        assert_eq!(reported(&answer.json(), name)["attendu"], "selon `pays`");
    }
}

#[test]
fn a_long_value_is_echoed_in_part_only() {
    let server = Server::start();
    let body = server
        .get(&format!("/api/v1/ir?parts=1&revenu={}", "x".repeat(3000)))
        .json();
    assert!(
        reported(&body, "revenu")["valeur_recue"]
            .as_str()
            .unwrap()
            .chars()
            .count()
            <= 65
    );
    let answer = server.get(&format!("/api/v1/ir?{}=1", "x".repeat(3000)));
    assert!(answer.body.len() < 3000, "{} bytes", answer.body.len());
    let many = server.get(&format!("/api/v1/ir?{}", "a=%ZZ&".repeat(600)));
    assert_eq!(many.status, 400);
    assert!(many.body.len() < 20_000, "{} bytes", many.body.len());
}

/// A call that is right, then broken, completed or not, in any way.
fn calls() -> impl Strategy<Value = String> {
    let right = prop::sample::select([&RIGHT[..], &["tva-afrique?", "ir?"]].concat());
    let name = prop_oneof![
        4 => prop::sample::select(vec![
            "revenu", "parts", "brut", "pays", "montant", "taux", "sens", "duree", "date", "annee", "detail", "cadre",
            "situation", "statut", "enfants", "age", "cmu", "echeancier", "mois", "charges", "personnes",
        ]).prop_map(str::to_owned),
        1 => "[a-zA-Z0-9_%+.~-]{0,12}",
    ];
    let value = prop_oneof![
        4 => "[0-9]{1,7}(\\.[0-9]{1,3})?",
        3 => prop::sample::select(vec![
            "", "0", "-0", "-1", "1e9", "NaN", "inf", "12,5", "1.", ".5", "+1", "%2B1", "true", "oui", "ci", "sn", "ma",
            "be", "qc", "senegal", "ttc", "ht", "2026-01-01", "2026-02-30", "0000-00-00", "9999-12-31", "2024", "99999",
            "%", "%00", "%FF", "%C3%A9", "%E2%82", "79228162514264337593543950335", "0.0000000000000000000000000001",
        ]).prop_map(str::to_owned),
        1 => "[!-;=?-~]{0,40}",
        1 => "[0-9]{150,250}",
    ];
    let pair = (name, prop::option::weighted(0.95, value))
        .prop_map(|(name, value)| value.map_or(name.clone(), |value| format!("{name}={value}")));
    let more = prop::collection::vec(pair, 0..4).prop_map(|pairs| pairs.join("&"));
    // Cut anywhere, or not at all.
    (
        right,
        more,
        prop::option::weighted(0.2, any::<prop::sample::Index>()),
    )
        .prop_map(|(right, more, cut)| {
            let mut call = format!("/api/v1/{right}&{more}");
            if let Some(cut) = cut {
                call.truncate(cut.index(call.len()).max("/api/v1/tva-afrique?".len()));
            }
            call
        })
}

#[test]
fn no_query_breaks_anything() {
    let server = Server::start_with(&["--log", "info,access=off"]);
    let connection = RefCell::new(Connection::open(server.address()).unwrap());
    let (good, bad) = (Cell::new(0_u32), Cell::new(0_u32));
    let mut runner = TestRunner::new(Config {
        cases: 6000,
        failure_persistence: None,
        ..Config::default()
    });
    let outcome = runner.run(&calls(), |target| {
        let answer = connection.borrow_mut().call("GET", &target, "").unwrap();
        if answer.has("connection") {
            *connection.borrow_mut() = Connection::open(server.address()).unwrap();
        }
        match answer.status {
            200 => {
                prop_assert!(answer.json().is_object());
                good.set(good.get() + 1);
            }
            // Only what the HTTP parser itself refuses has no parameter to name.
            400 if answer.json()["code"] == "requete_illisible" => {
                *connection.borrow_mut() = Connection::open(server.address()).unwrap();
            }
            // The cut fell in the name of the endpoint.
            404 => prop_assert!(answer.json()["code"] == "adresse_inconnue"),
            400 => {
                prop_assert!(!answer.blamed().is_empty(), "{target}");
                bad.set(bad.get() + 1);
            }
            status => prop_assert!(false, "{status} to {target}"),
        }
        Ok(())
    });
    outcome.unwrap();
    println!("{} good, {} bad", good.get(), bad.get());
    assert!(
        server.log().iter().all(|event| event["level"] != "ERROR"),
        "{:?}",
        server.log()
    );
}
