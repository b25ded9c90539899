//! The header of a CSV file: the parameter of each of its columns.

use bareme_engine::text::{nearest, normalize};
use bareme_show::say;

use super::rows::{FILE, LINE, Layout, REASON};
use crate::format::did_you_mean;
use crate::session::{Failure, Session};

/// Renames the columns of a file to the parameters of the target: `Montant HT` is `montant_ht`. Columns without a
/// name are left out; renamed ones are reported.
///
/// # Errors
/// A column that is not a parameter, or two for the same parameter. Every row would be refused, so it is reported
/// once.
pub(super) fn check(
    layout: &mut Layout,
    keep: &[String],
    map: &[(String, String)],
    parameters: &[&str],
    session: &Session,
) -> Result<(), Failure> {
    let Layout::Csv { names, .. } = layout else { return Ok(()) };
    let lang = session.lang;
    rename(names, map, session)?;
    let known = || parameters.iter().copied().chain([FILE, LINE, REASON]).chain(keep.iter().map(String::as_str));
    for name in names.iter_mut().filter(|name| !name.is_empty()) {
        if known().any(|known| known == name) {
            continue;
        }
        let word = normalize(name);
        let Some(meant) = parameters.iter().find(|known| **known == word) else {
            let near = nearest(name, known());
            return Err(unknown(name, near, session));
        };
        eprintln!("{}", say!(lang, "Colonne `{name}` lue comme `{meant}`.", "Column `{name}` read as `{meant}`."));
        (*meant).clone_into(name);
    }
    let unnamed = names.iter().filter(|name| name.is_empty()).count();
    if unnamed > 0 {
        eprintln!(
            "{}",
            say!(lang, "Colonnes sans nom, ignorées : {unnamed}.", "Columns without a name, ignored: {unnamed}.")
        );
    }
    let twice = names
        .iter()
        .enumerate()
        .find(|(index, name)| !name.is_empty() && names.iter().take(*index).any(|other| other == *name));
    twice.map_or(Ok(()), |(_, name)| {
        Err(Failure::unusable(say!(lang, "Deux colonnes sont `{name}`.", "Two columns are `{name}`.")))
    })
}

/// The error of a column that is not a parameter, with the nearest name.
pub(super) fn unknown(name: &str, near: Option<&str>, session: &Session) -> Failure {
    let lang = session.lang;
    let near = did_you_mean(near, lang).unwrap_or_default();
    Failure::unusable(say!(
        lang,
        "La colonne `{name}` n’est pas un paramètre{near}\nPour la copier telle quelle : `--keep {name}`.",
        "The column `{name}` is not a parameter{near}\nTo copy it as it is: `--keep {name}`."
    ))
}

/// Renames columns as the command line says.
fn rename(names: &mut [String], map: &[(String, String)], session: &Session) -> Result<(), Failure> {
    for (column, parameter) in map {
        let Some(name) = names.iter_mut().find(|name| *name == column) else {
            return Err(not_there(column, session));
        };
        parameter.clone_into(name);
    }
    Ok(())
}

/// The error of a column named on the command line that no file has.
pub(super) fn not_there(column: &str, session: &Session) -> Failure {
    Failure::unusable(say!(session.lang, "La colonne `{column}` n’existe pas.", "There is no column `{column}`."))
}
