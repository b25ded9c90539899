//! Parsing of events in the provider's format, of both versions, and of malformed ones.

use serde_json::{Value, json};

use super::{DAY, at, service};
use crate::payment::apply::{self, Outcome};
use crate::payment::case::{Case, CaseKind};
use crate::payment::event::{Content, Event};
use crate::payment::facts::{Facts, Seen, Status};
use crate::store::testing::{Memory, record};
use crate::store::{Delivery, Record, Sharing, Store as _, SubscriptionStore as _};

fn read(kind: &str, object: Value) -> Result<Content, String> {
    let event = json!({"id": "evt_1", "object": "event", "type": kind, "created": 500, "data": {"object": object}});
    Event::read(event.to_string().as_bytes()).map(|event| event.content)
}

fn seen(kind: &str, object: Value) -> (String, Seen) {
    match read(kind, object).unwrap() {
        Content::Subscription(id, observation) => (id, observation.seen),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_no_event_is_refused_by_what_is_missing() {
    for (body, missing) in [
        ("{", "not JSON"),
        ("{}", "no `id`"),
        (r#"{"id":"evt_1"}"#, "no `type`"),
        (
            r#"{"id":"evt_1","type":"invoice.paid"}"#,
            "no `data.object`",
        ),
        (
            r#"{"id":"evt_1","type":"invoice.paid","data":{"object":{}}}"#,
            "invoice.paid: `created`",
        ),
    ] {
        let refused = Event::read(body.as_bytes()).unwrap_err();
        assert!(refused.contains(missing), "{refused}");
    }
    for (kind, object, missing) in [
        (
            "customer.subscription.deleted",
            json!({"id": "sub_1"}),
            "status",
        ),
        (
            "customer.subscription.updated",
            json!({"id": "sub_1", "status": "on_holiday"}),
            "status",
        ),
        (
            "customer.subscription.updated",
            json!({"status": "active"}),
            "id",
        ),
        ("invoice.paid", json!({"subscription": "sub_1"}), "id"),
        ("checkout.session.completed", json!({}), "id"),
        ("charge.refunded", json!({"id": "ch_1"}), "amount_refunded"),
        ("charge.dispute.created", json!({"id": "dp_1"}), "status"),
    ] {
        assert_eq!(
            read(kind, object),
            Err(format!("{kind}: `{missing}` is missing or malformed"))
        );
    }
}

/// PostgreSQL holds no text with this character: such an event was taken for a failure of the
/// store, and sent again for days.
#[test]
fn a_text_with_nul_is_refused_wherever_it_is() {
    for object in [
        json!({"id": "sub_\0"}),
        json!({"id": "sub_1", "metadata": {"plan": ["scale\0"]}}),
        json!({"id": "sub_1", "metadata": {"pl\0an": "scale"}}),
    ] {
        let refused = read("customer.subscription.updated", object).unwrap_err();
        assert_eq!(refused, "a text holds the character NUL");
    }
}

/// A refund of a moment beyond the calendar was one of 1970, and a subscription that is paid up to
/// then was unpaid.
#[test]
fn moments_beyond_the_calendar_are_refused() {
    for second in [
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(253_402_300_800_i64),
        json!(1.5),
        json!("5"),
    ] {
        for kind in [
            "charge.refunded",
            "invoice.paid",
            "customer.subscription.updated",
            "product.created",
        ] {
            let object = json!({"id": "x_1", "amount_refunded": 5, "status": "active", "subscription": "sub_1"});
            let event =
                json!({"id": "evt_1", "type": kind, "created": second, "data": {"object": object}});
            let refused = Event::read(event.to_string().as_bytes()).unwrap_err();
            assert_eq!(
                refused,
                format!("{kind}: `created` is missing or malformed"),
                "{second}"
            );
        }
        let line = json!({"period": {"end": second}});
        let ended = json!({"id": "in_1", "subscription": "sub_1", "lines": {"data": [line]}});
        let paid = json!({"id": "in_1", "subscription": "sub_1", "status_transitions": {"paid_at": second}});
        let of_item = json!({"id": "sub_1", "status": "active", "items": {"data": [{"current_period_end": second}]}});
        let mut objects = vec![
            ("invoice.paid", ended, "end"),
            ("invoice.paid", paid, "paid_at"),
            (
                "customer.subscription.updated",
                of_item,
                "current_period_end",
            ),
        ];
        for member in ["current_period_end", "cancel_at", "ended_at"] {
            let object = json!({"id": "sub_1", "status": "active", member: second});
            objects.push(("customer.subscription.updated", object, member));
        }
        for (kind, object, member) in objects {
            assert_eq!(
                read(kind, object),
                Err(format!("{kind}: `{member}` is missing or malformed")),
                "{second}"
            );
        }
    }
}

#[test]
fn both_forms_of_an_invoice_bill_the_same_period() {
    let before = json!({"id": "in_1", "subscription": "sub_1", "lines": {"data": [
        {"period": {"end": 900}, "price": {"id": "price_pro"}, "type": "subscription", "proration": false},
        {"period": {"end": 950}, "price": {"id": "price_scale"}, "type": "invoiceitem", "proration": true},
        {"period": {"end": 999}, "price": {"id": "price_else"}, "type": "invoiceitem", "proration": false},
        {"period": {"end": 998}, "price": {"id": "price_else"}, "type": "subscription", "subscription": "sub_2"}]}});
    let parent = |proration: bool, subscription: &str| {
        json!({"type": "subscription_item_details", "invoice_item_details": null,
            "subscription_item_details": {"proration": proration, "subscription": subscription}})
    };
    let since = json!({"id": "in_1", "parent": {"subscription_details": {"subscription": "sub_1"}},
        "lines": {"data": [
        {"period": {"end": 900}, "pricing": {"price_details": {"price": "price_pro"}}, "parent": parent(false, "sub_1")},
        {"period": {"end": 950}, "pricing": {"price_details": {"price": "price_scale"}}, "parent": parent(true, "sub_1")},
        {"period": {"end": 998}, "pricing": {"price_details": {"price": "price_else"}}, "parent": parent(false, "sub_2")},
        {"period": {"end": 999}, "pricing": {"price_details": {"price": "price_else"}},
            "parent": {"type": "invoice_item_details", "invoice_item_details": {"proration": false}}}]}});
    for object in [before, since] {
        let (subscription, Seen::Invoice(id, invoice)) = seen("invoice.paid", object) else {
            panic!("no invoice")
        };
        assert_eq!((subscription.as_str(), id.as_str()), ("sub_1", "in_1"));
        assert_eq!((invoice.paid, invoice.billed_until), (Some(500), Some(900)));
        assert_eq!(
            invoice.prices.into_iter().collect::<Vec<_>>(),
            ["price_pro"]
        );
    }
    assert_eq!(
        read("invoice.paid", json!({"id": "in_1", "lines": {"data": []}})),
        Ok(Content::Other),
        "of nothing"
    );
    assert_eq!(
        read("product.created", json!({"id": "prod_1"})),
        Ok(Content::Other)
    );
}

#[test]
fn a_subscription_says_when_it_ends() {
    let with = |more: Value| {
        let mut object = json!({"id": "sub_1", "status": "active", "current_period_end": 900});
        object
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        match seen("customer.subscription.updated", object) {
            (_, Seen::Snapshot(snapshot)) => snapshot,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        (with(json!({})).period_end, with(json!({})).cancel_at),
        (Some(900), None)
    );
    assert_eq!(
        with(json!({"cancel_at_period_end": true})).cancel_at,
        Some(900)
    );
    assert_eq!(with(json!({"cancel_at": 700})).cancel_at, Some(700));
    let expanded = with(json!({"latest_invoice": {"id": "in_1"}, "status": "past_due"}));
    assert_eq!(
        (expanded.latest_invoice.as_deref(), expanded.status),
        (Some("in_1"), Status::PastDue)
    );
}

#[test]
fn a_purchase_that_is_paid_later_is_paid_once_it_is() {
    let session = |status: &str| {
        json!({"id": "cs_1", "payment_status": status, "subscription": null, "metadata": {"plan": "named"},
            "customer_details": {"email": "claire@example.org"}})
    };
    let mut facts = Facts::default();
    let service = service();
    let mut add = |kind: &str, object| match read(kind, object).unwrap() {
        Content::Subscription(_, observation) => {
            facts.add(&observation);
            facts.standing(&service).ends
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(add("checkout.session.completed", session("unpaid")), None);
    let paid = add("checkout.session.async_payment_succeeded", session("paid"));
    assert_eq!(paid, Some(at(500 + 365 * DAY)), "paid once: no grace");
    assert!(!facts.standing(&service).renews);
}

/// Applies a snapshot of a subscription whose purchase was paid, and returns the open cases.
async fn cases_of(store: &Memory, price: &str, metadata: Value, now: i64) -> Vec<CaseKind> {
    let service = service();
    for (kind, object) in [
        (
            "checkout.session.completed",
            json!({"id": "cs_1", "subscription": "sub_1", "payment_status": "paid",
            "invoice": "in_1", "metadata": metadata, "customer_details": {"email": "claire@example.org"}}),
        ),
        (
            "customer.subscription.updated",
            json!({"id": "sub_1", "status": "active", "latest_invoice": "in_1",
            "current_period_end": 365 * DAY, "items": {"data": [{"price": {"id": price}}]}}),
        ),
    ] {
        let Content::Subscription(id, seen) = read(kind, object).unwrap() else {
            panic!("{kind}")
        };
        apply::apply(store, &service, &id, Some(&seen), at(now))
            .await
            .unwrap();
    }
    store
        .cases()
        .await
        .unwrap()
        .into_iter()
        .map(|case| case.kind)
        .collect()
}

#[tokio::test]
async fn a_price_of_no_plan_waits_for_a_person_until_a_plan_has_it() {
    let store = Memory::new(Sharing::Alone);
    assert_eq!(
        cases_of(&store, "price_new", json!({}), 600).await,
        [CaseKind::UnknownPrice]
    );
    assert!(store.keys().await.unwrap().is_empty());
    // The operator adds the price to the rules.
    let mut known = service();
    known.variants[0].plans[0].payment_price = Some("price_new".to_owned());
    apply::look_again(&*store, &known, at(700)).await.unwrap();
    assert_eq!(store.keys().await.unwrap().len(), 1);
    assert!(store.cases().await.unwrap().is_empty(), "settled by itself");

    let store = Memory::new(Sharing::Alone);
    assert_eq!(
        cases_of(&store, "price_new", json!({"plan": "pro"}), 600).await,
        [CaseKind::UnknownPrice]
    );
    assert_eq!(
        store.keys().await.unwrap()[0].plan,
        "pro",
        "what was bought until it is known"
    );
    let store = Memory::new(Sharing::Alone);
    assert_eq!(
        cases_of(&store, "price_new", json!({"plan": "named"}), 600).await,
        [],
        "a plan without a price"
    );
}

#[tokio::test]
async fn a_payment_without_an_address_waits_ten_minutes_for_it() {
    let (store, service) = (Memory::new(Sharing::Alone), service());
    let invoice = json!({"id": "in_1", "subscription": "sub_1", "lines": {"data": [{"period": {"end": 365 * DAY},
        "price": {"id": "price_pro"}, "type": "subscription"}]}});
    let Content::Subscription(id, seen) = read("invoice.paid", invoice).unwrap() else {
        panic!()
    };
    let applied = apply::apply(&*store, &service, &id, Some(&seen), at(500))
        .await
        .unwrap();
    assert_eq!(applied, Outcome::Waiting("no_email"));
    for (second, open) in [(1_099, 0), (1_100, 1), (5_000, 1)] {
        apply::look_again(&*store, &service, at(second))
            .await
            .unwrap();
        assert_eq!(store.cases().await.unwrap().len(), open, "at {second}");
    }
    assert_eq!(
        cases_of(&store, "price_pro", json!({}), 6_000).await,
        [],
        "it came after all"
    );
    assert_eq!(store.keys().await.unwrap()[0].email, "claire@example.org");
}

/// The node that opened it was killed, or overtaken by one that applied what ends it.
#[tokio::test]
async fn a_case_that_was_left_open_is_settled_at_the_next_look() {
    let (store, service) = (Memory::new(Sharing::Several), service());
    assert_eq!(cases_of(&store, "price_pro", json!({}), 600).await, []);
    for (kind, about) in [
        (CaseKind::NoPayment, "sub_1"),
        (CaseKind::Refund, "ch_1:500"),
        (CaseKind::NoPlan, "sub_9"),
    ] {
        store
            .open_case(Case::new(kind, about, String::new(), at(600)))
            .await
            .unwrap();
    }
    apply::look_again(&*store, &service, at(700)).await.unwrap();
    let mut left: Vec<CaseKind> = store
        .cases()
        .await
        .unwrap()
        .into_iter()
        .map(|case| case.kind)
        .collect();
    left.sort();
    assert_eq!(left, [CaseKind::Refund, CaseKind::NoPlan]);
}

#[tokio::test]
async fn a_payment_after_the_end_waits_for_a_person() {
    let (store, service) = (Memory::new(Sharing::Alone), service());
    cases_of(&store, "price_pro", json!({}), 600).await;
    for (kind, object) in [
        (
            "customer.subscription.deleted",
            json!({"id": "sub_1", "status": "canceled", "ended_at": 700}),
        ),
        (
            "invoice.paid",
            json!({"id": "in_2", "subscription": "sub_1", "status_transitions": {"paid_at": 800}}),
        ),
    ] {
        let Content::Subscription(id, seen) = read(kind, object).unwrap() else {
            panic!("{kind}")
        };
        apply::apply(&*store, &service, &id, Some(&seen), at(900))
            .await
            .unwrap();
    }
    let cases = store.cases().await.unwrap();
    assert_eq!(
        cases.iter().map(|case| case.kind).collect::<Vec<_>>(),
        [CaseKind::PaidAfterEnd]
    );
}

/// A key sold by a version that kept no facts.
#[tokio::test]
async fn a_key_without_facts_is_taken_over_as_it_is() {
    let (store, service) = (Memory::new(Sharing::Alone), service());
    let ends = at(365 * DAY + 3 * DAY);
    let sold = Record {
        plan: "pro".to_owned(),
        expires: Some(ends),
        subscription: Some("sub_1".to_owned()),
        renews: true,
        ..record()
    };
    store.add_key(sold.clone()).await.unwrap();
    let object = json!({"id": "sub_1", "status": "active", "latest_invoice": "in_0", "current_period_end": 365 * DAY,
        "items": {"data": [{"price": {"id": "price_scale"}}]}});
    let Content::Subscription(id, seen) = read("customer.subscription.updated", object).unwrap()
    else {
        panic!()
    };
    let applied = apply::apply(&*store, &service, &id, Some(&seen), at(500))
        .await
        .unwrap();
    assert!(matches!(applied, Outcome::Changed(_)), "{applied:?}");
    let key = store.keys().await.unwrap().remove(0);
    assert_eq!(
        (key.plan.as_str(), key.expires, key.delivery),
        ("scale", Some(ends), Delivery::Direct)
    );
    assert!(store.cases().await.unwrap().is_empty());
}
