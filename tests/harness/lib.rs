//! Helpers of the end-to-end tests, which start the server, call it and edit its rules.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what must be true: a panic is its message"
)]

mod client;
mod cluster;
mod distance;
mod load;
mod process;
mod random;
mod rules;
mod seeds;
mod signing;
mod wheel;

pub use client::{Answer, Connection, get, raw};
pub use cluster::Cluster;
pub use distance::Distance;
pub use load::Load;
pub use process::{Server, binary, built, built_example, repository, run};
pub use random::Random;
pub use rules::{Rules, copy_folder};
pub use seeds::each_seed;
pub use signing::{SIGNING_KEY, pem, signing_flag, write_private};
pub use wheel::{Wheel, done, said, skip};

use std::net::TcpListener;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A valid call whose answer is always the same.
pub const GOOD: &str = "/api/v1/ir?revenu=30000&parts=1";

/// Valid queries, at least one for each endpoint, for tests that mutate them.
pub const RIGHT: [&str; 8] = [
    "ir?revenu=30000&parts=1",
    "salaire?brut=2500&cadre=true",
    "tva?montant=100&taux=20&sens=ht",
    "pret?montant=200000&duree=240&taux=3.5",
    "salaire-net?pays=ci&brut=350000",
    "salaire-net?pays=be&brut=3500&statut=ouvrier",
    "salaire-net?pays=qc&brut=4200&mois=7",
    "tva-afrique?pays=senegal&montant=1000&sens=ttc",
];

/// A port of this machine that nothing listens on, another one each time. It is below those that
/// Linux gives to outgoing connections (32768 and above): one of these could take it before its
/// program listens. Test programs that run side by side begin at ports far from each other, though
/// their ids are near.
pub fn free_port() -> u16 {
    const FIRST: u32 = 20_000;
    const COUNT: u32 = 12_000;
    const BETWEEN_PROGRAMS: u32 = 1_009;
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let start = std::process::id() % COUNT * BETWEEN_PROGRAMS;
    let candidate = || FIRST + (start + CALLS.fetch_add(1, Ordering::Relaxed)) % COUNT;
    let mut ports =
        std::iter::repeat_with(|| u16::try_from(candidate()).unwrap()).take(COUNT as usize);
    ports
        .find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
        .expect("a port is free")
}

/// Waits until `holds`, at most half a minute; returns how long it took.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) -> Duration {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(30), "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
    start.elapsed()
}

/// Waits until midnight (UTC) has passed if it is near, so that counts of calls do not span two
/// days.
pub fn avoid_midnight() {
    const NEAR: Duration = Duration::from_secs(180);
    let day = 24 * 60 * 60;
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .expect("it is after 1970");
    let left = Duration::from_secs(day - now.as_secs() % day);
    if left < NEAR {
        std::thread::sleep(left + Duration::from_secs(1));
    }
}
