//! The command line. Each flag can also be given by an environment variable, for containers.

pub(crate) mod environment;
mod secrets;
pub(crate) mod signing;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use bareme_accounts::command::payments::PaymentsCommand;
use bareme_accounts::command::{KeysCommand, MailFlags, read_secret};
use bareme_accounts::store::{Location, Unavailable};
use clap::{Parser, Subcommand, ValueEnum};
use hyper::header::HeaderName;
use ipnet::IpNet;
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};

use crate::archive::export::RulesCommand;
use crate::ops::log::LogFormat;
use secrets::without_secrets;
use signing::SigningFlags;

/// Answers tax and payroll questions over HTTP from dated scale files.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Flags {
    /// A command other than serving.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// Address and port to listen on; with port 0 a free one is chosen and logged. A socket that is
    /// handed over (`LISTEN_FDS`, as by a socket unit of systemd) takes its place.
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "BAREME_LISTEN",
        default_value = "127.0.0.1:8080"
    )]
    pub(crate) listen: SocketAddr,

    /// Folder of the rules. It is watched: changes come into force while the server runs.
    #[arg(
        long,
        value_name = "FOLDER",
        env = "BAREME_RULES",
        default_value = "rules",
        global = true
    )]
    pub(crate) rules: PathBuf,

    /// Days for which a rule set is kept after it was replaced, so that an answer can be had again.
    #[arg(
        long,
        value_name = "DAYS",
        env = "BAREME_KEEP_RULES",
        default_value_t = 3_660
    )]
    pub(crate) keep_rules: u32,

    /// Folder with the operator's own texts of the site, Markdown: `conditions.md`,
    /// `confidentialite.md`, `mentions-legales.md`. For those that are missing general ones are
    /// shown.
    #[cfg(feature = "site")]
    #[arg(long, value_name = "FOLDER", env = "BAREME_PAGES")]
    pub(crate) pages: Option<PathBuf>,

    /// Day (YYYY-MM-DD) used as today when a call gives no date; the real day by default.
    #[arg(long, value_name = "DATE", env = "BAREME_DATE")]
    pub(crate) date: Option<Date>,

    /// Time (2026-12-31T23:59:50Z) that the clock is set to when the service starts, for tests and
    /// demonstrations; it runs on from there.
    #[arg(long, value_name = "MOMENT", env = "BAREME_CLOCK")]
    pub(crate) clock: Option<Timestamp>,

    /// Store of keys and counts: `sqlite:<file>`, for one node, or `postgres://…`, for several.
    /// The certificate of a database is checked; `?sslmode=disable` turns TLS off.
    #[arg(
        long,
        value_name = "STORE",
        env = "BAREME_STORE",
        hide_env_values = true,
        default_value = "sqlite:bareme.db",
        global = true
    )]
    store: Location,

    /// File with the address of the store, which may hold a password.
    #[arg(
        long,
        value_name = "FILE",
        env = "BAREME_STORE_FILE",
        conflicts_with = "store",
        global = true
    )]
    store_file: Option<PathBuf>,

    /// Addresses or networks of the proxies whose client address is trusted.
    #[arg(
        long,
        value_name = "NETWORK",
        env = "BAREME_TRUSTED_PROXY",
        value_delimiter = ',',
        value_parser = network
    )]
    pub(crate) trusted_proxy: Vec<IpNet>,

    /// The header field in which they send it: `forwarded`, or any that lists addresses.
    #[arg(
        long,
        value_name = "FIELD",
        env = "BAREME_PROXY_FIELD",
        default_value = "x-forwarded-for"
    )]
    pub(crate) proxy_field: HeaderName,

    /// Bits of an IPv6 address that identify a caller without a key.
    #[arg(
        long,
        value_name = "BITS",
        env = "BAREME_IPV6_PREFIX",
        default_value = "64",
        value_parser = clap::value_parser!(u8).range(48..=64)
    )]
    pub(crate) ipv6_prefix: u8,

    /// Answers assistants at `/mcp`, by the Model Context Protocol: the tools are the calculations
    /// of the first variant, with its keys, its quotas and its limits.
    #[cfg(feature = "mcp")]
    #[arg(long, env = "BAREME_MCP")]
    pub(crate) mcp: bool,

    /// Names of the service by which assistants call it, besides that of its documentation and
    /// those of the local machine. A call by another name is refused: it may come from a page that
    /// hides behind it.
    #[cfg(feature = "mcp")]
    #[arg(
        long,
        value_name = "HOST",
        env = "BAREME_MCP_HOST",
        value_delimiter = ',',
        requires = "mcp"
    )]
    pub(crate) mcp_host: Vec<String>,

    /// Address and port of the admin listener, with metrics and probes; none by default. Callers
    /// must not be able to reach it.
    #[arg(long, value_name = "ADDRESS", env = "BAREME_ADMIN")]
    pub(crate) admin: Option<SocketAddr>,

    /// Which listeners answer the probes, `/livez` and `/readyz`: both, or the admin listener
    /// alone, where nothing in front of the service hides them.
    #[arg(
        long,
        value_name = "WHERE",
        env = "BAREME_PROBES",
        value_enum,
        default_value_t = Probes::Everywhere,
        requires_if("admin", "admin")
    )]
    pub(crate) probes: Probes,

    /// The mail server of the keys that are bought and of the notices before a key ends.
    #[command(flatten)]
    pub(crate) mail: MailFlags,

    /// Address and port of the listener for the events of the payment provider, `POST /stripe`;
    /// none by default. The web server in front passes them on.
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "BAREME_PAYMENTS",
        requires = "mail_server"
    )]
    pub(crate) payments: Option<SocketAddr>,

    /// File with the secret that the payment provider signs its events with. Several secrets,
    /// separated by line ends, are all valid.
    #[arg(
        long,
        value_name = "FILE",
        env = "BAREME_PAYMENT_SECRET_FILE",
        requires = "payments"
    )]
    pub(crate) payment_secret_file: Option<PathBuf>,

    /// The secret itself; a file is safer.
    #[arg(
        long,
        value_name = "SECRET",
        env = "BAREME_PAYMENT_SECRET",
        hide_env_values = true,
        conflicts_with = "payment_secret_file",
        requires = "payments"
    )]
    pub(crate) payment_secret: Option<String>,

    /// The keys of receipts.
    #[command(flatten)]
    pub(crate) signing: SigningFlags,

    /// Folder for backups of a store in a file: they are made while the service runs, opened and
    /// checked. A list of the keys beside them, `bareme-keys.json`, is at most some seconds old: a
    /// restore is reconciled with it.
    #[arg(long, value_name = "FOLDER", env = "BAREME_BACKUP_DIR")]
    pub(crate) backup_dir: Option<PathBuf>,

    /// Time between two backups, `24h` or `30m`.
    #[arg(
        long,
        value_name = "TIME",
        env = "BAREME_BACKUP_EVERY",
        default_value = "24h",
        value_parser = period
    )]
    pub(crate) backup_every: Duration,

    /// How many backups are kept; the oldest are removed.
    #[arg(long, value_name = "COUNT", env = "BAREME_BACKUP_KEEP", default_value = "7",
          value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) backup_keep: u16,

    /// Level of the log (off, error, warn, info, debug, trace), or a filter such as
    /// `info,access=off`.
    #[arg(
        long,
        value_name = "FILTER",
        env = "BAREME_LOG",
        default_value = "info"
    )]
    pub(crate) log: String,

    /// Log format; by default text on a terminal and JSON elsewhere.
    #[arg(long, value_name = "FORMAT", env = "BAREME_LOG_FORMAT")]
    pub(crate) log_format: Option<LogFormat>,

    /// Connection limit; each takes 130 KB at worst. One address may hold a quarter. When all are
    /// taken, a new connection is refused.
    #[arg(long, value_name = "COUNT", env = "BAREME_CONNECTIONS", default_value = "4096",
          value_parser = clap::value_parser!(u32).range(4..=1_000_000))]
    pub(crate) connections: u32,

    /// Seconds between the start of a stop (`/readyz` answers 503) and the closing of the port, for
    /// load balancers to notice.
    #[arg(
        long,
        value_name = "SECONDS",
        env = "BAREME_DRAIN",
        default_value = "3",
        value_parser = seconds
    )]
    pub(crate) drain: Duration,
}

impl Flags {
    /// Parses the command line and the environment; exits on a mistake.
    pub fn read() -> Self {
        Self::try_parse().unwrap_or_else(|error| without_secrets(error).exit())
    }

    /// The location of the store.
    ///
    /// # Errors
    /// The file with the address cannot be read, or holds none.
    pub(crate) fn store(&self) -> Result<Location, Unavailable> {
        let Some(file) = &self.store_file else {
            return Ok(self.store.clone());
        };
        let failed = |reason: String| Unavailable(format!("`{}`: {reason}", file.display()));
        read_secret(file)
            .map_err(|error| failed(error.to_string()))?
            .parse()
            .map_err(failed)
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Issue, list, replace and revoke keys, whether the service is running or not.
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Compare the payment provider's subscriptions with the keys.
    #[command(subcommand)]
    Payments(PaymentsCommand),
    /// Write the kept rule sets into folders, whether the service is running or not.
    #[command(subcommand)]
    Rules(RulesCommand),
    /// Back up a store in a file, whether the service is running or not. The backup is opened and
    /// checked.
    Backup {
        /// A file that does not exist, or a folder, in which the name of the backup says when it
        /// was made.
        #[arg(long, value_name = "PATH")]
        to: PathBuf,
    },
}

/// Where the probes are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Probes {
    /// By both listeners.
    Everywhere,
    /// By the admin listener alone.
    Admin,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: u16 = text
        .parse()
        .map_err(|_| "a whole number of seconds is expected".to_owned())?;
    Ok(Duration::from_secs(seconds.into()))
}

/// Parses a duration of a second or more.
fn period(text: &str) -> Result<Duration, String> {
    // `24h` and `30m`, as jiff writes them.
    let period = text
        .parse::<SignedDuration>()
        .ok()
        .and_then(|period| Duration::try_from(period).ok());
    period
        .filter(|period| period.as_secs() > 0)
        .ok_or_else(|| "a time such as `24h` or `30m` is expected".to_owned())
}

/// Parses a network of proxies, or a single address.
fn network(text: &str) -> Result<IpNet, String> {
    let address = |text: &str| text.parse::<IpAddr>().ok().map(IpNet::from);
    let network: Option<IpNet> = text.trim().parse().ok().or_else(|| address(text.trim()));
    let network = network
        .ok_or_else(|| "an address or a network such as `10.0.0.0/8` is expected".to_owned())?;

    // Networks of proxies alone are no wider: `10.0.0.0/8`, and the block of one provider.
    let widest = match network {
        IpNet::V4(_) => 8,
        IpNet::V6(_) => 16,
    };
    if network.prefix_len() < widest {
        return Err(format!(
            "a network this wide holds callers, who would be believed about their address: \
             name the proxies, /{widest} at the widest"
        ));
    }
    Ok(network)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Flags::command().debug_assert();
    }

    #[test]
    fn the_defaults_serve_on_the_local_machine() {
        let flags = Flags::parse_from(["bareme-server"]);
        assert_eq!(flags.listen.to_string(), "127.0.0.1:8080");
        assert_eq!(flags.rules, PathBuf::from("rules"));
        assert_eq!(flags.drain, Duration::from_secs(3));
        assert_eq!(flags.store, Location::Sqlite("bareme.db".into()));
        assert!(flags.command.is_none() && flags.trusted_proxy.is_empty());
    }

    #[test]
    fn proxies_are_networks_or_addresses() {
        let read = |text| Flags::try_parse_from(["bareme-server", "--trusted-proxy", text]);
        let proxies = read("10.0.0.0/8, 192.0.2.1,2001:db8::/32")
            .unwrap()
            .trusted_proxy;
        assert_eq!(
            proxies.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["10.0.0.0/8", "192.0.2.1/32", "2001:db8::/32"]
        );
        assert!(read("proxy.example").is_err() && read("10.0.0.0/33").is_err());
        for wide in ["0.0.0.0/0", "::/0", "10.0.0.0/7", "2000::/3"] {
            assert!(
                read(wide)
                    .unwrap_err()
                    .to_string()
                    .contains("holds callers"),
                "{wide}"
            );
        }
        assert!(Flags::try_parse_from(["bareme-server", "--ipv6-prefix", "65"]).is_err());
    }

    #[test]
    fn the_store_is_given_before_or_after_the_command() {
        for arguments in [
            [
                "bareme-server",
                "--store",
                "sqlite:other.db",
                "keys",
                "list",
            ],
            [
                "bareme-server",
                "keys",
                "list",
                "--store",
                "sqlite:other.db",
            ],
        ] {
            let flags = Flags::parse_from(arguments);
            assert_eq!(flags.store, Location::Sqlite("other.db".into()));
            assert!(matches!(
                flags.command,
                Some(Command::Keys(KeysCommand::List { .. }))
            ));
        }
    }

    #[test]
    fn the_store_may_be_given_by_a_file() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("store");
        std::fs::write(&file, "postgres://u:hunter2@h/d\n").unwrap();
        let read =
            || Flags::parse_from(["bareme-server", "--store-file", file.to_str().unwrap()]).store();
        assert_eq!(
            read().unwrap(),
            Location::Postgres("postgres://u:hunter2@h/d".to_owned())
        );
        std::fs::write(&file, "hunter2").unwrap();
        let refused = read().unwrap_err().0;
        assert!(
            !refused.contains("hunter2") && refused.contains("is expected"),
            "{refused}"
        );
        let both = [
            "bareme-server",
            "--store",
            "sqlite:a.db",
            "--store-file",
            file.to_str().unwrap(),
        ];
        assert!(Flags::try_parse_from(both).is_err());
    }

    #[test]
    fn probes_are_left_to_an_admin_listener_that_is_open() {
        assert!(Flags::try_parse_from(["bareme-server", "--probes", "admin"]).is_err());
        let both = [
            "bareme-server",
            "--probes",
            "admin",
            "--admin",
            "127.0.0.1:0",
        ];
        assert_eq!(Flags::parse_from(both).probes, Probes::Admin);
    }

    #[test]
    fn a_date_that_does_not_exist_is_refused() {
        assert!(Flags::try_parse_from(["bareme-server", "--date", "2026-02-30"]).is_err());
    }
}
