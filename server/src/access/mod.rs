//! Who calls, and how much each may call.
//!
//! | to read | module |
//! |---|---|
//! | what a key looks like and how it is found again | [`key`], [`known`], [`lookups`] |
//! | who calls without a key, behind proxies or not | [`address`], [`subject`] |
//! | how a call is charged, alone or among several nodes | [`quota`], [`counter`], [`day`] |
//! | where it is kept | [`store`] |
//! | how keys are issued, by hand, by form or by a payment | [`issue`], [`command`], [`form`], [`payment`], [`mail`] |
//! | how the end of a key is announced | [`ending`], [`notice`] |
//!
//! Plans, quotas, prefixes and durations are data: `service.yaml`, reloaded with the rules.

pub(crate) mod address;
pub(crate) mod allowance;
pub(crate) mod command;
pub(crate) mod counter;
pub mod day;
pub(crate) mod ending;
pub(crate) mod form;
pub(crate) mod issue;
pub mod key;
pub(crate) mod known;
pub(crate) mod lookups;
pub(crate) mod mail;
pub(crate) mod notice;
pub(crate) mod payment;
pub(crate) mod quota;
pub mod store;
pub mod subject;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwapOption;
use bareme_engine::{Plan, Service, Variant};
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Interval, MissedTickBehavior, interval};
use uuid::Uuid;

use crate::clock::{Clock, RequestTime};
use crate::http::problem::{Problem, kinds};
use address::Proxies;
use allowance::Allowance;
use day::{Day, Moment};
use issue::Orphans;
use key::Key;
use known::{KnownKeys, Recalled};
use lookups::{LookupFailure, Lookups, Origin};
use quota::{Charge, Quotas};
use store::{Record, Store, USAGE_DAYS, Unavailable};
use subject::{Pseudonyms, Subject};

/// The field that carries a key.
pub const KEY_FIELD: HeaderName = HeaderName::from_static("x-api-key");

/// How often counts are written and blocks looked at.
const TICK: Duration = Duration::from_secs(1);

/// Minimum extension of an expiry that is worth a write.
const ONE_DAY: SignedDuration = SignedDuration::from_hours(24);

/// Identification of callers, keys and quotas.
#[derive(Debug)]
pub struct Access {
    proxies: Proxies,
    store: Arc<dyn Store>,
    keys: KnownKeys,
    /// Keys whose use has postponed their expiry, with the new expiry, not written yet.
    extended: Mutex<HashMap<Uuid, Timestamp>>,
    orphans: Orphans,
    quotas: Arc<Quotas>,
    names: ArcSwapOption<(Day, Pseudonyms)>,
}

/// Who calls.
#[derive(Debug, Clone, Copy)]
pub struct Caller<'s> {
    /// The plan that applies.
    pub plan: &'s Plan,
    /// The key, by what names it in its administration.
    pub key: Option<Uuid>,
    /// When the key ends, in the last days before that.
    pub ends: Option<Timestamp>,
    /// When the key expires, if it does.
    pub expires: Option<Timestamp>,
    /// Whose calls the key counts.
    account: Option<Uuid>,
    subject: Subject,
}

impl Access {
    /// Access control on a store.
    pub fn new(store: Arc<dyn Store>, proxies: Proxies) -> Self {
        Self {
            proxies,
            keys: KnownKeys::new(Lookups::start(Arc::clone(&store))),
            extended: Mutex::default(),
            orphans: Orphans::default(),
            quotas: Quotas::start(Arc::clone(&store)),
            names: ArcSwapOption::empty(),
            store,
        }
    }

    /// The store behind it.
    pub fn store(&self) -> &dyn Store {
        self.store.as_ref()
    }

    /// Which peers are proxies.
    pub fn proxies(&self) -> &Proxies {
        &self.proxies
    }

    /// Who calls a variant: the holder of a key, or, without one, somebody at an address. A key that
    /// is not good is refused; the call is never made as if it had none.
    pub async fn identify<'s>(
        &self,
        service: &'s Service,
        variant: &'s Variant,
        headers: &HeaderMap,
        peer: IpAddr,
        time: &RequestTime,
    ) -> Result<Caller<'s>, Problem> {
        let moment = self.moment(time);
        let address = self.proxies.client(peer, headers);
        let mut keys = sent_keys(headers);
        let Some(sent) = keys.next() else {
            let plan = variant.plans.first().ok_or_else(|| Problem::plain(&kinds::INTERNAL))?;
            let names = self.names(moment.day).await?;
            let subject = names.caller(&variant.name, address);
            return Ok(Caller { plan, key: None, ends: None, expires: None, account: None, subject });
        };
        let is_prefix = |prefix: &str| service.variants.iter().any(|variant| variant.key_prefix == prefix);
        // Two keys are none: which one is meant cannot be known.
        let key = if keys.next().is_none() { Key::parse(sent, is_prefix) } else { None };
        let record = match key {
            Some(key) => self.find(&key, address, time).await?,
            None => None,
        };
        let now = self.now(time)?;
        let record = record.filter(|record| record.is_valid(now)).ok_or_else(|| Problem::plain(&kinds::KEY))?;
        if record.variant != variant.name {
            return Err(Problem::plain(&kinds::OTHER_VARIANT));
        }
        // A plan that is no longer in the file gives nothing; its keys come back with it.
        let plan = variant.plans.iter().find(|plan| plan.name == record.plan);
        let plan = plan.ok_or_else(|| Problem::plain(&kinds::OTHER_VARIANT))?;
        self.extend(&record, plan, now);
        Ok(Caller {
            plan,
            key: Some(record.id),
            ends: ending::announced(&record, plan, now),
            expires: record.expires,
            account: Some(record.account),
            subject: Subject::account(record.account),
        })
    }

    /// What time it is for counts and keys: by the clock that all nodes share, if there is one.
    fn time(&self, time: &RequestTime) -> SystemTime {
        let offset = self.store.clock_offset();
        let shift = offset.unsigned_abs();
        let shifted =
            if offset.is_negative() { time.second.checked_sub(shift) } else { time.second.checked_add(shift) };
        shifted.unwrap_or(time.second)
    }

    fn moment(&self, time: &RequestTime) -> Moment {
        Moment::of(self.time(time))
    }

    /// The same, for what is stored of keys.
    pub(crate) fn now(&self, time: &RequestTime) -> Result<Timestamp, Problem> {
        Timestamp::try_from(self.time(time)).map_err(|_| Problem::plain(&kinds::INTERNAL))
    }

    /// Lets a key that ends when it is not used end later, once a day.
    fn extend(&self, record: &Record, plan: &Plan, now: Timestamp) {
        let Some(end) = plan.unused_days.and_then(|_| issue::expiry(plan, record.created, now)) else { return };
        if record.expires.is_none_or(|expires| end.duration_since(expires) >= ONE_DAY) {
            self.extended().insert(record.id, end);
        }
    }

    fn extended(&self) -> MutexGuard<'_, HashMap<Uuid, Timestamp>> {
        self.extended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn find(&self, key: &Key, address: IpAddr, time: &RequestTime) -> Result<Option<Arc<Record>>, Problem> {
        let digest = key.digest();
        let (stale, origin) = match self.keys.recall(&digest) {
            Recalled::Fresh(record) => return Ok(Some(record)),
            Recalled::Stale(record) => (Some(record), Origin::Known),
            Recalled::Unknown => (None, Origin::Unseen(address)),
        };
        self.keys.check(digest, stale, origin).await.map_err(|failure| match failure {
            LookupFailure::Store(unavailable) => unavailable.into(),
            LookupFailure::Flood => Problem::until(&kinds::TOO_MANY_UNKNOWN_KEYS, time.second + Duration::from_secs(1)),
        })
    }

    /// Charges one call, before it is computed, and sets `allowance` to the state of the quota after it. An
    /// unlimited plan has none.
    pub async fn charge(
        &self,
        caller: &Caller<'_>,
        time: &RequestTime,
        allowance: &mut Option<Allowance>,
    ) -> Result<(), Problem> {
        let moment = self.moment(time);
        let Some(quota) = caller.plan.calls_per_day else {
            if !caller.subject.is_address() {
                self.quotas.note(moment.day, caller.subject);
            }
            return Ok(());
        };
        let charge = self.quotas.charge(moment, caller.subject, quota).await;
        let remaining = match charge {
            Ok(Charge::Granted { remaining }) => Some(remaining),
            Ok(Charge::Exhausted) => Some(0),
            Err(_) => None,
        };
        *allowance = Some(Allowance { quota, remaining, moment });
        match charge? {
            Charge::Granted { .. } => Ok(()),
            Charge::Exhausted => Err(Problem::exhausted(quota, moment)),
        }
    }

    /// How many calls a caller made today, and when its count starts anew. It charges nothing.
    ///
    /// # Errors
    /// The count cannot be read now.
    pub async fn used(&self, caller: &Caller<'_>, time: &RequestTime) -> Result<(u64, String), Problem> {
        let moment = self.moment(time);
        let used = self.quotas.used(moment.day, caller.subject).await?;
        let midnight = Timestamp::try_from(moment.midnight()).map_err(|_| Problem::plain(&kinds::INTERNAL))?;
        Ok((used, midnight.to_string()))
    }

    /// Calls that the account of a key was answered on each of the last days, the oldest first. It charges nothing.
    ///
    /// # Errors
    /// The counts cannot be read now.
    pub(crate) async fn used_by_day(
        &self,
        caller: &Caller<'_>,
        time: &RequestTime,
    ) -> Result<Vec<(Day, u64)>, Problem> {
        let Some(account) = caller.account else { return Ok(Vec::new()) };
        let today = self.moment(time).day;
        let usage = self.store.usage(account, today.minus(USAGE_DAYS)).await?;
        let mut days: Vec<(Day, u64)> =
            usage.into_iter().filter(|(day, _)| *day < today).map(|(day, calls)| (day, calls.unsigned_abs())).collect();
        days.push((today, self.quotas.used(today, caller.subject).await?));
        Ok(days)
    }

    /// The pseudonyms of addresses today.
    async fn names(&self, day: Day) -> Result<Pseudonyms, Unavailable> {
        if let Some(names) = self.names.load().as_ref()
            && names.0 == day
        {
            return Ok(names.1.clone());
        }
        let names = Pseudonyms::new(&self.store.salt(day).await?);
        self.names.store(Some(Arc::new((day, names.clone()))));
        Ok(names)
    }

    /// Does what has to be done each second, until `stop`; then writes everything.
    async fn keep(&self, clock: Clock, mut stop: watch::Receiver<bool>) {
        let today = || self.moment(&clock.read()).day;
        let mut ticks = ticks();
        // The day on which what remained of earlier ones was forgotten.
        let mut forgotten = Day::default();
        loop {
            tokio::select! {
                _ = ticks.tick() => {}
                _ = stop.wait_for(|stopping| *stopping) => break,
            }
            let day = today();
            self.quotas.tick(day).await;
            self.settle_keys().await;
            if forgotten < day && self.store.forget(day).await.is_ok_and(|more| !more) {
                forgotten = day;
            }
        }
        self.quotas.close(today()).await;
        self.settle_keys().await;
        if let Err(unavailable) = self.store.close().await {
            tracing::warn!(%unavailable, "the store could not be closed");
        }
    }

    /// Writes new expiries of keys in use, and removes orphaned keys.
    async fn settle_keys(&self) {
        let extended = std::mem::take(&mut *self.extended());
        if !extended.is_empty() && self.store.extend_keys(extended.clone().into_iter().collect()).await.is_err() {
            self.extended().extend(extended);
        }
        self.orphans.remove(self.store.as_ref()).await;
    }

    /// Checks the store each second, whatever waits for it meanwhile.
    async fn watch_store(&self, clock: Clock) {
        let mut ticks = ticks();
        loop {
            ticks.tick().await;
            let now = Timestamp::try_from(clock.read().second).unwrap_or_default();
            // What it found is in the health of the store.
            drop(self.store.check(now).await);
        }
    }
}

/// The keys that a request sends, in `X-API-Key` or as `Authorization: Bearer`. Credentials of another scheme
/// are a key that is not valid: who identifies itself is never taken for a caller without a key.
pub(crate) fn sent_keys(headers: &HeaderMap) -> impl Iterator<Item = &[u8]> {
    let credentials = headers.get_all(AUTHORIZATION).iter().map(HeaderValue::as_bytes);
    let token = |value| strip_bearer(value).unwrap_or(value);
    headers.get_all(KEY_FIELD).iter().map(HeaderValue::as_bytes).chain(credentials.map(token))
}

fn strip_bearer(credentials: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = credentials.split_at_checked(b"Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then(|| token.trim_ascii())
}

fn ticks() -> Interval {
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// The background tasks of access control.
#[derive(Debug)]
pub struct Maintenance {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
    watch: JoinHandle<()>,
}

impl Maintenance {
    /// Starts the tasks.
    pub fn start(access: Arc<Access>, clock: Clock) -> Self {
        let (stop, stopped) = watch::channel(false);
        let watching = Arc::clone(&access);
        let watch = tokio::spawn(async move { watching.watch_store(clock).await });
        Self { stop, watch, task: tokio::spawn(async move { access.keep(clock, stopped).await }) }
    }

    /// Writes what is left to write. No call may be answered any more.
    pub async fn stop(self) {
        self.watch.abort();
        self.stop.send_replace(true);
        drop(self.task.await);
    }
}

impl From<Unavailable> for Problem {
    fn from(unavailable: Unavailable) -> Self {
        tracing::debug!(%unavailable, "refused: the store is unavailable");
        Self::plain(&kinds::STORE_UNAVAILABLE)
    }
}
