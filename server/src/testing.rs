//! Helpers of the unit tests.

use std::sync::Arc;

use hyper::Request;
use hyper::header::HeaderName;
use hyper::http::request::Parts;
use serde_json::Value;

use crate::access::Access;
use crate::access::address::Proxies;
use crate::access::store::Sharing;
use crate::access::store::testing::Memory;
use crate::clock::Clock;
use crate::http::reply::Reply;
use crate::net::connection_limit::ConnectionLimit;
use crate::shared::Shared;

/// The head of a request as a client writes it.
pub(crate) fn request(method: &str, target: &str) -> Parts {
    Request::builder().method(method).uri(target).header("host", "localhost").body(()).unwrap().into_parts().0
}

/// The JSON of an answer.
pub(crate) fn body_of(reply: Reply) -> Value {
    serde_json::from_slice(reply.body()).unwrap()
}

/// A service without rules, on a store in memory.
pub(crate) fn shared() -> Shared {
    let proxies = Proxies::new(Vec::new(), HeaderName::from_static("x-forwarded-for"), 64);
    Shared::new(Clock::new(None), Arc::new(Access::new(Memory::new(Sharing::Alone), proxies)), ConnectionLimit::new(8))
}
