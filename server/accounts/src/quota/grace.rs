//! Calls granted to paying keys while the common count is not available.
//!
//! They are counted on this node alone, for [`GRACE`], and at most a [`QUOTA_FRACTION`]th of the
//! daily quota; once the store is back they are added to the common count. Nodes do not know of
//! each other meanwhile: the quota can be exceeded by that share for each node.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::{Charge, small};
use crate::day::Day;
use crate::store::Change;
use crate::subject::Subject;

/// How long paying keys keep working without the store.
// Bounded, because nodes do not see each other meanwhile: an outage that lasts longer needs a
// person.
pub(crate) const GRACE: Duration = Duration::from_secs(600);

/// The fraction of its daily quota that a key is granted this way, on each node: one in so many.
// With ten nodes that do not see each other, one quota can be granted beside the real one at most.
const QUOTA_FRACTION: u32 = 10;

/// How long it is remembered what a key was granted: longer than a day, and by the time that
/// passes. A clock that is wrong for a second must not give a key its part of the day again.
const REMEMBERED_FOR: Duration = Duration::from_hours(48);

/// Calls granted without the store.
#[derive(Debug, Default)]
pub(super) struct Grace(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Since when the store is unavailable.
    since: Option<Instant>,
    granted: HashMap<(Day, Subject), Granted>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Granted {
    /// Calls of this day, those included that the store knows by now.
    calls: u32,
    /// Calls that the store does not know.
    owed: u32,
    /// When the last ones were granted.
    last: Option<Instant>,
}

impl Grace {
    /// Grants some calls together on a quota of which `total` are known to be used; `None` where
    /// that is not allowed.
    pub(super) fn grant(
        &self,
        day: Day,
        subject: Subject,
        (quota, total): (u32, u32),
        calls: u32,
    ) -> Option<Charge> {
        let mut state = self.0.lock();
        // The first refused statement starts the outage; it is not known how long the store was
        // away before.
        if state.since.get_or_insert_with(Instant::now).elapsed() >= GRACE {
            return None;
        }

        let granted = state.granted.entry((day, subject)).or_default();

        // Owed calls are not in the total yet, settled ones are: only `owed` is added.
        let used = total.saturating_add(granted.owed);
        let remaining = quota.saturating_sub(used);
        let Some(left) = remaining.checked_sub(calls) else {
            return Some(Charge::Exhausted { remaining });
        };

        // By all calls of the day, settled ones too: an outage that comes and goes must not grant
        // the fraction again each time.
        if granted.calls.saturating_add(calls) > quota / QUOTA_FRACTION {
            return None;
        }

        granted.calls = granted.calls.saturating_add(calls);
        granted.owed = granted.owed.saturating_add(calls);
        granted.last = Some(Instant::now());
        Some(Charge::Provisional { remaining: left })
    }

    /// Notes that the store works; returns the changes to tell it.
    pub(super) fn owed(&self) -> Vec<Change> {
        let mut state = self.0.lock();
        state.since = None;

        // Old entries go, so that the map is bounded by the paying keys of two days; what is owed
        // stays however old it is.
        let is_recent = |granted: &Granted| {
            granted
                .last
                .is_some_and(|last| last.elapsed() < REMEMBERED_FOR)
        };
        state
            .granted
            .retain(|_, granted| granted.owed > 0 || is_recent(granted));

        let owed = state.granted.iter().filter(|(_, granted)| granted.owed > 0);
        owed.map(|((day, subject), granted)| Change {
            day: *day,
            subject: *subject,
            by: granted.owed.into(),
            spare: 0,
            quota: i64::MAX,
            used: 0,
        })
        .collect()
    }

    /// Notes that the store knows of the changes.
    pub(super) fn settle(&self, changes: &[Change]) {
        let mut state = self.0.lock();
        for change in changes {
            // Subtracted and not cleared: more may have been granted while the store was writing.
            if let Some(granted) = state.granted.get_mut(&(change.day, change.subject)) {
                granted.owed = granted.owed.saturating_sub(small(change.by));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;
    use uuid::Uuid;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_tenth_is_granted_once_in_two_days_and_owed_until_the_store_knows_it() {
        let grace = Grace::default();
        let subject = Subject::account(Uuid::now_v7());
        let grant = |calls| grace.grant(Day(20_000), subject, (1_000, 0), calls);
        let owed = || {
            grace
                .owed()
                .iter()
                .map(|change| change.by)
                .collect::<Vec<_>>()
        };
        assert_eq!(grant(60), Some(Charge::Provisional { remaining: 940 }));
        assert_eq!(grant(41), None);
        // However long the store is away.
        advance(REMEMBERED_FOR * 2).await;
        assert_eq!([owed(), owed()], [[60], [60]]);
        grace.settle(&grace.owed());
        assert!(owed().is_empty());
        assert_eq!(grant(100), Some(Charge::Provisional { remaining: 900 }));
        grace.settle(&grace.owed());
        advance(REMEMBERED_FOR - Duration::from_secs(1)).await;
        assert_eq!((owed().len(), grant(1)), (0, None));
        advance(Duration::from_secs(1)).await;
        assert_eq!(
            (owed().len(), grant(1)),
            (0, Some(Charge::Provisional { remaining: 999 }))
        );
    }
}
