//! Connections: how they are accepted, limited, read, written and closed.
//!
//! | to read | module |
//! |---|---|
//! | the listener, and who is turned down at once | [`accept`] |
//! | how many connections there may be, and which one gives way | [`connection_limit`], [`activity`] |
//! | one connection from its first request to its last | [`connection`] |
//! | the stream below it: write timeouts, JSON in place of hyper's bare errors | [`socket`], [`refusal`] |

pub mod accept;
pub mod activity;
pub mod connection;
pub mod connection_limit;
pub mod refusal;
pub mod socket;
