//! The values of a figure in a dated file, with their sources.

use rust_decimal::Decimal;

use crate::diagnostic::{Place, Report};
use crate::formula::Scope;
use crate::input::read_literal;
use crate::problem::Problem;
use crate::types::{Period, Type, Value};
use crate::words::nearest;
use crate::yaml::{Node, Text};

use super::lookup::find_bound;
use super::{Bound, BoundWord, Key, Lookup, Miss, Shape};

/// A figure of a dated file.
#[derive(Debug, Clone)]
pub struct Figure {
    /// Values of the columns of a record; `None` where an optional one is empty.
    pub record: Vec<Option<Value>>,
    /// Rows, in the order of the file.
    pub rows: Vec<Row>,
    /// Whether the bounds of its rows are upper ones (`up_to`, `below`) rather than lower ones.
    pub upper: bool,
    /// The rows by their keys.
    pub lookup: Lookup,
    /// Sources of the whole figure, by rank.
    pub sources: Vec<usize>,
    /// What is to be known of its certainty.
    pub remark: Remark,
    pub(crate) place: Place,
}

/// A row of a figure.
#[derive(Debug, Clone)]
pub struct Row {
    /// For each key the values that the row lists; none: all others.
    pub keys: Vec<Vec<Value>>,
    /// The bound, if it has one.
    pub bound: Option<Bound>,
    /// Values of the columns.
    pub cells: Vec<Option<Value>>,
    /// Its own sources, by rank.
    pub sources: Vec<usize>,
    /// What is to be known of its certainty.
    pub remark: Remark,
    pub(crate) place: Place,
}

/// How certain a figure is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remark {
    /// `medium` or `low`; absent: high.
    pub confidence: Option<String>,
    /// A note in French.
    pub note: Option<String>,
}

impl Remark {
    /// Whether there is nothing to know.
    pub fn is_empty(&self) -> bool {
        self.confidence.is_none() && self.note.is_none()
    }

    fn read(node: &Node) -> Self {
        Self { confidence: node.string_of("confidence"), note: node.string_of("note") }
    }
}

impl Figure {
    /// Name of the bound of its rows in an answer.
    pub(crate) fn bound_name(&self) -> &'static str {
        self.rows.iter().find_map(|row| row.bound).map_or("borne", |bound| bound.word.french())
    }

    /// Whether another edition of the figure says the same, sources and remarks apart.
    pub fn same_values(&self, other: &Self) -> bool {
        let same =
            |(row, other): (&Row, &Row)| row.keys == other.keys && row.bound == other.bound && row.cells == other.cells;
        self.record == other.record
            && self.rows.len() == other.rows.len()
            && self.rows.iter().zip(&other.rows).all(same)
    }

    /// The row for the values of the keys and of the bound.
    pub(crate) fn find(&self, keys: &[Value], bound: Decimal) -> Result<usize, Miss> {
        let group = self.lookup.rows(keys)?;
        self.find_in(group, bound, Decimal::ONE).ok_or(Miss::Bound)
    }

    /// The row of a group in which a value falls, the bounds being multiplied by `shares`.
    pub(crate) fn find_in(&self, group: &[usize], value: Decimal, shares: Decimal) -> Option<usize> {
        find_bound(&self.rows, group, self.upper, value, shares)
    }
}

/// The sources that a figure may name, and which were named.
pub(crate) struct Sources<'s> {
    pub ids: &'s [String],
    pub used: &'s mut Vec<bool>,
}

impl Sources<'_> {
    fn read(&mut self, node: &Node, report: &mut Report) -> Vec<usize> {
        let Some(text) = node.text_of("source") else { return Vec::new() };
        text.list().iter().filter_map(|id| self.find(id, report)).collect()
    }

    fn find(&mut self, id: &Text, report: &mut Report) -> Option<usize> {
        let found = self.ids.iter().position(|known| *known == id.value);
        match found {
            Some(rank) => {
                if let Some(used) = self.used.get_mut(rank) {
                    *used = true;
                }
            }
            None => {
                let near = nearest(&id.value, self.ids.iter().map(String::as_str)).map(str::to_owned);
                report.error(&id.place, Problem::UnknownSource { id: id.value.clone(), near });
            }
        }
        found
    }
}

/// Reads a figure of a dated file into the shape that the method declares.
pub(crate) fn read(
    name: &Text,
    node: &Node,
    shape: &Shape,
    scope: &Scope,
    sources: &mut Sources,
    report: &mut Report,
) -> Figure {
    let mut figure = Figure {
        record: Vec::new(),
        rows: Vec::new(),
        upper: true,
        lookup: Lookup::Rows(Vec::new()),
        sources: sources.read(node, report),
        remark: Remark::read(node),
        place: name.place.clone(),
    };
    // A scale whose figures were only proposed is not in force.
    if let Some(text) = node.text_of("unconfirmed") {
        report.error(&text.place, Problem::Unconfirmed { figure: name.value.clone() });
    }
    period(name, node, shape, report);
    if shape.has_rows() {
        read_rows(&mut figure, node, shape, scope, sources, report);
        check_bounds(&figure, report);
    } else {
        figure.record = cells(node, &name.place, shape, report);
    }
    let sourced_rows = !figure.rows.is_empty() && figure.rows.iter().all(|row| !row.sources.is_empty());
    if node.text_of("source").is_none() && !sourced_rows {
        report.error(&name.place, Problem::MissingSource { figure: name.value.clone() });
    }
    figure
}

/// The period that the file states must be the one of the shape.
fn period(name: &Text, node: &Node, shape: &Shape, report: &mut Report) {
    let bound = shape.bound.map(|ty| ("bound", ty));
    let columns = shape.columns.iter().map(|column| (column.name.as_str(), column.ty));
    let periods: Vec<(&str, &'static str)> = bound
        .into_iter()
        .chain(columns)
        .filter_map(|(column, ty)| match ty {
            Type::Money(Period::Month) => Some((column, "month")),
            Type::Money(Period::Year) => Some((column, "year")),
            _ => None,
        })
        .collect();
    let common = periods.first().map(|(_, period)| *period).filter(|first| periods.iter().all(|(_, p)| p == first));
    let wanted = match common {
        Some(period) => period.to_owned(),
        None => periods.iter().map(|(column, period)| format!("{column} {period}")).collect::<Vec<_>>().join("; "),
    };
    let said = node.text_of("per");
    let agrees = match said {
        None => periods.is_empty(),
        Some(text) => {
            let words = |text: &str| {
                text.split(';')
                    .map(|part| part.split_whitespace().map(str::to_owned).collect())
                    .collect::<Vec<Vec<String>>>()
            };
            let (mut said, mut wanted) = (words(&text.value), words(&wanted));
            said.sort();
            wanted.sort();
            !periods.is_empty() && said == wanted
        }
    };
    if agrees {
        return;
    }
    let place = said.map_or(&name.place, |text| &text.place);
    let problem = match said {
        _ if periods.is_empty() => Problem::PeriodNotWanted { figure: name.value.clone() },
        None => Problem::PeriodMissing { figure: name.value.clone(), wanted },
        Some(text) => Problem::PeriodDiffers { said: text.value.clone(), wanted },
    };
    report.error(place, problem);
}

fn read_rows(
    figure: &mut Figure,
    node: &Node,
    shape: &Shape,
    scope: &Scope,
    sources: &mut Sources,
    report: &mut Report,
) {
    for item in node.get("rows").map(Node::items).unwrap_or_default() {
        let place = item.entries().first().map_or(&item.place, |(key, _)| &key.place).clone();
        let keys = shape.keys.iter().map(|key| key_values(item, key, scope, report)).collect();
        let pair = figure.rows.iter().find_map(|row| row.bound).map(|bound| bound.word.is_upper());
        let bound = row_bound(item, shape, pair, report);
        figure.upper = pair.or(bound.map(|bound| bound.word.is_upper())).unwrap_or(true);
        let row = Row {
            keys,
            bound,
            cells: cells(item, &place, shape, report),
            sources: sources.read(item, report),
            remark: Remark::read(item),
            place,
        };
        figure.rows.push(row);
    }
    if figure.rows.is_empty() {
        report.error(&figure.place, Problem::NoRows { figure: shape.name.clone() });
    }
    figure.lookup = Lookup::new(&figure.rows, shape.keys.len());
}

fn key_values(item: &Node, key: &Key, scope: &Scope, report: &mut Report) -> Vec<Value> {
    let Some(text) = item.text_of(&key.name) else { return Vec::new() };
    let input = key.input.and_then(|rank| scope.inputs.get(rank));
    let mut values = Vec::new();
    for word in text.list() {
        let value = match input.map(|input| (input, input.ty)) {
            Some((input, Type::Choice(_))) => input.word(&word.value).map(Value::Word).or_else(|| {
                let words = input.expected();
                let near = nearest(&word.value, input.comparable_words()).map(str::to_owned);
                let problem = Problem::UnknownWord { word: word.value.clone(), name: key.name.clone(), words, near };
                report.error(&word.place, problem);
                None
            }),
            Some((_, Type::Boolean)) => match word.value.as_str() {
                "true" => Some(Value::Boolean(true)),
                "false" => Some(Value::Boolean(false)),
                _ => {
                    report.error(&word.place, Problem::NotABoolean { text: word.value.clone() });
                    None
                }
            },
            other => {
                let ty = other.map_or(Type::Number, |(_, ty)| ty);
                read_literal(&word, ty, report).map(Value::Number)
            }
        };
        values.extend(value);
    }
    values
}

/// The bound of a row. The words of a figure are of one pair: upper bounds, or lower ones (`pair`).
fn row_bound(item: &Node, shape: &Shape, pair: Option<bool>, report: &mut Report) -> Option<Bound> {
    let mut bound = None;
    for (key, node) in item.entries() {
        let Some(word) = BoundWord::read(&key.value) else { continue };
        let Some(ty) = shape.bound else {
            report.error(&key.place, Problem::BoundNotWanted { figure: shape.name.clone() });
            continue;
        };
        if bound.is_some() || pair.is_some_and(|upper| upper != word.is_upper()) {
            report.error(&key.place, Problem::BoundWordsMixed { word: key.value.clone() });
            continue;
        }
        let value = node.text().and_then(|text| read_literal(text, ty, report));
        bound = value.map(|value| Bound { word, value });
    }
    bound
}

fn cells(node: &Node, place: &Place, shape: &Shape, report: &mut Report) -> Vec<Option<Value>> {
    let mut cells = Vec::with_capacity(shape.columns.len());
    for column in &shape.columns {
        let cell = match node.text_of(&column.name) {
            Some(text) if column.ty == Type::Text => Some(Value::Text(text.value.as_str().into())),
            Some(text) => read_literal(text, column.ty, report).map(Value::Number),
            None => {
                if !column.optional {
                    report.error(
                        place,
                        Problem::MissingColumn { column: column.name.clone(), figure: shape.name.clone() },
                    );
                }
                None
            }
        };
        cells.push(cell);
    }
    cells
}

/// Within each group of rows: bounds increase, one row at most is open and stands where it is
/// reached last, and no two rows answer the same.
fn check_bounds(figure: &Figure, report: &mut Report) {
    for group in figure.lookup.groups() {
        let rows: Vec<&Row> = group.iter().filter_map(|rank| figure.rows.get(*rank)).collect();
        let bounded = rows.iter().any(|row| row.bound.is_some());
        for (rank, row) in rows.iter().enumerate() {
            let open_place = if figure.upper { rank + 1 == rows.len() } else { rank == 0 };
            let before = rank.checked_sub(1).and_then(|before| rows.get(before)).and_then(|row| row.bound);
            match (row.bound, before) {
                (None, _) if !open_place && bounded => {
                    report.error(&row.place, Problem::OpenRowMisplaced { upper: figure.upper });
                }
                (None, _) if !open_place => report.error(&row.place, Problem::RowsAnswerTheSame {}),
                (Some(bound), Some(before)) if bound.value <= before.value => {
                    let (bound, before) = (bound.value.to_string(), before.value.to_string());
                    report.error(&row.place, Problem::BoundsDoNotIncrease { bound, before });
                }
                _ => {}
            }
        }
    }
}
