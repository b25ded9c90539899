//! Helpers of the unit tests.

use std::path::Path;
use std::sync::Arc;

use bareme_engine::service::Rules;
use hyper::Request;
use hyper::header::HeaderName;
use hyper::http::request::Parts;

use crate::accounts::Access;
use crate::accounts::store::Sharing;
use crate::accounts::store::testing::Memory;
use crate::app::shared::Shared;
use crate::wire::address::Proxies;
use crate::wire::clock::Clock;
use crate::wire::net::connection_limit::ConnectionLimit;

/// The head of a request, as a client sends it.
pub(crate) fn request(method: &str, target: &str) -> Parts {
    Request::builder().method(method).uri(target).header("host", "localhost").body(()).unwrap().into_parts().0
}

/// The rules of the repository.
pub(crate) fn rules() -> Rules {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules");
    bareme_engine::Loader::new().without_cases().load_service(&root).rules.unwrap()
}

/// A service without rules, on a store in memory.
pub(crate) fn shared() -> Shared {
    let proxies = Proxies::new(Vec::new(), HeaderName::from_static("x-forwarded-for"), 64);
    Shared::new(Clock::new(None), Arc::new(Access::new(Memory::new(Sharing::Alone))), proxies, ConnectionLimit::new(8))
}

/// Runs a simulation with each of some seeds, or as many as `BAREME_SIMULATIONS` says; the second argument of `run` is
/// whether it is the one that `BAREME_SEED` names, alone, to be looked at. Gives that as well.
pub(crate) fn each_seed(usual: u64, mut run: impl FnMut(u64, bool)) -> bool {
    let number = |variable: &str| std::env::var(variable).ok().map(|number| number.parse::<u64>().unwrap());
    let named = number("BAREME_SEED");
    let seeds = match named {
        Some(seed) => seed..seed + 1,
        None => 0..number("BAREME_SIMULATIONS").unwrap_or(usual),
    };
    assert!(!seeds.is_empty());
    for seed in seeds {
        let _replay = Replay(seed);
        run(seed, named.is_some());
    }
    named.is_some()
}

/// Says how a seed is run again when a test fails in it.
struct Replay(u64);

impl Drop for Replay {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let test = std::thread::current().name().unwrap_or_default().to_owned();
            eprintln!("again: BAREME_SEED={} cargo test --workspace --lib {test} -- --nocapture", self.0);
        }
    }
}
