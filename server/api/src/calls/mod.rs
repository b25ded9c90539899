//! The calls of the API: their paths, their answers, receipts, and the cache of answers.

pub mod answer_cache;
pub mod batch;
pub mod calculate;
pub mod called_calculation;
pub mod receipt;
pub mod route;
