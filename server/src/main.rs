//! The program `bareme-server`: reads its flags, then runs until a signal stops it.

use std::process::ExitCode;

use bareme_server::flags::Flags;
use tikv_jemallocator::Jemalloc;

/// The system's allocator keeps the memory of a burst long after its end, and so does mimalloc as long as nothing is
/// allocated; this one returns it within ten seconds, on threads of its own.
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
