//! Names that the methods of a folder declare, as far as their files can be parsed.

use std::collections::BTreeMap;

use bareme_engine::authoring::{Content, Node};
use bareme_engine::law::{KINDS, KeyForm, Kind};
use bareme_engine::text::PlacedText;

use crate::layout::sections;

/// The names of a method.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The inputs, each with its words if it is a choice.
    pub inputs: BTreeMap<String, Vec<String>>,
    /// The groups.
    pub groups: Vec<String>,
    /// The columns of each figure; none of one that another folder gives.
    pub figures: BTreeMap<String, Vec<Column>>,
    /// The figures that other folders give.
    pub shared: BTreeMap<String, Shared>,
    pub steps: BTreeMap<String, Step>,
    pub fields: Vec<String>,
    /// The parameters that may replace an input.
    pub parameters: Vec<String>,
}

/// A column of a figure.
#[derive(Debug)]
pub(super) struct Column {
    pub name: String,
    pub is_key: bool,
}

/// Where another folder gives a figure.
#[derive(Debug)]
pub(super) struct Shared {
    pub folder: String,
    /// The name of the figure there.
    pub figure: String,
}

/// A step of a method.
#[derive(Debug)]
pub(super) struct Step {
    pub kind: String,
    /// The figure that its table or brackets use, or its record.
    pub figure: Option<String>,
    /// The folder that it calculates.
    pub called: Option<String>,
    /// Offset of its name: a formula reads the steps above it.
    pub start: usize,
}

/// The keys of a shape that another folder gives: the folder, and the name there if it is another.
pub(super) const TAKEN_FROM: &str = "taken_from";
pub(super) const FIGURE: &str = "figure";
/// The keys of a shape that are not columns.
const OF_SHAPES: &[&str] = &["label", "since", "until"];

impl Names {
    pub(super) fn new(method: &Node) -> Self {
        let mut names = Self::default();

        for (name, input) in sections(method, "inputs").flat_map(Node::entries) {
            names.inputs.insert(name.value.clone(), words(input));
        }

        names.groups = sections(method, "groups")
            .flat_map(Node::entries)
            .map(|(name, _)| name.value.clone())
            .collect();

        for (name, shape) in sections(method, "figures").flat_map(Node::entries) {
            if let Some(shared) = Shared::new(name, shape) {
                names.figures.insert(name.value.clone(), Vec::new());
                names.shared.insert(name.value.clone(), shared);
                continue;
            }

            let columns = shape
                .entries()
                .iter()
                .filter(|(column, _)| !OF_SHAPES.contains(&column.value.as_str()));

            let column = |(column, ty): &(PlacedText, Node)| Column {
                name: column.value.clone(),
                is_key: ty.text().is_some_and(|text| text.value == "key"),
            };
            names
                .figures
                .insert(name.value.clone(), columns.map(column).collect());
        }

        for (name, step) in sections(method, "steps").flat_map(Node::entries) {
            names
                .steps
                .insert(name.value.clone(), Step::new(step, name.place.span().start));
        }

        names.fields = sections(method, "answer")
            .flat_map(Node::entries)
            .map(|(name, _)| name.value.clone())
            .collect();

        let inverses = sections(method, "inverse").flat_map(Node::items);
        let parameter = |inverse: &Node| Some(inverse.get("parameter")?.text()?.value.clone());
        names.parameters = inverses.filter_map(parameter).collect();
        names
    }

    /// The folder that a step calculates.
    pub(super) fn called(&self, step: &str) -> Option<&str> {
        self.steps.get(step)?.called.as_deref()
    }

    /// Whether a query may have a parameter.
    pub(super) fn accepts(&self, name: &str) -> bool {
        self.inputs.contains_key(name) || self.parameters.iter().any(|known| known == name)
    }

    /// Whether a figure has a column.
    pub(super) fn has_column(&self, figure: &str, column: &str) -> bool {
        self.figures
            .get(figure)
            .is_some_and(|columns| columns.iter().any(|declared| declared.name == column))
    }

    /// Whether a column of a figure is a key with an input of the same name.
    pub(super) fn is_input(&self, figure: &str, column: &str) -> bool {
        let is_key = |declared: &Column| declared.name == column && declared.is_key;
        self.inputs.contains_key(column)
            && self
                .figures
                .get(figure)
                .is_some_and(|columns| columns.iter().any(is_key))
    }

    /// The names that formulas may read after the point of a step.
    pub(super) fn outputs(&self, step: &Step) -> Vec<String> {
        let of_figure = || {
            let columns = step
                .figure
                .as_ref()
                .and_then(|figure| self.figures.get(figure));
            let values = columns
                .into_iter()
                .flatten()
                .filter(|column| !column.is_key && column.name != "bound");
            values.map(|column| column.name.clone()).collect::<Vec<_>>()
        };
        // A step that looks up has the columns of its figure, besides what its kind always has.
        let columns = if step.looks_up() {
            of_figure()
        } else {
            Vec::new()
        };

        let of_kind = kind(&step.kind).map_or(&[][..], |kind| kind.outputs);
        let of_kind = of_kind.iter().map(|name| (*name).to_owned());
        columns.into_iter().chain(of_kind).collect()
    }
}

/// The keys of the kinds of step that calculate another folder.
fn calling() -> impl Iterator<Item = &'static str> {
    let kinds = KINDS.iter().filter(|kind| kind.main == KeyForm::Folder);
    kinds.map(|kind| kind.name)
}

/// Whether a line of a method may have a step that calculates another folder.
pub(super) fn calls(line: &str) -> bool {
    calling().any(|key| line.contains(key))
}

impl Shared {
    fn new(name: &PlacedText, shape: &Node) -> Option<Self> {
        let written = |key: &str| shape.get(key).and_then(Node::text);
        Some(Self {
            folder: written(TAKEN_FROM)?.value.clone(),
            figure: written(FIGURE).unwrap_or(name).value.clone(),
        })
    }
}

/// The keys of the kinds of step that look a figure up, whose columns are their outputs.
fn looking_up() -> impl Iterator<Item = &'static str> {
    let kinds = KINDS.iter().filter(|kind| kind.main == KeyForm::Figure);
    kinds.map(|kind| kind.name)
}

/// A kind of step, by its name.
fn kind(name: &str) -> Option<&'static Kind> {
    KINDS.iter().copied().find(|kind| kind.name == name)
}

impl Step {
    /// Whether its outputs are the columns of its figure.
    pub(super) fn looks_up(&self) -> bool {
        kind(&self.kind).is_some_and(|kind| kind.main == KeyForm::Figure)
    }

    fn new(step: &Node, start: usize) -> Self {
        // A step without a key of a kind is a formula.
        let of_kind = step
            .entries()
            .iter()
            .find(|(key, _)| kind(&key.value).is_some());
        let kind = of_kind
            .map_or("formula", |(key, _)| key.value.as_str())
            .to_owned();

        let name = |key: &str| Some(step.get(key)?.text()?.value.clone());
        // These keys name a figure: a table to look up, or a record to take values from.
        Self {
            figure: looking_up().chain(["with"]).find_map(name),
            called: calling().find_map(name),
            kind,
            start,
        }
    }
}

/// The words of a choice.
fn words(input: &Node) -> Vec<String> {
    let Some(values) = input.get("values") else {
        let words = input.get("words").and_then(Node::text);
        return words.map(|text| list(&text.value)).unwrap_or_default();
    };

    match &values.content {
        // The short form, `values: a; b`, or a map of words with their labels.
        Content::Text(text) => list(&text.value),
        _ => values
            .entries()
            .iter()
            .map(|(word, _)| word.value.clone())
            .collect(),
    }
}

fn list(text: &str) -> Vec<String> {
    text.split(';').map(|word| word.trim().to_owned()).collect()
}
