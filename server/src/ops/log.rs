//! Structured logs on the standard error: one event for each request, and the events of the
//! service.
//!
//! Neither the query, which contains somebody's pay, nor a key, nor an address is ever logged.

use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::sync::OnceLock;
use std::time::Duration;

use bareme_api::wire::headers::RequestContext;
use bareme_api::wire::reply::Reply;
use clap::ValueEnum;
use hyper::http::request::Parts;
use jiff::Timestamp;
use serde::{Serialize, Serializer};
use tracing::Level;
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;
use uuid::Uuid;

/// Greatest length of a logged method: callers can make up methods with any content.
const MAX_METHOD_LENGTH: usize = 16;

/// Usual length of a line.
const LINE: usize = 320;

/// Lines waiting to be written, at most: about a megabyte. Further lines are dropped and counted,
/// rather than requests delayed.
const MAX_WAITING: usize = 4096;

/// Size of the write buffer in bytes.
const BUFFER: usize = 64 * 1024;

/// Pause after the waiting lines were written, so that the next ones are written together, and no
/// request wakes the thread meanwhile.
const PAUSE: Duration = Duration::from_millis(5);

/// The format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// One JSON object on each line.
    Json,
    /// Human-readable text.
    Text,
}

/// The format of the lines, once the log is installed.
static FORMAT: OnceLock<LogFormat> = OnceLock::new();

/// The writer of lines, once the log is installed. It has its own thread, so that no request waits
/// for the reader of the log.
static WRITER: OnceLock<NonBlocking> = OnceLock::new();

/// Number of lines dropped since the start.
pub(crate) fn dropped() -> u64 {
    WRITER
        .get()
        .map_or(0, |writer| writer.error_counter().dropped_lines() as u64)
}

/// Installs the log for the whole process, panics included. It is flushed when the returned guard
/// is dropped.
pub(crate) fn start(filter: &str, format: Option<LogFormat>) -> Result<WorkerGuard, String> {
    // The file watcher warns of each folder deleted before it was unwatched, and the database that
    // its tables exist: neither matters.
    let filter = EnvFilter::try_new(format!("notify=error,tokio_postgres=warn,{filter}"))
        .map_err(|error| error.to_string())?;

    // 1. The lines go through a thread of their own.
    let terminal = io::stderr().is_terminal();
    let builder = NonBlockingBuilder::default()
        .buffered_lines_limit(MAX_WAITING)
        .lossy(true)
        .thread_name("log");
    let (writer, guard) = builder.finish(Paced(BufWriter::with_capacity(BUFFER, io::stderr())));
    WRITER.get_or_init(|| writer.clone());

    // 2. Their format: text for a person at a terminal, JSON for a program.
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(move || writer.clone())
        .with_ansi(terminal);
    let format = *FORMAT.get_or_init(|| {
        format.unwrap_or(if terminal {
            LogFormat::Text
        } else {
            LogFormat::Json
        })
    });

    let installed = match format {
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
        LogFormat::Text => builder.try_init(),
    };
    installed.map_err(|error| error.to_string())?;

    // 3. A panic is a line as well, without what it may contain besides its message.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        tracing::error!(place, message = panic.payload_as_str().unwrap_or("panic"));
    }));
    Ok(guard)
}

/// A writer that pauses once everything is written, which its thread signals by a flush.
struct Paced<W>(W);

impl<W: Write> Write for Paced<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()?;
        std::thread::sleep(PAUSE);
        Ok(())
    }
}

/// The log line of a request.
#[derive(Serialize)]
struct Call<'a> {
    #[serde(serialize_with = "micros")]
    timestamp: Timestamp,
    level: &'static str,
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    status: u16,
    micros: u64,
    target: &'static str,
}

/// Writes one line for a request. An unknown path is not logged, since it could contain anything,
/// such as a key or a name. `key` is the id of the caller's key.
pub(crate) fn request(
    request: &Parts,
    context: &RequestContext,
    route: Option<&str>,
    key: Option<Uuid>,
    reply: &Reply,
    took: Duration,
) {
    // A filter may leave these lines out, and their cost with them.
    if !tracing::enabled!(target: "access", Level::INFO) {
        return;
    }

    let (mut id, mut of_key) = (Uuid::encode_buffer(), Uuid::encode_buffer());
    // A method that a caller made up may hold anything, a key included.
    let call = Call {
        timestamp: Timestamp::now(),
        level: "INFO",
        id: context.id.hyphenated().encode_lower(&mut id),
        trace: context.trace.as_deref(),
        client_id: context.client_id.as_deref(),
        method: Some(request.method.as_str()).filter(|method| method.len() <= MAX_METHOD_LENGTH),
        path: route,
        key: key.map(|key| &*key.hyphenated().encode_lower(&mut of_key)),
        status: reply.status().as_u16(),
        micros: u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        target: "access",
    };

    // JSON is written here; text, for a terminal, goes the usual way.
    match FORMAT.get() {
        Some(LogFormat::Json) => call.write(),
        _ => {
            let Call {
                id,
                trace,
                client_id,
                method,
                path,
                key,
                status,
                micros,
                ..
            } = call;
            let key = key.map(tracing::field::display);
            tracing::info!(
                target: "access",
                %id,
                trace,
                client_id,
                method,
                path,
                key,
                status,
                micros
            );
        }
    }
}

fn micros<S: Serializer>(timestamp: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{timestamp:.6}"))
}

impl Call<'_> {
    /// Formats as `tracing` would, in a third of the time: there is one line for each call.
    fn write(&self) {
        let mut line = Vec::with_capacity(LINE);
        if serde_json::to_writer(&mut line, self).is_ok() {
            line.push(b'\n');
            if let Some(writer) = WRITER.get() {
                // Never fails: a line without room is counted.
                drop(writer.clone().write_all(&line));
            }
        }
    }
}
