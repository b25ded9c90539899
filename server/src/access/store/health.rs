//! What of a store works: each component fails and recovers by itself.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

/// What can fail by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Component {
    /// The connection to the database.
    Link,
    /// What reads keys and counts.
    Reader,
    /// What writes them.
    Writer,
    /// The file, which another may have replaced or nothing at all.
    File,
    /// The clock of this machine, beside that of the database.
    Clock,
}

impl Component {
    /// What `/readyz` calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Link => "connexion",
            Self::Reader => "lecture",
            Self::Writer => "ecriture",
            Self::File => "fichier",
            Self::Clock => "horloge",
        }
    }
}

/// The components that fail now. One that failed recovers only when it does its own work again: that
/// reading works says nothing of writing.
#[derive(Debug, Default)]
pub struct Health(Mutex<BTreeMap<Component, Timestamp>>);

impl Health {
    /// Each component that fails, with the moment of its first failure.
    pub fn outages(&self) -> Vec<(Component, Timestamp)> {
        self.lock().iter().map(|(component, since)| (*component, *since)).collect()
    }

    /// Since when something fails, if anything does.
    pub fn unavailable_since(&self) -> Option<Timestamp> {
        self.lock().values().min().copied()
    }

    /// Whether a component fails.
    pub fn is_failing(&self, component: Component) -> bool {
        self.lock().contains_key(&component)
    }

    pub(super) fn failed(&self, component: Component, reason: &str) {
        self.lock().entry(component).or_insert_with(|| {
            tracing::error!(component = component.name(), reason, "the store fails");
            Timestamp::now()
        });
    }

    pub(super) fn recovered(&self, component: Component) {
        if let Some(since) = self.lock().remove(&component) {
            let seconds = Timestamp::now().as_second() - since.as_second();
            tracing::info!(component = component.name(), seconds, "the store works again");
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Component, Timestamp>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
