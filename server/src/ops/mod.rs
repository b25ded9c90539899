//! What the operator sees of the service: the admin listener, probes, metrics, the log, a clean stop.

pub mod admin;
pub mod health;
pub mod log;
pub mod metrics;
pub mod shutdown;
