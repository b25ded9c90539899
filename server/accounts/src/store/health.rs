//! Health of a store: components that fail and recover independently, and durations of queries.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;

/// A component of a store that can fail independently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Component {
    /// The connection to the database.
    Link,
    /// Reads of keys and counts.
    Reader,
    /// Writes.
    Writer,
    /// The file, which may have been replaced or removed.
    File,
    /// The clock of this machine, compared with that of the database or with the time elapsed.
    Clock,
}

impl Component {
    /// Its name in `/readyz`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Link => "connexion",
            Self::Reader => "lecture",
            Self::Writer => "ecriture",
            Self::File => "fichier",
            Self::Clock => "horloge",
        }
    }

    /// The label of its queries in the metrics; `None` if it has none.
    fn operation(self) -> Option<&'static str> {
        match self {
            Self::Reader => Some("read"),
            Self::Writer => Some("write"),
            Self::Link | Self::File | Self::Clock => None,
        }
    }
}

/// Upper bounds of the histogram of query durations, in seconds: a page in memory, a disk, a
/// network, and the longest that a caller waits.
const SECONDS: [f64; 9] = [0.000_1, 0.000_5, 0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5];

/// The time of questions, by operation.
pub type Durations = Family<[(&'static str, &'static str); 1], Histogram, fn() -> Histogram>;

/// The components that are failing. A component recovers only by its own work: successful reads say
/// nothing about writes.
#[derive(Debug)]
pub struct Health {
    outages: Mutex<BTreeMap<Component, Timestamp>>,
    /// Durations of queries, answered or given up, by operation.
    pub durations: Durations,
}

impl Default for Health {
    fn default() -> Self {
        let durations = Durations::new_with_constructor(|| Histogram::new(SECONDS));
        Self {
            outages: Mutex::default(),
            durations,
        }
    }
}

impl Health {
    /// Each failing component, with the moment of its first failure.
    pub fn outages(&self) -> Vec<(Component, Timestamp)> {
        self.outages
            .lock()
            .iter()
            .map(|(component, since)| (*component, *since))
            .collect()
    }

    /// Since when some component fails, if any does.
    pub fn unavailable_since(&self) -> Option<Timestamp> {
        // The oldest failure is the beginning of the outage as a whole.
        self.outages.lock().values().min().copied()
    }

    /// Whether a component is failing.
    pub fn is_failing(&self, component: Component) -> bool {
        self.outages.lock().contains_key(&component)
    }

    /// Records the duration of a query, whatever its result.
    pub(super) fn record_query(&self, component: Component, took: Duration) {
        if let Some(operation) = component.operation() {
            self.durations
                .get_or_create(&[("operation", operation)])
                .observe(took.as_secs_f64());
        }
    }

    pub(crate) fn failed(&self, component: Component, reason: &str) {
        // Logged once an outage: each failed call would repeat it.
        self.outages.lock().entry(component).or_insert_with(|| {
            tracing::error!(component = component.name(), reason, "the store fails");
            Timestamp::now()
        });
    }

    pub(crate) fn recovered(&self, component: Component) {
        if let Some(since) = self.outages.lock().remove(&component) {
            let seconds = Timestamp::now().as_second() - since.as_second();
            tracing::info!(
                component = component.name(),
                seconds,
                "the store works again"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_recovers_by_its_own_work_alone() {
        let health = Health::default();
        health.failed(Component::Writer, "no space");
        health.recovered(Component::Reader);
        assert!(health.is_failing(Component::Writer) && health.unavailable_since().is_some());
        let first = health.outages();
        health.failed(Component::Writer, "no space, again");
        assert_eq!(health.outages(), first, "it is the same outage");
        health.recovered(Component::Writer);
        assert_eq!(health.unavailable_since(), None);
    }
}
