//! HTTP without what is asked: connections, requests as they are read, replies, their fields, every problem.
//!
//! Nothing here knows an account or a rule.
//!
//! | to read | module |
//! |---|---|
//! | connections: accepted, limited, read, written, closed | [`net`] |
//! | the time of a request, the address behind proxies, the key that is sent | [`clock`], [`address`], [`credentials`] |
//! | what a request must look like, its query, what its sender can read | [`limits`], [`query`], [`negotiation`] |
//! | replies, their bodies, their coding, the fields that all of them carry | [`reply`], [`body`], [`coding`], [`headers`] |
//! | every error that can be answered, and the masking of secrets in it | [`problem`], [`mask`] |

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
