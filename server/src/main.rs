//! The program `bareme-server`: reads its flags, then runs until it is told to stop.

use std::process::ExitCode;

use bareme_server::flags::Flags;
use clap::Parser as _;

fn main() -> ExitCode {
    match bareme_server::run(&Flags::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("bareme-server: {failure}");
            ExitCode::FAILURE
        }
    }
}
