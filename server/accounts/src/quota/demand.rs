//! Calls that are charged together, and the result of the charge.

use crate::subject::Subject;

/// Result of a charge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Charge {
    /// The call may be computed.
    Granted {
        /// Calls left today, as far as this node knows.
        remaining: u32,
    },
    /// The call may be computed, by the count of this node alone: the common one is not available.
    Provisional {
        /// Calls left today, as far as this node knows.
        remaining: u32,
    },
    /// Fewer calls are left today than requested.
    Exhausted {
        /// Calls left today, as far as this node knows.
        remaining: u32,
    },
}

/// Some calls to charge together, all or none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Demand {
    /// The count that they are charged to.
    pub subject: Subject,
    /// Calls a day.
    pub quota: u64,
    pub calls: u32,
}

impl Demand {
    /// A demand for one call.
    pub(crate) fn one(subject: Subject, quota: u64) -> Self {
        Self {
            subject,
            quota,
            calls: 1,
        }
    }
}
