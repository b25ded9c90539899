//! Years of pays: beside an independent program, and as a caller meets them.

use std::process::Command;

use harness::{Connection, Rules, Server, repository};
use serde_json::{Value, json};

/// A year of the default executive-less employee, with a bonus in December.
const YEAR: &str = "/api/v1/salaire/annee?annee=2026&brut=2600&primes=0;0;0;0;0;0;0;0;0;0;0;2600";

/// Runs `tests/year/compare.py` on a service. `BAREME_YEAR_MONTHS` and `BAREME_YEAR_PAYS` make it
/// compare more.
#[test]
fn years_of_france_are_those_of_an_independent_program() {
    let asked = |name: &str, usual: &str| std::env::var(name).unwrap_or_else(|_| usual.to_owned());
    let (months, pays) = (
        asked("BAREME_YEAR_MONTHS", "240"),
        asked("BAREME_YEAR_PAYS", "60"),
    );
    let rules = Rules::copy();
    let server = Server::with(&rules.root(), &["--log", "info,access=off"]);
    let output = Command::new("python3")
        .arg(repository().join("tests/year/compare.py"))
        .arg(format!("http://{}", server.address()))
        .args(["--months", &months, "--alone", &pays])
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    println!("{said}");
    assert!(output.status.success(), "{said}");
    assert!(said.contains("months compared, 0 amounts differ"), "{said}");
}

#[test]
fn a_year_is_answered_as_a_calculation_is() {
    let server = Server::start();
    let answer = server.get(YEAR);
    assert_eq!(answer.status, 200, "{answer:?}");
    let year = answer.json();
    let members: Vec<&String> = year.as_object().unwrap().keys().collect();
    assert_eq!(
        members,
        [
            "annee",
            "mois",
            "total",
            "references",
            "version",
            "citation"
        ]
    );
    assert_eq!(year["mois"].as_array().unwrap().len(), 12);
    let number = |month: usize, name: &str| year["mois"][month][name].as_f64().unwrap();
    assert_eq!((number(0, "net"), number(11, "net")), (2058.15, 4116.31));
    assert_eq!(year["total"]["net"], json!(26755.96));
    // The scale of each month is its own.
    let in_force = |month: usize| year["mois"][month]["bareme_en_vigueur"].clone();
    assert_eq!(
        [in_force(0), in_force(4), in_force(5)],
        ["2026-01-01", "2026-05-01", "2026-06-01"]
    );

    // A parameter that is repeated is the same list, and one value is that of every month.
    let repeated = "&primes=".to_owned() + &["0"; 11].join("&primes=") + "&primes=2600";
    let again = server.get(&format!(
        "/api/v1/salaire/annee?annee=2026&brut=2600{repeated}"
    ));
    assert_eq!(again.body, answer.body);
    let of_brut = "2600;".repeat(11) + "2600";
    let listed = server.get(&format!(
        "/api/v1/salaire/annee?annee=2026&brut={of_brut}{repeated}"
    ));
    assert_eq!(listed.body, answer.body);

    let mut connection = Connection::open(server.address()).unwrap();
    let etag = answer.header("etag").to_owned();
    assert_eq!(
        connection
            .call("GET", YEAR, &format!("If-None-Match: {etag}\r\n"))
            .unwrap()
            .status,
        304
    );
    let options = connection.call("OPTIONS", YEAR, "").unwrap();
    assert_eq!(
        (options.status, options.header("allow")),
        (200, "GET, HEAD, OPTIONS")
    );
    let zipped = connection
        .call("GET", YEAR, "Accept-Encoding: gzip\r\n")
        .unwrap();
    assert_eq!(zipped.header("content-encoding"), "gzip");
    assert!(
        zipped.body.len() * 5 < answer.body.len(),
        "{}",
        zipped.body.len()
    );

    let chosen = server.get(&format!("{YEAR}&champs=net,version")).json();
    assert_eq!(chosen["mois"][11], json!({"mois": 12, "net": 4116.31}));
    assert_eq!(chosen["total"], json!({"net": 26755.96}));
    assert!(
        chosen["version"].is_string() && chosen["references"].is_null(),
        "{chosen}"
    );
    // A month alone in the other variant too.
    let other = server
        .get("/api-docs/v1/salaire/annee?annee=2026&brut=2600&dernier_mois=1")
        .json();
    assert_eq!(other["mois"].as_array().unwrap().len(), 1);
}

#[test]
fn a_year_counts_as_one_call() {
    harness::avoid_midnight();
    let server = Server::with(&repository().join("rules"), &[]);
    let left = |target: &str| {
        let limit = server.get(target).header("ratelimit").to_owned();
        let (_, rest) = limit.split_once("r=").unwrap();
        rest.split(';').next().unwrap().parse::<u32>().unwrap()
    };
    let before = left(YEAR);
    assert_eq!(left(YEAR), before - 1);
    let posted = Connection::open(server.address())
        .unwrap()
        .post(
            "/api/v1/lot/salaire/annee",
            "application/json",
            br#"[{"annee":2026,"brut":2600},{"annee":2026,"brut":3000}]"#,
            "",
        )
        .unwrap();
    assert_eq!(posted.status, 200);
    assert_eq!(left(YEAR), before - 4);
}

/// Parameter, code and month of everything that a refusal names.
fn blamed(problem: &Value) -> Vec<(String, String, Option<u64>)> {
    let text = |bad: &Value, name: &str| bad[name].as_str().unwrap().to_owned();
    let told = |bad: &Value| (text(bad, "nom"), text(bad, "code"), bad["mois"].as_u64());
    problem["parametres"]
        .as_array()
        .unwrap()
        .iter()
        .map(told)
        .collect()
}

#[test]
fn everything_that_is_wrong_is_named_with_its_month() {
    let server = Server::start();
    let refused = |query: &str| {
        let problem = server
            .get(&format!("/api/v1/salaire/annee?{query}"))
            .problem(400, "parametres_invalides");
        blamed(&problem)
    };
    let bad =
        |name: &str, code: &str, month: Option<u64>| (name.to_owned(), code.to_owned(), month);
    assert_eq!(
        refused("annee=2026&premier_mois=3&brut=2600;-1;x&primes=0;0;-5"),
        [
            bad("brut", "hors_bornes", Some(4)),
            bad("brut", "format", Some(5)),
            bad("primes", "hors_bornes", Some(5)),
        ]
    );
    assert_eq!(
        refused("annee=2026&brut=1;2;3&primes=1;2"),
        [bad("primes", "longueur", None)]
    );
    let thirteen = ["1"; 13].join(";");
    assert!(
        refused(&format!("annee=2026&brut={thirteen}")).contains(&bad("brut", "longueur", None))
    );
    assert!(
        refused("annee=2026&premier_mois=11&brut=1;2;3").contains(&bad("brut", "longueur", None))
    );
    assert_eq!(
        refused("annee=2026&dernier_mois=4&brut=1;2"),
        [bad("brut", "longueur", None)]
    );
    assert_eq!(
        refused("annee=2026&premier_mois=5&dernier_mois=3&brut=1"),
        [bad("dernier_mois", "incompatible", None)]
    );
    for name in ["date", "net", "cout", "periode"] {
        let value = if name == "date" {
            "2026-01-01"
        } else if name == "periode" {
            "annuel"
        } else {
            "2000"
        };
        let told = refused(&format!("annee=2026&brut=2600&{name}={value}"));
        assert!(
            told.contains(&bad(name, "incompatible", None)),
            "{name}: {told:?}"
        );
    }
    assert!(refused("annee=2026&brut=1;2&brut=3").contains(&bad("brut", "incompatible", None)));
    assert!(
        refused("annee=2026&brut=2600&cadre=true;false").contains(&bad(
            "cadre",
            "incompatible",
            None
        ))
    );
    assert!(refused("brut=2600").contains(&bad("annee", "manquant", None)));
    assert!(refused("annee=2026&brut=2600&prime=3").contains(&bad("prime", "inconnu", None)));
    assert_eq!(
        refused("annee=2026&brut=2600;;2600"),
        [bad("brut", "manquant", Some(2))]
    );
}

#[test]
fn a_year_that_cannot_be_read_hides_nothing_else() {
    let server = Server::start();
    let refused = |query: &str| {
        let problem = server
            .get(&format!("/api/v1/salaire/annee?{query}"))
            .problem(400, "parametres_invalides");
        blamed(&problem)
    };
    let bad =
        |name: &str, code: &str, month: Option<u64>| (name.to_owned(), code.to_owned(), month);
    let others = [
        bad("premier_mois", "hors_bornes", None),
        bad("prime", "inconnu", None),
        bad("cadre", "format", None),
        bad("brut", "format", Some(2)),
    ];
    let rest = "premier_mois=13&brut=2600;x&prime=1&cadre=peut-etre";
    for (year, code) in [
        ("", "manquant"),
        ("annee=", "manquant"),
        ("annee=abc", "format"),
        ("annee=2026&annee=2025", "repete"),
    ] {
        assert_eq!(
            refused(&format!("{year}&{rest}")),
            [&[bad("annee", code, None)][..], &others].concat(),
            "{year}"
        );
    }
    let thirteen = ["2600"; 13].join(";");
    assert_eq!(
        refused(&format!("brut={thirteen}")),
        [
            bad("annee", "manquant", None),
            bad("brut", "longueur", None)
        ]
    );
    // Before the first scale, and after the last month.
    assert_eq!(
        refused("annee=1990&brut=2600&prime=1"),
        [
            bad("prime", "inconnu", None),
            bad("annee", "sans_bareme", None)
        ]
    );
    assert_eq!(
        refused("annee=2026&premier_mois=9&dernier_mois=3&brut=1;2;3"),
        [bad("dernier_mois", "incompatible", None)]
    );
    // A year asks for no net: the missing gross is all that there is to say.
    let missing = server
        .get("/api/v1/salaire/annee?annee=2026")
        .problem(400, "parametres_invalides");
    assert!(
        !missing["parametres"][0]["attendu"]
            .as_str()
            .unwrap()
            .contains("net"),
        "{missing}"
    );
}

#[test]
fn many_faults_are_told_once_each_and_soon() {
    let server = Server::start();
    let flood: String = (0..250).map(|number| format!("&a{number}=1")).collect();
    let started = std::time::Instant::now();
    let problem = server.get(&format!(
        "/api/v1/salaire/annee?annee=2026&brut=2600{flood}"
    ));
    // It took forty seconds when each month told each of them and compared it with all the others.
    assert!(started.elapsed().as_secs() < 15, "{:?}", started.elapsed());
    let told = blamed(&problem.problem(400, "parametres_invalides"));
    assert!(
        told.iter().all(|(name, code, month)| name.starts_with('a')
            && code == "inconnu"
            && month.is_none())
    );
    let row = format!("[{{\"annee\":2026{}}}]", ",\"brut\":1".repeat(100_000));
    let mut connection = Connection::open(server.address()).unwrap();
    let answer = connection
        .post(
            "/api/v1/lot/salaire/annee",
            "application/json",
            row.as_bytes(),
            "",
        )
        .unwrap();
    let told = blamed(&answer.json()[0]["erreur"]);
    assert!(
        told.iter()
            .any(|(name, code, _)| name == "brut" && code == "trop_de_parametres"),
        "{told:?}"
    );
}

#[test]
fn a_calculation_without_a_year_says_so() {
    let server = Server::start();
    for path in [
        "/api/v1/salaire-net/ci/annee",
        "/api/v1/ir/annee",
        "/api/v1/lot/salaire-net/ga/annee",
    ] {
        let problem = server.get(path).problem(404, "sans_annee");
        assert!(
            problem["detail"]
                .as_str()
                .unwrap()
                .contains("année de paies"),
            "{problem}"
        );
    }
    for path in [
        "/api/v1/salaire-net/annee",
        "/api/v1/salaire/annee/annee",
        "/api/v1/annee",
    ] {
        server.get(path).problem(404, "adresse_inconnue");
    }
    let documents = server.get("/api/v1/openapi.json").json();
    assert!(documents["paths"]["/api/v1/salaire/annee"]["get"].is_object());
    assert!(documents["paths"]["/api/v1/salaire-net/ci/annee"].is_null());
}

#[test]
fn a_payroll_is_a_batch_of_years() {
    let server = Server::start();
    let post = |media: &str, body: &str| {
        let mut connection = Connection::open(server.address()).unwrap();
        let target = "/api/v1/lot/salaire/annee?champs=net,coefficient_reduction,annee";
        connection.post(target, media, body.as_bytes(), "").unwrap()
    };
    let rows = r#"[{"annee":2026,"employeur":true,"brut":[2600,2600,2700]},{"annee":2026,"employeur":true,"brut":"2600;x"}]"#;
    let answers = post("application/json", rows).json();
    assert_eq!(answers[0]["mois"][2]["mois"], 3);
    assert_eq!(answers[1]["erreur"]["parametres"][0]["mois"], 2);
    let csv = post(
        "text/csv",
        "annee,brut,employeur,primes\n2026,2600;2600,true,0;100\n",
    );
    let text = String::from_utf8(csv.body).unwrap();
    let row = text.lines().nth(1).unwrap().split(',').collect::<Vec<_>>();
    assert_eq!(
        text.lines().next().unwrap(),
        "net,coefficient_reduction,annee,avertissements,erreur"
    );
    assert!(
        row[1]
            .split(';')
            .all(|coefficient| coefficient.starts_with("0."))
            && row[2] == "2026",
        "{text}"
    );
    // A column that no year has is refused before anything is charged.
    let unknown =
        post("text/csv", "annee,brut,prime\n2026,2600,1\n").problem(400, "parametres_invalides");
    assert_eq!(
        blamed(&unknown),
        [("prime".to_owned(), "inconnu".to_owned(), None)]
    );
}
