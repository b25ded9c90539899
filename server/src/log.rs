//! Structured logs on the standard error: one event a request, and the events of the service.
//!
//! The query is never logged: it holds somebody's pay.

use std::io::{self, IsTerminal as _};
use std::time::Instant;

use hyper::http::request::Parts;
use tracing_subscriber::EnvFilter;

use crate::Failure;
use crate::flags::LogFormat;
use crate::headers::Arrival;
use crate::reply::Reply;

/// Longest path written in a log line.
const LONGEST_PATH: usize = 200;

/// Installs the log for the whole process, panics included.
pub fn start(filter: &str, format: Option<LogFormat>) -> Result<(), Failure> {
    // The watch warns of each folder that was deleted before it was let go, which is no news.
    let filter =
        EnvFilter::try_new(format!("notify=error,{filter}")).map_err(|error| Failure::Log(error.to_string()))?;
    let terminal = io::stderr().is_terminal();
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).with_ansi(terminal);
    let installed = match format.unwrap_or(if terminal { LogFormat::Text } else { LogFormat::Json }) {
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
        LogFormat::Text => builder.try_init(),
    };
    installed.map_err(|error| Failure::Log(error.to_string()))?;
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, message = panic.payload_as_str().unwrap_or("panic"));
    }));
    Ok(())
}

/// One line a request.
pub fn request(request: &Parts, arrival: &Arrival, reply: &Reply, started: Instant) {
    let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    let path = request.uri.path();
    let path = path.get(..path.floor_char_boundary(LONGEST_PATH)).unwrap_or(path);
    tracing::info!(
        target: "access",
        id = %arrival.id,
        trace = arrival.trace.as_deref(),
        client_id = arrival.client_id.as_deref(),
        method = %request.method,
        path,
        status = reply.status().as_u16(),
        micros,
    );
}
