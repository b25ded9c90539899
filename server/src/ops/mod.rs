//! The operator's side of the service: probes, metrics, the log, backups, a clean stop.

pub(crate) mod backup;
pub(crate) mod health;
pub(crate) mod log;
pub(crate) mod metrics;
pub(crate) mod shutdown;
pub(crate) mod status;
