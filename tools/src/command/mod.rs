//! The commands, one file each.

mod check;
mod explain;
mod test;

use clap::Subcommand;

use crate::session::{Exit, Failure, Session};

/// What `bareme` can do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(check::Args),
    Test(test::Args),
    Explain(explain::Args),
}

impl Command {
    pub(crate) fn run(&self, session: &Session) -> Result<Exit, Failure> {
        match self {
            Self::Check(args) => check::run(args, session),
            Self::Test(args) => test::run(args, session),
            Self::Explain(args) => explain::run(args, session),
        }
    }
}
