//! Keys: those that the callers share, and free ones that are issued all the while.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use harness::{Connection, binary};

/// Time between two free keys: the service issues 2 000 of them a day at most.
const PAUSE: Duration = Duration::from_secs(2);

/// Free keys that were asked for.
#[derive(Default)]
pub(crate) struct Requests {
    /// Issued, and accepted at once.
    pub(crate) issued: AtomicU64,
    /// Refused because the disk did not confirm the key within a second.
    pub(crate) late: AtomicU64,
}

/// Issues keys of the plan with the largest quota.
pub(crate) fn paid(rules: &Path, store: &str, count: usize) -> Vec<String> {
    let issue = |_| {
        let mut command = Command::new(binary());
        command.args([
            "keys",
            "issue",
            "--plan",
            "scale",
            "--email",
            "soak@example.org",
            "--store",
            store,
            "--rules",
        ]);
        let output = command.arg(rules).output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    (0..count).map(issue).collect()
}

/// Asks for a free key every two seconds, each from another address, and calls with it at once.
pub(crate) fn issue(server: SocketAddr, stop: &AtomicBool, requests: &Requests) {
    for caller in 0_u32.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let [_, high, middle, low] = caller.to_be_bytes();
        let from = format!("X-Forwarded-For: 10.{high}.{middle}.{low}\r\n");
        let form = format!("courriel=caller{caller}%40example.org&variante=a");
        let mut connection = Connection::open(server).unwrap();
        let media = "application/x-www-form-urlencoded";
        let answer = connection.post(
            "/cle",
            media,
            form.as_bytes(),
            &format!("Accept: application/json\r\n{from}"),
        );
        let answer = answer.expect("an answer");
        if answer.status == 503 && answer.json()["code"] == "delai_depasse" {
            requests.late.fetch_add(1, Ordering::Relaxed);
            continue;
        }
        assert!(
            matches!(answer.status, 200 | 201),
            "{}: {}",
            answer.status,
            String::from_utf8_lossy(&answer.body)
        );
        let key = answer.json()["cle"].as_str().unwrap().to_owned();
        let called = Connection::open(server).unwrap().call(
            "GET",
            "/api/v1/tva?montant=1",
            &format!("X-API-Key: {key}\r\n{from}"),
        );
        assert_eq!(
            called.expect("an answer").status,
            200,
            "a key that was issued is accepted"
        );
        requests.issued.fetch_add(1, Ordering::Relaxed);
        thread::sleep(PAUSE);
    }
}
