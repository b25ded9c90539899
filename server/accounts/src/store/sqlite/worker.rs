//! A thread with a connection that runs jobs one after the other.

use std::io;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::super::{Component, Health, Pending, Unavailable};

/// Maximum waiting jobs. Further ones are refused at once, rather than after a useless wait.
const MAX_WAITING: usize = 1_024;

/// How long a probe may wait for its turn before the thread counts as stuck.
const TIMEOUT: Duration = Duration::from_secs(1);

pub(super) trait Job<T>:
    FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static
{
}

impl<T, F: FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static> Job<T> for F {}

type Work = Box<dyn FnOnce(&mut Connection) + Send>;

/// The sending side of the thread.
#[derive(Debug)]
pub(super) struct Worker {
    component: Component,
    health: Arc<Health>,
    queue: Option<mpsc::SyncSender<Work>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// Starts the thread; `component` is its name in the health of the store.
    pub(super) fn start(
        component: Component,
        mut connection: Connection,
        health: Arc<Health>,
    ) -> io::Result<Self> {
        let (queue, waiting) = mpsc::sync_channel::<Work>(MAX_WAITING);
        let live = move || waiting.into_iter().for_each(|work| work(&mut connection));
        let thread = thread::Builder::new()
            .name(format!("sqlite-{component:?}").to_lowercase())
            .spawn(live)?;
        Ok(Self {
            component,
            health,
            queue: Some(queue),
            thread: Some(thread),
        })
    }

    /// Runs a job in its turn, unless its caller has given up by then.
    pub(super) fn run<T: Send + 'static>(&self, job: impl Job<T>) -> Pending<'static, T> {
        let (answer, answered) = oneshot::channel();
        let (component, health) = (self.component, Arc::clone(&self.health));

        let began = Instant::now();
        let work: Work = Box::new(move |connection| {
            // The caller was answered that it failed: it must not be done later.
            if answer.is_closed() {
                return;
            }
            let done = job(connection);
            health.record_query(component, began.elapsed());
            match &done {
                Ok(_) => health.recovered(component),
                // A fault of the statement, not of the file.
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                }
                Err(error) => health.failed(component, &error.to_string()),
            }
            // The caller may have gone in the meantime; what was done stays done.
            drop(answer.send(done));
        });

        let sent = match self.queue.as_ref().map(|queue| queue.try_send(work)) {
            Some(Ok(())) => Ok(()),
            Some(Err(mpsc::TrySendError::Full(_))) => Err("too many jobs wait"),
            Some(Err(mpsc::TrySendError::Disconnected(_))) | None => Err("its thread has ended"),
        };
        // A queue that is full means that the file does not keep up: that is an outage of this
        // component.
        if let Err(reason) = sent {
            self.health.failed(self.component, reason);
        }

        Box::pin(async move {
            sent.map_err(|reason| Unavailable(reason.to_owned()))?;
            let ended = |_| Unavailable("its thread has ended".to_owned());
            answered
                .await
                .map_err(ended)?
                .map_err(|error| Unavailable(error.to_string()))
        })
    }

    /// Runs a job to check that the thread works. A thread that does not get to it counts as stuck.
    pub(super) async fn probe(&self, job: impl Job<()>) {
        if timeout(TIMEOUT, self.run(job)).await.is_err() {
            self.health.failed(self.component, "no answer in a second");
        }
    }
}

/// Ends the thread after its queued jobs.
impl Drop for Worker {
    fn drop(&mut self) {
        // The thread ends when its channel has no sender: it must be dropped before the thread is
        // joined.
        drop(self.queue.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
