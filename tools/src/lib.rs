//! The command line for authors and reviewers of tax scales, in the program `bareme` and in the
//! Python package, which has the same command.

mod accept;
mod archive;
mod cli;
mod command;
mod days;
mod drawing;
mod edit;
mod endings;
mod format;
mod hypothesis;
mod layout;
mod lsp;
mod moved;
mod output;
mod page;
mod past_laws;
mod progress;
mod prompt;
mod quantity;
mod rule_files;
mod save;
mod series;
mod session;
mod target;
mod user_input;
mod workbook;

pub use archive::{Archive, ArchiveError, NamedLaw};
pub use command::impact::library as impact;
pub use hypothesis::{Hypothesis, HypothesisError, HypotheticalRules};

use std::ffi::OsString;
use std::io::Write as _;

use session::Session;

/// Runs a command line, whose first word is the name of the program; returns the exit code.
pub fn run(words: impl IntoIterator<Item = OsString>) -> u8 {
    // Help, `--version` and a command line that does not parse are printed where they are found:
    // only their exit code is left.
    let cli = match cli::read(words.into_iter().collect()) {
        Ok(cli) => cli,
        Err(exit) => return exit.code(),
    };
    let session = Session::new(&cli.common, cli::command);

    match cli.command.run(&session) {
        Ok(exit) => exit.code(),

        // A closed output (`| head`) is a failure without a message, and prints nothing.
        // Errors go to the standard error, so that a program that reads the output never parses
        // them.
        Err(failure) => {
            if !failure.message.is_empty() {
                // Whoever closed the standard error wants no message, and `eprintln!` would panic.
                let _ = writeln!(std::io::stderr(), "{}", failure.message);
            }
            failure.exit.code()
        }
    }
}
