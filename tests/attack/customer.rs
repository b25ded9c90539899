//! A customer who calls while somebody else attacks: what it is given, and how soon.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use harness::{Connection, Server, binary, repository, signing_flag};

use crate::Effort;

/// What clients of the Model Context Protocol send.
pub(crate) const MCP_HEADERS: &str =
    "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-06-18\r\n";

/// Time between two calls of the customer.
const PAUSE: Duration = Duration::from_millis(4);

/// Within which 99 of 100 calls are answered, whoever attacks.
const MOST_SLOW: Duration = Duration::from_millis(20);

/// A median that nobody notices: below it, twice the time at rest measures how two cores are shared
/// with the attackers, which run on this machine too.
const UNNOTICED: Duration = Duration::from_micros(250);

/// Memory that the service never exceeds, in KB.
const MOST_MEMORY: u64 = 256 * 1024;

/// A service with the quotas of the repository, and the folder of its store.
pub(crate) fn limits() -> (tempfile::TempDir, Server) {
    let place = tempfile::tempdir().unwrap();
    let store = store(place.path());
    let flags = ["--mcp", "--store", &store, "--log", "info,access=off"];
    let key = signing_flag(place.path());
    let flags = [&flags[..], &["--trusted-proxy", "127.0.0.1", &key]].concat();
    let server = Server::with(&repository().join("rules"), &flags);
    (place, server)
}

fn store(place: &Path) -> String {
    format!("sqlite:{}", place.join("bareme.db").display())
}

/// A key of the largest plan.
pub(crate) fn key(place: &Path) -> String {
    let rules = repository().join("rules");
    let mut issue = Command::new(binary());
    issue.args([
        "keys",
        "issue",
        "--plan",
        "scale",
        "--email",
        "customer@example.org",
        "--store",
    ]);
    let output = issue
        .arg(store(place))
        .arg("--rules")
        .arg(rules)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let key = text
        .split_whitespace()
        .find(|word| word.starts_with("bma_"));
    key.unwrap_or_else(|| panic!("no key: {text}")).to_owned()
}

/// A service that is attacked, and the key of another customer.
pub(crate) struct Attacked<'s> {
    pub(crate) server: &'s Server,
    pub(crate) key: String,
}

/// How long the calls of the customer took.
struct Times(Vec<Duration>);

impl Times {
    fn share(&self, of_hundred: usize) -> Duration {
        self.0[self.0.len() * of_hundred / 100]
    }
}

/// Calls for a time, each another calculation; all must be answered.
fn called(server: &Server, key: &str, duration: Duration) -> Times {
    let mut connection = Connection::open(server.address()).unwrap();
    let headers = format!("X-API-Key: {key}\r\n");
    let (end, mut times) = (Instant::now() + duration, Vec::new());
    while Instant::now() < end {
        let target = format!("/api/v1/salaire?brut={}", 2_000 + times.len() % 5_000);
        let asked = Instant::now();
        let answer = connection
            .call("GET", &target, &headers)
            .expect("the customer is answered");
        times.push(asked.elapsed());
        assert_eq!(
            answer.status,
            200,
            "{}",
            String::from_utf8_lossy(&answer.body)
        );
        if answer.has("connection") {
            connection = Connection::open(server.address()).unwrap();
        }
        thread::sleep(PAUSE);
    }
    times.sort_unstable();
    Times(times)
}

/// Runs attackers beside a customer, who must hardly notice. Each attacker has a number, and one
/// step of it is done again and again; steps end within seconds.
pub(crate) fn beside(
    effort: Effort,
    attackers: usize,
    step: impl Fn(&Attacked, usize) + Sync,
) -> String {
    let (place, server) = limits();
    let (key, other) = (key(place.path()), key(place.path()));
    let attacked = Attacked {
        server: &server,
        key: other,
    };
    let rest = called(&server, &key, Duration::from_secs(effort.of(6, 2)));

    let (is_over, server) = (AtomicBool::new(false), &server);
    let attacked = &attacked;
    let (times, memory) = thread::scope(|scope| {
        for number in 0..attackers {
            let (step, is_over) = (&step, &is_over);
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    step(attacked, number);
                }
            });
        }
        let watched = scope.spawn(|| {
            let mut most = 0;
            while !is_over.load(Ordering::Relaxed) {
                most = most.max(server.memory());
                thread::sleep(Duration::from_millis(20));
            }
            most
        });
        let times = called(server, &key, Duration::from_secs(effort.of(15, 4)));
        is_over.store(true, Ordering::Relaxed);
        (times, watched.join().unwrap())
    });

    let [calm, median, slow] = [rest.share(50), times.share(50), times.share(99)];
    let figures = format!(
        "{} calls of a customer, median {} µs at rest, {} µs, 99 of 100 within {} µs, {} MB at most",
        times.0.len(),
        calm.as_micros(),
        median.as_micros(),
        slow.as_micros(),
        memory / 1024
    );
    assert!(median < UNNOTICED.max(calm * 2), "{figures}");
    assert!(slow < MOST_SLOW, "{figures}");
    assert!(memory < MOST_MEMORY, "{figures}");
    figures
}
