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
use tokio::sync::Semaphore;
use tokio::time::sleep;
use uuid::Uuid;

use crate::health::Probe;
use crate::metrics::exposition;
use crate::problem::{Problem, kinds};
use crate::reply::Reply;
use crate::shared::Shared;

const METRICS: &str = "/metrics";

/// Most connections at once: a few collectors and probes.
const MOST: usize = 32;

/// How long a request's head, or the wait for the next one, may take: longer than collectors pause.
const HEAD: Duration = Duration::from_secs(90);

/// Pause after the system refused a connection.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves on this address until the process ends.
pub async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let places = Arc::new(Semaphore::new(MOST));
    // The semaphore is never closed.
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                let shared = Arc::clone(&shared);
                tokio::spawn(async move {
                    connection(stream, shared).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection of the administrator");
                sleep(PAUSE).await;
            }
        }
    }
}

async fn connection(stream: TcpStream, shared: Arc<Shared>) {
    let service = service_fn(|request: Request<Incoming>| {
        let reply = answer(&shared, request.method(), request.uri().path());
        async move { Ok::<_, Infallible>(reply.map(Full::new)) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(stream), service);
    if let Err(error) = served.await {
        tracing::debug!(%error, "a connection of the administrator ended");
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
