//! Availability: the minutes of each day in which the service answered, over all nodes.

use super::Pending;
use crate::day::Day;

/// Days of which minutes are kept: those that the page of the availability shows.
pub const AVAILABILITY_DAYS: i32 = 90;

/// Minutes of a day.
pub const MINUTES_OF_DAY: u16 = 1_440;

/// A minute in which calls fail counts as unavailable from one failure in so many calls on.
pub const CALLS_A_FAILURE: i64 = 20;

/// A minute in which a node was ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServedMinute {
    /// Its day, in UTC.
    pub day: Day,
    /// The minute, from 0 to 1 439.
    pub minute: u16,
    /// Calls that the node answered in it.
    pub calls: i64,
    /// Those that failed by a fault of the service.
    pub failed: i64,
}

/// The availability of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServedDay {
    /// The day, in UTC.
    pub day: Day,
    /// The first minute with a ready node.
    pub first: u16,
    /// Minutes with a ready node in which fewer than one call in [`CALLS_A_FAILURE`] failed.
    pub minutes: u16,
    /// Calls answered.
    pub calls: i64,
    /// Those that failed by a fault of the service.
    pub failed: i64,
}

impl ServedMinute {
    /// Whether too few calls failed in it for the minute to count as unavailable.
    pub fn is_available(&self) -> bool {
        // A minute without any call counts as available: a node was ready in it, which is why it
        // was written.
        self.failed == 0 || self.failed.saturating_mul(CALLS_A_FAILURE) < self.calls
    }
}

/// Availability in a store.
pub trait Availability {
    /// Adds the minute of one node to those of the others.
    fn add_minute(&self, minute: ServedMinute) -> Pending<'_, ()>;

    /// The days since one with a minute of a ready node, oldest first.
    fn served_days(&self, since: Day) -> Pending<'_, Vec<ServedDay>>;
}
