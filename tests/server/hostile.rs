//! Rule files that are damaged, hostile, or not files at all: the rules in force go on answering,
//! and what is wrong is said.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use harness::{Load, Rules, Server, copy_folder, eventually};
use serde_json::{Value, json};

const METHOD: &str = "salaire-net/ci/method.yaml";
const PAY: &str = "/api/v1/salaire-net?pays=ci&brut=350000&parts=2.5&date=2026-06-30";

fn reload(server: &Server) -> Value {
    let ready = server.get("/readyz");
    assert_eq!(ready.status, 200, "a good set still serves");
    ready.json()["reload"].clone()
}

/// Codes and files of the errors of the last reading, each once.
fn reported(server: &Server) -> Vec<String> {
    let outcome = reload(server);
    let errors = outcome["erreurs"].as_array().unwrap().iter();
    let mut reported: Vec<String> = errors
        .map(|error| {
            format!(
                "{} {}",
                error["code"].as_str().unwrap(),
                error["fichier"].as_str().unwrap()
            )
        })
        .collect();
    reported.dedup();
    reported
}

#[test]
fn a_formula_without_end_is_refused_and_kills_nothing() {
    let rules = Rules::copy();
    let server = Server::with(&rules.root(), &[]);
    let before = server.get(PAY).body;
    let method = rules.read(METHOD);
    for part in ["brut + ", "1*", "true and "] {
        let formula = format!("  sans_fin: {}1\nanswer:\n", part.repeat(20_000));
        rules.write(METHOD, &method.replacen("answer:\n", &formula, 1));
        eventually("the formula is refused", || {
            reported(&server)
                .iter()
                .any(|error| error.ends_with(METHOD))
        });
        assert_eq!(server.get(PAY).body, before);
        // Nor does it keep the service from starting.
        assert_eq!(
            Server::with(&rules.root(), &[]).get("/readyz").json()["status"],
            "degrade"
        );
    }
    rules.write(METHOD, &method);
    eventually("the mistake is fixed", || {
        reload(&server)["etat"] == "a_jour"
    });
}

#[test]
fn what_is_no_file_is_told_and_stops_nothing() {
    let rules = Rules::copy();
    let mut server = Server::with(&rules.root(), &[]);
    let before = server.get(PAY).body;
    let place = rules.root().join("salaire-net/ci/method-x.yaml");
    let pipe = || {
        assert!(
            Command::new("mkfifo")
                .arg(&place)
                .status()
                .unwrap()
                .success()
        )
    };
    let device = || symlink("/dev/zero", &place).unwrap();
    let circle = || symlink(rules.root(), &place).unwrap();
    let huge = || File::create(&place).unwrap().set_len(2 << 30).unwrap();
    let kinds: [(&str, &dyn Fn()); 4] = [
        ("M10", &pipe),
        ("M10", &device),
        ("M11", &circle),
        ("L01", &huge),
    ];
    for (code, make) in kinds {
        make();
        let wanted = format!("{code} salaire-net/ci/method-x.yaml");
        eventually("the error is reported", || {
            reported(&server) == [wanted.as_str()]
        });
        assert_eq!(server.get(PAY).body, before);
        fs::remove_file(&place).unwrap();
        eventually("the reading goes on", || {
            reload(&server)["etat"] == "a_jour"
        });
    }
    pipe();
    server.terminate();
    assert_eq!(server.ended_within(Duration::from_secs(15)).code(), Some(0));
}

#[test]
fn the_law_of_a_country_is_not_served_under_the_name_of_another() {
    let rules = Rules::copy();
    let server = Server::with(&rules.root(), &[]);
    let devise = || server.get("/api/v1/salaire-net?pays=sn&brut=350000").json()["devise"].clone();
    assert_eq!(devise(), "XOF");
    fs::remove_dir_all(rules.root().join("salaire-net/sn")).unwrap();
    copy_folder(
        &rules.root().join("salaire-net/ma"),
        &rules.root().join("salaire-net/sn"),
    );
    eventually("it is refused", || {
        reported(&server) == ["M08 salaire-net/sn/method.yaml"]
    });
    assert_eq!(devise(), "XOF");
}

#[test]
fn a_copy_slower_than_the_watch_never_serves_half_of_the_countries() {
    let rules = Rules::copy();
    copy_folder(&rules.root(), &rules.beside("new"));
    let server = Server::with(&rules.root(), &["--log", "info,access=off"]);
    let load = Load::start(server.address(), PAY, |answer| {
        answer["net_mensuel"].to_string()
    });
    let folder = rules.root().join("salaire-net");
    fs::remove_dir_all(&folder).unwrap();
    for country in ["be", "cd", "ch"] {
        copy_folder(
            &rules.beside("new/salaire-net").join(country),
            &folder.join(country),
        );
        sleep(Duration::from_secs(2));
    }
    eventually("the wait is reported", || {
        reload(&server)["etat"] == "en_attente"
    });
    let waits = reload(&server);
    assert!(
        waits["disparus"]
            .as_array()
            .unwrap()
            .contains(&json!(METHOD)),
        "{waits}"
    );
    copy_folder(&rules.beside("new/salaire-net"), &folder);
    eventually("the whole set is in force", || {
        reload(&server)["etat"] == "a_jour"
    });
    assert_eq!(load.stop().len(), 1, "the country answered all the time");
}
