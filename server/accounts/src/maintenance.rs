//! The background tasks of access control: counts and expiries are written each second, old data is
//! deleted each day, and the store is checked whatever else waits for it.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::Access;
use crate::day::Day;

/// Interval at which counts are written and blocks checked.
const TICK: Duration = Duration::from_secs(1);

impl Access {
    /// Runs the periodic tasks each second until `stop`; then writes everything.
    pub(crate) async fn keep(
        &self,
        read_clock: impl Fn() -> SystemTime,
        mut stop: watch::Receiver<bool>,
    ) {
        let now = || self.moment(read_clock());
        let mut ticks = ticks();
        // The last day on which old data was removed.
        let mut forgotten = Day::default();
        loop {
            tokio::select! {
                // The stop is looked at first, so that a busy service stops at its next tick.
                biased;
                _ = stop.wait_for(|stopping| *stopping) => break,
                _ = ticks.tick() => {}
            }

            let moment = now();
            let day = moment.day;
            self.quotas.tick(moment).await;
            self.settle_keys().await;
            self.write_law_uses(day).await;
            // While there is more to delete the day stays open: a little goes at each tick, so that
            // no call waits long for a big deletion.
            if forgotten != day
                && self.store.forget(day).await.is_ok_and(|more| !more)
                && self.store.forget_law_uses(day).await.is_ok()
            {
                forgotten = day;
            }
        }

        // Quotas before the store: the last counts are writes.
        self.quotas.close().await;
        self.settle_keys().await;
        self.write_law_uses(now().day).await;
        if let Err(unavailable) = self.store.close().await {
            tracing::warn!(%unavailable, "the store could not be closed");
        }
    }

    /// Writes postponed expiries, and removes orphaned keys.
    async fn settle_keys(&self) {
        let extended = std::mem::take(&mut *self.extended.lock());
        if !extended.is_empty()
            && self
                .store
                .extend_keys(extended.clone().into_iter().collect())
                .await
                .is_err()
        {
            // Kept for the next second. An expiry that was postponed again meanwhile is overwritten
            // by the older one, which differs by seconds.
            self.extended.lock().extend(extended);
        }
        self.orphans.remove(self.store.as_ref()).await;
    }

    /// Checks the store each second, whatever else waits for it.
    pub(crate) async fn watch_store(&self, read_clock: impl Fn() -> SystemTime) {
        let mut ticks = ticks();
        loop {
            ticks.tick().await;
            let now = Timestamp::try_from(read_clock()).unwrap_or_default();
            // The result is in the health of the store.
            drop(self.store.check(now).await);
        }
    }
}

fn ticks() -> Interval {
    let mut ticks = interval(TICK);
    // After a pause one tick is enough: the missed ones would only repeat its work.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// The background tasks of access control.
#[derive(Debug)]
pub struct Maintenance {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
    watch: JoinHandle<()>,
}

impl Maintenance {
    /// Starts the tasks.
    pub fn start(
        access: Arc<Access>,
        clock: impl Fn() -> SystemTime + Clone + Send + Sync + 'static,
    ) -> Self {
        let (stop, stopped) = watch::channel(false);
        let (watching, its_clock) = (Arc::clone(&access), clock.clone());
        let watch = tokio::spawn(async move { watching.watch_store(its_clock).await });
        Self {
            stop,
            watch,
            task: tokio::spawn(async move { access.keep(clock, stopped).await }),
        }
    }

    /// Writes everything left. No call may be answered after it.
    pub async fn stop(self) {
        // The watch has nothing to write; the other task writes everything before it ends.
        self.watch.abort();
        self.stop.send_replace(true);
        drop(self.task.await);
    }
}
