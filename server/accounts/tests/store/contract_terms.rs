//! Contract of every store about terms, notices and mailboxes of keys.

use bareme_accounts::day::Day;
use bareme_accounts::store::Record;
use bareme_accounts::store::Terms;
use bareme_accounts::store::mailboxes::{KeyRequest, Purpose};
use uuid::Uuid;

use super::contract::{key, record, second};
use super::on_each;

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
        let account = Uuid::now_v7();
        let request = |created| KeyRequest {
            email: "Claire@example.org".to_owned(),
            variant: "a".to_owned(),
            created: second(created),
            purpose: Purpose::Move,
            account: Some(account),
        };
        let [taken, old, new] = [key(), key(), key()].map(|key| key.digest());
        store
            .add_request(taken, request(86_400 * 20_000))
            .await
            .unwrap();
        for _ in 0..2 {
            let stays = store.request(taken).await.unwrap();
            assert_eq!(stays, Some(request(86_400 * 20_000)));
        }
        assert_eq!(
            store.take_request(taken).await.unwrap(),
            Some(request(86_400 * 20_000))
        );
        assert_eq!(store.take_request(taken).await.unwrap(), None);
        assert_eq!(store.request(taken).await.unwrap(), None);
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

#[tokio::test]
async fn every_purpose_of_a_request_is_read_as_it_was_written() {
    on_each(async |store| {
        for purpose in Purpose::ALL {
            let token = key().digest();
            let request = KeyRequest {
                email: "claire@example.org".to_owned(),
                variant: String::new(),
                created: second(5),
                purpose: *purpose,
                account: None,
            };
            store.add_request(token, request.clone()).await.unwrap();
            assert_eq!(store.request(token).await.unwrap(), Some(request));
        }
    })
    .await;
}

#[tokio::test]
async fn the_keys_of_an_address_and_of_an_account_are_found() {
    on_each(async |store| {
        let [one, other, of_other] = [record(&key()), record(&key()), record(&key())];
        let other = Record {
            account: one.account,
            created: second(1_800_000_001),
            ..other
        };
        let of_other = Record {
            email: "dan@example.org".to_owned(),
            ..of_other
        };
        for record in [&other, &one, &of_other] {
            store.add_key(record.clone()).await.unwrap();
        }

        let of_claire = store.keys_of_email("CLAIRE@Example.org".to_owned());
        assert_eq!(of_claire.await.unwrap(), [one.clone(), other.clone()]);
        let of_nobody = store.keys_of_email("nobody@example.org".to_owned());
        assert_eq!(of_nobody.await.unwrap(), []);
        assert_eq!(
            store.keys_of_account(one.account).await.unwrap(),
            [one, other]
        );
        assert_eq!(
            store.keys_of_account(of_other.account).await.unwrap(),
            [of_other]
        );
    })
    .await;
}
