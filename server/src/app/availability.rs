//! Availability: each minute in which this node was ready is written to the store, with its answers
//! and failures; the site shows the minutes of all nodes.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bareme_accounts::day::{Day, Moment};
use bareme_accounts::store::availability::ServedMinute;
use tokio::time::{MissedTickBehavior, interval};

use crate::app::shared::Shared;
use crate::ops::metrics::Answers;

/// How often the node looks whether it is ready.
const TICK: Duration = Duration::from_secs(1);

/// Ready seconds from which a minute counts: a restart of a few seconds loses none.
const READY_SECONDS: u32 = 30;

/// Minutes that wait for a store that is not available; older ones are lost.
const MAX_WAITING: usize = 1_440;

/// The minute that is running.
struct RunningMinute {
    /// Its day, and its number in it.
    at: (Day, u16),
    ready_seconds: u32,
    /// The answers of the node when it began.
    before: Answers,
}

impl RunningMinute {
    fn new(at: (Day, u16), before: Answers) -> Self {
        Self {
            at,
            ready_seconds: 0,
            before,
        }
    }

    /// The minute to store once it has ended, if the node was ready in it.
    fn served(&self, now: Answers) -> Option<ServedMinute> {
        let (day, minute) = self.at;
        let count =
            |now: u64, before: u64| i64::try_from(now.saturating_sub(before)).unwrap_or(i64::MAX);
        (self.ready_seconds >= READY_SECONDS).then(|| ServedMinute {
            day,
            minute,
            calls: count(now.all, self.before.all),
            failed: count(now.failed, self.before.failed),
        })
    }
}

/// Writes the minutes of this node, until the service stops.
pub(crate) async fn record(shared: Arc<Shared>) {
    let now = || minute_of(shared.access.store().time(shared.clock.read().second));
    let mut running = RunningMinute::new(now(), shared.metrics.answers());
    let mut waiting = VecDeque::new();
    let mut ticks = interval(TICK);
    // A node that was paused must not count the seconds of its pause as ready.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);

    loop {
        ticks.tick().await;
        let at = now();
        if at != running.at {
            let answers = shared.metrics.answers();
            // The minute that ended is queued before the next begins: its answers are the
            // difference of the two readings.
            waiting.extend(running.served(answers));
            running = RunningMinute::new(at, answers);
            write(&shared, &mut waiting).await;
        }
        running.ready_seconds += u32::from(shared.status().is_ready());
    }
}

/// Writes the minutes that wait; a store that is not available gets them later.
async fn write(shared: &Shared, waiting: &mut VecDeque<ServedMinute>) {
    while let Some(minute) = waiting.front() {
        if shared.access.store().add_minute(*minute).await.is_err() {
            break;
        }
        waiting.pop_front();
    }

    // The oldest go first, so that an outage of the store cannot fill the memory.
    let lost = waiting.len().saturating_sub(MAX_WAITING);
    waiting.drain(..lost);
}

/// The day and the minute of a moment.
pub(super) fn minute_of(time: SystemTime) -> (Day, u16) {
    let Moment { day, second } = Moment::new(time);
    // A day has 1 440 minutes.
    (day, u16::try_from(second / 60).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_counts_when_the_node_was_ready_in_half_of_it() {
        let before = Answers { all: 10, failed: 1 };
        let running = |ready_seconds| RunningMinute {
            at: (Day(20_000), 7),
            ready_seconds,
            before,
        };
        let now = Answers { all: 35, failed: 3 };
        assert_eq!(running(29).served(now), None);
        let served = ServedMinute {
            day: Day(20_000),
            minute: 7,
            calls: 25,
            failed: 2,
        };
        assert_eq!(running(30).served(now), Some(served));
    }
}
