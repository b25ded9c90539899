//! What every request and the reload share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arc_swap::{ArcSwap, ArcSwapOption};
use bareme_engine::Rules;

use crate::access::Access;
use crate::clock::Clock;
use crate::http::answer_cache::AnswerCache;
use crate::net::connection_limit::ConnectionLimit;
use crate::openapi::Document;
use crate::ops::metrics::Metrics;
use crate::reload::outcome::{LoadProgress, Outcome};
use crate::site::RateLimit;
use crate::site::legal::OwnTexts;

/// One whole, good rule set, with what is derived from it. It never changes: a request takes one and
/// keeps it to its end, whatever is reloaded meanwhile.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// The compiled rules.
    pub rules: Rules,
    /// The description of each variant's interface.
    pub documents: Vec<Document>,
    /// What was answered lately.
    pub answers: AnswerCache,
}

/// The state of the service.
#[derive(Debug)]
pub(crate) struct Shared {
    /// The clock of every request.
    pub clock: Clock,
    /// Who may call.
    pub access: Arc<Access>,
    /// How many may be connected.
    pub connections: Arc<ConnectionLimit>,
    /// How often visitors of the site may calculate.
    pub visitors: RateLimit,
    /// The operator's texts of the site.
    pub texts: OwnTexts,
    /// What is counted.
    pub metrics: Metrics,
    /// The reading of the rules that runs now.
    pub loading: LoadProgress,
    current: ArcSwapOption<Snapshot>,
    outcome: ArcSwap<Outcome>,
    draining: AtomicBool,
}

impl Shared {
    /// Nothing loaded yet.
    pub(crate) fn new(clock: Clock, access: Arc<Access>, connections: ConnectionLimit) -> Self {
        Self {
            clock,
            access,
            connections: Arc::new(connections),
            visitors: RateLimit::default(),
            texts: OwnTexts::default(),
            metrics: Metrics::default(),
            loading: LoadProgress::default(),
            current: ArcSwapOption::empty(),
            outcome: ArcSwap::from_pointee(Outcome::default()),
            draining: AtomicBool::new(false),
        }
    }

    /// With texts of the operator.
    pub(crate) fn with_texts(self, texts: OwnTexts) -> Self {
        Self { texts, ..self }
    }

    /// The rule set in force, if one was ever loaded.
    pub(crate) fn snapshot(&self) -> Option<Arc<Snapshot>> {
        self.current.load_full()
    }

    /// Root of the addresses that explain errors, by the rule set in force.
    pub(crate) fn documentation(&self) -> Option<String> {
        self.snapshot().map(|snapshot| snapshot.rules.service().documentation.clone())
    }

    /// Puts a rule set in force, for every request that starts from now on.
    pub(crate) fn publish(&self, snapshot: Snapshot) {
        self.current.store(Some(Arc::new(snapshot)));
    }

    /// How the last reload ended.
    pub(crate) fn outcome(&self) -> Arc<Outcome> {
        self.outcome.load_full()
    }

    /// Records how a reload ended.
    pub(crate) fn record(&self, outcome: Outcome) {
        self.outcome.store(Arc::new(outcome));
    }

    /// Whether the service is stopping.
    pub(crate) fn draining(&self) -> bool {
        self.draining.load(Ordering::Acquire)
    }

    /// Whether calls are answered, and go on being answered for now.
    pub(crate) fn is_ready(&self) -> bool {
        self.current.load().is_some() && !self.draining()
    }

    /// Says that the service is stopping; there is no way back.
    pub(crate) fn start_draining(&self) {
        self.draining.store(true, Ordering::Release);
    }
}
