//! The listener, which accepts connections and refuses those beyond the limits.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bareme_api::wire::address::Proxies;
use bareme_api::wire::problem::kinds::Kind;
use socket2::SockRef;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::{JoinHandle, unconstrained};
use tokio::time::{sleep, timeout};

use crate::net::connection;
use crate::net::connection_limit::{ConnectionLimit, MAX_REJECTIONS};
use crate::net::refusal;
use crate::net::socket::Socket;
use crate::net::workers::Workers;
use crate::net::{Handler, Host};

/// One address may hold the total divided by this.
const PER_IP_DIVISOR: u32 = 4;

/// Pause after `accept` failed (no file descriptor left): retrying at once would only burn
/// processor time.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Bytes that the kernel may buffer of a request, and of a reply that is not read; Linux doubles
/// both. Without a limit, callers that read nothing would take megabytes each.
const RECEIVE_BUFFER: usize = 16 * 1024;
const SEND_BUFFER: usize = 32 * 1024;

/// Size of a TCP segment: at most that of an Ethernet jumbo frame. On the loopback interface they
/// would have 64 KB, one of which fills the send buffer: the peer then waits 40 ms for a second
/// segment before it acknowledges the first, once for every 64 KB of a long reply.
const SEGMENT: u32 = 8_960;

/// The running listener.
#[derive(Debug)]
pub(crate) struct Listener {
    connections: Arc<ConnectionLimit>,
    stop: watch::Sender<bool>,
    accepting: JoinHandle<()>,
}

/// Starts to accept connections. A trusted proxy may have all of them.
///
/// # Errors
/// The threads that serve them cannot be started.
pub(crate) fn start(
    listener: TcpListener,
    connections: Arc<ConnectionLimit>,
    proxies: Proxies,
    handler: Arc<impl Handler + Host>,
) -> io::Result<Listener> {
    let workers = Workers::start()?;
    let (stop, stopped) = watch::channel(false);

    // The permits bound the tasks that write a refusal: a flood of connections is closed without a
    // reply.
    let rejections = Arc::new(Semaphore::new(MAX_REJECTIONS as usize));
    let admission = Admission {
        workers,
        handler,
        connections: Arc::clone(&connections),
        proxies,
        rejections,
        stop: stopped.clone(),
    };

    // The task owns the socket; `close` ends it.
    let accepting = tokio::spawn(accept(listener, admission, stopped));
    Ok(Listener {
        connections,
        stop,
        accepting,
    })
}

impl Listener {
    /// Stops accepting, asks every connection to close after its running request, and waits for the
    /// last one to close.
    pub(crate) async fn close(self) {
        self.stop.send_replace(true);
        // The socket is closed here: later connections are refused by the kernel, or wait for the
        // next process in an inherited socket.
        drop(self.accepting.await);
        self.connections.all_closed().await;
    }
}

async fn accept<H: Handler + Host>(
    listener: TcpListener,
    admission: Admission<H>,
    mut stop: watch::Receiver<bool>,
) {
    limit_buffers(&listener);

    // 1. Until the service stops, connections are admitted as they come.
    loop {
        tokio::select! {
            accepted = next(&listener) => if let Some((stream, address)) = accepted {
                admission.admit(stream, address);
            },
            _ = stop.wait_for(|stopping| *stopping) => break,
        }
    }

    // 2. Connections completed by the system but not accepted yet would be reset when the socket is
    // closed: they are admitted as well. `unconstrained`, because the budget of the runtime would
    // end the loop early, as if none was left.
    while let Ok(Some((stream, address))) =
        timeout(Duration::ZERO, unconstrained(next(&listener))).await
    {
        admission.admit(stream, address);
    }
}

/// Admission of connections, which are served or refused at once.
struct Admission<H> {
    workers: Workers,
    handler: Arc<H>,
    connections: Arc<ConnectionLimit>,
    proxies: Proxies,
    rejections: Arc<Semaphore>,
    stop: watch::Receiver<bool>,
}

impl<H: Handler + Host> Admission<H> {
    /// Serves a connection on a thread of the workers, or refuses it.
    fn admit(&self, stream: TcpStream, address: IpAddr) {
        let handler = Arc::clone(&self.handler);

        // One address may hold a share of all connections; a trusted proxy connects for many
        // callers.
        let of_address = (self.connections.total / PER_IP_DIVISOR) as usize;
        let most = if self.proxies.trust(address) {
            usize::MAX
        } else {
            of_address
        };

        // A connection beyond a limit is given the reason without a worker: no request of it is
        // parsed.
        match self.connections.take(address, most) {
            Ok(slot) => {
                let stop = self.stop.clone();
                self.workers.serve(stream, move |stream| {
                    connection::serve(stream, address, handler, slot, stop)
                });
            }
            Err(refusal) => {
                if let Ok(permit) = Arc::clone(&self.rejections).try_acquire_owned() {
                    tokio::spawn(async move {
                        reject(stream, refusal, handler).await;
                        drop(permit);
                    });
                }
            }
        }
    }
}

/// Limits the buffers of a listener; accepted sockets inherit the sizes.
fn limit_buffers(listener: &TcpListener) {
    let socket = SockRef::from(listener);
    // A system that refuses either serves as well, with more memory or more slowly.
    if let Err(error) = socket
        .set_recv_buffer_size(RECEIVE_BUFFER)
        .and_then(|()| socket.set_send_buffer_size(SEND_BUFFER))
    {
        tracing::warn!(%error, "the socket buffers cannot be limited");
    }
    if let Err(error) = socket.set_tcp_mss(SEGMENT) {
        tracing::warn!(%error, "the segments cannot be limited: long answers on this machine may \
                                be slow");
    }
}

async fn next(listener: &TcpListener) -> Option<(TcpStream, IpAddr)> {
    match listener.accept().await {
        // A connection that the system cannot give is lost, and the listener goes on.
        Ok((stream, peer)) => {
            // A reply is one small write, which Nagle's algorithm would delay.
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

async fn reject(stream: TcpStream, refusal: &'static Kind, host: Arc<dyn Host>) {
    // The JSON goes through the socket, which reads what the caller still sends: closing on unread
    // bytes would reset the connection and lose the refusal.
    let answer = refusal::answer(refusal, host.as_ref());
    let mut socket = Socket::new(stream, host);
    let sent = async {
        socket.write_all(&answer).await?;
        socket.shutdown().await
    };
    if let Err(error) = sent.await {
        tracing::debug!(%error, "could not send a refusal to a connection");
    }
}
