//! Keys issued while the service is killed: every key that was shown must stay valid.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use harness::{Connection, Random, Server, repository};

use crate::Effort;

const CALLERS: usize = 4;

/// Every key that was shown is valid after each kill.
pub(crate) fn killed(effort: Effort) -> String {
    let place = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", place.path().join("bareme.db").display());
    let rules = repository().join("rules");
    let mut random = Random::new(7);
    let mut keys: Vec<String> = Vec::new();
    let rounds = effort.of(72, 6);
    for round in 0..rounds {
        // On a new day each time, since the keys of a day are limited.
        let clock = format!(
            "20{:02}-{:02}-{:02}T08:00:00Z",
            30 + round / 300,
            1 + round / 25 % 12,
            1 + round % 25
        );
        let flags = [
            "--store",
            &store,
            "--clock",
            &clock,
            "--trusted-proxy",
            "127.0.0.1",
            "--log",
            "info,access=off",
        ];
        let mut server = Server::with(&rules, &flags);
        let (stop, caller) = (AtomicBool::new(false), AtomicU32::new(0));
        thread::scope(|scope| {
            let given: Vec<_> = (0..CALLERS)
                .map(|_| scope.spawn(|| ask(server.address(), &stop, &caller)))
                .collect();
            thread::sleep(Duration::from_millis(100 + random.below(700) as u64));
            // While requests are running.
            kill_now(server.id());
            stop.store(true, Ordering::Relaxed);
            keys.extend(given.into_iter().flat_map(|given| given.join().unwrap()));
        });
        server.kill();
    }
    // After all these days, before a free key ends because it is unused.
    let clock = [
        "--clock",
        "2030-04-01T08:00:00Z",
        "--trusted-proxy",
        "127.0.0.1",
    ];
    let server = Server::with(
        &rules,
        &[&["--store", &store, "--log", "info,access=off"][..], &clock].concat(),
    );
    let mut connection = Connection::open(server.address()).unwrap();
    let mut lost = 0;
    for (rank, key) in keys.iter().enumerate() {
        // Another address for every thousand keys, since the free keys of one address share a
        // limit.
        let [.., middle, low] = (rank / 1_000).to_be_bytes();
        let headers = format!("X-API-Key: {key}\r\nX-Forwarded-For: 10.0.{middle}.{low}\r\n");
        let answer = connection
            .call("GET", "/api/v1/tva?montant=1", &headers)
            .unwrap();
        lost += usize::from(answer.status != 200);
        if answer.has("connection") {
            connection = Connection::open(server.address()).unwrap();
        }
    }
    assert_eq!(lost, 0, "of {} keys", keys.len());
    assert!(keys.len() > rounds, "{} keys", keys.len());
    format!("{} keys given under {rounds} kills, none lost", keys.len())
}

fn kill_now(id: u32) {
    assert!(
        std::process::Command::new("kill")
            .args(["-9", &id.to_string()])
            .status()
            .unwrap()
            .success()
    );
}

/// Requests keys, each from another address, until the service is gone; returns those shown.
fn ask(server: SocketAddr, stop: &AtomicBool, caller: &AtomicU32) -> Vec<String> {
    let mut given = Vec::new();
    let Ok(mut connection) = Connection::open(server) else {
        return given;
    };
    while !stop.load(Ordering::Relaxed) {
        let caller = caller.fetch_add(1, Ordering::Relaxed);
        let form = format!("courriel=caller{caller}%40example.org&variante=a");
        let [_, high, middle, low] = caller.to_be_bytes();
        let head = format!(
            "POST /cle HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nX-Forwarded-For: 10.{high}.{middle}.{low}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n",
            form.len()
        );
        let Ok(answer) = connection
            .send(format!("{head}{form}").as_bytes())
            .and_then(|()| connection.receive(false))
        else {
            break;
        };
        match answer.status {
            200 | 201 => given.push(answer.json()["cle"].as_str().unwrap().to_owned()),
            429 | 503 => {}
            status => panic!("{status}: {}", String::from_utf8_lossy(&answer.body)),
        }
        if answer.has("connection") {
            let Ok(next) = Connection::open(server) else {
                break;
            };
            connection = next;
        }
    }
    given
}
