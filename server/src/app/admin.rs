//! The admin listener: metrics and the two probes, for the operator.
//!
//! It has its own address, which callers must not be able to reach, and stays open while the
//! service stops, so that the shutdown can be observed too.

use std::net::IpAddr;
use std::sync::Arc;

use bareme_api::wire::body::Body;
use bareme_api::wire::problem::Problem;
use bareme_api::wire::reply::Reply;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request};
use uuid::Uuid;

use crate::app::shared::Shared;
use crate::net::Handler;
use crate::net::internal::Internal;
use crate::ops::health::Probe;
use crate::ops::metrics::exposition;

const METRICS: &str = "/metrics";

/// Every path of the listener.
const PATHS: [&str; 3] = [METRICS, "/livez", "/readyz"];

/// Service behind the admin listener.
#[derive(Debug)]
pub(crate) struct Admin(pub Arc<Shared>);

impl Internal for Admin {
    const NAME: &'static str = "admin";
    /// Enough for a few collectors and probes.
    const MAX_CONNECTIONS: usize = 32;
    const KEEP_ALIVE: bool = true;
}

impl Handler for Admin {
    async fn answer(self: Arc<Self>, request: Request<Incoming>, _: IpAddr) -> Reply {
        let (shared, path) = (&self.0, request.uri().path());
        let refused = |problem: Problem| {
            problem.into_reply(shared.documentation().as_deref(), Uuid::now_v7())
        };

        // 1. Nothing here changes anything.
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return refused(Problem::method(request.method().as_str()));
        }

        // 2. The answers are made at once, without the limits and the log of calls: collectors ask
        // every few seconds.
        match Probe::find(path) {
            Some(probe) => probe.reply(shared.status()),
            None if path == METRICS => {
                let mut reply = Reply::new(Body::from(exposition::write(shared.status())));
                reply
                    .headers_mut()
                    .insert(CONTENT_TYPE, HeaderValue::from_static(exposition::MEDIA));
                reply
            }
            None => refused(Problem::not_found(path, &PATHS.map(str::to_owned), None)),
        }
    }
}
