//! The service as a whole: what joins connections, accounts, rules and pages.
//!
//! | to read | module |
//! |---|---|
//! | the steps of a request, top to bottom | [`pipeline`] |
//! | the forms of the keys | [`form`] |
//! | batches: read, charged, computed apart, sent as they are made | [`batch`] |
//! | the errors of accounts as problems of HTTP | [`denial`] |
//! | the listeners beside the public one | [`admin`], [`webhook`] |
//! | e-mails in the background: keys that were bought, the end of a key | [`deliveries`], [`notices`] |
//! | the state that they share | [`shared`] |

pub(crate) mod admin;
pub(crate) mod batch;
pub(crate) mod deliveries;
mod denial;
mod form;
pub(crate) mod mcp;
pub(crate) mod notices;
mod pipeline;
pub(crate) mod shared;
pub(crate) mod webhook;
