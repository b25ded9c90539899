//! Any bytes as the path and the query of a GET: answered, or refused with a stable code and the
//! name of each bad parameter.

use super::service::{asked, check_answer};
use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "query",
    seeds,
    tokens: &TOKENS,
    check,
};

const TOKENS: [&str; 40] = [
    "&",
    "=",
    "%",
    "%00",
    "%FF",
    "%C3%A9",
    "+",
    ";",
    "net=",
    "cout=",
    "date=",
    "annee=",
    "detail=true",
    "employeur=true",
    "periode=annuel",
    "champs=",
    "2026-02-29",
    "9999-12-31",
    "-0001-01-01",
    "0",
    "-0",
    "-1",
    "1e9",
    "NaN",
    "inf",
    "12,5",
    "79228162514264337593543950335",
    "79228162514264337593543950336",
    "0.0000000000000000000000000001",
    "999999999999.99",
    "true",
    "oui",
    "/",
    "/annee",
    "/ci",
    "/lot/",
    "api/v1/",
    "api-docs/v1/",
    "simulateurs/",
    "baremes/",
];

fn seeds() -> Vec<Vec<u8>> {
    let calls = harness::RIGHT.iter().map(|call| format!("api/v1/{call}"));
    let more = [
        "api/v1/ir?revenu=30000&parts=2.5&date=2024-05-01&detail=true&arrondi=cent",
        "api/v1/salaire?net=2000&employeur=true&champs=brut,cout_employeur",
        "api/v1/salaire/annee?annee=2026&brut=2600&primes=0;0;0;0;0;1000;0;0;0;0;0;2600",
        "api/v1/salaire-net/ci/annee?annee=2025&brut=350000;360000",
        "api/v1/pret?montant=200000&duree=240&taux=3.5&echeancier=true&assurance=0.36",
        "api-docs/v1/ir?revenu=45000&parts=1",
        "api/v1/baremes/ir?date=2026-01-01",
        "api/v1/changements?depuis=2025-01-01",
        "simulateurs/ir?revenu=30000&parts=1",
        "baremes/tva?date=2026-01-01",
    ];
    calls
        .chain(more.map(str::to_owned))
        .map(String::into_bytes)
        .collect()
}

/// The target of the request, as clients write it: characters that it cannot hold are encoded, `%`,
/// `&` and `=` are not.
fn target(bytes: &[u8]) -> String {
    let encoded = bytes.iter().map(|byte| match byte {
        b'!'..=b'~' if !b"\"#<>\\^`{|}".contains(byte) => char::from(*byte).to_string(),
        other => format!("%{other:02X}"),
    });
    std::iter::once("/".to_owned()).chain(encoded).collect()
}

fn check(bytes: &[u8]) -> bool {
    let target = target(&bytes[..bytes.len().min(4000)]);
    let answer = asked(|connection| connection.call("GET", &target, ""));
    check_answer(&answer);
    answer.status == 200
}
