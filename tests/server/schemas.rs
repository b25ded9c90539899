//! The schemas and the names of the description: what generators of clients make of them is typed,
//! and nothing collides.

use std::collections::BTreeSet;

use harness::Server;
use serde_json::Value;

use crate::description::described;

/// Goes through every object of a document.
fn visit(value: &Value, seen: &mut dyn FnMut(&serde_json::Map<String, Value>)) {
    match value {
        Value::Object(members) => {
            seen(members);
            members.values().for_each(|member| visit(member, seen));
        }
        Value::Array(items) => items.iter().for_each(|item| visit(item, seen)),
        _ => {}
    }
}

#[test]
fn descriptions_are_short_and_schemas_say_their_types() {
    let document = described(&Server::start());
    visit(&document, &mut |members| {
        if let Some(text) = members.get("description").and_then(Value::as_str) {
            assert!(
                text.chars().count() < 500,
                "{} characters: {text}",
                text.chars().count()
            );
        }
        for schema in ["schema", "items", "additionalProperties"]
            .iter()
            .filter_map(|name| members.get(*name))
        {
            assert!(
                ["type", "$ref", "anyOf", "oneOf"]
                    .iter()
                    .any(|name| schema.get(*name).is_some()),
                "{schema} in {members:?}"
            );
        }
    });
    let step = &document["components"]["schemas"]["Etape"]["properties"];
    assert_eq!(
        step["operandes"]["additionalProperties"]["$ref"],
        "#/components/schemas/ValeurSimple"
    );
    assert_eq!(step["resultat"]["anyOf"].as_array().unwrap().len(), 2);
}

/// Generators make types of schemas, of operations (`IrData`, `IrResponse`, `IrParams`) and of
/// parameters with words (`IrSituation`).
#[test]
fn names_are_ascii_words_that_no_generator_confuses() {
    let document = described(&Server::start());
    let mut names: Vec<String> = document["components"]["schemas"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    for name in &names {
        let is_word = name.starts_with(|first: char| first.is_ascii_uppercase())
            && name.chars().all(|sign| sign.is_ascii_alphanumeric());
        assert!(is_word, "{name}");
    }
    let operations = document["paths"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|path| path.as_object().unwrap().values());
    for operation in operations {
        let id = operation["operationId"].as_str().unwrap();
        let plain = |text: &str| {
            text.chars()
                .filter(char::is_ascii_alphanumeric)
                .collect::<String>()
        };
        names.push(plain(id));
        names.extend(
            [
                "Data",
                "Params",
                "Response",
                "Responses",
                "Error",
                "Errors",
                "Body",
            ]
            .map(|end| plain(id) + end),
        );
        let parameters = operation["parameters"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        let listed = parameters
            .iter()
            .filter(|parameter| parameter["schema"]["enum"].is_array());
        names.extend(
            listed.map(|parameter| plain(id) + &plain(parameter["name"].as_str().unwrap())),
        );
    }
    let mut known = BTreeSet::new();
    for name in names {
        assert!(known.insert(name.to_lowercase()), "{name} twice");
    }
    visit(&document["components"], &mut |members| {
        // As a keyword: a property may be called so.
        let title = members
            .get("title")
            .and_then(Value::as_str)
            .filter(|_| members.contains_key("type"));
        assert!(
            title.is_none_or(str::is_ascii) || members.contains_key("status"),
            "{members:?}"
        );
    });
}

#[test]
fn every_reference_leads_somewhere() {
    fn check(document: &Value, value: &Value) {
        match value {
            Value::Object(members) => {
                if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
                    let pointer = reference.strip_prefix('#').unwrap();
                    assert!(
                        document.pointer(pointer).is_some(),
                        "{reference} leads nowhere"
                    );
                }
                members.values().for_each(|member| check(document, member));
            }
            Value::Array(items) => items.iter().for_each(|item| check(document, item)),
            _ => {}
        }
    }
    let document = described(&Server::start());
    check(&document, &document);
}
