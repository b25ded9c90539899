//! `bareme lsp`: the language server that editors start.

use crate::lsp;
use crate::session::{Exit, Failure, Session};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    // VS Code and related clients add this option.
    #[arg(long)]
    stdio: bool,
}

pub(crate) fn run(_args: &Args, session: &Session) -> Result<Exit, Failure> {
    lsp::serve(session)
}
