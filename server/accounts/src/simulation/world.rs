//! The nodes of a simulation, the machines they run on, and the store that they share.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};

use bareme_engine::service::{Plan, Service, Variant};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use super::customers::Customers;
use super::holders::Holders;
use super::ledger::Ledger;
use super::link::{Link, Network};
use super::machine::{Chance, Machine, TrueTime};
use crate::Access;
use crate::day::Moment;
use crate::store::Sharing;
use crate::store::testing::Memory;

/// Moments that a run begins shortly before: an ordinary midnight, the last days of February, the
/// end of a year.
const MIDNIGHTS: [&str; 6] = [
    "2027-06-16T00:00:00Z",
    "2028-01-01T00:00:00Z",
    "2028-02-29T00:00:00Z",
    "2028-03-01T00:00:00Z",
    "2029-01-01T00:00:00Z",
    "2030-03-01T00:00:00Z",
];

pub(super) struct World {
    pub network: Arc<Network>,
    pub service: Arc<Service>,
    pub nodes: Vec<Node>,
    pub holders: Arc<Mutex<Holders>>,
    pub customers: Arc<Mutex<Customers>>,
    /// Whether the clock of a machine was set.
    pub was_set: bool,
}

/// A machine with the process that runs on it, if one does.
pub(super) struct Node {
    pub machine: Arc<Machine>,
    pub running: Option<Running>,
}

/// A process.
pub(super) struct Running {
    pub reach: Reach,
    /// What it does for callers.
    pub tasks: JoinSet<()>,
    stop: watch::Sender<bool>,
    keeper: JoinHandle<()>,
    watcher: JoinHandle<()>,
}

/// A process as a caller reaches it.
#[derive(Debug, Clone)]
pub(super) struct Reach {
    pub life: usize,
    pub access: Arc<Access>,
    pub link: Arc<Link>,
    pub machine: Arc<Machine>,
    pub ledger: Arc<Ledger>,
}

impl World {
    pub(super) async fn new(sharing: Sharing, seed: u64) -> Self {
        let chance = Arc::new(Chance::new(seed));
        let midnight: Timestamp = MIDNIGHTS[chance.below(MIDNIGHTS.len())].parse().unwrap();
        let start = midnight - SignedDuration::from_secs(chance.below(50) as i64);
        let time = TrueTime::starting_at(start);
        let trouble = AtomicUsize::new([0, 3, 15][chance.below(3)]);
        let (data, ledger) = (Memory::new(sharing), Arc::default());
        let network = Arc::new(Network {
            sharing,
            data,
            time,
            chance,
            ledger,
            trouble,
        });
        let service = Arc::new(service());
        let holders = Holders::first(&network, &service).await;
        let customers = Customers::of(&network.chance);
        let nodes = if sharing == Sharing::Alone { 1 } else { 2 };
        let node = || Node {
            machine: Arc::new(Machine::new(time)),
            running: None,
        };
        let mut world = Self {
            nodes: std::iter::repeat_with(node).take(nodes).collect(),
            network,
            service,
            holders: Arc::new(Mutex::new(holders)),
            customers: Arc::new(Mutex::new(customers)),
            was_set: false,
        };
        (0..nodes).for_each(|index| world.start(index));
        world
    }

    pub(super) fn chance(&self) -> &Chance {
        &self.network.chance
    }

    pub(super) fn ledger(&self) -> &Arc<Ledger> {
        &self.network.ledger
    }

    /// Writes down what happens.
    pub(super) fn note(&self, what: impl std::fmt::Display) {
        let at = self.network.time.elapsed().as_secs_f64();
        self.ledger().books().trace.push(format!("{at:9.3} {what}"));
    }

    /// The processes that run.
    pub(super) fn reaches(&self) -> Vec<Reach> {
        self.nodes
            .iter()
            .filter_map(|node| node.running.as_ref())
            .map(|running| running.reach.clone())
            .collect()
    }

    /// Starts a process on a machine, as the service does.
    pub(super) fn start(&mut self, index: usize) {
        let ledger = Arc::clone(self.ledger());
        let (life, machine) = (ledger.begin_life(), Arc::clone(&self.nodes[index].machine));
        let link = Arc::new(Link::new(
            Arc::clone(&self.network),
            Arc::clone(&machine),
            life,
        ));
        let access = Arc::new(Access::new(Arc::clone(&link) as _));
        let reach = Reach {
            life,
            access,
            link,
            machine,
            ledger,
        };
        let (stop, stopped) = watch::channel(false);
        let [kept, watched] = [reach.clone(), reach.clone()];
        let keeper = tokio::spawn(async move {
            let second = || {
                let time = kept.machine.read();
                kept.ledger
                    .tick(kept.life, kept.access.moment(time), kept.link.is_working());
                time
            };
            kept.access.keep(second, stopped).await;
        });
        let watcher =
            tokio::spawn(
                async move { watched.access.watch_store(|| watched.machine.read()).await },
            );
        self.nodes[index].running = Some(Running {
            reach,
            tasks: JoinSet::new(),
            stop,
            keeper,
            watcher,
        });
    }

    /// Kills a process: what is only in its memory is lost.
    pub(super) async fn crash(&mut self, index: usize) {
        let Some(mut running) = self.nodes[index].running.take() else {
            return;
        };
        running.keeper.abort();
        running.watcher.abort();
        running.tasks.abort_all();
        running.finish().await;
        running.reach.link.die();
        self.ledger()
            .crash(running.reach.life, self.network.sharing);
        self.ledger().met("crash", 1);
    }

    /// Stops a process as SIGTERM does.
    pub(super) async fn stop(&mut self, index: usize) {
        let Some(mut running) = self.nodes[index].running.take() else {
            return;
        };
        running.finish().await;
        let began = tokio::time::Instant::now();
        running.watcher.abort();
        running.stop.send_replace(true);
        ended(running.reach.ledger.as_ref(), running.keeper.await);
        running.reach.link.die();
        // Calls that could not be reported at the end is lost as by a crash.
        if self.ledger().had_trouble_since(running.reach.life, began) {
            self.ledger()
                .crash(running.reach.life, self.network.sharing);
        }
        self.ledger().met("stop", 1);
    }

    /// Reaps the tasks that have ended.
    pub(super) fn reap(&mut self) {
        for running in self
            .nodes
            .iter_mut()
            .filter_map(|node| node.running.as_mut())
        {
            while let Some(task) = running.tasks.try_join_next() {
                ended(&running.reach.ledger, task);
            }
        }
    }
}

impl Running {
    /// Waits until nothing is done for callers any more.
    pub(super) async fn finish(&mut self) {
        while let Some(task) = self.tasks.join_next().await {
            ended(&self.reach.ledger, task);
        }
    }
}

/// A task may be aborted, and not panic.
fn ended(ledger: &Ledger, task: Result<(), tokio::task::JoinError>) {
    if let Err(error) = task
        && error.is_panic()
    {
        ledger.broken(error.to_string());
    }
}

impl Reach {
    /// What the clock of the machine says, as the time for keys.
    pub(super) fn now(&self) -> Timestamp {
        self.access.now(self.machine.read()).unwrap()
    }

    pub(super) fn moment(&self) -> Moment {
        self.access.moment(self.machine.read())
    }
}

/// One variant: a free plan with a ceiling for each address, two that are bought, and one without a
/// quota.
fn service() -> Service {
    let plan = |name: &str, calls_per_day, payment_price: Option<&str>| Plan {
        name: name.to_owned(),
        title: name.to_owned(),
        calls_per_day,
        valid_days: Some(400),
        payment_price: payment_price.map(str::to_owned),
        ..Plan::default()
    };
    let free = Plan {
        calls_per_address: Some(90),
        unused_days: Some(180),
        ..plan("free", Some(60), None)
    };
    let variant = Variant {
        name: "a".to_owned(),
        title: String::new(),
        prefix: "/a".to_owned(),
        endpoints: Vec::new(),
        key_prefix: "bma".to_owned(),
        cors: true,
        retirement: None,
        plans: vec![
            free,
            plan("pro", Some(200), Some("price_pro")),
            plan("scale", Some(1_000), Some("price_scale")),
            plan("unlimited", None, None),
        ],
    };
    Service {
        variants: vec![variant],
        ..Service::default()
    }
}
