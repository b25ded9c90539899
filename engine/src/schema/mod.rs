//! JSON Schemas (2020-12) of the rule files: what an editor completes and what every file is
//! validated against when it is read. They are written from the tables of the language, so that they cannot
//! differ from it; the copies in `schemas/` are for editors, and a test fails when they are stale.

mod cases;
mod forms;
mod method;
mod scale;
mod service;
mod validate;

use std::sync::LazyLock;

use jsonschema::Validator;

use crate::diagnostic::Report;
use crate::yaml::Node;

pub use cases::cases_schema;
pub use method::method_schema;
pub use scale::scale_schema;
pub use service::service_schema;

pub(crate) struct Schema {
    value: serde_json::Value,
    validator: Option<Validator>,
}

pub(crate) static METHOD: LazyLock<Schema> = LazyLock::new(|| Schema::new(method_schema()));
pub(crate) static CASES: LazyLock<Schema> = LazyLock::new(|| Schema::new(cases_schema()));
pub(crate) static SERVICE: LazyLock<Schema> = LazyLock::new(|| Schema::new(service_schema()));

impl Schema {
    /// Compiles a schema. One that does not compile is our bug, and a test compiles them all.
    pub(crate) fn new(value: serde_json::Value) -> Self {
        Self { validator: jsonschema::draft202012::new(&value).ok(), value }
    }

    /// Validates a file against the schema, after its reader, which says more than a schema does: a place
    /// that it has already reported is left alone.
    pub(crate) fn validate(&self, node: &Node, report: &mut Report) {
        if let Some(validator) = &self.validator {
            let mut said = Report::default();
            validate::validate(&self.value, validator, node, &mut said);
            report.extend_new(said);
        }
    }
}
