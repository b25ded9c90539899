//! A year of corrections, replayed: each answer is had again by its version, byte for byte, and
//! each receipt holds, from a file and from a database, after restarts and a restore.

use std::path::Path;
use std::process::Command;

use harness::{Answer, Cluster, Rules, SIGNING_KEY, Server, binary, built, pem, write_private};
use serde_json::Value;

use crate::backups::{back_up, restore};
use crate::desk::Desk;

const IR: &str = "/api/v1/ir?revenu=40000&date=2026-06-30&detail=true";

const FILE: &str = "ir/2026-01-01.yaml";

/// The bound of the second bracket in the scale, and the months that correct it, each by a sum so
/// small that the check does not doubt it.
const BOUND: u32 = 29_579;
const STEP: u32 = 10;
const MONTHS: u32 = 12;

/// The same with the separator of rule files.
fn written(bound: u32) -> String {
    format!("{{up_to: {} {:03}, ", bound / 1000, bound % 1000)
}

/// The tax on 40 000 by hand: 11 % from 11 600 to the bound and 30 % of the rest, to the nearest
/// euro.
fn tax(bound: u32) -> u32 {
    (11 * (bound - 11_600) + 30 * (40_000 - bound) + 50) / 100
}

/// The answers of a month.
struct Month {
    tax: u32,
    answer: Answer,
    receipt: Answer,
}

impl Month {
    fn version(&self) -> String {
        self.answer.json()["version"].as_str().unwrap().to_owned()
    }
}

struct Year<'d> {
    desk: &'d Desk,
    months: Vec<Month>,
}

impl Year<'_> {
    /// A service on the first day of a month, by the same key.
    fn started(&self, month: u32) -> Server {
        let key = self.desk.place().join("key.pem");
        if !key.exists() {
            write_private(&key, &pem("PRIVATE", SIGNING_KEY));
        }
        let (year, month) = (2026 + (6 + month) / 12, (6 + month) % 12 + 1);
        let clock = format!("{year}-{month:02}-01T12:00:00Z");
        let flags = ["--log", "info,access=off", "--clock", &clock];
        let signing = ["--signing-key-file", key.to_str().unwrap()];
        self.desk.serve(&[flags.as_slice(), &signing].concat())
    }

    fn answered(&mut self, server: &Server, tax: u32) {
        let answer = server.get(IR);
        assert_eq!(answer.json()["impot_net"], tax, "{}", answer.json());
        let receipt = server.get(&format!("{IR}&recu=true"));
        assert_eq!(receipt.json()["impot_net"], tax);
        self.months.push(Month {
            tax,
            answer,
            receipt,
        });
    }

    /// Each month is answered as it was, by the version that its answer named.
    fn is_had_again(&self, server: &Server) {
        for (month, then) in self.months.iter().enumerate() {
            let again = server.get(&format!("{IR}&version={}", then.version()));
            assert!(again.body == then.answer.body, "{month}: {}", again.json());
        }
    }

    /// Each receipt is computed again by the sets that the service exports.
    fn is_proved(&self, server: &Server, sets: &Path) {
        let keys = self.desk.place().join("jwks.json");
        std::fs::write(&keys, server.get("/.well-known/jwks.json").body).unwrap();

        for then in &self.months {
            let receipt = self.desk.place().join("receipt.json");
            std::fs::write(&receipt, &then.receipt.body).unwrap();
            let mut command = Command::new(built("bareme"));
            command.args(["verify", "--format", "json", "--keys"]);
            command.arg(&keys).arg("--archive").arg(sets).arg(&receipt);
            let output = command.output().unwrap();

            let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
            let calculation = &shown["calculs"][0];
            assert_eq!(calculation["verdict"], "identique", "{shown}");
            assert_eq!(then.receipt.json()["impot_net"], then.tax);
        }
    }

    /// Writes the sets that the store keeps, and how many these are.
    fn exported(&self, to: &Path) -> String {
        let mut command = Command::new(binary());
        command.args(["rules", "export", "--to"]).arg(to);
        command.args(["--store", self.desk.store()]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    }
}

/// Waits until the set of this number is kept.
fn kept(server: &Server, number: u32) {
    server.logged(|line| line["message"] == "rule set kept" && line["number"] == number);
}

fn a_year_is_had_again(desk: &Desk) {
    let mut year = Year {
        desk,
        months: Vec::new(),
    };

    // 1. Each month corrects the figure of the one before: a running service in the first half of
    // the year, one that is started again in the second.
    let mut server = year.started(0);
    kept(&server, 1);
    year.answered(&server, tax(BOUND));
    for month in 1..=MONTHS {
        let (before, after) = (BOUND + STEP * (month - 1), BOUND + STEP * month);
        if month > MONTHS / 2 {
            drop(server);
            server = year.started(month);
        }
        desk.rules()
            .replace(FILE, &written(before), &written(after));
        kept(&server, month + 1);
        year.answered(&server, tax(after));
        if month.is_multiple_of(6) {
            year.is_had_again(&server);
        }
    }

    // 2. All of them are different laws, proved by the sets that were kept.
    let mut versions: Vec<String> = year.months.iter().map(Month::version).collect();
    versions.sort();
    versions.dedup();
    assert_eq!(versions.len(), year.months.len());
    let sets = desk.place().join("sets");
    assert_eq!(
        year.exported(&sets),
        "13 rule sets written, of 13 that are kept\n"
    );
    year.is_proved(&server, &sets);

    // 3. A file is restored from a copy that was made before the last correction of all.
    if desk.is_shared() {
        return;
    }
    let copy = desk.place().join("copy.db");
    assert!(back_up(desk, &copy).status.success());
    let (before, after) = (BOUND + STEP * MONTHS, BOUND + STEP * (MONTHS + 1));
    desk.rules()
        .replace(FILE, &written(before), &written(after));
    kept(&server, MONTHS + 2);
    drop(server);
    restore(desk, &copy);
    let server = year.started(MONTHS + 1);
    kept(&server, MONTHS + 2);
    year.answered(&server, tax(after));
    year.is_had_again(&server);
}

fn rules() -> Rules {
    let rules = Rules::small().without_cases();
    // By hand: 1 977.69 + 3 126.30.
    assert_eq!(tax(BOUND), 5_104);
    rules
}

#[test]
fn a_year_of_corrections_is_had_again_from_a_file() {
    a_year_is_had_again(&Desk::new().with_rules(rules()));
}

#[test]
fn a_year_of_corrections_is_had_again_from_a_database() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    a_year_is_had_again(&Desk::on(cluster.address()).with_rules(rules()));
}
