//! Adds the observations of an event to the facts of its subscription, and updates its key
//! accordingly.
//!
//! Facts and key are written together, and only if nobody else has written them since they were
//! read: the events of a subscription may be applied by any node, at any time, in any order, and
//! repeatedly.

use std::time::Duration;

use bareme_engine::service::Service;
use jiff::Timestamp;
use tokio::time::sleep;

use super::Failure;
use super::case::{Case, CaseKind};
use super::event::{Content, Event};
use super::facts::{Facts, Observation};
use super::reversal;
use super::standing::Standing;
use crate::issue;
use crate::store::audit::{Action, AuditEntry, Origin, terms_in_words};
use crate::store::{Delivery, KeyChange, Record, Store, Subscription, Terms};

/// How often the facts are read again when somebody else has written them, with a pause each time.
// Two tenths of a second in all: a purchase sends some five events at once, and each loses to the
// others a few times.
const MAX_ATTEMPTS: u32 = 40;
const PAUSE: Duration = Duration::from_millis(5);

/// Effect of an event on the key of its subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The first key of a subscription was issued.
    Issued(Record),
    /// The end of a key was postponed.
    Renewed(Record),
    /// The plan or the end of a key was changed.
    Changed(Record),
    /// A key has ended.
    Ended(Record),
    /// The facts are stored; the key needs another event, or a person.
    Waiting(&'static str),
    /// Nothing was changed, for this reason.
    Ignored(&'static str),
}

/// Adds an observation to the facts of a subscription; without one, evaluates the known facts again
/// by the current plans.
///
/// # Errors
/// The store is not available, or others keep writing the same subscription. Nothing was written
/// then.
pub(crate) async fn apply(
    store: &dyn Store,
    service: &Service,
    id: &str,
    observation: Option<&Observation>,
    now: Timestamp,
) -> Result<Outcome, Failure> {
    for _ in 0..MAX_ATTEMPTS {
        // Read before the keys: a key that is written in between makes the write fail.
        let known = store.subscription(id.to_owned()).await?;
        let keys = store.keys_of_subscription(id.to_owned()).await?;
        let mut facts = match &known {
            Some(known) => serde_json::from_str(&known.facts)
                .map_err(|error| Failure::Facts(error.to_string()))?,
            None => adopted(&keys),
        };

        let before = facts.clone();
        if let Some(observation) = observation {
            facts.add(observation);
        }
        let standing = facts.standing(service);

        // The key follows from all facts, not from the event: the same facts give the same key on
        // every node.
        let (change, outcome) = key_change(&facts, standing, id, &keys, now)?;
        let entry = audit_entry(&outcome, standing, observation, now);
        let trouble = trouble(standing, keys.last());

        // A subscription that waits keeps the moment since when: patience counts from the first
        // trouble, not from the last event.
        let waited = known.as_ref().and_then(|known| known.waits_since);
        let since = trouble.map(|_| waited.unwrap_or(now));

        // An event that says nothing new writes nothing: the provider sends each several times, and
        // a write would let a concurrent one fail.
        let is_known =
            known.is_some() && before == facts && waited == since && change == KeyChange::None;

        let subscription = Subscription {
            id: id.to_owned(),
            facts: serde_json::to_string(&facts)
                .map_err(|error| Failure::Facts(error.to_string()))?,
            version: known.as_ref().map_or(0, |known| known.version),
            waits_since: since,
        };

        // store.save_subscription || Facts, key and audit entry are one transaction, which fails if
        // the version that was read is no longer the newest.
        if is_known || store.save_subscription(subscription, change, entry).await? {
            // After the write, and again where nothing was to be written: a node that stopped in
            // between has left the case unopened.
            report(store, id, &facts, trouble.zip(since), waited.is_some(), now).await?;
            return Ok(match (outcome, trouble) {
                (Outcome::Ignored(_), Some(trouble)) => Outcome::Waiting(trouble.name()),
                (outcome, _) => outcome,
            });
        }
        // Somebody else wrote first: the facts are read again, and the observation is added to the
        // newer ones.
        sleep(PAUSE).await;
    }
    Err(Failure::Busy)
}

/// Applies what an event says.
///
/// # Errors
/// The store cannot be used, or too many others write the same subscription.
pub async fn receive(
    store: &dyn Store,
    service: &Service,
    event: &Event,
    now: Timestamp,
) -> Result<Outcome, Failure> {
    match &event.content {
        Content::Subscription(id, observation) => {
            apply(store, service, id, Some(observation), now).await
        }
        Content::Case(case) => {
            // A case that is known was matched before, or is matched at the next look.
            // The case is stored first: if this node stops now, the next look finds it and takes
            // the payment back.
            let ended = if open(store, case).await? {
                take_back(store, service, std::slice::from_ref(case), now).await?
            } else {
                None
            };
            Ok(ended.unwrap_or(Outcome::Waiting(case.kind.name())))
        }
        Content::Other => Ok(Outcome::Ignored("of no concern to keys")),
    }
}

/// Evaluates the subscriptions that wait again: a plan may have been added, or it is time to
/// involve a person.
///
/// # Errors
/// The store is not available.
pub async fn look_again(
    store: &dyn Store,
    service: &Service,
    now: Timestamp,
) -> Result<(), Failure> {
    for waiting in store.waiting_subscriptions(now).await? {
        match apply(store, service, &waiting.id, None, now).await {
            // A failure must not stop the others.
            // Damaged facts of one subscription concern its owner only; a store that is away
            // concerns all, and ends the look.
            Err(Failure::Facts(error)) => {
                tracing::error!(subscription = waiting.id, error, "facts cannot be read")
            }

            looked => drop(looked?),
        }
    }

    // Reversals that came before their purchase may find it by now.
    let cases = store.cases().await?;
    take_back(store, service, &cases, now).await?;
    settle_left(store).await
}

/// Ends the keys whose payment was taken back as a whole, and settles the cases of these: nothing
/// is left to do for a person. A reversal whose payment is not known is tried again. Returns the
/// last key that was ended.
async fn take_back(
    store: &dyn Store,
    service: &Service,
    cases: &[Case],
    now: Timestamp,
) -> Result<Option<Outcome>, Failure> {
    let mut ended = None;
    for (subscription, observation, case) in reversal::matched(store, cases, now).await? {
        // The key first, then the case: a case that was settled without an ended key would be
        // forgotten.
        let outcome = apply(store, service, &subscription, Some(&observation), now).await?;
        store.settle_cases(vec![case.id.clone()], false).await?;

        if let Outcome::Ended(record) = &outcome {
            let (key, case) = (record.id, case.id.as_str());
            tracing::warn!(
                %key,
                subscription,
                case,
                "a key is suspended: its payment was taken back"
            );
            ended = Some(outcome);
        }
    }
    Ok(ended)
}

/// The entry of the audit log about the outcome of an observation; `None` where no key changes.
fn audit_entry(
    outcome: &Outcome,
    standing: Standing<'_>,
    observation: Option<&Observation>,
    now: Timestamp,
) -> Option<AuditEntry> {
    let (action, record) = match outcome {
        Outcome::Issued(record) => (Action::Issued, record),
        Outcome::Ended(record) if standing.is_suspended => (Action::Suspended, record),
        Outcome::Renewed(record) | Outcome::Changed(record) | Outcome::Ended(record) => {
            (Action::Changed, record)
        }
        // The log is about keys: an event that changes none is in the facts already.
        Outcome::Waiting(_) | Outcome::Ignored(_) => return None,
    };

    let origin = match observation {
        Some(observation) => Origin::event(&observation.event),
        None => Origin::service(),
    };
    Some(origin.entry(action, record, terms_in_words(record), now))
}

/// Settles the cases of subscriptions that wait for nothing: a node that was cut off, or overtaken
/// by another, left them.
async fn settle_left(store: &dyn Store) -> Result<(), Failure> {
    let mut left = Vec::new();
    for case in store.cases().await? {
        let Some(about) = case.subscription() else {
            continue;
        };
        let known = store.subscription(about.to_owned()).await?;
        if known.is_some_and(|known| known.waits_since.is_none()) {
            left.push(case.id);
        }
    }

    // They may be opened again: the same cause can come back.
    if !left.is_empty() {
        store.settle_cases(left, true).await?;
    }
    Ok(())
}

/// Facts for a subscription whose key is from before facts were kept.
fn adopted(keys: &[Record]) -> Facts {
    // The end of the key minus the grace is what was paid: without this, each evaluation would add
    // the grace once more.
    let until = keys.last().and_then(|key| Some((key.expires?, key.renews)));
    let until = until.map(|(end, renews)| {
        end.as_second()
            - if renews {
                super::standing::GRACE.as_secs()
            } else {
                0
            }
    });
    Facts {
        adopted_until: until,
        ..Facts::default()
    }
}

/// The change of the keys, with the name of the outcome.
fn key_change(
    facts: &Facts,
    standing: Standing<'_>,
    id: &str,
    keys: &[Record],
    now: Timestamp,
) -> Result<(KeyChange, Outcome), Failure> {
    let nothing = |reason| Ok((KeyChange::None, Outcome::Ignored(reason)));
    let Some(ends) = standing.ends else {
        return nothing("nothing was paid yet");
    };
    let Some(key) = keys.last() else {
        // A key is issued once payment, plan and address are known, in whatever order their events
        // come.
        let Some((variant, plan)) = standing.plan else {
            return nothing("no plan is known yet");
        };
        let Some(email) = facts.emails().next() else {
            return nothing("no address is known yet");
        };

        let issued = issue::generate_for(variant, plan, &email, now)?;
        // The text is dropped: the key gets another one when it is sent.
        let delivery = if ends > now {
            Delivery::Due
        } else {
            Delivery::Held
        };
        let record = Record {
            expires: Some(ends),
            renews: standing.renews,
            subscription: Some(id.to_owned()),
            delivery,
            attempt_at: (delivery == Delivery::Due).then_some(now),
            ..issued.record
        };
        return Ok((
            KeyChange::Add(Box::new(record.clone())),
            Outcome::Issued(record),
        ));
    };

    // A key never changes its variant, because its prefix names it: such a purchase becomes a case.
    let plan = standing
        .plan
        .filter(|(variant, _)| variant.name == key.variant);
    let plan = plan.map_or_else(|| key.plan.clone(), |(_, plan)| plan.name.clone());

    // The address of an invoice gives way to that of the checkout, one that was changed by hand to
    // none.
    let email = match facts.emails().next() {
        Some(email) if facts.emails().any(|known| known == key.email) => email,
        _ => key.email.clone(),
    };

    let terms = Terms {
        plan,
        email,
        expires: Some(ends),
        renews: standing.renews,
    };

    // A key that had ended before it was sent is sent once a payment revives it.
    let deliver = ends > now && keys.iter().any(|key| key.delivery == Delivery::Held);
    if keys.iter().all(|key| key.terms() == terms) && !deliver {
        return nothing("nothing new");
    }

    // For the audit log and the metrics; the write itself changes all keys of the account.
    let changed = Record {
        plan: terms.plan.clone(),
        expires: terms.expires,
        renews: terms.renews,
        ..key.clone()
    };

    let outcome = match (
        ends > now,
        changed.plan == key.plan && changed.renews == key.renews,
    ) {
        (false, _) => Outcome::Ended(changed),
        (true, true) if key.expires < Some(ends) => Outcome::Renewed(changed),
        (true, _) => Outcome::Changed(changed),
    };
    Ok((
        KeyChange::Terms {
            account: key.account,
            terms,
            deliver,
        },
        outcome,
    ))
}

fn trouble(standing: Standing<'_>, key: Option<&Record>) -> Option<CaseKind> {
    let of_key = |trouble: &CaseKind| match trouble {
        // With a key, owner and plan are known.
        CaseKind::NoEmail | CaseKind::NoPlan => key.is_none(),
        _ => true,
    };

    let is_other = key
        .zip(standing.plan)
        .is_some_and(|(key, (variant, _))| variant.name != key.variant);
    standing
        .trouble
        .filter(of_key)
        .or(is_other.then_some(CaseKind::OtherVariant))
}

/// Opens the case of a trouble that has lasted, and settles those that are over.
async fn report(
    store: &dyn Store,
    id: &str,
    facts: &Facts,
    trouble: Option<(CaseKind, Timestamp)>,
    waited: bool,
    now: Timestamp,
) -> Result<(), Failure> {
    let customer = facts
        .customer
        .as_ref()
        .map(|customer| format!(", customer {customer}"))
        .unwrap_or_default();

    // No case before its patience is over: most troubles end with the next event.
    let case = trouble.and_then(|(trouble, since)| {
        let prices = facts
            .snapshot
            .as_ref()
            .map(|snapshot| snapshot.prices.iter().cloned().collect::<Vec<_>>());
        let prices = prices
            .filter(|prices| !prices.is_empty())
            .map(|prices| format!(", price {}", prices.join(", ")));
        let detail = format!("subscription {id}{customer}{}", prices.unwrap_or_default());
        (now.duration_since(since) >= trouble.patience())
            .then(|| Case::new(trouble, id, detail, now))
    });

    // Opened before the others are settled, so that a subscription that needs a person is never
    // without a case.
    if let Some(case) = &case {
        open(store, case).await?;
    }

    // case.is_some() { || Read only where a case may exist: most events concern subscriptions
    // without one.
    if waited || case.is_some() {
        let is_over = |known: &Case| {
            known.subscription() == Some(id) && case.as_ref().is_none_or(|case| case.id != known.id)
        };
        let over: Vec<String> = store
            .cases()
            .await?
            .into_iter()
            .filter(is_over)
            .map(|case| case.id)
            .collect();
        if !over.is_empty() {
            store.settle_cases(over, true).await?;
        }
    }
    Ok(())
}

/// Opens a case, and logs it the first time.
///
/// # Errors
/// The store is not available.
pub async fn open(store: &dyn Store, case: &Case) -> Result<bool, Failure> {
    let is_new = store.open_case(case.clone()).await?;
    if is_new {
        let (kind, advice) = (case.kind.name(), case.kind.advice());
        tracing::error!(
            case = case.id,
            kind,
            detail = case.detail,
            advice,
            "a payment waits for a person"
        );
    }
    Ok(is_new)
}
