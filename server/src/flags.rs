//! The command line. Each flag can also be given by an environment variable, for containers.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};
use hyper::header::HeaderName;
use ipnet::IpNet;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::access::command::KeysCommand;
use crate::access::store::Location;

/// Answers tax and payroll questions over HTTP from dated scale files.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Flags {
    /// Something else to do than to serve.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Address and port to listen on; port 0 takes a free one, which the log tells.
    #[arg(long, value_name = "ADDRESS", env = "BAREME_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,

    /// Folder of the rules. It is watched: a change comes into force while the server runs.
    #[arg(long, value_name = "FOLDER", env = "BAREME_RULES", default_value = "rules", global = true)]
    pub rules: PathBuf,

    /// Day (YYYY-MM-DD) taken as today where a call gives no date; the real day by default.
    #[arg(long, value_name = "DATE", env = "BAREME_DATE")]
    pub date: Option<Date>,

    /// Moment (2026-12-31T23:59:50Z) that the clock is set to when the service starts, for tests and
    /// demonstrations; it runs on from there.
    #[arg(long, value_name = "MOMENT", env = "BAREME_CLOCK")]
    pub clock: Option<Timestamp>,

    /// Where keys and counts are kept: `sqlite:<file>`, for one node, or `postgres://…`, for several.
    /// The certificate of a database is checked; `?sslmode=disable` goes without TLS.
    #[arg(
        long,
        value_name = "STORE",
        env = "BAREME_STORE",
        hide_env_values = true,
        default_value = "sqlite:bareme.db",
        global = true
    )]
    pub store: Location,

    /// Proxies, by address or network, that are believed when they tell whom they speak for.
    #[arg(long, value_name = "NETWORK", env = "BAREME_TRUSTED_PROXY", value_delimiter = ',', value_parser = network)]
    pub trusted_proxy: Vec<IpNet>,

    /// The one field in which they tell it: `forwarded`, or any that lists addresses.
    #[arg(long, value_name = "FIELD", env = "BAREME_PROXY_FIELD", default_value = "x-forwarded-for")]
    pub proxy_field: HeaderName,

    /// Bits of an IPv6 address that tell one caller without a key from another.
    #[arg(
        long,
        value_name = "BITS",
        env = "BAREME_IPV6_PREFIX",
        default_value = "64",
        value_parser = clap::value_parser!(u8).range(48..=64)
    )]
    pub ipv6_prefix: u8,

    /// Address and port of a second door, for metrics and probes only; none by default. No caller
    /// should reach it.
    #[arg(long, value_name = "ADDRESS", env = "BAREME_ADMIN")]
    pub admin: Option<SocketAddr>,

    /// What to log: off, error, warn, info, debug, trace, or a filter such as `info,access=off`.
    #[arg(long, value_name = "FILTER", env = "BAREME_LOG", default_value = "info")]
    pub log: String,

    /// How to log; by default text on a terminal and JSON elsewhere.
    #[arg(long, value_name = "FORMAT", env = "BAREME_LOG_FORMAT")]
    pub log_format: Option<LogFormat>,

    /// Most connections at once, 130 KB each at the worst. One address may hold a quarter. When all are
    /// taken, the next displaces one that does nothing, or is told to come back.
    #[arg(long, value_name = "COUNT", env = "BAREME_CONNECTIONS", default_value = "4096",
          value_parser = clap::value_parser!(u32).range(4..=1_000_000))]
    pub connections: u32,

    /// Seconds between the first sign of a stop (`/readyz` says 503) and the closing of the port,
    /// for a load balancer to notice.
    #[arg(long, value_name = "SECONDS", env = "BAREME_DRAIN", default_value = "3", value_parser = seconds)]
    pub drain: Duration,
}

/// What else the program does.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Gives, lists, replaces and takes back keys, beside a service that runs or not.
    #[command(subcommand)]
    Keys(KeysCommand),
}

/// The shape of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// One JSON object a line.
    Json,
    /// For a person.
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
