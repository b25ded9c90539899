//! The commands, one file each.

mod batch;
mod check;
mod completions;
mod confirm;
mod diff;
mod doc;
mod explain;
mod fmt;
mod impact;
mod inverse;
mod list;
mod lsp;
mod man;
mod mcp;
mod new;
mod population;
mod schema;
mod status;
mod test;

use clap::Subcommand;

use crate::session::{Exit, Failure, Session};

/// The commands of `bareme`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check rule files: every mistake with its place, its cause and its cure
    Check(check::Args),
    /// Lay rule files out, without changing a value or a comment
    Fmt(fmt::Args),
    /// Run the worked cases: what was expected, what came out, and the steps that led there
    Test(test::Args),
    /// Explain a calculation: the payslip step by step, with bands, roundings, articles and sources
    Explain(explain::Args),
    /// Find the gross of a net or of a budget: `net=2500` or `cout=3500` instead of `brut=…`
    Inverse(inverse::Args),
    /// Compute many rows: CSV, JSON Lines, Parquet or Arrow tables, in and out
    Batch(batch::Args),
    /// Compare two editions of a scale: the figures, then the effect on those who pay
    Diff(diff::Args),
    /// Cost a reform over a sample: total, winners and losers, distribution, with the articles that change
    Impact(impact::Args),
    /// Write a made-up sample of households or employees, for `batch` to compute
    Population(population::Args),
    /// Write the dated file of a day from the one before, every figure marked to be confirmed
    New(new::Args),
    /// Tell how far the preparation of a year is, folder by folder
    Status(status::Args),
    /// Confirm figures of a draft as they are read, with their values and sources
    Confirm(confirm::Args),
    /// Write a page a scale: figures, steps in words, a worked case, a chart, sources
    Doc(doc::Args),
    /// List the scales; of one, its parameters, its answer and its dated files
    List(list::Args),
    /// Give calculations and figures to assistants, by the protocol MCP over the standard input and output
    Mcp(mcp::Args),
    /// Print a JSON Schema of the rule files, or write them all
    Schema(schema::Args),
    /// Serve a text editor: diagnostics, explanations, completion, renaming of rule files
    Lsp(lsp::Args),
    /// Print the completions of a shell
    Completions(completions::Args),
    /// Print the manual page
    Man(man::Args),
}

impl Command {
    pub(crate) fn run(&self, session: &Session) -> Result<Exit, Failure> {
        match self {
            Self::Check(args) => check::run(args, session),
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
            Self::Doc(args) => doc::run(args, session),
            Self::List(args) => list::run(args, session),
            Self::Mcp(args) => mcp::run(args, session),
            Self::Schema(args) => schema::run(args, session),
            Self::Lsp(args) => lsp::run(args, session),
            Self::Completions(args) => completions::run(args, session),
            Self::Man(args) => man::run(args, session),
        }
    }
}
