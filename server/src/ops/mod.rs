//! What the operator sees of the service: the admin listener, probes, metrics, the log, a clean stop.

pub(crate) mod admin;
pub(crate) mod health;
pub(crate) mod log;
pub(crate) mod metrics;
pub(crate) mod shutdown;
