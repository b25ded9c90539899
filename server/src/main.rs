//! The program `bareme-server`: reads its flags, then runs until it is told to stop.

use std::process::ExitCode;

use bareme_server::flags::Flags;
use clap::Parser as _;
use tikv_jemallocator::Jemalloc;

/// The allocator of the system keeps what a crowd took long after it has gone; this one gives it back
/// within ten seconds, by threads of its own.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    match bareme_server::run(&Flags::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("bareme-server: {failure}");
            ExitCode::FAILURE
        }
    }
}
