//! Charges calls to quotas, each call before it is computed, so that concurrent calls cannot exceed
//! the quota.
//!
//! A process that counts **alone** reads the count of a caller once a day, then charges in memory
//! and writes the changes each second and when it stops.
//!
//! Where **several** nodes count, each takes blocks of calls from the common count and grants calls
//! from these; a block grows with use, is never more than a sixteenth of what is left, and is
//! returned when unused. So the sum cannot exceed the quota, the last calls are taken one by one,
//! and calls seldom wait: the next block is requested before the last one is used up. A node that
//! dies loses its blocks, and nothing else. While the common count is not available, paying keys
//! keep working for a while: see [`grace`].

mod count;
mod demand;
mod flush;
pub(crate) mod grace;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::futures::Notified;
use tokio::sync::{Mutex, Notify, mpsc};
use tokio::time::timeout;

use super::batches;
use super::counter::Counters;
use super::day::{Day, Moment};
use super::store::{Change, Counted, Sharing, Store, Unavailable};
use super::subject::Subject;
use count::Count;
pub(crate) use demand::{Charge, Demand};
use grace::Grace;

/// How long a call waits for the store: a little longer than a [statement](super::store) may take.
// A node that gave up before the statement did would report a failure for calls that the store may
// still count.
const TIMEOUT: Duration = Duration::from_millis(850);

/// How long a paying key waits, before it is granted calls without the store.
const PAYING_TIMEOUT: Duration = Duration::from_millis(450);

/// Maximum requests sent to the store together.
// One statement takes them all, so that a distant store costs one round trip for a batch and not
// one for each caller.
const BATCH: usize = 256;

/// Maximum waiting requests; further calls are refused at once.
// The channel is bounded because a flood during an outage must not fill the memory with requests
// that nobody will wait for.
const MAX_WAITING: usize = 16_384;

/// Seconds before midnight in which a count may already be of the next day.
// The clock of a call and that of the tick are read separately, so a call of the new day may come
// before the tick that is still of the old one.
pub(super) const MIDNIGHT_MARGIN: u64 = 5;

/// The quotas of a day.
#[derive(Debug)]
pub(crate) struct Quotas {
    table: Counters<Count>,
    store: Arc<dyn Store>,
    sharing: Sharing,
    requests: mpsc::Sender<CountRequest>,
    grace: Grace,
    /// Notified when requests were answered: waiting calls check again.
    answered: Notify,
    /// Requests that were not answered yet.
    unanswered: AtomicUsize,
    /// Held while calls go from this table to the store: a reader of both would find them in
    /// neither.
    writing: Mutex<()>,
}

/// A request to the store; each count has at most one under way.
#[derive(Debug)]
struct CountRequest {
    change: Change,
    second: u32,
}

enum Step<'q> {
    Done(Result<Charge, Unavailable>),
    Wait(Notified<'q>),
}

impl Quotas {
    /// Starts without any count; a background task queries the store.
    pub(crate) fn start(store: Arc<dyn Store>) -> Arc<Self> {
        let (requests, received) = mpsc::channel(MAX_WAITING);

        let sharing = store.sharing();
        let quotas = Arc::new(Self {
            table: Counters::default(),
            store,
            sharing,
            requests,
            grace: Grace::default(),
            answered: Notify::new(),
            writing: Mutex::default(),
            unanswered: AtomicUsize::default(),
        });
        // The task ends with the last reference to the quotas.
        tokio::spawn(ask_store(Arc::downgrade(&quotas), received));

        // The caller may still hold the last reference: the task only keeps a weak one.
        quotas
    }

    /// Charges calls, if the quota of the day allows all of them.
    pub(crate) async fn charge(
        &self,
        moment: Moment,
        demand: Demand,
    ) -> Result<Charge, Unavailable> {
        self.charge_within(TIMEOUT, moment, demand).await
    }

    /// Charges calls of a paid key: while the common count is not available, it keeps working for a
    /// while.
    pub(crate) async fn charge_paying(
        &self,
        moment: Moment,
        demand: Demand,
    ) -> Result<Charge, Unavailable> {
        // Grace is for a common store that is out of reach: a process that counts alone gets none.
        let unavailable = match self.charge_within(PAYING_TIMEOUT, moment, demand).await {
            Err(unavailable) if self.sharing == Sharing::Several => unavailable,
            charged => return charged,
        };

        let Demand {
            subject,
            quota,
            calls,
        } = demand;
        self.table
            .charge(moment.day, subject, |day, subject, count| {
                let used = (quota_of(quota), count.total);
                let charge = self
                    .grace
                    .grant(day, subject, used, calls)
                    .ok_or(unavailable)?;
                // Provisional calls were answered too: they are reported for the daily use, while
                // the grace keeps what is owed to the count.
                if matches!(charge, Charge::Provisional { .. }) {
                    count.unsaved = count.unsaved.saturating_add(calls);
                }
                Ok(charge)
            })
    }

    async fn charge_within(
        &self,
        limit: Duration,
        moment: Moment,
        demand: Demand,
    ) -> Result<Charge, Unavailable> {
        match self.step(moment, demand, false) {
            Step::Done(charge) => charge,
            // A notification concerns all counts: each waiting call checks its own again, and waits
            // for the next one if its answer was not among them.
            Step::Wait(first) => {
                let patiently = async {
                    let mut answered = first;
                    loop {
                        answered.await;
                        match self.step(moment, demand, true) {
                            Step::Done(charge) => return charge,
                            Step::Wait(next) => answered = next,
                        }
                    }
                };

                // The limit covers the whole wait, not each round: a caller is answered in bounded
                // time however many batches are before it. Boxed, since few calls wait.
                Box::pin(timeout(limit, patiently))
                    .await
                    .unwrap_or_else(|_| Err(Unavailable("no count in time".to_owned())))
            }
        }
    }

    /// Charges calls to the ceiling of an address. Addresses in the overflow count are not charged:
    /// a flood of addresses must not stop the keys of others.
    pub(crate) async fn charge_ceiling(
        &self,
        moment: Moment,
        demand: Demand,
    ) -> Result<Charge, Unavailable> {
        if self.table.is_beyond_capacity(moment.day, demand.subject) {
            return Ok(Charge::Granted {
                remaining: quota_of(demand.quota),
            });
        }

        // Below the capacity the ceiling is a count like any other.
        self.charge(moment, demand).await
    }

    /// Takes back calls that were granted but not made, for later ones.
    pub(crate) fn take_back(&self, day: Day, address: Subject, calls: u32) {
        self.table.update(day, address, |count| {
            // They go to the reserve of this node and not back to the total: the store may already
            // have counted them.
            count.held = count.held.saturating_add(calls)
        });
    }

    /// Calls of an account on a day, without charging one; other nodes report theirs each second.
    pub(crate) async fn used(&self, day: Day, subject: Subject) -> Result<u64, Unavailable> {
        // Without this lock, calls that the sweep has taken from the table and not yet written
        // would be missing from the sum.
        let _no_write = self.writing.lock().await;
        let nothing = Change {
            day,
            subject,
            by: 0,
            spare: 0,
            quota: 0,
            used: 0,
        };

        let used = self
            .store
            .count(vec![nothing])
            .await?
            .first()
            .map_or(0, |counted| counted.used);

        // This node knows of its own calls of the last second; those of other nodes arrive with
        // their next report.
        let unsaved = self.unsaved(day, subject);
        Ok(u64::try_from(used)
            .unwrap_or_default()
            .saturating_add(unsaved.into()))
    }

    /// Calls of an account on a day that are not in the store yet.
    fn unsaved(&self, day: Day, subject: Subject) -> u32 {
        self.table
            .update(day, subject, |count| count.unsaved)
            .unwrap_or_default()
    }

    /// Counts calls of an unlimited plan. Never waits, and needs no store.
    pub(crate) fn note(&self, day: Day, subject: Subject, calls: u32) {
        self.table.charge(day, subject, |_, _, count| {
            count.idle = 0;
            count.unsaved = count.unsaved.saturating_add(calls);
        });
    }

    /// Checks the count once, and decides what to do.
    fn step(
        &self,
        moment: Moment,
        Demand {
            subject,
            quota,
            calls,
        }: Demand,
        waited: bool,
    ) -> Step<'_> {
        // Everything below happens under the lock of the shard, so that two calls cannot both take
        // the last one.
        let quota = quota_of(quota);
        self.table
            .charge(moment.day, subject, |day, subject, count| {
                count.idle = 0;

                // First what this node can decide by itself: most calls end here, without the
                // store.
                let charge = match self.sharing {
                    Sharing::Alone => count.charge_alone(quota, calls),
                    Sharing::Several => {
                        count.charge_block(quota, moment.second, calls, !subject.is_address())
                    }
                };

                // Answered calls are reported each second, by [`Self::report`].
                let request = |by, spare| CountRequest {
                    change: Change {
                        day,
                        subject,
                        by,
                        spare,
                        quota: i64::from(quota),
                        used: 0,
                    },
                    second: moment.second,
                };

                // A block that is nearly used up is renewed before it is empty, so that the next
                // calls need not wait for the round trip.
                if let Some(charge) = charge {
                    if self.sharing == Sharing::Several && count.runs_low() {
                        self.send(count, request(0, count.next_block()));
                    }
                    return Step::Done(Ok(charge));
                }

                // One request for each count is under way at most: concurrent calls of the same
                // caller wait for the same answer.
                if !count.pending {
                    // Only a call that has waited fails by the failure of the last request: a new
                    // call makes another attempt.
                    if waited && count.failed {
                        return Step::Done(Err(Unavailable("no count".to_owned())));
                    }
                    self.send(
                        count,
                        match self.sharing {
                            // A change of nothing reads the count: alone, calls are charged in
                            // memory and written later.
                            Sharing::Alone => request(0, 0),
                            Sharing::Several => {
                                // Calls that the node holds are not requested again: the call needs
                                // the rest, and a block beside it for the calls after it.
                                request(calls.saturating_sub(count.held).into(), count.next_block())
                            }
                        },
                    );
                    if count.failed {
                        return Step::Done(Err(Unavailable("too many counts wait".to_owned())));
                    }
                }
                // Created while the count is locked, so that the notification cannot be missed.
                Step::Wait(self.answered.notified())
            })
    }

    fn send(&self, count: &mut Count, request: CountRequest) {
        // Counted before it is sent: otherwise the answer could come first, and the count of open
        // requests would drop below zero.
        self.unanswered.fetch_add(1, Ordering::SeqCst);
        // A full channel is not waited for, because this runs under the lock of the shard.
        count.pending = self.requests.try_send(request).is_ok();
        count.failed = !count.pending;
        if count.failed {
            self.unanswered.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Sends a batch to the store, and notifies the waiting calls.
    async fn ask(&self, requests: &[CountRequest]) {
        let changes = requests.iter().map(|request| request.change).collect();
        // A store may leave out a row that another node created at the same moment; its callers
        // fail and may ask again.
        match self.store.count(changes).await {
            Ok(counted) => {
                for request in requests {
                    let same = |counted: &&Counted| {
                        (counted.day, counted.subject)
                            == (request.change.day, request.change.subject)
                    };
                    match counted.iter().find(same) {
                        Some(counted) => self.learn(request, counted),
                        None => self.fail(&request.change),
                    }
                }
            }
            Err(unavailable) => {
                tracing::debug!(%unavailable, "calls cannot be counted");
                requests
                    .iter()
                    .for_each(|request| self.fail(&request.change));
            }
        }

        // Before the notification: a waiting stop reads this number when it wakes up.
        self.unanswered.fetch_sub(requests.len(), Ordering::SeqCst);
        self.answered.notify_waiters();
    }

    fn learn(&self, request: &CountRequest, counted: &Counted) {
        // A block of a day that has ended meanwhile is returned.
        self.table.settle(counted.day, counted.subject, |count| {
            count.pending = false;
            count.known = true;
            // The total of the store already holds the block, which is not granted yet: `held` is
            // what keeps the two in balance.
            count.total = small(counted.total);
            if self.sharing == Sharing::Several {
                count.held = count.held.saturating_add(small(counted.by));
                // The size of a block requested in full does not predict the next one.
                count.block =
                    u16::try_from(counted.by - request.change.by.max(1) + 1).unwrap_or_default();
                // The store had fewer calls than the caller needed: until the next second it is not
                // asked again, so that an exhausted key does not cost a statement a call.
                if counted.by < request.change.by {
                    count.exhausted_until = request.second + 1;
                }
            }
        });
    }

    fn fail(&self, change: &Change) {
        self.table.settle(change.day, change.subject, |count| {
            count.pending = false;
            count.failed = true;
        });
    }
}

/// Sends all waiting requests to the store together, then those that arrived meanwhile, until
/// nobody uses the quotas.
async fn ask_store(quotas: std::sync::Weak<Quotas>, requests: mpsc::Receiver<CountRequest>) {
    let ask = |batch: Vec<CountRequest>| {
        // `None` ends the task: the quotas are gone, and nobody waits for an answer.
        let quotas = quotas.upgrade()?;
        Some(async move { quotas.ask(&batch).await })
    };
    batches::hand_over(requests, BATCH, ask).await;
}

/// A quota as a 32-bit count.
fn quota_of(quota: u64) -> u32 {
    u32::try_from(quota).unwrap_or(u32::MAX)
}

/// A count as 32 bits: more than four thousand million calls a day exceed any quota.
fn small(count: i64) -> u32 {
    u32::try_from(count.max(0)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
