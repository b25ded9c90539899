//! The program `bareme-server`: parses its flags, then runs until a signal stops it.

use std::process::ExitCode;

use bareme_server::flags::Flags;
use mimalloc::MiMalloc;

/// Mimalloc returns the memory of a burst within seconds, where the allocator of the system keeps
/// it for long, starts sooner than jemalloc does, and is compiled in seconds. With huge pages,
/// which it would ask for, the service at rest takes half as much memory again (`no_thp` in the
/// features).
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    match bareme_server::run(&Flags::read()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("bareme-server: {failure}");
            ExitCode::FAILURE
        }
    }
}
