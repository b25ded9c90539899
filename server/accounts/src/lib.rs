//! Keys, quotas, payments: who calls the service, and how much each may call. Independent of HTTP.
//!
//! | topic | module |
//! |---|---|
//! | text, cache and look-up of keys | [`key`], [`key_cache`], [`lookups`], [`batches`] |
//! | keys that are in the source of web pages | [`publishable`] |
//! | subjects of counts | [`subject`] |
//! | charging of calls, alone or among several nodes | [`charges`], [`quota`], [`counter`], [`day`] |
//! | state of a quota, as it is reported to a caller | [`allowance`] |
//! | the laws that answers applied, for e-mails about their corrections | [`law_uses`] |
//! | storage | [`store`] |
//! | issuing of keys, by hand, on request or by a payment | [`issue`], [`command`], [`free_keys`], [`payment`],
//! [`mail`] |
//! | announcement of the end of a key | [`expiry`] |
//!
//! Plans, quotas, prefixes and durations are data: `service.yaml`, reloaded with the rules.

#![allow(
    rustdoc::private_intra_doc_links,
    reason = "a part of one program: its documentation is read with its private items"
)]

pub mod allowance;
mod batches;
mod charges;
pub mod command;
pub mod confirmations;
mod counter;
pub mod day;
pub mod expiry;
pub mod free_keys;
pub mod issue;
pub mod key;
mod key_cache;
mod law_uses;
mod lookups;
pub mod mail;
mod maintenance;
pub mod owner;
pub mod payment;
pub mod publishable;
mod quota;
#[cfg(test)]
#[cfg(feature = "postgres")]
mod simulation;
pub mod store;
pub mod subject;

// The contract of stores is an integration test that uses the public paths, and also runs on the
// store of the unit tests.
#[cfg(test)]
extern crate self as bareme_accounts;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::SystemTime;

use arc_swap::ArcSwapOption;
use bareme_engine::service::{Plan, Service, Variant};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use uuid::Uuid;

use allowance::InsufficientCalls;
use day::{Day, Moment};
use issue::Orphans;
use key::Key;
use key_cache::{Cached, KeyCache};
use law_uses::LawUses;
use lookups::Lookups;
use publishable::{Door, PageCalls, PageDenial};
use quota::Quotas;
use quota::grace::GRACE;
use store::{Component, Record, Sharing, Store, Unavailable};
use subject::{Pseudonyms, Subject};

pub use maintenance::Maintenance;

/// Minimum extension of an expiry that is worth a write.
// Otherwise each call of a key that ends when unused would cost a write.
const ONE_DAY: SignedDuration = SignedDuration::from_hours(24);

/// Identification of callers, keys and quotas.
#[derive(Debug)]
pub struct Access {
    store: Arc<dyn Store>,
    keys: KeyCache,
    /// Keys whose use has postponed their expiry, with the new expiry, to be written.
    extended: Mutex<HashMap<Uuid, Timestamp>>,
    orphans: Orphans,
    quotas: Arc<Quotas>,
    /// The laws that answers applied, where they are counted.
    laws: Option<LawUses>,
    names: ArcSwapOption<(Day, Pseudonyms)>,
}

/// The identified caller of a request: its plan, its key if it sent one, and the subject that its
/// calls count for.
#[derive(Debug, Clone, Copy)]
pub struct Caller<'s> {
    /// The plan that applies.
    pub plan: &'s Plan,
    /// Id of the key.
    pub key: Option<Uuid>,
    /// When the key ends, if that is to be announced.
    pub ends: Option<Timestamp>,
    /// When the key expires, if it does.
    pub expires: Option<Timestamp>,
    /// Whether the key was paid for, as its plan is not the first.
    paying: bool,
    /// The count of all calls from the address with keys of such a plan, and its daily limit.
    ceiling: Option<(Subject, u64)>,
    /// The count of a publishable key itself.
    page: Option<PageCalls>,
    /// Account that the calls of the key count for.
    account: Option<Uuid>,
    subject: Subject,
}

impl Caller<'_> {
    /// The most calls that it can make in a whole day; `None` without a limit.
    pub fn calls_in_a_day(&self) -> Option<u64> {
        let of_address = self.ceiling.map(|(_, most)| most);
        let of_key = self.page.and_then(|page| page.most);
        [self.plan.calls_per_day, of_address, of_key]
            .into_iter()
            .flatten()
            .min()
    }

    /// Whether the key is publishable: the call comes from a visitor of its owner's page.
    pub fn is_page(&self) -> bool {
        self.page.is_some()
    }

    /// The account of a key that was paid for. The work of a page is that of its visitor's address:
    /// a key that anybody can copy must not use up the budget of the owner's own programs.
    pub fn paying_account(&self) -> Option<Uuid> {
        self.account.filter(|_| self.paying && !self.is_page())
    }
}

/// Why a caller is refused.
#[derive(Debug)]
pub enum Denial {
    /// The key is not valid.
    Key,
    /// The key is of another variant, or its plan is no longer offered.
    OtherVariant,
    /// The key is publishable, and not accepted for this call.
    Page(PageDenial),
    /// Fewer calls of a publishable key itself are left today than the request needs.
    KeyExhausted(InsufficientCalls),
    /// Fewer calls of the plan are left today than the request needs.
    Exhausted(InsufficientCalls),
    /// Fewer calls of the free keys of the address are left today than the request needs.
    AddressExhausted(InsufficientCalls),
    /// Too many keys were requested today, from the address, from its network or in total.
    TooManyKeys {
        /// When the counts are reset.
        midnight: SystemTime,
    },
    /// The form was submitted before, or is of another day.
    Form,
    /// The link that confirms a mailbox was used before, has expired, or was never sent.
    Link,
    /// Too many e-mails are being sent.
    Overloaded,
    /// The variant has no plan.
    NoPlan,
    /// Keys or counts cannot be read.
    Unavailable(Unavailable),
}

impl From<PageDenial> for Denial {
    fn from(denial: PageDenial) -> Self {
        Self::Page(denial)
    }
}

impl From<Unavailable> for Denial {
    fn from(unavailable: Unavailable) -> Self {
        Self::Unavailable(unavailable)
    }
}

impl Access {
    /// Access control on a store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self {
            keys: KeyCache::new(Lookups::start(Arc::clone(&store))),
            extended: Mutex::default(),
            orphans: Orphans::default(),
            quotas: Quotas::start(Arc::clone(&store)),
            laws: None,
            names: ArcSwapOption::empty(),
            store,
        }
    }

    /// The underlying store.
    pub fn store(&self) -> &dyn Store {
        self.store.as_ref()
    }

    /// The underlying store, for what lives as long as the service.
    pub fn shared_store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store)
    }

    /// Until when known paying keys keep working while their common count is not available.
    pub fn grace_until(&self) -> Option<Timestamp> {
        if self.store.sharing() == Sharing::Alone {
            return None;
        }

        let is_counting = |component| matches!(component, Component::Link | Component::Writer);
        let outages = self
            .store
            .health()
            .outages()
            .into_iter()
            .filter(|(component, _)| is_counting(*component));

        // The first of the two that failed: a link that breaks makes writes fail a moment later.
        let since = outages.map(|(_, since)| since).min()?;
        since.checked_add(GRACE).ok()
    }

    /// Identifies the caller of a variant: the holder of the key that was sent, or without a key an
    /// address. An invalid key is refused; it is never treated as no key. A publishable key is
    /// accepted at a `door` for pages alone, from an origin that was declared for it.
    pub async fn identify<'s>(
        &self,
        (service, variant): (&'s Service, &'s Variant),
        mut sent: impl Iterator<Item = &[u8]>,
        door: Door<'_>,
        address: IpAddr,
        time: SystemTime,
    ) -> Result<Caller<'s>, Denial> {
        let moment = self.moment(time);

        let Some(text) = sent.next() else {
            let plan = variant.plans.first().ok_or(Denial::NoPlan)?;
            let names = self.names(moment.day).await?;
            let subject = names.caller(&variant.name, address);
            return Ok(Caller {
                plan,
                key: None,
                ends: None,
                expires: None,
                paying: false,
                ceiling: None,
                page: None,
                account: None,
                subject,
            });
        };

        // Prefixes of all variants: a key of another one is valid, and gets an answer that says so.
        let is_prefix = |prefix: &str| {
            service
                .variants
                .iter()
                .any(|variant| variant.key_prefix == prefix)
        };

        // With two keys, it is unclear which one is meant.
        let key = if sent.next().is_none() {
            Key::parse(text, is_prefix)
        } else {
            None
        };
        // A text that cannot be a key is refused without the store: a flood of made-up ones costs a
        // checksum each.
        let record = match &key {
            Some(key) => self.find(key).await?,
            None => None,
        };

        let now = self.now(time)?;
        let record = record
            .filter(|record| record.is_valid(now))
            // Text and record agree, or the key is none: whatever happens to a record, a text that
            // pages show never opens what a secret key opens.
            .filter(|record| {
                key.is_some_and(|key| key.is_publishable() == record.publication.is_some())
            })
            .ok_or(Denial::Key)?;
        // Checked after the validity: an ended key of another variant is an invalid key.
        if record.variant != variant.name {
            return Err(Denial::OtherVariant);
        }

        // A plan that is no longer in the file grants nothing; its keys work again once it is back.
        let plan = variant.plans.iter().find(|plan| plan.name == record.plan);
        let plan = plan.ok_or(Denial::OtherVariant)?;

        // Before anything is written or charged: a page of another site costs the owner nothing.
        let page = match &record.publication {
            Some(publication) => {
                door.admit(publication)?;
                Some(PageCalls {
                    subject: Subject::account(record.id),
                    most: publication.calls_per_day,
                })
            }
            None => None,
        };

        self.extend(&record, plan, now);

        // Free keys cost nothing but a mailbox: a ceiling for each address keeps one from
        // collecting quotas with many keys.
        let ceiling = match plan.calls_per_address {
            Some(most) => Some((
                self.names(moment.day)
                    .await?
                    .key_holders(&variant.name, address),
                most,
            )),
            None => None,
        };

        Ok(Caller {
            plan,
            key: Some(record.id),
            ends: expiry::announced_end(&record, plan, now),
            expires: record.expires,
            paying: variant
                .plans
                .first()
                .is_some_and(|first| first.name != plan.name),
            ceiling,
            page,
            account: Some(record.account),
            subject: Subject::account(record.account),
        })
    }

    /// Day and second of a request, for its counts.
    pub(crate) fn moment(&self, time: SystemTime) -> Moment {
        Moment::new(self.store.time(time))
    }

    /// The time of a request, for the validity of keys.
    pub fn now(&self, time: SystemTime) -> Result<Timestamp, Unavailable> {
        Timestamp::try_from(self.store.time(time)).map_err(|error| Unavailable(error.to_string()))
    }

    /// Postpones the expiry of a key that ends when unused, once a day.
    fn extend(&self, record: &Record, plan: &Plan, now: Timestamp) {
        let Some(end) = plan
            .unused_days
            .and_then(|_| issue::expiry(plan, record.created, now))
        else {
            return;
        };
        if record
            .expires
            .is_none_or(|expires| end.duration_since(expires) >= ONE_DAY)
        {
            // Written each second in one statement, not while the caller waits.
            self.extended.lock().insert(record.id, end);
        }
    }

    async fn find(&self, key: &Key) -> Result<Option<Arc<Record>>, Unavailable> {
        let digest = key.digest();
        let known = match self.keys.get(&digest) {
            Cached::Fresh(record) => return Ok(Some(record)),
            Cached::Stale(record) => Some(record),
            Cached::Unknown => None,
        };
        // Boxed, as what is rare: the future of every call would have the room of a look-up.
        Box::pin(self.keys.look_up(digest, known)).await
    }

    /// The pseudonymiser of addresses for a day.
    pub(crate) async fn names(&self, day: Day) -> Result<Pseudonyms, Unavailable> {
        if let Some(names) = self.names.load().as_ref()
            && names.0 == day
        {
            return Ok(names.1.clone());
        }
        // Concurrent first calls of a day may each ask for the salt: the store gives all of them
        // the same.
        let names = Pseudonyms::new(&self.store.salt(day).await?);
        self.names.store(Some(Arc::new((day, names.clone()))));
        Ok(names)
    }
}
