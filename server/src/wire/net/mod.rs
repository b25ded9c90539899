//! Connections: how they are accepted, limited, read, written and closed.
//!
//! | to read | module |
//! |---|---|
//! | the listening socket, its own or handed over | [`listen`] |
//! | the listener, and who is turned down at once | [`accept`] |
//! | how many connections there may be | [`connection_limit`] |
//! | one connection from its first request to its last | [`connection`], [`head_timer`], [`seldom`] |
//! | the stream below it: write timeouts, JSON in place of hyper's bare errors | [`socket`], [`refusal`] |
//! | a listener beside the public one | [`internal`] |

pub(crate) mod accept;
pub(crate) mod connection;
pub(crate) mod connection_limit;
mod head_timer;
pub(crate) mod internal;
pub(crate) mod listen;
pub(crate) mod refusal;
mod seldom;
pub(crate) mod socket;

use std::fmt::Debug;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;

use crate::wire::problem::kinds::Kind;
use crate::wire::reply::Reply;

/// The service, as its connections know it.
pub(crate) trait Host: Debug + Send + Sync + 'static {
    /// Answer to what no handler sees: a connection over the limit, bytes that are no request. It is counted and logged.
    fn refuse(&self, kind: &'static Kind) -> Reply;

    /// An answer that could not be written at once is written.
    fn written_late(&self, took: Duration);
}

/// Answers the requests of a listener.
pub(crate) trait Handler: Send + Sync + 'static {
    /// Answers a request of `peer`.
    fn answer(self: Arc<Self>, request: Request<Incoming>, peer: IpAddr) -> impl Future<Output = Reply> + Send;
}
