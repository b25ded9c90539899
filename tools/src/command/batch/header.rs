//! The header of a CSV file: the parameter of each of its columns.

use bareme_engine::text::{nearest, normalize};
use bareme_show::say;

use super::layout::{FILE, LINE, Layout, REASON, TextForm};
use crate::format::did_you_mean;
use crate::session::{Failure, Session};

/// Finds the parameter of each column of a file: `Montant HT` is `montant_ht`. Columns without a
/// name are left out; those whose parameter has another name are reported.
///
/// # Errors
/// A column that is neither a parameter nor copied, or two for the same parameter; a column to copy
/// that is not there. Every row would be refused, so it is reported once.
pub(super) fn check(
    layout: &mut Layout,
    keep: &[String],
    map: &[(String, String)],
    parameters: &[&str],
    session: &Session,
) -> Result<(), Failure> {
    let Layout {
        form:
            TextForm::Csv {
                names,
                parameters: meant,
                ..
            },
        partitions,
    } = layout
    else {
        return Ok(());
    };

    // 1. The columns that the command line names must exist: a misspelling would leave a parameter
    // out without notice.
    let lang = session.lang;

    let is_folder = |name: &String| partitions.iter().any(|partition| partition.name == *name);
    let is_there = |name: &&String| names.contains(name) || is_folder(name);
    if let Some((column, _)) = map.iter().find(|(column, _)| !is_there(&column)) {
        return Err(not_there(column, session));
    }

    // Names that need no parameter: those of refused rows that are computed again, and those that
    // are copied.
    let accepted = || {
        parameters
            .iter()
            .copied()
            .chain([FILE, LINE, REASON])
            .chain(keep.iter().map(String::as_str))
    };

    // 2. The parameter of each column.
    for (name, meant) in names
        .iter()
        .zip(&mut *meant)
        .filter(|(name, _)| !name.is_empty())
    {
        // A column renamed by `--map`.
        if let Some((_, parameter)) = map.iter().find(|(column, _)| column == name) {
            meant.clone_from(parameter);
            continue;
        }

        // The exact name first; one that is copied under its own name is not read as a parameter.
        let word = normalize(name);
        let is_parameter = |name: &str| parameters.contains(&name);
        if is_parameter(name) || (!is_parameter(&word) && accepted().any(|other| other == name)) {
            continue;
        }
        if !is_parameter(&word) {
            return Err(unknown(name, nearest(name, accepted()), session));
        }
        // A spreadsheet has names for people: reading one as a parameter is a guess, and is
        // reported.
        eprintln!(
            "{}",
            say!(
                lang,
                "Colonne `{name}` lue comme `{word}`.",
                "Column `{name}` read as `{word}`."
            )
        );
        *meant = word;
    }

    // 3. The columns to copy.
    if let Some(kept) = keep
        .iter()
        .find(|kept| !is_there(kept) && !meant.contains(kept))
    {
        return Err(not_there(kept, session));
    }

    // 4. Columns without a name, which spreadsheets add by formatting an empty column.
    let unnamed = names.iter().filter(|name| name.is_empty()).count();
    if unnamed > 0 {
        eprintln!(
            "{}",
            say!(
                lang,
                "Colonnes sans nom, ignorées : {unnamed}.",
                "Columns without a name, ignored: {unnamed}."
            )
        );
    }

    // 5. Two columns of one parameter: which one counts would depend on their order.
    let twice = meant.iter().enumerate().find(|(index, name)| {
        !name.is_empty() && meant.iter().take(*index).any(|other| other == *name)
    });

    twice.map_or(Ok(()), |(_, name)| {
        Err(Failure::unusable(say!(
            lang,
            "Deux colonnes sont `{name}`.",
            "Two columns are `{name}`."
        )))
    })
}

/// The error of a column that is not a parameter, with the nearest name.
pub(super) fn unknown(name: &str, near: Option<&str>, session: &Session) -> Failure {
    let lang = session.lang;
    let near = did_you_mean(near, lang).unwrap_or_default();
    Failure::unusable(say!(
        lang,
        "La colonne `{name}` n’est pas un paramètre{near}\nPour la copier telle quelle : `--keep \
         {name}`.",
        "The column `{name}` is not a parameter{near}\nTo copy it as it is: `--keep {name}`."
    ))
}

/// The error of a column named on the command line that no file has.
pub(super) fn not_there(column: &str, session: &Session) -> Failure {
    Failure::unusable(say!(
        session.lang,
        "La colonne `{column}` n’existe pas.",
        "There is no column `{column}`."
    ))
}
