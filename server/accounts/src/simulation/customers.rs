//! Customers of the payment provider, whose events come in any order, again and again, until each
//! was answered well.

use std::sync::{Arc, Mutex};

use bareme_engine::service::Service;
use jiff::{SignedDuration, Timestamp};

use super::machine::Chance;
use super::world::Reach;
use crate::payment::apply;
use crate::payment::event::Event;
use crate::payment::tests::life::{ACTS, Expected, Life};
use crate::store::testing::Memory;
use crate::store::{Sharing, Store as _, SubscriptionStore as _};

/// Subscriptions.
#[derive(Debug)]
pub(super) struct Customers {
    lives: Vec<Life>,
    /// Every event: the life, its content, and whether it was answered well.
    events: Vec<(Vec<u8>, bool)>,
}

/// State of the payments: the key of each subscription, and the cases for a person.
#[derive(Debug, PartialEq, Eq)]
struct State {
    keys: Vec<(String, Expected)>,
    cases: Vec<String>,
}

impl Customers {
    /// Two customers, each with a life that the seed decides.
    pub(super) fn of(chance: &Chance) -> Self {
        let (mut lives, mut events) = (Vec::new(), Vec::new());
        for customer in 1..=2 {
            let mut life = Life::bought(chance.percent(50));
            for _ in 0..chance.below(6) {
                life.act(ACTS[chance.below(ACTS.len())], 1 + chance.below(60) as i64);
            }
            // The objects of a life are named by the first customer.
            let named = |event: &Vec<u8>| {
                let mut text = String::from_utf8(event.clone()).unwrap();
                for object in ["sub_", "cs_", "ch_", "dp_", "cus_"] {
                    text = text.replace(&format!("\"{object}"), &format!("\"{object}{customer}"));
                }
                (text.into_bytes(), false)
            };
            events.extend(life.events.iter().map(named));
            lives.push(life);
        }
        Self { lives, events }
    }

    /// An event to be sent now, whether it was answered well before or not.
    pub(super) fn pick(&self, chance: &Chance) -> usize {
        chance.below(self.events.len())
    }

    /// The events that the provider goes on sending.
    pub(super) fn waiting(&self) -> Vec<usize> {
        (0..self.events.len())
            .filter(|index| !self.events[*index].1)
            .collect()
    }
}

/// The provider sends an event to a node.
pub(super) async fn send(
    reach: Reach,
    service: Arc<Service>,
    all: Arc<Mutex<Customers>>,
    index: usize,
) {
    let event = Event::read(&all.lock().unwrap().events[index].0).unwrap();
    if apply::receive(reach.link.as_ref(), &service, &event, reach.now())
        .await
        .is_ok()
    {
        let was_answered = std::mem::replace(&mut all.lock().unwrap().events[index].1, true);
        reach
            .ledger
            .met(if was_answered { "event again" } else { "event" }, 1);
    }
}

/// Compares the keys and cases of all payments with those expected; describes the first difference.
pub(super) async fn check(
    all: &Mutex<Customers>,
    data: &Memory,
    service: &Service,
    now: Timestamp,
) -> Option<String> {
    let (events, expected): (Vec<Event>, Vec<Expected>) = {
        let all = all.lock().unwrap();
        let events = all
            .events
            .iter()
            .map(|(event, _)| Event::read(event).unwrap())
            .collect();
        (events, all.lives.iter().map(Life::expected).collect())
    };
    let calm = Memory::new(Sharing::Several);
    for event in &events {
        apply::receive(&*calm, service, event, now).await.unwrap();
    }
    let calm = state(&calm, service, now).await;
    let named: Vec<(String, Expected)> = expected
        .into_iter()
        .zip(1..)
        .map(|(expected, customer)| (format!("sub_{customer}1"), expected))
        .collect();
    if calm.keys != named {
        return Some(format!(
            "payments in order led to {:?} instead of {named:?}",
            calm.keys
        ));
    }
    let reached = state(data, service, now).await;
    (reached != calm).then(|| format!("payments led to {reached:?} instead of {calm:?}"))
}

async fn state(data: &Memory, service: &Service, now: Timestamp) -> State {
    // A trouble that lasts becomes a case.
    for now in [now, now + SignedDuration::from_hours(48)] {
        apply::look_again(data, service, now).await.unwrap();
    }
    let keys = data.keys().await.unwrap();
    let mut keys: Vec<(String, Expected)> = keys
        .into_iter()
        .filter_map(|key| Some((key.subscription?, key.plan, key.expires?, key.renews)))
        .map(|(subscription, plan, ends, renews)| (subscription, Expected { plan, ends, renews }))
        .collect();
    keys.sort_by(|one, other| one.0.cmp(&other.0));
    let mut cases: Vec<String> = data
        .cases()
        .await
        .unwrap()
        .into_iter()
        .map(|case| case.id)
        .collect();
    cases.sort();
    State { keys, cases }
}
