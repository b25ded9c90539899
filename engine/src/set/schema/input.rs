//! The schemas of what a query sends, and of what is checked of it.

use serde_json::{Value, json};

use crate::law::input::{MONTHS, UNIT};

use super::forms::{NAME, boolean, closed, one_of, properties, scalar, text};

/// An input of `inputs`: its type, bounds, values and texts.
pub(super) fn input_schema() -> Value {
    let types = [
        "money", "rate", "number", "integer", "choice", "boolean", "date", "text",
    ];
    let words = json!({
        "type": ["string", "object"],
        "description": "values of a choice: `one; two`, or a map value: label",
        "propertyNames": {"pattern": NAME},
        "additionalProperties": {"type": "string", "minLength": 1}
    });
    let aliases = json!({
        "type": "object",
        "description": "other names of the values: a map alias: value",
        "additionalProperties": {"type": "string", "minLength": 1}
    });

    closed(
        properties([
            ("type", one_of(&types, "type of the value")),
            (
                "per",
                one_of(&["month", "year"], "period of an amount; absent: none"),
            ),
            ("required", boolean("the caller must send it")),
            (
                "optional",
                boolean("the caller may leave it out: formulas read it under `given(…)`"),
            ),
            (
                "default",
                scalar(
                    "value when it is left out: a literal, or a formula on the inputs above and \
                     on figures",
                ),
            ),
            ("min", scalar("least value")),
            ("max", scalar("greatest value")),
            (
                "step",
                scalar("values are multiples of it, counted from `min`"),
            ),
            (
                "decimals",
                scalar("most decimals of an amount; more are refused"),
            ),
            (
                "round",
                scalar("unit to which an amount is rounded on entry, half up"),
            ),
            (
                UNIT,
                one_of(&[MONTHS], "unit of a number: pages take it in years too"),
            ),
            ("values", words),
            ("aliases", aliases),
            (
                "words",
                text("words accepted instead of a rate, separated by `;`"),
            ),
            (
                "group",
                text("the group of whose items it has a value each: `part=0.5;0.5`"),
            ),
            (
                "shared",
                boolean("one value sent holds for all items of the group"),
            ),
            ("label", text("what it is, in French")),
            ("help", text("more about it, in French")),
        ]),
        &["type", "label"],
    )
}

/// A group of `groups`: what its items are called, and how many a query may send.
pub(super) fn group_schema() -> Value {
    let count = |help: &str| {
        json!({
            "type": ["string", "integer"],
            "pattern": "^[0-9]{1,3}$",
            "description": help,
            "x-form": ["un nombre entier d’éléments", "a whole number of items"]
        })
    };
    closed(
        properties([
            ("label", text("what its items are, in French: `Héritiers`")),
            ("item", text("what one of them is, in French: `Héritier`")),
            ("least", count("fewest items of a query (0)")),
            ("most", count("most items of a query")),
        ]),
        &["label", "item", "most"],
    )
}

/// An entry of `checks`: a refusal or a warning, with its condition.
pub(super) fn check_schema() -> Value {
    let code = json!({
        "type": "string",
        "pattern": NAME,
        "description": "what programs compare of a warning: it stays the same when the sentence \
                        changes",
        "x-form": [
            "un nom : des minuscules sans accent, des chiffres et `_`, en commençant par une \
             lettre",
            "a name: lower case without accents, digits and `_`, starting with a letter"
        ]
    });

    closed(
        properties([
            ("if", scalar("the condition")),
            (
                "refuse",
                text("answer 400 with this French sentence, naming `input`"),
            ),
            (
                "warn",
                text(
                    "add this French sentence to the warnings of the answer, with `code`; \
                     between braces it shows an amount of the figures, `{minimum.montant}`",
                ),
            ),
            ("code", code),
            (
                "input",
                text("the input that is refused, or that the warning is about"),
            ),
        ]),
        &["if"],
    )
}
