//! Values of the figures of a dated file, with their sources.

use std::sync::Arc;

use rust_decimal::Decimal;

use crate::law::{Source, Value};
use crate::say;
use crate::text::problem::list_of_names;
use crate::text::{Lang, Node, Place, PlacedText, Problem, Report};

use super::lookup::find_bound;
use super::{Bound, CONFIDENCE, EVIDENCE, Lookup, LookupError, NOTE, SOURCE};

/// A figure of a dated file.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// let edition = folder.latest().ok_or("no edition")?;
/// let scale = edition.scale().ok_or("no scale")?;
/// for (shape, figure) in edition.method().figures().iter().zip(&scale.figures) {
///     assert_eq!(shape.has_rows(), !figure.rows.is_empty());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Figure {
    /// Values of the columns of a record; `None` for an empty optional one.
    pub record: Vec<Option<Value>>,
    /// Rows, in the order of the file.
    pub rows: Arc<Vec<Row>>,
    /// Whether the bounds of its rows are upper ones (`up_to`, `below`) rather than lower ones.
    pub bounds_are_upper: bool,
    /// Index of the rows by their keys.
    pub lookup: Arc<Lookup>,
    /// Legal texts and official pages that set the whole figure, by index among the sources.
    pub sources: Vec<usize>,
    /// Sources that it was checked against, by index among the sources.
    pub evidence: Vec<usize>,
    /// Confidence and note.
    pub remark: Remark,
    /// Why the figure still holds although no new source sets it.
    pub confirmed: Option<String>,
    pub(crate) place: Place,
}

/// A row of a figure.
///
/// [`Figure`] has an example.
#[derive(Debug, Clone)]
pub struct Row {
    /// The values that the row lists for each key; empty: any other value.
    pub keys: Vec<Vec<Value>>,
    /// The bound, if it has one.
    pub bound: Option<Bound>,
    /// Values of the columns.
    pub cells: Vec<Option<Value>>,
    /// Legal texts and official pages that set the row, by index among the sources.
    pub sources: Vec<usize>,
    /// Sources that it was checked against, by index among the sources.
    pub evidence: Vec<usize>,
    /// Confidence and note.
    pub remark: Remark,
    /// Why the row still holds although no new source sets it.
    pub confirmed: Option<String>,
    pub(crate) place: Place,
}

/// Confidence in a figure or a row, and a note on it.
///
/// ```
/// use bareme_engine::Lang;
/// use bareme_engine::law::Remark;
///
/// let remark = Remark { confidence: Some("medium".to_owned()), note: None };
/// assert_eq!(remark.confidence_in(Lang::Fr), Some("moyenne"));
/// assert!(Remark::default().is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remark {
    /// `medium` or `low`; `None`: high.
    pub confidence: Option<String>,
    /// A note in French.
    pub note: Option<String>,
}

impl Remark {
    /// Whether the figure is certain and has no note.
    pub fn is_empty(&self) -> bool {
        self.confidence.is_none() && self.note.is_none()
    }

    /// The confidence in one word; `None` where it is high.
    pub fn confidence_in(&self, lang: Lang) -> Option<&str> {
        let confidence = self.confidence.as_deref()?;
        // The schema accepts `medium` and `low` only.
        Some(match (lang, confidence) {
            (Lang::En, word) => word,
            (Lang::Fr, "low") => "faible",
            (Lang::Fr, _) => "moyenne",
        })
    }

    pub(super) fn read(node: &Node) -> Self {
        Self {
            confidence: node.string_of(CONFIDENCE),
            note: node.string_of(NOTE),
        }
    }
}

impl Figure {
    /// A figure before its values are read, or taken from another folder.
    pub(crate) fn without_values(place: &Place) -> Self {
        Self {
            record: Vec::new(),
            rows: Arc::default(),
            bounds_are_upper: true,
            lookup: Arc::new(Lookup::Rows(Vec::new())),
            sources: Vec::new(),
            evidence: Vec::new(),
            remark: Remark::default(),
            confirmed: None,
            place: place.clone(),
        }
    }

    /// Name of the bound of its rows in an answer.
    pub(crate) fn bound_name(&self) -> &'static str {
        self.rows
            .iter()
            .find_map(|row| row.bound)
            .map_or("borne", |bound| bound.word.french())
    }

    /// Whether another dated file gives the figure the same values, sources and remarks aside.
    pub fn same_values(&self, other: &Self) -> bool {
        // Another source or remark does not change what the law sets.
        let same = |(row, other): (&Row, &Row)| {
            row.keys == other.keys && row.bound == other.bound && row.cells == other.cells
        };
        self.record == other.record
            && self.rows.len() == other.rows.len()
            && self.rows.iter().zip(other.rows.iter()).all(same)
    }

    /// Whether the figure, or each of its rows, says why it still holds although no new source sets
    /// it.
    pub(crate) fn is_confirmed_in_words(&self) -> bool {
        let says_so = |row: &Row| row.confirmed.is_some();
        self.confirmed.is_some() || (!self.rows.is_empty() && self.rows.iter().all(says_so))
    }

    /// Index of the row for the values of the keys and of the bound.
    pub(crate) fn find(&self, keys: &[Value], bound: Decimal) -> Result<usize, LookupError> {
        let group = self.lookup.rows(keys)?.iter();
        let rows = group.filter_map(|row| Some((*row, self.rows.get(*row)?.bound)));
        find_bound(rows, self.bounds_are_upper, bound, Decimal::ONE).ok_or(LookupError::Bound)
    }
}

/// The sources of a file, and which of them its figures name.
pub(crate) struct Sources<'s> {
    pub all: &'s [Source],
    pub used: &'s mut Vec<bool>,
}

impl Sources<'_> {
    /// Reads the sources that set a figure or a row; secondary sources are refused.
    pub(super) fn read(&mut self, node: &Node, report: &mut Report) -> Vec<usize> {
        let mut found = Vec::new();
        for id in node.list_of(SOURCE) {
            let Some(index) = self.find(&id, report) else {
                continue;
            };
            // A secondary source, such as the press, is evidence: no figure may rest on it.
            if self.all.get(index).is_some_and(Source::is_secondary) {
                report.error(
                    &id.place,
                    Problem::SecondarySource {
                        id: id.value.clone(),
                    },
                );
            }

            found.push(index);
        }
        found
    }

    /// Reads the sources that a figure or a row was checked against.
    pub(super) fn read_evidence(&mut self, node: &Node, report: &mut Report) -> Vec<usize> {
        let ids = node.list_of(EVIDENCE);
        ids.iter().filter_map(|id| self.find(id, report)).collect()
    }

    fn find(&mut self, id: &PlacedText, report: &mut Report) -> Option<usize> {
        let found = self.all.iter().position(|known| known.id == id.value);
        // Named once is enough: a source that no figure names is reported as unused.
        match found {
            Some(index) => {
                if let Some(used) = self.used.get_mut(index) {
                    *used = true;
                }
            }
            None => {
                let known: Vec<&str> = self.all.iter().map(|source| source.id.as_str()).collect();
                if id.value.is_empty() {
                    report.error(&id.place, no_source_between());
                    return None;
                }

                // Names of sources differ by a digit: only the same letters are surely a slip.
                let plain = letters(&id.value);
                let mut same = known.iter().filter(|known| letters(known) == plain);
                let unknown = Problem::UnknownSource {
                    id: id.value.clone(),
                    near: same.next().map(|near| (*near).to_owned()),
                    known: list_of_names(&known),
                };
                report.error(
                    &id.place,
                    Problem::comma_in_list(&id.value).unwrap_or(unknown),
                );
            }
        }
        found
    }
}

/// The letters and digits of the name of a source.
fn letters(id: &str) -> String {
    let kept = id.chars().filter(|letter| letter.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

/// The problem of a `;` that no name follows.
fn no_source_between() -> Problem {
    Problem::BadForm {
        text: ";".to_owned(),
        form: say!(
            "les noms des sources séparés par un seul `;`, sans `;` à la fin",
            "the names of the sources separated by a single `;`, without a `;` at the end"
        ),
    }
}
