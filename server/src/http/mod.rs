//! Requests and answers.
//!
//! | to read | module |
//! |---|---|
//! | the steps of a request, top to bottom | [`pipeline`] |
//! | the answer of an endpoint | [`calculate`] |
//! | what a request must look like, its path, its query | [`limits`], [`route`], [`query`] |
//! | what an answer carries, what a request can read | [`headers`], [`reply`], [`accept`] |
//! | every error that can be answered | [`problem`] |
//! | answers that need not be computed again | [`answer_cache`] |

pub(crate) mod accept;
pub(crate) mod answer_cache;
pub(crate) mod calculate;
pub(crate) mod headers;
pub(crate) mod limits;
pub(crate) mod pipeline;
pub(crate) mod problem;
pub(crate) mod query;
pub(crate) mod reply;
pub(crate) mod route;
