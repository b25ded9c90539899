//! The words of the command line, in French or in English.

use std::process::ExitCode;

use clap::Parser;

use crate::command::Command;
use crate::session::Common;

/// Checks, tests, explains and compares dated tax and payroll scales
#[derive(Debug, Parser)]
#[command(name = "bareme", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub common: Common,
}

pub(crate) fn read() -> Result<Cli, ExitCode> {
    Cli::try_parse().map_err(|error| {
        let _ = error.print();
        ExitCode::from(2)
    })
}
