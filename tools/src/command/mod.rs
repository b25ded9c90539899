//! The commands, one file each.

mod batch;
mod check;
mod code;
mod completions;
mod confirm;
mod diff;
mod doc;
mod explain;
mod fmt;
pub(crate) mod impact;
mod inverse;
mod list;
mod lsp;
mod man;
mod mcp;
mod new;
mod population;
mod renew;
mod schema;
mod status;
mod test;
mod verify;

use clap::Subcommand;

pub(crate) use batch::row_endings;
pub(crate) use population::{Random, sample_endings};

use crate::session::{Exit, Failure, Session};

/// The commands of `bareme`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(check::Args),
    Code(code::Args),
    Fmt(fmt::Args),
    Test(test::Args),
    Explain(explain::Args),
    Inverse(inverse::Args),
    Batch(batch::Args),
    Diff(diff::Args),
    Impact(impact::Args),
    Population(population::Args),
    New(new::Args),
    Status(status::Args),
    Confirm(confirm::Args),
    Renew(renew::Args),
    Doc(doc::Args),
    List(list::Args),
    Verify(verify::Args),
    Mcp(mcp::Args),
    Schema(schema::Args),
    Lsp(lsp::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Command {
    pub(crate) fn run(&self, session: &Session) -> Result<Exit, Failure> {
        // One arm a command: each has its arguments and its work in its own file.
        match self {
            Self::Check(args) => check::run(args, session),
            Self::Code(args) => code::run(args, session),
            Self::Fmt(args) => fmt::run(args, session),
            Self::Test(args) => test::run(args, session),
            Self::Explain(args) => explain::run(args, session),
            Self::Inverse(args) => inverse::run(args, session),
            Self::Batch(args) => batch::run(args, session),
            Self::Diff(args) => diff::run(args, session),
            Self::Impact(args) => impact::run(args, session),
            Self::Population(args) => population::run(args, session),
            Self::New(args) => new::run(args, session),
            Self::Status(args) => status::run(args, session),
            Self::Confirm(args) => confirm::run(args, session),
            Self::Renew(args) => renew::run(args, session),
            Self::Doc(args) => doc::run(args, session),
            Self::List(args) => list::run(args, session),
            Self::Verify(args) => verify::run(args, session),
            Self::Mcp(args) => mcp::run(args, session),
            Self::Schema(args) => schema::run(args, session),
            Self::Lsp(args) => lsp::run(args, session),
            Self::Completions(args) => completions::run(args, session),
            Self::Man(args) => man::run(args, session),
        }
    }
}
