//! Names in the OpenAPI document, made of ASCII letters and digits, which are valid names in every
//! programming language. Schemas of answers have a suffix that operations do not have, so that all
//! names are distinct.

use bareme_engine::service::Endpoint;
use serde_json::{Value, json};
use unicode_normalization::UnicodeNormalization as _;

use crate::calls::called_calculation::CalledCalculation;

const SCHEMAS: &str = "#/components/schemas/";

/// Name of the schema of an answer: `SalaireNetCiReponse`.
pub(super) fn answer(called: CalledCalculation) -> String {
    format!("{}Reponse", pascal(&called.path()))
}

/// Name of the schema of a row of a batch: `SalaireNetCiLigne`.
pub(super) fn row(called: CalledCalculation) -> String {
    format!("{}Ligne", pascal(&called.path()))
}

/// Name of the operation of a calculation: `salaire_net_ci`.
pub(super) fn operation(called: CalledCalculation) -> String {
    snake(&called.path())
}

/// Suffix of the names of other operations on an endpoint.
pub(super) fn suffix(endpoint: &Endpoint) -> String {
    format!("_{}", snake(&endpoint.name))
}

/// A reference to a schema.
pub(super) fn schema(name: &str) -> Value {
    json!({"$ref": reference(name)})
}

/// The reference to a schema within the document.
pub(super) fn reference(name: &str) -> String {
    format!("{SCHEMAS}{name}")
}

/// Names of the schemas that a part of the document refers to.
pub(super) fn referred(part: &Value) -> Vec<String> {
    match part {
        Value::Object(members) => {
            // A reference has no other member beside it, but an object may have both below it.
            let own = members
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|at| at.strip_prefix(SCHEMAS));
            own.map(str::to_owned)
                .into_iter()
                .chain(members.values().flat_map(referred))
                .collect()
        }
        Value::Array(items) => items.iter().flat_map(referred).collect(),
        _ => Vec::new(),
    }
}

/// A title without accents.
pub(super) fn ascii(text: &str) -> String {
    text.nfd().filter(char::is_ascii).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|sign: char| !sign.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
}

fn snake(text: &str) -> String {
    words(text).collect::<Vec<_>>().join("_")
}

fn pascal(text: &str) -> String {
    let capital = |word: &str| {
        let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
        format!("{}{rest}", first.to_ascii_uppercase())
    };
    words(text).map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_ascii_words() {
        assert_eq!(pascal("salaire-net/ci"), "SalaireNetCi");
        assert_eq!(snake("salaire-net/ci"), "salaire_net_ci");
        assert_eq!(pascal("is"), "Is");
        let part = json!({
            "a": [schema("Ir"), {"b": schema("Tva")}], "$ref": "#/components/responses/erreur400",
        });
        assert_eq!(referred(&part), ["Ir", "Tva"]);
        assert_eq!(ascii("Barème : Côte d'Ivoire"), "Bareme : Cote d'Ivoire");
    }
}
