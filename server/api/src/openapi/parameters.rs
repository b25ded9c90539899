//! Parameters of the OpenAPI document.

use bareme_engine::Folder;
use bareme_engine::law::parameter::{Call, FIELDS, GeneralParameter, of_call};
use bareme_engine::law::{Input, Type};
use bareme_show::schema::{self, Member, Parameter};
use serde_json::{Map, Number, Value, json};

use crate::wire::query::value as sent;

/// A query, as pairs of names and values.
type Sent = [(String, String)];

/// The parameters of a folder, with its own types, bounds and words. Those of the example have its
/// values.
pub(super) fn of_folder(folder: &Folder, query: &Sent) -> Vec<Value> {
    let own = schema::of_folder(folder)
        .into_iter()
        .map(|found| described(found, &[folder], query));

    own.chain(of_every_folder(&[folder], query)).collect()
}

/// The parameters of a family, whose folders `by` selects.
pub(super) fn of_family(
    by: &str,
    members: &[Member],
    ignored: &[String],
    query: &Sent,
) -> Vec<Value> {
    // All parameters of all members, with schemas that hold for each of them.
    let folders: Vec<&Folder> = members.iter().map(|(_, folder)| *folder).collect();

    let own = schema::of_family(by, members, ignored)
        .into_iter()
        .map(|found| described(found, &folders, query));

    own.chain(of_every_folder(&folders, query)).collect()
}

/// A parameter of some folders, with its value in the example.
fn described(found: Parameter, folders: &[&Folder], query: &Sent) -> Value {
    // The first folder that has the input decides how its value is read.
    let mut inputs = folders
        .iter()
        .flat_map(|folder| folder.accepted_inputs())
        .filter(|input| input.name == found.name);
    let own = inputs.find_map(|input| example(input, query));

    // The selector is no input: its word is a text.
    let value = own.or_else(|| sent(query, &found.name).map(Value::from));

    parameter(
        &found.name,
        found.is_required,
        &found.description,
        found.schema,
        value,
    )
}

/// The parameters that every folder has besides its inputs.
fn of_every_folder(folders: &[&Folder], query: &Sent) -> Vec<Value> {
    let of_day = schema::of_day(folders).into_iter();

    let others = of_call(Call::Undated)
        .chain(of_call(Call::Kept))
        .filter(is_described)
        .map(|known| schema::general(known, 1));

    of_day
        .chain(others)
        .map(|found| general(found, false, query))
        .collect()
}

/// Whether a parameter of every folder is described: not the one that leaves fields out, since the
/// schema of an answer says which are always there.
pub(super) fn is_described(known: &&GeneralParameter) -> bool {
    known.name != FIELDS
}

/// A parameter of every folder, with its value in the example.
pub(super) fn general(found: Parameter, is_required: bool, query: &Sent) -> Value {
    // A value of a query is a text; the example has the type of the schema.
    let value = sent(query, &found.name).map(|value| {
        match found.schema.get("type").and_then(Value::as_str) {
            Some("boolean") => (value == "true").into(),
            Some("integer") => number(value).unwrap_or_else(|| value.into()),
            _ => Value::from(value),
        }
    });

    parameter(
        &found.name,
        is_required,
        &found.description,
        found.schema,
        value,
    )
}

/// Describes a parameter. An optional one may be sent empty, as by programs that send an example of
/// each: those without an example say so. No schema has a `default`: generated clients would send
/// it even where another folder or another parameter forbids it.
pub(super) fn parameter(
    name: &str,
    required: bool,
    description: &str,
    mut schema: Value,
    example: Option<Value>,
) -> Value {
    let mut parameter = Map::new();
    parameter.insert("name".into(), name.into());
    parameter.insert("in".into(), "query".into());
    parameter.insert("required".into(), required.into());
    parameter.insert("description".into(), description.into());
    // An empty value is an absent one, which a required parameter may not be.
    if !required {
        parameter.insert("allowEmptyValue".into(), true.into());
    }

    if example.is_none() && !required {
        leave_without_example(&mut schema);
    }

    parameter.insert("schema".into(), schema);
    if let Some(example) = example {
        parameter.insert("example".into(), example);
    }
    Value::Object(parameter)
}

/// Says that a schema has no example, nor any of its alternatives: a program that fills requests
/// takes one of those.
fn leave_without_example(schema: &mut Value) {
    let Value::Object(members) = schema else {
        return;
    };

    // An empty list says so; without it, programs make a value up.
    members.insert("examples".into(), json!([]));
    members
        .get_mut("anyOf")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
        .for_each(leave_without_example);
}

/// The value of an input in the example.
pub(super) fn example(input: &Input, query: &Sent) -> Option<Value> {
    // Only parameters of the worked case have an example.
    sent(query, &input.name).map(|value| typed(input, value))
}

/// A value of an input as JSON; the items of a group are a list.
pub(super) fn typed(input: &Input, value: &str) -> Value {
    if input.group.is_some() {
        let items = value.split(';').map(str::trim);
        return items.map(|item| single(input, item)).collect();
    }
    single(input, value)
}

fn single(input: &Input, value: &str) -> Value {
    match input.ty {
        Type::Boolean => (value == "true").into(),
        Type::Choice(_) | Type::Text | Type::Date => value.into(),
        _ => number(value).unwrap_or_else(|| value.into()),
    }
}

/// A number with the digits of its text.
pub(super) fn number(text: &str) -> Option<Value> {
    text.parse::<Number>().ok().map(Value::Number)
}
