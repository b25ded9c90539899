//! `bareme`, the command line of those who write and review tax scales: checks them, runs their
//! cases, explains a calculation, compares two years, prepares the next one.

use std::process::ExitCode;

fn main() -> ExitCode {
    bareme_tools::run(std::env::args_os()).into()
}
