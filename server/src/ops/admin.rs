//! The second door, for whoever runs the service: metrics and the two probes.
//!
//! It is opened on an address of its own, which no caller should reach, and stays open while the
//! service stops, so that its last moments are seen too.

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

use crate::http::problem::{Problem, kinds};
use crate::http::reply::Reply;
use crate::net::connection_limit::{ConnectionLimit, Slot};
use crate::net::socket::Socket;
use crate::ops::health::Probe;
use crate::ops::metrics::exposition;
use crate::shared::Shared;

const METRICS: &str = "/metrics";

/// Most connections at once: a few collectors and probes. Who comes when all are taken displaces one
/// that does nothing with its own, so that no crowd of silent ones hides the service from its probes.
const MAX_CONNECTIONS: u32 = 32;

/// How long the first request may take to come.
const FIRST_REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a request's head, or the wait for the next one, may take: longer than collectors pause.
const HEAD_TIMEOUT: Duration = Duration::from_secs(90);

/// Pause after the system refused a connection.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Serves on this address until the process ends.
pub async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let connections = Arc::new(ConnectionLimit::new(MAX_CONNECTIONS));
    loop {
        connections.can_accept().await;
        match listener.accept().await {
            Ok((stream, peer)) => match connections.take(peer.ip(), usize::MAX) {
                Ok(slot) => drop(tokio::spawn(connection(stream, Arc::clone(&shared), slot))),
                Err(refusal) => tracing::warn!(refusal = refusal.code, "a connection of the administrator is refused"),
            },
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection of the administrator");
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
            tracing::debug!(%error, "a connection of the administrator ended");
        },
        () = activity.displaced() => tracing::debug!("a connection of the administrator gave way to another"),
        () = activity.still_new_after(FIRST_REQUEST_TIMEOUT) => tracing::debug!("a connection of the administrator is silent"),
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
        None => refused(Problem::plain(&kinds::NOT_FOUND)),
    }
}
