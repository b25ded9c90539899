//! The listening socket: inherited from the process that started the service, or its own.
//!
//! A socket held by systemd (`LISTEN_FDS`) stays open while the service restarts: connections wait
//! in it for the next process, and none is refused.

use std::io;
use std::net::SocketAddr;

use listenfd::ListenFd;
use tokio::net::TcpListener;

/// The inherited socket, or else a new one on `address`.
///
/// # Errors
/// The system refuses the address, or the inherited descriptor is not a single listening TCP
/// socket.
pub(crate) async fn open(address: SocketAddr) -> io::Result<TcpListener> {
    let mut handed_over = ListenFd::from_env();
    // With several sockets, nothing says which is that of the callers.
    match handed_over.len() {
        0 => TcpListener::bind(address).await,
        1 => {
            let listener = handed_over
                .take_tcp_listener(0)?
                .ok_or(io::ErrorKind::NotConnected)?;
            // A socket from outside may be blocking, which the runtime does not accept.
            listener.set_nonblocking(true)?;
            TcpListener::from_std(listener)
        }
        count => Err(io::Error::other(format!(
            "{count} sockets were handed over, one is expected"
        ))),
    }
}
