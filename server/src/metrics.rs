//! What the service counts of itself, for Prometheus.
//!
//! Counting is cheap and happens where things happen; whatever is merely true at the moment (the rules
//! in force, the state of the store) is looked up when it is asked for.

use std::time::Duration;

use bareme_engine::Folder;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use crate::log;
use crate::problem::kinds::{self, Kind};
use crate::reply::Reply;
use crate::shared::Shared;

/// Media type of what [`Metrics::text`] writes.
pub const MEDIA: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The route of requests to paths that do not exist: callers make these up, and each would be a series.
const NO_ROUTE: &str = "none";

/// Bounds of the buckets of the time that an answer takes: a calculation takes microseconds, a wait
/// for the store milliseconds, and after a second a request is given up.
const SECONDS: [f64; 10] = [0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.005, 0.025, 0.1, 0.5, 1.0];

/// The counts since the service started.
#[derive(Debug)]
pub struct Metrics {
    started: Timestamp,
    requests: Family<Request, Histogram, fn() -> Histogram>,
    problems: Family<Problem, Counter>,
    reloads: Family<Reload, Counter>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    route: String,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Problem {
    code: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Reload {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Scale {
    folder: String,
}

impl Default for Metrics {
    fn default() -> Self {
        let metrics = Self {
            started: Timestamp::now(),
            requests: Family::new_with_constructor(durations),
            problems: Family::default(),
            reloads: Family::default(),
        };
        // A count that exists from the start is seen to rise with the first event.
        for kind in kinds::ALL.into_iter().chain(kinds::FORM) {
            drop(metrics.problems.get_or_create(&Problem { code: kind.code }));
        }
        for accepted in [true, false] {
            drop(metrics.reloads.get_or_create(&Reload::of(accepted)));
        }
        metrics
    }
}

impl Metrics {
    /// A request was answered.
    pub fn answered(&self, route: Option<&str>, reply: &Reply, took: Duration) {
        let request = Request { route: route.unwrap_or(NO_ROUTE).to_owned(), status: reply.status().as_u16() };
        self.requests.get_or_create(&request).observe(took.as_secs_f64());
    }

    /// Something was refused: a request, or a connection.
    pub fn refused(&self, kind: &Kind) {
        self.problems.get_or_create(&Problem { code: kind.code }).inc();
    }

    /// A rule set was read.
    pub fn reloaded(&self, accepted: bool) {
        self.reloads.get_or_create(&Reload::of(accepted)).inc();
    }

    /// Everything, as Prometheus reads it.
    pub fn text(&self, shared: &Shared) -> String {
        let mut registry = Registry::with_prefix("bareme");
        self.add_counts(&mut registry);
        add_state(&mut registry, shared, self.started);
        let mut text = String::new();
        match text::encode(&mut text, &registry) {
            Ok(()) => text,
            // To write in a string never fails.
            Err(_) => String::new(),
        }
    }

    fn add_counts(&self, registry: &mut Registry) {
        registry.register_with_unit(
            "request_duration",
            "Time from a request's head to its answer",
            Unit::Seconds,
            self.requests.clone(),
        );
        registry.register("problems", "Requests and connections refused, by code of the error", self.problems.clone());
        let lost: Counter = Counter::default();
        lost.inc_by(log::lost());
        registry.register("log_lines_lost", "Log lines that nobody took in time", lost);
        registry.register("reloads", "Rule sets read since the start, by what became of them", self.reloads.clone());
    }
}

fn durations() -> Histogram {
    Histogram::new(SECONDS)
}

impl Reload {
    fn of(accepted: bool) -> Self {
        Self { outcome: if accepted { "accepted" } else { "refused" } }
    }
}

/// What is true now.
fn add_state(registry: &mut Registry, shared: &Shared, started: Timestamp) {
    let mut gauge = |name: &str, help: &str, value: i64| {
        let gauge: Gauge = Gauge::default();
        gauge.set(value);
        registry.register(name, help, gauge);
    };
    let outcome = shared.outcome();
    gauge("start_time_seconds", "When the service started", started.as_second());
    let connections = i64::try_from(shared.places.taken()).unwrap_or(i64::MAX);
    gauge("connections", "Connections that are open", connections);
    gauge("connections_limit", "Most connections at once", shared.places.total().into());
    gauge("ready", "1 when calls are answered and the service is not stopping", shared.is_ready().into());
    let store_away = shared.access.store().health().away_since();
    gauge("store_up", "1 when keys and counts can be read and written", store_away.is_none().into());
    let refused = !outcome.faults.is_empty();
    gauge("rules_refused", "1 when the files hold rules that were refused, and older ones serve", refused.into());
    gauge("rules_read_time_seconds", "When the files were last read", outcome.since.as_second());

    registry.register("build", "The program", Info::new([("version", env!("CARGO_PKG_VERSION"))]));
    if let Some(snapshot) = shared.snapshot() {
        let version = snapshot.rules.version().to_owned();
        registry.register("rules", "The rule set in force", Info::new([("version", version)]));
        registry.register_with_unit(
            "scale_known_until_time",
            "End of the last day for which a folder's last scale is known to hold",
            Unit::Seconds,
            known_until(snapshot.rules.folders()),
        );
    }
}

fn known_until<'f>(folders: impl Iterator<Item = &'f Folder>) -> Family<Scale, Gauge> {
    let family = Family::<Scale, Gauge>::default();
    for folder in folders {
        let scale = folder.latest().and_then(|edition| edition.scale());
        if let Some(end) = scale.and_then(|scale| end_of(scale.known_until)) {
            family.get_or_create(&Scale { folder: folder.path().to_owned() }).set(end.as_second());
        }
    }
    family
}

/// The first moment after a day.
fn end_of(day: Date) -> Option<Timestamp> {
    Some(day.tomorrow().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp())
}
