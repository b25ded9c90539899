//! The API: its paths, its answers, and the cache of answers.

pub(crate) mod answer_cache;
pub(crate) mod batch;
pub(crate) mod calculate;
pub(crate) mod called_calculation;
pub(crate) mod receipt;
pub(crate) mod route;
