//! Folders `name=value` in the path of a file: columns that all of its rows have, as Hive, Spark
//! and DuckDB lay out what they partition.

use std::path::Path;

use bareme_engine::text::{nearest, normalize};
use bareme_show::say;
use percent_encoding::percent_decode_str;

use super::Args;
use crate::format::did_you_mean;
use crate::session::{Failure, Session};

/// The value that Hive writes for a null in the name of a folder.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// A column that a folder of the path gives to every row of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Partition {
    pub name: String,
    /// The parameter that it is, or its own name where it is only copied.
    pub parameter: String,
    /// Its value in every row; empty for a null.
    pub value: String,
}

impl Partition {
    /// The folders of a path that are `name=value`, in order.
    pub(super) fn of_path(path: &Path) -> Vec<Self> {
        // The last component is the file, whose name may contain an equals sign.
        let folders = path.parent().into_iter().flat_map(Path::components);
        let partition = |folder: std::path::Component| {
            // Hive percent-encodes what a file system does not allow in names.
            let (name, value) = folder.as_os_str().to_str()?.split_once('=')?;

            let [name, value] =
                [name, value].map(|text| percent_decode_str(text).decode_utf8_lossy().into_owned());
            let value = if value == NULL { String::new() } else { value };
            // `=x` is no column.
            (!name.is_empty()).then(|| Self {
                parameter: name.clone(),
                name,
                value,
            })
        };
        folders.filter_map(partition).collect()
    }
}

/// Leaves of the folders of a path those that are parameters or are copied, each with its
/// parameter; `is_first`: of the first file, for which the others are mentioned.
///
/// # Errors
/// A folder whose name is nearly that of a parameter: without it, the rows would be computed as if
/// it were not there.
pub(super) fn select(
    found: Vec<Partition>,
    args: &Args,
    parameters: &[&str],
    (is_first, session): (bool, &Session),
) -> Result<Vec<Partition>, Failure> {
    let mut selected = Vec::new();
    for partition in found {
        // The parameter: the one of `--map`, the same name, or the same word in lower case.
        let Partition { name, value, .. } = &partition;
        let given = args
            .map
            .iter()
            .find(|(column, _)| column == name)
            .map(|(_, parameter)| parameter.clone());

        let word = normalize(name);
        let own = || parameters.contains(&word.as_str()).then(|| word.clone());
        let exact = if parameters.contains(&name.as_str()) {
            Some(name.clone())
        } else {
            None
        };

        // The folder is a parameter; otherwise copied, nearly one, or ignored.
        if let Some(parameter) = given.or(exact).or_else(own) {
            selected.push(Partition {
                parameter,
                ..partition
            });
        } else if args.keep.contains(name) {
            selected.push(partition);
        } else if let Some(near) = nearest(&word, parameters.iter().copied()) {
            return Err(nearly(name, value, near, session));
        } else if is_first {
            eprintln!(
                "{}",
                say!(
                    session.lang,
                    "Dossier `{name}={value}` du chemin : ce n’est pas un paramètre ; `--keep \
                     {name}` le copie.",
                    "Folder `{name}={value}` of the path: it is no parameter; `--keep {name}` \
                     copies it."
                )
            );
        }
    }
    Ok(selected)
}

fn nearly(name: &str, value: &str, near: &str, session: &Session) -> Failure {
    let lang = session.lang;
    let meant = did_you_mean(Some(near), lang).unwrap_or_default();
    Failure::unusable(say!(
        lang,
        "Le dossier `{name}={value}` du chemin n’est pas un paramètre{meant}\nPour le lire ainsi \
         : `--map {name}={near}` ; pour le copier tel quel : `--keep {name}`.",
        "The folder `{name}={value}` of the path is not a parameter{meant}\nTo read it so: `--map \
         {name}={near}`; to copy it as it is: `--keep {name}`."
    ))
}

/// Checks that no folder of the path repeats a column of the file.
///
/// # Errors
/// The first folder whose parameter is a column too.
pub(super) fn check_columns<'c>(
    partitions: &[Partition],
    columns: impl Iterator<Item = &'c str> + Clone,
    place: &str,
    session: &Session,
) -> Result<(), Failure> {
    let is_twice = |partition: &&Partition| {
        columns
            .clone()
            .any(|column| column == partition.name || column == partition.parameter)
    };

    let Some(Partition { name, value, .. }) = partitions.iter().find(is_twice) else {
        return Ok(());
    };

    // Which of the two values counts would depend on their order.
    Err(Failure::unusable(say!(
        session.lang,
        "`{place}` : `{name}` est à la fois une colonne du fichier et un dossier du chemin, \
         `{name}={value}` : retirer l’une, ou renommer l’autre.",
        "`{place}`: `{name}` is both a column of the file and a folder of the path, \
         `{name}={value}`: remove the one, or rename the other."
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_a_path_are_columns_and_file_names_are_not() {
        let found = Partition::of_path(Path::new(
            "data/annee=2024/pays=c%C3%B4te d/x=__HIVE_DEFAULT_PARTITION__/a=b.csv",
        ));
        let pairs: Vec<(&str, &str)> = found
            .iter()
            .map(|partition| (partition.name.as_str(), partition.value.as_str()))
            .collect();
        assert_eq!(pairs, [("annee", "2024"), ("pays", "côte d"), ("x", "")]);
    }
}
