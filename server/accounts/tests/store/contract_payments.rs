//! Contract of every store about subscriptions, deliveries and cases, the one in memory of the unit
//! tests included.

use std::sync::Arc;

use bareme_accounts::payment::case::{Case, CaseKind};
use bareme_accounts::store::audit::{Action, Origin};
use bareme_accounts::store::{Claimed, Delivery, KeyChange, Record, Subscription, Terms};
use uuid::Uuid;

use super::contract::{key, record, second};
use super::on_each;

#[tokio::test]
async fn a_subscription_and_its_key_are_written_together_or_not_at_all() {
    on_each(async |store| {
        let known = |facts: &str, version, waits_since: Option<i64>| Subscription {
            id: "sub_1".to_owned(),
            facts: facts.to_owned(),
            version,
            waits_since: waits_since.map(second),
        };
        let [first, other] = [record(&key()), record(&key())];
        assert_eq!(store.subscription("sub_1".to_owned()).await.unwrap(), None);
        let add = |record: &Record| KeyChange::Add(Box::new(record.clone()));
        let origin = Origin::event("evt_1");
        let entry = |action| Some(origin.entry(action, &first, "pro", second(7)));
        assert!(
            store
                .save_subscription(known("{}", 0, Some(5)), add(&first), entry(Action::Issued))
                .await
                .unwrap()
        );
        assert!(
            !store
                .save_subscription(known("{}", 0, None), add(&other), entry(Action::Removed))
                .await
                .unwrap(),
            "written meanwhile"
        );
        assert_eq!(store.keys().await.unwrap(), std::slice::from_ref(&first));
        assert_eq!(
            store.subscription("sub_1".to_owned()).await.unwrap(),
            Some(known("{}", 1, Some(5)))
        );
        assert_eq!(store.waiting_subscriptions(second(4)).await.unwrap(), []);
        assert_eq!(
            store.waiting_subscriptions(second(5)).await.unwrap(),
            [known("{}", 1, Some(5))]
        );

        let terms = Terms {
            plan: "scale".to_owned(),
            renews: true,
            expires: None,
            ..first.terms()
        };
        let change = |deliver| KeyChange::Terms {
            account: first.account,
            terms: terms.clone(),
            deliver,
        };
        assert!(
            !store
                .save_subscription(known("[]", 2, None), change(true), entry(Action::Removed))
                .await
                .unwrap()
        );
        assert_eq!(store.keys().await.unwrap()[0].plan, "pro");
        assert!(
            store
                .set_delivery(first.id, Delivery::Held, None)
                .await
                .unwrap()
        );
        assert!(
            store
                .save_subscription(known("[]", 1, None), change(false), None)
                .await
                .unwrap()
        );
        let changed = store.keys().await.unwrap().remove(0);
        assert_eq!(
            (changed.terms(), changed.delivery),
            (terms.clone(), Delivery::Held)
        );
        assert!(
            store
                .save_subscription(known("[1]", 2, None), change(true), None)
                .await
                .unwrap()
        );
        assert_eq!(store.keys().await.unwrap()[0].delivery, Delivery::Due);
        assert!(
            store
                .save_subscription(known("[2]", 3, None), KeyChange::None, None)
                .await
                .unwrap()
        );
        assert_eq!(
            store.subscriptions().await.unwrap(),
            [known("[2]", 4, None)]
        );
        assert_eq!(store.waiting_subscriptions(second(9)).await.unwrap(), []);
        store.forget_subscription("sub_1".to_owned()).await.unwrap();
        store.forget_subscription("sub_1".to_owned()).await.unwrap();
        assert_eq!(store.subscription("sub_1".to_owned()).await.unwrap(), None);
        assert_eq!(store.keys().await.unwrap().len(), 1, "its key stays");
        // An entry of the audit log is written with its change, or not at all.
        let audited = store.audit_entries(None, second(0), 9).await.unwrap();
        assert_eq!(audited, Vec::from_iter(entry(Action::Issued)));
    })
    .await;
}

#[tokio::test]
async fn a_key_is_sent_by_one_node_at_a_time_until_it_is_delivered() {
    on_each(async |store| {
        let due = Record {
            delivery: Delivery::Due,
            attempt_at: Some(second(100)),
            ..record(&key())
        };
        let direct = record(&key());
        store.add_key(due.clone()).await.unwrap();
        store.add_key(direct.clone()).await.unwrap();
        assert_eq!(
            store.undelivered_keys().await.unwrap(),
            std::slice::from_ref(&due)
        );
        assert_eq!(
            store.claim_delivery(second(99), second(150)).await.unwrap(),
            None
        );
        let claims = (0..8).map(|_| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                store
                    .claim_delivery(second(100), second(190))
                    .await
                    .unwrap()
            })
        });
        let mut claimed = Vec::new();
        for claim in claims.collect::<Vec<_>>() {
            claimed.extend(claim.await.unwrap());
        }
        let sending = Record {
            delivery: Delivery::Sending,
            attempts: 1,
            attempt_at: Some(second(190)),
            ..due.clone()
        };
        assert_eq!(
            claimed,
            [Claimed {
                record: sending,
                was_interrupted: false
            }],
            "one of eight"
        );

        // Nobody said how it ended: another key is sent beside the first.
        let again = store
            .claim_delivery(second(190), second(280))
            .await
            .unwrap()
            .unwrap();
        assert!(again.was_interrupted && again.record.attempts == 2);
        let beside = key();
        let next = Record {
            id: Uuid::now_v7(),
            digest: beside.digest(),
            ..again.record
        };
        store.add_beside(due.id, next.clone()).await.unwrap();
        let unsure = store.find_keys(vec![due.digest]).await.unwrap().remove(0);
        assert_eq!(
            (unsure.delivery, unsure.attempt_at),
            (Delivery::Unsure, None)
        );

        let other = key();
        store
            .change_digest(next.id, other.digest(), other.last_four().to_owned())
            .await
            .unwrap();
        assert_eq!(store.find_keys(vec![beside.digest()]).await.unwrap(), []);
        assert_eq!(
            store.find_keys(vec![other.digest()]).await.unwrap()[0].last_four,
            other.last_four()
        );
        assert!(
            store
                .set_delivery(next.id, Delivery::Delivered, None)
                .await
                .unwrap()
        );
        assert!(
            !store
                .set_delivery(Uuid::now_v7(), Delivery::Delivered, None)
                .await
                .unwrap()
        );
        assert_eq!(
            store
                .claim_delivery(second(9_000), second(9_090))
                .await
                .unwrap(),
            None
        );
        assert_eq!(store.undelivered_keys().await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn a_revoked_key_can_be_restored() {
    on_each(async |store| {
        let kept = record(&key());
        store.add_key(kept.clone()).await.unwrap();
        store
            .revoke_key(kept.id, second(1_800_000_500))
            .await
            .unwrap();
        assert!(
            store.restore_key(kept.id).await.unwrap()
                && !store.restore_key(Uuid::now_v7()).await.unwrap()
        );
        assert_eq!(store.keys().await.unwrap(), [kept]);
    })
    .await;
}

#[tokio::test]
async fn a_case_is_opened_once_and_settled_for_good() {
    on_each(async |store| {
        let case = |id: &str, opened| Case {
            id: id.to_owned(),
            kind: CaseKind::Refund,
            detail: "ch_1".to_owned(),
            opened: second(opened),
            reversal: (opened == 10).then(|| "{}".to_owned()),
        };
        let [late, early] = [case("refund:2", 20), case("refund:1", 10)];
        assert!(
            store.open_case(late.clone()).await.unwrap()
                && store.open_case(early.clone()).await.unwrap()
        );
        assert!(!store.open_case(case("refund:1", 30)).await.unwrap());
        assert_eq!(store.cases().await.unwrap(), [early.clone(), late.clone()]);
        let ids = vec![early.id.clone(), "refund:9".to_owned()];
        assert_eq!(store.settle_cases(ids.clone(), false).await.unwrap(), 1);
        assert_eq!(store.settle_cases(ids, false).await.unwrap(), 0);
        assert!(
            !store.open_case(early).await.unwrap(),
            "a person has dealt with it"
        );
        assert_eq!(
            store
                .settle_cases(vec![late.id.clone()], true)
                .await
                .unwrap(),
            1
        );
        assert_eq!(store.cases().await.unwrap(), []);
        assert!(
            store.open_case(late).await.unwrap(),
            "it ended by itself, and came back"
        );
    })
    .await;
}
