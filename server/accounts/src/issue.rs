//! Issuing of keys, and their replacement.

use bareme_engine::service::{Plan, Service, Variant};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use uuid::Uuid;

use super::key::{Digest, Key};
use super::publishable::Publication;
use super::store::{Delivery, Record, Store, Unavailable};

/// A key that was just issued: its full text is never available again.
#[derive(Debug)]
pub struct Issued {
    /// The key, for its owner.
    pub key: Key,
    /// Its record in the store.
    pub record: Record,
}

impl Issued {
    /// A French sentence for the owner about the end of the key; `None` if it never ends.
    pub fn end(&self, plan: &Plan) -> Option<String> {
        let date = self.record.expires.map(|end| end.strftime("%d/%m/%Y"));
        match (plan.unused_days, plan.valid_days, date) {
            (Some(unused), None, _) => {
                Some(format!("Elle prend fin après {unused} jours sans appel."))
            }
            (Some(unused), Some(valid), _) => Some(format!(
                "Elle prend fin après {unused} jours sans appel, et au plus tard après {valid} \
                 jours."
            )),
            (None, _, Some(date)) => Some(format!("Elle est valable jusqu’au {date}.")),
            (None, _, None) => None,
        }
    }
}

fn days(days: u32) -> SignedDuration {
    SignedDuration::from_hours(i64::from(days) * 24)
}

/// Generates a new key of a plan, without storing it.
pub(crate) fn generate_for(
    variant: &Variant,
    plan: &Plan,
    email: &str,
    now: Timestamp,
) -> Result<Issued, Unavailable> {
    let key = generate(&variant.key_prefix, false)?;
    // The account gets the id of its first key.
    let record = Record::new(&key, &variant.name, &plan.name, email, now);
    let record = Record {
        expires: expiry(plan, now, now),
        ..record
    };
    Ok(Issued { key, record })
}

/// A new text for a key that nobody has received; with `beside`, a second key of its account,
/// created at that moment.
pub fn rewritten(
    old: &Record,
    prefix: &str,
    beside: Option<Timestamp>,
) -> Result<Issued, Unavailable> {
    let key = generate(prefix, old.publication.is_some())?;
    let record = Record {
        digest: key.digest(),
        last_four: key.last_four().to_owned(),
        ..old.clone()
    };

    // Beside a first key that may have arrived, the second one needs an id of its own: both can be
    // valid.
    let record = match beside {
        Some(created) => Record {
            id: Uuid::now_v7(),
            created,
            ..record
        },
        None => record,
    };
    Ok(Issued { key, record })
}

/// When a key of a plan expires, by when it was issued and last used.
pub(crate) fn expiry(plan: &Plan, created: Timestamp, used: Timestamp) -> Option<Timestamp> {
    let after = |moment: Timestamp, count: Option<u32>| {
        count.and_then(|count| moment.checked_add(days(count)).ok())
    };
    [
        after(created, plan.valid_days),
        after(used, plan.unused_days),
    ]
    .into_iter()
    // A plan may have both: the key ends by the one that comes first.
    .flatten()
    .min()
}

/// When a key that is renewed now expires: the days of its plan start at its end, if that is still
/// ahead.
pub(crate) fn renewed(
    plan: &Plan,
    expires: Option<Timestamp>,
    now: Timestamp,
) -> Option<Timestamp> {
    expiry(plan, expires.map_or(now, |end| end.max(now)), now)
}

/// Every plan of a service, with its variant.
pub(crate) fn plans(service: &Service) -> impl Iterator<Item = (&Variant, &Plan)> {
    service
        .variants
        .iter()
        .flat_map(|variant| variant.plans.iter().map(move |plan| (variant, plan)))
}

/// The plan that the payment provider sells at a price, with its variant.
pub(crate) fn plan_of_price<'s>(
    service: &'s Service,
    price: &str,
) -> Option<(&'s Variant, &'s Plan)> {
    plans(service).find(|(_, plan)| plan.payment_price.as_deref() == Some(price))
}

/// Issues a key that replaces another of the same account: both share the quota while both are
/// valid. The old one ends once the new one has reached its owner.
pub(crate) async fn issue_next(
    store: &dyn Store,
    old: &Record,
    prefix: &str,
    now: Timestamp,
) -> Result<Issued, Unavailable> {
    let issued = rewritten(old, prefix, Some(now))?;
    let record = Record {
        // Whatever happened to the old key: this one is handed over by the caller.
        delivery: Delivery::Direct,
        attempts: 0,
        attempt_at: None,
        ..issued.record
    };
    store.add_key(record.clone()).await?;
    Ok(Issued { record, ..issued })
}

/// A publishable key of the account of another one, with its terms, without storing it.
pub(crate) fn published(
    of_account: &Record,
    prefix: &str,
    publication: Publication,
    now: Timestamp,
) -> Result<Issued, Unavailable> {
    let key = generate(prefix, true)?;
    let record = Record {
        id: Uuid::now_v7(),
        digest: key.digest(),
        last_four: key.last_four().to_owned(),
        created: now,
        revoked: None,
        // It follows the terms of its account, and is no key that a payment issues or ends.
        subscription: None,
        noticed: None,
        delivery: Delivery::Direct,
        attempts: 0,
        attempt_at: None,
        publication: Some(publication),
        ..of_account.clone()
    };
    Ok(Issued { key, record })
}

fn generate(prefix: &str, is_publishable: bool) -> Result<Key, Unavailable> {
    let key = match is_publishable {
        true => Key::generate_publishable(prefix),
        false => Key::generate(prefix),
    };
    key.map_err(|error| Unavailable(error.to_string()))
}

/// Keys that may have been stored although their request failed or was aborted. Nobody knows them:
/// they are removed, by their digests. The owner of a mailbox who tries again gets another text of
/// the same key, which stays.
#[derive(Debug, Default)]
pub(crate) struct Orphans(Mutex<Vec<Digest>>);

/// A guard that turns a key into an orphan, unless it is [handed over](Self::hand_over).
#[derive(Debug)]
pub(crate) struct Claim<'o> {
    orphans: &'o Orphans,
    digest: Option<Digest>,
}

impl Orphans {
    /// A guard for a key to be handed over.
    pub(crate) fn expect(&self, digest: Digest) -> Claim<'_> {
        Claim {
            orphans: self,
            digest: Some(digest),
        }
    }

    /// Removes the orphans from the store; after a failure they are kept for the next time.
    pub(crate) async fn remove(&self, store: &dyn Store) {
        let digests = std::mem::take(&mut *self.0.lock());
        // By digest and not by id: a key whose text was replaced meanwhile has an owner and must
        // stay.
        if !digests.is_empty() && store.remove_digests(digests.clone()).await.is_err() {
            self.0.lock().extend(digests);
        }
    }
}

impl Claim<'_> {
    /// Called when the key is in the answer.
    pub(crate) fn hand_over(mut self) {
        self.digest = None;
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        // Also runs when the request is aborted, since its future is dropped: a client that hangs
        // up leaves no key behind.
        self.orphans.0.lock().extend(self.digest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Sharing;
    use crate::store::testing::Memory;

    fn variant() -> Variant {
        let plan = |name: &str, valid_days, unused_days| Plan {
            name: name.to_owned(),
            title: name.to_owned(),
            calls_per_day: Some(100),
            valid_days,
            unused_days,
            ..Plan::default()
        };
        Variant {
            name: "a".to_owned(),
            title: String::new(),
            prefix: "/api/v1".to_owned(),
            endpoints: Vec::new(),
            key_prefix: "bma".to_owned(),
            cors: true,
            retirement: None,
            plans: vec![plan("free", None, Some(180)), plan("pro", Some(365), None)],
        }
    }

    async fn issue(store: &dyn Store, variant: &Variant, plan: usize, now: Timestamp) -> Issued {
        let issued =
            generate_for(variant, &variant.plans[plan], "claire@example.org", now).unwrap();
        store.add_key(issued.record.clone()).await.unwrap();
        issued
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[tokio::test]
    async fn a_key_is_good_for_the_days_of_its_plan() {
        let (store, variant) = (Memory::new(Sharing::Alone), variant());
        let now = at("2026-11-20T10:00:00Z");
        let free = issue(&*store, &variant, 0, now).await;
        assert!(free.key.reveal().starts_with("bma_"));
        assert_eq!(
            (free.record.expires, free.record.plan.as_str()),
            (Some(at("2027-05-19T10:00:00Z")), "free")
        );
        assert_eq!(
            store.find_keys(vec![free.key.digest()]).await.unwrap(),
            [free.record]
        );

        let pro = issue(&*store, &variant, 1, now).await.record;
        assert_eq!(pro.expires, Some(at("2027-11-20T10:00:00Z")));
        assert!(
            pro.is_valid(at("2027-11-20T09:59:59Z")) && !pro.is_valid(at("2027-11-20T10:00:00Z"))
        );
    }

    #[tokio::test]
    async fn a_key_that_replaces_another_is_of_the_same_account_to_the_same_end() {
        let (store, variant) = (Memory::new(Sharing::Alone), variant());
        let old = issue(&*store, &variant, 1, at("2026-11-20T10:00:00Z"))
            .await
            .record;
        let now = at("2027-03-01T00:00:00Z");
        let new = issue_next(&*store, &old, "bma", now).await.unwrap();
        store
            .revoke_key(old.id, now + SignedDuration::from_hours(48))
            .await
            .unwrap();
        assert_ne!((new.record.id, new.record.digest), (old.id, old.digest));
        assert_eq!(
            (new.record.account, new.record.expires),
            (old.account, old.expires)
        );
        let old = store.find_keys(vec![old.digest]).await.unwrap().remove(0);
        assert!(
            old.is_valid(at("2027-03-02T23:59:59Z")) && !old.is_valid(at("2027-03-03T00:00:00Z"))
        );
        assert!(new.record.is_valid(at("2027-03-03T00:00:00Z")));
    }
    #[tokio::test]
    async fn a_key_that_reached_nobody_is_removed_when_the_store_can() {
        let (store, variant, orphans) =
            (Memory::new(Sharing::Alone), variant(), Orphans::default());
        let mut issued = Vec::new();
        for reached in [true, false] {
            let key = generate_for(
                &variant,
                &variant.plans[0],
                "claire@example.org",
                at("2026-11-20T10:00:00Z"),
            )
            .unwrap();
            let claim = orphans.expect(key.record.digest);
            store.add_key(key.record.clone()).await.unwrap();
            if reached {
                claim.hand_over();
            }
            issued.push(key.record);
        }
        store.set_unavailable(true);
        orphans.remove(&*store).await;
        store.set_unavailable(false);
        assert_eq!(store.keys().await.unwrap().len(), 2);
        orphans.remove(&*store).await;
        assert_eq!(store.keys().await.unwrap(), issued[..1]);
    }
}
