//! The table of metrics, used for the exposition, and to check the manual, the alerts and the
//! dashboard.

use std::sync::atomic::Ordering;

use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

use super::exposition::{Entry, end_of_last_scales, held_folders, last_check_of_scales, reloads};
use super::memory;
use crate::ops::log;
use crate::ops::status::Status;

/// Prefix of the names.
pub(super) const PREFIX: &str = "bareme";

pub(super) struct Metric {
    /// Its name after the prefix, as it is queried.
    pub name: &'static str,
    /// Meaning, and the labels of its series.
    pub help: &'static str,
    /// Source of its value.
    pub source: Source,
}

/// Source of the value of a metric when it is scraped.
pub(super) enum Source {
    /// A current state, if it is known.
    State(fn(Status<'_>) -> Option<i64>),
    /// Series that are updated by events, or made from the rules in force.
    Series(fn(Status<'_>, Entry<'_>)),
}

use Source::{Series, State};

/// Declares the metrics.
macro_rules! metrics {
    ($($name:literal $help:literal $source:expr;)*) => {
        /// All of them, in the order of the exposition and of the manual.
        pub(super) const METRICS: [Metric; [$($name),*].len()] =
            [$(Metric { name: $name, help: $help, source: $source }),*];
    };
}

metrics! {
    "request_duration_seconds"
    "Histogram, by route and status, of the time from a request's head to its answer, without the \
     writing of the answer; its count is that of the requests"
        Series(|status, entry| entry.add(status.metrics.requests.clone()));
    "late_write_duration_seconds"
    "Histogram of the time of writing the answers that the system did not take at once: they are \
     long, or their reader slow"
        Series(|status, entry| entry.add(status.metrics.late_writes.clone()));
    "problems_total"
    "Requests and connections refused, by code: quotas (quota_depasse), bad keys, bad parameters, \
     faults of the service"
        Series(|status, entry| entry.add(status.metrics.problems.clone()));
    "calls_total" "Calls charged, by variant and plan"
        Series(|status, entry| entry.add(status.metrics.calls.clone()));
    "work_total"
    "Work charged to the budgets of callers, in ordinary calls, by payer: customer (a key that was \
     paid for, or a plan without a quota) or address"
        Series(|status, entry| entry.add(status.metrics.work.clone()));
    "connections" "Open connections"
        State(|status| i64::try_from(status.connections.count()).ok());
    "connections_limit" "Most connections at once"
        State(|status| Some(status.connections.total.into()));
    "ready" "1 when calls are answered and the service is not stopping"
        State(|status| Some(status.is_ready().into()));
    "store_up" "1 when keys and counts can be read and written"
        State(|status| Some(status.access.store().health().unavailable_since().is_none().into()));
    "store_duration_seconds"
    "Histogram, by operation (read or write), of the time of a question to the store, the wait for \
     its turn included"
        Series(|status, entry| entry.add(status.access.store().health().durations.clone()));
    "notices_total"
    "E-mails that announce the end of a key, by outcome: sent or failed; a failed one is tried \
     again"
        Series(|status, entry| entry.add(status.metrics.notices.clone()));
    "corrections_total"
    "E-mails about corrections, by outcome: sent or failed; one that the mail server refused is \
     tried again"
        Series(|status, entry| entry.add(status.metrics.corrections.clone()));
    "payment_events_total"
    "Events of the payment provider, by result: what became of the key, waiting, ignored, forged, \
     unreadable, unavailable"
        Series(|status, entry| entry.add(status.metrics.payment_events.clone()));
    "deliveries_total"
    "E-mails that bring a key that was bought, by outcome: sent or failed; a failed one is tried \
     again"
        Series(|status, entry| entry.add(status.metrics.deliveries.clone()));
    "undelivered_keys" "Keys that were bought and have not reached their owners"
        State(|status| Some(status.metrics.undelivered_keys.load(Ordering::Relaxed)));
    "open_cases" "Payments that wait for a person, by kind"
        Series(|status, entry| entry.add(status.metrics.open_cases.clone()));
    "backups_total" "Backups of the service itself, by outcome: made or failed"
        Series(|status, entry| entry.add(status.metrics.backups.clone()));
    "backup_time_seconds"
    "When the last good backup was made, 0 if there is none; only with --backup-dir"
        State(|status| status.metrics.backup().map(|(_, last)| last));
    "backup_period_seconds" "Time between two backups; only with --backup-dir"
        State(|status| status.metrics.backup().map(|(period, _)| period));
    "reloads_total"
    "Rule sets read, by outcome: accepted, partial (some folders refused, the others in force) or \
     refused"
        Series(|status, entry| entry.add(reloads(status)));
    "rules_info" "1 for the version of the rule set in force"
        Series(|status, entry| {
            if let Some(snapshot) = status.rules.snapshot() {
                entry.add(Info::new([("version", snapshot.rules.version().to_owned())]));
            }
        });
    "rules_refused" "1 while the files hold rules that were refused, and older ones or none serve"
        State(|status| Some((!status.rules.outcome().errors.is_empty()).into()));
    "rules_folder_held"
    "1 for each folder whose files are refused, by what serves of it: older (its last good state) \
     or none"
        Series(held_folders);
    "rules_waiting" "1 while a set that lost files is on hold until the files are still"
        State(|status| Some((!status.rules.outcome().lost.is_empty()).into()));
    "rules_reading_seconds" "Duration of the current load of the files; 0 when none runs"
        State(|status| Some(status.rules.loading.seconds()));
    "rules_read_time_seconds" "When the content of the files last changed"
        State(|status| Some(status.rules.outcome().since.as_second()));
    "scale_known_until_time_seconds"
    "By folder, end of the period for which its last scale is known to hold"
        Series(end_of_last_scales);
    "scale_checked_time_seconds"
    "By folder, day on which the figures of its last scale were last read in the texts; 0 if never"
        Series(last_check_of_scales);
    "resident_memory_bytes" "Memory of the process that is in use"
        State(|_| memory::resident());
    "memory_limit_bytes"
    "Memory that the control group of the process may use; only where it is limited"
        State(|_| memory::limit());
    "log_lines_lost_total" "Log lines dropped because the reader of the log was too slow"
        Series(|_, entry| entry.add(ConstCounter::new(log::dropped())));
    "start_time_seconds" "When the service started"
        State(|status| Some(status.metrics.started.as_second()));
    "build_info" "1 for the version of the program"
        Series(|_, entry| entry.add(Info::new([("version", env!("CARGO_PKG_VERSION"))])));
}

/// Registers every metric for Prometheus.
pub(super) fn register(registry: &mut Registry, status: Status<'_>) {
    for metric in &METRICS {
        let entry = Entry { registry, metric };
        // A state is read now; series were counted when events happened.
        match metric.source {
            State(state) => {
                if let Some(value) = state(status) {
                    entry.add(ConstGauge::new(value));
                }
            }
            Series(add) => add(status, entry),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Marks around the table in the manual.
    const MARKS: [&str; 2] = ["<!-- metrics -->\n", "<!-- end -->"];

    /// Command that updates the table in the manual.
    const REFRESH: &str = "BAREME_UPDATE_DOCS=1 cargo test --workspace --lib metrics";

    fn table() -> String {
        let mut table = "\n| metric | |\n|---|---|\n".to_owned();
        for Metric { name, help, .. } in &METRICS {
            writeln!(table, "| `{PREFIX}_{name}` | {help} |").unwrap();
        }
        table + "\n"
    }

    #[test]
    fn the_manual_has_every_metric() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
        let text = fs::read_to_string(&path).unwrap();
        let (before, rest) = text
            .split_once(MARKS[0])
            .expect("the mark of the beginning");
        let (known, after) = rest.split_once(MARKS[1]).expect("the mark of the end");
        if known != table() && std::env::var_os("BAREME_UPDATE_DOCS").is_some() {
            fs::write(
                &path,
                [before, MARKS[0], &table(), MARKS[1], after].concat(),
            )
            .unwrap();
            return;
        }
        assert_eq!(known, table(), "write it again: {REFRESH}");
    }

    #[tokio::test]
    async fn the_series_have_the_names_of_their_rows() {
        let (_place, shared) = crate::testing::shared();
        shared
            .metrics
            .backs_up(std::time::Duration::from_secs(60), None);
        let text = super::super::exposition::write(shared.status());
        for Metric { name, source, .. } in &METRICS {
            let is_sample = |line: &str| {
                let rest = line.strip_prefix(&format!("{PREFIX}_{name}"));
                rest.is_some_and(|rest| {
                    ["{", " ", "_count"]
                        .iter()
                        .any(|next| rest.starts_with(next))
                })
            };
            // There are no requests or rules here, and memory may be unlimited.
            let may_lack = matches!(source, Series(_)) || *name == "memory_limit_bytes";
            assert!(may_lack || text.lines().any(is_sample), "{name} in {text}");
        }
    }
}
