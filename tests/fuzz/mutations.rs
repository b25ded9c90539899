//! Random mutations of the inputs: the fuzzing of the suite.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};

use crate::{Target, inputs};

/// Mutated inputs of each target, at least.
const INPUTS: usize = 160;

/// Inputs between two looks at the clock.
const BATCH: u32 = 16;

/// Maximum number of mutations of an input: few, so that it remains nearly valid.
const MAX_MUTATIONS: usize = 6;

/// An input that takes longer hangs. The first of the network starts the service.
const TIMEOUT: Duration = Duration::from_secs(300);

/// A mutation: from a position on, some bytes are replaced by others.
#[derive(Debug, Clone)]
struct Mutation {
    position: Index,
    removed: usize,
    inserted: Inserted,
}

/// The bytes that a mutation inserts.
#[derive(Debug, Clone)]
enum Inserted {
    Token(Index),
    Bytes(Vec<u8>),
    /// A slice of another input: which one, from where, how long.
    Slice(Index, Index, usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let slice = (any::<Index>(), any::<Index>(), 1..60_usize);
    let inserted = prop_oneof![
        4 => any::<Index>().prop_map(Inserted::Token),
        2 => prop::collection::vec(any::<u8>(), 0..6).prop_map(Inserted::Bytes),
        2 => slice.prop_map(|(input, from, length)| Inserted::Slice(input, from, length)),
    ];
    let removed = prop_oneof![2 => 0..3_usize, 2 => 0..20_usize, 1 => 0..400_usize];
    (any::<Index>(), removed, inserted).prop_map(|(position, removed, inserted)| Mutation {
        position,
        removed,
        inserted,
    })
}

fn mutated(inputs: &[Vec<u8>], which: &Index, mutations: &[Mutation], tokens: &[&str]) -> Vec<u8> {
    let mut input = which.get(inputs).clone();
    for Mutation {
        position,
        removed,
        inserted,
    } in mutations
    {
        let from = position.index(input.len() + 1);
        let to = (from + removed).min(input.len());
        let inserted = match inserted {
            Inserted::Token(token) => token.get(tokens).as_bytes(),
            Inserted::Bytes(bytes) => bytes,
            Inserted::Slice(other, from, length) => {
                let other = other.get(inputs);
                let from = from.index(other.len() + 1);
                &other[from..(from + length).min(other.len())]
            }
        };
        input.splice(from..to, inserted.iter().copied());
    }
    input
}

/// Checks the inputs of a target as they are, then mutated at random: the same mutations in every
/// run, but for `BAREME_FUZZ_SEED`, and for `BAREME_FUZZ_SECONDS`, which goes on for that time.
///
/// # Panics
/// Where a check fails, or an input hangs, which ends the process; the input is kept in a file that
/// the message names.
pub fn run_mutations(target: &Target) {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().expect(name))
    };
    let (seconds, seed) = (
        number("BAREME_FUZZ_SECONDS", 0),
        number("BAREME_FUZZ_SEED", 2026),
    );
    let inputs = inputs(target);
    assert!(!inputs.is_empty(), "{} has no seeds", target.name);
    let watched = Watchdog::start(target);
    let accepted = Cell::new(0);
    let check = |input: &[u8]| {
        watched.begin(input);
        accepted.set(accepted.get() + usize::from((target.check)(input)));
        watched.end();
    };
    inputs.iter().for_each(|input| check(input));
    assert!(
        accepted.get() > 0,
        "{} accepts none of its own inputs",
        target.name
    );
    let mut count = inputs.len();
    let strategy = (
        any::<Index>(),
        prop::collection::vec(mutation(), 1..=MAX_MUTATIONS),
    );
    let start = Instant::now();
    while count < inputs.len() + INPUTS || start.elapsed() < Duration::from_secs(seconds) {
        // A runner ends with its cases: each batch has its own.
        let rng_seed = RngSeed::Fixed(seed.wrapping_add(count as u64));
        let config = Config {
            cases: BATCH,
            rng_seed,
            failure_persistence: None,
            ..Config::default()
        };
        let ran = TestRunner::new(config).run(&strategy, |(which, mutations)| {
            check(&mutated(&inputs, &which, &mutations, target.tokens));
            Ok::<(), TestCaseError>(())
        });
        if let Err(TestError::Fail(reason, (which, mutations))) = ran {
            fail(
                target,
                &mutated(&inputs, &which, &mutations, target.tokens),
                &reason.to_string(),
            );
        }
        count += BATCH as usize;
    }
    let (name, accepted, took) = (target.name, accepted.get(), start.elapsed().as_secs());
    println!("{name}: {count} inputs in {took} s, {accepted} of them accepted, seed {seed}");
}

fn fail(target: &Target, input: &[u8], reason: &str) -> ! {
    let (name, kept) = (target.name, keep(target, input));
    panic!(
        "{name}: {reason}\ninput: {}\nIt is in {}: once mended, keep it in tests/fuzz/corpus/{name}",
        input.escape_ascii(),
        kept.display()
    )
}

/// Writes an input that failed to a file of its target.
fn keep(target: &Target, input: &[u8]) -> PathBuf {
    let kept = std::env::temp_dir().join(format!("bareme-fuzz-{}", target.name));
    std::fs::write(&kept, input).unwrap();
    kept
}

/// Ends the process where an input takes longer than [`TIMEOUT`].
struct Watchdog {
    current: Arc<Current>,
    is_over: Arc<AtomicBool>,
}

/// The input that is being checked, with its start.
type Current = Mutex<Option<(Instant, Vec<u8>)>>;

impl Watchdog {
    fn start(target: &Target) -> Self {
        let watchdog = Self {
            current: Arc::default(),
            is_over: Arc::default(),
        };
        let (current, is_over, target) = (
            Arc::clone(&watchdog.current),
            Arc::clone(&watchdog.is_over),
            *target,
        );
        std::thread::spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(200));
                let current = current.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some((_, input)) = current
                    .as_ref()
                    .filter(|(start, _)| start.elapsed() > TIMEOUT)
                {
                    eprintln!(
                        "{}: an input hangs, it is in {}",
                        target.name,
                        keep(&target, input).display()
                    );
                    std::process::exit(1);
                }
            }
        });
        watchdog
    }

    fn begin(&self, input: &[u8]) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((Instant::now(), input.to_vec()));
    }

    fn end(&self) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}
