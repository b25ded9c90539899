//! A store in memory that can be made unavailable, for the unit tests of who uses one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use uuid::Uuid;

use super::{Change, Component, Counted, Health, Pending, Record, Sharing, Store, Unavailable};
use crate::access::day::Day;
use crate::access::key::Digest;
use crate::access::subject::{Salt, Subject};

#[derive(Debug)]
pub(crate) struct Memory {
    sharing: Sharing,
    health: Health,
    unavailable: AtomicBool,
    questions: AtomicUsize,
    keys: Mutex<Vec<Record>>,
    salts: Mutex<BTreeMap<Day, Salt>>,
    counts: Mutex<BTreeMap<(Day, Subject), i64>>,
}

impl Memory {
    pub(crate) fn new(sharing: Sharing) -> Arc<Self> {
        Arc::new(Self {
            sharing,
            health: Health::default(),
            unavailable: AtomicBool::default(),
            questions: AtomicUsize::default(),
            keys: Mutex::default(),
            salts: Mutex::default(),
            counts: Mutex::default(),
        })
    }

    /// Makes it unavailable, or available again.
    pub(crate) fn set_unavailable(&self, unavailable: bool) {
        self.unavailable.store(unavailable, Ordering::SeqCst);
        match unavailable {
            true => self.health.failed(Component::Link, "by the test"),
            false => self.health.recovered(Component::Link),
        }
    }

    /// How many questions it was asked.
    pub(crate) fn questions(&self) -> usize {
        self.questions.load(Ordering::SeqCst)
    }

    /// What it has counted.
    pub(crate) fn total(&self, day: Day, subject: Subject) -> i64 {
        self.counts.lock().unwrap().get(&(day, subject)).copied().unwrap_or_default()
    }

    fn answer<T: Send + 'static>(&self, answer: impl FnOnce() -> T) -> Pending<'_, T> {
        self.try_answer(|| Ok(answer()))
    }

    fn try_answer<T: Send + 'static>(&self, answer: impl FnOnce() -> Result<T, Unavailable>) -> Pending<'_, T> {
        self.questions.fetch_add(1, Ordering::SeqCst);
        let unavailable = self.unavailable.load(Ordering::SeqCst);
        let answer = if unavailable { Err(Unavailable("by the test".to_owned())) } else { answer() };
        Box::pin(async move {
            tokio::task::yield_now().await;
            answer
        })
    }
}

impl Store for Memory {
    fn sharing(&self) -> Sharing {
        self.sharing
    }

    fn health(&self) -> &Health {
        &self.health
    }

    fn add_key(&self, record: Record) -> Pending<'_, ()> {
        self.try_answer(|| {
            let mut keys = self.keys.lock().unwrap();
            if keys.iter().any(|known| known.id == record.id || known.digest == record.digest) {
                return Err(Unavailable("the key exists".to_owned()));
            }
            keys.push(record);
            keys.sort_by_key(|record| (record.created, record.id));
            Ok(())
        })
    }

    fn find_keys(&self, digests: Vec<Digest>) -> Pending<'_, Vec<Record>> {
        self.answer(|| {
            let keys = self.keys.lock().unwrap();
            keys.iter().filter(|record| digests.contains(&record.digest)).cloned().collect()
        })
    }

    fn keys(&self) -> Pending<'_, Vec<Record>> {
        self.answer(|| self.keys.lock().unwrap().clone())
    }

    fn revoke_key(&self, id: Uuid, from: Timestamp) -> Pending<'_, bool> {
        self.answer(|| {
            let mut keys = self.keys.lock().unwrap();
            let found = keys.iter_mut().find(|record| record.id == id);
            found.map(|record| record.revoked = Some(record.revoked.map_or(from, |known| known.min(from)))).is_some()
        })
    }

    fn extend_keys(&self, ends: Vec<(Uuid, Timestamp)>) -> Pending<'_, ()> {
        self.answer(|| {
            for record in self.keys.lock().unwrap().iter_mut() {
                let end = ends.iter().find(|(id, _)| *id == record.id).map(|(_, end)| *end);
                record.expires = record.expires.max(end);
            }
        })
    }

    fn remove_keys(&self, ids: Vec<Uuid>) -> Pending<'_, ()> {
        self.answer(|| self.keys.lock().unwrap().retain(|record| !ids.contains(&record.id)))
    }

    fn salt(&self, day: Day) -> Pending<'_, Salt> {
        self.answer(|| *self.salts.lock().unwrap().entry(day).or_insert_with(|| Salt::draw().unwrap()))
    }

    fn count(&self, changes: Vec<Change>) -> Pending<'_, Vec<Counted>> {
        self.answer(|| {
            let mut counts = self.counts.lock().unwrap();
            let apply = |change: &Change| {
                let total = counts.entry((change.day, change.subject)).or_default();
                let by = change.allowed(*total);
                *total += by;
                change.counted(by, *total)
            };
            changes.iter().map(apply).collect()
        })
    }

    fn forget(&self, today: Day) -> Pending<'_, bool> {
        self.answer(|| {
            self.counts.lock().unwrap().retain(|(day, _), _| *day >= today.before());
            self.salts.lock().unwrap().retain(|day, _| *day >= today.before());
            false
        })
    }

    fn check(&self, _now: Timestamp) -> Pending<'_, ()> {
        self.answer(|| ())
    }
}

/// The contract that the real stores keep, on this one: a fake that kept another would prove nothing.
#[path = "../../../tests/store/contract.rs"]
mod contract;

/// Runs a test of the contract on a fresh store.
async fn on_each<F: Future>(test: impl Fn(Arc<dyn Store>) -> F) {
    test(Memory::new(Sharing::Alone)).await;
}
