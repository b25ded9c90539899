//! Server of the other listeners: the admin listener, and that of the payment provider.
//!
//! When all connections are taken, the next one waits: a silent one times out after some seconds.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio::time::{sleep, timeout};

use crate::net::socket::Socket;
use crate::net::{Handler, Host};

/// How long a connection may take to send its first request.
const FIRST_REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a request's head, or the wait for the next one, may take: longer than the interval of
/// collectors.
const HEAD_TIMEOUT: Duration = Duration::from_secs(90);

/// Pause after the system refused to accept a connection.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// A service on such a listener.
pub(crate) trait Internal: Handler {
    /// The name of the listener in the log.
    const NAME: &'static str;
    /// Maximum connections.
    const MAX_CONNECTIONS: usize;
    /// Whether a connection may send several requests.
    const KEEP_ALIVE: bool;
}

/// Serves until the process ends.
pub(crate) async fn serve<H: Internal>(
    listener: TcpListener,
    host: Arc<dyn Host>,
    handler: Arc<H>,
) {
    let slots = Arc::new(Semaphore::new(H::MAX_CONNECTIONS));
    // The semaphore is never closed.
    while let Ok(slot) = Arc::clone(&slots).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, peer)) => {
                let served = connection(stream, peer.ip(), Arc::clone(&host), Arc::clone(&handler));
                tokio::spawn(async move {
                    served.await;
                    drop(slot);
                });
            }
            Err(error) => {
                tracing::warn!(listener = H::NAME, %error, "cannot accept a connection");
                sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
}

async fn connection<H: Internal>(
    stream: TcpStream,
    peer: IpAddr,
    host: Arc<dyn Host>,
    handler: Arc<H>,
) {
    let first = Notify::new();
    let service = service_fn(|request: Request<Incoming>| {
        first.notify_one();
        let answer = Arc::clone(&handler).answer(request, peer);
        async move { Ok::<_, Infallible>(answer.await) }
    });

    // These listeners face collectors and the payment provider: hyper's own timer is cheap enough.
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .keep_alive(H::KEEP_ALIVE)
        .serve_connection(TokioIo::new(Socket::new(stream, host)), service);

    // hyper has one timeout for all heads, which the interval of collectors makes long. The first
    // request must come sooner: silent peers would hold every slot.
    let is_silent = async {
        if timeout(FIRST_REQUEST_TIMEOUT, first.notified())
            .await
            .is_ok()
        {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        result = served => if let Err(error) = result {
            tracing::debug!(listener = H::NAME, %error, "connection ended");
        },
        () = is_silent => tracing::debug!(
            listener = H::NAME, "connection sent no whole request in time"
        ),
    }
}
