//! Endpoints that go on from the answer of another one, such as the income tax of a household after
//! the turnover of a micro-entrepreneur.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::run::Folder;
use crate::set::schema::forms::{closed, properties, text};
use crate::text::{Node, Place, PlacedText, Problem, Report};

use super::found_by::{check_filled, folders_of};
use super::read::strings;
use super::{Endpoint, Service};

/// An endpoint that goes on from an answer: a page has a button to it, with what it is given.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases()
/// #     .load_service(root).rules.ok_or("errors")?;
/// let mut endpoints = rules.service().endpoints.iter();
/// let micro = endpoints.find(|endpoint| endpoint.name == "micro-entreprise").ok_or("not served")?;
/// let tax = micro.leads_to.first().ok_or("leads nowhere")?;
/// assert_eq!((tax.endpoint.as_str(), tax.given.len()), ("foyer", 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct LeadsTo {
    /// The endpoint, of one folder.
    pub endpoint: String,
    /// Words of the button that leads there, in French.
    pub label: String,
    /// The values that inputs of this endpoint must have.
    pub only_if: Vec<(String, String)>,
    /// Inputs that the other endpoint has too, and takes the values of.
    pub same: Vec<String>,
    /// Inputs of the other endpoint, each with the field of this one's answer that it is given.
    pub given: Vec<(String, String)>,
    place: Place,
}

impl LeadsTo {
    /// Those of an endpoint.
    pub(super) fn read_all(endpoint: &Node) -> Vec<Self> {
        let entries = endpoint.entries_of("leads_to").iter();
        entries.map(Self::read).collect()
    }

    fn read((name, node): &(PlacedText, Node)) -> Self {
        let pairs = |key: &str| {
            let entries = node.entries_of(key).iter();
            let pair = |(name, value): &(PlacedText, Node)| {
                Some((name.value.clone(), value.text()?.value.clone()))
            };
            entries.filter_map(pair).collect()
        };

        Self {
            endpoint: node.string_of("endpoint").unwrap_or_default(),
            label: node.string_of("label").unwrap_or_default(),
            only_if: pairs("only_if"),
            same: strings(node, "same"),
            given: pairs("given"),
            place: name.place.clone(),
        }
    }
}

/// Schema of the endpoints that go on from an answer.
pub(super) fn schema() -> Value {
    let only_if = json!({
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {"type": ["string", "number", "boolean"]},
        "description": "the button is there only where these inputs have these values: \
            a map from input to value",
    });
    let given = json!({
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {"type": "string", "minLength": 1},
        "description": "what that endpoint is given of the answer: \
            a map from its inputs to fields of this one",
    });
    let entry = closed(
        properties([
            ("endpoint", text("the endpoint that goes on, of one folder")),
            (
                "label",
                text("words of the button that leads there, in French"),
            ),
            ("only_if", only_if),
            (
                "same",
                text(
                    "inputs that both have, whose values go along, separated by `;`; \
                     without a value that the other one takes, there is no button",
                ),
            ),
            ("given", given),
        ]),
        &["endpoint", "label", "given"],
    );
    json!({
        "type": "object",
        "minProperties": 1,
        "additionalProperties": entry,
        "description": "endpoints that go on from the answer: a map from a name to each of them",
    })
}

/// Checks that each of these endpoints exists, and has one folder.
pub(super) fn check_endpoints(service: &Service, report: &mut Report) {
    let known = service.of_one_folder();

    let all = service.endpoints.iter();
    for lead in all.flat_map(|endpoint| &endpoint.leads_to) {
        if !known.contains(&lead.endpoint.as_str()) {
            let known = known.iter().copied();
            let unknown = Problem::unknown_endpoint(&lead.endpoint, known);
            report.error(&lead.place, unknown);
        }
    }
}

/// Checks that both endpoints have the inputs and the fields that are named.
pub(super) fn check_leads_to(
    service: &Service,
    folders: &BTreeMap<String, Arc<Folder>>,
    report: &mut Report,
) {
    for endpoint in &service.endpoints {
        for lead in &endpoint.leads_to {
            let mut others = service.endpoints.iter();
            let other = others.find(|other| other.name == lead.endpoint);
            // A folder with errors is absent, which is reported with them.
            let Some((other, folder)) =
                other.and_then(|other| Some((other, folders.get(&other.folder)?)))
            else {
                continue;
            };

            for (_, own) in folders_of(endpoint, folders) {
                check_values(endpoint, own, lead, report);
                for (endpoint, folder) in [(endpoint, own), (other, &**folder)] {
                    check_same(endpoint, folder, lead, report);
                }
                let (ours, theirs) = ((&*endpoint.name, own), (&*other.name, &**folder));
                for (input, field) in &lead.given {
                    check_filled(theirs, input, ours, [field.as_str()], &lead.place, report);
                }
            }
        }
    }
}

/// Checks that a value which an input must have is one that it takes.
fn check_values(endpoint: &Endpoint, folder: &Folder, lead: &LeadsTo, report: &mut Report) {
    let inputs = folder.inputs();
    let takes = |name: &str, value: &str| {
        let mut all = inputs.iter();
        all.any(|input| input.name == name && input.parse(value).is_ok())
    };
    let missing = lead.only_if.iter();
    for (name, _) in missing.filter(|(name, value)| !takes(name, value)) {
        let (endpoint, name) = (endpoint.name.clone(), name.clone());
        let problem = Problem::EndpointWithoutInput { endpoint, name };
        report.error(&lead.place, problem);
    }
}

/// Checks that an endpoint has the inputs whose values go along.
fn check_same(endpoint: &Endpoint, folder: &Folder, lead: &LeadsTo, report: &mut Report) {
    let inputs = folder.inputs();
    let has = |name: &str| inputs.iter().any(|input| input.name == name);
    for name in lead.same.iter().filter(|name| !has(name)) {
        let (endpoint, name) = (endpoint.name.clone(), name.clone());
        let problem = Problem::EndpointWithoutInput { endpoint, name };
        report.error(&lead.place, problem);
    }
}
