//! The service in this process: its panics are seen, its code counts as covered.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::panic;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use bareme_server::flags::Flags;
use clap::Parser as _;
use harness::{Answer, Connection, Rules, eventually, free_port};

use crate::TARGETS;

/// Time that the service has to start: it reads all rules, in a debug build with counters.
const PATIENCE: Duration = Duration::from_secs(240);

/// The secret with which events are signed.
pub(super) const SECRET: &str = "whsec_fuzz";

/// The addresses of the service.
pub(super) struct Service {
    pub public: SocketAddr,
    pub payments: SocketAddr,
}

/// Panics of the service's threads.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

thread_local! {
    /// The connection of the thread, kept open between inputs.
    static OPEN: RefCell<Option<Connection>> = const { RefCell::new(None) };
}

/// The service on the rules of the repository, without quotas; the first call starts it.
pub(super) fn service() -> &'static Service {
    static SERVICE: OnceLock<Service> = OnceLock::new();
    SERVICE.get_or_init(|| {
        let (rules, place) = (Rules::copy().without_cases(), tempfile::tempdir().unwrap());
        let free_address = || SocketAddr::from(([127, 0, 0, 1], free_port()));
        let [public, payments, mail] = [free_address(), free_address(), free_address()];
        let flags = [
            "bareme-server".to_owned(),
            format!("--listen={public}"),
            format!("--rules={}", rules.root().display()),
            format!(
                "--store=sqlite:{}",
                place.path().join("bareme.db").display()
            ),
            format!("--payments={payments}"),
            format!("--payment-secret={SECRET}"),
            // Nobody answers there: no e-mail leaves.
            format!("--smtp=smtp://{mail}?tls=opportunistic"),
            "--mail-from=fuzz@example.org".to_owned(),
            "--log=off".to_owned(),
        ];
        let flags = Flags::try_parse_from(flags).unwrap_or_else(|error| panic!("{error}"));
        std::thread::spawn(move || {
            let served = bareme_server::run(&flags);
            drop((rules, place));
            panic!("the service ended: {served:?}");
        });
        let is_ready = || {
            let mut connection = Connection::open(public).ok()?;
            Some(
                connection
                    .call("GET", "/readyz", "Connection: close\r\n")
                    .ok()?
                    .status
                    == 200,
            )
        };
        let patience = Instant::now() + PATIENCE;
        while is_ready() != Some(true) && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(50));
        }
        watch_panics();
        assert_eq!(is_ready(), Some(true), "the service does not start");
        eventually("it takes events", || Connection::open(payments).is_ok());
        Service { public, payments }
    })
}

/// Records the panics of the service's threads, of which some become an answer, and others the end
/// of a connection. It replaces the hook of the service, which writes them to its log.
fn watch_panics() {
    panic::set_hook(Box::new(|panicked| {
        eprintln!("{panicked}");
        let thread = std::thread::current();
        let is_of_test =
            |name: &str| name == "main" || TARGETS.iter().any(|target| target.name == name);
        if !thread.name().is_some_and(is_of_test) {
            PANICS
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(panicked.to_string());
        }
    }));
}

/// Fails if a thread of the service has panicked.
pub(super) fn expect_no_panic() {
    let panics = std::mem::take(&mut *PANICS.lock().unwrap_or_else(PoisonError::into_inner));
    assert!(panics.is_empty(), "{panics:#?}");
}

/// Sends a call on the open connection, or on a new one if the service has closed it, and returns
/// the answer.
pub(super) fn asked(mut ask: impl FnMut(&mut Connection) -> std::io::Result<Answer>) -> Answer {
    OPEN.with_borrow_mut(|open| {
        let mut known = open.take();
        let is_open = known
            .as_mut()
            .is_some_and(|connection| !connection.is_closed_by_now());
        let known = known.filter(|_| is_open);
        let mut connection = known.unwrap_or_else(|| Connection::open(service().public).unwrap());
        let answer = ask(&mut connection).unwrap_or_else(|error| panic!("no answer: {error}"));
        expect_no_panic();
        if !answer
            .headers
            .iter()
            .any(|(name, value)| name == "connection" && value == "close")
        {
            *open = Some(connection);
        }
        answer
    })
}

/// Checks what holds for every answer: no internal error, JSON, a stable code of each refusal and
/// each bad parameter.
pub(super) fn check_answer(answer: &Answer) {
    assert!(
        answer.status < 500 || answer.status == 505,
        "{} {}",
        answer.status,
        String::from_utf8_lossy(&answer.body)
    );
    let media = answer
        .headers
        .iter()
        .find(|(name, _)| name == "content-type")
        .map(|(_, value)| value.as_str());
    if answer.body.is_empty() || media != Some("application/json") {
        return;
    }
    let body = answer.json();
    if answer.status >= 400 {
        let code = body["code"].as_str().unwrap_or_default();
        assert!(
            !code.is_empty()
                && code
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'_'),
            "{body}"
        );
    }
    if body["code"] == "parametres_invalides" {
        assert!(!answer.blamed().is_empty(), "{body}");
        let codes = body["parametres"]
            .as_array()
            .unwrap()
            .iter()
            .map(|parameter| parameter["code"].as_str());
        let known = |code: &str| {
            bareme_engine::text::ParameterCode::ALL
                .iter()
                .any(|known| known.as_str() == code)
        };
        assert!(
            codes.into_iter().all(|code| code.is_some_and(known)),
            "{body}"
        );
    }
}
