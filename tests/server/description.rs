//! The description of the interface is the interface: what it says is what is enforced.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use harness::{Connection, Server, repository};
use serde::Deserialize;
use serde_json::{Value, json};

pub(crate) fn described(server: &Server) -> Value {
    server.get("/api/v1/openapi.json").json()
}

/// A schema of the document, with the document around it so that references hold.
pub(crate) fn validator(document: &Value, schema: &Value) -> jsonschema::Validator {
    let mut whole = schema.as_object().unwrap().clone();
    whole.insert("components".into(), document["components"].clone());
    jsonschema::draft202012::new(&Value::Object(whole)).unwrap()
}

/// The paths of the data behind the answers, below a prefix.
const DATA: [&str; 10] = [
    "",
    "/baremes",
    "/changements",
    "/baremes/{dossier}",
    "/baremes/{dossier}/{date}",
    "/baremes/salaire-net/{pays}",
    "/baremes/salaire-net/{pays}/{date}",
    "/baremes/salaire-minimum/{pays}",
    "/baremes/salaire-minimum/{pays}/{date}",
    "/pays",
];

/// The endpoints of the first variant, in the order in which they are described.
const ENDPOINTS: [&str; 25] = [
    "ir",
    "foyer",
    "contributions-hauts-revenus",
    "salaire",
    "tva",
    "pret",
    "salaire-net",
    "salaire-minimum",
    "tva-afrique",
    "succession",
    "donation",
    "ifi",
    "frais-acquisition",
    "plus-value-immobiliere",
    "bareme-kilometrique",
    "indemnite-licenciement",
    "is",
    "dividendes",
    "micro-entreprise",
    "independant",
    "statuts",
    "indemnites-journalieres",
    "chomage",
    "succession/partage",
    "tva/facture",
];

#[test]
fn each_variant_describes_its_own_paths() {
    let server = Server::start();
    for (prefix, endpoints, data) in [
        ("/api/v1", &ENDPOINTS[..], &DATA[..]),
        // It has no family.
        (
            "/api-docs/v1",
            &["ir", "salaire", "tva", "pret"][..],
            &DATA[..5],
        ),
    ] {
        let answer = server.get(&format!("{prefix}/openapi.json"));
        let document = answer.json();
        assert!(answer.has("etag"));
        server
            .get(&format!("{prefix}/openapi.json?version=3.0"))
            .problem(400, "parametres_invalides");
        assert_eq!(document["openapi"], "3.1.1");
        assert_eq!(document["info"]["version"], "v1");

        let paths: Vec<String> = document["paths"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        let paths: Vec<String> = paths
            .into_iter()
            .filter(|path| !path.ends_with("/annee"))
            .collect();
        let below = |name: &str| {
            if ["salaire-net", "salaire-minimum"].contains(&name) {
                countries(name)
            } else {
                Vec::new()
            }
        };
        let calculations: Vec<String> = endpoints
            .iter()
            .flat_map(|name| std::iter::once((*name).to_owned()).chain(below(name)))
            .collect();
        let described: Vec<String> = (calculations.iter().map(|name| format!("{prefix}/{name}")))
            .chain(
                calculations
                    .iter()
                    .map(|name| format!("{prefix}/lot/{name}")),
            )
            .chain(data.iter().map(|below| format!("{prefix}{below}")))
            .chain(["/cle".to_owned()])
            .collect();
        assert_eq!(paths, described);

        assert_eq!(
            document["servers"],
            json!([{"url": "https://bareme.example"}])
        );
        let key = &document["components"]["securitySchemes"]["cle"];
        assert_eq!(
            (&key["in"], &key["name"]),
            (&json!("header"), &json!("X-API-Key"))
        );
        check_statuses(&document);
    }
}

/// Every operation describes each status with which the service may answer.
fn check_statuses(document: &Value) {
    for operation in document["paths"]
        .as_object()
        .unwrap()
        .values()
        .filter(|path| path["get"].is_object())
    {
        let statuses: Vec<&String> = operation["get"]["responses"]
            .as_object()
            .unwrap()
            .keys()
            .collect();
        for status in [
            "200", "304", "400", "404", "405", "414", "431", "500", "503",
        ] {
            assert!(
                statuses.contains(&&status.to_owned()),
                "{status} in {statuses:?}"
            );
        }
    }
}

#[test]
fn years_of_pays_have_paths_of_their_own() {
    let document = described(&Server::start());
    let paths = document["paths"]
        .as_object()
        .unwrap()
        .keys()
        .filter(|path| path.ends_with("/annee"));
    let mut paths: Vec<&str> = paths
        .map(|path| path.strip_prefix("/api/v1/").unwrap())
        .collect();
    paths.sort_unstable();
    let countries = ["be", "ch", "lu", "ma", "qc", "sn", "tg", "tn"];
    let countries = countries.map(|country| format!("salaire-net/{country}/annee"));
    let of_one: Vec<String> = countries
        .into_iter()
        .chain(["salaire/annee".to_owned()])
        .collect();
    let lots = of_one.iter().map(|path| format!("lot/{path}"));
    let expected: Vec<String> = lots.chain(of_one.iter().cloned()).collect();
    assert_eq!(paths, expected);
}

/// The paths of the countries, below that of their family.
fn countries(family: &str) -> Vec<String> {
    let mut paths: Vec<String> = folders(&repository().join("rules").join(family))
        .iter()
        .map(|folder| format!("{family}/{}", folder.file_name().unwrap().to_str().unwrap()))
        .collect();
    paths.sort();
    paths
}

#[test]
fn a_country_is_described_with_its_own_parameters_and_its_own_answer() {
    let server = Server::start();
    let document = described(&server);

    for path in countries("salaire-net") {
        let operation = &document["paths"][format!("/api/v1/{path}")]["get"];
        let scale = server.get(&format!("/api/v1/baremes/{path}")).json();
        let names = |list: &Value, name: &str| -> Vec<String> {
            list.as_array()
                .unwrap()
                .iter()
                .map(|item| item[name].as_str().unwrap().to_owned())
                .collect()
        };
        let mut own = names(&scale["parametres"], "nom");
        own.extend(["date", "annee", "detail", "version", "connu_le", "recu"].map(str::to_owned));
        let mut described = names(&operation["parameters"], "name");
        own.sort();
        described.sort();
        assert_eq!(described, own, "{path}");
        let answer =
            &operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"];
        let schema = document
            .pointer(answer.as_str().unwrap().strip_prefix('#').unwrap())
            .unwrap();
        assert_eq!(
            schema["properties"]["pays"]["const"],
            path.rsplit('/').next().unwrap()
        );
    }
}

#[test]
fn every_error_has_the_described_shape() {
    let server = Server::start();
    let document = described(&server);
    let problem = validator(&document, &json!({"$ref": "#/components/schemas/Probleme"}));

    for target in [
        "/nowhere",
        "/api/v1/ir",
        "/api/v1/ir?revenu=x&y=1",
        "/api/v1/salaire-net",
        "/api/v1/tva-afrique?pays=%FF",
    ] {
        let body = server.get(target).json();
        assert!(
            problem.is_valid(&body),
            "{:?} in {body}",
            problem
                .iter_errors(&body)
                .next()
                .map(|error| error.to_string())
        );
    }
}

/// The worked cases of a folder: what is sent, and whether it is refused.
#[derive(Deserialize)]
struct Cases {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    date: Option<String>,
    year: Option<u16>,
    /// The day of a draft that answers, which nobody serves.
    scale: Option<String>,
    #[serde(default)]
    given: BTreeMap<String, String>,
    refuse: Option<String>,
}

#[test]
fn every_worked_case_is_answered_as_described() {
    let server = Server::start_with(&["--log", "info,access=off"]);
    let document = described(&server);
    let mut connection = Connection::open(server.address()).unwrap();
    let mut answered = 0;

    for folder in folders(&repository().join("rules")) {
        let path = folder
            .strip_prefix(repository().join("rules"))
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        let (endpoint, country) = path
            .split_once('/')
            .map_or((path.as_str(), None), |(family, word)| (family, Some(word)));
        // An endpoint may be below another: `tva/facture`.
        let address = |name: &str| {
            let paths = document["paths"].as_object().unwrap();
            let mut known = paths.keys();
            let direct = format!("/api/v1/{name}");
            let below = known.find(|path| path.ends_with(&format!("/{name}")));
            match paths.contains_key(&direct) {
                true => Some(direct),
                false => below.cloned(),
            }
        };
        // Nobody calls the figures that calculations read, such as the parities.
        let (Some(address), Some(own_address)) = (address(endpoint), address(&path)) else {
            continue;
        };
        let operation = &document["paths"][&address]["get"];
        let own_operation = &document["paths"][own_address]["get"];
        let schema_of = |operation: &Value| {
            operation["responses"]["200"]["content"]["application/json"]["schema"].clone()
        };
        let (own, any) = (
            validator(&document, &schema_of(own_operation)),
            validator(&document, &schema_of(operation)),
        );
        let text = fs::read_to_string(folder.join("cases.yaml")).unwrap();
        let cases: Cases = serde_yaml::from_str(&text).unwrap();
        // Years of pays have paths of their own.
        let of_path = |case: &Case| case.year.is_none() && case.scale.is_none();
        for case in cases.cases.into_iter().filter(of_path) {
            let mut sent: Vec<(String, String)> = case.given.into_iter().collect();
            sent.extend(case.date.map(|date| ("date".to_owned(), date)));
            sent.extend(country.map(|word| ("pays".to_owned(), word.to_owned())));
            sent.push(("detail".to_owned(), "true".to_owned()));
            for (name, _) in &sent {
                let is_known = |operation: &Value| {
                    operation["parameters"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .any(|parameter| parameter["name"] == *name)
                };
                let is_own = is_known(own_operation) || (name == "pays" && country.is_some());
                let known = is_known(operation) && is_own;
                assert!(
                    known || case.refuse.is_some(),
                    "{path}, {}: `{name}` is not described",
                    case.name
                );
            }
            let answer = connection
                .call("GET", &format!("{address}?{}", encoded(&sent)), "")
                .unwrap();
            if answer.has("connection") {
                connection = Connection::open(server.address()).unwrap();
            }
            match case.refuse {
                Some(name) => assert!(answer.blamed().contains(&name), "{path}, {}", case.name),
                None => {
                    let body = answer.json();
                    assert_eq!(answer.status, 200, "{path}, {}: {body}", case.name);
                    for schema in [&own, &any] {
                        let fault = schema
                            .iter_errors(&body)
                            .next()
                            .map(|fault| format!("{fault} at {}", fault.instance_path()));
                        assert_eq!(fault, None, "{path}, {}: {body}", case.name);
                    }
                    assert_eq!(
                        undescribed(&document, &schema_of(own_operation), &body),
                        Vec::<String>::new(),
                        "{path}, {}",
                        case.name
                    );
                    answered += 1;
                }
            }
        }
    }

    println!("{answered} answers");
    assert!(answered > 200, "{answered} answers");
}

/// The members of an answer that its schema does not name: a new one may come, but not undescribed.
pub(crate) fn undescribed(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let schema = match schema["$ref"].as_str() {
        Some(reference) => document
            .pointer(reference.strip_prefix('#').unwrap())
            .unwrap(),
        None => schema,
    };

    match value {
        // An object whose members depend on the method has no list of them; that of a null part has
        // no other.
        Value::Object(_) if schema["anyOf"].is_array() => {
            undescribed(document, &schema["anyOf"][0], value)
        }
        Value::Object(members) if schema["properties"].is_object() => members
            .iter()
            .flat_map(|(name, value)| match &schema["properties"][name] {
                Value::Null => vec![name.clone()],
                own => undescribed(document, own, value),
            })
            .collect(),
        Value::Array(items) => items
            .iter()
            .flat_map(|item| undescribed(document, &schema["items"], item))
            .collect(),
        _ => Vec::new(),
    }
}

/// A query, with every byte encoded.
pub(crate) fn encoded(sent: &[(String, String)]) -> String {
    let encode = |text: &str| {
        text.bytes()
            .map(|byte| format!("%{byte:02X}"))
            .collect::<String>()
    };
    sent.iter()
        .map(|(name, value)| format!("{}={}", encode(name), encode(value)))
        .collect::<Vec<_>>()
        .join("&")
}

/// The folders that have worked cases.
fn folders(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if path.join("cases.yaml").exists() {
                found.push(path.clone());
            }
            found.extend(folders(&path));
        }
    }
    found
}
