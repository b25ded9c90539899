//! The driver of libFuzzer: `BAREME_FUZZ` names the target. `tests/fuzz/run` builds and starts
//! this.

#![no_main]
#![allow(
    clippy::expect_used,
    reason = "a test says what must be true: a panic is its message"
)]

use std::env;
use std::panic;
use std::path::Path;
use std::sync::OnceLock;

use fuzz::Target;

static TARGET: OnceLock<&Target> = OnceLock::new();

fn variable(name: &str) -> String {
    env::var(name).expect("tests/fuzz/run, which starts this, sets it")
}

libfuzzer_sys::fuzz_target!(
    init: {
        let target = fuzz::target(&variable("BAREME_FUZZ"));
        // libFuzzer reads both once this has returned.
        let (inputs, dictionary) = (variable("BAREME_FUZZ_INPUTS"), variable("BAREME_FUZZ_DICTIONARY"));
        fuzz::write_for_libfuzzer(target, Path::new(&inputs), Path::new(&dictionary));
        // That of libFuzzer ends the process at panics that the product catches, too.
        drop(panic::take_hook());
        TARGET.set(target).expect("it is set once");
    },
    |bytes: &[u8]| {
        let target = TARGET.get().expect("it is set before the first input");
        let _ = (target.check)(bytes);
    }
);
