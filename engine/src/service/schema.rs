//! The schema of `service.yaml`.

use serde_json::{Value, json};

use crate::set::schema::SERVICE_KEYS;
use crate::set::schema::forms::{
    address, boolean, closed, currency, date, described, file, format_key, properties, text,
};

use super::retirement::{DEPRECATED, SUNSET};
use super::topic::topics_schema;
use super::{found_by, leads_to, not_calculated, question};

/// Key of the headings under which people look for endpoints: of the service, and of each endpoint.
pub(super) const TOPICS: &str = "topics";

/// Schema of `service.yaml`.
///
/// Used as [`method_schema`](crate::set::method_schema).
pub fn service_schema() -> Value {
    let [
        documentation,
        attribution,
        contact,
        embedded_by,
        parities,
        exchange_rates,
        topics,
        endpoints,
        not_calculated,
        variants,
    ] = SERVICE_KEYS;
    let entries = properties([
        ("format", format_key()),
        ("title", text("name of the service")),
        (documentation, address("address of its documentation")),
        (
            attribution,
            text("what a caller whose plan asks for it shows to its own users, in French"),
        ),
        (contact, contact_schema()),
        (embedded_by, origins_schema()),
        (
            parities,
            text(
                "the rule folder of the parities that a law fixes: its first input is a currency, \
                 its first number the units of it for one of its own currency",
            ),
        ),
        (exchange_rates, exchange_schema()),
        (topics, topics_schema()),
        (
            endpoints,
            json!({
                "type": "object",
                "minProperties": 1,
                "additionalProperties": endpoint_schema(),
            }),
        ),
        (not_calculated, not_calculated::schema()),
        (
            variants,
            json!({
                "type": "object",
                "minProperties": 1,
                "additionalProperties": variant_schema(),
            }),
        ),
    ]);
    file(
        "Barème: service",
        entries,
        &[
            "format",
            "title",
            documentation,
            attribution,
            endpoints,
            variants,
        ],
    )
}

/// Schema of the address to which callers write.
fn contact_schema() -> Value {
    json!({
        "type": "string",
        "pattern": "^[^@ ]+@[^@ ]+[.][^@ ]+$",
        "description": "e-mail address to which callers write",
        "x-form": ["une adresse électronique", "an e-mail address"],
    })
}

/// Schema of the sites that may embed the simulators, as origins of the Content-Security-Policy.
fn origins_schema() -> Value {
    json!({
        "type": "string",
        "pattern": concat!(
            r"^(\*|https?://[A-Za-z0-9.*-]+(:[0-9]+)?",
            r"( *; *https?://[A-Za-z0-9.*-]+(:[0-9]+)?)*)$",
        ),
        "description": "sites that may show the simulators within their pages: `*`, \
            or their origins, separated by `;`",
        "x-form": [
            "`*`, ou des origines comme https://www.example.org",
            "`*`, or origins such as https://www.example.org",
        ],
    })
}

fn endpoint_schema() -> Value {
    closed(
        properties([
            ("title", text("what it computes, in French")),
            ("folder", text("the rule folder that answers")),
            ("family", text("the folder of a family of rule folders")),
            (
                "by",
                text("the parameter that selects a folder of the family"),
            ),
            (
                "elsewhere",
                json!({
                    "type": "object",
                    "minProperties": 1,
                    "additionalProperties": {"type": "string", "minLength": 1},
                    "description": "words that no folder of the family answers: \
                        a map word: endpoint that answers them",
                }),
            ),
            (
                DEPRECATED,
                date("the day from which nobody should begin to use it"),
            ),
            (
                SUNSET,
                date(
                    "the first day on which it may no longer answer, \
                     six months after `deprecated` or later",
                ),
            ),
            (
                "ignored",
                text(
                    "parameters accepted everywhere, \
                     without effect where a method has no such input",
                ),
            ),
            (
                TOPICS,
                text("headings under which people look for it, in French, separated by `;`"),
            ),
            (
                "country",
                text("name of its country, in French, where it is in no family of countries"),
            ),
            ("found_by", found_by::schema()),
            ("leads_to", leads_to::schema()),
            ("questions", question::schema()),
            (
                "search",
                text("other words by which it is found, in French, separated by `;`"),
            ),
            (
                "search_of",
                json!({
                    "type": "object",
                    "minProperties": 1,
                    "additionalProperties": {"type": "string", "minLength": 1},
                    "description": "other words by which one folder of the family is found: \
                        a map from its word to them",
                }),
            ),
        ]),
        &["title"],
    )
}

/// Schema of a variant of the API.
fn variant_schema() -> Value {
    let path = json!({
        "type": "string",
        "pattern": "^/[a-z0-9/-]+$",
        "description": "beginning of its paths",
        "x-form": ["un chemin, comme `/api/v1`", "a path, like `/api/v1`"],
    });
    let key_prefix = json!({
        "type": "string",
        "pattern": "^[a-z]{3}$",
        "description": "the three letters that its keys begin with",
        "x-form": ["trois lettres minuscules", "three lower case letters"],
    });

    closed(
        properties([
            ("title", text("what it is, in French")),
            ("prefix", path),
            ("endpoints", text("its endpoints, separated by `;`")),
            ("key_prefix", key_prefix),
            (
                "cors",
                boolean("whether scripts of other sites may read its answers"),
            ),
            (
                DEPRECATED,
                date("the day from which nobody should begin to use it"),
            ),
            (
                SUNSET,
                date(
                    "the first day on which it may no longer answer, \
                     six months after `deprecated` or later",
                ),
            ),
            (
                "plans",
                json!({
                    "type": "object",
                    "minProperties": 1,
                    "additionalProperties": plan_schema(),
                    "description": "the first plan is that of callers without a key",
                }),
            ),
        ]),
        &[
            "title",
            "prefix",
            "endpoints",
            "key_prefix",
            "cors",
            "plans",
        ],
    )
}

/// Schema of the reference rates of exchange.
fn exchange_schema() -> Value {
    // YAML reads `10.72` as a number, and `"10.72"` as a text: both are written by hand.
    let rates = json!({
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": "^[A-Z]{3}$"},
        "additionalProperties": {
            "type": ["number", "string"],
            "pattern": r"^[0-9]+(\.[0-9]+)?$",
            "x-form": ["un nombre, comme `10.72`", "a number, like `10.72`"],
        },
        "description": "units of each currency for one of `currency`",
    });
    let entries = properties([
        ("date", date("the day of the rates")),
        ("publisher", text("who published them, in French")),
        (
            "currency",
            currency("the currency that each rate is for one unit of"),
        ),
        ("rates", rates),
    ]);
    described(
        closed(entries, &["date", "publisher", "currency", "rates"]),
        "rates of exchange that a comparison proposes; without it the visitor gives them",
    )
}

/// Schema of a plan of a variant.
fn plan_schema() -> Value {
    // Numbers may be written by thousands, `10 000`, which YAML reads as a text: bounds are given
    // twice, for a number and by the pattern of a text.
    let calls = |description: &str| {
        json!({
            "type": ["integer", "string"],
            "pattern": r"^([0-9]+|[0-9]{1,3}( [0-9]{3})+|unlimited)$",
            "description": description,
            "x-form": ["un nombre entier, ou `unlimited`", "a whole number, or `unlimited`"],
        })
    };
    let days = |description: &str| {
        json!({
            "type": ["integer", "string"],
            "pattern": "^[1-9][0-9]{0,4}$",
            "minimum": 1,
            "maximum": 99_999,
            "description": description,
            "x-form": ["un nombre de jours, `365`", "a number of days, `365`"],
        })
    };
    let rows = json!({
        "type": ["integer", "string"],
        "pattern": r"^([1-9][0-9]{0,4}|[1-9][0-9]{0,2} [0-9]{3})$",
        "minimum": 1,
        "maximum": 99_999,
        "description": "most rows of a batch; without it as many as the service takes",
        "x-form": ["un nombre de lignes, `1 000`", "a number of rows, `1 000`"],
    });

    closed(
        properties([
            ("title", text("what it is called")),
            ("price", text("price, in words")),
            ("calls_per_day", calls("calls a day, or `unlimited`")),
            (
                "calls_per_address",
                calls(
                    "calls a day of all keys of the plan together from one address; \
                     without it, no ceiling",
                ),
            ),
            ("batch_rows", rows),
            (
                "attribution",
                boolean("whether the caller must credit the service"),
            ),
            (
                "valid_days",
                days("days for which a key is good; without it a key does not expire"),
            ),
            (
                "unused_days",
                days("days without a call after which a key ends"),
            ),
            ("terms", text("other terms, in French, separated by `;`")),
            (
                "buy",
                json!({
                    "type": "string",
                    "pattern": "^(https?://|mailto:)",
                    "description": "where it is bought",
                    "x-form": [
                        "une adresse qui commence par https:// ou mailto:",
                        "an address that starts with https:// or mailto:",
                    ],
                }),
            ),
            (
                "payment_price",
                text("identifier of its price at the payment provider"),
            ),
        ]),
        &["title", "price", "calls_per_day", "attribution"],
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use crate::set::{cases_schema, method_schema, scale_schema};
    use crate::testing::{GROSS, folder};
    use crate::text::yaml::cut_values::{LIST_KEYS, TEXT_KEYS};

    /// Collects the keys of a schema, each with its description.
    fn described(schema: &Value, into: &mut Vec<(String, String)>) {
        for (key, schema) in schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let help = schema
                .get("description")
                .and_then(Value::as_str)
                .unwrap_or_default();
            into.push((key.clone(), help.to_owned()));
        }
        match schema {
            Value::Object(members) => members.values().for_each(|inside| described(inside, into)),
            Value::Array(items) => items.iter().for_each(|inside| described(inside, into)),
            _ => {}
        }
    }

    #[test]
    fn texts_and_lists_between_braces_are_those_of_the_schemas() {
        let option = "options:\n  cadre:\n    figures:\n      g: {v: rate}\n    steps:\n      y: brut * g.v\n    answer:\n      y: y\n";
        let keys = format!(
            "{GROSS}figures:\n  f: {{n: key, v: rate}}\nsteps:\n  x: {{table: f, by: 1}}\nanswer:\n  x: x.v\n{option}"
        );
        let folder = folder(
            &keys,
            "  f: {source: s, rows: [{n: 1, v: 1%}, {v: 2%}]}\n  g: {v: 1%, source: s}",
        );
        let scale = scale_schema(&folder.latest().unwrap().method);
        let mut keys = Vec::new();
        for schema in [
            method_schema(),
            scale,
            cases_schema(),
            super::service_schema(),
        ] {
            described(&schema, &mut keys);
        }
        // The columns of a figure are named by its author.
        let of = |mark: &str| -> BTreeSet<&str> {
            let marked = keys
                .iter()
                .filter(|(key, help)| help.contains(mark) && !["n", "v"].contains(&key.as_str()));
            marked.map(|(key, _)| key.as_str()).collect()
        };
        let all: BTreeSet<&str> = of("");
        for key in TEXT_KEYS.iter().chain(LIST_KEYS) {
            assert!(all.contains(key), "no schema has the key `{key}`");
        }
        for key in of("French") {
            assert!(
                TEXT_KEYS.contains(&key) || LIST_KEYS.contains(&key),
                "`{key}` is a text"
            );
        }
        for key in of("separated by `;`") {
            assert!(LIST_KEYS.contains(&key), "`{key}` is a list");
        }
    }
}
