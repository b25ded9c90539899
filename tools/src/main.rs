//! `bareme`, the command line of those who write and review tax scales: checks them, runs their cases,
//! explains a calculation, compares two years, prepares the next one.

mod ask;
mod cli;
mod command;
mod drawing;
mod edit;
mod page;
mod progress;
mod rule_files;
mod save;
mod series;
mod session;
mod target;
mod typed;
mod words;

use std::process::ExitCode;

use session::Session;

fn main() -> ExitCode {
    let cli = match cli::read() {
        Ok(cli) => cli,
        Err(exit) => return exit,
    };
    let session = Session::new(&cli.common, cli::command);
    match cli.command.run(&session) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            if !failure.message.is_empty() {
                eprintln!("{}", failure.message);
            }
            failure.exit.into()
        }
    }
}
