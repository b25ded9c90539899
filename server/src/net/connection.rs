//! A connection, from its first request to its end.

use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::{Notify, watch};
use tokio::time::{sleep, timeout};

use crate::net::connection_limit::Slot;
use crate::net::head_timer::HeadTimer;
use crate::net::poll_on_wake::PollOnWake;
use crate::net::socket::{MAX_HEAD_BYTES, MAX_HEADERS, Socket};
use crate::net::{Handler, Host};

/// How long a request's head, or the wait for the next one, may take.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// After this many requests, or this long, a connection is closed between two requests, so that a
/// load balancer can rebalance and no connection lives for ever.
const MAX_REQUESTS: u32 = 1000;
const MAX_AGE: Duration = Duration::from_secs(300);

/// How long to wait for the first request of a connection that is asked to close: hyper would close
/// it at once, and a caller that has just sent the request would not know whether it was read.
const FIRST_REQUEST_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a connection that was asked to close may take for its last reply.
const LAST_ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// Serves a connection of `peer` until it ends; `stop` asks it to close after the running request.
pub(crate) async fn serve(
    stream: TcpStream,
    peer: IpAddr,
    handler: Arc<impl Handler + Host>,
    slot: Slot,
    mut stop: watch::Receiver<bool>,
) {
    let (served, first) = (AtomicU32::new(0), Notify::new());

    // Counts the requests. The last one that the connection may have announces its end, so that the
    // caller does not send another on a closing connection.
    let service = service_fn(|request: Request<Incoming>| {
        let before = served.fetch_add(1, Ordering::Relaxed);
        let many = before + 1 >= MAX_REQUESTS;
        if before == 0 {
            first.notify_one();
        }
        let answer = Arc::clone(&handler).answer(request, peer);
        async move {
            let mut reply = answer.await;
            if many {
                reply
                    .headers_mut()
                    .insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(reply)
        }
    });

    let mut connection = pin!(settings().serve_connection(
        TokioIo::new(Socket::new(stream, Arc::clone(&handler) as _)),
        service
    ));

    let end_requested = pin!(end_requested(&mut stop));

    // `biased`: the connection, ready nearly each time, is polled first, and the end only when it
    // wakes.
    let ended = tokio::select! {
        biased;
        result = connection.as_mut() => result,
        () = PollOnWake::new(end_requested) => {
            let has_started = async {
                if served.load(Ordering::Relaxed) == 0 {
                    drop(timeout(FIRST_REQUEST_TIMEOUT, first.notified()).await);
                }
            };

            // A fresh connection is closed only after its first request, or after a while without
            // one.
            tokio::select! {
                result = connection.as_mut() => return end(result),
                () = has_started => connection.as_mut().graceful_shutdown(),
            }

            // The running request still gets its reply, however long ago the end was requested.
            match timeout(LAST_ANSWER_TIMEOUT, connection).await {
                Ok(result) => result,
                Err(_) => return tracing::debug!(
                    "connection aborted: its last answer was not read"
                ),
            }
        }
    };

    // The slot is freed last: until then the connection counts.
    end(ended);
    drop(slot);
}

/// How hyper serves a connection.
fn settings() -> http1::Builder {
    let mut settings = http1::Builder::new();
    // Its own timer would be created for each head.
    settings
        .timer(HeadTimer::default())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEAD_BYTES)
        .keep_alive(true)
        // A caller that has half-closed the connection after its requests (`nc -N`) still gets
        // every reply.
        .half_close(true);
    settings
}

fn end(result: hyper::Result<()>) {
    if let Err(error) = result {
        tracing::debug!(%error, "connection ended");
    }
}

async fn end_requested(stop: &mut watch::Receiver<bool>) {
    tokio::select! {
        // The sender is dropped only with the whole service.
        _ = stop.wait_for(|stopping| *stopping) => {}
        () = sleep(MAX_AGE) => {}
    }
}
