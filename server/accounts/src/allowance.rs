//! The state of a quota, as it is reported to a caller.

use std::time::SystemTime;

/// Name of the daily quota.
// Names in the headers of the quota, which callers read: they never change.
pub const POLICY: &str = "jour";

/// Name of the limit of an address.
pub const ADDRESS_POLICY: &str = "adresse";

/// Name of the limit of a publishable key.
pub const KEY_POLICY: &str = "cle";

/// The state of a caller's quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Its name: [`POLICY`], [`ADDRESS_POLICY`] or [`KEY_POLICY`].
    pub policy: &'static str,
    /// Calls a day.
    pub quota: u64,
    /// Calls left, where this node knows.
    pub remaining: Option<u32>,
    /// Whether it is the count of this node alone, while the common one is not available.
    pub provisional: bool,
    /// Seconds until the count is reset.
    pub seconds_left: u64,
}

/// Fewer calls left today than requested.
#[derive(Debug, Clone, Copy)]
pub struct InsufficientCalls {
    /// Calls a day.
    pub limit: u64,
    /// Calls requested together.
    pub asked: u32,
    /// Calls left today.
    pub remaining: u32,
    /// When the count is reset.
    pub midnight: SystemTime,
}
