//! The quota fields of an answer.

use super::day::Moment;

/// The state of a caller's quota, as the answer reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Calls a day.
    pub quota: u64,
    /// Calls left, where this node knows.
    pub remaining: Option<u32>,
    /// The moment of the request.
    pub moment: Moment,
}
