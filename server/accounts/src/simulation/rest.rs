//! The end of a simulation: everything works again, and what was promised must be true once all is
//! quiet.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::SignedDuration;
use tokio::time::sleep;

use super::customers;
use super::events::Call;
use super::holders::{self, Holder};
use super::world::{Reach, World};
use crate::Denial;
use crate::day::{Day, Moment};
use crate::publishable::Door;
use crate::store::Sharing;
use crate::subject::Subject;

/// How long it takes until a block that nobody uses is returned, and more.
const QUIET: Duration = Duration::from_secs(9);

/// How long it takes until a clock that was set right is believed, alone.
const BELIEVED: Duration = Duration::from_secs(605);

/// Ends every fault, waits, and checks.
pub(super) async fn rest(world: &mut World) {
    world.note("all faults end");
    world.network.trouble.store(0, Ordering::SeqCst);
    for node in &world.nodes {
        node.machine.pause(Duration::ZERO);
        node.machine.set_ahead(0);
    }
    for index in 0..world.nodes.len() {
        match &world.nodes[index].running {
            Some(running) => running.reach.link.heal(),
            None => world.start(index),
        }
    }
    wait(world).await;
    let believed = if world.was_set && world.network.sharing == Sharing::Alone {
        BELIEVED
    } else {
        Duration::ZERO
    };
    sleep(QUIET + believed).await;
    let moment = Moment::new(world.network.time.now().into());
    if moment.seconds_left() < 60 {
        sleep(Duration::from_secs(moment.seconds_left())).await;
        sleep(QUIET).await;
    }
    retry(world).await;
    sleep(QUIET).await;

    check_counts(world);
    check_keys(world).await;
    check_mailboxes(world).await;
    check_payments(world).await;
    check_last_calls(world).await;
    for index in 0..world.nodes.len() {
        world.stop(index).await;
    }
    check_counts(world);
    check_common_count(world);
}

/// Waits for whoever is being answered.
async fn wait(world: &mut World) {
    for running in world
        .nodes
        .iter_mut()
        .filter_map(|node| node.running.as_mut())
    {
        running.finish().await;
    }
}

/// The provider sends what was not answered well, and owners of mailboxes try again.
async fn retry(world: &World) {
    let reaches = world.reaches();
    let waiting = world.customers.lock().unwrap().waiting();
    for (event, reach) in waiting.into_iter().zip(reaches.iter().cycle()) {
        customers::send(
            reach.clone(),
            Arc::clone(&world.service),
            Arc::clone(&world.customers),
            event,
        )
        .await;
    }
    let mailboxes = world.holders.lock().unwrap().mailboxes.clone();
    for (name, mailbox) in mailboxes {
        let mut tries = 0;
        while (mailbox.failures > 0 || mailbox.link.is_some()) && tries < 4 {
            let reach = reaches[tries % reaches.len()].clone();
            let all = Arc::clone(&world.holders);
            if holders::confirm(reach, Arc::clone(&world.service), all, name.clone())
                .await
                .is_some()
            {
                break;
            }
            tries += 1;
        }
        if tries == 4 {
            world.ledger().broken(format!("{name} gets no key"));
        }
    }
}

/// Every process that has not crashed reported to the store each call that it granted, once.
fn check_counts(world: &World) {
    let mut books = world.ledger().books();
    let mut broken = Vec::new();
    for (index, life) in books
        .lives
        .iter()
        .enumerate()
        .filter(|(_, life)| !life.has_crashed)
    {
        for (subject, tally) in life
            .tallies
            .iter()
            .filter(|(subject, _)| !subject.is_address())
        {
            let account = books.subjects.get(subject);
            if tally.reported != tally.granted {
                broken.push(format!(
                    "process {index} reported {} calls of {}",
                    tally.reported, tally.granted
                ));
            }
            let is_counted = account.is_some_and(|account| account.quota.is_some())
                || world.network.sharing == Sharing::Alone;
            if is_counted && tally.believed != tally.granted {
                broken.push(format!(
                    "process {index} keeps {} calls of {}",
                    tally.believed, tally.granted
                ));
            }
        }
    }
    books.broken.extend(broken);
}

/// A key that was handed out is good on every node, and the same; one that was revoked on none.
async fn check_keys(world: &World) {
    let keys = world.holders.lock().unwrap().keys.clone();
    for (rank, holder) in keys.iter().enumerate() {
        let mut found = Vec::new();
        for reach in world.reaches() {
            let identified = identify(world, &reach, &holder.key).await;
            match (&identified, holder.revoked.is_some(), holder.is_ending) {
                (Some(_), true, _) => world
                    .ledger()
                    .broken(format!("key {rank} was revoked, and is good")),
                (None, _, false) => world
                    .ledger()
                    .broken(format!("key {rank} was issued, and is lost")),
                _ => {}
            }
            found.push(identified);
        }
        let is_later = |end: &Option<jiff::Timestamp>| *end >= holder.ends[0];
        if found
            .iter()
            .any(|one| *one != found[0] || one.as_ref().is_some_and(|(_, end)| !is_later(end)))
        {
            world
                .ledger()
                .broken(format!("key {rank} of {:?} is {found:?}", holder.ends));
        }
        world.ledger().met("key looked up at the end", 1);
    }
}

/// The plan and the end of a key, if it is good.
async fn identify(
    world: &World,
    reach: &Reach,
    key: &str,
) -> Option<(String, Option<jiff::Timestamp>)> {
    let (variant, time) = (&world.service.variants[0], reach.machine.read());
    let sent = [key.as_bytes()].into_iter();
    let identified = reach
        .access
        .identify(
            (&world.service, variant),
            sent,
            Door::Secret,
            Ipv4Addr::LOCALHOST.into(),
            time,
        )
        .await;
    identified
        .ok()
        .map(|caller| (caller.plan.name.clone(), caller.expires))
}

/// The key that came last to a mailbox is good.
async fn check_mailboxes(world: &World) {
    let mailboxes = world.holders.lock().unwrap().mailboxes.clone();
    for (name, mailbox) in mailboxes {
        let Some(key) = mailbox.key else { continue };
        for reach in world.reaches() {
            if identify(world, &reach, &key).await.is_none() {
                world
                    .ledger()
                    .broken(format!("the key that {name} got is lost"));
            }
        }
    }
}

async fn check_payments(world: &World) {
    let now = world.network.time.now() + SignedDuration::from_hours(24 * 5);
    let waiting = world.customers.lock().unwrap().waiting();
    if !waiting.is_empty() {
        world
            .ledger()
            .broken(format!("events {waiting:?} are not answered well"));
    }
    let (data, service) = (&world.network.data, &world.service);
    if let Some(difference) = customers::check(&world.customers, data, service, now).await {
        world.ledger().broken(difference);
    }
}

/// Whoever has calls left gets them, on any node, nobody else does, and all nodes say the same of
/// it.
async fn check_last_calls(world: &World) {
    let keys: Vec<Holder> = world.holders.lock().unwrap().keys.clone();
    for (rank, holder) in keys
        .iter()
        .enumerate()
        .filter(|(_, holder)| holder.calls && !holder.is_ending)
    {
        for reach in world.reaches() {
            let (day, subject) = (reach.moment().day, holder.subject());
            let quota = world
                .ledger()
                .books()
                .subjects
                .get(&subject)
                .and_then(|account| account.quota);
            let total = world.network.data.total(day, subject);
            // Each from an address of its own, whose ceiling is whole.
            let address = Ipv4Addr::from_bits(0x0a00_0000 + rank as u32).into();
            let call = Call {
                reach: reach.clone(),
                service: Arc::clone(&world.service),
                address,
                calls: 1,
            };
            match call.answer(Some(holder), None).await {
                Ok(()) => {}
                Err(Denial::Exhausted(_)) if quota.is_some_and(|quota| total >= quota) => {}
                Err(denial) => {
                    world.ledger().broken(format!(
                        "key {rank} of {quota:?} calls, {total} of them taken: {denial:?}"
                    ));
                }
            }
        }
        sleep(Duration::from_millis(20)).await;
    }
    sleep(QUIET).await;
    for (rank, holder) in keys.iter().enumerate() {
        let mut used = Vec::new();
        for reach in world.reaches() {
            let day = reach.moment().day;
            used.push(
                reach
                    .access
                    .quotas
                    .used(day, holder.subject())
                    .await
                    .unwrap(),
            );
        }
        if used.iter().any(|one| *one != used[0]) {
            world
                .ledger()
                .broken(format!("nodes say that key {rank} used {used:?}"));
        }
    }
}

/// The common count holds every call that was granted, but for those that a crash lost.
fn check_common_count(world: &World) {
    let mut books = world.ledger().books();
    let today = Moment::new(world.network.time.now().into()).day;
    let mut broken = Vec::new();
    let accounts: Vec<Subject> = books
        .subjects
        .keys()
        .copied()
        .filter(|subject| !subject.is_address())
        .collect();
    for subject in accounts {
        let account = &books.subjects[&subject];
        if account.quota.is_none() && world.network.sharing == Sharing::Several {
            continue;
        }
        let total: i64 = (-9..=9)
            .map(|days| world.network.data.total(Day(today.0 + days), subject))
            .sum();
        let tallies = books
            .lives
            .iter()
            .filter(|life| life.has_crashed)
            .filter_map(|life| life.tallies.get(&subject));
        // A process that is killed in an outage forgets what it granted without the store.
        let forgotten: i64 = tallies.map(|tally| tally.provisional).sum();
        let least = books.granted(subject) - account.lost - forgotten;
        if total < least {
            broken.push(format!("the common count holds {total} calls of {least}"));
        }
    }
    let twice: i64 = books
        .subjects
        .keys()
        .map(|subject| books.reported_twice(*subject))
        .sum();
    *books.met.entry("reported twice").or_default() += twice as u64;
    books.broken.extend(broken);
}
