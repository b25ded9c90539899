//! The targets, and the service that those of the network share.

pub(crate) mod batch_body;
pub(crate) mod batch_file;
pub(crate) mod event;
pub(crate) mod formula;
pub(crate) mod head;
pub(crate) mod query;
pub(crate) mod rules;
mod service;
pub(crate) mod tables;
