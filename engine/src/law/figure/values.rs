//! Values of the figures of a dated file, with their sources.

use std::sync::Arc;

use rust_decimal::Decimal;

use crate::law::formula::Scope;
use crate::law::input::read_literal;
use crate::law::{Source, Type, Value};
use crate::text::limits;
use crate::text::number::parse_amount;
use crate::text::problem::{list_of_names, suggestion};
use crate::text::{Lang, Node, Place, PlacedText, Problem, Report};

use super::cells::check_marks;
use super::check::{are_readable, check_bounds, check_period, check_sourced};
use super::lookup::find_bound;
use super::{
    Bound, BoundWord, CONFIDENCE, CONFIRMED, EVIDENCE, Key, Lookup, LookupError, NOTE, ROWS,
    SOURCE, Shape, rows_of,
};

/// A figure of a dated file.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["tva"]).load(root).rules.ok_or("errors")?;
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
    pub upper: bool,
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
        Some(match (lang, confidence) {
            (Lang::En, word) => word,
            (Lang::Fr, "low") => "faible",
            (Lang::Fr, _) => "moyenne",
        })
    }

    fn read(node: &Node) -> Self {
        Self {
            confidence: node.string_of(CONFIDENCE),
            note: node.string_of(NOTE),
        }
    }
}

impl Figure {
    /// Name of the bound of its rows in an answer.
    pub(crate) fn bound_name(&self) -> &'static str {
        self.rows
            .iter()
            .find_map(|row| row.bound)
            .map_or("borne", |bound| bound.word.french())
    }

    /// Whether another dated file gives the figure the same values, sources and remarks aside.
    pub fn same_values(&self, other: &Self) -> bool {
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
        find_bound(rows, self.upper, bound, Decimal::ONE).ok_or(LookupError::Bound)
    }
}

/// The sources of a file, and which of them its figures name.
pub(crate) struct Sources<'s> {
    pub all: &'s [Source],
    pub used: &'s mut Vec<bool>,
}

impl Sources<'_> {
    /// Reads the sources that set a figure or a row; secondary sources are refused.
    fn read(&mut self, node: &Node, report: &mut Report) -> Vec<usize> {
        let mut found = Vec::new();
        for id in node.list_of(SOURCE) {
            let Some(index) = self.find(&id, report) else {
                continue;
            };
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
    fn read_evidence(&mut self, node: &Node, report: &mut Report) -> Vec<usize> {
        let ids = node.list_of(EVIDENCE);
        ids.iter().filter_map(|id| self.find(id, report)).collect()
    }

    fn find(&mut self, id: &PlacedText, report: &mut Report) -> Option<usize> {
        let found = self.all.iter().position(|known| known.id == id.value);
        match found {
            Some(index) => {
                if let Some(used) = self.used.get_mut(index) {
                    *used = true;
                }
            }
            None => {
                let known: Vec<&str> = self.all.iter().map(|source| source.id.as_str()).collect();
                let unknown = Problem::UnknownSource {
                    id: id.value.clone(),
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

/// Reads a figure of a dated file into the shape that the method declares.
pub(crate) fn read_figure(
    name: &PlacedText,
    node: &Node,
    shape: &Shape,
    scope: &Scope,
    sources: &mut Sources,
    report: &mut Report,
) -> Figure {
    let mut figure = Figure {
        record: Vec::new(),
        rows: Arc::default(),
        upper: true,
        lookup: Arc::new(Lookup::Rows(Vec::new())),
        sources: sources.read(node, report),
        evidence: sources.read_evidence(node, report),
        remark: Remark::read(node),
        confirmed: node.string_of(CONFIRMED),
        place: name.place.clone(),
    };
    check_period(name, node, shape, report);
    if shape.has_rows() {
        read_rows(&mut figure, node, shape, scope, sources, report);
        if let Some(rows) = node.get(ROWS).filter(|rows| are_readable(rows, shape)) {
            check_bounds(&figure, rows.items(), report);
        }
    } else {
        figure.record = cells(node, &name.place, shape, report);
    }
    check_sourced(name, node, report);
    check_marks(node, shape, report);
    figure
}

fn read_rows(
    figure: &mut Figure,
    node: &Node,
    shape: &Shape,
    scope: &Scope,
    sources: &mut Sources,
    report: &mut Report,
) {
    let items = rows_of(node);
    if !limits::ROWS.accepts(items.len(), &figure.place, report) {
        return;
    }
    let mut rows: Vec<Row> = Vec::with_capacity(items.len());
    let mut pair = None;
    for item in items {
        if report.is_full() {
            return;
        }
        let place = item
            .entries()
            .first()
            .map_or(&item.place, |(key, _)| &key.place)
            .clone();
        let keys = shape
            .keys
            .iter()
            .map(|key| key_values(item, key, scope, report))
            .collect();
        let bound = row_bound(item, shape, pair, report);
        pair = pair.or(bound.map(|bound| bound.word.is_upper()));
        let row = Row {
            keys,
            bound,
            cells: cells(item, &place, shape, report),
            sources: sources.read(item, report),
            evidence: sources.read_evidence(item, report),
            remark: Remark::read(item),
            confirmed: item.string_of(CONFIRMED),
            place,
        };
        rows.push(row);
    }
    if rows.is_empty() && node.get(ROWS).is_none() {
        report.error(
            &figure.place,
            Problem::NoRows {
                figure: shape.name.clone(),
            },
        );
    }
    let combinations = |row: &Row| {
        row.keys
            .iter()
            .map(|listed| listed.len().max(1))
            .fold(1, usize::saturating_mul)
    };
    let answered = rows.iter().map(combinations).fold(0, usize::saturating_add);
    if limits::ANSWERED.accepts(answered, &figure.place, report) {
        figure.lookup = Arc::new(Lookup::new(&rows, shape.keys.len()));
    }
    figure.upper = pair.unwrap_or(true);
    figure.rows = Arc::new(rows);
}

fn key_values(item: &Node, key: &Key, scope: &Scope, report: &mut Report) -> Vec<Value> {
    let Some(text) = item.text_of(&key.name) else {
        return Vec::new();
    };
    let input = key.input.and_then(|input| input.of(&scope.inputs));
    let mut values = Vec::new();
    for word in text.list() {
        let value = match input.map(|input| (input, input.ty)) {
            Some((input, Type::Choice(_))) => {
                input.word(&word.value).map(Value::Word).or_else(|| {
                    let words = input.expected();
                    let near = suggestion(&word.value, input.comparable_words()).map(str::to_owned);
                    let problem = Problem::UnknownWord {
                        word: word.value.clone(),
                        name: key.name.clone(),
                        words,
                        near,
                    };
                    report.error(
                        &word.place,
                        Problem::comma_in_list(&word.value).unwrap_or(problem),
                    );
                    None
                })
            }
            Some((_, Type::Boolean)) => {
                let read = word.value.parse().map(Value::Boolean);
                read.map_err(|_| report.error(&word.place, Problem::not_a_boolean(&word.value)))
                    .ok()
            }
            other => {
                let ty = other.map_or(Type::Number, |(_, ty)| ty);
                let is_stranger =
                    word.value.contains(char::is_alphabetic) || word.value.contains(['+', '–']);
                let is_range = word.value.trim_start_matches('-').contains('-');
                if ty != Type::Rate && (is_stranger || is_range) {
                    let problem = Problem::KeyIsNoNumber {
                        text: word.value.clone(),
                        key: key.name.clone(),
                    };
                    report.error(
                        &word.place,
                        Problem::comma_in_list(&word.value).unwrap_or(problem),
                    );
                    continue;
                }
                read_literal(&word, ty, report).map(Value::Number)
            }
        };
        values.extend(value);
    }
    values
}

/// Reads the bound of a row. A figure has either upper or lower bounds: `pair` is the direction of
/// the rows above.
fn row_bound(item: &Node, shape: &Shape, pair: Option<bool>, report: &mut Report) -> Option<Bound> {
    let (mut bound, mut is_reported) = (None, false);
    for (key, node) in item.entries() {
        let Some(word) = BoundWord::from_word(&key.value) else {
            continue;
        };
        let Some(ty) = shape.bound else {
            report.error(
                &key.place,
                Problem::BoundNotWanted {
                    figure: shape.name.clone(),
                },
            );
            continue;
        };
        let is_mixed = bound.is_some() || pair.is_some_and(|upper| upper != word.is_upper());
        if is_mixed && !std::mem::replace(&mut is_reported, true) {
            // The bound is kept, so that the row is not also reported as having none.
            report.error(
                &key.place,
                Problem::BoundWordsMixed {
                    word: key.value.clone(),
                },
            );
        }
        let value = node.text().and_then(|text| bound_value(text, ty, report));
        bound = value.map(|value| Bound { word, value });
    }
    bound
}

/// Reads a bound. A range or an end in words is reported as such, not as a number with an unknown
/// unit.
fn bound_value(text: &PlacedText, ty: Type, report: &mut Report) -> Option<Decimal> {
    let is_wordy = text
        .value
        .split_whitespace()
        .any(|word| ["à", "a", "et", "-", "de", "plus"].contains(&word));
    let is_endless = text.value.contains('∞') || text.value.to_lowercase().contains("inf");
    if is_wordy || is_endless {
        report.error(
            &text.place,
            Problem::BoundIsNoNumber {
                text: text.value.clone(),
            },
        );
        return None;
    }
    read_literal(text, ty, report)
}

/// The first number of a range: `3-5%`, `1 200 à 1 400`, `entre 3 % et 5 %`.
fn first_of_range(text: &str) -> Option<String> {
    const RANGE_SEPARATORS: [&str; 9] = [
        " à ", " et ", " ou ", " to ", " and ", " or ", "–", "…", "-",
    ];
    const RANGE_PREFIXES: [&str; 5] = ["entre ", "de ", "between ", "from ", "either "];
    let text = RANGE_PREFIXES
        .iter()
        .find_map(|word| text.strip_prefix(word))
        .unwrap_or(text);
    let read = |side: &str| {
        let plain = side.trim().replace(',', ".");
        let bare = plain
            .strip_suffix('%')
            .map_or(plain.as_str(), str::trim_end)
            .to_owned();
        parse_amount(&bare).is_ok().then_some(plain)
    };
    RANGE_SEPARATORS.iter().find_map(|word| {
        let (first, last) = text.split_once(word)?;
        let (first, _) = (read(first)?, read(last)?);
        let is_rate = text.ends_with('%') && !first.ends_with('%');
        Some(if is_rate { first + "%" } else { first })
    })
}

fn cells(node: &Node, place: &Place, shape: &Shape, report: &mut Report) -> Vec<Option<Value>> {
    let is_told_as_typo = |missing: &str| node.misspells(missing, &shape.column_names());
    let mut cells = Vec::with_capacity(shape.columns.len());
    for column in &shape.columns {
        let cell = match node.text_of(&column.name) {
            Some(text) if column.ty == Type::Text => Some(Value::Text(text.value.as_str().into())),
            Some(text) => match first_of_range(&text.value) {
                Some(first) => {
                    report.error(
                        &text.place,
                        Problem::RangeOfValues {
                            text: text.value.clone(),
                            first,
                        },
                    );
                    None
                }
                None => read_literal(text, column.ty, report).map(Value::Number),
            },
            None => {
                // The schema reports a key without a value.
                if !column.optional
                    && node.get(&column.name).is_none()
                    && !is_told_as_typo(&column.name)
                {
                    report.error(
                        place,
                        Problem::MissingColumn {
                            column: column.name.clone(),
                            figure: shape.name.clone(),
                        },
                    );
                }
                None
            }
        };
        cells.push(cell);
    }
    cells
}

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, errors, folder, method, read, scale, shown};

    /// A method that reads every column of a figure.
    fn with(shape: &str) -> String {
        let inputs = "  statut: {type: choice, values: a; b, default: a, label: Statut}\n  marie: {type: boolean, default: false, label: Marié}\n";
        format!(
            "{GROSS}{inputs}figures:\n  f: {shape}\nsteps:\n  x: brut\nanswer:\n  x: x\n  f: {{rows: f}}\n"
        )
    }

    fn record(column: &str, figure: &str) -> Vec<&'static str> {
        let answer = "steps:\n  x: brut\nanswer:\n  x: x\n  f: f.v\n";
        errors(
            &format!("{GROSS}figures:\n  f: {{v: {column}}}\n{answer}"),
            &format!("  f: {figure}"),
        )
    }

    #[test]
    fn a_value_is_of_the_type_of_its_column() {
        for (column, value, code) in [
            ("rate", "7", "T12"),
            ("rate", "sept", "T14"),
            ("number", "7%", "T13"),
            ("number", "1,5", "F12"),
            ("number", "1/0", "F13"),
            ("money", "12 34", "F10"),
            ("number", "99999999999999999999999999999999", "F11"),
        ] {
            assert_eq!(
                record(column, &format!("{{v: \"{value}\", source: s}}")),
                [code],
                "{column} {value}"
            );
        }
        for (column, value) in [
            ("rate", "0"),
            ("rate", "2/37"),
            ("number", "137/51"),
            ("money", "1 296 000.50"),
        ] {
            assert_eq!(
                record(column, &format!("{{v: {value}, source: s}}")),
                Vec::<&str>::new(),
                "{column} {value}"
            );
        }
    }

    #[test]
    fn a_figure_says_its_period_and_its_source() {
        assert_eq!(record("money/year", "{v: 1, source: s}"), ["G06"]);
        assert_eq!(
            record("money/year", "{v: 1, per: month, source: s}"),
            ["G07"]
        );
        assert_eq!(record("rate", "{v: 1%, per: month, source: s}"), ["G08"]);
        assert_eq!(record("rate", "{v: 1%}"), ["G04"]);
        assert_eq!(record("rate", "{v: 1%, source: s; t}"), ["G05"]);
        assert_eq!(record("rate", "{source: s}"), ["G03"]);
        assert_eq!(record("optional rate", "{source: s}"), Vec::<&str>::new());
        assert_eq!(record("rate", "{v: 1%, w: 2%, source: s}"), ["S01"]);
    }

    #[test]
    fn two_periods_are_both_said() {
        let method = with("{bound: money/month, v: money/year}");
        let figure = |per: &str| format!("  f: {{per: {per}, source: s, rows: [{{v: 1}}]}}");
        assert_eq!(
            errors(&method, &figure("v year; bound month")),
            Vec::<&str>::new()
        );
        assert_eq!(errors(&method, &figure("month")), ["G07"]);
        assert_eq!(errors(&method, &figure("bound year; v month")), ["G07"]);
    }

    #[test]
    fn every_row_may_have_its_own_source() {
        let method = with("{statut: key, v: rate}");
        assert_eq!(
            errors(
                &method,
                "  f: {rows: [{statut: a, v: 1%, source: s}, {v: 2%, source: s}]}"
            ),
            Vec::<&str>::new()
        );
        assert_eq!(
            errors(
                &method,
                "  f: {rows: [{statut: a, v: 1%, source: s}, {v: 2%}]}"
            ),
            ["G04"]
        );
    }

    #[test]
    fn rows_are_in_order_and_none_answers_twice() {
        let bounded = |rows: &str| {
            errors(
                &with("{bound: number, v: rate}"),
                &format!("  f: {{source: s, rows: [{rows}]}}"),
            )
        };
        assert_eq!(
            bounded("{up_to: 5, v: 1%}, {up_to: 5, v: 2%}, {v: 3%}"),
            ["G12"]
        );
        assert_eq!(bounded("{v: 1%}, {up_to: 5, v: 2%}"), ["G13"]);
        assert_eq!(bounded("{over: 5, v: 1%}, {v: 2%}"), ["G13"]);
        assert_eq!(bounded("{up_to: 5, v: 1%}, {over: 6, v: 2%}"), ["G11"]);
        assert_eq!(bounded("{up_to: 5, below: 6, v: 1%}"), ["G11"]);
        assert_eq!(bounded("{v: 1%}, {v: 2%}"), ["G14"]);
        assert_eq!(
            errors(&with("{bound: number, v: rate}"), "  f: {source: s}"),
            ["G09"]
        );
        let keyed = |rows: &str| {
            errors(
                &with("{statut: key, marie: key, v: rate}"),
                &format!("  f: {{source: s, rows: [{rows}]}}"),
            )
        };
        assert_eq!(keyed("{statut: a; b, v: 1%}, {statut: b, v: 2%}"), ["G14"]);
        assert_eq!(
            keyed("{statut: a, v: 1%}, {statut: a, marie: true, v: 2%}"),
            Vec::<&str>::new()
        );
        assert_eq!(keyed("{statut: c, v: 1%}"), ["T10"]);
        assert_eq!(keyed("{marie: oui, v: 1%}"), ["T15"]);
        assert_eq!(keyed("{statut: a, up_to: 5, v: 1%}"), ["G10"]);
    }

    #[test]
    fn figures_are_exactly_those_of_the_method() {
        let method = format!(
            "{GROSS}figures:\n  f: {{v: rate}}\nsteps:\n  x: brut * f.v\nanswer:\n  x: x\n"
        );
        assert_eq!(errors(&method, "  g: {v: 1%, source: s}"), ["G02", "G01"]);
        assert_eq!(
            shown(
                &folder(&method, "  f: {v: 12.5%, source: s}"),
                "brut=8",
                "x"
            ),
            "1"
        );
    }

    #[test]
    fn a_source_that_nobody_names_is_odd() {
        let keys = format!(
            "{GROSS}figures:\n  f: {{v: rate}}\nsteps:\n  x: brut * f.v\nanswer:\n  x: x\n"
        );
        let scale = scale("  f: {v: 1%, source: s}").replace(
            "figures:",
            "  t: {kind: law, title: T, publisher: P}\nfigures:",
        );
        let (_, report) = read(&[("method.yaml", &method(&keys)), ("2026-01-01.yaml", &scale)]);
        let codes: Vec<_> = report.warnings().map(|warning| warning.code()).collect();
        assert_eq!(codes, ["W05", "W01"]);
    }
}
