//! How a key is given and how one replaces another.

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use bareme_engine::{Plan, Variant};

use super::key::Key;
use super::store::{Record, Store, Unavailable};

/// A key that was just kept. This is the only moment when it is known whole.
#[derive(Debug)]
pub struct Issued {
    /// The key, for its owner.
    pub key: Key,
    /// What was kept of it.
    pub record: Record,
}

/// Gives a new key of a plan.
pub async fn issue(
    store: &dyn Store,
    variant: &Variant,
    plan: &Plan,
    email: &str,
    now: Timestamp,
) -> Result<Issued, Unavailable> {
    let days = plan.valid_days.map(|days| SignedDuration::from_hours(i64::from(days) * 24));
    let expires = days.map(|days| now.checked_add(days)).transpose().map_err(|error| Unavailable(error.to_string()))?;
    let account = Uuid::now_v7();
    let blank = |key: &Key| Record {
        id: account,
        account,
        digest: key.digest(),
        last_four: key.last_four().to_owned(),
        variant: variant.name.clone(),
        plan: plan.name.clone(),
        email: email.to_owned(),
        created: now,
        expires,
        revoked: None,
    };
    keep(store, &variant.key_prefix, blank).await
}

/// Gives a key in the place of another, of the same account: the quota is not doubled while both
/// are good. The old one is ended by [`end`], when the new one has reached its owner.
pub async fn issue_next(store: &dyn Store, old: &Record, prefix: &str, now: Timestamp) -> Result<Issued, Unavailable> {
    let next = |key: &Key| Record {
        id: Uuid::now_v7(),
        digest: key.digest(),
        last_four: key.last_four().to_owned(),
        created: now,
        ..old.clone()
    };
    keep(store, prefix, next).await
}

/// Ends a key when `overlap` has passed: there is time to put the new one everywhere.
pub async fn end(store: &dyn Store, old: &Record, overlap: SignedDuration, now: Timestamp) -> Result<(), Unavailable> {
    let end = now.checked_add(overlap).map_err(|error| Unavailable(error.to_string()))?;
    store.revoke_key(old.id, end).await.map(drop)
}

async fn keep(store: &dyn Store, prefix: &str, record: impl FnOnce(&Key) -> Record) -> Result<Issued, Unavailable> {
    let key = Key::generate(prefix).map_err(|error| Unavailable(error.to_string()))?;
    let record = record(&key);
    store.add_key(record.clone()).await?;
    Ok(Issued { key, record })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::store::Sharing;
    use crate::access::store::testing::Memory;

    fn variant() -> Variant {
        let plan = |name: &str, valid_days| Plan {
            name: name.to_owned(),
            title: name.to_owned(),
            price: String::new(),
            calls_per_day: Some(100),
            attribution: false,
            valid_days,
            terms: Vec::new(),
        };
        Variant {
            name: "a".to_owned(),
            title: String::new(),
            prefix: "/api/v1".to_owned(),
            endpoints: Vec::new(),
            key_prefix: "bma".to_owned(),
            cors: true,
            plans: vec![plan("free", None), plan("pro", Some(365))],
        }
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[tokio::test]
    async fn a_key_is_good_for_the_days_of_its_plan() {
        let (store, variant) = (Memory::new(Sharing::Alone), variant());
        let now = at("2026-11-20T10:00:00Z");
        let free = issue(&*store, &variant, &variant.plans[0], "claire@example.org", now).await.unwrap();
        assert!(free.key.reveal().starts_with("bma_"));
        assert_eq!((free.record.expires, free.record.plan.as_str()), (None, "free"));
        assert_eq!(store.find_key(free.key.digest()).await.unwrap(), Some(free.record));

        let pro = issue(&*store, &variant, &variant.plans[1], "claire@example.org", now).await.unwrap().record;
        assert_eq!(pro.expires, Some(at("2027-11-20T10:00:00Z")));
        assert!(pro.is_good(at("2027-11-20T09:59:59Z")) && !pro.is_good(at("2027-11-20T10:00:00Z")));
    }

    #[tokio::test]
    async fn a_key_that_replaces_another_is_of_the_same_account_to_the_same_end() {
        let (store, variant) = (Memory::new(Sharing::Alone), variant());
        let old = issue(&*store, &variant, &variant.plans[1], "claire@example.org", at("2026-11-20T10:00:00Z")).await;
        let old = old.unwrap().record;
        let now = at("2027-03-01T00:00:00Z");
        let new = issue_next(&*store, &old, "bma", now).await.unwrap();
        end(&*store, &old, SignedDuration::from_hours(48), now).await.unwrap();
        assert_ne!((new.record.id, new.record.digest), (old.id, old.digest));
        assert_eq!((new.record.account, new.record.expires), (old.account, old.expires));
        let old = store.find_key(old.digest).await.unwrap().unwrap();
        assert!(old.is_good(at("2027-03-02T23:59:59Z")) && !old.is_good(at("2027-03-03T00:00:00Z")));
        assert!(new.record.is_good(at("2027-03-03T00:00:00Z")));
    }
}
