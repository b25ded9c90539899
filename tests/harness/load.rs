//! Continuous load in which no request may fail.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::Value;

use crate::client::Connection;
use crate::eventually;

/// Several callers of one address.
pub struct Load {
    stop: Arc<AtomicBool>,
    callers: Vec<JoinHandle<()>>,
    seen: Arc<Mutex<BTreeMap<String, u64>>>,
}

impl Load {
    /// Starts four callers of `target`, which has answered once; `notable` extracts what to record
    /// of each answer.
    pub fn start(address: SocketAddr, target: &'static str, notable: fn(&Value) -> String) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let seen: Arc<Mutex<BTreeMap<_, _>>> = Arc::default();
        let callers = (0..4)
            .map(|_| {
                let (stop, seen) = (Arc::clone(&stop), Arc::clone(&seen));
                thread::spawn(move || call(address, target, notable, &stop, &seen))
            })
            .collect();
        eventually("a first answer", || !seen.lock().unwrap().is_empty());
        Self {
            stop,
            callers,
            seen,
        }
    }

    /// Stops after one more call of each, and returns the recorded values with their numbers. Any
    /// failed request fails the test.
    pub fn stop(self) -> BTreeMap<String, u64> {
        self.stop.store(true, Ordering::Relaxed);
        for caller in self.callers {
            caller.join().expect("no request fails");
        }
        Arc::into_inner(self.seen).unwrap().into_inner().unwrap()
    }
}

fn call(
    address: SocketAddr,
    target: &str,
    notable: fn(&Value) -> String,
    stop: &AtomicBool,
    seen: &Mutex<BTreeMap<String, u64>>,
) {
    let mut connection = Connection::open(address).unwrap();
    loop {
        let is_last = stop.load(Ordering::Relaxed);
        let answer = connection.call("GET", target, "").expect("an answer");
        assert_eq!(
            answer.status,
            200,
            "{}",
            String::from_utf8_lossy(&answer.body)
        );
        *seen
            .lock()
            .unwrap()
            .entry(notable(&answer.json()))
            .or_default() += 1;
        if is_last {
            return;
        }
        if answer.has("connection") {
            connection = Connection::open(address).unwrap();
        }
        // A thousand calls a second from each caller, rather than as many as possible.
        thread::sleep(Duration::from_millis(1));
    }
}
