//! The writing of counts behind the calls: each second, and when the process stops.

use std::sync::atomic::Ordering;

use tokio::time::timeout;

use super::{MIDNIGHT_MARGIN, Quotas, TIMEOUT, small};
use crate::day::Moment;
use crate::store::{Change, Component, Sharing};

/// Seconds without a call after which a block is returned.
pub(super) const IDLE_SECONDS: u8 = 5;

/// Changes after which a batch is written.
// A write transaction locks the file: it is kept short enough that a caller's read of a count waits
// for one batch at most.
pub(super) const MAX_UNWRITTEN: usize = 4096;

impl Quotas {
    /// Called each second: writes what was granted, or reports what was answered and returns unused
    /// blocks; for ended days too.
    pub(crate) async fn tick(&self, now: Moment) {
        match self.sharing {
            Sharing::Alone => self.save().await,
            // While the store is unavailable, blocks are kept: they can still be granted.
            Sharing::Several if self.is_unavailable() => {}
            Sharing::Several => {
                self.settle_grace().await;
                self.report(IDLE_SECONDS).await;
            }
        }
        // Just before midnight a call may already be of the next day.
        if now.seconds_left() > MIDNIGHT_MARGIN {
            self.table.turn_back(now.day);
        }
    }

    fn is_unavailable(&self) -> bool {
        let health = self.store.health();
        health.is_failing(Component::Link) || health.is_failing(Component::Writer)
    }

    /// Writes or returns everything. No call may be charged after it.
    pub(crate) async fn close(&self) {
        match self.sharing {
            Sharing::Alone => self.save().await,
            Sharing::Several => {
                // A block that is on its way is returned too.
                drop(timeout(TIMEOUT, self.all_answered()).await);
                self.settle_grace().await;
                self.report(0).await;
            }
        }
    }

    /// Waits until no request is with the store.
    pub(super) async fn all_answered(&self) {
        loop {
            let answered = self.answered.notified();
            if self.unanswered.load(Ordering::SeqCst) == 0 {
                return;
            }
            answered.await;
        }
    }

    /// Adds calls granted without the store to the common count. Those that may not have been added
    /// are added again: that cannot exceed a quota.
    async fn settle_grace(&self) {
        // Asking for what is owed also ends the outage: it is only called while the store works.
        let owed = self.grace.owed();
        if owed.is_empty() {
            return;
        }

        // They are added without regard to the quota: the callers have been answered, and the count
        // may exceed it.
        let calls: i64 = owed.iter().map(|change| change.by).sum();
        match self.store.count(owed.clone()).await {
            Ok(_) => {
                self.grace.settle(&owed);
                tracing::info!(
                    keys = owed.len(),
                    calls,
                    "calls granted without the store are counted"
                );
            }
            Err(unavailable) => {
                tracing::warn!(%unavailable, "calls granted without the store are not counted yet")
            }
        }
    }

    async fn save(&self) {
        let _no_read = self.writing.lock().await;
        let unsaved = self.table.sweep(|day, subject, count, _| {
            // Taken under the lock of the shard, so that a call charged meanwhile is in the next
            // second's write and in no other.
            let by = std::mem::take(&mut count.unsaved);
            count.total = count.total.saturating_add(by);
            (by > 0).then(|| Change {
                day,
                subject,
                by: by.into(),
                spare: 0,
                quota: i64::MAX,
                used: by.into(),
            })
        });

        for changes in gathered(unsaved) {
            if self.store.count(changes.clone()).await.is_ok() {
                continue;
            }
            // A failed write to a file had no effect: it is retried the next second.
            for change in changes {
                self.table.settle(change.day, change.subject, |count| {
                    count.total = count.total.saturating_sub(small(change.by));
                    count.unsaved = count.unsaved.saturating_add(small(change.by));
                });
            }
            return;
        }
    }

    /// Reports the answered calls of accounts, and returns the blocks of those without a call for
    /// `idle` seconds.
    pub(super) async fn report(&self, idle: u8) {
        let _no_read = self.writing.lock().await;
        let unreported = self.table.sweep(move |day, subject, count, ended| {
            count.idle = count.idle.saturating_add(1);
            // A clock that was ahead would have it hold in a second to come.
            count.exhausted_until = 0;

            let used = std::mem::take(&mut count.unsaved);
            // A day that has ended grants no more calls, however recently its block was used.
            let unused = if ended || count.idle > idle {
                std::mem::take(&mut count.held)
            } else {
                0
            };
            // The next call of this caller starts with a small block again, as its rate is not
            // known any more.
            if unused > 0 {
                count.total = count.total.saturating_sub(unused);
                count.block = 0;
            }

            // A negative change returns calls; a subject without any change is left out of the
            // batch.
            let (by, used) = (-i64::from(unused), i64::from(used));
            ((by, used) != (0, 0)).then_some(Change {
                day,
                subject,
                by,
                spare: 0,
                quota: i64::MAX,
                used,
            })
        });

        for changes in gathered(unreported) {
            let Err(unavailable) = self.store.count(changes.clone()).await else {
                continue;
            };
            // It may have succeeded all the same. Returning blocks twice could exceed a quota, so
            // they are given up; answered calls are reported again.
            tracing::warn!(%unavailable, "unused calls could not be returned");
            for change in changes {
                self.table.settle(change.day, change.subject, |count| {
                    count.unsaved = count.unsaved.saturating_add(small(change.used));
                });
            }
        }
    }
}

/// The changes of all parts of the table in batches: a batch is one transaction of the store, and a
/// caller waits for at most one.
pub(super) fn gathered(
    parts: impl Iterator<Item = Vec<Change>>,
) -> impl Iterator<Item = Vec<Change>> {
    // Parts are swept as they are pulled: the lock of a shard is never held while the store is
    // waited for.
    let mut parts = parts.fuse();
    std::iter::from_fn(move || {
        let mut batch = Vec::new();
        while batch.len() < MAX_UNWRITTEN
            && let Some(part) = parts.next()
        {
            batch.extend(part);
        }
        (!batch.is_empty()).then_some(batch)
    })
}
