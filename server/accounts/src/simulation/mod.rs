//! Disasters, simulated: nodes that crash, pause and have wrong clocks, a store that is late, away
//! or says nothing, callers who hang up, events of payments that come in any order and again,
//! around midnights and the ends of years.
//!
//! A seed decides everything: the runtime has one thread and a paused clock, and the store is one
//! in memory, behind a
//! [`link`] for each process. What runs on it is the code of the service: [`Access`](super::Access) with its tasks, the
//! keys, the payments. A promise that is broken fails the test with the seed, and
//! `BAREME_SEED=<seed>` runs that one again, with all that happened. `BAREME_SIMULATIONS=<count>`
//! runs as many seeds.
//!
//! | to read | module |
//! |---|---|
//! | what happens | [`events`], [`holders`], [`customers`] |
//! | what goes wrong on the way to the store | [`link`], [`machine`] |
//! | what is promised | [`ledger`] while it runs, [`rest`] at the end |

mod customers;
mod events;
mod holders;
mod ledger;
mod link;
mod machine;
mod rest;
mod world;

use std::collections::BTreeMap;

use world::World;

use super::store::Sharing;
use ledger::Books;

/// Seeds that are run with the other tests.
const SEEDS: u64 = 40;

/// Runs a seed, and gives the books.
fn simulate(sharing: Sharing, seed: u64) -> Books {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut world = World::new(sharing, seed).await;
        events::happen(&mut world).await;
        rest::rest(&mut world).await;
        std::mem::take(&mut *world.ledger().books())
    })
}

/// Runs the seeds; each kind of thing must have happened.
fn run(sharing: Sharing, kinds: &[&str]) {
    let mut met: BTreeMap<&str, u64> = BTreeMap::new();
    let replays = harness::each_seed(SEEDS, |seed, replays| {
        let books = simulate(sharing, seed);
        if replays {
            println!("{}", books.trace.join("\n"));
        }
        assert!(
            books.broken.is_empty(),
            "{sharing:?}, seed {seed}: {}",
            books.broken.join("\n")
        );
        *met.entry("seeds").or_default() += 1;
        for (kind, times) in books.met {
            *met.entry(kind).or_default() += times;
        }
    });
    println!("{sharing:?}: {met:?}");
    kinds
        .iter()
        .for_each(|kind| assert!(replays || met.contains_key(kind), "never: {kind}"));
}

/// What must have happened in some of the seeds.
const KINDS: [&str; 16] = [
    "clock set",
    "crash",
    "event",
    "event again",
    "granted",
    "key issued",
    "key looked up at the end",
    "key renewed",
    "key revoked",
    "mailbox confirmed",
    "not counted",
    "not identified",
    "outage",
    "refused for the quota",
    "stop",
    "usage read",
];

#[test]
fn two_nodes_on_one_store_keep_what_is_promised() {
    run(
        Sharing::Several,
        &[KINDS.as_slice(), &["granted without the store"]].concat(),
    );
}

#[test]
fn one_node_alone_keeps_what_is_promised() {
    run(Sharing::Alone, &KINDS);
}

#[test]
fn a_seed_decides_everything() {
    for (sharing, seed) in [
        (Sharing::Several, 3),
        (Sharing::Several, 4),
        (Sharing::Alone, 5),
    ] {
        let [one, other] = [(); 2].map(|()| simulate(sharing, seed));
        assert_eq!(
            (one.trace, one.met, one.broken),
            (other.trace, other.met, other.broken),
            "seed {seed}"
        );
    }
}
