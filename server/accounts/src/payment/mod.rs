//! Payments: signed events of a payment provider issue, renew and end keys without anybody's
//! intervention.
//!
//! Events have Stripe's format. Each adds to the facts of its subscription; the key is derived from
//! the facts, whatever the order and number of the events.

pub mod apply;
pub mod case;
pub mod event;
mod facts;
pub(crate) mod reconcile;
mod reversal;
pub mod signature;
mod standing;
#[cfg(test)]
pub(super) mod tests;

use super::store::Unavailable;
pub(crate) use facts::Facts;

/// Maximum length of an event, in bytes.
pub const MAX_LENGTH: u64 = 256 * 1024;

/// Results of an event: the labels in the reply, the log and the metrics.
pub const RESULTS: [&str; 9] = [
    "issued",
    "renewed",
    "changed",
    "ended",
    "waiting",
    "ignored",
    "forged",
    "unreadable",
    "unavailable",
];

/// Why an event was not applied.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Its signature is not the one of the secret.
    #[error("{0}")]
    Forged(#[from] signature::Forgery),
    /// It is no JSON, or lacks what is needed of it.
    #[error("the event cannot be read: {0}")]
    Unreadable(String),
    /// Its body is too long, or ended early.
    #[error("the event is longer than {MAX_LENGTH} bytes, or was cut off")]
    Length,
    /// Its body took too long.
    #[error("the event did not arrive in time")]
    Late,
    /// The record of the subscription in the store is damaged.
    #[error("what is kept of the subscription cannot be read: {0}")]
    Facts(String),
    /// Other events of the subscription are being applied; the payment service sends it again.
    #[error("other events of the subscription are being applied")]
    Busy,
    /// The plans are not known yet.
    #[error("no valid rules are loaded")]
    NotReady,
    /// The service takes no more events.
    #[error("the service is stopping")]
    Stopping,
    /// The store is not available.
    #[error(transparent)]
    Store(#[from] Unavailable),
}
