//! How the service stops without failing anybody.

use std::io;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{sleep, timeout};

use crate::net::accept::Listener;
use crate::shared::Shared;

/// How long the running requests have to end.
const LAST_REQUESTS_TIMEOUT: Duration = Duration::from_secs(10);

/// SIGTERM and SIGINT.
#[derive(Debug)]
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    /// Takes both signals over from the system.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// Returns when one of them comes.
    pub(crate) async fn wait(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Says that the service is stopping, waits `notice` for the load balancer to see it, then closes
/// the listener and lets the running requests end. A second signal ends everything at once.
pub(crate) async fn drain(signals: &mut Signals, shared: &Shared, listener: Listener, notice: Duration) {
    shared.start_draining();
    tracing::info!(notice = notice.as_secs(), "stopping");
    let gently = async {
        sleep(notice).await;
        timeout(LAST_REQUESTS_TIMEOUT, listener.close()).await
    };
    tokio::select! {
        drained = gently => match drained {
            Ok(()) => tracing::info!("stopped"),
            Err(_) => tracing::warn!("stopped with connections still open"),
        },
        () = signals.wait() => tracing::warn!("stopped at once by a second signal"),
    }
}
