//! `bareme completions`: completions for a shell.

use bareme_engine::Lang;
use clap_complete::Shell;

use crate::session::{Exit, Failure, Session};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    // The descriptions are in English, since colons in the French help would end a word in some
    // shells.
    clap_complete::generate(
        args.shell,
        &mut (session.command_line)(Lang::En),
        "bareme",
        &mut script,
    );
    session.print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Fine)
}
