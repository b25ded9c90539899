//! HTTP, independent of the API and of sockets: parsing of requests, replies, headers, problems.
//!
//! Nothing here depends on rules. From accounts it uses only the headers of a quota, and which
//! addresses are one client.
//!
//! | topic | module |
//! |---|---|
//! | time of a request | [`clock`] |
//! | address of a caller behind proxies | [`address`] |
//! | keys sent | [`credentials`] |
//! | limits of requests, query, content negotiation | [`limits`], [`query`], [`negotiation`] |
//! | replies, their bodies, coding and headers | [`reply`], [`body`], [`coding`], [`headers`] |
//! | problems, and the masking of secrets in them | [`problem`], [`mask`] |

pub mod address;
pub mod body;
pub mod clock;
pub mod coding;
pub mod credentials;
pub mod headers;
pub mod limits;
pub mod mask;
pub mod negotiation;
pub mod problem;
pub mod query;
pub mod reply;
