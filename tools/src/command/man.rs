//! `bareme man`: the manual page, or one for each command.

use std::path::PathBuf;

use clap_mangen::Man;

use crate::session::{Exit, Failure, Session};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let command = (session.command_line)(session.lang);
    if let Some(out) = &args.out {
        std::fs::create_dir_all(out)?;
        clap_mangen::generate_to(command, out)?;
        return Ok(Exit::Fine);
    }

    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    session.print(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Fine)
}
