//! The calls of one caller, as a node counts them.

use super::Charge;

/// Size of the first block of a caller, and the greatest size.
// A node that dies loses its blocks: the first one is small, and the largest is bounded.
const BLOCKS: (u32, u32) = (8, 1024);

/// The calls of one caller, as this node knows them. A million of these are held.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Count {
    /// The common count, with what this node has taken from it.
    pub total: u32,
    /// Calls taken from the common count and not granted yet (several nodes); calls taken back
    /// (both).
    pub held: u32,
    /// Granted calls that the store does not know yet: of the count (alone), or as answered calls
    /// of accounts (several).
    pub unsaved: u32,
    /// Second until which the store is not asked again, because it had fewer calls than requested.
    pub exhausted_until: u32,
    /// Size of the last block.
    pub block: u16,
    /// Seconds since the last call.
    pub idle: u8,
    /// Whether the common count was read.
    pub known: bool,
    /// Whether a request about it is under way.
    pub pending: bool,
    /// Whether the last request failed.
    pub failed: bool,
}

impl Count {
    /// Charges some calls together, or none; `None` until the count is known.
    pub(super) fn charge_alone(&mut self, quota: u32, calls: u32) -> Option<Charge> {
        if !self.known {
            return None;
        }

        // The total of the store does not hold the calls of the last second; calls that were taken
        // back are free again.
        let counted = self.total.saturating_add(self.unsaved);
        let remaining = quota.saturating_sub(counted).saturating_add(self.held);
        let Some(left) = remaining.checked_sub(calls) else {
            return Some(Charge::Exhausted { remaining });
        };

        // Calls taken back are granted first: they are in the total already, and must not be
        // written a second time.
        let from_held = self.held.min(calls);
        self.held = self.held.saturating_sub(from_held);
        self.unsaved = self.unsaved.saturating_add(calls.saturating_sub(from_held));
        Some(Charge::Granted { remaining: left })
    }

    /// Charges some calls together, or none; `None` until enough calls are held, or the common
    /// count has no more. `reported`: whether each call is reported to the store, beside the
    /// blocks.
    pub(super) fn charge_block(
        &mut self,
        quota: u32,
        second: u32,
        calls: u32,
        reported: bool,
    ) -> Option<Charge> {
        // Calls left in the common count beside the block of this node.
        let beyond = quota.saturating_sub(self.total);
        // A call that fits the block costs no statement; its answer is reported with those of the
        // second.
        if let Some(held) = self.held.checked_sub(calls) {
            self.held = held;
            self.unsaved = self
                .unsaved
                .saturating_add(if reported { calls } else { 0 });
            return Some(Charge::Granted {
                remaining: beyond.saturating_add(held),
            });
        }

        let remaining = beyond.saturating_add(self.held);
        // Of this second, and not of one that a clock which was ahead made up.
        let is_recent_answer = self.exhausted_until.checked_sub(second) == Some(1);
        (is_recent_answer && calls > remaining).then_some(Charge::Exhausted { remaining })
    }

    /// Whether to request the next block. Near the end of the quota blocks are too small for this
    /// to help.
    pub(super) fn runs_low(&self) -> bool {
        // A quarter of the block remains for the calls during the round trip.
        !self.pending && self.block >= 4 && self.held <= u32::from(self.block / 4)
    }

    pub(super) fn next_block(&self) -> i64 {
        // Doubled each time, so that a busy caller soon needs few requests.
        let (first, largest) = BLOCKS;
        (u32::from(self.block) * 2).clamp(first, largest).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quota_is_exhausted_for_a_second_and_for_those_who_ask_for_more_than_is_left() {
        let mut count = Count {
            total: 96,
            exhausted_until: 5_001,
            known: true,
            ..Count::default()
        };
        assert_eq!(
            count.charge_block(100, 5_000, 5, true),
            Some(Charge::Exhausted { remaining: 4 })
        );
        assert_eq!(
            count.charge_block(100, 5_000, 4, true),
            None,
            "the store is asked"
        );
        for second in [5_001, 5_000 - 3_600] {
            assert_eq!(
                count.charge_block(100, second, 5, true),
                None,
                "at {second}"
            );
        }
    }
}
