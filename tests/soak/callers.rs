//! Callers that together make a number of calls a second, and the time of each call.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use harness::{Connection, GOOD, Random};

/// Connections, each with its thread.
const CALLERS: usize = 16;

/// Calls that differ, with an amount in place of `{}`.
const CALLS: [&str; 7] = [
    "ir?revenu={}&parts=2.5",
    "salaire?brut={}&cadre=true",
    "salaire?brut={}&employeur=true",
    "tva?montant={}&taux=20&sens=ht",
    "salaire-net?pays=ci&brut={}",
    "salaire-net?pays=be&brut={}&statut=ouvrier",
    "tva-afrique?pays=senegal&montant={}&sens=ttc",
];

/// Times of calls, from the moment at which each was due.
#[derive(Default)]
pub(crate) struct Latencies(Vec<Duration>);

impl Latencies {
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// The time within which this percentage of the calls was answered.
    pub(crate) fn percentile(&self, percentage: usize) -> Duration {
        self.0[(self.0.len() - 1) * percentage / 100]
    }
}

/// Running callers.
pub(crate) struct Callers(Vec<Arc<Mutex<Vec<Duration>>>>);

impl Callers {
    /// Starts callers which share these keys and make `rate` calls a second together, until they
    /// are stopped.
    pub(crate) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        server: SocketAddr,
        keys: &'scope [String],
        rate: usize,
        stop: &'scope AtomicBool,
    ) -> Self {
        let pause = Duration::from_secs(1) * CALLERS as u32 / rate as u32;
        let start_one = |caller| {
            let times: Arc<Mutex<Vec<Duration>>> = Arc::default();
            let kept = Arc::clone(&times);
            scope.spawn(move || call(server, caller, keys, pause, stop, &kept));
            times
        };
        Self((0..CALLERS).map(start_one).collect())
    }

    /// Takes the times of the calls since the last time they were taken.
    pub(crate) fn take(&self) -> Latencies {
        let mut times: Vec<Duration> = self
            .0
            .iter()
            .flat_map(|times| std::mem::take(&mut *times.lock().unwrap()))
            .collect();
        times.sort_unstable();
        Latencies(times)
    }

    /// Calls a second when every caller calls again at once.
    pub(crate) fn full_speed(server: SocketAddr, keys: &[String], time: Duration) -> usize {
        let stop = AtomicBool::new(false);
        let calls = thread::scope(|scope| {
            let callers = Self::start(
                scope,
                server,
                keys,
                usize::try_from(u32::MAX).unwrap(),
                &stop,
            );
            thread::sleep(time);
            let calls = callers.take().count();
            stop.store(true, Ordering::Relaxed);
            calls
        });
        calls / usize::try_from(time.as_secs()).unwrap()
    }
}

fn call(
    server: SocketAddr,
    caller: usize,
    keys: &[String],
    pause: Duration,
    stop: &AtomicBool,
    times: &Mutex<Vec<Duration>>,
) {
    let mut random = Random::new(caller as u64);
    let mut connection = Connection::open(server).unwrap();
    // Shifted against the other callers.
    let mut due = Instant::now() + pause * caller as u32 / CALLERS as u32;
    while !stop.load(Ordering::Relaxed) {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let key = &keys[random.below(keys.len())];
        let is_known = random.percent(25);
        let target = if is_known {
            GOOD.to_owned()
        } else {
            different(&mut random)
        };
        let answer = connection
            .call("GET", &target, &format!("X-API-Key: {key}\r\n"))
            .expect("an answer");
        assert_eq!(
            answer.status,
            200,
            "{target}: {}",
            String::from_utf8_lossy(&answer.body)
        );
        if is_known {
            assert_eq!(answer.json()["impot_net"], 2104, "{target}");
        }
        if answer.has("connection") {
            connection = Connection::open(server).unwrap();
        }
        times.lock().unwrap().push(due.elapsed());
        due = if pause < Duration::from_micros(1) {
            Instant::now()
        } else {
            due + pause
        };
    }
}

fn different(random: &mut Random) -> String {
    let amount = 100_000 + random.below(400_000);
    let call = CALLS[random.below(CALLS.len())];
    format!("/api/v1/{}", call.replace("{}", &format!("{amount}")))
}
