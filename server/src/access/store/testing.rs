//! A store in memory that can be made unavailable, for the unit tests of who uses one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use uuid::Uuid;

use super::{
    CLAIM_SECONDS, Change, Component, Counted, EventClaim, Health, Pending, Record, Sharing, Store, Terms, USAGE_DAYS,
    Unavailable,
};
use crate::access::day::Day;
use crate::access::key::{Digest, Key};
use crate::access::subject::{Salt, Subject};

/// A key of the free plan that never expires, created at the epoch.
pub(crate) fn record() -> Record {
    let key = Key::generate("bma").unwrap();
    Record {
        id: Uuid::now_v7(),
        account: Uuid::now_v7(),
        digest: key.digest(),
        last_four: key.last_four().to_owned(),
        variant: "a".to_owned(),
        plan: "free".to_owned(),
        email: "claire@example.org".to_owned(),
        created: Timestamp::UNIX_EPOCH,
        expires: None,
        revoked: None,
        subscription: None,
        renews: false,
        noticed: None,
    }
}

#[derive(Debug)]
pub(crate) struct Memory {
    sharing: Sharing,
    health: Health,
    unavailable: AtomicBool,
    questions: AtomicUsize,
    keys: Mutex<Vec<Record>>,
    salts: Mutex<BTreeMap<Day, Salt>>,
    /// Totals, and the calls of them that were answered.
    counts: Mutex<BTreeMap<(Day, Subject), (i64, i64)>>,
    /// When each event was claimed, and whether it was applied.
    events: Mutex<BTreeMap<String, (Timestamp, bool)>>,
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
            events: Mutex::default(),
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
        self.counts.lock().unwrap().get(&(day, subject)).copied().unwrap_or_default().0
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

    fn keys_of_subscription(&self, subscription: String) -> Pending<'_, Vec<Record>> {
        self.answer(|| {
            let keys = self.keys.lock().unwrap();
            keys.iter().filter(|record| record.subscription.as_ref() == Some(&subscription)).cloned().collect()
        })
    }

    fn expiring_keys(&self, now: Timestamp, before: Timestamp) -> Pending<'_, Vec<Record>> {
        self.answer(|| {
            let ends = |record: &&Record| record.is_valid(now) && record.expires.is_some_and(|end| end < before);
            let mut found: Vec<Record> = self.keys.lock().unwrap().iter().filter(ends).cloned().collect();
            found.sort_by_key(|record| (record.expires, record.id));
            found
        })
    }

    fn change_terms(&self, account: Uuid, terms: Terms) -> Pending<'_, bool> {
        self.answer(|| {
            let mut keys = self.keys.lock().unwrap();
            let mut found = false;
            for record in keys.iter_mut().filter(|record| record.account == account) {
                let noticed = if record.expires == terms.expires { record.noticed } else { None };
                let Terms { plan, email, expires, renews } = terms.clone();
                *record = Record { plan, email, expires, renews, noticed, ..record.clone() };
                found = true;
            }
            found
        })
    }

    fn set_noticed(&self, id: Uuid, from: Option<u16>, to: Option<u16>) -> Pending<'_, bool> {
        self.answer(|| {
            let mut keys = self.keys.lock().unwrap();
            let found = keys.iter_mut().find(|record| record.id == id && record.noticed == from);
            found.map(|record| record.noticed = to).is_some()
        })
    }

    fn usage(&self, account: Uuid, since: Day) -> Pending<'_, Vec<(Day, i64)>> {
        self.answer(|| {
            let counts = self.counts.lock().unwrap();
            let of_account = |((day, subject), (_, used)): (&(Day, Subject), &(i64, i64))| {
                (*subject == Subject::account(account) && *day >= since && *used > 0).then_some((*day, *used))
            };
            counts.iter().filter_map(of_account).collect()
        })
    }

    fn claim_event(&self, id: String, now: Timestamp) -> Pending<'_, EventClaim> {
        self.answer(|| {
            let mut events = self.events.lock().unwrap();
            match events.get(&id) {
                Some((_, true)) => return EventClaim::Done,
                Some((claimed, _)) if now.as_second() - claimed.as_second() <= CLAIM_SECONDS => {
                    return EventClaim::Busy;
                }
                _ => {}
            }
            events.insert(id, (now, false));
            EventClaim::Granted
        })
    }

    fn finish_event(&self, id: String, applied: bool) -> Pending<'_, ()> {
        self.answer(|| {
            let mut events = self.events.lock().unwrap();
            if let Some((_, done)) = events.get_mut(&id) {
                *done |= applied;
            }
            if events.get(&id).is_some_and(|(_, done)| !done) {
                events.remove(&id);
            }
        })
    }

    fn salt(&self, day: Day) -> Pending<'_, Salt> {
        self.answer(|| *self.salts.lock().unwrap().entry(day).or_insert_with(|| Salt::draw().unwrap()))
    }

    fn count(&self, changes: Vec<Change>) -> Pending<'_, Vec<Counted>> {
        self.answer(|| {
            let mut counts = self.counts.lock().unwrap();
            let apply = |change: &Change| {
                let (total, used) = counts.entry((change.day, change.subject)).or_default();
                let by = change.allowed(*total);
                *total += by;
                *used += change.used;
                change.counted(by, *total, *used)
            };
            changes.iter().map(apply).collect()
        })
    }

    fn forget(&self, today: Day) -> Pending<'_, bool> {
        self.answer(|| {
            let is_kept = |day: Day, subject: Subject| {
                day >= today.before() || !subject.is_address() && day.0 >= today.0 - USAGE_DAYS
            };
            self.counts.lock().unwrap().retain(|(day, subject), _| is_kept(*day, *subject));
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
