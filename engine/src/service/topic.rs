//! The topics of the catalogue: their order, and the picture of each.

use serde_json::{Value, json};

use crate::set::schema::forms::{closed, properties, text};
use crate::text::{Node, Problem, Report};

use super::Service;

/// A topic: a heading under which people look for endpoints.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["tva"])
/// #     .load_service(root).rules.ok_or("errors")?;
/// let first = rules.service().topics.first().ok_or("no topics")?;
/// assert_eq!(first.title, "Je suis payé");
/// assert!(first.picture.as_ref().is_some_and(|picture| picture.lines.starts_with('M')));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    /// The heading, as the `topics` of endpoints write it.
    pub title: String,
    /// Its picture, if it has one.
    pub picture: Option<Picture>,
}

/// A drawing of one colour in a square of 48 by 48, as the path data of SVG.
///
/// A [`Topic`] has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The outlines that are filled, paler than the lines.
    pub shapes: String,
    /// The lines that are drawn over them.
    pub lines: String,
}

/// Keys of a topic.
const TITLE: &str = "title";
const SHAPES: &str = "shapes";
const LINES: &str = "lines";

impl Topic {
    /// The topics of a service, in the order of the file. A topic that no endpoint has is a mistake:
    /// its heading would have nothing below it.
    pub(super) fn read_all(node: &Node, service: &Service, report: &mut Report) -> Vec<Self> {
        let endpoints = service.endpoints.iter();
        let of_endpoints: Vec<&str> = endpoints
            .flat_map(|endpoint| endpoint.topics.iter().map(String::as_str))
            .collect();

        let mut topics: Vec<Self> = Vec::new();
        for entry in node.items_of(super::schema::TOPICS) {
            let Some(title) = entry.text_of(TITLE) else {
                continue;
            };
            if !of_endpoints.contains(&title.value.as_str()) {
                let known = of_endpoints.iter().copied();
                report.error(&title.place, Problem::unknown_topic(&title.value, known));
            }

            let picture = Picture {
                shapes: entry.string_of(SHAPES).unwrap_or_default(),
                lines: entry.string_of(LINES).unwrap_or_default(),
            };
            let is_drawn = !(picture.shapes.is_empty() && picture.lines.is_empty());
            topics.push(Self {
                title: title.value.clone(),
                picture: is_drawn.then_some(picture),
            });
        }
        topics
    }
}

/// Schema of the topics.
pub(super) fn topics_schema() -> Value {
    // The letters of the commands of a path and its numbers: pages put it into an attribute.
    let path = |help: &str| {
        json!({
            "type": "string",
            "pattern": "^M[MmLlHhVvCcSsQqTtAaZz0-9. -]{0,600}$",
            "description": help,
            "x-form": [
                "le tracé d’un chemin SVG, dans un carré de 48 sur 48 : `M9 6h22v36z`",
                "the data of an SVG path, in a square of 48 by 48: `M9 6h22v36z`",
            ],
        })
    };
    let topic = closed(
        properties([
            (
                TITLE,
                text("a heading of the `topics` of endpoints, in French"),
            ),
            (
                SHAPES,
                path("outlines of its picture that are filled, paler than the lines"),
            ),
            (LINES, path("lines of its picture")),
        ]),
        &[TITLE],
    );
    json!({
        "type": "array",
        "minItems": 1,
        "items": topic,
        "description": "the headings of `topics` in their order, each with its picture; those \
            that are not here come last, in the order of the endpoints",
    })
}
