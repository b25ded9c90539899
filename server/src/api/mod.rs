//! The interface: its paths, the answer of each, and the answers that need not be computed again.

pub(crate) mod answer_cache;
pub(crate) mod batch;
pub(crate) mod calculate;
pub(crate) mod called;
pub(crate) mod route;
