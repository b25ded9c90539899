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

use crate::activity::Activity;
use crate::connection;
use crate::connection_limit::{ConnectionLimit, MOST_TURNED_AWAY};
use crate::problem::kinds::Kind;
use crate::refused;
use crate::shared::Shared;
use crate::socket::Socket;

/// One address may hold this part of the connections.
const PART_OF_ONE: u32 = 4;

/// Pause after the system refused a connection (no file descriptor left): to ask again at once
/// would only burn the processor.
const PAUSE: Duration = Duration::from_millis(50);

/// Bytes that the system may hold of what a caller sends, and of an answer that it does not take; the
/// system doubles both. Without a bound a crowd that reads nothing takes megabytes each.
const RECEIVED: usize = 16 * 1024;
const UNSENT: usize = 32 * 1024;

/// How often connections that are late are looked for.
const SWEEP: Duration = Duration::from_millis(250);

/// The open door.
#[derive(Debug)]
pub struct Door {
    connections: Arc<ConnectionLimit>,
    stop: watch::Sender<bool>,
    accepting: JoinHandle<()>,
}

/// Starts to accept connections.
pub fn open(listener: TcpListener, shared: Arc<Shared>) -> Door {
    let connections = Arc::clone(&shared.connections);
    let (stop, stopped) = watch::channel(false);
    let accepting = tokio::spawn(accept(listener, shared, stopped));
    Door { connections, stop, accepting }
}

impl Door {
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
    let share = (shared.connections.total() / PART_OF_ONE) as usize;
    let exits = Arc::new(Semaphore::new(MOST_TURNED_AWAY as usize));
    let mut sweep = interval(SWEEP);
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
            sleep(PAUSE).await;
            continue;
        };
        let shared = Arc::clone(&shared);
        // Behind our own proxies stand all the others.
        let most = if shared.access.proxies().trust(address) { usize::MAX } else { share };
        match shared.connections.take(address, most) {
            Ok(slot) => drop(tokio::spawn(connection::serve(stream, address, shared, slot, stop.clone()))),
            Err(refusal) => {
                if let Ok(exit) = Arc::clone(&exits).try_acquire_owned() {
                    tokio::spawn(async move {
                        turn_away(stream, refusal, shared).await;
                        drop(exit);
                    });
                }
            }
        }
    }
}

/// Connections have the buffers of their listener.
fn bound_buffers(listener: &TcpListener) {
    let socket = SockRef::from(listener);
    if let Err(error) = socket.set_recv_buffer_size(RECEIVED).and_then(|()| socket.set_send_buffer_size(UNSENT)) {
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

async fn turn_away(stream: TcpStream, refusal: &'static Kind, shared: Arc<Shared>) {
    let answer = refused::answer(refusal, &shared);
    let mut socket = Socket::new(stream, shared, Arc::<Activity>::default());
    let sent = async {
        socket.write_all(&answer).await?;
        socket.shutdown().await
    };
    if let Err(error) = sent.await {
        tracing::debug!(%error, "could not turn a connection away politely");
    }
}
