//! Inputs of an endpoint whose value another endpoint computes, such as the withholding rate of a
//! pay, which follows from the income tax of a household.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::law::{Field, Input, Type};
use crate::run::Folder;
use crate::run::rules::family;
use crate::set::schema::forms::{closed, properties, text};
use crate::text::{Node, Place, PlacedText, Problem, Report};

use super::{Endpoint, Service};

/// An input whose value another endpoint computes: a page leads there and back.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases()
/// #     .load_service(root).rules.ok_or("errors")?;
/// let mut endpoints = rules.service().endpoints.iter();
/// let pay = endpoints.find(|endpoint| endpoint.name == "salaire").ok_or("not served")?;
/// let rate = pay.found_by.first().ok_or("nothing is found elsewhere")?;
/// assert_eq!((rate.input.as_str(), rate.endpoint.as_str()), ("taux_pas", "foyer"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct FoundBy {
    /// The input.
    pub input: String,
    /// The endpoint that computes its value.
    pub endpoint: String,
    /// The word of the folder of that endpoint, where it is of a family; by default the word of the
    /// question itself.
    pub word: Option<String>,
    /// The fields of that endpoint's answer which it may be.
    pub fields: Vec<String>,
    /// Words of the button that leads there, in French.
    pub label: String,
    /// Inputs of that endpoint, each with the field of this one's answer that it is given.
    pub given: Vec<(String, String)>,
    /// The field of that endpoint's answer with the hours that a month of full time has: an amount
    /// of an hour is then asked for too, in those folders of a family that have it.
    pub hours: Option<String>,
    /// The input of this endpoint with the part of full time that is worked.
    pub part_time: Option<String>,
    place: Place,
}

impl FoundBy {
    /// Those of an endpoint.
    pub(super) fn read_all(endpoint: &Node) -> Vec<Self> {
        let entries = endpoint.entries_of("found_by").iter();
        entries.map(Self::read).collect()
    }

    fn read((input, node): &(PlacedText, Node)) -> Self {
        let fields = node.list_of("fields").into_iter();
        let given = node.entries_of("given").iter();
        let given = given
            .filter_map(|(input, field)| Some((input.value.clone(), field.text()?.value.clone())));

        Self {
            input: input.value.clone(),
            endpoint: node.string_of("endpoint").unwrap_or_default(),
            word: node.string_of("word"),
            fields: fields.map(|field| field.value).collect(),
            label: node.string_of("label").unwrap_or_default(),
            given: given.collect(),
            hours: node.string_of("hours"),
            part_time: node.string_of("part_time"),
            place: input.place.clone(),
        }
    }
}

/// Schema of the inputs whose value another endpoint computes.
pub(super) fn schema() -> Value {
    let given = json!({
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {"type": "string", "minLength": 1},
        "description": "what that endpoint is given of the answer: \
            a map from its inputs to fields of this one; an amount by year is given for a year",
    });
    let entry = closed(
        properties([
            (
                "endpoint",
                text("the endpoint that computes it, of one folder or of a family"),
            ),
            (
                "word",
                text("the folder of that family, by its word; by default that of the question"),
            ),
            (
                "fields",
                text("the fields of its answer that it may be, separated by `;`"),
            ),
            (
                "label",
                text("words of the button that leads there, in French"),
            ),
            ("given", given),
            (
                "hours",
                text(
                    "the field of its answer with the hours of a month of full time: \
                        a page then takes an amount of an hour too",
                ),
            ),
            (
                "part_time",
                text("the input of this endpoint with the part of full time that is worked"),
            ),
        ]),
        &["endpoint", "fields", "label"],
    );
    json!({
        "type": "object",
        "minProperties": 1,
        "additionalProperties": entry,
        "description": "inputs whose value another endpoint computes: a map from input to it",
    })
}

/// Checks that each of these endpoints exists, and has one folder: alone, or in a family by a word.
pub(super) fn check_endpoints(service: &Service, report: &mut Report) {
    for endpoint in &service.endpoints {
        for found in &endpoint.found_by {
            // The word of a question of a family selects in another family too.
            let has_word = endpoint.by.is_some() || found.word.is_some();
            let has_one = |endpoint: &&Endpoint| endpoint.by.is_none() || has_word;
            let known = service.endpoints.iter().filter(has_one);
            let known = known.map(|endpoint| endpoint.name.as_str());

            if !known.clone().any(|name| name == found.endpoint) {
                let unknown = Problem::unknown_endpoint(&found.endpoint, known);
                report.error(&found.place, unknown);
            }
        }
    }
}

/// Checks that both endpoints have the inputs and the fields that are named, in each folder of a
/// family that has one beside it in the other.
pub(super) fn check_found_by(
    service: &Service,
    folders: &BTreeMap<String, Arc<Folder>>,
    report: &mut Report,
) {
    for endpoint in &service.endpoints {
        for found in &endpoint.found_by {
            let mut endpoints = service.endpoints.iter();
            let Some(other) = endpoints.find(|other| other.name == found.endpoint) else {
                continue;
            };

            check_hours(endpoint, found, other, folders, report);
            for (word, own_folder) in folders_of(endpoint, folders) {
                // A folder with errors is absent, which is reported with them.
                let word = found.word.as_deref().or(word);
                let Some(other_folder) = folder_of(other, word, folders) else {
                    continue;
                };

                let own = (endpoint.name.as_str(), own_folder);
                let theirs = (other.name.as_str(), other_folder);
                let fields = found.fields.iter().map(String::as_str);
                check_filled(own, &found.input, theirs, fields, &found.place, report);
                for (input, field) in &found.given {
                    check_filled(theirs, input, own, [field.as_str()], &found.place, report);
                }
            }
        }
    }
}

/// Checks that the hours of a month are a number that some folder answers, and that the part of
/// full time is a rate that some folder takes: not every folder of a family has them.
fn check_hours(
    endpoint: &Endpoint,
    found: &FoundBy,
    other: &Endpoint,
    folders: &BTreeMap<String, Arc<Folder>>,
    report: &mut Report,
) {
    let answers = folders_of(other, folders);
    let has_hours = |name: &str| {
        let mut all = answers.iter().flat_map(|(_, folder)| folder.fields());
        all.any(|field| field.name == name && field.value_type() == Type::Number)
    };
    // Without any folder there is nothing to check: folders with errors are absent.
    let mut missing = found.hours.iter().filter(|name| !has_hours(name));
    if let Some(name) = answers.first().and_then(|_| missing.next()) {
        let (endpoint, name) = (other.name.clone(), name.clone());
        report.error(
            &found.place,
            Problem::EndpointWithoutField { endpoint, name },
        );
    }

    let own = folders_of(endpoint, folders);
    let has_part = |name: &str| {
        let mut all = own.iter().flat_map(|(_, folder)| folder.inputs());
        all.any(|input| input.name == name && input.ty == Type::Rate)
    };
    let mut missing = found.part_time.iter().filter(|name| !has_part(name));
    if let Some(name) = own.first().and_then(|_| missing.next()) {
        let (endpoint, name) = (endpoint.name.clone(), name.clone());
        report.error(
            &found.place,
            Problem::EndpointWithoutInput { endpoint, name },
        );
    }
}

/// The folders of an endpoint, each with its word in a family.
pub(super) fn folders_of<'f>(
    endpoint: &'f Endpoint,
    folders: &'f BTreeMap<String, Arc<Folder>>,
) -> Vec<(Option<&'f str>, &'f Folder)> {
    if endpoint.by.is_some() {
        let of_family = family(folders, &endpoint.folder);
        return of_family
            .map(|(word, folder)| (Some(word), folder))
            .collect();
    }
    let alone = folders.get(&endpoint.folder);
    alone
        .map(|folder| (None, folder.as_ref()))
        .into_iter()
        .collect()
}

/// The folder of an endpoint, by its word in a family.
fn folder_of<'f>(
    endpoint: &Endpoint,
    word: Option<&str>,
    folders: &'f BTreeMap<String, Arc<Folder>>,
) -> Option<&'f Folder> {
    if endpoint.by.is_none() {
        return folders.get(&endpoint.folder).map(Arc::as_ref);
    }
    let mut all = family(folders, &endpoint.folder);
    all.find(|(own, _)| Some(*own) == word)
        .map(|(_, folder)| folder)
}

/// Checks that an input of one endpoint can be filled with each of some fields of another one.
pub(super) fn check_filled<'f>(
    (filled, folder): (&str, &Folder),
    name: &str,
    (source, answers): (&str, &Folder),
    fields: impl IntoIterator<Item = &'f str>,
    place: &Place,
    report: &mut Report,
) {
    let is_number = |ty| matches!(ty, Type::Money(_) | Type::Rate | Type::Number);
    let takes = |input: &&Input| input.name == name && is_number(input.ty) && input.group.is_none();
    let Some(input) = folder.inputs().into_iter().find(takes) else {
        let (endpoint, name) = (filled.to_owned(), name.to_owned());
        return report.error(place, Problem::EndpointWithoutInput { endpoint, name });
    };

    // Amounts go together whatever their periods; any other type goes with its own alone.
    let is_of_kind = |field: &Field| match (input.ty, field.value_type()) {
        (Type::Money(_), Type::Money(_)) => true,
        (one, other) => one == other && field.json_type() == "number",
    };
    for name in fields {
        let mut known = answers.fields().into_iter();
        if !known.any(|field| field.name == name && is_of_kind(field)) {
            let (endpoint, name) = (source.to_owned(), name.to_owned());
            report.error(place, Problem::EndpointWithoutField { endpoint, name });
        }
    }
}
