//! Keys that were handed out: each is good until it ends, is revoked or replaced.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bareme_engine::service::Service;
use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;
use uuid::Uuid;

use super::link::Network;
use super::machine::Chance;
use super::world::Reach;
use crate::Denial;
use crate::issue::{self, Issued};
use crate::key::Key;
use crate::store::mailboxes::{KeyRequest, Mailboxes as _, Purpose};
use crate::store::{Record, Store as _, Terms};
use crate::subject::Subject;

/// Who holds which key.
#[derive(Debug, Default)]
pub(super) struct Holders {
    pub keys: Vec<Holder>,
    /// The links that wait to be opened, by mailbox, and the key that its owner got last.
    pub mailboxes: BTreeMap<String, Mailbox>,
}

/// A key and what was done with it.
#[derive(Debug, Clone)]
pub(super) struct Holder {
    pub key: String,
    pub id: Uuid,
    pub account: Uuid,
    /// Whether it calls: its account is one that the seed decides.
    pub calls: bool,
    /// Ends that it was given, the last one at the end.
    pub ends: Vec<Option<Timestamp>>,
    /// Whether its revocation was asked for, and since when it is known to be revoked.
    pub is_ending: bool,
    pub revoked: Option<Instant>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Mailbox {
    pub link: Option<Key>,
    pub key: Option<String>,
    /// Openings of its links that were not answered well after the last key came.
    pub failures: u32,
}

impl Holder {
    fn of(issued: &Issued, calls: bool) -> Self {
        let Record {
            id,
            account,
            expires,
            ..
        } = issued.record;
        let key = issued.key.reveal().to_owned();
        Self {
            key,
            id,
            account,
            calls,
            ends: vec![expires],
            is_ending: false,
            revoked: None,
        }
    }

    pub(super) fn subject(&self) -> Subject {
        Subject::account(self.account)
    }
}

impl Holders {
    /// Keys that were issued long before.
    pub(super) async fn first(network: &Network, service: &Service) -> Self {
        let mut holders = Self::default();
        for plan in [0, 0, 1, 1, 1, 2, 3] {
            let issued = generate(&network.chance, service, plan, network.time.now());
            network.data.add_key(issued.record.clone()).await.unwrap();
            holders.keys.push(Holder::of(&issued, true));
        }
        for name in ["claire@example.org", "paul@example.org"] {
            holders
                .mailboxes
                .insert(name.to_owned(), Mailbox::default());
        }
        holders
    }

    /// One of the keys.
    pub(super) fn pick(&self, chance: &Chance) -> (usize, Holder) {
        let index = chance.below(self.keys.len());
        (index, self.keys[index].clone())
    }
}

/// A key of a plan, by its place, whose account the seed decides.
fn generate(chance: &Chance, service: &Service, plan: usize, now: Timestamp) -> Issued {
    let variant = &service.variants[0];
    let issued =
        issue::generate_for(variant, &variant.plans[plan], "claire@example.org", now).unwrap();
    let mut id = chance.bytes();
    id[0] &= 0x7f;
    let id = Uuid::from_bytes(id);
    Issued {
        record: Record {
            id,
            account: id,
            ..issued.record
        },
        ..issued
    }
}

/// An operator issues a key.
pub(super) async fn issue(
    reach: Reach,
    network: Arc<Network>,
    service: Arc<Service>,
    all: Arc<Mutex<Holders>>,
) {
    let plan = network.chance.below(service.variants[0].plans.len());
    let issued = generate(&network.chance, &service, plan, reach.now());
    if reach.link.add_key(issued.record.clone()).await.is_ok() {
        reach.ledger.met("key issued", 1);
        all.lock().unwrap().keys.push(Holder::of(&issued, true));
    }
}

/// Somebody asks for a free key without a mailbox.
pub(super) async fn issue_free(reach: Reach, service: Arc<Service>, all: Arc<Mutex<Holders>>) {
    let (variant, time) = (&service.variants[0], reach.machine.read());
    let issued = reach
        .access
        .issue_free_key(variant, &variant.plans[0], "x@example.org", time)
        .await;
    if let Ok(issued) = issued {
        reach.ledger.met("key issued", 1);
        all.lock().unwrap().keys.push(Holder::of(&issued, false));
    }
}

/// An operator revokes a key.
pub(super) async fn revoke(reach: Reach, all: Arc<Mutex<Holders>>, index: usize, id: Uuid) {
    all.lock().unwrap().keys[index].is_ending = true;
    // By a clock that is right: a revocation may be meant for later.
    let from = reach.now() - SignedDuration::from_hours(24 * 9);
    if matches!(reach.link.revoke_key(id, from).await, Ok(true)) {
        reach.ledger.met("key revoked", 1);
        all.lock().unwrap().keys[index].revoked = Some(Instant::now());
    }
}

/// An operator renews a key.
pub(super) async fn renew(reach: Reach, all: Arc<Mutex<Holders>>, index: usize) {
    let Holder { account, ends, .. } = all.lock().unwrap().keys[index].clone();
    let Ok(keys) = reach.link.keys().await else {
        return;
    };
    let Some(record) = keys.into_iter().find(|record| record.account == account) else {
        return;
    };
    let end = ends
        .iter()
        .max()
        .copied()
        .flatten()
        .map(|end| end + SignedDuration::from_hours(24));
    all.lock().unwrap().keys[index].ends.push(end);
    let terms = Terms {
        expires: end,
        ..record.terms()
    };
    if matches!(reach.link.change_terms(account, terms).await, Ok(true)) {
        reach.ledger.met("key renewed", 1);
    }
}

/// The owner of a mailbox opens the link that it was sent, or has another one sent.
pub(super) async fn confirm(
    reach: Reach,
    service: Arc<Service>,
    all: Arc<Mutex<Holders>>,
    name: String,
) -> Option<Issued> {
    let time = reach.machine.read();
    let known = all.lock().unwrap().mailboxes[&name].link.clone();
    let link = match known {
        Some(link) => link,
        None => {
            let link = Key::generate("lnk").unwrap();
            let request = KeyRequest {
                email: name.clone(),
                variant: "a".to_owned(),
                created: reach.now(),
                purpose: Purpose::Key,
                account: None,
            };
            reach.link.add_request(link.digest(), request).await.ok()?;
            all.lock().unwrap().mailboxes.get_mut(&name).unwrap().link = Some(link.clone());
            link
        }
    };
    let confirmed = reach
        .access
        .confirm(&service, &link, time)
        .await
        .map(|(issued, ..)| issued);
    let mut holders = all.lock().unwrap();
    let mailbox = holders.mailboxes.get_mut(&name).unwrap();
    match confirmed {
        Ok(issued) => {
            reach.ledger.met("mailbox confirmed", 1);
            let key = Some(issued.key.reveal().to_owned());
            *mailbox = Mailbox {
                link: None,
                key,
                failures: 0,
            };
            Some(issued)
        }
        Err(denial) => {
            mailbox.failures += 1;
            // A link that is no longer good is asked for again.
            if matches!(denial, Denial::Link) {
                mailbox.link = None;
            }
            None
        }
    }
}
