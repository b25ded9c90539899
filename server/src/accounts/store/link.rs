//! The link to a PostgreSQL database: made again whenever it breaks, for as long as it takes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_postgres::{Client, Config, Error};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::session::Session;
use super::{Component, Health, Unavailable};

/// How long a connection may take to be made and tables brought up to date: some dozen ways there and back.
const CONNECT: Duration = Duration::from_secs(15);

/// How long one statement may take, its way there and back included: a database may be 400 ms away. It gives up
/// [sooner](super::session): what is answered with a failure here is then not done there.
const STATEMENT: Duration = Duration::from_millis(800);

/// Pause before another try.
const PAUSE: Duration = Duration::from_millis(250);

/// How long an unanswered connection is believed to live: a machine that vanished says no goodbye.
const SILENCE: Duration = Duration::from_secs(5);

/// The link, kept by a task of its own.
#[derive(Debug)]
pub(super) struct Link {
    state: Arc<State>,
    keeper: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct State {
    live: ArcSwapOption<Live>,
    health: Health,
    /// A try was made, well or not.
    tried: Notify,
}

/// A session that lives as far as is known.
#[derive(Debug)]
struct Live {
    session: Session,
    /// A statement was not answered in time.
    unanswered: Notify,
}

impl Link {
    /// Starts to connect, and waits for the end of the first try.
    pub(super) async fn open(address: &str) -> Result<Self, Unavailable> {
        let mut config: Config = understood(address).parse::<Config>()?;
        config.application_name("bareme-server").connect_timeout(SILENCE).tcp_user_timeout(SILENCE);
        config.keepalives_idle(SILENCE).keepalives_interval(SILENCE).keepalives_retries(2);
        let (tls, errors) = MakeRustlsConnect::with_native_certs()
            .map_err(|errors| Unavailable(format!("no certificate authority: {errors:?}")))?;
        for error in errors {
            tracing::warn!(%error, "a certificate authority cannot be read");
        }
        let state = Arc::<State>::default();
        let tried = state.tried.notified();
        let keeper = tokio::spawn(keep(config, tls, Arc::clone(&state)));
        tried.await;
        Ok(Self { state: Arc::clone(&state), keeper })
    }

    pub(super) fn health(&self) -> &Health {
        &self.state.health
    }

    /// Queries the database, if it is connected and answers in time; `component` is the part
    /// whose health the answer shows.
    pub(super) async fn ask<T>(
        &self,
        component: Component,
        question: impl AsyncFnOnce(&Session) -> Result<T, Error>,
    ) -> Result<T, Unavailable> {
        let Some(live) = self.state.live.load_full() else {
            return Err(Unavailable("no connection".to_owned()));
        };
        let began = Instant::now();
        let answered = timeout(STATEMENT, question(&live.session)).await;
        self.state.health.asked(component, began.elapsed());
        match answered {
            Ok(Ok(answer)) => {
                self.state.health.recovered(component);
                Ok(answer)
            }
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
                // The answer may still come, but nothing waits for it: reconnect.
                live.unanswered.notify_one();
                Err(Unavailable("no answer in time".to_owned()))
            }
        }
    }
}

/// The address as the library understands it. The certificate and the name of a database that speaks TLS are always checked:
/// what other programs call `verify-full` is `require` here, and `verify-ca`, which asks for less, too.
fn understood(address: &str) -> String {
    let Some((place, parameters)) = address.split_once('?') else { return address.to_owned() };
    let parameter = |parameter| match parameter {
        "sslmode=verify-full" | "sslmode=verify-ca" => "sslmode=require",
        other => other,
    };
    let parameters: Vec<&str> = parameters.split('&').map(parameter).collect();
    format!("{place}?{}", parameters.join("&"))
}

/// How an error of the TLS handshake begins.
const HANDSHAKE: &str = "error performing TLS handshake";

const TLS_CURE: &str = "; see `sslmode` in the address of the store: `require` demands TLS, `disable` turns it off. The \
                        certificate must name the host, and be of an authority of the system or of the file that \
                        SSL_CERT_FILE names";

impl Drop for Link {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}

/// Connects, serves until the connection ends, and again.
async fn keep(config: Config, tls: MakeRustlsConnect, state: Arc<State>) {
    loop {
        let reason = match timeout(CONNECT, connect(&config, tls.clone())).await {
            Ok(Ok((session, connection))) => {
                let live = Arc::new(Live { session, unanswered: Notify::new() });
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

async fn connect(config: &Config, tls: MakeRustlsConnect) -> Result<(Session, Connection), Unavailable> {
    let (client, connection): (Client, _) = config.connect(tls).await?;
    let connection = tokio::spawn(connection);
    let session = Session::prepare(client).await;
    if session.is_err() {
        connection.abort();
    }
    Ok((session?, connection))
}

/// Runs until the connection ends, by itself or because it no longer answers; returns why.
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

/// Whether the database refused for a reason of its own (no space, read-only, locked), and not for what
/// was asked. The end of a connection is reported by [`keep`].
fn blames_store(error: &Error) -> bool {
    // Class 23: a constraint.
    error.code().is_some_and(|code| !code.code().starts_with("23"))
}

/// With its cause: alone, the error says `db error`.
impl From<Error> for Unavailable {
    fn from(error: Error) -> Self {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
        let said = format!("{error}{}", cause.unwrap_or_default());
        let cure = if said.starts_with(HANDSHAKE) { TLS_CURE } else { "" };
        Self(format!("{said}{cure}"))
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
        for demanding in ["?sslmode=verify-full", "?connect_timeout=3&sslmode=verify-ca", "?sslmode=require"] {
            assert_eq!(mode(demanding), Some(SslMode::Require), "{demanding}");
        }
        assert_eq!((mode(""), mode("?sslmode=disable")), (Some(SslMode::Prefer), Some(SslMode::Disable)));
        assert_eq!(mode("?sslmode=verify"), None);
    }
}
