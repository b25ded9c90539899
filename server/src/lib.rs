//! The HTTP service of Barème: dated scales in, JSON answers out.
//!
//! It knows HTTP and nothing of taxes: which endpoints exist, what they take and what they answer
//! come from the rule set that the engine loaded, so that a new country appears by itself.
//!
//! | to read | module |
//! |---|---|
//! | how connections are accepted, limited and closed | [`net`] |
//! | the steps of a request, its answer, every error | [`http`] |
//! | who calls, and how much each may call | [`access`] |
//! | how an edited rule file comes into force | [`reload`] |
//! | the description of the interface | [`openapi`] |
//! | the pages for people | [`site`] |
//! | the admin listener, probes, metrics, log, clean stop | [`ops`] |

#![allow(rustdoc::private_intra_doc_links, reason = "a program: its documentation is read with its private items")]

pub mod access;
mod clock;
pub mod flags;
mod http;
mod net;
mod openapi;
mod ops;
mod reload;
mod shared;
mod site;
#[cfg(test)]
mod testing;

// The contract of stores is written for outsiders, and run on the store of the unit tests too.
#[cfg(test)]
extern crate self as bareme_server;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use tokio::net::TcpListener;
use tokio::time::timeout;

use crate::access::address::Proxies;
use crate::access::command::{self, CommandFailure};
use crate::access::mail::{MailFailure, Mailer};
use crate::access::notice;
use crate::access::payment::{Payments, Secrets};
use crate::access::store::{self, Purpose, Unavailable};
use crate::access::{Access, Maintenance};
use crate::clock::Clock;
use crate::flags::{Command, Flags, LogFormat};
use crate::net::connection_limit::ConnectionLimit;
use crate::net::{accept, listen};
use crate::ops::{admin, log, shutdown};
use crate::shared::Shared;
use crate::site::legal::OwnTexts;

/// Why the service could not start or had to stop.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The log filter cannot be read.
    #[error("--log: {0}")]
    Log(String),
    /// The rule folder is not a folder.
    #[error("--rules: `{0}` is not a folder")]
    Rules(String),
    /// The address cannot be listened on.
    #[error("--listen: cannot listen on {0}: {1}")]
    Listen(SocketAddr, io::Error),
    /// The admin address cannot be listened on.
    #[error("--admin: cannot listen on {0}: {1}")]
    Admin(SocketAddr, io::Error),
    /// The store cannot be opened.
    #[error("--store: {0}")]
    Store(Unavailable),
    /// A command on the keys failed.
    #[error(transparent)]
    Keys(#[from] CommandFailure),
    /// The mail server cannot be used.
    #[error("--smtp: {0}")]
    Mail(#[from] MailFailure),
    /// The secret of the payments cannot be read.
    #[error("--payment-secret-file: {0}")]
    PaymentSecret(String),
    /// The system refuses threads, timers or signals.
    #[error("cannot start: {0}")]
    Start(#[from] io::Error),
}

/// How long the final write of the counts may take.
const FINAL_WRITE_TIMEOUT: Duration = Duration::from_secs(2);

/// How long the start waits for the first reading of the rules.
const FIRST_LOAD_TIMEOUT: Duration = Duration::from_secs(15);

/// Does what the command line says: by default, serves until SIGTERM or SIGINT.
pub fn run(flags: &Flags) -> Result<(), Failure> {
    if let Some(Command::Keys(keys)) = &flags.command {
        let _log = log::start("error", Some(LogFormat::Text))?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        return Ok(runtime.block_on(command::run(keys, &flags.rules, &flags.store))?);
    }
    let _log = log::start(&flags.log, flags.log_format)?;
    if !flags.rules.is_dir() {
        return Err(Failure::Rules(flags.rules.display().to_string()));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(serve(flags));
    // Blocked work (a disk, a resolver that does not answer) must not keep the process alive.
    runtime.shutdown_background();
    served
}

async fn serve(flags: &Flags) -> Result<(), Failure> {
    // The signals first: one that arrives while the rules load must not kill the process half way.
    let mut signals = shutdown::Signals::new()?;
    let started = tokio::select! {
        started = start(flags) => started?,
        () = signals.wait() => return Ok(()),
    };
    let Started { shared, maintenance, listener } = started;
    signals.wait().await;
    shutdown::drain(&mut signals, &shared, listener, flags.drain).await;
    if timeout(FINAL_WRITE_TIMEOUT, maintenance.stop()).await.is_err() {
        tracing::warn!("stopped before all counts were written");
    }
    Ok(())
}

/// A service that answers.
struct Started {
    shared: Arc<Shared>,
    maintenance: Maintenance,
    listener: accept::Listener,
}

/// What payments need, if they are set up.
fn payments(flags: &Flags, mailer: Option<&Arc<Mailer>>) -> Result<Option<Arc<Payments>>, Failure> {
    let read = |file: &PathBuf| {
        fs::read_to_string(file).map_err(|error| Failure::PaymentSecret(format!("`{}`: {error}", file.display())))
    };
    let text = flags.payment_secret_file.as_ref().map(read).transpose()?.or_else(|| flags.payment_secret.clone());
    let Some((text, mailer)) = text.zip(mailer) else { return Ok(None) };
    let secrets = Secrets::read(&text).ok_or_else(|| Failure::PaymentSecret("it holds no secret".to_owned()))?;
    Ok(Some(Arc::new(Payments { secrets, mailer: Arc::clone(mailer) })))
}

async fn start(flags: &Flags) -> Result<Started, Failure> {
    let listener = listen::open(flags.listen).await.map_err(|error| Failure::Listen(flags.listen, error))?;
    let mailer = flags.mail.mailer()?;
    let payments = payments(flags, mailer.as_ref())?;
    let clock = Clock::new(flags.date);
    let clock = flags.clock.map_or(clock, |moment| clock.set_to(moment));
    let store = store::open(&flags.store, Purpose::Serving).await.map_err(Failure::Store)?;
    let proxies = Proxies::new(flags.trusted_proxy.clone(), flags.proxy_field.clone(), flags.ipv6_prefix);
    let access = Arc::new(Access::new(store, proxies));
    let maintenance = Maintenance::start(Arc::clone(&access), clock);
    let connections = ConnectionLimit::within_system_limits(flags.connections);
    let shared = Arc::new(Shared::new(clock, access, connections).with_texts(OwnTexts(flags.pages.clone())));
    let read = reload::start(&flags.rules, Arc::clone(&shared))?;
    // Slower rules are waited for with the listeners open: `/readyz` reports it.
    let _ = timeout(FIRST_LOAD_TIMEOUT, read).await;
    if let Some(address) = flags.admin {
        let listener = TcpListener::bind(address).await.map_err(|error| Failure::Admin(address, error))?;
        tracing::info!(address = %listener.local_addr()?, "admin listener open");
        tokio::spawn(admin::serve(listener, Arc::clone(&shared), payments));
    }
    if let Some(mailer) = mailer {
        tokio::spawn(notice::announce(Arc::clone(&shared), mailer));
    }
    tracing::info!(address = %listener.local_addr()?, ready = shared.snapshot().is_some(), "listening");

    let listener = accept::start(listener, Arc::clone(&shared));
    Ok(Started { shared, maintenance, listener })
}
