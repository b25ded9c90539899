//! The rules in force, and how the last load of the files ended.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use arc_swap::{ArcSwap, ArcSwapOption};
use bareme_engine::service::Rules;

use super::outcome::{LoadProgress, Outcome};
use crate::api::answer_cache::AnswerCache;
use crate::openapi::{self, Document};

/// One whole, good rule set, with what is derived from it. It never changes: a request takes one and
/// keeps it to its end, whatever is reloaded meanwhile.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// The compiled rules.
    pub rules: Rules,
    /// The description of each variant's interface, once it was asked for.
    documents: OnceLock<Vec<Document>>,
    /// Recent answers.
    pub answers: AnswerCache,
}

impl Snapshot {
    /// A rule set, and nothing derived from it yet.
    pub(super) fn new(rules: Rules) -> Self {
        Self { rules, documents: OnceLock::new(), answers: AnswerCache::default() }
    }

    /// The description of each variant's interface.
    pub(crate) fn documents(&self) -> &[Document] {
        self.documents.get_or_init(|| openapi::documents(&self.rules))
    }
}

/// The rule set in force, and what became of the last one that was read.
#[derive(Debug, Default)]
pub(crate) struct InForce {
    /// The reading of the rules that runs now.
    pub loading: LoadProgress,
    current: ArcSwapOption<Snapshot>,
    outcome: ArcSwap<Outcome>,
    accepted: AtomicU64,
    partial: AtomicU64,
    refused: AtomicU64,
}

impl InForce {
    /// The rule set in force, if one was ever loaded.
    pub(crate) fn snapshot(&self) -> Option<Arc<Snapshot>> {
        self.current.load_full()
    }

    /// Whether one was ever loaded.
    pub(crate) fn is_loaded(&self) -> bool {
        self.current.load().is_some()
    }

    /// How the last reload ended.
    pub(crate) fn outcome(&self) -> Arc<Outcome> {
        self.outcome.load_full()
    }

    /// Sets that came into force whole, those that did but for some folders, and those refused, since the start.
    pub(crate) fn counts(&self) -> [(&'static str, u64); 3] {
        let counts = [("accepted", &self.accepted), ("partial", &self.partial), ("refused", &self.refused)];
        counts.map(|(outcome, count)| (outcome, count.load(Ordering::Relaxed)))
    }

    /// Puts a rule set in force, for every request that starts from now on.
    pub(super) fn publish(&self, snapshot: Snapshot, outcome: Outcome) {
        let count = if outcome.held.is_empty() { &self.accepted } else { &self.partial };
        count.fetch_add(1, Ordering::Relaxed);
        self.current.store(Some(Arc::new(snapshot)));
        self.record(outcome);
    }

    /// Puts the same rule set in force anew, after it was checked again.
    pub(super) fn renew(&self, snapshot: Snapshot) {
        self.current.store(Some(Arc::new(snapshot)));
    }

    /// Takes the rule set in force back: none is, from now on.
    pub(super) fn withdraw(&self) {
        self.current.store(None);
    }

    /// Records that a set was refused.
    pub(super) fn refuse(&self, outcome: Outcome) {
        self.refused.fetch_add(1, Ordering::Relaxed);
        self.record(outcome);
    }

    /// Records how a reload ended.
    pub(super) fn record(&self, outcome: Outcome) {
        self.outcome.store(Arc::new(outcome));
    }
}
