//! The socket on which calls arrive: handed over by whoever started the service, or its own.
//!
//! A socket that systemd holds (`LISTEN_FDS`) stays open while the service restarts: connections wait in it for
//! the next process, and none is refused.

use std::io;
use std::net::SocketAddr;

use listenfd::ListenFd;
use tokio::net::TcpListener;

/// The socket that was handed over, or else one on `address`.
///
/// # Errors
/// The system refuses the address, or what was handed over is not one listening TCP socket.
pub(crate) async fn open(address: SocketAddr) -> io::Result<TcpListener> {
    let mut handed_over = ListenFd::from_env();
    match handed_over.len() {
        0 => TcpListener::bind(address).await,
        1 => {
            let listener = handed_over.take_tcp_listener(0)?.ok_or(io::ErrorKind::NotConnected)?;
            listener.set_nonblocking(true)?;
            TcpListener::from_std(listener)
        }
        count => Err(io::Error::other(format!("{count} sockets were handed over, one is expected"))),
    }
}
