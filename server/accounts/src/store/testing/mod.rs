//! A store in memory that can be made unavailable, for unit tests.

mod corrections;
mod mailboxes;
mod operation;
mod publications;
mod rule_sets;
mod subscriptions;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use uuid::Uuid;

use super::audit::{AUDIT_DAYS, AuditEntry, AuditLog};
use super::availability::{AVAILABILITY_DAYS, Availability, ServedDay, ServedMinute};
use super::mailboxes::{KeyRequest, Mailboxes};
use super::rule_sets::{FileDigest, PublishedSet};
use super::{
    Change, Claimed, Component, Counted, Delivery, Health, KeyChange, Pending, Record, Sharing,
    Store, Subscription, SubscriptionStore, Terms, USAGE_DAYS, Unavailable,
};
use crate::day::Day;
use crate::key::{Digest, Key};
use crate::payment::case::Case;
use crate::subject::{Salt, Subject};

/// A key of the free plan that never expires, created at the epoch.
pub(crate) fn record() -> Record {
    let key = Key::generate("bma").unwrap();
    let record = Record::new(
        &key,
        "a",
        "free",
        "claire@example.org",
        Timestamp::UNIX_EPOCH,
    );
    Record {
        id: Uuid::now_v7(),
        ..record
    }
}

#[derive(Debug)]
pub(crate) struct Memory {
    sharing: Sharing,
    health: Health,
    unavailable: AtomicBool,
    questions: AtomicUsize,
    keys: Mutex<Vec<Record>>,
    /// The variant and the mailbox that each key holds.
    mailboxes: Mutex<BTreeMap<Uuid, (String, String)>>,
    requests: Mutex<Vec<(Digest, KeyRequest)>>,
    salts: Mutex<BTreeMap<Day, Salt>>,
    /// Totals, and how many of their calls were answered.
    counts: Mutex<BTreeMap<(Day, Subject), (i64, i64)>>,
    subscriptions: Mutex<BTreeMap<String, Subscription>>,
    /// Cases, each with whether it is settled.
    cases: Mutex<Vec<(Case, bool)>>,
    audit: Mutex<Vec<AuditEntry>>,
    served: Mutex<BTreeMap<(Day, u16), (i64, i64)>>,
    rule_sets: Mutex<Vec<PublishedSet>>,
    rule_files: Mutex<BTreeMap<FileDigest, Vec<u8>>>,
    law_uses: Mutex<corrections::KnownUses>,
}

impl Memory {
    pub(crate) fn new(sharing: Sharing) -> Arc<Self> {
        Arc::new(Self {
            sharing,
            health: Health::default(),
            unavailable: AtomicBool::default(),
            questions: AtomicUsize::default(),
            keys: Mutex::default(),
            mailboxes: Mutex::default(),
            requests: Mutex::default(),
            salts: Mutex::default(),
            counts: Mutex::default(),
            subscriptions: Mutex::default(),
            cases: Mutex::default(),
            audit: Mutex::default(),
            served: Mutex::default(),
            rule_sets: Mutex::default(),
            rule_files: Mutex::default(),
            law_uses: Mutex::default(),
        })
    }

    /// Makes the store unavailable, or available again.
    pub(crate) fn set_unavailable(&self, unavailable: bool) {
        self.unavailable.store(unavailable, Ordering::SeqCst);
        match unavailable {
            true => self.health.failed(Component::Link, "by the test"),
            false => self.health.recovered(Component::Link),
        }
    }

    /// Number of queries so far.
    pub(crate) fn questions(&self) -> usize {
        self.questions.load(Ordering::SeqCst)
    }

    /// Total of a subject on a day.
    pub(crate) fn total(&self, day: Day, subject: Subject) -> i64 {
        self.counts
            .lock()
            .unwrap()
            .get(&(day, subject))
            .copied()
            .unwrap_or_default()
            .0
    }

    fn answer<T: Send + 'static>(&self, answer: impl FnOnce() -> T) -> Pending<'_, T> {
        self.try_answer(|| Ok(answer()))
    }

    fn try_answer<T: Send + 'static>(
        &self,
        answer: impl FnOnce() -> Result<T, Unavailable>,
    ) -> Pending<'_, T> {
        self.questions.fetch_add(1, Ordering::SeqCst);
        let unavailable = self.unavailable.load(Ordering::SeqCst);
        let answer = if unavailable {
            Err(Unavailable("by the test".to_owned()))
        } else {
            answer()
        };
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
        self.try_answer(|| add(&mut self.keys.lock().unwrap(), record))
    }

    fn put_key(&self, record: Record) -> Pending<'_, ()> {
        self.answer(|| {
            let mut keys = self.keys.lock().unwrap();
            keys.retain(|known| known.id != record.id);
            keys.push(record);
            keys.sort_by_key(|record| (record.created, record.id));
        })
    }

    fn find_keys(&self, digests: Vec<Digest>) -> Pending<'_, Vec<Record>> {
        self.answer(|| {
            let keys = self.keys.lock().unwrap();
            keys.iter()
                .filter(|record| digests.contains(&record.digest))
                .cloned()
                .collect()
        })
    }

    fn keys(&self) -> Pending<'_, Vec<Record>> {
        self.answer(|| self.keys.lock().unwrap().clone())
    }

    fn revoke_key(&self, id: Uuid, from: Timestamp) -> Pending<'_, bool> {
        self.answer(|| {
            let mut keys = self.keys.lock().unwrap();
            let found = keys.iter_mut().find(|record| record.id == id);
            found
                .map(|record| {
                    record.revoked = Some(record.revoked.map_or(from, |known| known.min(from)))
                })
                .is_some()
        })
    }

    fn extend_keys(&self, ends: Vec<(Uuid, Timestamp)>) -> Pending<'_, ()> {
        self.answer(|| {
            for record in self.keys.lock().unwrap().iter_mut() {
                let end = ends
                    .iter()
                    .find(|(id, _)| *id == record.id)
                    .map(|(_, end)| *end);
                record.expires = record.expires.max(end);
            }
        })
    }

    fn remove_keys(&self, ids: Vec<Uuid>) -> Pending<'_, ()> {
        self.answer(|| {
            self.keys
                .lock()
                .unwrap()
                .retain(|record| !ids.contains(&record.id))
        })
    }

    fn remove_digests(&self, digests: Vec<Digest>) -> Pending<'_, ()> {
        self.answer(|| {
            self.keys
                .lock()
                .unwrap()
                .retain(|record| !digests.contains(&record.digest))
        })
    }

    fn keys_of_subscription(&self, subscription: String) -> Pending<'_, Vec<Record>> {
        self.answer(|| {
            let keys = self.keys.lock().unwrap();
            keys.iter()
                .filter(|record| record.subscription.as_ref() == Some(&subscription))
                .cloned()
                .collect()
        })
    }

    fn expiring_keys(&self, now: Timestamp, before: Timestamp) -> Pending<'_, Vec<Record>> {
        self.answer(|| {
            let ends = |record: &&Record| {
                record.is_valid(now) && record.expires.is_some_and(|end| end < before)
            };
            let mut found: Vec<Record> = self
                .keys
                .lock()
                .unwrap()
                .iter()
                .filter(ends)
                .cloned()
                .collect();
            found.sort_by_key(|record| (record.expires, record.id));
            found
        })
    }

    fn change_terms(&self, account: Uuid, terms: Terms) -> Pending<'_, bool> {
        self.answer(|| {
            let mut keys = self.keys.lock().unwrap();
            for record in keys.iter().filter(|record| record.account == account) {
                if (&record.plan, &record.email) != (&terms.plan, &terms.email) {
                    self.mailboxes.lock().unwrap().remove(&record.id);
                }
            }
            change_terms(&mut keys, account, &terms)
        })
    }

    fn set_noticed(&self, id: Uuid, from: Option<u16>, to: Option<u16>) -> Pending<'_, bool> {
        self.answer(|| {
            let mut keys = self.keys.lock().unwrap();
            let found = keys
                .iter_mut()
                .find(|record| record.id == id && record.noticed == from);
            found.map(|record| record.noticed = to).is_some()
        })
    }

    fn usage(&self, account: Uuid, since: Day) -> Pending<'_, Vec<(Day, i64)>> {
        self.answer(|| {
            let counts = self.counts.lock().unwrap();
            let of_account = |((day, subject), (_, used)): (&(Day, Subject), &(i64, i64))| {
                (*subject == Subject::account(account) && *day >= since && *used > 0)
                    .then_some((*day, *used))
            };
            counts.iter().filter_map(of_account).collect()
        })
    }

    fn salt(&self, day: Day) -> Pending<'_, Salt> {
        self.answer(|| {
            *self
                .salts
                .lock()
                .unwrap()
                .entry(day)
                .or_insert_with(|| Salt::draw().unwrap())
        })
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
            self.counts
                .lock()
                .unwrap()
                .retain(|(day, subject), _| is_kept(*day, *subject));
            self.salts
                .lock()
                .unwrap()
                .retain(|day, _| *day >= today.before());
            let since = i64::from(today.before().0) * 86_400;
            self.requests
                .lock()
                .unwrap()
                .retain(|(_, request)| request.created.as_second() >= since);
            let audited = i64::from(today.0 - AUDIT_DAYS) * 86_400;
            self.audit
                .lock()
                .unwrap()
                .retain(|entry| entry.at.as_second() >= audited);
            self.served
                .lock()
                .unwrap()
                .retain(|(day, _), _| day.0 >= today.0 - AVAILABILITY_DAYS);
            false
        })
    }

    fn check(&self, _now: Timestamp) -> Pending<'_, ()> {
        self.answer(|| ())
    }
}

fn add(keys: &mut Vec<Record>, record: Record) -> Result<(), Unavailable> {
    if keys
        .iter()
        .any(|known| known.id == record.id || known.digest == record.digest)
    {
        return Err(Unavailable("the key exists".to_owned()));
    }
    keys.push(record);
    keys.sort_by_key(|record| (record.created, record.id));
    Ok(())
}

fn change_terms(keys: &mut [Record], account: Uuid, terms: &Terms) -> bool {
    let mut found = false;
    for record in keys.iter_mut().filter(|record| record.account == account) {
        let noticed = if record.expires == terms.expires {
            record.noticed
        } else {
            None
        };
        let Terms {
            plan,
            email,
            expires,
            renews,
        } = terms.clone();
        *record = Record {
            plan,
            email,
            expires,
            renews,
            noticed,
            ..record.clone()
        };
        found = true;
    }
    found
}

/// The contract of the real stores, tested on this one: a fake that behaves differently would prove
/// nothing.
#[path = "../../../tests/store/contract.rs"]
mod contract;
#[path = "../../../tests/store/contract_corrections.rs"]
mod contract_corrections;
#[path = "../../../tests/store/contract_operation.rs"]
mod contract_operation;
#[path = "../../../tests/store/contract_payments.rs"]
mod contract_payments;
#[path = "../../../tests/store/contract_rule_sets.rs"]
mod contract_rule_sets;
#[path = "../../../tests/store/contract_terms.rs"]
mod contract_terms;

/// Runs a test of the contract on a fresh store.
async fn on_each<F: Future>(test: impl Fn(Arc<dyn Store>) -> F) {
    test(Memory::new(Sharing::Alone)).await;
}
