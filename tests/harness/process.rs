//! The process of the server.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::{Answer, Connection, get};
use crate::eventually;
use crate::rules::Rules;

/// A running server; it is killed when dropped.
pub struct Server {
    child: Child,
    address: SocketAddr,
    log: Arc<Mutex<Vec<Value>>>,
    /// The folder of its store, unless another store is given.
    place: Option<tempfile::TempDir>,
}

impl Server {
    /// Starts it with the rules of the repository, without free quotas.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts it with the same rules and more flags.
    pub fn start_with(flags: &[&str]) -> Self {
        Self::with(&repository_rules(), flags)
    }

    /// Starts it with these rules and more flags. It answers at once from each folder that is as in
    /// the repository, which a first server has checked, and checks the others before.
    pub fn with(rules: &Path, flags: &[&str]) -> Self {
        Self::launch(rules, flags, checked())
    }

    /// Starts it with what another server has checked, if anything.
    fn launch(rules: &Path, flags: &[&str], checked: &[u8]) -> Self {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join(CHECKED), checked).unwrap();
        let mut command = Command::new(binary());
        command
            .args(["--listen", "127.0.0.1:0", "--log-format", "json", "--rules"])
            .arg(rules)
            .env(
                "BAREME_STORE",
                format!("sqlite:{}", place.path().join("bareme.db").display()),
            )
            .args(flags)
            .env("BAREME_DRAIN", "0");
        let mut server = Self::spawn(&mut command);
        server.place = Some(place);
        server
    }

    /// Starts a command, which must log in JSON and have a store.
    pub fn spawn(command: &mut Command) -> Self {
        let mut child = command
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let (address, log) = read_log(child.stderr.take().unwrap());
        Self {
            child,
            address,
            log,
            place: None,
        }
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends one GET on its own connection.
    pub fn get(&self, target: &str) -> Answer {
        get(self.address, target)
    }

    /// Sends one form on its own connection.
    pub fn post(&self, target: &str, form: &str, headers: &str) -> Answer {
        let mut connection = Connection::open(self.address).unwrap();
        connection
            .post(
                target,
                "application/x-www-form-urlencoded",
                form.as_bytes(),
                headers,
            )
            .unwrap()
    }

    /// The log so far.
    pub fn log(&self) -> Vec<Value> {
        self.log.lock().unwrap().clone()
    }

    /// Waits for the first event of the log that matches.
    pub fn logged(&self, is: impl Fn(&Value) -> bool) -> Value {
        let mut event = None;
        eventually("it is logged", || {
            event = self.log().into_iter().find(&is);
            event.is_some()
        });
        event.expect("it was found")
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Memory that it holds now, in KB.
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("VmRSS:"))
            .unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// Processor time that its threads have used, from the scheduler; that of threads that have
    /// ended is not in it.
    pub fn processor_time(&self) -> Duration {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.id())).unwrap();
        let used = threads.filter_map(|thread| {
            let text = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
            text.split_whitespace().next()?.parse::<u64>().ok()
        });
        Duration::from_nanos(used.sum())
    }

    /// Kills it with SIGKILL.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends SIGTERM.
    pub fn terminate(&self) {
        assert!(
            Command::new("kill")
                .arg(self.child.id().to_string())
                .status()
                .unwrap()
                .success()
        );
    }

    /// Waits for its exit status, at most `limit`.
    pub fn ended_within(&mut self, limit: Duration) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(
                start.elapsed() < limit,
                "the server still runs after {limit:?}"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// File name of the record of checked folders, beside `bareme.db`.
const CHECKED: &str = "bareme.db.checked";

/// A copy of the rules of the repository, which no test edits.
fn repository_rules() -> PathBuf {
    static RULES: OnceLock<Rules> = OnceLock::new();
    RULES.get_or_init(Rules::copy).root()
}

/// Record of a server that has checked all rules of the repository, made once. Checking takes most
/// of a start.
fn checked() -> &'static [u8] {
    static CHECKED_ONCE: OnceLock<Vec<u8>> = OnceLock::new();
    CHECKED_ONCE.get_or_init(|| {
        let first = Server::launch(&repository_rules(), &[], &[]);
        let file = first.place.as_ref().unwrap().path().join(CHECKED);
        eventually("what was checked is remembered", || {
            std::fs::metadata(&file).is_ok_and(|file| file.len() > 0)
        });
        std::fs::read(&file).unwrap()
    })
}

/// Runs the server with only these flags, to its end.
pub fn run(flags: &[&str]) -> Output {
    Command::new(binary())
        .args(flags)
        .current_dir(repository())
        .output()
        .unwrap()
}

/// Reads the log on a thread for ever, since a full pipe would stop the server. Returns once the
/// server listens and has loaded its rules, which may take longer on a busy machine than the server
/// itself waits.
fn read_log(stderr: ChildStderr) -> (SocketAddr, Arc<Mutex<Vec<Value>>>) {
    let mut lines = BufReader::new(stderr).lines().map_while(Result::ok);
    let mut events = Vec::new();
    let (mut address, mut rules_read) = (None, false);
    while address.is_none() || !rules_read {
        let line = lines
            .next()
            .unwrap_or_else(|| panic!("the server ended at once: {events:?}"));
        let event: Value =
            serde_json::from_str(&line).unwrap_or_else(|_| panic!("the server says: {line}"));
        let message = event["message"].as_str().unwrap();
        if message == "listening" {
            address = Some(event["address"].as_str().unwrap().parse().unwrap());
        }
        rules_read |= message == "rules in force" || message.starts_with("rules refused");
        events.push(event);
    }
    let log = Arc::new(Mutex::new(events));
    let kept = Arc::clone(&log);
    std::thread::spawn(move || {
        for line in lines {
            let event = serde_json::from_str(&line).unwrap_or(Value::String(line));
            kept.lock().unwrap().push(event);
        }
    });
    (address.unwrap(), log)
}

/// The root of the repository.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The binary of the server, built once in the profile of this test.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| match std::env::var_os("BAREME_SERVER") {
        Some(given) => given.into(),
        None => built("bareme-server"),
    })
}

/// A program of the project, built in the profile of this test.
pub fn built(program: &str) -> PathBuf {
    built_as("--bin", program).join(program)
}

/// An example of the project, built in the profile of this test.
pub fn built_example(name: &str) -> PathBuf {
    built_as("--example", name).join("examples").join(name)
}

/// Builds a program of a kind; gives the folder of the profile.
fn built_as(kind: &str, name: &str) -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    // Like `tests/run`, for the whole workspace: a single package has other features, and its
    // dependencies would be compiled again.
    build
        .args(["build", "--quiet", "--workspace", kind, name])
        .current_dir(repository());
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    outside_of_packages(&mut build);
    assert!(build.status().unwrap().success(), "{name} does not build");

    // target/<profile>/deps/<this test>
    let test = std::env::current_exe().unwrap();
    test.ancestors().nth(2).unwrap().to_owned()
}

/// Takes the description of the package of this test, which Cargo gives to it, from the
/// environment of a build. A build script that reads it would run again at each change between
/// tests and a shell, and all that depends on it would be compiled again.
pub(crate) fn outside_of_packages(build: &mut Command) {
    let of_package = ["CARGO_PKG_", "CARGO_MANIFEST_"];
    let names = std::env::vars().map(|(name, _)| name);
    for name in names.filter(|name| of_package.iter().any(|start| name.starts_with(start))) {
        build.env_remove(name);
    }
}
