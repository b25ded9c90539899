//! Connections: how they are accepted, limited, read, written and closed.
//!
//! | to read | module |
//! |---|---|
//! | the listening socket, its own or handed over | [`listen`] |
//! | the listener, and who is turned down at once | [`accept`] |
//! | how many connections there may be, and which one gives way | [`connection_limit`], [`activity`] |
//! | one connection from its first request to its last | [`connection`] |
//! | the stream below it: write timeouts, JSON in place of hyper's bare errors | [`socket`], [`refusal`] |

pub(crate) mod accept;
pub(crate) mod activity;
pub(crate) mod connection;
pub(crate) mod connection_limit;
pub(crate) mod listen;
pub(crate) mod refusal;
pub(crate) mod socket;
