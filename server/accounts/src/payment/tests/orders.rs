//! The events of a subscription lead to the same key in any order, with any repetition, and after
//! losses with a later retry.

use jiff::Timestamp;
use proptest::prelude::*;

use super::life::{ACTS, Act, Expected, Life};
use super::service;
use crate::payment::Failure;
use crate::payment::apply;
use crate::payment::event::Event;
use crate::store::testing::Memory;
use crate::store::{Delivery, Record, Sharing, Store as _, SubscriptionStore as _};

/// Final state of a subscription: the key, and the cases for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
struct End {
    key: Option<Expected>,
    is_good: bool,
    is_to_be_sent: bool,
    email: String,
    cases: Vec<String>,
}

async fn send(store: &Memory, event: &[u8], now: Timestamp) -> Result<(), Failure> {
    apply::receive(store, &service(), &Event::read(event).unwrap(), now)
        .await
        .map(drop)
}

async fn end(store: &Memory, now: Timestamp) -> End {
    let keys = store.keys().await.unwrap();
    assert!(keys.len() <= 1, "one key: {keys:?}");
    let mut cases: Vec<String> = store
        .cases()
        .await
        .unwrap()
        .into_iter()
        .map(|case| case.id)
        .collect();
    cases.sort();
    let is_good = keys.iter().any(|key| key.is_valid(now));
    let of_key = |key: &Record| Expected {
        plan: key.plan.clone(),
        ends: key.expires.unwrap(),
        renews: key.renews,
    };
    End {
        key: keys.first().map(of_key),
        is_good,
        is_to_be_sent: is_good && keys.iter().any(|key| key.delivery == Delivery::Due),
        email: keys
            .first()
            .map(|key| key.email.clone())
            .unwrap_or_default(),
        cases,
    }
}

/// Applies events one after the other, all at the final moment.
async fn after<'e>(events: impl IntoIterator<Item = &'e Vec<u8>>, now: Timestamp) -> End {
    let store = Memory::new(Sharing::Several);
    for event in events {
        send(&store, event, now).await.unwrap();
    }
    end(&store, now).await
}

fn in_order(life: &Life) -> End {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let end = runtime.block_on(after(&life.events, life.end()));
    assert_eq!(end.key.as_ref(), Some(&life.expected()), "the right key");
    end
}

/// Generates subscriptions with random acts and days between them.
fn lives() -> impl Strategy<Value = Life> {
    let acts = prop::collection::vec((prop::sample::select(ACTS.to_vec()), 1..200_i64), 0..9);
    (any::<bool>(), acts).prop_map(|(since_2025, acts)| {
        let mut life = Life::bought(since_2025);
        for (act, days) in acts {
            life.act(act, days);
        }
        life
    })
}

/// Generates an order of events, each of which may be repeated, or be lost at first.
fn deliveries(count: usize) -> impl Strategy<Value = Vec<(usize, bool)>> {
    let again = prop::collection::vec(0..count, 0..count);
    let lost = prop::collection::vec(any::<bool>(), count * 2);
    (again, lost).prop_flat_map(move |(again, lost)| {
        let mut order: Vec<(usize, bool)> = (0..count).chain(again).zip(lost).collect();
        // Lost events are sent again at any later time.
        let retried: Vec<(usize, bool)> = order
            .iter()
            .filter(|(_, lost)| *lost)
            .map(|(i, _)| (*i, false))
            .collect();
        order.extend(retried);
        Just(order).prop_shuffle()
    })
}

fn lives_and_deliveries() -> impl Strategy<Value = (Life, Vec<Vec<(usize, bool)>>)> {
    lives().prop_flat_map(|life| {
        let orders = prop::collection::vec(deliveries(life.events.len()), 16);
        (Just(life), orders)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn any_order_any_repetition_any_loss_ends_in_the_same_key((life, orders) in lives_and_deliveries()) {
        let expected = in_order(&life);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for order in orders {
            let store = Memory::new(Sharing::Several);
            let reached = runtime.block_on(async {
                for (index, is_lost) in &order {
                    store.set_unavailable(*is_lost);
                    let sent = send(&store, &life.events[*index], life.end()).await;
                    store.set_unavailable(false);
                    prop_assert_eq!(sent.is_ok(), !is_lost, "{:?}", sent);
                }
                Ok(end(&store, life.end()).await)
            })?;
            prop_assert_eq!(&reached, &expected, "{:?}", order);
        }
    }
}

/// Every order of the events of short lives: 7 events each at the most, 5 040 orders.
#[test]
fn every_order_of_a_short_life_ends_in_the_same_key() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let lives: [&[Act]; 9] = [
        &[],
        &[Act::Delete],
        &[Act::Cancel, Act::Delete],
        &[Act::Cancel, Act::Resume],
        &[Act::Upgrade],
        &[Act::Renew],
        &[Act::FailToRenew],
        &[Act::FailToRenew, Act::GiveUp],
        &[Act::Refund, Act::Dispute, Act::Delete],
    ];
    let mut orders = 0;
    for (acts, since_2025) in lives.into_iter().zip([true, false].into_iter().cycle()) {
        let mut life = Life::bought(since_2025);
        assert!(acts.iter().all(|act| life.act(*act, 10)), "{acts:?}");
        let expected = in_order(&life);
        let mut order: Vec<usize> = (0..life.events.len()).collect();
        each_permutation(&mut order, 0, &mut |order| {
            let reached = runtime.block_on(after(
                order.iter().map(|index| &life.events[*index]),
                life.end(),
            ));
            assert_eq!(reached, expected, "{acts:?} in the order {order:?}");
            orders += 1;
        });
    }
    println!("{orders} orders");
    assert_eq!(
        orders,
        24 + 120 + 720 + 720 + 720 + 720 + 720 + 5_040 + 5_040
    );
}

fn each_permutation(order: &mut [usize], from: usize, visit: &mut impl FnMut(&[usize])) {
    if from == order.len() {
        return visit(order);
    }
    for other in from..order.len() {
        order.swap(from, other);
        each_permutation(order, from + 1, visit);
        order.swap(from, other);
    }
}

/// Events of a purchase arrive concurrently on several nodes, as the provider sends them.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn events_that_come_together_issue_one_key() {
    for round in 0..50 {
        let life = Life::bought(round % 2 == 0);
        let store = Memory::new(Sharing::Several);
        let sent: Vec<_> = life.events.iter().chain(&life.events).cloned().collect();
        let tasks: Vec<_> = sent
            .into_iter()
            .map(|event| {
                let (store, now) = (store.clone(), life.end());
                tokio::spawn(async move { send(&store, &event, now).await.unwrap() })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(end(&store, life.end()).await.key, Some(life.expected()));
    }
}

/// Regressions: failures seen before the key was derived from the facts.
#[test]
fn no_event_alone_moves_a_key() {
    let end_after = |acts: &[Act]| {
        let mut life = Life::bought(true);
        assert!(acts.iter().all(|act| life.act(*act, 40)), "{acts:?}");
        in_order(&life)
    };
    let plan = |end: &End| end.key.as_ref().unwrap().plan.clone();
    let upgraded = end_after(&[Act::Upgrade]);
    assert_eq!(
        plan(&upgraded),
        "scale",
        "the invoice of the difference names both prices"
    );
    let first = end_after(&[]).key.unwrap().ends;
    let late = end_after(&[Act::FailToRenew]).key.unwrap().ends;
    assert_eq!(
        late.duration_since(first).as_hours(),
        11 * 24,
        "while the provider asks again, and no year more"
    );
    assert!(!end_after(&[Act::FailToRenew, Act::GiveUp]).is_good);
    let alive = end_after(&[Act::FailToRenew, Act::GiveUp, Act::PayLate]);
    assert!(alive.is_good, "paid after all");
    assert!(
        !end_after(&[Act::Delete]).is_to_be_sent,
        "a key that ended is not sent"
    );
    assert_eq!(end_after(&[Act::Refund, Act::Dispute]).cases.len(), 2);
}
