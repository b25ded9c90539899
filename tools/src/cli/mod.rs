//! The command line and its help, in French unless English is asked for.

mod help;
mod refused;

use std::ffi::OsString;

use bareme_engine::Lang;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, CommandFactory, FromArgMatches, Parser};

use crate::command::Command;
use crate::session::{Common, Exit};

#[derive(Debug, Parser)]
#[command(name = "bareme", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub common: Common,
}

/// Parses the command line. Help and errors are printed, and the exit code returned.
pub(crate) fn read(words: Vec<OsString>) -> Result<Cli, Exit> {
    let lang = language_of(&words);

    let parsed = command(lang)
        .try_get_matches_from(words)
        .and_then(|matches| Cli::from_arg_matches(&matches));

    parsed.map_err(|error| {
        let is_asked = matches!(
            error.kind(),
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
        );
        if is_asked || lang == Lang::En {
            // A closed output is not an error: there is nobody left to read the help.
            let _ = error.print();
        } else {
            eprintln!("{}", refused::french(&error));
        }
        if is_asked { Exit::Fine } else { Exit::Unusable }
    })
}

/// The declaration of the whole command line, with its help in a language.
pub(crate) fn command(lang: Lang) -> clap::Command {
    // clap's own version flag has a help in English only.
    let version = Arg::new("version")
        .short('V')
        .long("version")
        .action(ArgAction::Version);

    let command = with_own_help(Cli::command())
        .disable_version_flag(true)
        .arg(version);
    help::described(command, lang)
}

/// The language of the command line, found before it is parsed, since errors are printed in it too.
fn language_of(words: &[OsString]) -> Lang {
    // A word that is not UTF-8 is a path, not a language.
    let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();

    let spelled = words.iter().find_map(|word| word.strip_prefix("--lang="));
    let next = words
        .iter()
        .position(|word| *word == "--lang")
        .and_then(|index| words.get(index + 1))
        .copied();

    let from_environment = std::env::var("BAREME_LANG").ok();
    // The command line before the environment, as clap itself decides.
    match spelled.or(next).or(from_environment.as_deref()) {
        Some("en") => Lang::En,
        _ => Lang::Fr,
    }
}

/// A command with its own `--help` argument, whose help exists in both languages.
fn with_own_help(command: clap::Command) -> clap::Command {
    let help = Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::Help);

    // Above 100 columns help is hard to read, however wide the terminal is.
    let command = command
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .arg(help)
        .max_term_width(100);
    command.mut_subcommands(with_own_help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_found_wherever_it_is() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert_eq!(language_of(&words("bareme check --lang en")), Lang::En);
        assert_eq!(language_of(&words("bareme --lang=en check")), Lang::En);
        assert_eq!(language_of(&words("bareme --lang fr check")), Lang::Fr);
    }

    #[test]
    fn the_command_line_is_well_declared() {
        command(Lang::En).debug_assert();
        command(Lang::Fr).debug_assert();
    }
}
