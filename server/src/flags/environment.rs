//! Variables of the environment that look like settings and are none: a misspelt name would change
//! nothing, unnoticed.

use std::collections::BTreeSet;

use bareme_engine::text::nearest;
use clap::{Command, CommandFactory as _};

use super::Flags;

/// Beginning of the name of every setting.
const PREFIX: &str = "BAREME_";

/// A variable that no option reads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UnreadVariable {
    /// Its name.
    pub name: String,
    /// The setting that it may have been meant to be.
    pub near: Option<String>,
}

/// Finds the variables among `names` that begin like a setting and that neither the service nor a
/// command reads.
pub(crate) fn unread_variables(names: impl Iterator<Item = String>) -> Vec<UnreadVariable> {
    let mut settings = BTreeSet::new();
    collect_settings(&Flags::command(), &mut settings);

    let is_unread = |name: &String| name.starts_with(PREFIX) && !settings.contains(name);
    let described = |name: String| {
        let near = nearest(&name, settings.iter().map(String::as_str)).map(str::to_owned);
        UnreadVariable { name, near }
    };
    names.filter(is_unread).map(described).collect()
}

/// Collects the variables that a command and its subcommands read.
fn collect_settings(command: &Command, settings: &mut BTreeSet<String>) {
    let variables = command
        .get_arguments()
        .filter_map(|option| option.get_env());
    settings.extend(variables.map(|name| name.to_string_lossy().into_owned()));

    for subcommand in command.get_subcommands() {
        collect_settings(subcommand, settings);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_setting_is_found_with_the_one_that_was_meant() {
        let names = [
            "BAREME_TRUSTED_PROXI",
            "BAREME_LISTEN",
            "BAREME_STORE_FILE",
            "PATH",
            "BAREME_OF_ANOTHER_PROGRAM",
        ];
        let unread = unread_variables(names.map(str::to_owned).into_iter());
        let near = Some("BAREME_TRUSTED_PROXY".to_owned());
        assert_eq!(
            unread,
            [
                UnreadVariable {
                    name: "BAREME_TRUSTED_PROXI".to_owned(),
                    near
                },
                UnreadVariable {
                    name: "BAREME_OF_ANOTHER_PROGRAM".to_owned(),
                    near: None
                },
            ]
        );
    }
}
