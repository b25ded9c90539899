//! The values of several editions side by side, each with the names of its row and column.

use std::collections::{BTreeMap, HashMap};

use bareme_engine::Lang;
use bareme_engine::law::{BoundWord, Column, Figure, Input, Key, Method, Row, Shape, Type, Value};
use bareme_engine::run::Edition;

use crate::locale::Locale;
use crate::names;
use crate::say;

use super::{bound, column_label};

/// A value of a figure in each of several editions.
#[derive(Debug)]
pub struct Line<'e> {
    /// The figure.
    pub figure: &'e str,
    /// The row that it belongs to; `None` for a figure without rows.
    row: Option<RowName>,
    part: Part<'e>,
    /// Whether it is the only value of its figure.
    pub(super) is_alone: bool,
    /// The value and its type in each edition, in order; `None` where an edition does not have it.
    pub values: Vec<Option<(Value, Type)>>,
}

/// Identification of a row.
#[derive(Debug, Clone)]
struct RowName {
    /// The values of its keys, as a query sends them: `statut cadre; employe`.
    sent: String,
    /// Labels of the values of its keys, one text a key: `Cadre, Employé`.
    read: Vec<String>,
    /// Its position among the rows with the same keys, from 1.
    place: usize,
    /// Whether it is identified by its position, since bounds change between editions.
    is_placed: bool,
}

/// Part of a figure or of a row: a column, or the bound.
#[derive(Debug, Clone, Copy)]
enum Part<'e> {
    Bound(BoundWord),
    Column(&'e Column),
}

/// Every value of some editions side by side, in the order of the first one. A row or a value that
/// only a later edition has comes after those of its figure or row.
pub fn side_by_side<'e>(editions: &[&'e Edition]) -> Vec<Line<'e>> {
    // Lines are ordered by figure, row, bound or column, and name, each in the order in which it is
    // first met: what only a later edition has comes last in its group.
    let mut lines: BTreeMap<(usize, usize, bool, usize), Line> = BTreeMap::new();
    let mut met: HashMap<String, usize> = HashMap::new();

    // Each name gets the next number when it is first met.
    let mut place = |name: String| {
        let next = met.len();
        *met.entry(name).or_insert(next)
    };

    for (index, edition) in editions.iter().enumerate() {
        for (shape, figure) in given(edition) {
            let of_figure = place(shape.name.clone());
            // A row is the same in two editions where its keys and its position among them are.
            for (row, part, value) in values(edition.method(), shape, figure) {
                let row_name = row
                    .as_ref()
                    .map(|row| format!("{}\n{}", row.sent, row.place))
                    .unwrap_or_default();
                let row_name = format!("{}\n{row_name}", shape.name);

                let (is_column, name) = if let Part::Column(column) = part {
                    (true, column.name.as_str())
                } else {
                    (false, "")
                };

                let key = (
                    of_figure,
                    place(row_name.clone()),
                    is_column,
                    place(format!("{row_name}\n{name}")),
                );

                let is_alone = !shape.has_rows() && shape.columns.len() == 1;
                let empty = || Line {
                    figure: &shape.name,
                    row,
                    part,
                    is_alone,
                    values: vec![None; editions.len()],
                };

                let line = lines.entry(key).or_insert_with(empty);

                line.values
                    .get_mut(index)
                    .into_iter()
                    .for_each(|cell| *cell = Some(value.clone()));
            }
        }
    }
    lines.into_values().collect()
}

/// The figures of an edition, with their shapes.
pub fn given(edition: &Edition) -> impl Iterator<Item = (&Shape, &Figure)> {
    let figures = edition
        .scale()
        .map(|scale| scale.figures.as_slice())
        .unwrap_or_default();
    edition.method().figures().iter().zip(figures)
}

/// A value with its type, and its row and part.
type Found<'e> = (Option<RowName>, Part<'e>, (Value, Type));

fn values<'e>(method: &Method, shape: &'e Shape, figure: &'e Figure) -> Vec<Found<'e>> {
    let cells = |row: Option<&RowName>, cells: &[Option<Value>]| {
        let named = shape.columns.iter().zip(cells);
        let found = named.filter_map(|(column, cell)| {
            Some((
                row.cloned(),
                Part::Column(column),
                (cell.clone()?, column.ty),
            ))
        });
        found.collect::<Vec<_>>()
    };

    if !shape.has_rows() {
        return cells(None, &figure.record);
    }

    // Rows of brackets have the same keys: their position tells them from each other.
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut found = Vec::new();

    for row in figure.rows.iter() {
        let (sent, read) = keys(method, shape, row);
        let place = places.entry(sent.clone()).or_default();
        *place = place.saturating_add(1);

        let name = RowName {
            sent,
            read,
            place: *place,
            is_placed: shape.bound.is_some(),
        };

        // The bound of a row comes before its columns, as in the file.
        let bound = row.bound.zip(shape.bound);
        found.extend(bound.map(|(bound, ty)| {
            (
                Some(name.clone()),
                Part::Bound(bound.word),
                (Value::Number(bound.value), ty),
            )
        }));
        found.extend(cells(Some(&name), &row.cells));
    }
    found
}

/// The values of the keys of a row, as a query sends them and as labels.
fn keys(method: &Method, shape: &Shape, row: &Row) -> (String, Vec<String>) {
    let (mut all_sent, mut all_read) = (Vec::new(), Vec::new());

    for (key, values) in shape.keys.iter().zip(&row.keys) {
        let sent: Vec<String> = values
            .iter()
            .map(|value| sent_key(method, key, value))
            .collect();
        let read: Vec<String> = values
            .iter()
            .map(|value| read_key(method, key, value))
            .collect();

        all_read.push(read_keys(method, key, &read));

        if !sent.is_empty() {
            all_sent.push(format!("{} {}", key.name, sent.join("; ")));
        }
    }
    (all_sent.join(", "), all_read)
}

/// The values of a key column as read by people: a label is written alone, a number after the
/// name of its column.
fn read_keys(method: &Method, key: &Key, values: &[String]) -> String {
    let input = input_of(method, key);
    let name = input.map_or_else(|| names::french(&key.name), |input| input.label.clone());
    let is_choice = input.is_some_and(|input| !input.values.is_empty());
    // A row without a value in a key column is the one for all others.
    match (values.is_empty(), is_choice) {
        (true, _) => format!("{name}\u{a0}: autres"),
        (false, true) => values.join(", "),
        (false, false) => format!("{name} {}", values.join(", ")),
    }
}

fn input_of<'m>(method: &'m Method, key: &Key) -> Option<&'m Input> {
    key.input.and_then(|input| input.of(method.inputs()))
}

/// A value of a key column as a query sends it.
pub fn sent_key(method: &Method, key: &Key, value: &Value) -> String {
    match (input_of(method, key), value) {
        (Some(input), value) => input.sent_text(value),
        (None, Value::Number(number)) => number.to_string(),
        (None, _) => String::new(),
    }
}

/// A value of a key column as read by people, in French: the label of a word.
fn read_key(method: &Method, key: &Key, value: &Value) -> String {
    let Some(input) = input_of(method, key) else {
        return super::value(value, Type::Number, 0_u32, Locale::PAGE);
    };

    let sent = input.sent_text(value);

    let label = input
        .values
        .iter()
        .find(|(word, _)| *word == sent)
        .map(|(_, label)| label.clone());

    label.unwrap_or_else(|| {
        let percent = if input.ty == Type::Rate { " %" } else { "" };
        format!("{}{percent}", sent.replace('.', ","))
    })
}

impl Line<'_> {
    /// Its label in French: `Cadre, tranche 2, taux`.
    pub fn label(&self) -> String {
        self.label_after(0)
    }

    /// Its label without the group of its row.
    pub fn label_in_group(&self) -> String {
        self.label_after(1)
    }

    fn label_after(&self, keys: usize) -> String {
        let keys = self
            .row
            .iter()
            .flat_map(|row| row.read.iter().skip(keys).cloned());

        let place = self
            .row
            .as_ref()
            .filter(|row| row.is_placed)
            .map(|row| format!("tranche {}", row.place));

        let part = match self.part {
            Part::Bound(word) => bound(word, Lang::Fr),
            Part::Column(column) => column_label(column),
        };

        keys.chain(place)
            .chain([part])
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// The first key of its row: `Sénégal`; `None` for a figure whose rows have no keys.
    pub fn group(&self) -> Option<&str> {
        self.row.as_ref()?.read.first().map(String::as_str)
    }

    /// Whether its values are texts.
    pub fn is_text(&self) -> bool {
        self.values
            .iter()
            .flatten()
            .any(|(_, ty)| *ty == Type::Text)
    }

    /// Its path by the names of the rule file: `bareme, ligne 2, rate`.
    pub fn path(&self, lang: Lang) -> String {
        let part = match self.part {
            Part::Bound(_) => say!(lang, "borne", "bound"),
            Part::Column(column) => column.name.clone(),
        };

        let Some(row) = &self.row else {
            return format!("{}.{part}", self.figure);
        };

        let place = row.place;
        let place = row
            .is_placed
            .then(|| say!(lang, "ligne {place}", "row {place}"));

        let keys = Some(row.sent.clone()).filter(|keys| !keys.is_empty());

        let parts = [self.figure.to_owned()]
            .into_iter()
            .chain(keys)
            .chain(place)
            .chain([part]);
        parts.collect::<Vec<_>>().join(", ")
    }
}
