//! The signals of the process: SIGTERM and SIGINT, which stop it gracefully, and SIGHUP, which
//! reloads the rules.

use std::io;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{sleep, timeout};

use crate::net::accept::Listener;
use crate::reload::Reload;

/// How long the running requests have to end.
const LAST_REQUESTS_TIMEOUT: Duration = Duration::from_secs(10);

/// SIGTERM and SIGINT, which stop the service, and SIGHUP, which reloads the rules.
#[derive(Debug)]
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    /// Installs the signal handlers.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for a signal to stop; reloads the rules at each SIGHUP until then.
    pub(crate) async fn stop(&mut self, reload: &Reload) {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return,
                _ = self.interrupt.recv() => return,
                _ = self.hang_up.recv() => reload.ask(),
            }
        }
    }

    /// Waits for SIGTERM or SIGINT.
    pub(crate) async fn wait(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Waits `notice`, for load balancers to see that the service is stopping, then closes the listener
/// and lets running requests end. A second signal ends everything at once.
pub(crate) async fn drain(signals: &mut Signals, listener: Listener, notice: Duration) {
    tracing::info!(notice = notice.as_secs(), "stopping");

    // Load balancers send calls until they have noticed: these are still answered.
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
