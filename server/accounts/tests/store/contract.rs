//! Contract of every store, the one in memory that unit tests use included.

use std::sync::Arc;

use bareme_accounts::day::Day;
use bareme_accounts::key::Key;
use bareme_accounts::store::mailboxes::KeyRequest;
use bareme_accounts::store::{Change, Counted, Record, Store, Terms};
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

#[tokio::test]
async fn the_terms_of_an_account_are_those_of_all_its_keys() {
    on_each(async |store| {
        let first = Record {
            subscription: Some("sub_1".to_owned()),
            ..record(&key())
        };
        let second_key = Record {
            account: first.account,
            created: second(1_800_000_001),
            ..record(&key())
        };
        let other = record(&key());
        for record in [&first, &second_key, &other] {
            store.add_key(record.clone()).await.unwrap();
        }
        assert!(store.set_noticed(first.id, None, Some(30)).await.unwrap());
        let terms = Terms {
            plan: "scale".to_owned(),
            email: "élise@example.org".to_owned(),
            renews: true,
            ..first.terms()
        };
        assert!(
            store
                .change_terms(first.account, terms.clone())
                .await
                .unwrap()
        );
        let kept = store.keys().await.unwrap();
        assert_eq!(
            kept.iter().filter(|record| record.terms() == terms).count(),
            2
        );
        assert_eq!(
            kept.iter()
                .find(|record| record.id == first.id)
                .unwrap()
                .noticed,
            Some(30),
            "the end is the same"
        );
        assert!(kept.contains(&other));
        let later = Terms {
            expires: Some(second(1_900_000_000)),
            ..terms
        };
        assert!(
            store
                .change_terms(first.account, later.clone())
                .await
                .unwrap()
        );
        let paid = store
            .keys_of_subscription("sub_1".to_owned())
            .await
            .unwrap();
        assert_eq!(
            paid,
            [Record {
                plan: later.plan,
                email: later.email,
                expires: later.expires,
                renews: true,
                ..first
            }]
        );
        assert_eq!(
            store
                .keys_of_subscription("sub_2".to_owned())
                .await
                .unwrap(),
            []
        );
        assert!(
            !store
                .change_terms(Uuid::now_v7(), other.terms())
                .await
                .unwrap()
        );
    })
    .await;
}

#[tokio::test]
async fn a_notice_is_sent_by_one_node() {
    on_each(async |store| {
        let kept = record(&key());
        store.add_key(kept.clone()).await.unwrap();
        assert!(store.set_noticed(kept.id, None, Some(30)).await.unwrap());
        assert!(
            !store.set_noticed(kept.id, None, Some(30)).await.unwrap(),
            "another node was first"
        );
        assert!(store.set_noticed(kept.id, Some(30), Some(7)).await.unwrap());
        assert_eq!(store.keys().await.unwrap()[0].noticed, Some(7));
        assert!(store.set_noticed(kept.id, Some(7), None).await.unwrap());
        assert!(
            !store
                .set_noticed(Uuid::now_v7(), None, Some(7))
                .await
                .unwrap()
        );
    })
    .await;
}

#[tokio::test]
async fn keys_that_end_soon_are_found() {
    on_each(async |store| {
        let ending = |seconds: i64| Record {
            expires: Some(second(seconds)),
            ..record(&key())
        };
        let [past, soon, sooner, late, revoked] = [100, 300, 200, 900, 250].map(ending);
        let revoked = Record {
            revoked: Some(second(50)),
            ..revoked
        };
        let endless = Record {
            expires: None,
            ..record(&key())
        };
        for record in [&past, &soon, &sooner, &late, &revoked, &endless] {
            store.add_key(record.clone()).await.unwrap();
        }
        assert_eq!(
            store.expiring_keys(second(100), second(900)).await.unwrap(),
            [sooner, soon]
        );
    })
    .await;
}

#[tokio::test]
async fn a_mailbox_is_held_by_one_account_while_a_key_of_it_is_valid() {
    on_each(async |store| {
        let (first, other) = (record(&key()), record(&key()));
        let next = Record {
            account: first.account,
            created: second(1_800_000_001),
            ..record(&key())
        };
        for record in [&first, &next, &other] {
            store.add_key(record.clone()).await.unwrap();
        }
        let now = second(1_800_000_100);
        let hold = async |record: &Record, variant: &str| {
            store
                .hold_mailbox(
                    record.id,
                    variant.to_owned(),
                    "claire@example.org".to_owned(),
                    now,
                )
                .await
        };
        let holders = async || {
            let keys = store
                .keys_of_mailbox("a".to_owned(), "claire@example.org".to_owned())
                .await
                .unwrap();
            keys.iter().map(|record| record.id).collect::<Vec<_>>()
        };
        assert_eq!(holders().await, Vec::<Uuid>::new());
        assert!(hold(&first, "a").await.unwrap());
        assert_eq!(holders().await, [next.id, first.id], "the newest first");
        assert!(hold(&other, "a").await.is_err(), "it has a holder");
        store.revoke_key(first.id, now).await.unwrap();
        assert!(
            hold(&other, "a").await.is_err(),
            "another key of the account is valid"
        );
        store.revoke_key(next.id, now).await.unwrap();
        assert!(hold(&other, "a").await.unwrap());
        assert_eq!(holders().await, [other.id]);
        assert!(
            !store
                .hold_mailbox(
                    Uuid::now_v7(),
                    "b".to_owned(),
                    "x@example.org".to_owned(),
                    now
                )
                .await
                .unwrap()
        );
        // An owner who is forgotten or pays holds nothing.
        store
            .change_terms(
                other.account,
                Terms {
                    email: String::new(),
                    ..other.terms()
                },
            )
            .await
            .unwrap();
        assert_eq!(holders().await, Vec::<Uuid>::new());
    })
    .await;
}

#[tokio::test]
async fn a_key_is_replaced_by_one_who_knows_it() {
    on_each(async |store| {
        let (old, other) = (record(&key()), record(&key()));
        store.add_key(old.clone()).await.unwrap();
        let new = Record {
            digest: other.digest,
            last_four: other.last_four,
            expires: Some(second(1_900_000_000)),
            ..old.clone()
        };
        assert!(store.replace_key(old.clone(), new.clone()).await.unwrap());
        assert!(
            !store.replace_key(old, new.clone()).await.unwrap(),
            "it was replaced already"
        );
        assert_eq!(store.keys().await.unwrap(), [new]);
    })
    .await;
}

#[tokio::test]
async fn a_request_is_taken_once_and_forgotten_with_its_day() {
    on_each(async |store| {
        let request = |created| KeyRequest {
            email: "Claire@example.org".to_owned(),
            variant: "a".to_owned(),
            created: second(created),
        };
        let [taken, old, new] = [key(), key(), key()].map(|key| key.digest());
        store
            .add_request(taken, request(86_400 * 20_000))
            .await
            .unwrap();
        assert_eq!(
            store.take_request(taken).await.unwrap(),
            Some(request(86_400 * 20_000))
        );
        assert_eq!(store.take_request(taken).await.unwrap(), None);
        store
            .add_request(old, request(86_400 * 20_000 - 1))
            .await
            .unwrap();
        store
            .add_request(new, request(86_400 * 20_000))
            .await
            .unwrap();
        store.forget(Day(20_001)).await.unwrap();
        assert_eq!(store.take_request(old).await.unwrap(), None);
        assert!(store.take_request(new).await.unwrap().is_some());
    })
    .await;
}
