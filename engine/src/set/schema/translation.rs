//! The schema of `en.yaml`.

use serde_json::{Value, json};

use super::forms::{closed, file, format_key, properties, text};

/// Schema of `en.yaml`.
///
/// Used as [`method_schema`](crate::set::method_schema).
pub fn translation_schema() -> Value {
    let pair = closed(
        properties([
            (
                "fr",
                text("a text of the files beside, exactly as it is there"),
            ),
            (
                "en",
                text("what it is in English, with the same amounts of the law between braces"),
            ),
        ]),
        &["fr", "en"],
    );

    let entries = properties([
        ("format", format_key()),
        (
            "texts",
            json!({"type": "array", "minItems": 1, "items": pair}),
        ),
    ]);
    file("Barème: texts in English", entries, &["format", "texts"])
}
