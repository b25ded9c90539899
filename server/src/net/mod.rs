//! Connections: accepting, limits, reading, writing and closing.
//!
//! | topic | module |
//! |---|---|
//! | the listening socket, its own or inherited | [`listen`] |
//! | the listener, and refused connections | [`accept`] |
//! | limits of connections | [`connection_limit`] |
//! | the threads that serve them | [`workers`] |
//! | a connection from its first request to its last | [`connection`] |
//! | its timer and its waking | [`head_timer`], [`poll_on_wake`] |
//! | the stream below it, with write timeouts | [`socket`] |
//! | JSON in place of hyper's bare errors | [`refusal`] |
//! | the other listeners | [`internal`] |

pub(crate) mod accept;
pub(crate) mod connection;
pub(crate) mod connection_limit;
mod head_timer;
pub(crate) mod internal;
pub(crate) mod listen;
mod poll_on_wake;
pub(crate) mod refusal;
pub(crate) mod socket;
mod workers;

use std::fmt::Debug;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bareme_api::wire::problem::kinds::Kind;
use bareme_api::wire::reply::Reply;
use hyper::Request;
use hyper::body::Incoming;

/// The service as its connections see it: refusals without a handler, and counts.
pub(crate) trait Host: Debug + Send + Sync + 'static {
    /// The reply where no handler is called: for a connection over the limit, or bytes that are no
    /// request. It is counted and logged.
    fn refuse(&self, kind: &'static Kind) -> Reply;

    /// Records that a reply which could not be written at once has been written.
    fn written_late(&self, took: Duration);
}

/// The handler of the requests of a listener.
pub(crate) trait Handler: Send + Sync + 'static {
    /// Replies to a request of `peer`.
    fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        peer: IpAddr,
    ) -> impl Future<Output = Reply> + Send;
}
