//! Parameters of a family: those of all its folders, merged into schemas that hold for each of
//! them.

use bareme_engine::Folder;
use bareme_engine::law::Input;
use serde_json::json;

use super::text::{fitted, sentence};
use super::{Parameter, union};

/// A folder, and the word that selects it in a family.
pub type Member<'r> = (Option<&'r str>, &'r Folder);

/// A folder that has a parameter, with its word.
type Taker<'r> = (Option<&'r str>, &'r Folder, &'r Input);

/// The parameters of a family: the one that selects a folder (`by`), then those that every folder
/// has, then the others.
pub fn of_family(by: &str, members: &[Member], ignored: &[String]) -> Vec<Parameter> {
    let mut names: Vec<(&str, usize)> = Vec::new();
    for input in members
        .iter()
        .flat_map(|(_, folder)| folder.accepted_inputs())
    {
        match names.iter_mut().find(|(name, _)| *name == input.name) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => names.push((&input.name, 1)),
        }
    }

    // The sort is stable: within each of both groups the order is that of the folders.
    names.sort_by_key(|(_, count)| *count < members.len());

    let merged = names
        .iter()
        .map(|(name, _)| merged(name, by, members, ignored));

    std::iter::once(selector(by, members))
        .chain(merged)
        .collect()
}

/// The parameter that selects a folder, described with the title of each.
fn selector(by: &str, members: &[Member]) -> Parameter {
    let words: Vec<&str> = members.iter().filter_map(|(word, _)| *word).collect();
    // Words of the enumeration are codes; names are accepted too, and listed beside them.
    let aliases = members
        .iter()
        .flat_map(|(_, folder)| folder.aliases())
        .map(|alias| alias.name.as_str());
    let aliases: Vec<&str> = aliases.collect();

    let name = |folder: &Folder| folder.aliases().first().map(|alias| alias.name.clone());
    let named = members
        .iter()
        .filter_map(|(word, folder)| Some(format!("`{}` {}", (*word)?, name(folder)?)));
    let named: Vec<String> = named.collect();

    let list = if named.is_empty() {
        String::new()
    } else {
        format!(" {}.", named.join(", "))
    };

    let also = match aliases.first() {
        Some(name) => {
            format!(" Un nom est accepté comme le code, avec ou sans accents : `{name}`.")
        }
        None => String::new(),
    };

    let titles: Vec<&str> = members.iter().map(|(_, folder)| folder.title()).collect();
    Parameter {
        name: by.to_owned(),
        is_required: true,
        description: fitted([(0, "Choisit le barème.".to_owned()), (1, also), (2, list)]),
        schema: json!({
            "type": "string",
            "enum": words,
            "x-enum-descriptions": titles,
            "x-noms": aliases,
        }),
    }
}

/// A parameter merged from several folders, which may have different bounds or meanings for it.
fn merged(name: &str, by: &str, members: &[Member], ignored: &[String]) -> Parameter {
    let takers = members.iter().filter_map(|(word, folder)| {
        let input = folder
            .accepted_inputs()
            .into_iter()
            .find(|input| input.name == name)?;
        Some((*word, *folder, input))
    });

    let takers: Vec<Taker> = takers.collect();

    let everywhere = takers.len() == members.len();
    let schemas = takers
        .iter()
        .map(|(_, folder, input)| super::input_schema(folder, input));

    // The endpoint accepts the parameter in every folder, without effect where there is no such
    // input.
    let elsewhere = !everywhere && ignored.iter().any(|ignored| ignored == name);

    Parameter {
        name: name.to_owned(),
        is_required: everywhere
            && takers
                .iter()
                .all(|(_, folder, input)| super::is_required(input, folder)),
        description: description(by, &takers, everywhere, elsewhere),
        schema: schemas.reduce(union::widen).unwrap_or_else(|| json!({})),
    }
}

/// The merged description of a parameter: a single one where all folders agree, else its labels,
/// each with the folders that it holds for.
fn description(by: &str, takers: &[Taker], everywhere: bool, elsewhere: bool) -> String {
    let mut whole: Vec<String> = takers
        .iter()
        .map(|(_, folder, input)| super::description(folder, input))
        .collect();
    // Folders of one law often have the same description, one after the other.
    whole.dedup();

    let words: Vec<String> = takers
        .iter()
        .filter_map(|(word, ..)| Some(format!("`{}`", (*word)?)))
        .collect();

    let places = if everywhere {
        String::new()
    } else {
        format!(" Avec `{by}` : {}.", words.join(", "))
    };

    let otherwise = if elsewhere {
        " Ailleurs : accepté, sans effet."
    } else {
        ""
    };

    let ends = [(1, places), (1, otherwise.to_owned())];
    // All folders say the same: one description is enough.
    if let [only] = whole.as_slice() {
        return fitted(std::iter::once((0, only.clone())).chain(ends));
    }

    // Otherwise the labels are all that they have in common; each folder's own operation has more.
    let mut labels: Vec<String> = Vec::new();
    for (_, _, input) in takers {
        let label = sentence(&input.label);
        if !labels.contains(&label) {
            labels.push(label);
        }
    }

    let own = (
        2,
        " Ce que chacun accepte : l’opération de son adresse.".to_owned(),
    );

    let labels = labels.iter().enumerate().map(|(index, label)| match index {
        0 => (0, label.clone()),
        _ => (3, format!(" {label}")),
    });

    fitted(labels.chain(ends).chain([own]))
}
