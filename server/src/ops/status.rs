//! The state of the service, as shown to its operator in probes and metrics.

use bareme_accounts::Access;

use crate::net::connection_limit::ConnectionLimit;
use crate::ops::metrics::Metrics;
use crate::reload::in_force::InForce;

/// The state of the service at one moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Status<'s> {
    /// Keys and counts.
    pub access: &'s Access,
    /// The connections of callers.
    pub connections: &'s ConnectionLimit,
    /// Counters.
    pub metrics: &'s Metrics,
    pub rules: &'s InForce,
    /// Whether the service is stopping.
    pub is_draining: bool,
}

impl Status<'_> {
    /// Whether calls are answered, and will be for now.
    pub(crate) fn is_ready(&self) -> bool {
        self.rules.is_loaded() && !self.is_draining
    }
}
