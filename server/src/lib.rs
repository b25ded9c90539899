//! The HTTP service of Barème: dated scales in, JSON answers out.
//!
//! It is independent of taxes: the endpoints, their parameters and their fields come from the rule
//! set that the engine loaded, so that a new country needs no code.
//!
//! | topic | module |
//! |---|---|
//! | connections: accepted, limited, read, written, closed | [`net`] |
//! | reloading of edited rule files | [`reload`] |
//! | the rule sets that came into force, kept | [`archive`] |
//! | probes, metrics, log, backups, shutdown | [`ops`] |
//! | the pipeline of a request, the forms, the listeners | [`app`] |
//!
//! Each module depends on those above it only; a test checks this. Beneath them are libraries:
//! `bareme-api` answers calls, `bareme-site` shows pages, `bareme-accounts` has keys, quotas and
//! stores.

#![allow(
    rustdoc::private_intra_doc_links,
    reason = "a program: its documentation is read with its private items"
)]

mod app;
mod archive;
pub mod flags;
mod net;
mod ops;
mod reload;
#[cfg(test)]
mod testing;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use bareme_accounts::command::{self, CommandFailure};
#[cfg(feature = "site")]
use bareme_accounts::confirmations::Confirmations;
use bareme_accounts::mail::MailFailure;
use bareme_accounts::payment::signature::Secrets;
use bareme_accounts::store::{self, Purpose, Unavailable};
use bareme_accounts::{Access, Maintenance};
use bareme_api::wire::address::Proxies;
use bareme_api::wire::clock::Clock;
#[cfg(feature = "site")]
use bareme_site::legal::OwnTexts;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::app::admin::Admin;
use crate::app::availability;
#[cfg(feature = "site")]
use crate::app::corrections;
use crate::app::deliveries::{self, Deliveries};
use crate::app::notices;
use crate::app::shared::Shared;
use crate::app::webhook::Webhook;
use crate::archive::export::{self, ExportError};
use crate::flags::environment::unread_variables;
use crate::flags::signing::SigningError;
use crate::flags::{Command, Flags, Probes};
use crate::net::connection_limit::ConnectionLimit;
use crate::net::{Host, accept, internal, listen};
use crate::ops::backup::{self, BackupFailure, Schedule};
use crate::ops::log::{self, LogFormat};
use crate::ops::shutdown;
use crate::reload::Reload;

/// Why the service could not start or had to stop.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The log filter cannot be read.
    #[error("--log: {0}")]
    Log(String),
    /// The rule folder is not a folder.
    #[error("--rules: `{0}` is not a folder")]
    Rules(String),
    /// The folder of the operator's own texts is not a folder.
    #[error("--pages: `{0}` is not a folder")]
    Pages(String),
    /// The address that an option gives cannot be listened on.
    #[error("{0}: cannot listen on {1}: {2}")]
    Listen(&'static str, SocketAddr, io::Error),
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
    /// The keys of receipts cannot be used.
    #[error("signing key: {0}")]
    Signing(#[from] SigningError),
    /// The kept rule sets cannot be exported.
    #[error("rules export: {0}")]
    Export(#[from] ExportError),
    /// Backups cannot be made.
    #[error("backup: {0}")]
    Backup(#[from] BackupFailure),
    /// The system refuses threads, timers or signals.
    #[error("cannot start: {0}")]
    Start(#[from] io::Error),
}

/// How long the final write of the counts may take.
const FINAL_WRITE_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a stop waits for the e-mail under way: as long as a mail server may take.
const LAST_MAIL_TIMEOUT: Duration = Duration::from_secs(21);

/// How long the start waits for the first load of the rules.
const FIRST_LOAD_TIMEOUT: Duration = Duration::from_secs(15);

/// Runs the command, or by default serves until SIGTERM or SIGINT.
pub fn run(flags: &Flags) -> Result<(), Failure> {
    // A command works on the store beside the service, and says what it does on its own.
    if let Some(asked) = &flags.command {
        let _log = log::start("error", Some(LogFormat::Text)).map_err(Failure::Log)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let store = flags.store().map_err(Failure::Store)?;

        return match asked {
            Command::Keys(keys) => {
                Ok(runtime.block_on(command::run(keys, &flags.rules, &store))?)
            }
            Command::Payments(payments) => {
                Ok(runtime.block_on(command::payments::run(payments, &flags.rules, &store))?)
            }
            Command::Rules(rules) => Ok(runtime.block_on(export::run(rules, &store))?),
            Command::Backup { to } => Ok(backup::run(&store, to)?),
        };
    }

    // From here on, everything that goes wrong is in the log.
    let _log = log::start(&flags.log, flags.log_format).map_err(Failure::Log)?;
    if !flags.rules.is_dir() {
        return Err(Failure::Rules(flags.rules.display().to_string()));
    }
    #[cfg(feature = "site")]
    if let Some(pages) = flags.pages.as_ref().filter(|pages| !pages.is_dir()) {
        return Err(Failure::Pages(pages.display().to_string()));
    }
    warn_of_unread_variables();

    // The runtime of everything but the calls: these have threads of their own.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(serve(flags));

    // Blocked work (a disk, a resolver that does not respond) must not keep the process alive.
    runtime.shutdown_background();
    served
}

/// Logs each variable of the environment that looks like a setting and is none.
fn warn_of_unread_variables() {
    // A name that is not UTF-8 is no setting of ours.
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for variable in unread_variables(names) {
        tracing::warn!(
            variable = variable.name,
            near = variable.near,
            "this variable is no setting: nothing reads it"
        );
    }
}

async fn serve(flags: &Flags) -> Result<(), Failure> {
    // Signal handlers come first: a signal while the rules load must not kill the process half-way.
    let mut signals = shutdown::Signals::new()?;
    let started = tokio::select! {
        started = start(flags) => started?,
        () = signals.wait() => return Ok(()),
    };
    let Started {
        shared,
        maintenance,
        listener,
        webhook,
        deliveries,
        reload,
    } = started;

    // The order matters: load balancers see the stop first, then the calls end, then what they have
    // left behind, and last the counts of all of it are written.
    signals.stop(&reload).await;
    shared.start_draining();
    shutdown::drain(&mut signals, listener, flags.drain).await;

    let finish = async {
        if let Some(webhook) = webhook {
            webhook.finish().await;
        }
        if let Some(deliveries) = deliveries {
            deliveries.stop(LAST_MAIL_TIMEOUT).await;
        }
    };
    tokio::select! {
        () = finish => {}
        () = signals.wait() => tracing::warn!("stopped at once by a further signal"),
    }

    if timeout(FINAL_WRITE_TIMEOUT, maintenance.stop())
        .await
        .is_err()
    {
        tracing::warn!("stopped before all counts were written");
    }
    Ok(())
}

/// A running service.
struct Started {
    shared: Arc<Shared>,
    maintenance: Maintenance,
    listener: accept::Listener,
    webhook: Option<Arc<Webhook>>,
    deliveries: Option<deliveries::Running>,
    reload: Reload,
}

/// The secrets of the payment provider's signatures, if configured.
fn payment_secrets(flags: &Flags) -> Result<Option<Secrets>, Failure> {
    let read = |file: &PathBuf| {
        fs::read_to_string(file)
            .map_err(|error| Failure::PaymentSecret(format!("`{}`: {error}", file.display())))
    };
    // A file comes first: it is safer than a variable, which other processes may see.
    let text = flags
        .payment_secret_file
        .as_ref()
        .map(read)
        .transpose()?
        .or_else(|| flags.payment_secret.clone());

    // Without the secret, anybody could send events.
    let Some(text) = text else {
        let missing =
            || Failure::PaymentSecret("--payments needs the secret of the events".to_owned());
        return if flags.payments.is_some() {
            Err(missing())
        } else {
            Ok(None)
        };
    };

    let secrets = Secrets::read(&text)
        .ok_or_else(|| Failure::PaymentSecret("it holds no secret".to_owned()))?;
    Ok(Some(secrets))
}

/// Starts everything that the flags ask for, the listener of the callers last.
async fn start(flags: &Flags) -> Result<Started, Failure> {
    // 1. What can be wrong with the flags, before anything runs. The socket is opened first, so
    //    that calls wait in it from now on.
    let listener = listen::open(flags.listen)
        .await
        .map_err(cannot_listen("--listen", flags.listen))?;
    let mailer = flags.mail.mailer()?;
    let deliveries = mailer
        .clone()
        .map(|mailer| Arc::new(Deliveries::new(mailer)));
    let secrets = payment_secrets(flags)?;
    let signer = flags.signing.signer()?.map(Arc::new);
    let clock = Clock::new(flags.date);
    let clock = flags.clock.map_or(clock, |moment| clock.set_to(moment));
    let location = flags.store().map_err(Failure::Store)?;
    let schedule =
        |folder: &PathBuf| Schedule::new(&location, folder, flags.backup_every, flags.backup_keep);
    let schedule = flags.backup_dir.as_ref().map(schedule).transpose()?;

    // 2. The store, and the state that all parts share.
    let store = store::open(&location, Purpose::Serving)
        .await
        .map_err(Failure::Store)?;
    let mut access = Access::new(store);
    // What nobody is written to about is not counted.
    if mailer.is_some() {
        access = access.counting_laws();
    }
    let access = Arc::new(access);
    let maintenance = Maintenance::start(Arc::clone(&access), move || clock.read().second);
    let mut shared = shared_state(flags, clock, access);
    #[cfg(feature = "site")]
    {
        shared.confirmations = mailer.clone().map(Confirmations::new);
    }
    shared.signer = signer;
    let shared = Arc::new(shared);

    // 3. The rules. If they take longer, the listeners open meanwhile: `/readyz` reports it.
    let (publisher, published) = mpsc::unbounded_channel();
    let rules = Arc::clone(&shared.rules);
    let (reload, read) = Reload::start(&flags.rules, &location, clock, rules, publisher)?;
    let archive = Arc::clone(&shared.archive);
    tokio::spawn(archive::keep(archive, published, clock, flags.keep_rules));
    let _ = timeout(FIRST_LOAD_TIMEOUT, read).await;

    // 4. The other listeners.
    open_admin(flags, &shared).await?;
    let webhook = |(deliveries, secrets)| {
        Arc::new(Webhook::new(
            Arc::clone(&shared),
            secrets,
            Arc::clone(deliveries),
        ))
    };
    let webhook = deliveries.as_ref().zip(secrets).map(webhook);
    open_payments(flags, &shared, webhook.as_ref()).await?;

    // 5. What runs in the background.
    tokio::spawn(availability::record(Arc::clone(&shared)));
    if let Some(mailer) = mailer {
        tokio::spawn(notices::announce(Arc::clone(&shared), Arc::clone(&mailer)));
        #[cfg(feature = "site")]
        tokio::spawn(corrections::announce(Arc::clone(&shared), mailer));
    }
    let deliveries = deliveries.map(|deliveries| deliveries.start(Arc::clone(&shared)));
    if let Some(schedule) = schedule {
        tokio::spawn(backup::keep(Arc::clone(&shared.metrics), schedule));
    }

    // 6. The calls that waited, and all others.
    tracing::info!(
        address = %listener.local_addr()?,
        ready = shared.rules.is_loaded(),
        "listening"
    );
    let (connections, proxies) = (Arc::clone(&shared.connections), shared.proxies.clone());
    let listener = accept::start(listener, connections, proxies, Arc::clone(&shared))?;
    Ok(Started {
        shared,
        maintenance,
        listener,
        webhook,
        deliveries,
        reload,
    })
}

/// The failure of a listener that an option gives.
fn cannot_listen(option: &'static str, address: SocketAddr) -> impl FnOnce(io::Error) -> Failure {
    move |error| Failure::Listen(option, address, error)
}

/// The state that all parts share, before any rules are loaded.
fn shared_state(flags: &Flags, clock: Clock, access: Arc<Access>) -> Shared {
    let proxies = Proxies::new(
        flags.trusted_proxy.clone(),
        flags.proxy_field.clone(),
        flags.ipv6_prefix,
    );
    let connections = ConnectionLimit::within_system_limits(flags.connections);

    let mut shared = Shared::new(clock, access, proxies, connections);
    #[cfg(feature = "site")]
    {
        shared.texts = OwnTexts(flags.pages.clone());
    }
    #[cfg(feature = "mcp")]
    {
        shared.mcp_hosts = flags.mcp.then(|| flags.mcp_host.clone());
    }
    shared.hides_probes = flags.probes == Probes::Admin;
    shared
}

/// Opens the admin listener, if there is one.
async fn open_admin(flags: &Flags, shared: &Arc<Shared>) -> Result<(), Failure> {
    let Some(address) = flags.admin else {
        return Ok(());
    };
    let listener = TcpListener::bind(address)
        .await
        .map_err(cannot_listen("--admin", address))?;
    tracing::info!(address = %listener.local_addr()?, "admin listener open");

    let host: Arc<dyn Host> = Arc::<Shared>::clone(shared);
    tokio::spawn(internal::serve(
        listener,
        host,
        Arc::new(Admin(Arc::clone(shared))),
    ));
    Ok(())
}

/// Opens the listener for the events of the payment provider, if there is one.
async fn open_payments(
    flags: &Flags,
    shared: &Arc<Shared>,
    webhook: Option<&Arc<Webhook>>,
) -> Result<(), Failure> {
    let Some((address, webhook)) = flags.payments.zip(webhook) else {
        return Ok(());
    };
    let listener = TcpListener::bind(address)
        .await
        .map_err(cannot_listen("--payments", address))?;
    tracing::info!(address = %listener.local_addr()?, "payment listener open");

    let host: Arc<dyn Host> = Arc::<Shared>::clone(shared);
    tokio::spawn(internal::serve(listener, host, Arc::clone(webhook)));
    Ok(())
}
