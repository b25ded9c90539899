//! Errors of the command line, in French.

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The message: the cause, then the nearest or the accepted values.
pub(super) fn french(error: &Error) -> String {
    let named = |kind| error.get(kind).map(words).unwrap_or_default();

    let (argument, value) = (
        named(ContextKind::InvalidArg),
        named(ContextKind::InvalidValue),
    );

    let mut message = match error.kind() {
        // 1. The cause, without clap's own sentence, which is in English.
        ErrorKind::UnknownArgument if argument.starts_with('-') => {
            format!("`{argument}` n’est pas une option de cette commande")
        }
        // An argument that is no option is a value too many.
        ErrorKind::UnknownArgument => {
            format!("`{argument}` est de trop : la commande n’attend rien de plus à cette place")
        }
        ErrorKind::InvalidSubcommand => format!(
            "`{}` n’est pas une commande",
            named(ContextKind::InvalidSubcommand)
        ),
        ErrorKind::MissingRequiredArgument => format!("il manque {argument}"),
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            "il manque une commande".to_owned()
        }
        ErrorKind::InvalidValue if value.is_empty() => format!("`{argument}` veut une valeur"),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            format!(
                "`{value}` ne convient pas à `{argument}`{}",
                form(&argument)
            )
        }
        ErrorKind::ArgumentConflict => format!(
            "`{argument}` ne va pas avec {}",
            named(ContextKind::PriorArg)
        ),
        _ => error
            .kind()
            .as_str()
            .unwrap_or("commande incomprise")
            .to_owned(),
    };

    // 2. What may have been meant: what is near, otherwise the accepted values.
    let near = [
        ContextKind::SuggestedArg,
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedValue,
    ]
    .map(named);
    let near = near.concat().replace(", ", "` ou `");
    let accepted = named(ContextKind::ValidValue);

    if !near.is_empty() {
        message.push_str(&format!(" ; vouliez-vous dire `{near}` ?"));
    } else if !accepted.is_empty() {
        message.push_str(&format!(" (valeurs : {accepted})"));
    }

    message + "\nPour l’aide : `bareme --help`, ou `bareme COMMANDE --help`."
}

/// The form of a value, by its name in the usage.
fn form(argument: &str) -> &'static str {
    // By the names of the values in French, as the help shows them.
    const FORMS: [(&str, &str); 4] = [
        (
            "COLONNE=PARAMETRE",
            " : écrire colonne=parametre, comme rni=revenu",
        ),
        (
            "DATE",
            " : écrire l’année, le mois et le jour, comme 2027-01-01",
        ),
        ("ANNEE", " : écrire une année, comme 2027"),
        ("NOMBRE", " : écrire un nombre entier"),
    ];

    FORMS
        .iter()
        .find(|(name, _)| argument.contains(name))
        .map_or("", |(_, form)| form)
}

fn words(value: &ContextValue) -> String {
    match value {
        ContextValue::String(word) => word.clone(),
        ContextValue::Strings(words) => words.join(", "),
        ContextValue::StyledStr(text) => text.to_string(),
        other => other.to_string(),
    }
}
