//! The schema of what the page of a method shows: sections, presets, sentence, bar and trials.

use serde_json::{Value, json};

use crate::law::presentation::PERCENT;

use super::forms::{boolean, closed, described, one_of, properties, scalar, text};
use super::method::assumed_schema;

pub(super) fn sections() -> Value {
    let entries = properties([
        ("label", text("title of the section, in French")),
        (
            "ask",
            text("the inputs that it asks for, in order, separated by `;`"),
        ),
        ("open", boolean("true: shown unfolded")),
    ]);
    list(
        closed(entries, &["label", "ask"]),
        "the sections of the questions of the form, in order; an input of none comes after them",
    )
}

pub(super) fn presets() -> Value {
    let sent = described(
        assumed_schema(),
        "the inputs that it sends: a map input: value",
    );
    let entries = properties([("label", text("the situation, in French")), ("send", sent)]);
    list(
        closed(entries, &["label", "send"]),
        "usual situations, each a button of the page",
    )
}

pub(super) fn sentence() -> Value {
    let entries = properties([
        ("field", text("the field whose sign chooses the text")),
        (
            "positive",
            text("where it is above zero, in French; `{field}` shows a field of the answer"),
        ),
        ("zero", text("where it is zero, in French")),
        (
            "negative",
            text("where it is below zero, in French; amounts are shown without their sign"),
        ),
    ]);
    let mut part = closed(entries, &["field"]);
    // A field without any text is a slip of the hand.
    if let Value::Object(part) = &mut part {
        part.insert("minProperties".to_owned(), 2.into());
    }
    list(
        part,
        "the answer as a sentence: parts that follow each other, each by the sign of a field; one \
         whose fields the answer lacks is left out",
    )
}

pub(super) fn bar() -> Value {
    let entries = properties([
        ("whole", text("the field of the whole amount")),
        (
            "rest",
            text("what is left of it after the fields, in French"),
        ),
        (
            "fields",
            text("the fields that are taken of it, in order, separated by `;`"),
        ),
    ]);
    described(
        closed(entries, &["whole", "rest", "fields"]),
        "a bar of where an amount went",
    )
}

pub(super) fn trials() -> Value {
    let entries = properties([
        ("label", text("what is more, in French")),
        ("input", text("the input that it is added to")),
        ("more", scalar("how much more")),
        (
            "as",
            one_of(
                &[PERCENT],
                "percent: the effect is always shown, as a share of what is added; without it, by a \
                 button",
            ),
        ),
    ]);
    list(
        closed(entries, &["label", "input", "more"]),
        "changes of the question whose effect on the headline fields is computed",
    )
}

fn list(entry: Value, help: &str) -> Value {
    json!({"type": "array", "minItems": 1, "items": entry, "description": help})
}
