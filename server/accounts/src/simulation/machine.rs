//! Time in a simulation: the true one, which is the paused clock of tokio, and what the clock of a
//! machine says.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use harness::Random;
use jiff::{SignedDuration, Timestamp};
use tokio::time::{Instant, sleep_until};

/// What the seed decides.
#[derive(Debug)]
pub(super) struct Chance(Mutex<Random>);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(Mutex::new(Random::new(seed)))
    }

    pub(super) fn below(&self, limit: usize) -> usize {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .below(limit)
    }

    pub(super) fn percent(&self, part: usize) -> bool {
        self.below(100) < part
    }

    pub(super) fn millis(&self, least: usize, most: usize) -> Duration {
        Duration::from_millis((least + self.below(most - least + 1)) as u64)
    }

    pub(super) fn bytes(&self) -> [u8; 16] {
        std::array::from_fn(|_| self.below(256) as u8)
    }
}

/// The true time, which is that of the database.
#[derive(Debug, Clone, Copy)]
pub(super) struct TrueTime {
    origin: Instant,
    start: Timestamp,
}

impl TrueTime {
    pub(super) fn starting_at(start: Timestamp) -> Self {
        Self {
            origin: Instant::now(),
            start,
        }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.start + SignedDuration::try_from(self.elapsed()).unwrap()
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.origin.elapsed()
    }
}

/// The machine of a node: its clock, which may be wrong, and whether its processes run.
#[derive(Debug)]
pub(super) struct Machine {
    time: TrueTime,
    /// Milliseconds that its clock is ahead.
    ahead: AtomicI64,
    paused_until: Mutex<Instant>,
}

impl Machine {
    pub(super) fn new(time: TrueTime) -> Self {
        Self {
            time,
            ahead: AtomicI64::default(),
            paused_until: Mutex::new(Instant::now()),
        }
    }

    /// Sets its clock, by the milliseconds that it is ahead from now on.
    pub(super) fn set_ahead(&self, millis: i64) {
        self.ahead.store(millis, Ordering::SeqCst);
    }

    /// How far its clock is ahead, in milliseconds.
    pub(super) fn ahead(&self) -> i64 {
        self.ahead.load(Ordering::SeqCst)
    }

    /// The time of a request that arrives now, by its clock.
    pub(super) fn read(&self) -> SystemTime {
        let now = self.time.now() + SignedDuration::from_millis(self.ahead());
        SystemTime::from(Timestamp::from_second(now.as_second()).unwrap())
    }

    /// Stops its processes for a while; none lets them go on at once.
    pub(super) fn pause(&self, span: Duration) {
        *self.paused_until.lock().unwrap() = Instant::now() + span;
    }

    /// Waits until its processes run.
    pub(super) async fn running(&self) {
        loop {
            let until = *self.paused_until.lock().unwrap();
            if Instant::now() >= until {
                return;
            }
            sleep_until(until).await;
        }
    }
}
