//! The schema of `service.yaml`.

use serde_json::{Value, json};

use super::forms::{boolean, closed, file, format_key, properties, text};

/// Schema of `service.yaml`.
///
/// Used as [`method_schema`](crate::method_schema).
pub fn service_schema() -> Value {
    let endpoint = closed(
        properties([
            ("title", text("what it computes, in French")),
            ("folder", text("the rule folder that answers")),
            ("family", text("the folder of a family of rule folders")),
            ("by", text("the parameter that selects a folder of the family")),
            ("ignored", text("parameters accepted everywhere, without effect where a method has no such input")),
        ]),
        &["title"],
    );
    let path = json!({"type": "string", "pattern": "^/[a-z0-9/-]+$", "description": "beginning of its paths", "x-form": ["un chemin, comme `/api/v1`", "a path, like `/api/v1`"]});
    let key_prefix = json!({"type": "string", "pattern": "^[a-z]{3}$", "description": "the three letters that its keys begin with",
        "x-form": ["trois lettres minuscules", "three lower case letters"]});
    let variant = closed(
        properties([
            ("title", text("what it is, in French")),
            ("prefix", path),
            ("endpoints", text("its endpoints, separated by `;`")),
            ("key_prefix", key_prefix),
            ("cors", boolean("whether scripts of other sites may read its answers")),
            (
                "plans",
                json!({"type": "object", "minProperties": 1, "additionalProperties": plan_schema(), "description": "the first plan is that of callers without a key"}),
            ),
        ]),
        &["title", "prefix", "endpoints", "key_prefix", "cors", "plans"],
    );
    let entries = properties([
        ("format", format_key()),
        ("title", text("name of the service")),
        (
            "documentation",
            json!({"type": "string", "pattern": "^https?://", "description": "address of its documentation", "x-form": ["une adresse qui commence par https://", "an address that starts with https://"]}),
        ),
        ("attribution", text("what a caller whose plan asks for it shows to its own users, in French")),
        (
            "contact",
            json!({"type": "string", "pattern": "^[^@ ]+@[^@ ]+[.][^@ ]+$", "description": "e-mail address to which callers write", "x-form": ["une adresse électronique", "an e-mail address"]}),
        ),
        ("endpoints", json!({"type": "object", "minProperties": 1, "additionalProperties": endpoint})),
        ("variants", json!({"type": "object", "minProperties": 1, "additionalProperties": variant})),
    ]);
    file("Barème: service", entries, &["format", "title", "documentation", "attribution", "endpoints", "variants"])
}

/// Schema of a plan of a variant.
fn plan_schema() -> Value {
    let calls = json!({"type": ["integer", "string"], "pattern": r"^([0-9]+|[0-9]{1,3}( [0-9]{3})+|unlimited)$",
        "description": "calls a day, or `unlimited`", "x-form": ["un nombre entier, ou `unlimited`", "a whole number, or `unlimited`"]});
    let days = |description: &str| {
        json!({"type": ["integer", "string"], "pattern": "^[1-9][0-9]{0,4}$", "minimum": 1, "maximum": 99_999,
            "description": description, "x-form": ["un nombre de jours, `365`", "a number of days, `365`"]})
    };
    closed(
        properties([
            ("title", text("what it is called")),
            ("price", text("price, in words")),
            ("calls_per_day", calls),
            ("attribution", boolean("whether the caller must credit the service")),
            ("valid_days", days("days for which a key is good; without it a key does not expire")),
            ("unused_days", days("days without a call after which a key ends")),
            ("terms", text("other terms, in French, separated by `;`")),
            (
                "buy",
                json!({"type": "string", "pattern": "^(https?://|mailto:)", "description": "where it is bought", "x-form": ["une adresse qui commence par https:// ou mailto:", "an address that starts with https:// or mailto:"]}),
            ),
            ("payment_price", text("identifier of its price at the payment provider")),
        ]),
        &["title", "price", "calls_per_day", "attribution"],
    )
}
