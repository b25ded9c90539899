//! A failing store: how it is reported, and that nothing is done after a reported failure.

use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use harness::{Connection, Server, eventually};

use crate::desk::{A, Desk, QUIET, rate_limit, with_key};
use crate::form::{JSON, post};

/// The failing components in `/readyz`.
fn failing(server: &Server) -> Vec<String> {
    let ready = server.get("/readyz");
    assert_eq!(ready.status, 200, "calls are answered all the same");
    let body = ready.json();
    let outages = body["store"]["pannes"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    assert_eq!(body["status"] == "degrade", !outages.is_empty(), "{body}");
    outages
        .iter()
        .map(|outage| outage["composant"].as_str().unwrap().to_owned())
        .collect()
}

fn lock(desk: &Desk) -> rusqlite::Connection {
    let locker = rusqlite::Connection::open(desk.file()).unwrap();
    locker.execute_batch("begin immediate").unwrap();
    locker
}

/// An address for documentation, forwarded by this machine as a proxy.
fn from(n: usize) -> String {
    format!("{JSON}X-Forwarded-For: 203.0.113.{n}\r\n")
}

#[test]
fn a_file_that_is_locked_is_told_of_until_it_can_be_written_again() {
    let desk = Desk::new();
    let [known, unseen] = [desk.issue("a", "pro"), desk.issue("a", "pro")];
    let server = desk.serve(&QUIET);
    assert_eq!(rate_limit(&with_key(&server, A, &known)).1, 9_999);
    assert_eq!(failing(&server), Vec::<String>::new());
    let locker = lock(&desk);
    with_key(&server, A, &known);
    eventually("it is reported", || failing(&server) == ["ecriture"]);
    // Successful reads say nothing about writes.
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(3) {
        assert_eq!(with_key(&server, A, &unseen).status, 200);
        assert_eq!(failing(&server), ["ecriture"]);
        thread::sleep(Duration::from_millis(50));
    }
    locker.execute_batch("rollback").unwrap();
    eventually("it can be written again", || failing(&server).is_empty());
    let id = desk.id(&known);
    eventually("no call was forgotten", || {
        let shown = desk.keys(&["show", &id, "--format", "json"]);
        serde_json::from_slice::<serde_json::Value>(&shown.stdout).unwrap()["calls_today"] == 2
    });
}

#[test]
fn a_disk_that_is_full_is_told_of_until_it_is_not() {
    let desk = Desk::new();
    let key = desk.issue("a", "pro");
    // A limit on the size of files simulates a full disk: it applies to one process, and can be
    // lifted.
    let mut command = Command::new("sh");
    command
        .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""])
        .arg(harness::binary())
        .args(["--listen", "127.0.0.1:0", "--log-format", "json", "--rules"])
        .arg(crate::desk::small_rules())
        .args(["--store", &format!("sqlite:{}", desk.file().display())])
        .env("BAREME_DRAIN", "0");
    let server = Server::spawn(&mut command);
    let limit = |bytes: &str| {
        let pid = server.id().to_string();
        let done = Command::new("prlimit")
            .args(["--pid", &pid, &format!("--fsize={bytes}:unlimited")])
            .status();
        assert!(
            done.unwrap().success(),
            "prlimit (Debian package util-linux)"
        );
    };
    limit("4096");
    assert_eq!(with_key(&server, A, &key).status, 200);
    eventually("it is reported", || failing(&server) == ["ecriture"]);
    assert_eq!(
        post(&server, "courriel=claire@example.org", JSON).status,
        503
    );
    assert_eq!(failing(&server), ["ecriture"]);
    limit("unlimited");
    eventually("it is well by itself", || failing(&server).is_empty());
    assert_eq!(
        post(&server, "courriel=claire@example.org", JSON).status,
        201
    );
}

#[test]
fn a_file_that_is_deleted_or_replaced_is_told_of() {
    let desk = Desk::new();
    let key = desk.issue("a", "pro");
    let server = desk.serve(&QUIET);
    assert_eq!(with_key(&server, A, &key).status, 200);
    let elsewhere = desk.place().join("elsewhere.db");
    std::fs::rename(desk.file(), &elsewhere).unwrap();
    eventually("it is gone", || failing(&server) == ["fichier"]);
    assert_eq!(
        post(&server, "courriel=claire@example.org", JSON).status,
        503,
        "the key would be lost"
    );
    assert_eq!(with_key(&server, A, &key).status, 200);
    std::fs::copy(&elsewhere, desk.file()).unwrap();
    thread::sleep(Duration::from_millis(2_500));
    assert_eq!(failing(&server), ["fichier"], "a copy is not it");
    std::fs::rename(&elsewhere, desk.file()).unwrap();
    eventually("it is back", || failing(&server).is_empty());
    assert_eq!(
        post(&server, "courriel=claire@example.org", JSON).status,
        201
    );
}

#[test]
fn a_form_that_was_refused_makes_no_key_later() {
    let desk = Desk::new();
    let server = desk.serve(&["--trusted-proxy", "127.0.0.1", "--log", "info,access=off"]);
    assert_eq!(server.get(A).status, 200, "the names of the day are there");
    let locker = lock(&desk);
    let callers: Vec<_> = (1..=40)
        .map(|n| {
            let address = server.address();
            thread::spawn(move || {
                let form = format!("courriel=claire{n}@example.org");
                let head = format!(
                    "POST /cle HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n\
                     Content-Length: {}\r\n{}\r\n{form}",
                    form.len(),
                    from(n),
                );
                let mut connection = Connection::open(address).unwrap();
                connection.send(head.as_bytes()).unwrap();
                // Some callers do not wait for the answer.
                (n % 4 > 0).then(|| connection.receive(false).unwrap().status)
            })
        })
        .collect();
    let statuses: Vec<u16> = callers
        .into_iter()
        .filter_map(|caller| caller.join().unwrap())
        .collect();
    assert_eq!(statuses, vec![503; 30]);
    locker.execute_batch("rollback").unwrap();
    let given = post(&server, "courriel=claire@example.org", &from(200));
    assert_eq!(given.status, 201);
    // Keys stored all the same are removed within a second.
    thread::sleep(Duration::from_millis(2_500));
    let listed: serde_json::Value =
        serde_json::from_slice(&desk.keys(&["list", "--format", "json"]).stdout).unwrap();
    let emails: Vec<&str> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|key| key["email"].as_str().unwrap())
        .collect();
    assert_eq!(emails, ["claire@example.org"]);
    assert_eq!(
        with_key(&server, A, given.json()["cle"].as_str().unwrap()).status,
        200
    );
}
