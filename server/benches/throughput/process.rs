//! The two servers, as processes.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

/// A running server; it is killed when dropped.
pub(crate) struct Process {
    child: Child,
    pub(crate) address: SocketAddr,
    /// Its log and its store.
    _place: Option<TempDir>,
}

/// Keys that the callers share: all together they may call some millions of times a day.
const KEYS: usize = 8;

/// `USER_HZ` is 100 on every Linux.
const MILLISECONDS_OF_A_TICK: u64 = 10;

/// The service as it was just built.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_bareme-server");

impl Process {
    /// The service as it is run by this program, log included, and keys that it takes.
    pub(crate) fn service(program: &str) -> (Self, Vec<String>) {
        let place = tempfile::tempdir().unwrap();
        let log = place.path().join("log");
        let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules");
        let keys = (0..KEYS)
            .map(|_| issue_key(program, &rules, place.path()))
            .collect();
        let child = Command::new(program)
            .args(["--listen", "127.0.0.1:0", "--log-format", "json", "--rules"])
            .arg(&rules)
            .current_dir(place.path())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .expect("the service starts");
        let address = loop {
            let text = fs::read_to_string(&log).unwrap();
            if let Some(line) = text.lines().find(|line| line.contains("\"listening\"")) {
                let event: serde_json::Value = serde_json::from_str(line).unwrap();
                break event["address"].as_str().unwrap().parse().unwrap();
            }
            thread::sleep(Duration::from_millis(20));
        };
        (
            Self {
                child,
                address,
                _place: Some(place),
            },
            keys,
        )
    }

    /// The bare server: this program again, with an answer of this content and these fields.
    pub(crate) fn bare(size: usize, fields: &[(String, String)]) -> Self {
        let this = std::env::current_exe().unwrap();
        let mut child = Command::new(this)
            .args([super::bare::COMMAND, &size.to_string()])
            .args(fields.iter().flat_map(|(name, value)| [name, value]))
            .stdout(Stdio::piped())
            .spawn()
            .expect("the bare server starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        Self {
            child,
            address: line.trim().parse().unwrap(),
            _place: None,
        }
    }
}

impl Process {
    /// Processor time that all threads of the server have taken so far, in user and in system mode.
    pub(crate) fn processor_time(&self) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        // The name of the program, which may hold spaces, is in parentheses; the two times are
        // fields 14 and 15.
        let (_, fields) = stat.rsplit_once(')').unwrap();
        let ticks: u64 = fields
            .split_whitespace()
            .skip(11)
            .take(2)
            .map(|ticks| ticks.parse::<u64>().unwrap())
            .sum();
        Duration::from_millis(ticks * MILLISECONDS_OF_A_TICK)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A new key of the plan with the largest quota, in the store of this folder.
fn issue_key(program: &str, rules: &Path, place: &Path) -> String {
    let output = Command::new(program)
        .args([
            "keys",
            "issue",
            "--plan",
            "scale",
            "--email",
            "bench@example.org",
            "--rules",
        ])
        .arg(rules)
        .current_dir(place)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
