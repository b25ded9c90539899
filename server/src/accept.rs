//! The door: it accepts connections, and turns away who takes too many.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::connection;
use crate::problem::kinds;
use crate::refused;
use crate::share::Shares;
use crate::shared::Shared;
use crate::socket::Socket;

/// One address may hold this part of the places.
const PART_OF_ONE: u32 = 4;

/// Most connections being told that there are too many; beyond it they are closed without a word,
/// so that turning a crowd away takes no place from anybody else.
const MOST_TURNED_AWAY: usize = 64;

/// Pause after the system refused a connection (no file descriptor left): to ask again at once
/// would only burn the processor.
const PAUSE: Duration = Duration::from_millis(50);

/// The open door.
#[derive(Debug)]
pub struct Door {
    connections: u32,
    places: Arc<Semaphore>,
    stop: watch::Sender<bool>,
    accepting: JoinHandle<()>,
}

/// Starts to accept connections, `connections` at once at most. When all the places are taken the
/// next ones wait in the system's queue.
pub fn open(listener: TcpListener, shared: Arc<Shared>, connections: u32) -> Door {
    let places = Arc::new(Semaphore::new(connections as usize));
    let (stop, stopped) = watch::channel(false);
    let share = (connections / PART_OF_ONE) as usize;
    let accepting = tokio::spawn(accept(listener, shared, Arc::clone(&places), share, stopped));
    Door { connections, places, stop, accepting }
}

impl Door {
    /// Stops accepting, asks every connection to end after its running request, and returns when
    /// the last one is gone.
    pub async fn close(self) {
        self.stop.send_replace(true);
        // The listener is dropped here: who calls now is refused by the system.
        drop(self.accepting.await);
        // Each connection holds a place. All of them are back: nobody is left.
        drop(self.places.acquire_many(self.connections).await);
    }
}

async fn accept(
    listener: TcpListener,
    shared: Arc<Shared>,
    places: Arc<Semaphore>,
    share: usize,
    mut stop: watch::Receiver<bool>,
) {
    let shares = Arc::<Shares>::default();
    let exits = Arc::new(Semaphore::new(MOST_TURNED_AWAY));
    loop {
        let accepted = tokio::select! {
            // A place first, then a connection: nobody is accepted who cannot be served.
            accepted = next(&listener, &places) => accepted,
            _ = stop.wait_for(|stopping| *stopping) => return,
        };
        let Some((stream, address, place)) = accepted else {
            sleep(PAUSE).await;
            continue;
        };
        let shared = Arc::clone(&shared);
        // Behind our own proxies stand all the others.
        let limit = if shared.access.proxies().trust(address) { usize::MAX } else { share };
        if let Some(held) = shares.take(address, limit) {
            let stop = stop.clone();
            tokio::spawn(async move {
                connection::serve(stream, address, shared, stop).await;
                drop((place, held));
            });
        } else if let Ok(place) = Arc::clone(&exits).try_acquire_owned() {
            tokio::spawn(async move {
                turn_away(stream, shared).await;
                drop(place);
            });
        }
    }
}

async fn next(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, std::net::IpAddr, OwnedSemaphorePermit)> {
    // The semaphore is never closed.
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => {
            // An answer is one small write: waiting to fill a packet would only delay it.
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "no TCP_NODELAY");
            }
            Some((stream, peer.ip(), place))
        }
        Err(error) => {
            tracing::warn!(%error, "cannot accept a connection");
            None
        }
    }
}

async fn turn_away(stream: TcpStream, shared: Arc<Shared>) {
    let answer = refused::answer(&kinds::CROWDED, &shared);
    let mut socket = Socket::new(stream, shared);
    let sent = async {
        socket.write_all(&answer).await?;
        socket.shutdown().await
    };
    if let Err(error) = sent.await {
        tracing::debug!(%error, "could not turn a connection away politely");
    }
}
