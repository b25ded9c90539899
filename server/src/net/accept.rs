//! The door: it accepts connections, and turns away who takes too many.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use socket2::SockRef;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::http::problem::kinds::Kind;
use crate::net::activity::Activity;
use crate::net::connection;
use crate::net::connection_limit::{ConnectionLimit, MAX_REJECTIONS};
use crate::net::refusal;
use crate::net::socket::Socket;
use crate::shared::Shared;

/// One address may hold this part of the connections.
const PER_IP_DIVISOR: u32 = 4;

/// Pause after the system refused a connection (no file descriptor left): to ask again at once
/// would only burn the processor.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Bytes that the system may hold of what a caller sends, and of an answer that it does not take; the
/// system doubles both. Without a bound a crowd that reads nothing takes megabytes each.
const RECEIVE_BUFFER: usize = 16 * 1024;
const SEND_BUFFER: usize = 32 * 1024;

/// How often connections that are late are looked for.
const SWEEP_INTERVAL: Duration = Duration::from_millis(250);

/// The open door.
#[derive(Debug)]
pub struct Listener {
    connections: Arc<ConnectionLimit>,
    stop: watch::Sender<bool>,
    accepting: JoinHandle<()>,
}

/// Starts to accept connections.
pub fn start(listener: TcpListener, shared: Arc<Shared>) -> Listener {
    let connections = Arc::clone(&shared.connections);
    let (stop, stopped) = watch::channel(false);
    let accepting = tokio::spawn(accept(listener, shared, stopped));
    Listener { connections, stop, accepting }
}

impl Listener {
    /// Stops accepting, asks every connection to end after its running request, and returns when
    /// the last one is gone.
    pub async fn close(self) {
        self.stop.send_replace(true);
        // The listener is dropped here: who calls now is refused by the system.
        drop(self.accepting.await);
        self.connections.all_closed().await;
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>, mut stop: watch::Receiver<bool>) {
    bound_buffers(&listener);
    let per_ip_limit = (shared.connections.total() / PER_IP_DIVISOR) as usize;
    let rejections = Arc::new(Semaphore::new(MAX_REJECTIONS as usize));
    let mut sweep = interval(SWEEP_INTERVAL);
    sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        shared.connections.can_accept().await;
        let accepted = tokio::select! {
            accepted = next(&listener) => accepted,
            _ = sweep.tick() => {
                shared.connections.close_late();
                continue;
            }
            _ = stop.wait_for(|stopping| *stopping) => return,
        };
        let Some((stream, address)) = accepted else {
            sleep(ACCEPT_RETRY_DELAY).await;
            continue;
        };
        let shared = Arc::clone(&shared);
        // Behind our own proxies stand all the others.
        let most = if shared.access.proxies().trust(address) { usize::MAX } else { per_ip_limit };
        match shared.connections.take(address, most) {
            Ok(slot) => drop(tokio::spawn(connection::serve(stream, address, shared, slot, stop.clone()))),
            Err(refusal) => {
                if let Ok(permit) = Arc::clone(&rejections).try_acquire_owned() {
                    tokio::spawn(async move {
                        reject(stream, refusal, shared).await;
                        drop(permit);
                    });
                }
            }
        }
    }
}

/// Connections have the buffers of their listener.
fn bound_buffers(listener: &TcpListener) {
    let socket = SockRef::from(listener);
    if let Err(error) =
        socket.set_recv_buffer_size(RECEIVE_BUFFER).and_then(|()| socket.set_send_buffer_size(SEND_BUFFER))
    {
        tracing::warn!(%error, "the buffers of connections are not bounded");
    }
}

async fn next(listener: &TcpListener) -> Option<(TcpStream, IpAddr)> {
    match listener.accept().await {
        Ok((stream, peer)) => {
            // An answer is one small write: waiting to fill a packet would only delay it.
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "no TCP_NODELAY");
            }
            Some((stream, peer.ip()))
        }
        Err(error) => {
            tracing::warn!(%error, "cannot accept a connection");
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
        tracing::debug!(%error, "could not turn a connection away politely");
    }
}
