//! Seeds of simulations.

/// Runs a simulation with each of some seeds, or as many as `BAREME_SIMULATIONS` says; the second
/// argument of `run` is whether it is the one that `BAREME_SEED` names, alone, to be looked at.
/// Gives that as well.
pub fn each_seed(usual: u64, mut run: impl FnMut(u64, bool)) -> bool {
    let number = |variable: &str| {
        std::env::var(variable)
            .ok()
            .map(|number| number.parse::<u64>().unwrap())
    };
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
            eprintln!(
                "again: BAREME_SEED={} cargo test --workspace --lib {test} -- --nocapture",
                self.0
            );
        }
    }
}
