//! Subjects that people search and no endpoint calculates: the search says so, and shows the
//! nearest endpoints.

use serde_json::{Value, json};

use crate::set::schema::forms::{closed, properties, text};
use crate::text::{Node, Place, PlacedText, Problem, Report};

use super::Service;
use super::read::strings;

/// A subject that no endpoint calculates.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases()
/// #     .load_service(root).rules.ok_or("errors")?;
/// let mut subjects = rules.service().not_calculated.iter();
/// let internship = subjects.find(|subject| subject.name == "stage").ok_or("not there")?;
/// assert_eq!(internship.near, ["salaire"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct NotCalculated {
    /// Its name in the file.
    pub name: String,
    /// The French words by which people search it.
    pub search: Vec<String>,
    /// The sentence with which the search answers, in French.
    pub text: String,
    /// The endpoints that come near it, the nearest first.
    pub near: Vec<String>,
    place: Place,
}

impl NotCalculated {
    /// Those of a service.
    pub(super) fn read_all(service: &Node) -> Vec<Self> {
        let entries = service.entries_of(KEY).iter();
        entries.map(Self::read).collect()
    }

    fn read((name, node): &(PlacedText, Node)) -> Self {
        Self {
            name: name.value.clone(),
            search: strings(node, "search"),
            text: node.string_of("text").unwrap_or_default(),
            near: strings(node, "near"),
            place: name.place.clone(),
        }
    }
}

/// The section of the file.
pub(super) const KEY: &str = "not_calculated";

/// Schema of the subjects that no endpoint calculates.
pub(super) fn schema() -> Value {
    let entry = closed(
        properties([
            (
                "search",
                text("words by which people search it, in French, separated by `;`"),
            ),
            (
                "text",
                text("what the search answers, in French: that it is not calculated, and what is"),
            ),
            (
                "near",
                text("the endpoints that come near it, of one folder each, separated by `;`"),
            ),
        ]),
        &["search", "text", "near"],
    );
    json!({
        "type": "object",
        "minProperties": 1,
        "additionalProperties": entry,
        "description": "subjects that people search and no endpoint calculates: \
            a map from a name to each of them",
    })
}

/// Checks that the endpoints that come near exist, and have one folder.
pub(super) fn check_near(service: &Service, report: &mut Report) {
    let known = service.of_one_folder();

    for subject in &service.not_calculated {
        let near = subject.near.iter();
        for name in near.filter(|name| !known.contains(&name.as_str())) {
            let unknown = Problem::unknown_endpoint(name, known.iter().copied());
            report.error(&subject.place, unknown);
        }
    }
}
