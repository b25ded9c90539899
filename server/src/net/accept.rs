//! The listener: it accepts connections, and refuses those over the limits.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use socket2::SockRef;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::{JoinHandle, unconstrained};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use crate::http::problem::kinds::Kind;
use crate::net::activity::Activity;
use crate::net::connection;
use crate::net::connection_limit::{ConnectionLimit, MAX_REJECTIONS};
use crate::net::refusal;
use crate::net::socket::Socket;
use crate::shared::Shared;

/// One address may hold the total divided by this.
const PER_IP_DIVISOR: u32 = 4;

/// Pause after `accept` failed (no file descriptor left): retrying at once would only burn processor time.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Bytes that the kernel may buffer of what a caller sends, and of an answer that it does not read; Linux
/// doubles both. Without a limit, callers that read nothing would take megabytes each.
const RECEIVE_BUFFER: usize = 16 * 1024;
const SEND_BUFFER: usize = 32 * 1024;

/// How often connections whose first request is overdue are closed.
const SWEEP_INTERVAL: Duration = Duration::from_millis(250);

/// The running listener.
#[derive(Debug)]
pub(crate) struct Listener {
    connections: Arc<ConnectionLimit>,
    stop: watch::Sender<bool>,
    accepting: JoinHandle<()>,
}

/// Starts to accept connections.
pub(crate) fn start(listener: TcpListener, shared: Arc<Shared>) -> Listener {
    let connections = Arc::clone(&shared.connections);
    let (stop, stopped) = watch::channel(false);
    let accepting = tokio::spawn(accept(listener, shared, stopped));
    Listener { connections, stop, accepting }
}

impl Listener {
    /// Stops accepting, asks every connection to end after its running request, and returns when
    /// the last one is closed.
    pub(crate) async fn close(self) {
        self.stop.send_replace(true);
        // The socket is closed here: later connections are refused by the kernel, or wait in a socket that
        // was handed over for the next process.
        drop(self.accepting.await);
        self.connections.all_closed().await;
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>, mut stop: watch::Receiver<bool>) {
    limit_buffers(&listener);
    let admission = Admission::new(shared, stop.clone());
    let connections = &admission.shared.connections;
    let mut sweep = interval(SWEEP_INTERVAL);
    sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        connections.can_accept().await;
        tokio::select! {
            accepted = next(&listener) => if let Some((stream, address)) = accepted {
                admission.admit(stream, address);
            },
            _ = sweep.tick() => connections.close_late(),
            _ = stop.wait_for(|stopping| *stopping) => break,
        }
    }
    // The system has completed connections that nobody took yet: closing the socket would reset them.
    while let Ok(Some((stream, address))) = timeout(Duration::ZERO, unconstrained(next(&listener))).await {
        admission.admit(stream, address);
    }
}

/// Who is served, and who is turned down at once.
struct Admission {
    shared: Arc<Shared>,
    per_ip_limit: usize,
    rejections: Arc<Semaphore>,
    stop: watch::Receiver<bool>,
}

impl Admission {
    fn new(shared: Arc<Shared>, stop: watch::Receiver<bool>) -> Self {
        let per_ip_limit = (shared.connections.total() / PER_IP_DIVISOR) as usize;
        Self { shared, per_ip_limit, rejections: Arc::new(Semaphore::new(MAX_REJECTIONS as usize)), stop }
    }

    /// Serves a connection on a task of its own, or refuses it.
    fn admit(&self, stream: TcpStream, address: IpAddr) {
        let shared = Arc::clone(&self.shared);
        // A trusted proxy speaks for many callers.
        let most = if shared.access.proxies().trust(address) { usize::MAX } else { self.per_ip_limit };
        match shared.connections.take(address, most) {
            Ok(slot) => drop(tokio::spawn(connection::serve(stream, address, shared, slot, self.stop.clone()))),
            Err(refusal) => {
                if let Ok(permit) = Arc::clone(&self.rejections).try_acquire_owned() {
                    tokio::spawn(async move {
                        reject(stream, refusal, shared).await;
                        drop(permit);
                    });
                }
            }
        }
    }
}

/// Accepted sockets inherit the buffer sizes of their listener.
fn limit_buffers(listener: &TcpListener) {
    let socket = SockRef::from(listener);
    if let Err(error) =
        socket.set_recv_buffer_size(RECEIVE_BUFFER).and_then(|()| socket.set_send_buffer_size(SEND_BUFFER))
    {
        tracing::warn!(%error, "the socket buffers cannot be limited");
    }
}

async fn next(listener: &TcpListener) -> Option<(TcpStream, IpAddr)> {
    match listener.accept().await {
        Ok((stream, peer)) => {
            // An answer is one small write: Nagle's algorithm would only delay it.
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "cannot set TCP_NODELAY");
            }
            Some((stream, peer.ip()))
        }
        Err(error) => {
            tracing::warn!(%error, "cannot accept a connection");
            sleep(ACCEPT_RETRY_DELAY).await;
            None
        }
    }
}

async fn reject(stream: TcpStream, refusal: &'static Kind, shared: Arc<Shared>) {
    let answer = refusal::answer(refusal, &shared);
    let mut socket = Socket::new(stream, shared, Arc::<Activity>::default());
    let sent = async {
        socket.write_all(&answer).await?;
        socket.shutdown().await
    };
    if let Err(error) = sent.await {
        tracing::debug!(%error, "could not send a refusal to a connection");
    }
}
