//! JSON Schemas (2020-12) of the rule files, used by editors for completion and by the loader for
//! validation. They are generated from the tables of the language, so that they cannot differ from
//! it; the copies in `schemas/` are for editors, and a test fails when they are stale.

mod cases;
mod comparison;
pub(crate) mod forms;
mod input;
mod keys;
mod method;
mod page;
mod scale;
mod steps;
mod translation;
mod validate;

use std::sync::{LazyLock, OnceLock};

use jsonschema::Validator;
use serde_json::Value;

use crate::text::problem::suggestion;
use crate::text::{Content, Node, Problem, Report};

pub use cases::cases_schema;
pub use method::method_schema;
pub use scale::scale_schema;
pub use translation::translation_schema;

/// A schema, as JSON and compiled.
pub(crate) struct Schema {
    value: Value,
    /// Compiled when a file is first checked: a start that trusts needs none.
    validator: OnceLock<Option<Validator>>,
}

pub(crate) static METHOD: LazyLock<Schema> = LazyLock::new(|| Schema::new(method_schema()));
pub(crate) static TRANSLATION: LazyLock<Schema> =
    LazyLock::new(|| Schema::new(translation_schema()));
pub(crate) static CASES: LazyLock<Schema> = LazyLock::new(|| Schema::new(cases_schema()));

/// The sections of `service.yaml`, the file beside the rules. Its schema is elsewhere; these names
/// are here so that one of them in another file is reported with the file where it belongs.
pub(crate) const SERVICE_KEYS: [&str; 10] = [
    "documentation",
    "attribution",
    "contact",
    "embedded_by",
    "parities",
    "exchange_rates",
    "topics",
    "endpoints",
    "not_calculated",
    "variants",
];

impl Schema {
    /// A schema. One that does not compile is a bug of the engine; a test compiles them all.
    pub(crate) fn new(value: Value) -> Self {
        Self {
            validator: OnceLock::new(),
            value,
        }
    }

    /// Reports missing and misspelt sections of a file. Returns whether the file can be checked
    /// further: below such a section everything would look wrong.
    pub(crate) fn check_sections(&self, node: &Node, report: &mut Report) -> bool {
        let of = |key: &str| self.value.get(key);
        let known: Vec<&str> = of("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str())
            .collect();
        let form = |name: &str| {
            self.value
                .pointer(&format!("/properties/{name}/type"))
                .and_then(Value::as_str)
        };
        let is_section = |name: &str| matches!(form(name), Some("object" | "array"));
        let required = of("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        let mut is_whole = true;

        // Unknown names near a section: what is below them is the section that seems to be missing.
        for (key, _) in node
            .entries()
            .iter()
            .filter(|(key, _)| !known.contains(&key.value.as_str()))
        {
            if suggestion(&key.value, known.iter().copied()).is_some_and(is_section) {
                report.error(
                    &key.place,
                    Problem::unknown_key(&key.value, known.iter().copied()),
                );
                is_whole = false;
            }
        }

        // Sections in another shape than a map or a list.
        for (key, value) in node.entries() {
            let problem = match form(&key.value) {
                _ if !is_section(&key.value) => continue,
                Some("object") if matches!(value.content, Content::Map(_)) => continue,
                Some("array") if matches!(value.content, Content::List(_)) => continue,
                _ if matches!(value.content, Content::Empty) => Problem::EmptyValue {
                    key: key.value.clone(),
                },
                expected => validate::expected_shape(expected.into_iter(), value),
            };
            report.error(&key.place, problem);
            is_whole = false;
        }

        // Sections that are not there at all.
        for name in required.filter(|name| is_section(name) && node.get(name).is_none()) {
            if !node.misspells(name, &known) {
                report.error(
                    &node.place,
                    Problem::MissingKey {
                        key: name.to_owned(),
                        form: "…".to_owned(),
                    },
                );
            }
            is_whole = false;
        }

        is_whole
    }

    /// Validates a file against the schema, after its reader, whose messages are more precise: no
    /// place is reported twice.
    pub(crate) fn validate(&self, node: &Node, report: &mut Report) {
        if let Some(validator) = self
            .validator
            .get_or_init(|| jsonschema::draft202012::new(&self.value).ok())
        {
            let mut violations = Report::default();
            validate::validate(&self.value, validator, node, &mut violations);
            report.extend_new(violations);
        }
    }
}
