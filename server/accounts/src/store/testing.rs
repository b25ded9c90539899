//! A store in memory that can be made unavailable, for unit tests.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use uuid::Uuid;

use super::audit::{AUDIT_DAYS, AuditEntry, AuditLog};
use super::availability::{AVAILABILITY_DAYS, Availability, ServedDay, ServedMinute};
use super::mailboxes::{KeyRequest, Mailboxes};
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

impl SubscriptionStore for Memory {
    fn subscription(&self, id: String) -> Pending<'_, Option<Subscription>> {
        self.answer(|| self.subscriptions.lock().unwrap().get(&id).cloned())
    }

    fn save_subscription(
        &self,
        subscription: Subscription,
        keys: KeyChange,
        entry: Option<AuditEntry>,
    ) -> Pending<'_, bool> {
        self.try_answer(|| {
            let mut subscriptions = self.subscriptions.lock().unwrap();
            let version = subscriptions
                .get(&subscription.id)
                .map_or(0, |known| known.version);
            if version != subscription.version {
                return Ok(false);
            }
            self.audit.lock().unwrap().extend(entry);
            let mut known = self.keys.lock().unwrap();
            match keys {
                KeyChange::None => {}
                KeyChange::Add(record) => add(&mut known, *record)?,
                KeyChange::Terms {
                    account,
                    terms,
                    deliver,
                } => {
                    change_terms(&mut known, account, &terms);
                    let is_held = |record: &&mut Record| {
                        record.account == account && record.delivery == Delivery::Held
                    };
                    for record in known.iter_mut().filter(is_held).filter(|_| deliver) {
                        (record.delivery, record.attempt_at) =
                            (Delivery::Due, Some(Timestamp::UNIX_EPOCH));
                    }
                }
            }
            subscriptions.insert(
                subscription.id.clone(),
                Subscription {
                    version: version + 1,
                    ..subscription
                },
            );
            Ok(true)
        })
    }

    fn forget_subscription(&self, id: String) -> Pending<'_, ()> {
        self.answer(|| drop(self.subscriptions.lock().unwrap().remove(&id)))
    }

    fn subscriptions(&self) -> Pending<'_, Vec<Subscription>> {
        self.answer(|| {
            self.subscriptions
                .lock()
                .unwrap()
                .values()
                .cloned()
                .collect()
        })
    }

    fn waiting_subscriptions(&self, before: Timestamp) -> Pending<'_, Vec<Subscription>> {
        self.answer(|| {
            let subscriptions = self.subscriptions.lock().unwrap();
            let waits =
                |known: &&Subscription| known.waits_since.is_some_and(|since| since <= before);
            let mut waiting: Vec<Subscription> =
                subscriptions.values().filter(waits).cloned().collect();
            waiting.sort_by_key(|known| (known.waits_since, known.id.clone()));
            waiting
        })
    }

    fn claim_delivery(&self, now: Timestamp, until: Timestamp) -> Pending<'_, Option<Claimed>> {
        self.answer(|| {
            let mut keys = self.keys.lock().unwrap();
            let is_due = |record: &&mut Record| {
                matches!(record.delivery, Delivery::Due | Delivery::Sending)
                    && record.attempt_at.is_some_and(|at| at <= now)
            };
            let found = keys
                .iter_mut()
                .filter(is_due)
                .min_by_key(|record| (record.attempt_at, record.id))?;
            let was_interrupted = found.delivery == Delivery::Sending;
            (found.delivery, found.attempt_at) = (Delivery::Sending, Some(until));
            found.attempts += 1;
            Some(Claimed {
                record: found.clone(),
                was_interrupted,
            })
        })
    }

    fn change_digest(&self, id: Uuid, digest: Digest, last_four: String) -> Pending<'_, ()> {
        self.answer(|| {
            for record in self
                .keys
                .lock()
                .unwrap()
                .iter_mut()
                .filter(|record| record.id == id)
            {
                *record = Record {
                    digest,
                    last_four: last_four.clone(),
                    ..record.clone()
                };
            }
        })
    }

    fn add_beside(&self, unsure: Uuid, record: Record) -> Pending<'_, ()> {
        self.try_answer(|| {
            let mut keys = self.keys.lock().unwrap();
            for old in keys.iter_mut().filter(|old| old.id == unsure) {
                (old.delivery, old.attempt_at) = (Delivery::Unsure, None);
            }
            add(&mut keys, record)
        })
    }

    fn set_delivery(
        &self,
        id: Uuid,
        delivery: Delivery,
        again: Option<Timestamp>,
    ) -> Pending<'_, bool> {
        self.answer(|| {
            let mut keys = self.keys.lock().unwrap();
            let found = keys.iter_mut().find(|record| record.id == id);
            found
                .map(|record| (record.delivery, record.attempt_at) = (delivery, again))
                .is_some()
        })
    }

    fn undelivered_keys(&self) -> Pending<'_, Vec<Record>> {
        self.answer(|| {
            let is_under_way =
                |record: &&Record| matches!(record.delivery, Delivery::Due | Delivery::Sending);
            self.keys
                .lock()
                .unwrap()
                .iter()
                .filter(is_under_way)
                .cloned()
                .collect()
        })
    }

    fn restore_key(&self, id: Uuid) -> Pending<'_, bool> {
        self.answer(|| {
            let mut keys = self.keys.lock().unwrap();
            keys.iter_mut()
                .find(|record| record.id == id)
                .map(|record| record.revoked = None)
                .is_some()
        })
    }

    fn open_case(&self, case: Case) -> Pending<'_, bool> {
        self.answer(|| {
            let mut cases = self.cases.lock().unwrap();
            let is_new = cases.iter().all(|(known, _)| known.id != case.id);
            if is_new {
                cases.push((case, false));
            }
            is_new
        })
    }

    fn cases(&self) -> Pending<'_, Vec<Case>> {
        self.answer(|| {
            let cases = self.cases.lock().unwrap();
            let mut open: Vec<Case> = cases
                .iter()
                .filter(|(_, settled)| !settled)
                .map(|(case, _)| case.clone())
                .collect();
            open.sort_by_key(|case| (case.opened, case.id.clone()));
            open
        })
    }

    fn settle_cases(&self, ids: Vec<String>, may_recur: bool) -> Pending<'_, u64> {
        self.answer(|| {
            let mut cases = self.cases.lock().unwrap();
            let is_meant = |(case, settled): &(Case, bool)| !settled && ids.contains(&case.id);
            let count = cases.iter().filter(|known| is_meant(known)).count();
            if may_recur {
                cases.retain(|known| !is_meant(known));
            }
            cases
                .iter_mut()
                .filter(|known| is_meant(known))
                .for_each(|(_, settled)| *settled = true);
            count as u64
        })
    }
}

impl Mailboxes for Memory {
    fn add_request(&self, token: Digest, request: KeyRequest) -> Pending<'_, ()> {
        self.answer(|| self.requests.lock().unwrap().push((token, request)))
    }

    fn request(&self, token: Digest) -> Pending<'_, Option<KeyRequest>> {
        self.answer(|| {
            let requests = self.requests.lock().unwrap();
            let found = requests.iter().find(|(known, _)| *known == token);
            found.map(|(_, request)| request.clone())
        })
    }

    fn take_request(&self, token: Digest) -> Pending<'_, Option<KeyRequest>> {
        self.answer(|| {
            let mut requests = self.requests.lock().unwrap();
            let index = requests.iter().position(|(known, _)| *known == token)?;
            Some(requests.remove(index).1)
        })
    }

    fn keys_of_mailbox(&self, variant: String, mailbox: String) -> Pending<'_, Vec<Record>> {
        self.answer(|| {
            let keys = self.keys.lock().unwrap();
            let holders = self.mailboxes.lock().unwrap();
            let holds = |record: &&Record| {
                holders.get(&record.id) == Some(&(variant.clone(), mailbox.clone()))
            };
            let account = keys.iter().find(holds).map(|record| record.account);
            keys.iter()
                .rev()
                .filter(|record| Some(record.account) == account)
                .cloned()
                .collect()
        })
    }

    fn keys_of_email(&self, email: String) -> Pending<'_, Vec<Record>> {
        self.answer(|| {
            let keys = self.keys.lock().unwrap();
            let of_email = |record: &&Record| record.email.eq_ignore_ascii_case(&email);
            keys.iter().filter(of_email).cloned().collect()
        })
    }

    fn keys_of_account(&self, account: Uuid) -> Pending<'_, Vec<Record>> {
        self.answer(|| {
            let keys = self.keys.lock().unwrap();
            let of_account = |record: &&Record| record.account == account;
            keys.iter().filter(of_account).cloned().collect()
        })
    }

    fn hold_mailbox(
        &self,
        id: Uuid,
        variant: String,
        mailbox: String,
        now: Timestamp,
    ) -> Pending<'_, bool> {
        self.try_answer(|| {
            let keys = self.keys.lock().unwrap();
            let mut holders = self.mailboxes.lock().unwrap();
            let account = |id: &Uuid| {
                keys.iter()
                    .find(|record| record.id == *id)
                    .map(|record| record.account)
            };
            let is_live = |id: &Uuid| {
                keys.iter()
                    .any(|record| Some(record.account) == account(id) && record.is_valid(now))
            };
            holders.retain(|id, held| *held != (variant.clone(), mailbox.clone()) || is_live(id));
            if holders
                .iter()
                .any(|(other, held)| *other != id && *held == (variant.clone(), mailbox.clone()))
            {
                return Err(Unavailable("the mailbox is held".to_owned()));
            }
            let is_known = account(&id).is_some();
            if is_known {
                holders.insert(id, (variant, mailbox));
            }
            Ok(is_known)
        })
    }

    fn replace_key(&self, old: Record, new: Record) -> Pending<'_, bool> {
        self.answer(|| {
            let mut keys = self.keys.lock().unwrap();
            let Some(record) = keys
                .iter_mut()
                .find(|record| (record.id, record.digest) == (old.id, old.digest))
            else {
                return false;
            };
            (record.digest, record.last_four, record.expires) =
                (new.digest, new.last_four, new.expires);
            true
        })
    }
}

impl AuditLog for Memory {
    fn add_audit_entry(&self, entry: AuditEntry) -> Pending<'_, ()> {
        self.answer(|| self.audit.lock().unwrap().push(entry))
    }

    fn audit_entries(
        &self,
        account: Option<Uuid>,
        since: Timestamp,
        most: u32,
    ) -> Pending<'_, Vec<AuditEntry>> {
        self.answer(|| {
            let audit = self.audit.lock().unwrap();
            let is_asked = |entry: &&AuditEntry| {
                entry.at >= since && account.is_none_or(|account| entry.account == account)
            };
            let mut found: Vec<AuditEntry> = audit.iter().rev().filter(is_asked).cloned().collect();
            found.sort_by_key(|entry| std::cmp::Reverse(entry.at));
            found.truncate(most as usize);
            found
        })
    }
}

impl Availability for Memory {
    fn add_minute(&self, minute: ServedMinute) -> Pending<'_, ()> {
        self.answer(|| {
            let mut served = self.served.lock().unwrap();
            let (calls, failed) = served.entry((minute.day, minute.minute)).or_default();
            *calls += minute.calls;
            *failed += minute.failed;
        })
    }

    fn served_days(&self, since: Day) -> Pending<'_, Vec<ServedDay>> {
        self.answer(|| {
            let mut days = BTreeMap::<Day, ServedDay>::new();
            for ((day, minute), (calls, failed)) in self.served.lock().unwrap().iter() {
                let (day, minute, calls, failed) = (*day, *minute, *calls, *failed);
                let served = days.entry(day).or_insert(ServedDay {
                    day,
                    first: minute,
                    minutes: 0,
                    calls: 0,
                    failed: 0,
                });
                let of_minute = ServedMinute {
                    day,
                    minute,
                    calls,
                    failed,
                };
                served.minutes += u16::from(of_minute.is_available());
                (served.calls, served.failed) = (served.calls + calls, served.failed + failed);
            }
            days.into_values()
                .filter(|served| served.day >= since)
                .collect()
        })
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
#[path = "../../tests/store/contract.rs"]
mod contract;
#[path = "../../tests/store/contract_operation.rs"]
mod contract_operation;
#[path = "../../tests/store/contract_payments.rs"]
mod contract_payments;

/// Runs a test of the contract on a fresh store.
async fn on_each<F: Future>(test: impl Fn(Arc<dyn Store>) -> F) {
    test(Memory::new(Sharing::Alone)).await;
}
