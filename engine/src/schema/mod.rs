//! JSON Schemas (2020-12) of the rule files: what an editor completes and what every file is held
//! against when it is read. They are written from the tables of the language, so that they cannot
//! differ from it; the copies in `schemas/` are for editors, and a test fails when they are stale.

mod build;
mod validate;

use std::collections::HashMap;

use jsonschema::Validator;

use crate::diagnostic::Report;
use crate::method::Method;
use crate::yaml::Node;

pub use build::{cases_schema, method_schema, scale_schema, service_schema};

/// Compiled schemas, each compiled when it is first needed.
#[derive(Default)]
pub(crate) struct Schemas {
    compiled: HashMap<String, (serde_json::Value, Option<Validator>)>,
}

impl Schemas {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn method(&mut self, node: &Node, report: &mut Report) {
        self.hold("method", method_schema, node, report);
    }

    pub(crate) fn cases(&mut self, node: &Node, report: &mut Report) {
        self.hold("cases", cases_schema, node, report);
    }

    pub(crate) fn service(&mut self, node: &Node, report: &mut Report) {
        self.hold("service", service_schema, node, report);
    }

    /// The schema of a dated file follows from its method.
    pub(crate) fn scale(&mut self, method: &Method, node: &Node, report: &mut Report) {
        let name = method.place.file().path().to_owned();
        self.hold(&name, || scale_schema(method), node, report);
    }

    /// The readers say more than a schema does: what they have already told at a place stands.
    fn hold(&mut self, name: &str, schema: impl Fn() -> serde_json::Value, node: &Node, report: &mut Report) {
        if !self.compiled.contains_key(name) {
            // A schema that does not compile is our bug: a test compiles them all.
            let schema = schema();
            let validator = jsonschema::draft202012::new(&schema).ok();
            self.compiled.insert(name.to_owned(), (schema, validator));
        }
        if let Some((schema, Some(validator))) = self.compiled.get(name) {
            let mut said = Report::default();
            validate::hold(schema, validator, node, &mut said);
            report.extend_new(said);
        }
    }
}
