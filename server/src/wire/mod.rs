//! HTTP, independent of the API: connections, parsing of requests, replies, headers, problems.
//!
//! Nothing here depends on rules. From accounts it uses only the headers of a quota, and which
//! addresses are one client.
//!
//! | topic | module |
//! |---|---|
//! | connections: accepted, limited, read, written, closed | [`net`] |
//! | time of a request | [`clock`] |
//! | address of a caller behind proxies | [`address`] |
//! | keys sent | [`credentials`] |
//! | limits of requests, query, content negotiation | [`limits`], [`query`], [`negotiation`] |
//! | replies, their bodies, coding and headers | [`reply`], [`body`], [`coding`], [`headers`] |
//! | problems, and the masking of secrets in them | [`problem`], [`mask`] |

pub(crate) mod address;
pub(crate) mod body;
pub(crate) mod clock;
pub(crate) mod coding;
pub(crate) mod credentials;
pub(crate) mod headers;
pub(crate) mod limits;
pub(crate) mod mask;
pub(crate) mod negotiation;
pub(crate) mod net;
pub(crate) mod problem;
pub(crate) mod query;
pub(crate) mod reply;
