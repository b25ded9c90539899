//! `bareme`, the command line of those who write and review tax scales: checks them, runs their
//! cases, explains a calculation, compares two years, prepares the next one.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Half of what a check does is to parse and to compile: many short texts and vectors, on all
/// processors.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    bareme_tools::run(std::env::args_os()).into()
}
