//! The command line. Each flag can also be given by an environment variable, for containers.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};
use hyper::header::HeaderName;
use ipnet::IpNet;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::access::command::{KeysCommand, MailFlags};
use crate::access::store::Location;

/// Answers tax and payroll questions over HTTP from dated scale files.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Flags {
    /// A command other than serving.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// Address and port to listen on; with port 0 a free one is chosen and logged. A socket that is handed over
    /// (`LISTEN_FDS`, as by a socket unit of systemd) takes its place.
    #[arg(long, value_name = "ADDRESS", env = "BAREME_LISTEN", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,

    /// Folder of the rules. It is watched: changes come into force while the server runs.
    #[arg(long, value_name = "FOLDER", env = "BAREME_RULES", default_value = "rules", global = true)]
    pub(crate) rules: PathBuf,

    /// Folder with the operator's own texts of the site, Markdown: `conditions.md`, `confidentialite.md`,
    /// `mentions-legales.md`. For those that are missing general ones are shown.
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
    pub(crate) store: Location,

    /// Addresses or networks of the proxies whose client address is trusted.
    #[arg(long, value_name = "NETWORK", env = "BAREME_TRUSTED_PROXY", value_delimiter = ',', value_parser = network)]
    pub(crate) trusted_proxy: Vec<IpNet>,

    /// The header field in which they send it: `forwarded`, or any that lists addresses.
    #[arg(long, value_name = "FIELD", env = "BAREME_PROXY_FIELD", default_value = "x-forwarded-for")]
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

    /// Address and port of the admin listener, with metrics and probes; none by default. Callers must not be
    /// able to reach it.
    #[arg(long, value_name = "ADDRESS", env = "BAREME_ADMIN")]
    pub(crate) admin: Option<SocketAddr>,

    /// The mail server of the keys that are bought and of the notices before a key ends.
    #[command(flatten)]
    pub(crate) mail: MailFlags,

    /// File with the secret that the payment provider signs its events with; its events come to the admin listener,
    /// `POST /stripe`. Several secrets, separated by line ends, are all valid.
    #[arg(long, value_name = "FILE", env = "BAREME_PAYMENT_SECRET_FILE", requires_all = ["admin", "smtp"])]
    pub(crate) payment_secret_file: Option<PathBuf>,

    /// The secret itself; a file is safer.
    #[arg(long, value_name = "SECRET", env = "BAREME_PAYMENT_SECRET", hide_env_values = true,
          conflicts_with = "payment_secret_file", requires_all = ["admin", "smtp"])]
    pub(crate) payment_secret: Option<String>,

    /// What to log: off, error, warn, info, debug, trace, or a filter such as `info,access=off`.
    #[arg(long, value_name = "FILTER", env = "BAREME_LOG", default_value = "info")]
    pub(crate) log: String,

    /// Log format; by default text on a terminal and JSON elsewhere.
    #[arg(long, value_name = "FORMAT", env = "BAREME_LOG_FORMAT")]
    pub(crate) log_format: Option<LogFormat>,

    /// Connection limit; each takes 130 KB at worst. One address may hold a quarter. When all are taken, a
    /// new connection displaces an idle one, or is refused.
    #[arg(long, value_name = "COUNT", env = "BAREME_CONNECTIONS", default_value = "4096",
          value_parser = clap::value_parser!(u32).range(4..=1_000_000))]
    pub(crate) connections: u32,

    /// Seconds between the start of a stop (`/readyz` answers 503) and the closing of the port, for load
    /// balancers to notice.
    #[arg(long, value_name = "SECONDS", env = "BAREME_DRAIN", default_value = "3", value_parser = seconds)]
    pub(crate) drain: Duration,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Issue, list, replace and revoke keys, whether the service is running or not.
    #[command(subcommand)]
    Keys(KeysCommand),
}

/// The format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// One JSON object a line.
    Json,
    /// Human-readable text.
    Text,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: u16 = text.parse().map_err(|_| "a whole number of seconds is expected".to_owned())?;
    Ok(Duration::from_secs(seconds.into()))
}

/// A network, or one address.
fn network(text: &str) -> Result<IpNet, String> {
    let address = |text: &str| text.parse::<IpAddr>().ok().map(IpNet::from);
    let network = text.trim().parse().ok().or_else(|| address(text.trim()));
    network.ok_or_else(|| "an address or a network such as `10.0.0.0/8` is expected".to_owned())
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
        let proxies = read("10.0.0.0/8, 192.0.2.1,2001:db8::/32").unwrap().trusted_proxy;
        assert_eq!(
            proxies.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["10.0.0.0/8", "192.0.2.1/32", "2001:db8::/32"]
        );
        assert!(read("proxy.example").is_err() && read("10.0.0.0/33").is_err());
        assert!(Flags::try_parse_from(["bareme-server", "--ipv6-prefix", "65"]).is_err());
    }

    #[test]
    fn the_store_is_told_before_or_after_the_command() {
        for arguments in [
            ["bareme-server", "--store", "sqlite:other.db", "keys", "list"],
            ["bareme-server", "keys", "list", "--store", "sqlite:other.db"],
        ] {
            let flags = Flags::parse_from(arguments);
            assert_eq!(flags.store, Location::Sqlite("other.db".into()));
            assert!(matches!(flags.command, Some(Command::Keys(KeysCommand::List { .. }))));
        }
    }

    #[test]
    fn a_date_that_does_not_exist_is_refused() {
        assert!(Flags::try_parse_from(["bareme-server", "--date", "2026-02-30"]).is_err());
    }
}
