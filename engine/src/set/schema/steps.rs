//! The schemas of the steps of a method and of the fields of its answer, from their tables.

use serde_json::{Map, Value, json};

use crate::law::answer::{FORMS, FieldForm, Form, IF_APPLIED, ONLY, RowKey};
use crate::law::step::{ANNOTATIONS, CallDay};
use crate::law::{KINDS, KeyForm, Kind, MODIFIERS, StepKey};

use super::forms::{NAME, closed, one_of, properties, scalar, text};

/// A key of a kind of step.
fn step_key_schema(key: &StepKey) -> Value {
    match key.form {
        KeyForm::Formula | KeyForm::Formulas => scalar(key.help.en),
        KeyForm::Figure | KeyForm::Input | KeyForm::Folder | KeyForm::Field => text(key.help.en),
        KeyForm::Given => given_schema(key.help.en),
        KeyForm::Day => one_of(&CallDay::WORDS.map(|(word, _)| word), key.help.en),
        KeyForm::Period => one_of(&["month", "year", "none"], key.help.en),
        KeyForm::Rounding => scalar(key.help.en),
    }
}

/// The formulas that are given to another folder, by input.
fn given_schema(help: &str) -> Value {
    json!({
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": NAME},
        "additionalProperties": {"type": ["string", "number", "boolean"]},
        "description": help
    })
}

/// The keys of a step of a kind, with those that every step may have.
fn kind_schema(kind: &Kind) -> Value {
    let mut entries = Map::new();
    entries.insert(kind.name.to_owned(), scalar(kind.help.en));
    for key in kind.keys {
        entries.insert(key.name.to_owned(), step_key_schema(key));
    }
    entries.extend(
        MODIFIERS
            .iter()
            .map(|modifier| (modifier.name.to_owned(), scalar(modifier.help))),
    );
    entries.extend(ANNOTATIONS.map(|(name, help)| (name.to_owned(), text(help))));

    json!({"properties": entries, "additionalProperties": false})
}

/// A step: a formula, or a map whose first key is the kind of step.
pub(super) fn step_schema() -> Value {
    // A condition for each kind: with alternatives (`oneOf`), a mistake in one of them would be
    // reported as a mistake in all.
    let by_kind = KINDS.iter().map(|kind| {
        json!({
            "if": {"type": "object", "required": [kind.name]},
            "then": kind_schema(kind)
        })
    });
    let kinds: Map<String, Value> = KINDS
        .iter()
        .map(|kind| (kind.name.to_owned(), scalar(kind.help.en)))
        .collect();

    json!({
        "type": ["string", "number", "boolean", "object"],
        "minProperties": 1,
        "properties": kinds,
        "allOf": by_kind.collect::<Vec<_>>(),
        "description": "a formula, or a map whose first key is the kind of step"
    })
}

/// The key of a form of field: a scalar, or rows.
fn form_schema(form: &FieldForm) -> Value {
    let help = (form.help)();
    if form.rows.is_empty() {
        return scalar(&help);
    }

    let schema = |key: &RowKey| {
        if key.is_flag {
            one_of(&["true"], key.help)
        } else {
            text(key.help)
        }
    };
    let keys = form
        .rows
        .iter()
        .map(|key| (key.name.to_owned(), schema(key)))
        .collect();

    json!({"type": "array", "minItems": 1, "items": closed(keys, &[]), "description": help})
}

/// A field of the answer: a formula, or a map.
pub(super) fn field_schema() -> Value {
    let mut entries: Map<String, Value> = FORMS
        .iter()
        .map(|form| (form.name.to_owned(), form_schema(form)))
        .collect();
    entries.extend(properties([
        (
            "as",
            one_of(
                &Form::WORDS.map(|(word, _)| word),
                "percent: times 100; text: a number as text; rate: a number that is a fraction, \
                 which people read in percent",
            ),
        ),
        (
            "round",
            scalar("unit to which the value is rounded for show"),
        ),
        ("by", scalar("values of the first keys of the rows to list")),
        (
            IF_APPLIED,
            text(
                "of the lines, separated by `;`: those that are left out where their step does not \
                 apply",
            ),
        ),
        (
            ONLY,
            scalar("of the items of a group: the condition of those that are listed"),
        ),
        ("when", scalar("false: no such field")),
        ("label", text("what the field is, in French")),
    ]));

    // Only fields that list rows or items have keys of their own, the members that they give to each.
    let with_members: Vec<Value> = FORMS
        .iter()
        .filter(|form| form.has_members)
        .map(|form| json!({"required": [form.name]}))
        .collect();
    let closed = json!({
        "if": {"type": "object", "not": {"anyOf": with_members}},
        "then": {"propertyNames": {"enum": entries.keys().collect::<Vec<_>>()}}
    });
    json!({
        "type": ["string", "number", "boolean", "object"],
        "minProperties": 1,
        "properties": entries,
        "additionalProperties": {
            "type": ["string", "number", "boolean", "object"],
            "properties": properties([
                ("value", scalar("the formula of the member")),
                ("label", text("what the member is, in French")),
            ]),
            "required": ["value"],
            "additionalProperties": false
        },
        "allOf": [closed],
        "description": "a formula, or what the field shows"
    })
}
