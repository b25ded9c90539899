//! The types, bounds and defaults of the description are those that the service enforces.

use harness::{Connection, Server};
use serde_json::{Value, json};

use crate::description::{described, encoded};

#[test]
fn described_types_and_bounds_are_those_enforced() {
    let server = Server::start_with(&["--log", "info,access=off"]);
    let document = described(&server);
    let mut tried = 0;

    for (path, operation) in document["paths"].as_object().unwrap() {
        let operation = &operation["get"];
        // Those of one folder: a family has the parameters of all.
        // Years are asked in lists: `year` tests them.
        let is_one = operation["tags"][0] == "calculs"
            && path != "/api/v1/salaire-net"
            && !path.ends_with("/annee");
        let Some(parameters) = operation["parameters"].as_array().filter(|_| is_one) else {
            continue;
        };
        let mut connection = Connection::open(server.address()).unwrap();
        let mut blamed = |sent: Vec<(String, String)>| {
            tried += 1;
            let answer = connection
                .call("GET", &format!("{path}?{}", encoded(&sent)), "")
                .unwrap();
            if answer.has("connection") {
                connection = Connection::open(server.address()).unwrap();
            }
            if answer.status == 200 {
                Vec::new()
            } else {
                faults(&answer.json())
            }
        };
        let missing = blamed(Vec::new());
        // Years have a test of their own.
        for parameter in parameters
            .iter()
            .filter(|parameter| parameter["name"] != "annee")
        {
            check_parameter(path, parameter, &missing, &mut blamed);
        }
    }

    println!("{tried} calls");
    assert!(tried > 300, "{tried} calls");
}

/// What an answer blames: the name of a parameter, and the code.
type Faults = Vec<(String, String)>;

/// Sends a parameter at and beyond its described bounds. `missing`: what is blamed of a query
/// without parameters; `blamed`: what is blamed of another one.
#[allow(clippy::float_arithmetic, reason = "bounds of a schema, not amounts")]
fn check_parameter(
    path: &str,
    parameter: &Value,
    missing: &[(String, String)],
    blamed: &mut dyn FnMut(Vec<(String, String)>) -> Faults,
) {
    let name = parameter["name"].as_str().unwrap();
    let described = &parameter["schema"];

    let reported = (name.to_owned(), "manquant".to_owned());
    let is_required = parameter["required"] == true;
    assert!(
        !is_required || missing.contains(&reported),
        "{path}: {name} is not required: {missing:?}"
    );

    // Faults of the value itself, not of what it means beside the others.
    let mut wrong = |value: &str| {
        blamed(vec![(name.to_owned(), value.to_owned())])
            .into_iter()
            .any(|(blamed, code)| {
                blamed == name
                    && [
                        "format",
                        "hors_bornes",
                        "trop_de_chiffres",
                        "valeur_inconnue",
                    ]
                    .contains(&code.as_str())
            })
    };

    for alternative in described["anyOf"]
        .as_array()
        .unwrap_or(&vec![described.clone()])
    {
        for word in alternative["enum"].as_array().into_iter().flatten() {
            let sent = word
                .as_str()
                .map_or_else(|| word.to_string(), str::to_owned);
            // Which rate goes with which territory is for the others to say.
            assert!(
                word.is_number() || !wrong(&sent),
                "{path}: {name}={word} is refused"
            );
        }

        let step = alternative["multipleOf"].as_f64().unwrap_or(1.0);
        for (bound, beyond) in [("minimum", -step), ("maximum", step)] {
            let Some(limit) = alternative[bound].as_f64() else {
                continue;
            };
            assert!(!wrong(&number(limit)), "{path}: {name}={limit} is refused");
            assert!(
                wrong(&number(limit + beyond)),
                "{path}: {name}={} is accepted",
                limit + beyond
            );
        }
        if alternative["type"] == "integer" {
            assert!(wrong("1.5"), "{path}: {name}=1.5 is accepted");
        }
    }

    if described["type"] != "string" || described["enum"].is_array() {
        assert!(
            wrong("nimporte-quoi"),
            "{path}: {name}=nimporte-quoi is accepted"
        );
    }
}

/// A path with the examples of its parameters.
fn filled(path: &str, parameters: &[Value]) -> String {
    let in_path = parameters
        .iter()
        .filter(|parameter| parameter["in"] == "path");
    in_path.fold(path.to_owned(), |path, parameter| {
        let (name, example) = (
            parameter["name"].as_str().unwrap(),
            parameter["example"].as_str().unwrap(),
        );
        path.replace(&format!("{{{name}}}"), example)
    })
}

/// Whether a query to a path is refused because of a parameter.
type Blames<'b> = &'b dyn Fn(&str, String, &str) -> bool;

/// The first year of a path is answered, and none before it.
fn check_first_year(path: &str, schema: &Value, blames: Blames) {
    let name = "annee";
    let first = schema["minimum"].as_i64().unwrap();
    assert!(!path.ends_with("ir") || first == 2023, "{first}");
    let first_of_a_family = path.ends_with("/salaire-net");
    assert!(
        first_of_a_family || !blames(path, format!("annee={first}"), name),
        "{path}: {first}"
    );
    for wrong in [first - 1, 999, 10_000] {
        assert!(
            first_of_a_family || blames(path, format!("annee={wrong}"), name),
            "{path}: {wrong}"
        );
    }
}

/// A rate of VAT is admitted in some territory.
fn check_admitted(rate: &Value, blames: Blames) {
    let (path, name) = ("/api/v1/tva", "taux");
    let territories = ["metropole", "corse", "reunion", "guyane"];
    let admitted = |territory: &&str| {
        let query = format!("montant=1&taux={rate}&territoire={territory}");
        !blames(path, query, name)
    };
    assert!(
        territories.iter().any(admitted),
        "{rate} is admitted nowhere"
    );
}

#[test]
fn years_empty_values_and_listed_rates_are_as_described() {
    let server = Server::start_with(&["--log", "info,access=off"]);
    let document = described(&server);
    let blames = |path: &str, query: String, name: &str| {
        let answer = server.get(&format!("{path}?{query}"));
        // `brut` may be missing without being required: something else may be sent instead.
        answer.status != 200
            && faults(&answer.json())
                .iter()
                .any(|(blamed, code)| blamed == name && code != "manquant")
    };

    let mut rates = 0;
    // Years are asked in lists: `year` tests them.
    for (path, operation) in document["paths"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(path, _)| !path.ends_with("/annee"))
    {
        let parameters = operation["get"]["parameters"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        let path = &filled(path, parameters);
        for parameter in parameters {
            let name = parameter["name"].as_str().unwrap();
            let schema = &parameter["schema"];
            let optional = parameter["required"] == false;
            assert_eq!(
                parameter["allowEmptyValue"] == true,
                optional,
                "{path}: {name}"
            );
            assert!(schema.get("default").is_none(), "{path}: {parameter}");
            let is_empty = schema["examples"].as_array().is_some_and(Vec::is_empty);
            assert_eq!(
                parameter.get("example").is_some(),
                !is_empty,
                "{path}: {name}: an example, or none"
            );
            // One of several optional ones may have to be sent: the first is blamed, empty or not
            // sent at all.
            let is_blamed_anyway = || blames(path, String::new(), name);
            assert!(
                !optional
                    || path.contains("salaire-net")
                    || !blames(path, format!("{name}="), name)
                    || is_blamed_anyway(),
                "{path}: {name}="
            );
            if name == "annee" {
                check_first_year(path, schema, &blames);
            }
            let listed = if path.ends_with("/tva") && name == "taux" {
                schema["x-valeurs"].as_array()
            } else {
                None
            };
            for rate in listed.into_iter().flatten() {
                check_admitted(rate, &blames);
                rates += 1;
            }
        }
    }

    assert!(rates >= 9, "{rates} rates of /tva");
    let period = &document["components"]["schemas"]["SalaireReponse"]["properties"]["periode"];
    assert_eq!(period["enum"], json!(["mensuel", "annuel"]));
    assert!(blames("/api/v1/tva", "montant=1&taux=7".to_owned(), "taux"));
    // The last decimal of an amount.
    let parameters = document["paths"]["/api/v1/pret"]["get"]["parameters"]
        .as_array()
        .unwrap();
    let fees = parameters
        .iter()
        .find(|parameter| parameter["name"] == "frais")
        .unwrap();
    assert_eq!(fees["schema"]["multipleOf"], 0.01, "{fees}");
    assert!(blames(
        "/api/v1/pret",
        "montant=1000&duree=12&taux=1&frais=1.005".to_owned(),
        "frais"
    ));
}

#[test]
fn what_not_all_scales_have_says_its_days_and_a_default_its_scale() {
    let server = Server::start();
    let document = described(&server);
    let fields = &document["components"]["schemas"]["SalaireNetCdReponse"]["properties"];
    let (started, ended) = (&fields["irpp"], &fields["ipr"]);
    let (since, until) = (
        started["x-depuis"].as_str().unwrap(),
        ended["x-jusqu-au"].as_str().unwrap(),
    );
    let says = |schema: &Value, text: String| {
        assert!(
            schema["description"].as_str().unwrap().ends_with(&text),
            "{schema}"
        );
    };

    says(started, format!(". À partir du {since}."));
    says(ended, format!(". Jusqu’au {until}."));
    assert_eq!(
        (
            &fields["net_mensuel"]["x-depuis"],
            &fields["net_mensuel"]["x-jusqu-au"]
        ),
        (&Value::Null, &Value::Null)
    );
    let has = |date: &str, field: &str| {
        let answer = server.get(&format!(
            "/api/v1/salaire-net?pays=cd&brut=500000&date={date}"
        ));
        assert_eq!(answer.status, 200, "{date}");
        answer.json().get(field).is_some()
    };

    assert_eq!((has(since, "irpp"), has(since, "ipr")), (true, false));
    assert_eq!((has(until, "irpp"), has(until, "ipr")), (false, true));
    let own = document["paths"]["/api/v1/salaire-net/bj"]["get"]["parameters"]
        .as_array()
        .unwrap();
    let rate = own
        .iter()
        .find(|parameter| parameter["name"] == "taux_at_mp")
        .unwrap();
    says(rate, "Par défaut : `2` (barème du 2026-01-01).".to_owned());
}

/// Names and codes of the bad parameters, but for a net pay that no gross pay gives: how far it
/// reaches is for the other parameters to say.
fn faults(body: &Value) -> Vec<(String, String)> {
    let text = |reported: &Value, member: &str| reported[member].as_str().unwrap().to_owned();
    let parameters = body["parametres"].as_array().unwrap().iter();
    parameters
        .filter(|reported| !text(reported, "motif").starts_with("Ne peut pas être atteint"))
        .map(|reported| (text(reported, "nom"), text(reported, "code")))
        .collect()
}

#[allow(clippy::float_arithmetic, reason = "bounds of a schema, not amounts")]
fn number(value: f64) -> String {
    format!("{value}")
}
