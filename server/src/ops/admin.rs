//! The admin listener: metrics and the two probes, for the operator, and the events of the payment provider.
//!
//! It has an address of its own, which callers must not be able to reach, and stays open while the
//! service stops, so that the shutdown can be observed too.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use crate::access::payment::{self, Payments};
use crate::http::problem::Problem;
use crate::http::reply::{self, Reply};
use crate::net::connection_limit::{ConnectionLimit, Slot};
use crate::net::socket::Socket;
use crate::ops::health::Probe;
use crate::ops::metrics::exposition;
use crate::shared::Shared;

const METRICS: &str = "/metrics";

/// All that is served, but for payments where they are not set up.
const PATHS: [&str; 3] = [METRICS, "/livez", "/readyz"];

/// How long an event of the payment provider may take to arrive.
const EVENT_TIMEOUT: Duration = Duration::from_secs(5);

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
pub(crate) async fn serve(listener: TcpListener, shared: Arc<Shared>, payments: Option<Arc<Payments>>) {
    let connections = Arc::new(ConnectionLimit::new(MAX_CONNECTIONS));
    loop {
        connections.can_accept().await;
        match listener.accept().await {
            Ok((stream, peer)) => match connections.take(peer.ip(), usize::MAX) {
                Ok(slot) => drop(tokio::spawn(connection(stream, Arc::clone(&shared), payments.clone(), slot))),
                Err(refusal) => tracing::warn!(refusal = refusal.code, "admin connection refused"),
            },
            Err(error) => {
                tracing::warn!(%error, "cannot accept an admin connection");
                sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
}

async fn connection(stream: TcpStream, shared: Arc<Shared>, payments: Option<Arc<Payments>>, slot: Slot) {
    let activity = slot.activity();
    let service = service_fn(|request: Request<Incoming>| {
        let (shared, payments) = (&shared, payments.as_deref());
        async move {
            activity.answering();
            let reply = match payments.filter(|_| request.uri().path() == payment::PATH) {
                Some(payments) => pay(shared, payments, request).await,
                None => answer(shared, payments.is_some(), request.method(), request.uri().path()),
            };
            activity.answered();
            Ok::<_, Infallible>(reply.map(Full::new))
        }
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

/// Answers an event of the payment provider.
async fn pay(shared: &Shared, payments: &Payments, request: Request<Incoming>) -> Reply {
    let refused = |status: StatusCode, error: &str| reply::unstored(status, &json!({"error": error}));
    if *request.method() != Method::POST {
        return refused(StatusCode::METHOD_NOT_ALLOWED, "events are sent with POST");
    }
    let (head, body) = request.into_parts();
    match timeout(EVENT_TIMEOUT, Limited::new(body, payment::MAX_LENGTH).collect()).await {
        Ok(Ok(body)) => payments.respond(shared, &head.headers, &body.to_bytes()).await,
        Ok(Err(_)) => refused(StatusCode::PAYLOAD_TOO_LARGE, "the event is too long, or was cut off"),
        Err(_) => refused(StatusCode::REQUEST_TIMEOUT, "the event did not arrive in time"),
    }
}

fn answer(shared: &Shared, has_payments: bool, method: &Method, path: &str) -> Reply {
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
        None => {
            let paths: Vec<String> =
                PATHS.into_iter().chain(has_payments.then_some(payment::PATH)).map(str::to_owned).collect();
            refused(Problem::not_found(path, &paths))
        }
    }
}
