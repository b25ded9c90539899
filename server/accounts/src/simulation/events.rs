//! The sequence of events of a simulation, drawn from its seed.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bareme_engine::service::Service;
use tokio::time::{Instant, sleep};

use super::holders::{self, Holder, Holders};
use super::ledger::Granted;
use super::world::{Reach, World};
use super::{customers, machine::Chance};
use crate::Denial;
use crate::publishable::Door;
use crate::store::Sharing;

/// Things that happen in a run.
const EVENTS: usize = 110;

/// How long a revoked key may be accepted: a second, and the way of a question to the store that
/// answers in time.
const REVOKED: Duration = Duration::from_millis(1_500);

/// Steps of the clock of a machine, in seconds.
const STEPS: [i64; 10] = [
    -259_200, -86_400, -3_700, -61, -20, 1, 20, 61, 3_700, 259_200,
];

/// Lets everything happen that the seed decides.
pub(super) async fn happen(world: &mut World) {
    for _ in 0..EVENTS {
        let pause = match world.chance().below(400) {
            0 => world.chance().millis(300_000, 700_000),
            1..10 => world.chance().millis(5_000, 12_000),
            _ => world.chance().millis(0, 600),
        };
        sleep(pause).await;
        world.reap();
        one_event(world).await;
    }
}

async fn one_event(world: &mut World) {
    let index = world.chance().below(world.nodes.len());
    if world.nodes[index].running.is_none() {
        if world.chance().percent(30) {
            world.note(format!("node {index} starts"));
            world.start(index);
        }
        return;
    }
    match world.chance().below(100) {
        0..48 => calls(world, index),
        48..60 => usage(world, index),
        60..64 => issue(world, index),
        64..68 => end_or_renew(world, index),
        68..73 => confirm(world, index),
        73..84 => payment(world, index),
        84..88 => outage(world, index),
        88..91 => set_clock(world, index),
        91..93 => {
            let span = world.chance().millis(100, 4_000);
            world.note(format!("node {index} pauses for {span:?}"));
            world.nodes[index].machine.pause(span);
        }
        93..96 => {
            world.note(format!("node {index} crashes"));
            world.crash(index).await;
        }
        96..97 => {
            world.note(format!("node {index} stops"));
            world.stop(index).await;
            world.start(index);
        }
        _ => hang_up(world, index),
    }
}

fn reach(world: &World, index: usize) -> Reach {
    world.nodes[index].running.as_ref().unwrap().reach.clone()
}

/// Does something for a caller on a node.
fn spawn(world: &mut World, index: usize, task: impl Future<Output = ()> + Send + 'static) {
    let Some(running) = world.nodes[index].running.as_mut() else {
        return;
    };
    let machine = Arc::clone(&running.reach.machine);
    running.tasks.spawn(async move {
        machine.running().await;
        task.await;
    });
}

/// Some calls at once, of one key or of somebody without one.
fn calls(world: &mut World, index: usize) {
    let (reach, chance) = (reach(world, index), Arc::clone(&world.network.chance));
    let address = IpAddr::V4(Ipv4Addr::new(192, 0, 2, chance.below(3) as u8));
    let key = (!chance.percent(12)).then(|| {
        loop {
            let (rank, holder) = world.holders.lock().unwrap().pick(&chance);
            if holder.calls {
                break (rank, holder);
            }
        }
    });
    let (crowd, each) = (1 + chance.below(24), [1, 1, 1, 2, 15][chance.below(5)]);
    world.note(format!(
        "{crowd} times {each} calls on node {index} by {:?}",
        key.as_ref().map(|(rank, _)| rank)
    ));
    for _ in 0..crowd {
        let call = Call {
            reach: reach.clone(),
            service: Arc::clone(&world.service),
            address,
            calls: each,
        };
        let (holder, all) = (key.clone(), Arc::clone(&world.holders));
        spawn(world, index, async move {
            let place = holder.as_ref().map(|(rank, _)| (*rank, &*all));
            drop(
                call.answer(holder.as_ref().map(|(_, holder)| holder), place)
                    .await,
            );
        });
    }
}

/// A call, or some together.
pub(super) struct Call {
    pub reach: Reach,
    pub service: Arc<Service>,
    pub address: IpAddr,
    pub calls: u32,
}

impl Call {
    /// Answers it as the service does, and writes down what was granted; whether it was, or why
    /// not.
    pub(super) async fn answer(
        &self,
        key: Option<&Holder>,
        place: Option<(usize, &Mutex<Holders>)>,
    ) -> Result<(), Denial> {
        let Reach {
            life,
            access,
            machine,
            ledger,
            ..
        } = &self.reach;
        let (variant, time, began) = (&self.service.variants[0], machine.read(), Instant::now());
        // Known before it begins: a key that is revoked meanwhile may be accepted.
        let revoked = place.and_then(|(rank, all)| all.lock().unwrap().keys[rank].revoked);
        let sent = key.map(|holder| holder.key.as_bytes());
        let identified = access
            .identify(
                (&self.service, variant),
                sent.into_iter(),
                Door::Secret,
                self.address,
                time,
            )
            .await;
        let caller = identified.inspect_err(|_| ledger.met("not identified", 1))?;
        if let Some(revoked) = revoked
            && began >= revoked + REVOKED
            && !ledger.had_trouble_since(*life, revoked)
        {
            ledger.broken(format!(
                "a key was accepted {:?} after it was revoked",
                began.duration_since(revoked)
            ));
        }
        let day = access.moment(time).day;
        let asked = ledger.ask(
            *life,
            caller.subject,
            day,
            caller.plan.calls_per_day,
            self.calls,
        );
        let ceiling = caller
            .ceiling
            .map(|(address, most)| ledger.ask(*life, address, day, Some(most), self.calls));
        let mut allowance = None;
        let charged = access
            .charge(&caller, self.calls, time, &mut allowance)
            .await;
        match &charged {
            Ok(()) => {
                let is_provisional = allowance.is_some_and(|allowance| allowance.provisional);
                asked.granted(if is_provisional {
                    Granted::Provisional
                } else {
                    Granted::Counted
                });
                if let Some(ceiling) = ceiling {
                    ceiling.granted(Granted::Counted);
                }
            }
            Err(Denial::Unavailable(_)) => ledger.met("not counted", 1),
            Err(_) => ledger.met("refused for the quota", 1),
        }
        charged
    }
}

/// A caller asks what it has used.
fn usage(world: &mut World, index: usize) {
    let (reach, service) = (reach(world, index), Arc::clone(&world.service));
    let (rank, holder) = world.holders.lock().unwrap().pick(world.chance());
    world.note(format!("usage of {rank} on node {index}"));
    spawn(world, index, async move {
        let time = reach.machine.read();
        let (sent, address) = (
            [holder.key.as_bytes()].into_iter(),
            Ipv4Addr::LOCALHOST.into(),
        );
        let identified = reach
            .access
            .identify(
                (&service, &service.variants[0]),
                sent,
                Door::Secret,
                address,
                time,
            )
            .await;
        let Ok(caller) = identified else { return };
        let (day, subject) = (reach.access.moment(time).day, caller.subject);
        let before = reach.ledger.last_read(reach.life, day, subject);
        if let Ok((used, _)) = reach.access.used(&caller, time).await {
            reach.ledger.read(reach.life, day, subject, used, before);
        }
    });
}

fn issue(world: &mut World, index: usize) {
    let (reach, all, service) = (
        reach(world, index),
        Arc::clone(&world.holders),
        Arc::clone(&world.service),
    );
    let network = Arc::clone(&world.network);
    let is_free = world.chance().percent(50);
    world.note(format!(
        "a key is issued on node {index}, {}",
        if is_free { "by the form" } else { "by hand" }
    ));
    spawn(world, index, async move {
        match is_free {
            true => holders::issue_free(reach, service, all).await,
            false => holders::issue(reach, network, service, all).await,
        }
    });
}

fn end_or_renew(world: &mut World, index: usize) {
    let (reach, all) = (reach(world, index), Arc::clone(&world.holders));
    let (rank, holder) = all.lock().unwrap().pick(world.chance());
    let ends = world.chance().percent(40) && rank > 3;
    world.note(format!(
        "key {rank} is {} on node {index}",
        if ends { "revoked" } else { "renewed" }
    ));
    spawn(world, index, async move {
        match ends {
            true => holders::revoke(reach, all, rank, holder.id).await,
            false => holders::renew(reach, all, rank).await,
        }
    });
}

fn confirm(world: &mut World, index: usize) {
    let (reach, all, service) = (
        reach(world, index),
        Arc::clone(&world.holders),
        Arc::clone(&world.service),
    );
    let names: Vec<String> = all.lock().unwrap().mailboxes.keys().cloned().collect();
    let name = names[world.chance().below(names.len())].clone();
    world.note(format!("{name} opens its link on node {index}"));
    spawn(world, index, async move {
        for _ in 0..3 {
            let (reach, service, all) = (reach.clone(), Arc::clone(&service), Arc::clone(&all));
            if holders::confirm(reach, service, all, name.clone())
                .await
                .is_some()
            {
                break;
            }
            sleep(Duration::from_millis(100)).await;
        }
    });
}

fn payment(world: &mut World, index: usize) {
    for _ in 0..=world.chance().below(4) {
        let (reach, all, service) = (
            reach(world, index),
            Arc::clone(&world.customers),
            Arc::clone(&world.service),
        );
        let event = all.lock().unwrap().pick(world.chance());
        world.note(format!("event {event} comes to node {index}"));
        spawn(world, index, customers::send(reach, service, all, event));
    }
}

/// The store cannot be used, by one node or by all.
fn outage(world: &mut World, index: usize) {
    let chance = &world.network.chance;
    let span = outage_span(chance);
    let (is_of_all, is_of_writes) = (chance.percent(50), chance.percent(30));
    world.note(format!(
        "outage for {span:?}, all: {is_of_all}, writes only: {is_of_writes}, on node {index}"
    ));
    let nodes = world
        .nodes
        .iter()
        .enumerate()
        .filter(|(other, _)| is_of_all || *other == index);
    for running in nodes.filter_map(|(_, node)| node.running.as_ref()) {
        match is_of_writes {
            true => running.reach.link.make_read_only(span),
            false => running.reach.link.cut(span),
        }
    }
    world.ledger().met("outage", 1);
}

fn outage_span(chance: &Chance) -> Duration {
    match chance.below(10) {
        0 => chance.millis(500_000, 900_000),
        1..5 => chance.millis(5_000, 20_000),
        _ => chance.millis(10, 3_000),
    }
}

/// Somebody sets the clock of a machine, ahead or back, or sets it right.
fn set_clock(world: &mut World, index: usize) {
    let step = STEPS[world.network.chance.below(STEPS.len())];
    let is_right = world.chance().percent(40);
    let machine = &world.nodes[index].machine;
    let ahead = if is_right { 0 } else { step * 1_000 };
    world.note(format!("the clock of node {index} is {ahead} ms ahead"));
    machine.set_ahead(ahead);
    world.was_set = true;
    world.ledger().books().is_alone_and_set |= world.network.sharing == Sharing::Alone;
    world.ledger().met("clock set", 1);
}

/// Callers hang up: what is done for them is dropped.
fn hang_up(world: &mut World, index: usize) {
    world.note(format!("callers of node {index} hang up"));
    if let Some(running) = world.nodes[index].running.as_mut() {
        running.tasks.abort_all();
    }
}
