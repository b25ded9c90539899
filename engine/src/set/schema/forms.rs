//! Building blocks of the schemas: texts, amounts, rates, dates, closed maps.
//!
//! A scalar of a rule file is read as its text. An editor takes `1200` for a number and `true` for
//! a boolean where the engine reads texts: each schema accepts both. `x-form` describes the form in
//! words, in French and English, for the messages.

use serde_json::{Map, Value, json};

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";
pub(crate) const NAME: &str = "^[a-z][a-z0-9_]*$";
const DATE: &str = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$";
/// Digits by thousands, or in one piece, or a fraction.
const AMOUNT: &str = concat!(
    r"^-?[0-9]{1,3}([ \u00a0\u202f][0-9]{3})+(\.[0-9]+)?$",
    r"|^-?[0-9]+(\.[0-9]+)?$",
    r"|^-?[0-9][0-9 \u00a0\u202f.]* */ *[0-9][0-9 \u00a0\u202f.]*$"
);
/// A percentage, or a fraction, or zero.
const RATE: &str = concat!(
    r"^-?[0-9][0-9 \u00a0\u202f]*(\.[0-9]+)?[ \u00a0\u202f]?%$",
    r"|^-?[0-9][0-9 \u00a0\u202f.]* */ *[0-9][0-9 \u00a0\u202f.]*$",
    r"|^-?0(\.0+)?$"
);

/// Marks a key whose value is the path of the folder that the file is in.
pub(crate) const PATH_OF_FOLDER: &str = "x-path-of-folder";

/// A schema with a description.
pub(crate) fn described(mut schema: Value, help: &str) -> Value {
    if let Value::Object(members) = &mut schema {
        members.insert("description".to_owned(), help.into());
    }
    schema
}

pub(crate) fn scalar(help: &str) -> Value {
    json!({"type": ["string", "number", "boolean"], "description": help})
}

pub(crate) fn text(help: &str) -> Value {
    json!({"type": "string", "minLength": 1, "description": help})
}

pub(crate) fn amount(help: &str) -> Value {
    json!({
        "type": ["string", "number"],
        "pattern": AMOUNT,
        "description": help,
        "x-form": [
            "un montant ou un nombre : `21.50`, `-3`, `1 296 000`, ou une fraction `137/51`",
            "an amount or a number: `21.50`, `-3`, `1 296 000`, or a fraction `137/51`"
        ]
    })
}

pub(crate) fn rate(help: &str) -> Value {
    // An editor reads a bare `0` as a number, and everything else as a text.
    json!({
        "anyOf": [{"const": 0}, {"type": "string", "pattern": RATE}],
        "description": help,
        "x-form": ["un taux : `6.3%`, une fraction, ou `0`", "a rate: `6.3%`, a fraction, or `0`"]
    })
}

pub(crate) fn date(help: &str) -> Value {
    json!({
        "type": "string",
        "pattern": DATE,
        "description": help,
        "x-form": ["une date, `2026-01-31`", "a date, `2026-01-31`"]
    })
}

/// An address of the web.
pub(crate) fn address(help: &str) -> Value {
    json!({
        "type": "string",
        "pattern": "^https?://",
        "description": help,
        "x-form": [
            "une adresse qui commence par https://",
            "an address that starts with https://"
        ]
    })
}

/// The code of a currency.
pub(crate) fn currency(help: &str) -> Value {
    json!({
        "type": "string",
        "pattern": "^[A-Z]{3}$",
        "description": help,
        "x-form": ["trois capitales, comme `EUR`", "three capitals, like `EUR`"]
    })
}

pub(crate) fn boolean(help: &str) -> Value {
    // As an editor reads it, and as the text that the loader gives to the validator.
    json!({"enum": [true, false, "true", "false"], "description": help})
}

pub(crate) fn one_of(words: &[&str], help: &str) -> Value {
    json!({"enum": words, "description": help})
}

/// A map with known keys only.
pub(crate) fn closed(properties: Map<String, Value>, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false
    })
}

/// A map from names to values of the same form.
pub(crate) fn named(inside: Value, help: &str) -> Value {
    json!({
        "type": "object",
        "propertyNames": {"pattern": NAME},
        "additionalProperties": inside,
        "description": help
    })
}

pub(crate) fn properties<const N: usize>(entries: [(&str, Value); N]) -> Map<String, Value> {
    entries
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect()
}

pub(crate) fn format_key() -> Value {
    json!({"const": "bareme/1", "description": "version of the rule language"})
}

pub(crate) fn folder_key() -> Value {
    let help = "the folder that the method is written for, its path from the root of the rules: \
                `salaire-net/sn`";
    json!({"type": "string", "minLength": 1, "description": help, PATH_OF_FOLDER: true})
}

/// The schema of a file.
pub(crate) fn file(title: &str, properties: Map<String, Value>, required: &[&str]) -> Value {
    let mut schema = json!({"$schema": DRAFT, "title": title});
    if let (Value::Object(schema), Value::Object(members)) =
        (&mut schema, closed(properties, required))
    {
        schema.extend(members);
    }

    add_editor_messages(&mut schema, None);
    schema
}

/// Adds to each pattern the message that an editor shows for it: the expected form, in French.
fn add_editor_messages(schema: &mut Value, form: Option<&str>) {
    match schema {
        Value::Object(members) => {
            let own = members
                .get("x-form")
                .and_then(|forms| forms.get(0))
                .and_then(Value::as_str)
                .map(str::to_owned);

            // A pattern inside a choice of forms has the form in words of the whole choice.
            let form = own.as_deref().or(form);
            if let (Some(form), true) = (form, members.contains_key("pattern")) {
                members.insert(
                    "patternErrorMessage".to_owned(),
                    format!("attendu : {form}").into(),
                );
            }

            members
                .values_mut()
                .for_each(|inside| add_editor_messages(inside, form));
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|inside| add_editor_messages(inside, form)),
        _ => {}
    }
}
