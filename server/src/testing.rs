//! Helpers of the unit tests.

use hyper::Request;
use hyper::http::request::Parts;
use serde_json::Value;

use crate::reply::Reply;

/// The head of a request as a client writes it.
pub(crate) fn request(method: &str, target: &str) -> Parts {
    Request::builder().method(method).uri(target).header("host", "localhost").body(()).unwrap().into_parts().0
}

/// The JSON of an answer.
pub(crate) fn body_of(reply: Reply) -> Value {
    serde_json::from_slice(reply.body()).unwrap()
}
