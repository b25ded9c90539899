//! Hostile queries.

use std::collections::BTreeMap;
use std::thread;

use harness::{Connection, RIGHT, Random, Server};

use crate::Effort;

const CALLERS: usize = 4;

const NAMES: [&str; 20] = [
    "revenu",
    "parts",
    "brut",
    "net",
    "pays",
    "montant",
    "taux",
    "sens",
    "duree",
    "date",
    "annee",
    "detail",
    "cadre",
    "statut",
    "enfants",
    "age",
    "echeancier",
    "mois",
    "heures_sup",
    "heures_sup_montant",
];

const VALUES: [&str; 44] = [
    "",
    "0",
    "-0",
    "-1",
    "1e9",
    "1e-9",
    "NaN",
    "inf",
    "12,5",
    "1.",
    ".5",
    "+1",
    "%2B1",
    "true",
    "oui",
    "ci",
    "senegal",
    "ttc",
    "2026-01-01",
    "2026-02-30",
    "0000-00-00",
    "9999-12-31",
    "-0001-01-01",
    "2024",
    "99999",
    "%",
    "%0",
    "%00",
    "%FF",
    "%C3%A9",
    "%E2%82",
    "%ED%A0%80",
    "%0D%0AX: y",
    "'%20or%201=1--",
    "<script>",
    "../../etc/passwd",
    "${7*7}",
    "%25%25",
    "79228162514264337593543950335",
    "79228162514264337593543950336",
    "0.0000000000000000000000000001",
    "0.0049999999999999999999",
    "0x10",
    "1_000",
];

/// Sends them on a few connections: each gets an answer in JSON, without an internal error.
pub(crate) fn hostile(effort: Effort) -> String {
    let server = Server::start_with(&["--log", "info,access=off"]);
    let count = effort.of(160_000, 8_000) / CALLERS;
    let callers: Vec<_> = (0..CALLERS)
        .map(|caller| {
            let address = server.address();
            thread::spawn(move || {
                let mut random = Random::new(caller as u64 + 1);
                let mut connection = Connection::open(address).unwrap();
                let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
                for _ in 0..count {
                    let target = query(&mut random);
                    let answer = connection
                        .call("GET", &target, "")
                        .unwrap_or_else(|error| panic!("{error}: {target}"));
                    assert!(
                        matches!(answer.status, 200 | 400 | 404 | 414),
                        "{} to {target}",
                        answer.status
                    );
                    assert!(answer.json().is_object(), "{target}");
                    *statuses.entry(answer.status).or_default() += 1;
                    if answer.has("connection") {
                        connection = Connection::open(address).unwrap();
                    }
                }
                statuses
            })
        })
        .collect();
    let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
    for caller in callers {
        for (status, count) in caller.join().expect("every query is answered") {
            *statuses.entry(status).or_default() += count;
        }
    }
    assert!(server.log().iter().all(|event| event["level"] != "ERROR"));
    format!("answers by status {statuses:?}")
}

fn query(random: &mut Random) -> String {
    let mut target = format!("/api/v1/{}", random.pick(&RIGHT));
    for _ in 0..random.below(4) {
        let name = if random.percent(90) {
            random.pick(&NAMES).to_owned()
        } else {
            noise(random, 12)
        };
        let value = match random.below(10) {
            0..6 => random.pick(&VALUES).to_owned(),
            6..8 => format!("{}.{}", random.below(10_000_000), random.below(10_000)),
            8 => "9".repeat(random.below(400)),
            _ => noise(random, 40),
        };
        target.push_str(&format!("&{name}={}", value.replace(' ', "+")));
    }
    if random.percent(1) {
        target.push_str(&format!("&x={}", "1".repeat(random.below(9_000))));
    }
    if random.percent(10) {
        let least = "/api/v1/ir?".len();
        let cut = least + random.below(target.len() - least);
        target.truncate(target.floor_char_boundary(cut));
    }
    target
}

/// Random bytes that a request line may contain.
fn noise(random: &mut Random, most: usize) -> String {
    (0..random.below(most))
        .map(|_| char::from(b'!' + random.below(94) as u8))
        .filter(|sign| !"#\\^`{|}<>\"".contains(*sign))
        .collect()
}
