//! The program `bareme-server`: parses its flags, then runs until a signal stops it.

use std::process::ExitCode;

use bareme_server::flags::Flags;
use tikv_jemallocator::Jemalloc;

/// Jemalloc returns the memory of a burst within ten seconds, on background threads. The allocator of the system
/// keeps it for long, and so does mimalloc while nothing is allocated.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    match bareme_server::run(&Flags::read()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("bareme-server: {failure}");
            ExitCode::FAILURE
        }
    }
}
