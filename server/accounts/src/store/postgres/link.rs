//! The connection to a PostgreSQL database, renewed whenever it breaks.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_postgres::{Client, Config, Error};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::session::Session;
use crate::store::{Component, Health, Unavailable};

/// How long a connection may take to be made and tables brought up to date: some dozen ways there
/// and back.
const CONNECT: Duration = Duration::from_secs(15);

/// How long one statement may take, round trip included: a database may be 400 ms away. The
/// database gives up [sooner](super::session): a statement that is reported as failed here is not
/// executed there.
const STATEMENT: Duration = Duration::from_millis(800);

/// Pause before another attempt.
// Short, because callers fail meanwhile; long enough not to hammer a database that is starting.
const PAUSE: Duration = Duration::from_millis(250);

/// How long an unresponsive connection is believed to be alive: a machine that vanishes does not
/// close it.
const SILENCE: Duration = Duration::from_secs(5);

/// The connection, kept by a background task.
#[derive(Debug)]
pub(super) struct Link {
    state: Arc<State>,
    keeper: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct State {
    live: ArcSwapOption<Live>,
    health: Health,
    /// Notified after each attempt, successful or not.
    tried: Notify,
}

/// A session that is alive as far as is known.
#[derive(Debug)]
struct Live {
    session: Session,
    /// Notified when a statement was not answered in time.
    unanswered: Notify,
}

impl Link {
    /// Starts to connect, and waits for the first attempt.
    pub(super) async fn open(address: &str) -> Result<Self, Unavailable> {
        let mut config: Config = understood(address).parse::<Config>()?;
        config
            // The system notices a vanished peer by these limits; without them a connection can
            // look alive for hours.
            .application_name("bareme-server")
            .connect_timeout(SILENCE)
            .tcp_user_timeout(SILENCE);
        config
            .keepalives_idle(SILENCE)
            .keepalives_interval(SILENCE)
            .keepalives_retries(2);

        let (tls, errors) = MakeRustlsConnect::with_native_certs()
            .map_err(|errors| Unavailable(format!("no certificate authority: {errors:?}")))?;
        // One unreadable authority does not stop the others: the handshake fails if it was the
        // needed one.
        for error in errors {
            tracing::warn!(%error, "a certificate authority cannot be read");
        }
        let state = Arc::<State>::default();

        // Registered before the keeper starts, so that its first attempt cannot be missed.
        let tried = state.tried.notified();
        let keeper = tokio::spawn(keep(config, tls, Arc::clone(&state)));
        tried.await;
        Ok(Self {
            state: Arc::clone(&state),
            keeper,
        })
    }

    pub(super) fn health(&self) -> &Health {
        &self.state.health
    }

    /// Runs a query, if the database is connected and answers in time; `component` is the one whose
    /// health depends on it.
    pub(super) async fn ask<T>(
        &self,
        component: Component,
        question: impl AsyncFnOnce(&Session) -> Result<T, Error>,
    ) -> Result<T, Unavailable> {
        // Refused at once and not queued: the keeper is connecting, and the caller has its own way
        // to go on.
        let Some(live) = self.state.live.load_full() else {
            return Err(Unavailable("no connection".to_owned()));
        };

        let began = Instant::now();
        let answered = timeout(STATEMENT, question(&live.session)).await;
        self.state.health.record_query(component, began.elapsed());

        match answered {
            Ok(Ok(answer)) => {
                self.state.health.recovered(component);
                Ok(answer)
            }
            // A statement that violates a constraint is the caller's fault: the store stays
            // healthy.
            Ok(Err(error)) => {
                let blames_store = blames_store(&error);
                let unavailable = Unavailable::from(error);
                tracing::warn!(error = unavailable.0, "the database refuses");
                if blames_store {
                    self.state.health.failed(component, &unavailable.0);
                }
                Err(unavailable)
            }
            Err(_) => {
                // The answer may still come, but nothing waits for it: the connection is renewed.
                live.unanswered.notify_one();
                Err(Unavailable("no answer in time".to_owned()))
            }
        }
    }
}

/// Adapts the address to the library. The certificate and the host name of a database with TLS are
/// always verified: `verify-full`, as other programs call that, is `require` here, and so is
/// `verify-ca`, which asks for less.
fn understood(address: &str) -> String {
    let Some((place, parameters)) = address.split_once('?') else {
        return address.to_owned();
    };
    let parameter = |parameter| match parameter {
        "sslmode=verify-full" | "sslmode=verify-ca" => "sslmode=require",
        other => other,
    };
    let parameters: Vec<&str> = parameters.split('&').map(parameter).collect();
    format!("{place}?{}", parameters.join("&"))
}

/// Prefix of the message of a failed TLS handshake.
const HANDSHAKE: &str = "error performing TLS handshake";

const TLS_CURE: &str = "; see `sslmode` in the address of the store: `require` demands TLS, \
                        `disable` turns it off. The \
                        certificate must name the host, and be of an authority of the system or \
                        of the file that \
                        SSL_CERT_FILE names";

impl Drop for Link {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}

/// Connects, runs the connection until it ends, and starts again.
async fn keep(config: Config, tls: MakeRustlsConnect, state: Arc<State>) {
    loop {
        let reason = match timeout(CONNECT, connect(&config, tls.clone())).await {
            Ok(Ok((session, connection))) => {
                let live = Arc::new(Live {
                    session,
                    unanswered: Notify::new(),
                });
                // Published before the waiting opener is notified: its first statement finds the
                // session.
                state.live.store(Some(Arc::clone(&live)));
                state.health.recovered(Component::Link);
                state.tried.notify_waiters();
                let reason = serve(connection, &live).await;
                state.live.store(None);
                reason
            }
            Ok(Err(unavailable)) => unavailable.0,
            Err(_) => "no connection in time".to_owned(),
        };

        state.health.failed(Component::Link, &reason);
        state.tried.notify_waiters();
        sleep(PAUSE).await;
    }
}

type Connection = JoinHandle<Result<(), Error>>;

async fn connect(
    config: &Config,
    tls: MakeRustlsConnect,
) -> Result<(Session, Connection), Unavailable> {
    let (client, connection): (Client, _) = config.connect(tls).await?;
    let connection = tokio::spawn(connection);
    let session = Session::prepare(client).await;
    // The task of the connection would otherwise outlive its unused client.
    if session.is_err() {
        connection.abort();
    }
    Ok((session?, connection))
}

/// Runs until the connection ends or no longer responds; returns the reason.
async fn serve(mut connection: Connection, live: &Live) -> String {
    tokio::select! {
        ended = &mut connection => match ended {
            Ok(Err(error)) => Unavailable::from(error).0,
            _ => "the connection was closed".to_owned(),
        },
        () = live.unanswered.notified() => {
            connection.abort();
            "no answer in time".to_owned()
        }
    }
}

/// Whether the database refused for a reason of its own (disk full, read-only, locked), not because
/// of the query.
/// [`keep`] reports the end of a connection.
fn blames_store(error: &Error) -> bool {
    // Class 23 of SQLSTATE: constraint violations.
    error
        // An error without a code is of the connection: it is no reason of the database.
        .code()
        .is_some_and(|code| !code.code().starts_with("23"))
}

/// With the cause of the error, which itself only says `db error`.
impl From<Error> for Unavailable {
    fn from(error: Error) -> Self {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
        let message = format!("{error}{}", cause.unwrap_or_default());
        let cure = if message.starts_with(HANDSHAKE) {
            TLS_CURE
        } else {
            ""
        };
        Self(format!("{message}{cure}"))
    }
}

#[cfg(test)]
mod tests {
    use tokio_postgres::config::SslMode;

    use super::*;

    #[test]
    fn a_mode_that_other_programs_know_is_understood() {
        let mode = |parameters: &str| {
            let config = understood(&format!("postgres://u:p@h/d{parameters}")).parse::<Config>();
            config.map(|config| config.get_ssl_mode()).ok()
        };
        for demanding in [
            "?sslmode=verify-full",
            "?connect_timeout=3&sslmode=verify-ca",
            "?sslmode=require",
        ] {
            assert_eq!(mode(demanding), Some(SslMode::Require), "{demanding}");
        }
        assert_eq!(
            (mode(""), mode("?sslmode=disable")),
            (Some(SslMode::Prefer), Some(SslMode::Disable))
        );
        assert_eq!(mode("?sslmode=verify"), None);
    }
}
