//! Who calls, and how much each may call.
//!
//! | to read | module |
//! |---|---|
//! | what a key looks like and what is kept of it | [`key`], [`known`], [`attempts`] |
//! | who calls without a key, behind proxies or not | [`address`], [`subject`] |
//! | how a call is charged, alone or among several nodes | [`quota`], [`counter`], [`day`] |
//! | where it is kept | [`store`] |
//! | how keys are given | [`issue`], [`form`], [`command`], [`mail`] |
//!
//! Plans, quotas, prefixes and durations are data: `service.yaml`, reloaded with the rules.

pub mod address;
pub mod allowance;
pub mod attempts;
pub mod command;
pub mod counter;
pub mod day;
pub mod form;
pub mod issue;
pub mod key;
pub mod known;
pub mod mail;
pub mod quota;
pub mod store;
pub mod subject;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use bareme_engine::{Plan, Service, Variant};
use hyper::header::{HeaderMap, HeaderName};
use jiff::Timestamp;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};

use crate::clock::{Clock, Reading};
use crate::problem::{Problem, kinds};
use address::Proxies;
use allowance::Allowance;
use attempts::Attempts;
use day::{Day, Moment};
use key::Key;
use known::{KnownKeys, Recalled};
use quota::{Charge, Quotas};
use store::{Record, Store, Unavailable};
use subject::{Pseudonyms, Subject};

/// The field that carries a key.
pub const KEY_FIELD: HeaderName = HeaderName::from_static("x-api-key");

/// How often counts are written and blocks looked at.
const TICK: Duration = Duration::from_secs(1);

/// The gate of the service.
#[derive(Debug)]
pub struct Access {
    proxies: Proxies,
    store: Arc<dyn Store>,
    keys: KnownKeys,
    attempts: Attempts,
    quotas: Arc<Quotas>,
    names: ArcSwapOption<(Day, Pseudonyms)>,
}

/// Who calls.
#[derive(Debug, Clone, Copy)]
pub struct Caller<'s> {
    /// The plan that applies.
    pub plan: &'s Plan,
    subject: Subject,
}

impl Access {
    /// Opens the gate on a store.
    pub fn new(store: Arc<dyn Store>, proxies: Proxies) -> Self {
        Self {
            proxies,
            keys: KnownKeys::new(Arc::clone(&store)),
            attempts: Attempts::default(),
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
        reading: &Reading,
    ) -> Result<Caller<'s>, Problem> {
        let moment = Moment::of(reading.second);
        let address = self.proxies.client(peer, headers);
        let mut keys = headers.get_all(KEY_FIELD).iter();
        let Some(sent) = keys.next() else {
            let plan = variant.plans.first().ok_or_else(|| Problem::plain(&kinds::INTERNAL))?;
            let names = self.names(moment.day).await?;
            return Ok(Caller { plan, subject: names.caller(&variant.name, address) });
        };
        let is_prefix = |prefix: &str| service.variants.iter().any(|variant| variant.key_prefix == prefix);
        // Two keys are none: which one is meant cannot be known.
        let key = if keys.next().is_none() { Key::parse(sent.as_bytes(), is_prefix) } else { None };
        let record = match key {
            Some(key) => self.find(&key, moment, address).await?,
            None => None,
        };
        let now = Timestamp::try_from(reading.second).map_err(|_| Problem::plain(&kinds::INTERNAL))?;
        let Some(record) = record.filter(|record| record.is_good(now)) else {
            self.attempts.failed(moment, address);
            return Err(Problem::plain(&kinds::KEY));
        };
        if record.variant != variant.name {
            return Err(Problem::plain(&kinds::OTHER_VARIANT));
        }
        // A plan that is no longer in the file gives nothing; its keys come back with it.
        let plan = variant.plans.iter().find(|plan| plan.name == record.plan);
        let plan = plan.ok_or_else(|| Problem::plain(&kinds::OTHER_VARIANT))?;
        Ok(Caller { plan, subject: Subject::account(record.account) })
    }

    async fn find(&self, key: &Key, moment: Moment, address: IpAddr) -> Result<Option<Arc<Record>>, Problem> {
        let digest = key.digest();
        let stale = match self.keys.recall(&digest) {
            Recalled::Fresh(record) => return Ok(Some(record)),
            Recalled::Stale(record) => Some(record),
            Recalled::Unknown if self.attempts.may_try(moment, address) => None,
            Recalled::Unknown => return Err(Problem::until(&kinds::ATTEMPTS, moment.minute())),
        };
        Ok(self.keys.check(digest, stale).await?)
    }

    /// Charges one call, before it is computed, and tells the quota as it is then. An unlimited plan
    /// has none.
    pub async fn charge(
        &self,
        caller: &Caller<'_>,
        reading: &Reading,
        allowance: &mut Option<Allowance>,
    ) -> Result<(), Problem> {
        let Some(quota) = caller.plan.calls_per_day else { return Ok(()) };
        let moment = Moment::of(reading.second);
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

    /// The names that addresses have today.
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

    /// What has to be done each second, until told to stop; then leaves nothing behind.
    async fn keep(&self, clock: Clock, mut stop: watch::Receiver<bool>) {
        let today = || Moment::of(clock.read().second).day;
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The days whose remains are gone.
        let mut forgotten = Day::default();
        loop {
            tokio::select! {
                _ = ticks.tick() => {}
                _ = stop.wait_for(|stopping| *stopping) => break,
            }
            let day = today();
            self.quotas.tick(day).await;
            if forgotten < day && self.store.forget(day).await.is_ok_and(|more| !more) {
                forgotten = day;
            }
        }
        self.quotas.close(today()).await;
    }
}

/// The task that keeps the gate.
#[derive(Debug)]
pub struct Keeper {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Keeper {
    /// Starts it.
    pub fn start(access: Arc<Access>, clock: Clock) -> Self {
        let (stop, stopped) = watch::channel(false);
        Self { stop, task: tokio::spawn(async move { access.keep(clock, stopped).await }) }
    }

    /// Writes what is left to write. No call may be answered any more.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        drop(self.task.await);
    }
}

impl From<Unavailable> for Problem {
    fn from(unavailable: Unavailable) -> Self {
        tracing::debug!(%unavailable, "refused for want of the store");
        Self::plain(&kinds::STORE_AWAY)
    }
}
