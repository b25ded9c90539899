//! Structured logs on the standard error: one event a request, and the events of the service.
//!
//! Neither the query, which holds somebody's pay, nor a key, nor an address is ever logged.

mod lines;

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use hyper::http::request::Parts;
use tracing_subscriber::EnvFilter;

use crate::Failure;
use crate::flags::LogFormat;
use crate::headers::Arrival;
use crate::reply::Reply;
use lines::Lines;

pub use lines::{Writing, lost};

/// Longest method that is told: those that callers make up may hold anything too.
const LONGEST_METHOD: usize = 16;

/// Installs the log for the whole process, panics included. It is written as long as what this returns
/// is kept.
pub fn start(filter: &str, format: Option<LogFormat>) -> Result<Writing, Failure> {
    // The watch warns of each folder that was deleted before it was let go, which is no news.
    let filter =
        EnvFilter::try_new(format!("notify=error,{filter}")).map_err(|error| Failure::Log(error.to_string()))?;
    let terminal = io::stderr().is_terminal();
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(|| Lines).with_ansi(terminal);
    let installed = match format.unwrap_or(if terminal { LogFormat::Text } else { LogFormat::Json }) {
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
        LogFormat::Text => builder.try_init(),
    };
    installed.map_err(|error| Failure::Log(error.to_string()))?;
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, message = panic.payload_as_str().unwrap_or("panic"));
    }));
    Ok(Writing::start()?)
}

/// One line a request. A path that does not exist is not told: it may hold anything, a key or a name.
pub fn request(request: &Parts, arrival: &Arrival, route: Option<&str>, reply: &Reply, took: Duration) {
    tracing::info!(
        target: "access",
        id = %arrival.id,
        trace = arrival.trace.as_deref(),
        client_id = arrival.client_id.as_deref(),
        method = Some(request.method.as_str()).filter(|method| method.len() <= LONGEST_METHOD),
        path = route,
        status = reply.status().as_u16(),
        micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
    );
}
