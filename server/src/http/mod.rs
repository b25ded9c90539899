//! Requests and answers.
//!
//! | to read | module |
//! |---|---|
//! | the steps of a request, top to bottom | [`pipeline`] |
//! | what a request must look like, its path, its query | [`limits`], [`route`], [`query`] |
//! | what an answer carries | [`headers`], [`reply`] |
//! | every error that can be answered | [`problem`] |
//! | answers that need not be computed again | [`answer_cache`] |

pub mod answer_cache;
pub mod headers;
pub mod limits;
pub mod pipeline;
pub mod problem;
pub mod query;
pub mod reply;
pub mod route;
