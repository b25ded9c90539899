//! Metrics of the service, for Prometheus.
//!
//! Counters are incremented where events happen; the current state (rules in force, health of the
//! store) is read when metrics are scraped. [`table`] has a row for each metric.

pub(crate) mod exposition;
mod memory;
mod table;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use bareme_accounts::payment;
use bareme_accounts::payment::case::{Case, CaseKind};
use bareme_api::wire::problem::kinds::{self, Kind};
use bareme_api::wire::reply::Reply;
use bareme_api::work::Payer;
use jiff::Timestamp;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;

/// The route label of unknown paths: callers can make these up, and each would be a series.
const NO_ROUTE: &str = "none";

/// Upper bounds of the histogram of response times, in seconds: a calculation takes microseconds, a
/// wait for the store milliseconds, and a request times out after a second.
const SECONDS: [f64; 10] = [
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.005, 0.025, 0.1, 0.5, 1.0,
];

/// Upper bounds of the histogram of delayed writes, in seconds: a delayed acknowledgement takes 40
/// ms, and a caller that reads nothing is cut off after ten seconds.
const WRITE_SECONDS: [f64; 6] = [0.001, 0.01, 0.035, 0.1, 1.0, 10.0];

/// The counts since the service started.
#[derive(Debug)]
pub(crate) struct Metrics {
    started: Timestamp,
    requests: Family<RequestLabels, Histogram, fn() -> Histogram>,
    late_writes: Histogram,
    answers: AtomicU64,
    /// Answers with a status from 500 on.
    failed_answers: AtomicU64,
    problems: Family<Label, Counter>,
    calls: Family<[(&'static str, String); 2], Counter>,
    work: Family<Label, Counter>,
    /// The series of `work`, in the order of [`PAYERS`].
    charged: [Counter; 2],
    payment_events: Family<Label, Counter>,
    deliveries: Family<Label, Counter>,
    undelivered_keys: AtomicI64,
    open_cases: Family<Label, Gauge>,
    notices: Family<Label, Counter>,
    corrections: Family<Label, Counter>,
    backups: Family<Label, Counter>,
    /// Seconds between two backups, if the service makes any.
    backup_period: OnceLock<i64>,
    /// When the last successful backup was made; 0 if there is none.
    last_backup: AtomicI64,
}

/// Numbers of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Answers {
    pub all: u64,
    /// Those that failed by a fault of the service.
    pub failed: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: String,
    status: u16,
}

/// The one label of a series, by its name.
pub(crate) type Label = [(&'static str, &'static str); 1];

/// Outcomes of a notice or a backup: success and failure.
const NOTICED: [&str; 2] = ["sent", "failed"];
const BACKED_UP: [&str; 2] = ["made", "failed"];

/// Who work is charged to.
const PAYERS: [&str; 2] = ["customer", "address"];

/// Series by one label, all there from the start: the first event is then seen as a rise.
fn series<M: Default>(
    label: &'static str,
    values: impl IntoIterator<Item = &'static str>,
) -> Family<Label, M> {
    let family = Family::<Label, M>::default();
    for value in values {
        drop(family.get_or_create(&[(label, value)]));
    }
    family
}

/// Counts one more.
fn count(family: &Family<Label, Counter>, [well, badly]: [&'static str; 2], is_well: bool) {
    family
        .get_or_create(&[("outcome", if is_well { well } else { badly })])
        .inc();
}

impl Default for Metrics {
    fn default() -> Self {
        let work = series::<Counter>("payer", PAYERS);
        // Charged for every call: the series are looked up once.
        let charged = PAYERS.map(|payer| work.get_or_create(&[("payer", payer)]).clone());
        Self {
            started: Timestamp::now(),
            requests: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            late_writes: Histogram::new(WRITE_SECONDS),
            answers: AtomicU64::default(),
            failed_answers: AtomicU64::default(),
            problems: series(
                "code",
                kinds::ALL
                    .into_iter()
                    .chain(kinds::SITE)
                    .map(|kind| kind.code),
            ),
            calls: Family::default(),
            work,
            charged,
            payment_events: series("result", payment::RESULTS),
            deliveries: series("outcome", NOTICED),
            undelivered_keys: AtomicI64::default(),
            open_cases: series("kind", CaseKind::ALL.map(CaseKind::name)),
            notices: series("outcome", NOTICED),
            corrections: series("outcome", NOTICED),
            backups: series("outcome", BACKED_UP),
            backup_period: OnceLock::new(),
            last_backup: AtomicI64::default(),
        }
    }
}

impl Metrics {
    /// Counts a request that was answered, before its reply is written.
    pub(crate) fn answered(&self, route: Option<&str>, reply: &Reply, took: Duration) {
        let request = RequestLabels {
            route: route.unwrap_or(NO_ROUTE).to_owned(),
            status: reply.status().as_u16(),
        };
        self.answers.fetch_add(1, Ordering::Relaxed);
        if reply.status().is_server_error() {
            self.failed_answers.fetch_add(1, Ordering::Relaxed);
        }
        self.requests
            .get_or_create(&request)
            .observe(took.as_secs_f64());
    }

    /// The answers since the service started.
    pub(crate) fn answers(&self) -> Answers {
        Answers {
            all: self.answers.load(Ordering::Relaxed),
            failed: self.failed_answers.load(Ordering::Relaxed),
        }
    }

    /// Records a reply that could not be written at once.
    pub(crate) fn written_late(&self, took: Duration) {
        self.late_writes.observe(took.as_secs_f64());
    }

    /// Counts a refused request or connection.
    pub(crate) fn refused(&self, kind: &Kind) {
        self.problems.get_or_create(&[("code", kind.code)]).inc();
    }

    /// Counts charged calls of a plan.
    pub(crate) fn called(&self, variant: &str, plan: &str, calls: u32) {
        let labels = [("variant", variant.to_owned()), ("plan", plan.to_owned())];
        self.calls.get_or_create(&labels).inc_by(calls.into());
    }

    /// Counts work that was charged to a budget, in ordinary calls.
    pub(crate) fn worked(&self, payer: Payer, calls: u32) {
        let [customers, addresses] = &self.charged;
        let charged = if payer.is_customer() {
            customers
        } else {
            addresses
        };
        charged.inc_by(calls.into());
    }

    /// Counts an answered event of the payment provider.
    pub(crate) fn payment_event(&self, result: &'static str) {
        self.payment_events
            .get_or_create(&[("result", result)])
            .inc();
    }

    /// Counts a purchased key that was sent, or could not be.
    pub(crate) fn delivered(&self, sent: bool) {
        count(&self.deliveries, NOTICED, sent);
    }

    /// Sets the number of purchased keys that are not delivered.
    pub(crate) fn undelivered_keys(&self, count: usize) {
        self.undelivered_keys
            .store(i64::try_from(count).unwrap_or(i64::MAX), Ordering::Relaxed);
    }

    /// Sets the open cases of payments.
    pub(crate) fn open_cases(&self, cases: &[Case]) {
        for kind in CaseKind::ALL {
            let count = cases.iter().filter(|case| case.kind == kind).count();

            // Set to 0 for a kind without cases: left as it was, it would go on alerting.
            let gauge = self.open_cases.get_or_create(&[("kind", kind.name())]);
            gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
        }
    }

    /// Counts an announced end of a key, or a failure to announce it.
    pub(crate) fn announced(&self, sent: bool) {
        count(&self.notices, NOTICED, sent);
    }

    /// Counts an e-mail about corrections that was sent, or could not be.
    #[cfg(feature = "site")]
    pub(crate) fn wrote_of_correction(&self, sent: bool) {
        count(&self.corrections, NOTICED, sent);
    }

    /// Sets the interval of the backups, and when the last one was made.
    pub(crate) fn backs_up(&self, period: Duration, last: Option<Timestamp>) {
        self.backup_period
            .get_or_init(|| i64::try_from(period.as_secs()).unwrap_or(i64::MAX));
        self.last_backup
            .store(last.map_or(0, Timestamp::as_second), Ordering::Relaxed);
    }

    /// Counts a backup, or its failure.
    pub(crate) fn backed_up(&self, made: Option<Timestamp>) {
        count(&self.backups, BACKED_UP, made.is_some());
        if let Some(made) = made {
            self.last_backup.store(made.as_second(), Ordering::Relaxed);
        }
    }

    /// The interval of the backups in seconds, and when the last one was made, if the service makes
    /// any.
    fn backup(&self) -> Option<(i64, i64)> {
        self.backup_period
            .get()
            .map(|period| (*period, self.last_backup.load(Ordering::Relaxed)))
    }
}
