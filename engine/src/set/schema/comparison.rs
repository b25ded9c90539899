//! The schema of what pages show of an answer besides its headlines: alternatives, advances.

use serde_json::{Value, json};

use super::forms::{NAME, amount, closed, described, named, properties, text};
use super::method::assumed_schema;

pub(super) fn compare_schema() -> Value {
    let alternative = closed(
        properties([
            ("label", text("what it is called, in French")),
            (
                "name",
                text("its name in a sentence, with its article: `l’EURL`"),
            ),
            ("field", text("the amount by which it is compared")),
            ("when", text("the field that says whether it may be chosen")),
            (
                "values",
                named(
                    text("fields, separated by `;`, whose sum the column shows"),
                    "the other columns: a map column: fields",
                ),
            ),
            (
                "calculations",
                text("the steps, separated by `;`, that calculate it in other folders"),
            ),
            ("assume", assumed_schema()),
        ]),
        &["label", "name", "field"],
    );
    let alternatives = json!({
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": NAME},
        "additionalProperties": alternative,
        "description": "the alternatives, each by the word that `best` has for it",
    });

    let entries = properties([
        ("over", text("the amount that drives all of them")),
        (
            "until",
            amount("the amount up to which they are drawn at least"),
        ),
        ("label", text("what they are compared by, in French")),
        (
            "of",
            text("what the amount is, after its number in a sentence: `de chiffre d’affaires`"),
        ),
        (
            "more",
            text("what one does more than another, in French: `laisse plus que`"),
        ),
        (
            "best",
            text("the field with the word of the best one; an answer without it names none"),
        ),
        (
            "columns",
            named(
                text("the heading, in French"),
                "the other columns of the table",
            ),
        ),
        ("alternatives", alternatives),
    ]);
    described(
        closed(entries, &["over", "label", "of", "more", "alternatives"]),
        "alternatives side by side, and the amounts at which another one is best",
    )
}

pub(super) fn advances_schema() -> Value {
    let first = closed(
        properties([
            ("field", text("the amount of these advances")),
            ("label", text("what they are, in French")),
            ("assume", assumed_schema()),
        ]),
        &["field", "label"],
    );
    let entries = properties([
        ("field", text("the amount of the year that is settled")),
        (
            "over",
            text("the amount from which advances are computed, of an earlier year"),
        ),
        ("label", text("what that earlier amount is, in French")),
        ("called", text("how advances are paid, in French")),
        ("settled", text("how the year is settled, in French")),
        (
            "first",
            described(first, "the advances of whoever has no earlier year"),
        ),
    ]);
    described(
        closed(entries, &["field", "over", "label", "called", "settled"]),
        "what is paid in advance of an amount that is settled after the year",
    )
}
