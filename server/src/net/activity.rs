//! What one connection is doing, which decides whether it can be displaced by a new one.

use std::future::pending;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::sleep;

/// The stages of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It has not sent a complete request yet.
    New,
    /// A request is being answered.
    Answering,
    /// The caller has not read all of its answer.
    Writing,
    /// Between two requests.
    Idle,
}

/// What a connection does, and since when.
#[derive(Debug)]
pub(crate) struct Activity {
    state: Mutex<(Stage, Instant)>,
    displaced: Notify,
}

impl Default for Activity {
    fn default() -> Self {
        Self { state: Mutex::new((Stage::New, Instant::now())), displaced: Notify::new() }
    }
}

impl Activity {
    /// The stage, and how long it has lasted.
    pub(crate) fn stage(&self, now: Instant) -> (Stage, Duration) {
        let (stage, since) = *self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (stage, now.saturating_duration_since(since))
    }

    /// A complete request has arrived.
    pub(crate) fn answering(&self) {
        self.enter(Stage::Answering);
    }

    /// The answer is ready.
    pub(crate) fn answered(&self) {
        self.enter(Stage::Idle);
    }

    /// The answer cannot be written further for now. The stage began when the answer was ready: a peer
    /// that reads a little now and then is no better than one that reads nothing.
    pub(crate) fn writing(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.0 == Stage::Idle {
            state.0 = Stage::Writing;
        }
    }

    /// All of the answer is written.
    pub(crate) fn written(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.0 == Stage::Writing {
            *state = (Stage::Idle, Instant::now());
        }
    }

    /// Makes the connection close because its slot is needed.
    pub(crate) fn displace(&self) {
        self.displaced.notify_one();
    }

    /// Returns when the connection must close because its slot is needed.
    pub(crate) async fn displaced(&self) {
        self.displaced.notified().await;
    }

    /// Returns after this time if no complete request has arrived by then.
    pub(crate) async fn still_new_after(&self, time: Duration) {
        sleep(time).await;
        if self.stage(Instant::now()).0 != Stage::New {
            pending::<()>().await;
        }
    }

    fn enter(&self, stage: Stage) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = (stage, Instant::now());
    }
}
