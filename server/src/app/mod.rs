//! The service as a whole, which connects the other modules.
//!
//! | topic | module |
//! |---|---|
//! | the steps of a request, in order | [`pipeline`] |
//! | a request as its steps take it | [`call`] |
//! | who calls, and what it is charged | [`caller`] |
//! | answers of the API; pages and forms of the site | [`answers`], [`site`] |
//! | batches: read, charged, computed on other threads, streamed | [`batch`] |
//! | work that takes long, on other threads | [`blocking`] |
//! | the work that a call of a calculation asks for | [`works`] |
//! | the other listeners | [`admin`], [`webhook`] |
//! | e-mails in the background: purchased keys, the end of a key, corrections | [`deliveries`],
//! [`notices`], [`corrections`] |
//! | shared state | [`shared`] |

pub(crate) mod admin;
mod answers;
pub(crate) mod availability;
pub(crate) mod batch;
mod blocking;
mod call;
mod caller;
#[cfg(feature = "site")]
pub(crate) mod corrections;
pub(crate) mod deliveries;
#[cfg(feature = "mcp")]
mod mcp;
pub(crate) mod notices;
mod past;
mod pipeline;
mod published;
pub(crate) mod shared;
#[cfg(feature = "site")]
pub(crate) mod site;
#[cfg(not(feature = "site"))]
#[path = "without_site.rs"]
mod site;
pub(crate) mod webhook;
mod works;
