//! The admin listener: metrics and the two probes, for the operator.
//!
//! It has an address of its own, which callers must not be able to reach, and stays open while the
//! service stops, so that the shutdown can be observed too.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;
use uuid::Uuid;

use crate::http::problem::Problem;
use crate::http::reply::Reply;
use crate::net::connection_limit::{ConnectionLimit, Slot};
use crate::net::socket::Socket;
use crate::ops::health::Probe;
use crate::ops::metrics::exposition;
use crate::shared::Shared;

const METRICS: &str = "/metrics";

/// All that is served.
const PATHS: [&str; 3] = [METRICS, "/livez", "/readyz"];

/// Maximum connections: a few collectors and probes. When all are taken, a new connection displaces an idle one,
/// so that many silent connections cannot lock the probes out.
const MAX_CONNECTIONS: u32 = 32;

/// How long a connection may take to send its first request.
const FIRST_REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a request's head, or the wait for the next one, may take: longer than collectors pause.
const HEAD_TIMEOUT: Duration = Duration::from_secs(90);

/// Pause after the system refused a connection.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Serves on this address until the process ends.
pub(crate) async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let connections = Arc::new(ConnectionLimit::new(MAX_CONNECTIONS));
    loop {
        connections.can_accept().await;
        match listener.accept().await {
            Ok((stream, peer)) => match connections.take(peer.ip(), usize::MAX) {
                Ok(slot) => drop(tokio::spawn(connection(stream, Arc::clone(&shared), slot))),
                Err(refusal) => tracing::warn!(refusal = refusal.code, "admin connection refused"),
            },
            Err(error) => {
                tracing::warn!(%error, "cannot accept an admin connection");
                sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
}

async fn connection(stream: TcpStream, shared: Arc<Shared>, slot: Slot) {
    let activity = slot.activity();
    let service = service_fn(|request: Request<Incoming>| {
        activity.answering();
        let reply = answer(&shared, request.method(), request.uri().path());
        activity.answered();
        async move { Ok::<_, Infallible>(reply.map(Full::new)) }
    });
    let socket = Socket::new(stream, Arc::clone(&shared), Arc::clone(activity));
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(socket), service);
    tokio::select! {
        result = served => if let Err(error) = result {
            tracing::debug!(%error, "admin connection ended");
        },
        () = activity.displaced() => tracing::debug!("admin connection displaced by a newer one"),
        () = activity.still_new_after(FIRST_REQUEST_TIMEOUT) => tracing::debug!("admin connection sent no request in time"),
    }
}

fn answer(shared: &Shared, method: &Method, path: &str) -> Reply {
    let refused = |problem: Problem| problem.into_reply(shared.documentation().as_deref(), Uuid::now_v7());
    if !matches!(*method, Method::GET | Method::HEAD) {
        return refused(Problem::method(method.as_str()));
    }
    match Probe::find(path) {
        Some(probe) => probe.reply(shared),
        None if path == METRICS => {
            let mut reply = Reply::new(Bytes::from(exposition::write(shared)));
            reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(exposition::MEDIA));
            reply
        }
        None => refused(Problem::not_found(path, &PATHS.map(str::to_owned))),
    }
}
