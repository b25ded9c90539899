//! Several nodes on one PostgreSQL database, which may fail.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use harness::{Cluster, Connection, Server, eventually};

use crate::desk::{A, B, Desk, QUIET, printed_key, rate_limit, with_key};

/// Number of answers by status.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Seen {
    granted: usize,
    exhausted: usize,
    unavailable: usize,
    other: usize,
}

impl Seen {
    fn add(&mut self, status: u16) {
        match status {
            200 => self.granted += 1,
            429 => self.exhausted += 1,
            503 => self.unavailable += 1,
            _ => self.other += 1,
        }
    }
}

/// Sends `times` calls on one connection, or until the node dies.
fn caller(node: SocketAddr, key: &str, times: usize) -> JoinHandle<Seen> {
    let field = format!("X-API-Key: {key}\r\n");
    thread::spawn(move || {
        let mut seen = Seen::default();
        let Ok(mut connection) = Connection::open(node) else {
            return seen;
        };
        for _ in 0..times {
            let Ok(answer) = connection.call("GET", A, &field) else {
                return seen;
            };
            seen.add(answer.status);
            if answer.has("connection") {
                let Ok(next) = Connection::open(node) else {
                    return seen;
                };
                connection = next;
            }
        }
        seen
    })
}

fn sum(callers: Vec<JoinHandle<Seen>>) -> Seen {
    callers
        .into_iter()
        .map(|caller| caller.join().unwrap())
        .fold(Seen::default(), |sum, seen| Seen {
            granted: sum.granted + seen.granted,
            exhausted: sum.exhausted + seen.exhausted,
            unavailable: sum.unavailable + seen.unavailable,
            other: sum.other + seen.other,
        })
}

fn store_state(server: &Server) -> String {
    let ready = server.get("/readyz");
    assert_eq!(ready.status, 200);
    let body = ready.json();
    format!(
        "{} {}",
        body["status"].as_str().unwrap(),
        body["store"]["etat"].as_str().unwrap()
    )
}

#[test]
fn two_nodes_grant_one_quota_exactly() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let desk = Desk::on(cluster.address());
    let key = desk.issue("a", "free");
    let nodes = [desk.serve(&QUIET), desk.serve(&QUIET)];
    let callers = (0..16)
        .map(|rank| caller(nodes[rank % 2].address(), &key, 150))
        .collect();
    let seen = sum(callers);
    assert_eq!(
        seen,
        Seen {
            granted: 1_000,
            exhausted: 1_400,
            ..Seen::default()
        }
    );
    assert_eq!(rate_limit(&with_key(&nodes[0], A, &key)).1, 0);

    // Without a key, an address is the same caller on both nodes.
    let first = rate_limit(&nodes[0].get(B)).1;
    assert_eq!(first, 99);
    let notice = |line: &serde_json::Value| line.to_string().contains("already exists");
    assert!(
        !nodes.iter().any(|node| node.log().iter().any(notice)),
        "what the database notices is no news"
    );
    drop(nodes);
}

#[test]
fn a_clean_stop_gives_back_what_was_not_used() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let desk = Desk::on(cluster.address());
    let key = desk.issue("a", "free");
    let mut node = desk.serve(&QUIET);
    // On a busy machine the database may be too slow for the first calls, which are then refused
    // and not counted.
    eventually("the node serves", || with_key(&node, A, &key).status == 200);
    let granted = 1
        + (0..20_usize)
            .filter(|_| with_key(&node, A, &key).status == 200)
            .count();
    node.terminate();
    node.ended_within(Duration::from_secs(20));
    // The count of the key, and that of all free keys from its address.
    let totals = cluster.value("select total from daily_counts where total > 0");
    assert_eq!(totals, format!("{granted}\n{granted}"));
}

#[test]
fn a_node_that_is_killed_loses_its_block_at_most() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let desk = Desk::on(cluster.address());
    let key = desk.issue("a", "free");
    let (mut dies, lives) = (desk.serve(&QUIET), desk.serve(&QUIET));
    let doomed: Vec<_> = (0..4)
        .map(|_| caller(dies.address(), &key, 10_000))
        .collect();
    let lasting: Vec<_> = (0..4)
        .map(|_| caller(lives.address(), &key, 1_000))
        .collect();
    let total = || {
        cluster
            .value("select coalesce(max(total), 0) from daily_counts")
            .parse::<u32>()
            .unwrap()
    };
    eventually("both are at work", || total() > 200);
    dies.kill();
    let (before, after) = (sum(doomed), sum(lasting));
    let granted = before.granted + after.granted;
    println!("{granted} granted, {} before the kill", before.granted);
    // At most a block, a sixteenth of what is left, and the running calls are lost.
    assert!((1_000 - 62 - 8..=1_000).contains(&granted), "{granted}");
    assert!(
        after.exhausted > 0 && after.other + before.other == 0,
        "{before:?} {after:?}"
    );
    drop(lives);
}

#[test]
fn a_database_that_stops_is_survived_and_comes_back() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let desk = Desk::on(cluster.address());
    let [known, unseen] = [desk.issue("a", "scale"), desk.issue("a", "scale")];
    let node = desk.serve(&QUIET);
    assert_eq!(store_state(&node), "ok ok");

    // Four callers that never stop, counting the statuses.
    let stop = Arc::new(AtomicBool::new(false));
    let callers: Vec<_> = (0..4)
        .map(|_| {
            let (stop, address, key) = (Arc::clone(&stop), node.address(), known.clone());
            thread::spawn(move || {
                let mut sum = Seen::default();
                while !stop.load(Ordering::Relaxed) {
                    let seen = caller(address, &key, 20).join().unwrap();
                    sum.granted += seen.granted;
                    sum.unavailable += seen.unavailable;
                    sum.other += seen.other + seen.exhausted;
                    thread::sleep(Duration::from_millis(5));
                }
                sum
            })
        })
        .collect();
    thread::sleep(Duration::from_millis(500));
    cluster.stop();
    eventually("readiness says so", || {
        store_state(&node) == "degrade injoignable"
    });
    let unavailable = with_key(&node, A, &unseen);
    unavailable.problem(503, "comptes_indisponibles");
    assert_eq!(unavailable.header("retry-after"), "1");
    thread::sleep(Duration::from_millis(500));
    cluster.resume();
    eventually("it is back by itself", || store_state(&node) == "ok ok");
    eventually("the key that was not known is", || {
        with_key(&node, A, &unseen).status == 200
    });
    assert_eq!(with_key(&node, A, &known).status, 200);
    stop.store(true, Ordering::Relaxed);
    let seen = sum(callers);
    println!("{seen:?}");
    assert!(seen.other == 0 && seen.granted > 100, "{seen:?}");
}

#[test]
fn paying_keys_go_on_while_the_database_is_away_and_are_counted_when_it_is_back() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let keys = Desk::on(cluster.address());
    let [paid, free] = [keys.issue("a", "pro"), keys.issue("a", "free")];
    let (way, address) = cluster.far_away(Duration::ZERO);
    let desk = Desk::on(address);
    let node = desk.serve(&QUIET);
    for key in [&paid, &free] {
        eventually("the node serves", || with_key(&node, A, key).status == 200);
    }
    let answer = with_key(&node, A, &paid);
    assert!(answer.status == 200 && !answer.has("x-api-quota"));
    let before: usize = cluster
        .value("select sum(used) from daily_counts")
        .parse()
        .unwrap_or_default();

    // The network is interrupted without closing the connections.
    way.cut(true);
    let seen = sum(vec![caller(node.address(), &paid, 400)]);
    assert_eq!(
        seen,
        Seen {
            granted: 400,
            ..Seen::default()
        },
        "{before} before"
    );
    let answer = with_key(&node, A, &paid);
    assert_eq!(
        (answer.status, answer.header("x-api-quota")),
        (200, "provisoire")
    );
    eventually("readiness says so", || {
        store_state(&node) == "degrade injoignable"
    });
    assert!(node.get("/readyz").json()["store"]["cles_payantes_jusqu_a"].is_string());
    let refused = sum(vec![caller(node.address(), &free, 100)]);
    assert!(
        refused.unavailable > 0 && refused.other + refused.exhausted == 0,
        "{refused:?}"
    );

    way.cut(false);
    eventually("it is back by itself", || store_state(&node) == "ok ok");
    let id = keys.id(&paid);
    let used = || -> serde_json::Value {
        serde_json::from_slice(&keys.keys(&["show", &id, "--format", "json"]).stdout).unwrap()
    };
    eventually("every call is counted", || {
        used()["calls_today"].as_u64().unwrap() >= 403
    });
    eventually("as usual again", || {
        !with_key(&node, A, &paid).has("x-api-quota")
    });
}

#[test]
fn a_database_that_is_far_away_slows_callers_and_refuses_none() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let keys = Desk::on(cluster.address());
    let [paid, free] = [keys.issue("a", "pro"), keys.issue("a", "free")];
    let (_way, address) = cluster.far_away(Duration::from_millis(200));
    let desk = Desk::on(address);
    let node = desk.serve(&QUIET);
    // The first call of a key takes several ways there and back, and has a second like each.
    for key in [&paid, &free] {
        eventually("the node serves", || with_key(&node, A, key).status == 200);
    }
    let callers: Vec<_> = (0..8)
        .map(|rank| caller(node.address(), [&paid, &free][rank % 2], 50))
        .collect();
    let seen = sum(callers);
    assert_eq!(
        seen,
        Seen {
            granted: 400,
            ..Seen::default()
        }
    );
    assert_eq!(node.get(A).status, 200, "an address that is new");
    assert_eq!(store_state(&node), "ok ok");
    assert!(
        !node
            .log()
            .iter()
            .any(|line| line.to_string().contains("the store fails")),
        "{:?}",
        node.log()
    );
}

#[test]
fn a_node_may_start_before_its_database() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    cluster.stop();
    let desk = Desk::on(cluster.address());
    let node = desk.serve(&QUIET);
    assert_eq!(store_state(&node), "degrade injoignable");
    node.get(A).problem(503, "comptes_indisponibles");
    cluster.resume();
    eventually("it serves", || node.get(A).status == 200);
}

#[test]
fn a_node_whose_clock_is_a_day_ahead_empties_nobodys_count() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let desk = Desk::on(cluster.address());
    let key = desk.issue("a", "free");
    let node = desk.serve(&QUIET);
    eventually("the node serves", || with_key(&node, A, &key).status == 200);
    let address = rate_limit(&node.get(B)).1;
    let before = rate_limit(&with_key(&node, A, &key)).1;

    let ahead = jiff::Timestamp::now()
        .checked_add(jiff::SignedDuration::from_hours(24))
        .unwrap();
    let other = desk.serve(&[&QUIET[..], &["--clock", &ahead.to_string()]].concat());
    eventually("it is reported", || {
        other.get("/readyz").json()["store"]["pannes"][0]["composant"] == "horloge"
    });
    // It counts for the common day, and counts no call twice.
    eventually("it serves", || with_key(&other, A, &key).status == 200);
    assert!(rate_limit(&with_key(&other, A, &key)).1 < before);
    assert!(rate_limit(&other.get(B)).1 < address);
    // Old data is deleted in the first second.
    thread::sleep(Duration::from_millis(2_500));
    assert!(rate_limit(&with_key(&node, A, &key)).1 < before);
    assert_eq!(
        cluster.value("select count(distinct day) from daily_counts"),
        "1"
    );
    assert_eq!(store_state(&node), "ok ok");
}

#[test]
fn the_certificate_of_a_database_is_checked() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let certificate = cluster.certify();
    let desk = Desk::on(cluster.tls_address());
    let issue = ["issue", "--plan", "pro", "--email", "claire@example.org"];
    let trusted = desk
        .command(&issue)
        .env("SSL_CERT_FILE", certificate)
        .output()
        .unwrap();
    printed_key(&trusted);
    let untrusted = desk.keys(&issue);
    assert!(!untrusted.status.success() && untrusted.stdout.is_empty());
    let said = String::from_utf8_lossy(&untrusted.stderr).into_owned();
    assert!(
        said.contains("certificate") && said.contains("see `sslmode`"),
        "{said}"
    );
    assert_eq!(cluster.value("select count(*) from api_keys"), "1");
    // The parameter as other programs name it.
    let certificate = cluster.certify();
    for mode in ["verify-full", "verify-ca"] {
        let desk = Desk::on(cluster.tls_address().replace("require", mode));
        printed_key(
            &desk
                .command(&issue)
                .env("SSL_CERT_FILE", &certificate)
                .output()
                .unwrap(),
        );
        assert!(!desk.keys(&issue).status.success(), "{mode}");
    }
}

#[test]
fn a_database_without_tls_is_not_taken_for_one_with_it() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let desk = Desk::on(cluster.tls_address().replace("require", "verify-full"));
    let refused = desk.keys(&["list"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && said.contains("see `sslmode`"),
        "{said}"
    );
}
