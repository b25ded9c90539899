//! Payments: signed events of a payment provider issue, renew and end keys, so that buying needs nobody.
//!
//! Events come in Stripe's format to the admin listener. Each is applied once, on whichever node it arrives; one
//! that cannot be applied now is answered with an error, and the provider sends it again.

mod event;
mod signature;

use std::sync::Arc;
use std::time::Duration;

use bareme_engine::{Plan, Service, Variant};
use hyper::StatusCode;
use hyper::header::HeaderMap;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::issue::{self, Issued};
use super::mail::{self, MailFailure, Mailer};
use super::store::{EventClaim, Record, Store, Terms, Unavailable};
use crate::http::reply::{self, Reply};
use crate::shared::Shared;
use event::{Event, Meaning, Offer, SubscriptionChange};
pub(crate) use signature::Secrets;

/// Where events are sent.
pub(crate) const PATH: &str = "/stripe";

/// Longest event, in bytes.
pub(crate) const MAX_LENGTH: usize = 256 * 1024;

/// How long a key outlives the period that is paid: the next payment takes its time.
const GRACE: SignedDuration = SignedDuration::from_hours(3 * 24);

/// How often, and how many times, an event waits for another of its subscription.
const WAIT: Duration = Duration::from_millis(100);
const WAITS: usize = 50;

/// What payments need.
#[derive(Debug)]
pub(crate) struct Payments {
    /// The secrets of the signatures.
    pub secrets: Secrets,
    /// A key that was bought reaches its owner by e-mail.
    pub mailer: Arc<Mailer>,
}

/// What became of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    Issued(Record),
    Renewed(Record),
    Changed(Record),
    Ended(Record),
    /// Nothing was to be done, and why.
    Ignored(&'static str),
}

/// Why an event is not applied.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{0}")]
    Forged(#[from] signature::Forgery),
    #[error("the event cannot be read: {0}")]
    Unreadable(String),
    #[error("the event cannot be applied: {0}")]
    Unusable(&'static str),
    #[error("the event is being applied already")]
    Busy,
    #[error("no valid rules are loaded")]
    NotReady,
    #[error(transparent)]
    Store(#[from] Unavailable),
    #[error(transparent)]
    Mail(#[from] MailFailure),
}

impl Failure {
    fn status(&self) -> StatusCode {
        match self {
            Self::Forged(_) | Self::Unreadable(_) => StatusCode::BAD_REQUEST,
            Self::Unusable(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Busy => StatusCode::CONFLICT,
            Self::NotReady | Self::Store(_) | Self::Mail(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

impl Payments {
    /// Answers an event: 200 once it is applied, whatever it meant; otherwise the provider sends it again.
    pub(crate) async fn respond(&self, shared: &Shared, headers: &HeaderMap, body: &[u8]) -> Reply {
        match self.receive(shared, headers, body).await {
            Ok((event, outcome)) => {
                let (result, key) = match &outcome {
                    Outcome::Issued(record) => ("issued", Some(record)),
                    Outcome::Renewed(record) => ("renewed", Some(record)),
                    Outcome::Changed(record) => ("changed", Some(record)),
                    Outcome::Ended(record) => ("ended", Some(record)),
                    Outcome::Ignored(_) => ("ignored", None),
                };
                let key = key.map(|record| record.id.to_string());
                let reason = if let Outcome::Ignored(reason) = outcome { Some(reason) } else { None };
                tracing::info!(event = event.id, kind = event.kind, result, key, reason, "payment event");
                let content = [("result", Some(result)), ("key", key.as_deref()), ("reason", reason)];
                let content = content.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into())));
                reply::unstored(StatusCode::OK, &Value::Object(content.collect()))
            }
            Err(failure) => {
                tracing::warn!(error = %failure, "payment event refused");
                reply::unstored(failure.status(), &json!({"error": failure.to_string()}))
            }
        }
    }

    async fn receive(&self, shared: &Shared, headers: &HeaderMap, body: &[u8]) -> Result<(Event, Outcome), Failure> {
        let field = headers.get("stripe-signature").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let time = shared.clock.read();
        self.secrets.check(field, body, Timestamp::try_from(time.second).unwrap_or_default())?;
        let now = shared.access.now(&time).map_err(|_| Failure::NotReady)?;
        let event = Event::read(body).map_err(Failure::Unreadable)?;
        let Some(meaning) = event.meaning.clone() else {
            return Ok((event, Outcome::Ignored("of no concern to keys")));
        };
        let snapshot = shared.snapshot().ok_or(Failure::NotReady)?;
        let store = shared.access.store();
        match store.claim_event(event.id.clone(), now).await? {
            EventClaim::Done => return Ok((event, Outcome::Ignored("applied before"))),
            EventClaim::Busy => return Err(Failure::Busy),
            EventClaim::Granted => {}
        }
        let applied = self.apply_in_turn(store, snapshot.rules.service(), &meaning, now).await;
        store.finish_event(event.id.clone(), applied.is_ok()).await?;
        Ok((event, applied?))
    }

    /// Applies one event of a subscription at a time: its purchase and its first payment come together.
    async fn apply_in_turn(
        &self,
        store: &dyn Store,
        service: &Service,
        meaning: &Meaning,
        now: Timestamp,
    ) -> Result<Outcome, Failure> {
        let turn = format!("turn of {}", meaning.subscription);
        for _ in 0..WAITS {
            if store.claim_event(turn.clone(), now).await? == EventClaim::Granted {
                let applied = self.apply(store, service, meaning, now).await;
                store.finish_event(turn, false).await?;
                return applied;
            }
            sleep(WAIT).await;
        }
        Err(Failure::Busy)
    }

    async fn apply(
        &self,
        store: &dyn Store,
        service: &Service,
        meaning: &Meaning,
        now: Timestamp,
    ) -> Result<Outcome, Failure> {
        let keys = store.keys_of_subscription(meaning.subscription.clone()).await?;
        let Some(key) = keys.last().cloned() else {
            return self.issue(store, service, meaning, now).await;
        };
        let plan = offered(service, &meaning.offer).filter(|(variant, _)| variant.name == key.variant);
        let plan = plan.map_or_else(|| key.plan.clone(), |(_, plan)| plan.name.clone());
        let terms = Terms { plan, ..key.terms() };
        let later = |until: Option<Timestamp>| until.and_then(|until| until.checked_add(GRACE).ok());
        match meaning.change {
            SubscriptionChange::Bought { .. } => Ok(Outcome::Ignored("its key was issued with the first payment")),
            SubscriptionChange::Ended => {
                for key in &keys {
                    store.revoke_key(key.id, now).await?;
                }
                Ok(Outcome::Ended(key))
            }
            SubscriptionChange::Paid { until } => {
                let expires = later(until).max(key.expires).filter(|_| key.expires.is_some());
                store.change_terms(key.account, Terms { expires, ..terms }).await?;
                Ok(Outcome::Renewed(key))
            }
            SubscriptionChange::Updated { ends, until } => {
                let expires = ends.or_else(|| later(until)).or(key.expires);
                store.change_terms(key.account, Terms { expires, renews: ends.is_none(), ..terms }).await?;
                Ok(Outcome::Changed(key))
            }
        }
    }

    /// Issues the first key of a subscription. One that cannot be sent is removed: the event comes again.
    async fn issue(
        &self,
        store: &dyn Store,
        service: &Service,
        meaning: &Meaning,
        now: Timestamp,
    ) -> Result<Outcome, Failure> {
        let (renews, until) = match meaning.change {
            SubscriptionChange::Bought { renews } => (renews, None),
            SubscriptionChange::Paid { until } => (true, until),
            SubscriptionChange::Updated { .. } | SubscriptionChange::Ended => {
                return Ok(Outcome::Ignored("a subscription without a key"));
            }
        };
        let Some((variant, plan)) = offered(service, &meaning.offer) else {
            return Ok(Outcome::Ignored("neither its metadata nor its price names a plan"));
        };
        let email = meaning.email.as_deref().and_then(mail::address);
        let email = email.ok_or(Failure::Unusable("it names no e-mail address"))?.to_string();
        let Issued { key, record } = issue::generate_for(variant, plan, &email, now)?;
        let expires = until.and_then(|until| until.checked_add(GRACE).ok()).or(record.expires);
        let record = Record { expires, renews, subscription: Some(meaning.subscription.clone()), ..record };
        let issued = Issued { key, record };
        store.add_key(issued.record.clone()).await?;
        if let Err(failure) = self.mailer.deliver(service, variant, plan, &issued).await {
            store.remove_keys(vec![issued.record.id]).await?;
            return Err(failure.into());
        }
        Ok(Outcome::Issued(issued.record))
    }
}

/// The plan that an event names, by its price or by its metadata: after a change of plan the metadata is still that
/// of the purchase.
fn offered<'s>(service: &'s Service, offer: &Offer) -> Option<(&'s Variant, &'s Plan)> {
    let plans = || service.variants.iter().flat_map(|variant| variant.plans.iter().map(move |plan| (variant, plan)));
    let by_price =
        |(_, plan): &(&Variant, &Plan)| plan.payment_price.as_ref().is_some_and(|price| offer.prices.contains(price));
    let by_name = |(variant, plan): &(&Variant, &Plan)| {
        offer.plan.as_ref() == Some(&plan.name) && offer.variant.as_ref().is_none_or(|name| *name == variant.name)
    };
    plans().find(by_price).or_else(|| plans().find(by_name))
}
