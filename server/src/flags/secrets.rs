//! Errors of the command line without the secrets that a mistake may put into them.

use clap::CommandFactory as _;
use clap::error::{ContextKind, ContextValue};

use crate::flags::Flags;

/// Placeholder in a message for a possible secret.
const HIDDEN: &str = "…";

/// Greatest length of an unexpected word in a message: a secret is longer.
const LONGEST_WORD: usize = 20;

/// An error of the command line without possible secrets: the value of an option whose values are
/// hidden in the help, and unexpected words that are long or look like an address.
pub(super) fn without_secrets(mut error: clap::Error) -> clap::Error {
    let text = |error: &clap::Error, kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let command = Flags::command();

    // The options that may hold a secret are those whose values the help hides, of commands as
    // well.
    let options = command
        .get_subcommands()
        .flat_map(clap::Command::get_subcommands)
        .chain([&command]);
    let options = options
        .flat_map(clap::Command::get_arguments)
        .filter(|option| option.is_hide_env_values_set());
    let secret: Vec<String> = options
        .filter_map(|option| Some(format!("--{}", option.get_long()?)))
        .collect();

    let named = text(&error, ContextKind::InvalidArg).unwrap_or_default();
    if secret
        .iter()
        .any(|option| named.split([' ', '=']).next() == Some(option))
    {
        error.insert(
            ContextKind::InvalidValue,
            ContextValue::String(HIDDEN.to_owned()),
        );
    }

    // A word in the wrong place may be a secret too, such as one after a misspelt option.
    for kind in [
        ContextKind::InvalidArg,
        ContextKind::InvalidSubcommand,
        ContextKind::InvalidValue,
    ] {
        let Some(text) = text(&error, kind) else {
            continue;
        };
        let is_long = text.len() > LONGEST_WORD && !text.starts_with('-');
        if text.contains([':', '@']) || is_long {
            error.insert(kind, ContextValue::String(HIDDEN.to_owned()));
            // The suggestion of how to pass it as a value contains it too.
            error.remove(ContextKind::Suggested);
        }
    }
    error
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[test]
    fn no_message_shows_a_secret() {
        let secret = "whsec_hunter2hunter2hunter2hunter2";
        let of_payments = format!("--payment-secrte={secret}");
        for arguments in [
            &["--store", "mysql://u:hunter2@h/d"][..],
            &["--store=hunter2"],
            &["keys", "list", "--store", "mysql://u:hunter2@h/d"],
            &["keys", "list", "postgres://u:hunter2@h/d"],
            &["postgres://u:hunter2@h/d"],
            &["--listen", "smtp://u:hunter2@h"],
            &["--trusted-proxy", "smtp://u:hunter2@h"],
            &["--log-format", "smtp://u:hunter2@h"],
            &["--store-url=postgres://u:hunter2@h/d"],
            &["keys", "show", "postgres://u:hunter2@h/d"],
            &[&of_payments],
            &[secret],
            &["--payment-secret", secret],
            &["--payment-secret", secret, "--payment-secret", secret],
        ] {
            let error =
                Flags::try_parse_from([&["bareme-server"], arguments].concat()).unwrap_err();
            let shown = without_secrets(error).to_string();
            assert!(
                !shown.contains("hunter2") && shown.starts_with("error: "),
                "{arguments:?}: {shown}"
            );
        }
        let error = Flags::try_parse_from(["bareme-server", "--date", "2026-02-30"]).unwrap_err();
        assert!(
            without_secrets(error).to_string().contains("2026-02-30"),
            "what is no secret is shown"
        );
    }
}
