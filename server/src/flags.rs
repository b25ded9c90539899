//! The command line. Each flag can also be given by an environment variable, for containers.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use jiff::civil::Date;

/// Answers tax and payroll questions over HTTP from dated scale files.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Flags {
    /// Address and port to listen on; port 0 takes a free one, which the log tells.
    #[arg(long, value_name = "ADDRESS", env = "BAREME_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,

    /// Folder of the rules. It is watched: a change comes into force while the server runs.
    #[arg(long, value_name = "FOLDER", env = "BAREME_RULES", default_value = "rules")]
    pub rules: PathBuf,

    /// Day (YYYY-MM-DD) taken as today where a call gives no date; the real day by default.
    #[arg(long, value_name = "DATE", env = "BAREME_DATE")]
    pub date: Option<Date>,

    /// What to log: off, error, warn, info, debug, trace, or a filter such as `info,access=off`.
    #[arg(long, value_name = "FILTER", env = "BAREME_LOG", default_value = "info")]
    pub log: String,

    /// How to log; by default text on a terminal and JSON elsewhere.
    #[arg(long, value_name = "FORMAT", env = "BAREME_LOG_FORMAT")]
    pub log_format: Option<LogFormat>,

    /// Most connections at once; the next ones wait. One address may hold a quarter of them.
    #[arg(long, value_name = "COUNT", env = "BAREME_CONNECTIONS", default_value = "4096",
          value_parser = clap::value_parser!(u32).range(4..=1_000_000))]
    pub connections: u32,

    /// Seconds between the first sign of a stop (`/readyz` says 503) and the closing of the port,
    /// for a load balancer to notice.
    #[arg(long, value_name = "SECONDS", env = "BAREME_DRAIN", default_value = "3", value_parser = seconds)]
    pub drain: Duration,
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
    }

    #[test]
    fn a_date_that_does_not_exist_is_refused() {
        assert!(Flags::try_parse_from(["bareme-server", "--date", "2026-02-30"]).is_err());
    }
}
