//! The program `bareme-server`: reads its flags, then runs until a signal stops it.

use std::process::ExitCode;

use bareme_server::flags::Flags;
use mimalloc::MiMalloc;

/// The system's allocator keeps the memory of a burst long after its end; this one returns it within seconds.
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
