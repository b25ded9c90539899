//! The rules in force, and the outcome of the last load.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use arc_swap::{ArcSwap, ArcSwapOption};
use bareme_api::calls::answer_cache::AnswerCache;
use bareme_api::openapi::Documents;
#[cfg(feature = "mcp")]
use bareme_assistant::Index;
#[cfg(feature = "site")]
use bareme_engine::Lang;
use bareme_engine::service::{Endpoint, Rules};
use bareme_engine::{FileSet, Folder};
#[cfg(feature = "site")]
use bareme_site::made::MadePages;
#[cfg(feature = "site")]
use bareme_site::{Route, language};

use super::outcome::{LoadProgress, Outcome};

/// A complete rule set without errors, with what is derived from it. It never changes: a request
/// takes one and keeps it to its end, whatever is reloaded meanwhile.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// The compiled rules.
    pub rules: Rules,
    /// What of them has every text in English.
    #[cfg(feature = "site")]
    pub english: Option<Rules>,
    /// The OpenAPI documents.
    pub documents: Documents,
    /// The cache of answers.
    pub answers: AnswerCache,
    /// The pages that were made.
    #[cfg(feature = "site")]
    pub pages: MadePages,
    /// What the tools of assistants search.
    #[cfg(feature = "mcp")]
    pub index: Arc<Index>,
    /// What makes a call of an endpoint a search, by its name.
    searches: OnceLock<HashMap<String, Searches>>,
}

/// A rule set that came into force, with the files that it was read from.
#[derive(Debug, Clone)]
pub(crate) struct Published {
    pub snapshot: Arc<Snapshot>,
    pub files: Arc<FileSet>,
}

/// What makes a call of an endpoint a search.
#[derive(Debug)]
struct Searches {
    /// The names of the parameters for a result, `net` in place of `brut`.
    inverses: Vec<String>,
    /// Whether every call is one: a step looks in another folder for the input of an amount.
    is_each: bool,
}

impl Snapshot {
    /// A rule set, without anything derived from it yet.
    pub(crate) fn new(rules: Rules) -> Self {
        Self {
            documents: Documents::of(&rules),
            #[cfg(feature = "site")]
            english: rules.in_english(),
            rules,
            answers: AnswerCache::default(),
            #[cfg(feature = "site")]
            pages: MadePages::default(),
            #[cfg(feature = "mcp")]
            index: Arc::default(),
            searches: OnceLock::new(),
        }
    }

    /// The rules in English, which pages alone show.
    pub(crate) fn in_english(&self) -> Option<&Rules> {
        #[cfg(feature = "site")]
        return self.english.as_ref();
        #[cfg(not(feature = "site"))]
        return None;
    }

    /// The rules whose texts are in a language.
    #[cfg(feature = "site")]
    pub(crate) fn rules_in(&self, lang: Lang) -> Option<&Rules> {
        match lang {
            Lang::Fr => Some(&self.rules),
            Lang::En => self.english.as_ref(),
        }
    }

    /// The route of a page, if the site has it in the language of its path.
    #[cfg(feature = "site")]
    pub(crate) fn page(&self, path: &str) -> Option<Route<'_>> {
        match language::of_path(path) {
            (Lang::Fr, path) => Route::find(&self.rules, path),
            (Lang::En, path) => Route::in_english(self.english.as_ref()?, path),
        }
    }

    /// The names of the parameters for a result of an endpoint: each makes a call an inverse
    /// calculation.
    pub(crate) fn inverses(&self, endpoint: &Endpoint) -> &[String] {
        self.searches(endpoint)
            .map(|searches| searches.inverses.as_slice())
            .unwrap_or_default()
    }

    /// Whether every call of an endpoint is a search.
    pub(crate) fn always_searches(&self, endpoint: &Endpoint) -> bool {
        self.searches(endpoint)
            .is_some_and(|searches| searches.is_each)
    }

    fn searches(&self, endpoint: &Endpoint) -> Option<&Searches> {
        // Collected on first use, once for each rule set.
        let all = self.searches.get_or_init(|| {
            let of_endpoint = |endpoint: &Endpoint| {
                let folders = || self.rules.members(endpoint).map(|(_, folder)| folder);
                let inverses = folders().flat_map(Folder::inverses);
                let names: BTreeSet<String> = inverses
                    .map(|inverse| inverse.parameter.name.clone())
                    .collect();
                let searches = Searches {
                    inverses: names.into_iter().collect(),
                    is_each: folders().any(Folder::searches),
                };
                (endpoint.name.clone(), searches)
            };

            self.rules
                .service()
                .endpoints
                .iter()
                .map(of_endpoint)
                .collect()
        });

        all.get(&endpoint.name)
    }

    /// Whether a parameter of any endpoint asks for a result.
    #[cfg(feature = "mcp")]
    pub(crate) fn is_inverse(&self, name: &str) -> bool {
        let endpoints = self.rules.service().endpoints.iter();
        endpoints
            .flat_map(|endpoint| self.inverses(endpoint))
            .any(|known| known == name)
    }
}

/// The rule set in force, and the outcome of the last load.
#[derive(Debug, Default)]
pub(crate) struct InForce {
    /// The load that is running.
    pub loading: LoadProgress,
    current: ArcSwapOption<Snapshot>,
    outcome: ArcSwap<Outcome>,
    accepted: AtomicU64,
    partial: AtomicU64,
    refused: AtomicU64,
}

impl InForce {
    /// The rule set in force, once one was loaded.
    pub(crate) fn snapshot(&self) -> Option<Arc<Snapshot>> {
        self.current.load_full()
    }

    /// Whether a rule set was ever loaded.
    pub(crate) fn is_loaded(&self) -> bool {
        self.current.load().is_some()
    }

    /// The outcome of the last load.
    pub(crate) fn outcome(&self) -> Arc<Outcome> {
        self.outcome.load_full()
    }

    /// Numbers of loads since the start: accepted, accepted without some folders, refused.
    pub(crate) fn counts(&self) -> [(&'static str, u64); 3] {
        let counts = [
            ("accepted", &self.accepted),
            ("partial", &self.partial),
            ("refused", &self.refused),
        ];
        counts.map(|(outcome, count)| (outcome, count.load(Ordering::Relaxed)))
    }

    /// Puts a rule set in force for requests that start from now on.
    pub(super) fn publish(&self, snapshot: Snapshot, outcome: Outcome) -> Arc<Snapshot> {
        let count = if outcome.held.is_empty() {
            &self.accepted
        } else {
            &self.partial
        };
        count.fetch_add(1, Ordering::Relaxed);

        let snapshot = Arc::new(snapshot);
        // The set comes first: whoever sees the outcome finds the set that it is about.
        self.current.store(Some(Arc::clone(&snapshot)));
        self.record(outcome);
        snapshot
    }

    /// Replaces the rule set in force by an equal one, after it was checked again.
    pub(super) fn renew(&self, snapshot: Snapshot) {
        self.current.store(Some(Arc::new(snapshot)));
    }

    /// Records that a set was refused.
    pub(super) fn refuse(&self, outcome: Outcome) {
        self.refused.fetch_add(1, Ordering::Relaxed);
        self.record(outcome);
    }

    /// Records the outcome of a load.
    pub(super) fn record(&self, outcome: Outcome) {
        self.outcome.store(Arc::new(outcome));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_whose_law_looks_for_a_pay_is_a_search() {
        let snapshot = Snapshot::new(crate::testing::rules());
        let always = |name: &str| {
            let endpoints = &snapshot.rules.service().endpoints;
            let endpoint = endpoints.iter().find(|known| known.name == name);
            snapshot.always_searches(endpoint.unwrap())
        };
        assert!(always("statuts"));
        for name in ["ir", "dividendes", "independant", "salaire", "foyer"] {
            assert!(!always(name), "{name}");
        }
    }
}
