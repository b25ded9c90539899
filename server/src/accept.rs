//! The door: it accepts connections, and turns away who takes too many.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::connection;
use crate::places::{MOST_TURNED_AWAY, Places};
use crate::problem::kinds::{self, Kind};
use crate::refused;
use crate::share::Shares;
use crate::shared::Shared;
use crate::socket::Socket;

/// One address may hold this part of the places.
const PART_OF_ONE: u32 = 4;

/// Pause after the system refused a connection (no file descriptor left): to ask again at once
/// would only burn the processor.
const PAUSE: Duration = Duration::from_millis(50);

/// The open door.
#[derive(Debug)]
pub struct Door {
    places: Places,
    stop: watch::Sender<bool>,
    accepting: JoinHandle<()>,
}

/// Starts to accept connections.
pub fn open(listener: TcpListener, shared: Arc<Shared>) -> Door {
    let places = shared.places.clone();
    let (stop, stopped) = watch::channel(false);
    let accepting = tokio::spawn(accept(listener, shared, stopped));
    Door { places, stop, accepting }
}

impl Door {
    /// Stops accepting, asks every connection to end after its running request, and returns when
    /// the last one is gone.
    pub async fn close(self) {
        self.stop.send_replace(true);
        // The listener is dropped here: who calls now is refused by the system.
        drop(self.accepting.await);
        // Each connection holds a place.
        self.places.all_free().await;
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>, mut stop: watch::Receiver<bool>) {
    let shares = Arc::<Shares>::default();
    let share = (shared.places.total() / PART_OF_ONE) as usize;
    let exits = Arc::new(Semaphore::new(MOST_TURNED_AWAY as usize));
    loop {
        let accepted = tokio::select! {
            accepted = next(&listener) => accepted,
            _ = stop.wait_for(|stopping| *stopping) => return,
        };
        let Some((stream, address)) = accepted else {
            sleep(PAUSE).await;
            continue;
        };
        let shared = Arc::clone(&shared);
        // Behind our own proxies stand all the others.
        let limit = if shared.access.proxies().trust(address) { usize::MAX } else { share };
        let refusal = match (shared.places.take(), shares.take(address, limit)) {
            (Some(place), Some(held)) => {
                let stop = stop.clone();
                tokio::spawn(async move {
                    connection::serve(stream, address, shared, stop).await;
                    drop((place, held));
                });
                continue;
            }
            (None, _) => &kinds::OVERLOADED,
            (Some(_), None) => &kinds::CROWDED,
        };
        if let Ok(exit) = Arc::clone(&exits).try_acquire_owned() {
            tokio::spawn(async move {
                turn_away(stream, refusal, shared).await;
                drop(exit);
            });
        }
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
    let mut socket = Socket::new(stream, shared);
    let sent = async {
        socket.write_all(&answer).await?;
        socket.shutdown().await
    };
    if let Err(error) = sent.await {
        tracing::debug!(%error, "could not turn a connection away politely");
    }
}
