//! Payments: signed events of a payment provider issue, renew and end keys without anybody's intervention.
//!
//! Events have Stripe's format. Each adds to the facts of its subscription; the key is derived from the facts,
//! whatever the order and number of the events.

pub(crate) mod apply;
pub mod case;
pub(crate) mod event;
mod facts;
pub(crate) mod reconcile;
pub(crate) mod signature;
mod standing;
#[cfg(test)]
pub(super) mod tests;

use super::store::Unavailable;
pub(crate) use facts::Facts;

/// Maximum length of an event, in bytes.
pub(crate) const MAX_LENGTH: u64 = 256 * 1024;

/// Results of an event: the labels in the reply, the log and the metrics.
pub(crate) const RESULTS: [&str; 9] =
    ["issued", "renewed", "changed", "ended", "waiting", "ignored", "forged", "unreadable", "unavailable"];

/// Why an event was not applied.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Forged(#[from] signature::Forgery),
    #[error("the event cannot be read: {0}")]
    Unreadable(String),
    #[error("the event is longer than {MAX_LENGTH} bytes, or was cut off")]
    Length,
    #[error("the event did not arrive in time")]
    Late,
    #[error("what is kept of the subscription cannot be read: {0}")]
    Facts(String),
    #[error("other events of the subscription are being applied")]
    Busy,
    #[error("no valid rules are loaded")]
    NotReady,
    #[error("the service is stopping")]
    Stopping,
    #[error(transparent)]
    Store(#[from] Unavailable),
}
