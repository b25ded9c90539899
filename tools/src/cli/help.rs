//! The help of the command line in every language. A test finds missing and unused rows of its
//! texts.

mod texts;
mod values;

use bareme_engine::Lang;
use bareme_show::Text;
use clap::{Arg, Command};
use texts::{EXIT_CODES, HELP};
use values::VALUES;

use crate::command::{row_endings, sample_endings};

/// A command line with its help in a language.
pub(super) fn described(command: Command, lang: Lang) -> Command {
    let about = |name: &str| help(name, "").unwrap_or_default().in_lang(lang);
    let command = command
        .about(about(""))
        .after_help(EXIT_CODES.in_lang(lang));

    // Options of every command are declared once, at the root: their rows have an empty command.
    let command = command
        .mut_args(|arg| option("", arg, lang))
        .mut_subcommands(|own| {
            let name = own.get_name().to_owned();
            own.about(about(&name))
                .mut_args(|arg| option(&name, arg, lang))
        });

    if lang == Lang::En {
        command
    } else {
        titled_in_french(command)
    }
}

/// Translates the headings of the help of a command, which clap has in English only.
fn titled_in_french(command: Command) -> Command {
    command
        .mut_subcommands(|own| {
            // Braces are clap's own, in which it writes the parts; they are doubled for `format!`.
            let has_arguments = own.get_positionals().next().is_some();
            let arguments = if has_arguments {
                "\n\nArguments :\n{positionals}"
            } else {
                ""
            };
            own.help_template(format!(
                "{{about}}\n\nUsage : {{usage}}{arguments}\n\nOptions \
                :\n{{options}}"
            ))
        })
        .subcommand_value_name("COMMANDE")
        .subcommand_help_heading("Commandes")
        .help_template(
            "{about}\n\nUsage : {usage}\n\nCommandes :\n{subcommands}\n\nOptions \
            :\n{options}{after-help}",
        )
}

/// An option or argument with its help in a language.
fn option(command: &str, arg: Arg, lang: Lang) -> Arg {
    let text = help(command, arg.get_id().as_str())
        .unwrap_or_default()
        .in_lang(lang);
    let text = with_lists(text);

    if lang == Lang::En {
        arg.help(text)
    } else {
        in_french(arg, &text)
    }
}

/// A text with what the program lists in place of the words in braces.
fn with_lists(text: &str) -> String {
    // Most texts have none: nothing is listed for them.
    if !text.contains('{') {
        return text.to_owned();
    }
    text.replace("{row_endings}", &row_endings())
        .replace("{sample_endings}", &sample_endings())
}

/// Translates the notes and value names of an option, since clap has the notes in English only.
fn in_french(arg: Arg, text: &str) -> Arg {
    let mut shown = text.to_owned();

    // 1. The notes after the text, which are those of clap in French.
    if arg.get_action().takes_values() {
        let values = arg.get_possible_values();
        let values: Vec<&str> = values.iter().map(|value| value.get_name()).collect();
        if !values.is_empty() {
            shown.push_str(&format!(" [valeurs : {}]", values.join(", ")));
        }
        let default: Vec<_> = arg
            .get_default_values()
            .iter()
            .map(|value| value.to_string_lossy())
            .collect();
        if !default.is_empty() {
            shown.push_str(&format!(" [par défaut : {}]", default.join(", ")));
        }
    }
    if let Some(variable) = arg.get_env() {
        shown.push_str(&format!(" [variable : {}]", variable.to_string_lossy()));
    }
    let arg = arg.help(shown);

    // 2. The names of the values, which are declared in English; a switch has none.
    if !arg.get_action().takes_values() {
        return arg;
    }
    let names: Vec<&str> = arg
        .get_value_names()
        .unwrap_or_default()
        .iter()
        .map(|name| french_value(name))
        .collect();

    // Otherwise the notes would be there twice, in two languages.
    let arg = arg
        .hide_default_value(true)
        .hide_possible_values(true)
        .hide_env(true);

    if names.is_empty() {
        arg
    } else {
        arg.value_names(names)
    }
}

/// The text of an option of a command; of one that all commands have, that of the root.
fn help(command: &str, option: &str) -> Option<Text> {
    let find = |command: &str| {
        HELP.iter()
            .find(|(of, name, _)| *of == command && *name == option)
    };
    find(command).or_else(|| find("")).map(|(.., text)| *text)
}

/// The name of a value in French. A test finds values without one, so that the general word is
/// never shown.
fn french_value(name: &str) -> &'static str {
    VALUES
        .iter()
        .find(|value| value.en == name)
        .map_or("VALEUR", |value| value.fr)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every command with the names of its own options; the empty name is the command itself.
    fn declared() -> Vec<(String, Vec<String>)> {
        let command = super::super::command(Lang::En);
        let options = |command: &Command| {
            let own = command.get_arguments().map(|arg| arg.get_id().to_string());
            std::iter::once(String::new()).chain(own).collect()
        };
        let mut declared = vec![(String::new(), options(&command))];
        declared.extend(
            command
                .get_subcommands()
                .map(|own| (own.get_name().to_owned(), options(own))),
        );
        declared
    }

    #[test]
    fn everything_is_described_in_every_language() {
        let is_described = |command: &str, option: &str| {
            let row = HELP
                .iter()
                .find(|(of, name, _)| *of == command && *name == option);
            row.is_some_and(|(.., text)| !text.fr.is_empty() && !text.en.is_empty())
        };
        for (command, options) in declared() {
            for option in options {
                let is_common = !option.is_empty() && is_described("", &option);
                assert!(
                    is_common || is_described(&command, &option),
                    "{command} {option}"
                );
            }
        }
    }

    #[test]
    fn nothing_is_described_that_is_gone() {
        let declared = declared();
        for (command, option, _) in HELP {
            let options = declared
                .iter()
                .find(|(known, _)| known == command)
                .map(|(_, options)| options);
            assert!(
                options.is_some_and(|options| options.iter().any(|known| known == option)),
                "{command} {option}"
            );
        }
    }

    #[test]
    fn the_lists_of_a_text_are_those_of_the_program() {
        let shown = |lang| {
            let command = described(super::super::command(lang), lang);
            let batch = command.find_subcommand("batch").unwrap().clone();
            let output = batch.get_arguments().find(|arg| arg.get_id() == "output");
            output.unwrap().get_help().unwrap().to_string()
        };
        let endings = "`.csv`, `.jsonl`, `.parquet`, `.arrow`, `.arrows`";
        assert!(shown(Lang::Fr).contains(endings), "{}", shown(Lang::Fr));
        assert!(shown(Lang::En).ends_with(endings), "{}", shown(Lang::En));

        // A word in braces without a list would be shown as it is.
        for (command, option, text) in HELP {
            for text in [text.fr, text.en] {
                assert!(
                    !with_lists(text).contains('{'),
                    "{command} {option}: {text}"
                );
            }
        }
    }

    #[test]
    fn every_value_has_its_name_in_french() {
        let command = super::super::command(Lang::En);
        for arg in command
            .get_subcommands()
            .flat_map(Command::get_arguments)
            .filter(|arg| arg.get_action().takes_values())
        {
            for name in arg.get_value_names().unwrap_or_default() {
                assert!(
                    VALUES.iter().any(|value| value.en == name.as_str()),
                    "{name}"
                );
            }
        }
    }
}
