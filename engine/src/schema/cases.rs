//! The schema of `cases.yaml`.

use serde_json::{Value, json};

use super::forms::{closed, date, file, format_key, one_of, properties, text};

/// Schema of `cases.yaml`.
pub fn cases_schema() -> Value {
    let values = |help: &str| json!({"type": "object", "additionalProperties": {"type": ["string", "number", "boolean", "null"]}, "description": help});
    let origin = closed(
        properties([
            ("kind", one_of(&["law", "official", "published", "hand"], "where the expected values come from")),
            ("title", text("title of the publication")),
            ("url", text("its address")),
            ("seen", date("day on which it was read")),
            ("note", text("how it was worked out, in French")),
        ]),
        &["kind"],
    );
    let case = closed(
        properties([
            ("name", text("what the case shows, in French")),
            ("date", date("day of the calculation; none for a method without dates")),
            ("given", values("inputs, as they are sent")),
            ("expect", values("fields and their exact values; `tranches.1.montant` enters an array, from 0")),
            ("absent", text("fields that must not be there, separated by `;`")),
            ("refuse", text("the parameter that is refused")),
            ("warns", text("part of a warning")),
            ("origin", origin),
        ]),
        &["name", "given", "origin"],
    );
    let entries =
        properties([("format", format_key()), ("cases", json!({"type": "array", "minItems": 1, "items": case}))]);
    file("Barème: worked cases", entries, &["format", "cases"])
}
