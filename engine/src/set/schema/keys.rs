//! Keys of a file that are misspelt, misplaced or missing, and the parts of a schema that name
//! them.

use jsonschema::error::ValidationError;
use serde_json::{Map, Value};

use crate::say;
use crate::set::load::SERVICE;
use crate::text::problem::suggestion;
use crate::text::{Node, Problem};

use super::forms::PATH_OF_FOLDER;
use super::{CASES, METHOD, SERVICE_KEYS};

/// The problem of a key that is unknown at its place: misspelt, or misplaced.
pub(super) fn unexpected_key(name: &str, error: &ValidationError, schema: &Value) -> Problem {
    let known = || {
        properties(error, schema)
            .into_iter()
            .flatten()
            .map(|(known, _)| known.as_str())
    };

    // A typo of a key of this place is more probable than a key of another place.
    let elsewhere = if suggestion(name, known()).is_some() {
        None
    } else {
        misplaced(name, error, schema)
    };
    elsewhere.unwrap_or_else(|| Problem::unknown_key(name, known()))
}

/// The problem of a key that is known elsewhere: in a section of this place, beside its parent, or
/// in another file.
fn misplaced(key: &str, error: &ValidationError, schema: &Value) -> Option<Problem> {
    let knows = |schema: &Value| {
        schema
            .get("properties")
            .and_then(|known| known.get(key))
            .is_some()
    };
    let put = |place| {
        Some(Problem::MisplacedKey {
            key: key.to_owned(),
            place,
        })
    };

    // 1. In a map or a list beside it: one level too high.
    for (name, inside) in properties(error, schema).into_iter().flatten() {
        if knows(inside) {
            return put(say!("dans `{name}`", "in `{name}`"));
        }
        if inside.get("items").is_some_and(knows) {
            return put(say!(
                "dans chaque ligne de `{name}`",
                "in each line of `{name}`"
            ));
        }
    }

    // 2. Beside one of the maps that it is in: some levels too low.
    let path = error.schema_path().as_str();
    let (here, _) = path.rsplit_once('/')?;
    for (end, _) in here.rmatch_indices("/properties/") {
        let (above, below) = here.split_at_checked(end)?;
        let section = below.split('/').nth(2)?;
        if section != key && schema.pointer(above).is_some_and(knows) {
            return put(say!(
                "plus haut, à côté de `{section}`",
                "higher up, beside `{section}`"
            ));
        }
    }

    // 3. At the top of another file, where the key is at the top of this one.
    let in_files = [
        ("method.yaml", knows(&METHOD.value)),
        ("cases.yaml", knows(&CASES.value)),
        (SERVICE, SERVICE_KEYS.contains(&key)),
    ];
    let (file, _) = in_files
        .into_iter()
        .find(|(_, is_known)| here.is_empty() && *is_known)?;
    put(say!("dans {file}", "in {file}"))
}

/// The problem of a missing key; `None` where it is only misspelt, which is reported at the
/// misspelt key.
pub(super) fn missing_key(
    key: &str,
    node: &Node,
    known: Option<&Map<String, Value>>,
    root: &Node,
) -> Option<Problem> {
    let names: Vec<&str> = known
        .into_iter()
        .flatten()
        .map(|(known, _)| known.as_str())
        .collect();
    if node.misspells(key, &names) {
        return None;
    }

    // The key `folder` has one right value, which is written out.
    let form = known.and_then(|known| known.get(key)).map_or_else(
        || "…".to_owned(),
        |schema| match schema.get(PATH_OF_FOLDER) {
            Some(_) => root.place.file().folder().to_owned(),
            None => form(schema),
        },
    );
    Some(Problem::MissingKey {
        key: key.to_owned(),
        form,
    })
}

/// The form of a value in words, for the author who has to add it.
fn form(schema: &Value) -> String {
    let texts = |key: &str| {
        schema
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
    };

    if let Some(only) = schema.get("const").and_then(Value::as_str) {
        return only.to_owned();
    }
    if schema.get("enum").is_some() {
        return texts("enum").collect::<Vec<_>>().join(" | ");
    }

    // A map with required keys is written with these, each with its own form.
    let required: Vec<String> = texts("required")
        .map(|key| {
            format!(
                "{key}: {}",
                schema
                    .pointer(&format!("/properties/{key}"))
                    .map_or("…".to_owned(), form)
            )
        })
        .collect();

    match schema.get("type").and_then(Value::as_str) {
        _ if !required.is_empty() => format!("{{{}}}", required.join(", ")),
        Some("object") => "{…: …}".to_owned(),
        _ => "…".to_owned(),
    }
}

/// The part of the schema that holds the violated keyword.
pub(super) fn holder<'s>(error: &ValidationError, schema: &'s Value) -> Option<&'s Value> {
    let path = error.schema_path().as_str();
    let (parent, _) = path.rsplit_once('/')?;
    schema.pointer(parent)
}

/// The keys that are known at the place of a violation, each with its schema.
pub(super) fn properties<'s>(
    error: &ValidationError,
    schema: &'s Value,
) -> Option<&'s Map<String, Value>> {
    holder(error, schema)?.get("properties")?.as_object()
}
