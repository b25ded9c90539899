//! The calls that paying keys are granted while the common count cannot be reached.
//!
//! They are counted here alone, for [`GRACE`], and at most a [`SHARE`]th of the quota of a day; when the store is
//! back they are added to the common count. Nodes do not know of each other meanwhile: what can be granted beyond a
//! quota is that share for each node.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::{Charge, small};
use crate::accounts::day::Day;
use crate::accounts::store::Change;
use crate::accounts::subject::Subject;

/// How long paying keys go on without the store.
pub(crate) const GRACE: Duration = Duration::from_secs(600);

/// The part of its quota that a key is granted so in a day, on a node.
const SHARE: u32 = 10;

/// Calls that were granted without the store.
#[derive(Debug, Default)]
pub(super) struct Grace(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Since when the store has been away.
    since: Option<Instant>,
    granted: HashMap<(Day, Subject), Granted>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Granted {
    /// On this day, those that the store knows by now too.
    calls: u32,
    /// Those that it does not know.
    owed: u32,
}

impl Grace {
    /// Grants some calls at once on a quota of which `total` were used as far as is known; none where it may not.
    pub(super) fn grant(&self, day: Day, subject: Subject, (quota, total): (u32, u32), calls: u32) -> Option<Charge> {
        let mut state = self.0.lock();
        if state.since.get_or_insert_with(Instant::now).elapsed() >= GRACE {
            return None;
        }
        let granted = state.granted.entry((day, subject)).or_default();
        let used = total.saturating_add(granted.owed);
        let remaining = quota.saturating_sub(used);
        let Some(left) = remaining.checked_sub(calls) else { return Some(Charge::Exhausted { remaining }) };
        if granted.calls.saturating_add(calls) > quota / SHARE {
            return None;
        }
        granted.calls = granted.calls.saturating_add(calls);
        granted.owed = granted.owed.saturating_add(calls);
        Some(Charge::Provisional { remaining: left })
    }

    /// Notes that the store works, and says what it has to be told.
    pub(super) fn owed(&self, today: Day) -> Vec<Change> {
        let mut state = self.0.lock();
        state.since = None;
        state.granted.retain(|(day, _), granted| *day >= today || granted.owed > 0);
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

    /// Notes that the store was told.
    pub(super) fn settle(&self, changes: &[Change]) {
        let mut state = self.0.lock();
        for change in changes {
            if let Some(granted) = state.granted.get_mut(&(change.day, change.subject)) {
                granted.owed = granted.owed.saturating_sub(small(change.by));
            }
        }
    }
}
