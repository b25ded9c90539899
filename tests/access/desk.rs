//! Test fixture: a store, servers on it, and the `keys` commands beside them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use harness::{Answer, Connection, Rules, Server, binary};
use serde_json::Value;

/// A valid call of each variant.
pub(crate) const A: &str = "/api/v1/tva?montant=100&taux=20&sens=ht";
pub(crate) const B: &str = "/api-docs/v1/tva?montant=100&taux=20&sens=ht";

/// Flags that turn off the log of calls.
pub(crate) const QUIET: [&str; 2] = ["--log", "info,access=off"];

/// A store that is deleted after the test.
pub(crate) struct Desk {
    store: String,
    rules: PathBuf,
    /// The rules, if the test has its own copy.
    copy: Option<Rules>,
    place: tempfile::TempDir,
}

/// The rules of every fixture without its own copy.
pub(crate) fn small_rules() -> PathBuf {
    static RULES: OnceLock<Rules> = OnceLock::new();
    RULES.get_or_init(Rules::small).root()
}

impl Desk {
    /// A new file, with the plans of the repository.
    pub(crate) fn new() -> Self {
        harness::avoid_midnight();
        let place = tempfile::tempdir().unwrap();
        let store = format!("sqlite:{}", place.path().join("bareme.db").display());
        Self {
            store,
            rules: small_rules(),
            copy: None,
            place,
        }
    }

    /// A database.
    pub(crate) fn on(store: String) -> Self {
        Self {
            store,
            ..Self::new()
        }
    }

    /// With other rules.
    pub(crate) fn with_rules(self, rules: Rules) -> Self {
        Self {
            rules: rules.root(),
            copy: Some(rules),
            ..self
        }
    }

    /// The test's own copy of the rules.
    pub(crate) fn rules(&self) -> &Rules {
        self.copy.as_ref().unwrap()
    }

    /// Whether the store is a database.
    pub(crate) fn is_shared(&self) -> bool {
        self.store.starts_with("postgres")
    }

    /// The address of the store.
    pub(crate) fn store(&self) -> &str {
        &self.store
    }

    /// The file of the store.
    pub(crate) fn file(&self) -> PathBuf {
        self.place.path().join("bareme.db")
    }

    /// A temporary folder for other files.
    pub(crate) fn place(&self) -> &Path {
        self.place.path()
    }

    /// Starts a server on the store.
    pub(crate) fn serve(&self, flags: &[&str]) -> Server {
        Server::with(&self.rules, &[&["--store", &self.store], flags].concat())
    }

    /// Starts a server on the store, with `prepare` applied to its process.
    pub(crate) fn serve_as(&self, flags: &[&str], prepare: impl FnOnce(&mut Command)) -> Server {
        let mut command = Command::new(binary());
        command.args([
            "--listen",
            "127.0.0.1:0",
            "--log-format",
            "json",
            "--store",
            &self.store,
            "--rules",
        ]);
        command
            .arg(&self.rules)
            .args(flags)
            .env("BAREME_DRAIN", "0");
        prepare(&mut command);
        Server::spawn(&mut command)
    }

    /// Runs `bareme-server keys …` to its end.
    pub(crate) fn keys(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// The command `bareme-server keys …`, not started.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command
            .arg("keys")
            .args(arguments)
            .args(["--store", &self.store, "--rules"])
            .arg(&self.rules);
        command
    }

    /// Issues a key of a plan.
    pub(crate) fn issue(&self, variant: &str, plan: &str) -> String {
        let issued = self.keys(&[
            "issue",
            "--variant",
            variant,
            "--plan",
            plan,
            "--email",
            "claire@example.org",
        ]);
        printed_key(&issued)
    }

    /// The stored record of a key.
    pub(crate) fn find(&self, key: &str) -> Value {
        let listed = self.keys(&["list", "--format", "json"]);
        assert!(
            listed.status.success(),
            "{}",
            String::from_utf8_lossy(&listed.stderr)
        );
        let listed: Vec<Value> = serde_json::from_slice(&listed.stdout).unwrap();
        let shown = format!("…{}", &key[key.len() - 4..]);
        listed
            .into_iter()
            .find(|record| record["key"] == *shown)
            .unwrap()
    }

    /// Its id.
    pub(crate) fn id(&self, key: &str) -> String {
        self.find(key)["id"].as_str().unwrap().to_owned()
    }
}

/// The key that a command printed, which must be its only output.
pub(crate) fn printed_key(output: &Output) -> String {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let printed = String::from_utf8(output.stdout.clone()).unwrap();
    let key = printed.strip_suffix('\n').unwrap();
    assert!(
        [40, 44].contains(&key.len()) && !key.contains(char::is_whitespace),
        "{printed:?}"
    );
    key.to_owned()
}

/// One GET with a key.
pub(crate) fn with_key(server: &Server, target: &str, key: &str) -> Answer {
    Connection::open(server.address())
        .unwrap()
        .call("GET", target, &format!("X-API-Key: {key}\r\n"))
        .unwrap()
}

/// Quota, calls left and seconds to midnight, from the headers of an answer.
pub(crate) fn rate_limit(answer: &Answer) -> (u64, u64, u64) {
    let policy = answer.header("ratelimit-policy");
    let quota = policy
        .strip_prefix("\"jour\";q=")
        .and_then(|rest| rest.strip_suffix(";w=86400"));
    let state = answer
        .header("ratelimit")
        .strip_prefix("\"jour\";r=")
        .unwrap();
    let (remaining, seconds) = state.split_once(";t=").unwrap();
    (
        quota.unwrap_or_else(|| panic!("{policy}")).parse().unwrap(),
        remaining.parse().unwrap(),
        seconds.parse().unwrap(),
    )
}
