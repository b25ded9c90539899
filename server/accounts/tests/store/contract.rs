//! Contract of every store, the one in memory that unit tests use included.

use std::sync::Arc;

use bareme_accounts::day::Day;
use bareme_accounts::key::Key;
use bareme_accounts::store::{Change, Counted, Record, Store};
use bareme_accounts::subject::Subject;
use jiff::Timestamp;
use uuid::Uuid;

use super::on_each;

pub(crate) fn second(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

pub(crate) fn record(key: &Key) -> Record {
    let record = Record::new(key, "a", "pro", "claire@example.org", second(1_800_000_000));
    Record {
        id: Uuid::now_v7(),
        expires: Some(second(1_831_536_000)),
        ..record
    }
}

pub(crate) fn key() -> Key {
    Key::generate("bma").unwrap()
}

fn subject(n: u8) -> Subject {
    Subject([n; 16])
}

pub(crate) fn change(n: u8, by: i64, spare: i64, quota: i64) -> Change {
    Change {
        day: Day(20_000),
        subject: subject(n),
        by,
        spare,
        quota,
        used: 0,
    }
}

pub(crate) async fn count(store: &dyn Store, changes: &[Change]) -> Vec<(i64, i64)> {
    let mut counted = store.count(changes.to_vec()).await.unwrap();
    counted.sort_by_key(|counted: &Counted| (counted.day, counted.subject));
    counted
        .iter()
        .map(|counted| (counted.by, counted.total))
        .collect()
}

#[tokio::test]
async fn a_key_is_found_by_its_digest_until_it_is_revoked() {
    on_each(async |store| {
        let key = key();
        let kept = record(&key);
        store.add_key(kept.clone()).await.unwrap();
        assert_eq!(
            store.find_keys(vec![key.digest()]).await.unwrap(),
            std::slice::from_ref(&kept)
        );
        assert_eq!(
            store.find_keys(vec![self::key().digest()]).await.unwrap(),
            []
        );

        assert!(
            store
                .revoke_key(kept.id, second(1_800_000_500))
                .await
                .unwrap()
        );
        // What is revoked already is not so from later on; it may be from sooner.
        assert!(
            store
                .revoke_key(kept.id, second(1_900_000_000))
                .await
                .unwrap()
        );
        let revoked = store.find_keys(vec![key.digest()]).await.unwrap().remove(0);
        assert_eq!(revoked.revoked, Some(second(1_800_000_500)));
        assert!(
            revoked.is_valid(second(1_800_000_499)) && !revoked.is_valid(second(1_800_000_500))
        );
        assert!(!store.revoke_key(Uuid::now_v7(), second(0)).await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn every_key_is_listed_and_none_twice() {
    on_each(async |store| {
        let [first, second_key] = [key(), key()];
        let late = Record {
            created: second(1_800_000_001),
            expires: None,
            ..record(&first)
        };
        let early = record(&second_key);
        store.add_key(late.clone()).await.unwrap();
        store.add_key(early.clone()).await.unwrap();
        assert!(
            store
                .add_key(Record {
                    id: Uuid::now_v7(),
                    ..early.clone()
                })
                .await
                .is_err(),
            "a digest is one key's"
        );
        assert_eq!(store.keys().await.unwrap(), [early, late]);
    })
    .await;
}

#[tokio::test]
async fn a_key_is_put_in_the_place_of_the_one_with_its_id() {
    on_each(async |store| {
        let (old, other) = (record(&key()), record(&key()));
        store.add_key(old.clone()).await.unwrap();
        store.add_key(other.clone()).await.unwrap();
        let newer = Record {
            plan: "scale".to_owned(),
            email: String::new(),
            created: second(1_799_999_999),
            expires: None,
            revoked: Some(second(1_800_000_001)),
            subscription: Some("sub_1".to_owned()),
            renews: true,
            noticed: Some(7),
            ..old
        };
        for _ in 0..2 {
            store.put_key(newer.clone()).await.unwrap();
            assert_eq!(store.keys().await.unwrap(), [newer.clone(), other.clone()]);
        }
        let unknown = Record {
            created: second(1_900_000_000),
            ..record(&key())
        };
        store.put_key(unknown.clone()).await.unwrap();
        assert_eq!(store.keys().await.unwrap(), [newer, other, unknown]);
    })
    .await;
}

#[tokio::test]
async fn many_keys_are_found_together() {
    on_each(async |store| {
        let keys: Vec<Key> = (0..100).map(|_| key()).collect();
        for key in &keys[..50] {
            store.add_key(record(key)).await.unwrap();
        }
        let found = store
            .find_keys(keys.iter().map(Key::digest).collect())
            .await
            .unwrap();
        assert_eq!(found.len(), 50);
        assert!(
            keys[..50]
                .iter()
                .all(|key| found.iter().any(|record| record.digest == key.digest()))
        );
        assert_eq!(store.find_keys(Vec::new()).await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn a_key_is_extended_and_never_cut_short() {
    on_each(async |store| {
        let dated = record(&key());
        let endless = Record {
            expires: None,
            ..record(&key())
        };
        store.add_key(dated.clone()).await.unwrap();
        store.add_key(endless.clone()).await.unwrap();
        let expires =
            async |record: &Record| store.find_keys(vec![record.digest]).await.unwrap()[0].expires;
        let later = second(1_900_000_000);
        store
            .extend_keys(vec![
                (dated.id, later),
                (endless.id, later),
                (Uuid::now_v7(), later),
            ])
            .await
            .unwrap();
        assert_eq!(
            (expires(&dated).await, expires(&endless).await),
            (Some(later), Some(later))
        );
        store
            .extend_keys(vec![(dated.id, second(1_850_000_000))])
            .await
            .unwrap();
        assert_eq!(expires(&dated).await, Some(later));
    })
    .await;
}

#[tokio::test]
async fn a_key_that_is_removed_was_never_there() {
    on_each(async |store| {
        let [removed, kept] = [record(&key()), record(&key())];
        store.add_key(removed.clone()).await.unwrap();
        store.add_key(kept.clone()).await.unwrap();
        store
            .remove_keys(vec![removed.id, Uuid::now_v7()])
            .await
            .unwrap();
        assert_eq!(store.keys().await.unwrap(), *std::slice::from_ref(&kept));
        store
            .remove_digests(vec![removed.digest, key().digest()])
            .await
            .unwrap();
        assert_eq!(store.keys().await.unwrap(), *std::slice::from_ref(&kept));
        store.remove_digests(vec![kept.digest]).await.unwrap();
        assert_eq!(store.keys().await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn a_count_goes_to_its_quota_and_back() {
    on_each(async |store| {
        let store = store.as_ref();
        assert_eq!(count(store, &[change(1, 1, 0, 3)]).await, [(1, 1)]);
        assert_eq!(count(store, &[change(1, 5, 0, 3)]).await, [(2, 3)]);
        assert_eq!(
            count(store, &[change(1, 1, 0, 3), change(2, 1, 0, 3)]).await,
            [(0, 3), (1, 1)]
        );
        assert_eq!(count(store, &[change(1, -2, 0, 3)]).await, [(-2, 1)]);
        assert_eq!(count(store, &[change(1, -5, 0, 3)]).await, [(-1, 0)]);
        assert_eq!(count(store, &[change(1, 0, 0, 3)]).await, [(0, 0)]);
        let tomorrow = Change {
            day: Day(20_001),
            ..change(2, 1, 0, 3)
        };
        assert_eq!(count(store, &[tomorrow]).await, [(1, 1)]);
        assert_eq!(count(store, &[]).await, []);
    })
    .await;
}

#[tokio::test]
async fn every_store_counts_by_the_same_rule() {
    on_each(async |store| {
        let mut total = 0;
        for (by, spare, quota) in [
            (1, 500, 1_000),
            (1, 8, 1_000),
            (0, 500, 1_000),
            (300, 500, 1_000),
            (-7, 0, 1_000),
            (1, 500, 400),
            (500, 500, 1_000),
            (200, 500, 1_000),
            (1, 500, 1_000),
            (7, 0, i64::MAX),
            (7, 100, i64::MAX),
            (-5_000, 0, 10),
        ] {
            let change = change(1, by, spare, quota);
            let allowed = change.allowed(total);
            total += allowed;
            assert_eq!(
                count(store.as_ref(), &[change]).await,
                [(allowed, total)],
                "{change:?}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn many_at_once_never_pass_a_quota() {
    on_each(async |store| {
        let mut callers = Vec::new();
        for index in 0..40 {
            let store = Arc::clone(&store);
            callers.push(tokio::spawn(async move {
                let mut taken = 0;
                for _ in 0..10 {
                    // Two counts at a time, not always in the same order.
                    let mut changes = vec![change(1, 1, 0, 100), change(2, 1, 0, 150)];
                    if index % 2 == 0 {
                        changes.reverse();
                    }
                    taken += count(store.as_ref(), &changes)
                        .await
                        .iter()
                        .map(|(by, _)| by)
                        .sum::<i64>();
                }
                taken
            }));
        }
        let mut taken = 0;
        for caller in callers {
            taken += caller.await.unwrap();
        }
        assert_eq!(taken, 250);
    })
    .await;
}

#[tokio::test]
async fn a_salt_is_of_one_day_and_is_forgotten_with_it() {
    on_each(async |store| {
        let salt = store.salt(Day(20_000)).await.unwrap();
        assert_eq!(store.salt(Day(20_000)).await.unwrap(), salt);
        assert_ne!(store.salt(Day(20_001)).await.unwrap(), salt);
        let changes: Vec<Change> = (0..200).map(|n| change(n, 1, 0, 9)).collect();
        count(store.as_ref(), &changes).await;

        assert!(!store.forget(Day(20_001)).await.unwrap());
        assert_eq!(
            store.salt(Day(20_000)).await.unwrap(),
            salt,
            "yesterday is kept: a clock may be a day ahead"
        );
        assert_eq!(count(store.as_ref(), &[change(1, 0, 0, 9)]).await, [(0, 1)]);

        assert!(!store.forget(Day(20_002)).await.unwrap(), "nothing is left");
        assert_ne!(store.salt(Day(20_000)).await.unwrap(), salt);
        assert_eq!(
            count(store.as_ref(), &[change(199, 0, 0, 9)]).await,
            [(0, 0)],
            "of an address"
        );
        assert_eq!(
            count(store.as_ref(), &[change(1, 0, 0, 9)]).await,
            [(0, 1)],
            "of an account"
        );
        assert!(!store.forget(Day(20_090)).await.unwrap());
        assert_eq!(count(store.as_ref(), &[change(1, 0, 0, 9)]).await, [(0, 1)]);
        assert!(!store.forget(Day(20_091)).await.unwrap());
        assert_eq!(count(store.as_ref(), &[change(1, 0, 0, 9)]).await, [(0, 0)]);
    })
    .await;
}

#[tokio::test]
async fn calls_that_were_answered_are_kept_by_day_apart_from_those_that_are_reserved() {
    on_each(async |store| {
        let account = Uuid::now_v7();
        let of = |day, by, used| Change {
            day: Day(day),
            subject: Subject::account(account),
            used,
            ..change(0, by, 0, 1_000)
        };
        for change in [
            of(20_000, 8, 0),
            of(20_000, 0, 3),
            of(20_001, 100, 0),
            of(20_002, 5, 5),
            of(20_002, -2, 0),
        ] {
            store.count(vec![change]).await.unwrap();
        }
        let counted = store.count(vec![of(20_000, 0, 0)]).await.unwrap();
        assert_eq!((counted[0].total, counted[0].used), (8, 3));
        assert_eq!(
            store.usage(account, Day(20_000)).await.unwrap(),
            [(Day(20_000), 3), (Day(20_002), 5)]
        );
        assert_eq!(
            store.usage(account, Day(20_001)).await.unwrap(),
            [(Day(20_002), 5)]
        );
        assert_eq!(store.usage(Uuid::now_v7(), Day(0)).await.unwrap(), []);
    })
    .await;
}
