//! The calls of one caller, as a node counts them.

use super::Charge;

/// The first block of a caller, and the largest.
const BLOCKS: (u32, u32) = (8, 1024);

/// The calls of one caller, as this node knows them. A million of these are held.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Count {
    /// The common count, with what was taken from it here.
    pub total: u32,
    /// Of the common count, calls not granted yet (several); calls that were taken back (both).
    pub held: u32,
    /// Calls granted that the store does not know yet: of the count (alone), or as answered (several, of accounts).
    pub unsaved: u32,
    /// Second until which the store need not be asked again: it had fewer calls than were asked for.
    pub exhausted_until: u32,
    /// Size of the last block.
    pub block: u16,
    /// Seconds since the last call.
    pub idle: u8,
    /// The common count was read.
    pub known: bool,
    /// A request about it is with the store.
    pub pending: bool,
    /// The last request failed.
    pub failed: bool,
}

impl Count {
    /// Charges some calls at once, or none; nothing until the count is known.
    pub(super) fn charge_alone(&mut self, quota: u32, calls: u32) -> Option<Charge> {
        if !self.known {
            return None;
        }
        let counted = self.total.saturating_add(self.unsaved);
        let remaining = quota.saturating_sub(counted).saturating_add(self.held);
        let Some(left) = remaining.checked_sub(calls) else { return Some(Charge::Exhausted { remaining }) };
        let from_held = self.held.min(calls);
        self.held = self.held.saturating_sub(from_held);
        self.unsaved = self.unsaved.saturating_add(calls.saturating_sub(from_held));
        Some(Charge::Granted { remaining: left })
    }

    /// Charges some calls at once, or none; nothing until enough of them are held, or the common count has no more.
    /// `reported` is whether the store is told of each call, beside the blocks.
    pub(super) fn charge_block(&mut self, quota: u32, second: u32, calls: u32, reported: bool) -> Option<Charge> {
        let beyond = quota.saturating_sub(self.total);
        if let Some(held) = self.held.checked_sub(calls) {
            self.held = held;
            self.unsaved = self.unsaved.saturating_add(if reported { calls } else { 0 });
            return Some(Charge::Granted { remaining: beyond.saturating_add(held) });
        }
        let remaining = beyond.saturating_add(self.held);
        (second < self.exhausted_until).then_some(Charge::Exhausted { remaining })
    }

    /// Whether the next block should be asked for. Near the end blocks are too small for it to help.
    pub(super) fn runs_low(&self) -> bool {
        !self.pending && self.block >= 4 && self.held <= u32::from(self.block / 4)
    }

    pub(super) fn next_block(&self) -> i64 {
        let (first, largest) = BLOCKS;
        (u32::from(self.block) * 2).clamp(first, largest).into()
    }
}
