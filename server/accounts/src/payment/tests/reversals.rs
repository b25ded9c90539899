//! Payments that are taken back as a whole suspend the key that they paid for, in any order of the
//! events, and no other key.

use serde_json::{Value, json};

use super::{DAY, at, service};
use crate::payment::apply::{self, Outcome};
use crate::payment::event::Event;
use crate::store::audit::{Action, Actor, AuditLog as _};
use crate::store::testing::Memory;
use crate::store::{Record, Sharing, Store as _, SubscriptionStore as _};

/// When the events of these tests happen, in seconds since 1970.
const BOUGHT: i64 = 1_800_000_000;
const RETURNED: i64 = BOUGHT + 40 * DAY;

fn event(kind: &str, created: i64, object: Value) -> Vec<u8> {
    let id = format!("evt_{kind}_{created}");
    json!({"id": id, "type": kind, "created": created, "data": {"object": object}})
        .to_string()
        .into_bytes()
}

/// An invoice of a year, paid on its first day by a charge.
fn invoice(number: i64, charge: Option<&str>) -> Vec<u8> {
    let start = BOUGHT + (number - 1) * 365 * DAY;
    let line = json!({"period": {"end": start + 365 * DAY}, "price": {"id": "price_pro"}, "type": "subscription"});
    let object = json!({
        "id": format!("in_{number}"), "subscription": "sub_1", "customer": "cus_1", "charge": charge,
        "customer_email": "claire@example.org", "lines": {"data": [line]},
        "status_transitions": {"paid_at": start},
    });
    event("invoice.paid", start, object)
}

fn snapshot(number: i64) -> Vec<u8> {
    let start = BOUGHT + (number - 1) * 365 * DAY;
    let object = json!({
        "id": "sub_1", "customer": "cus_1", "status": "active", "latest_invoice": format!("in_{number}"),
        "current_period_end": start + 365 * DAY, "items": {"data": [{"price": {"id": "price_pro"}}]},
    });
    event("customer.subscription.updated", start, object)
}

fn refund(charge: &str, refunded: i64) -> Vec<u8> {
    let object = json!({
        "id": charge, "amount": 19_900, "amount_refunded": refunded, "currency": "eur", "customer": "cus_1",
    });
    event("charge.refunded", RETURNED, object)
}

fn dispute(status: &str) -> Vec<u8> {
    let object = json!({"id": "dp_1", "charge": "ch_1", "amount": 19_900, "currency": "eur", "status": status});
    event("charge.dispute.closed", RETURNED, object)
}

/// The key after some events and the looks of the service at the end; and the open cases.
async fn after(events: &[&[u8]]) -> (Record, Vec<String>, std::sync::Arc<Memory>) {
    let (store, service) = (Memory::new(Sharing::Alone), service());
    for event in events {
        let event = Event::read(event).unwrap();
        apply::receive(&*store, &service, &event, at(RETURNED))
            .await
            .unwrap();
    }
    for hours in [0, 2] {
        apply::look_again(&*store, &service, at(RETURNED + hours * 3_600))
            .await
            .unwrap();
    }
    let keys = store.keys().await.unwrap();
    let cases = store.cases().await.unwrap();
    assert_eq!(keys.len(), 1);
    let cases = cases.into_iter().map(|case| case.id).collect();
    (keys[0].clone(), cases, store)
}

/// Every order of three events.
fn orders(all: [&[u8]; 3]) -> Vec<Vec<&[u8]>> {
    let [one, two, three] = all;
    [
        [one, two, three],
        [one, three, two],
        [two, one, three],
        [two, three, one],
        [three, one, two],
        [three, two, one],
    ]
    .map(Vec::from)
    .into()
}

#[tokio::test]
async fn a_full_refund_or_a_lost_dispute_suspends_its_key_in_any_order() {
    let (paid, state) = (invoice(1, Some("ch_1")), snapshot(1));
    for back in [refund("ch_1", 19_900), dispute("lost")] {
        for events in orders([&paid, &state, &back]) {
            let (key, cases, store) = after(&events).await;
            assert_eq!(key.expires, Some(at(RETURNED)), "when the money went");
            assert_eq!(cases, [""; 0], "nothing is left to a person");

            let entries = store.audit_entries(None, at(0), 10).await.unwrap();
            let done: Vec<(Actor, Action)> = entries
                .iter()
                .map(|entry| (entry.actor, entry.action))
                .collect();
            let both = [
                (Actor::Payments, Action::Suspended),
                (Actor::Payments, Action::Issued),
            ];
            assert!(done == both || done == both[..1], "{done:?}");
        }
    }
}

#[tokio::test]
async fn a_partial_refund_or_another_dispute_changes_no_key() {
    let (paid, state) = (invoice(1, Some("ch_1")), snapshot(1));
    let end = Some(at(BOUGHT + 368 * DAY));
    for (back, case) in [
        (refund("ch_1", 19_899), "refund:ch_1:19899"),
        (dispute("won"), "dispute:dp_1:won"),
        (dispute("needs_response"), "dispute:dp_1:needs_response"),
    ] {
        let (key, cases, _) = after(&[&paid, &state, &back]).await;
        assert_eq!((key.expires, cases), (end, vec![case.to_owned()]));
    }
}

#[tokio::test]
async fn the_refund_of_an_earlier_payment_ends_nothing_that_a_later_one_pays() {
    let (first, second, state) = (
        invoice(1, Some("ch_1")),
        invoice(2, Some("ch_2")),
        snapshot(2),
    );
    let back = refund("ch_1", 19_900);
    let (key, cases, _) = after(&[&first, &second, &state, &back]).await;
    assert_eq!(key.expires, Some(at(BOUGHT + 733 * DAY)));
    assert_eq!(cases, [""; 0]);

    // The second is returned: what the first paid stays, without the days of grace.
    let back = refund("ch_2", 19_900);
    let (key, ..) = after(&[&first, &second, &state, &back]).await;
    assert_eq!(key.expires, Some(at(BOUGHT + 365 * DAY)));
}

#[tokio::test]
async fn without_its_charge_a_payment_is_known_by_its_customer_alone_if_it_is_his_only_one() {
    let (first, state) = (invoice(1, None), snapshot(1));
    let back = refund("ch_9", 19_900);
    let (key, cases, _) = after(&[&first, &state, &back]).await;
    assert_eq!((key.expires, cases), (Some(at(RETURNED)), Vec::new()));

    let second = invoice(2, None);
    let (key, cases, _) = after(&[&first, &second, &snapshot(2), &back]).await;
    assert_eq!(
        key.expires,
        Some(at(BOUGHT + 733 * DAY)),
        "one of two payments"
    );
    assert_eq!(cases, ["refund:ch_9:19900"], "a person decides");
}

/// An event that comes again after a person has renewed the key must not end it again.
#[tokio::test]
async fn a_refund_that_comes_again_ends_nothing_again() {
    let (paid, state, back) = (
        invoice(1, Some("ch_1")),
        snapshot(1),
        refund("ch_1", 19_900),
    );
    let (key, _, store) = after(&[&paid, &state, &back]).await;
    let mut terms = key.terms();
    terms.expires = Some(at(RETURNED + 100 * DAY));
    store.change_terms(key.account, terms).await.unwrap();

    let again = Event::read(&back).unwrap();
    let outcome = apply::receive(&*store, &service(), &again, at(RETURNED + 60)).await;
    assert_eq!(outcome.unwrap(), Outcome::Waiting("refund"));
    apply::look_again(&*store, &service(), at(RETURNED + DAY))
        .await
        .unwrap();
    let key = store.keys().await.unwrap().remove(0);
    assert_eq!(key.expires, Some(at(RETURNED + 100 * DAY)));
}
