//! The schema of `cases.yaml`.

use serde_json::{Value, json};

use crate::set::cases::{BEFORE, CASE_SCALE, CASE_YEAR, COMPUTED};

use super::forms::{closed, date, described, file, format_key, one_of, properties, scalar, text};

/// Schema of `cases.yaml`.
///
/// Used as [`method_schema`](crate::set::method_schema).
pub fn cases_schema() -> Value {
    let case = closed(
        properties([
            ("name", text("what the case shows, in French")),
            (
                "date",
                date("day of the calculation; none for a method without dates"),
            ),
            (
                CASE_YEAR,
                scalar(
                    "a year of pays, `2026`, in place of the date: an input that differs from \
                     month to month is a list, `2600; 2600; 3000`, and `mois.4.net` is a field of \
                     its fifth month",
                ),
            ),
            (
                CASE_SCALE,
                date("first day of the scale that the case is of; only a case of a draft needs it"),
            ),
            ("given", values("inputs, as they are sent")),
            (
                "expect",
                values(
                    "fields and their exact values; `tranches.1.montant` enters an array, from 0",
                ),
            ),
            (
                "absent",
                text("fields that must not be there, separated by `;`"),
            ),
            ("refuse", text("the parameter that is refused")),
            ("warns", text("part of a warning")),
            ("origin", origin_schema()),
        ]),
        &["name", "given", "origin"],
    );

    let entries = properties([
        ("format", format_key()),
        (
            "cases",
            json!({"type": "array", "minItems": 1, "items": case}),
        ),
    ]);
    file("Barème: worked cases", entries, &["format", "cases"])
}

/// Values by name, as a query or an answer has them.
fn values(help: &str) -> Value {
    json!({
        "type": "object",
        "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
        "description": help
    })
}

/// Where expected values come from. A computed case keeps what it expected before the program
/// rewrote it, with an origin that cannot be `computed` in its turn.
fn origin_schema() -> Value {
    let kinds = ["law", "official", "published", "hand"];
    let origin_keys = |kinds: &[&str]| {
        properties([
            (
                "kind",
                one_of(
                    kinds,
                    "where the expected values come from; `computed`: the program itself gave them",
                ),
            ),
            ("title", text("title of the publication")),
            ("url", text("its address")),
            ("seen", date("day on which it was read")),
            ("note", text("how it was worked out, in French")),
        ])
    };
    let before = closed(
        properties([
            (
                "expect",
                values("the fields that have other values now, and what they were"),
            ),
            ("warns", text("part of a warning that no longer comes")),
            ("origin", closed(origin_keys(&kinds), &["kind"])),
        ]),
        &["origin"],
    );
    let mut origin = origin_keys(&[&kinds[..], &[COMPUTED]].concat());
    origin.insert(
        BEFORE.to_owned(),
        described(
            before,
            "what a computed case expected before, and where that came from",
        ),
    );

    closed(origin, &["kind"])
}
