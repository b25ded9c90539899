//! What the service counts of itself, for Prometheus.
//!
//! Counters are cheap and are incremented where events happen; current state (the rules in force, the
//! health of the store) is read when metrics are scraped, in [`exposition`].

pub(crate) mod exposition;

use std::time::Duration;

use jiff::Timestamp;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use crate::http::problem::kinds::{self, Kind};
use crate::http::reply::Reply;
use crate::ops::log;

/// The route of requests to paths that do not exist: callers can make these up, and each would be a series.
const NO_ROUTE: &str = "none";

/// Bounds of the buckets of the time that an answer takes: a calculation takes microseconds, a wait
/// for the store milliseconds, and a request times out after a second.
const SECONDS: [f64; 10] = [0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.005, 0.025, 0.1, 0.5, 1.0];

/// The counts since the service started.
#[derive(Debug)]
pub(crate) struct Metrics {
    started: Timestamp,
    requests: Family<RequestLabels, Histogram, fn() -> Histogram>,
    problems: Family<ProblemLabels, Counter>,
    calls: Family<PlanLabels, Counter>,
    reloads: Family<ReloadLabels, Counter>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: String,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ProblemLabels {
    code: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PlanLabels {
    variant: String,
    plan: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReloadLabels {
    outcome: &'static str,
}

impl Default for Metrics {
    fn default() -> Self {
        let metrics = Self {
            started: Timestamp::now(),
            requests: Family::new_with_constructor(durations),
            problems: Family::default(),
            calls: Family::default(),
            reloads: Family::default(),
        };
        // A count that exists from the start is seen to rise with the first event.
        for kind in kinds::ALL.into_iter().chain(kinds::SITE) {
            drop(metrics.problems.get_or_create(&ProblemLabels { code: kind.code }));
        }
        for accepted in [true, false] {
            drop(metrics.reloads.get_or_create(&ReloadLabels::of(accepted)));
        }
        metrics
    }
}

impl Metrics {
    /// A request was answered.
    pub(crate) fn answered(&self, route: Option<&str>, reply: &Reply, took: Duration) {
        let request = RequestLabels { route: route.unwrap_or(NO_ROUTE).to_owned(), status: reply.status().as_u16() };
        self.requests.get_or_create(&request).observe(took.as_secs_f64());
    }

    /// Something was refused: a request, or a connection.
    pub(crate) fn refused(&self, kind: &Kind) {
        self.problems.get_or_create(&ProblemLabels { code: kind.code }).inc();
    }

    /// A call of a plan was charged.
    pub(crate) fn called(&self, variant: &str, plan: &str) {
        let labels = PlanLabels { variant: variant.to_owned(), plan: plan.to_owned() };
        self.calls.get_or_create(&labels).inc();
    }

    /// A rule set was read.
    pub(crate) fn reloaded(&self, accepted: bool) {
        self.reloads.get_or_create(&ReloadLabels::of(accepted)).inc();
    }

    /// Adds the counts to what Prometheus reads.
    fn register(&self, registry: &mut Registry) {
        registry.register_with_unit(
            "request_duration",
            "Time from a request's head to its answer",
            Unit::Seconds,
            self.requests.clone(),
        );
        registry.register("problems", "Requests and connections refused, by code of the error", self.problems.clone());
        registry.register("calls", "Calls charged, by variant and plan", self.calls.clone());
        let lost: Counter = Counter::default();
        lost.inc_by(log::dropped());
        registry.register("log_lines_lost", "Log lines dropped because the reader was too slow", lost);
        registry.register("reloads", "Rule sets read since the start, by what became of them", self.reloads.clone());
    }
}

fn durations() -> Histogram {
    Histogram::new(SECONDS)
}

impl ReloadLabels {
    fn of(accepted: bool) -> Self {
        Self { outcome: if accepted { "accepted" } else { "refused" } }
    }
}
