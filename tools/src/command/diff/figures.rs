//! Two editions of a scale side by side, figure by figure.

use bareme_engine::{Edition, Figure, InputId, Lang, Method, Row, Shape, Type, Value};
use rust_decimal::Decimal;

use crate::session::say;
use crate::words::{number, percent};

/// A value of two editions.
#[derive(Debug)]
pub(super) struct Line {
    pub label: String,
    pub old: Option<String>,
    pub new: Option<String>,
    /// What became of it, in words; empty where it stayed the same.
    pub change: String,
}

/// What is compared: a value and its type.
type Cell<'v> = Option<(&'v Value, Type)>;

/// A figure of one edition.
#[derive(Clone, Copy)]
struct Side<'e> {
    shape: &'e Shape,
    record: &'e [Option<Value>],
    rows: &'e [Row],
    method: &'e Method,
}

impl<'e> Side<'e> {
    fn all(edition: &'e Edition) -> Vec<Self> {
        let figures = edition.scale().map(|scale| scale.figures.as_slice()).unwrap_or_default();
        let side = |(shape, figure): (&'e Shape, &'e Figure)| Self {
            shape,
            record: &figure.record,
            rows: &figure.rows,
            method: edition.method(),
        };
        edition.method().figures().iter().zip(figures).map(side).collect()
    }

    /// The figure in another edition.
    fn found_in(self, others: &[Self]) -> Option<Self> {
        others.iter().copied().find(|other| other.shape.name == self.shape.name)
    }

    /// The figure in an edition that does not have it.
    fn emptied(self) -> Self {
        Self { record: &[], rows: &[], ..self }
    }

    /// The cell of a column, if it is filled.
    fn cell(self, cells: &'e [Option<Value>], column: &str) -> Cell<'e> {
        let index = self.shape.columns.iter().position(|known| known.name == column)?;
        Some((cells.get(index)?.as_ref()?, self.shape.columns.get(index)?.ty))
    }
}

/// Every value of two editions, in the order of the newer one, then what is gone.
pub(super) fn lines(old: &Edition, new: &Edition, lang: Lang) -> Vec<Line> {
    let mut lines = Vec::new();
    let (before, after) = (Side::all(old), Side::all(new));
    for side in &after {
        compare(side.found_in(&before).unwrap_or_else(|| side.emptied()), *side, lang, &mut lines);
    }
    for side in before.iter().filter(|side| side.found_in(&after).is_none()) {
        compare(*side, side.emptied(), lang, &mut lines);
    }
    lines
}

fn compare(old: Side, new: Side, lang: Lang, lines: &mut Vec<Line>) {
    if new.shape.has_rows() {
        return rows(old, new, lang, lines);
    }
    for column in columns(old.shape, new.shape) {
        let label = format!("{}.{column}", new.shape.name);
        lines.extend(line(label, old.cell(old.record, column), new.cell(new.record, column), lang));
    }
}

/// The columns of both, those of the newer one first.
fn columns<'s>(old: &'s Shape, new: &'s Shape) -> Vec<&'s str> {
    let mut names = new.column_names();
    let gone = old.column_names().into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>();
    names.extend(gone);
    names
}

/// Rows answer each other by their keys, then by their place.
fn rows(old: Side, new: Side, lang: Lang, lines: &mut Vec<Line>) {
    let (old_rows, new_rows) = (keyed(old), keyed(new));
    let find = |rows: &[(RowKey, &'_ Row)], key: &RowKey| rows.iter().position(|(known, _)| known == key);
    let gone = old_rows.iter().filter(|(key, _)| find(&new_rows, key).is_none());
    for (key, _) in new_rows.iter().chain(gone) {
        let before = find(&old_rows, key).and_then(|index| old_rows.get(index)).map(|(_, row)| *row);
        let after = find(&new_rows, key).and_then(|index| new_rows.get(index)).map(|(_, row)| *row);
        let name = row_name(new.shape, key, lang);
        if let Some(ty) = new.shape.bound {
            let bound = |row: Option<&Row>| row.and_then(|row| row.bound).map(|bound| Value::Number(bound.value));
            let (before, after) = (bound(before), bound(after));
            let label = say!(lang, "{name}, borne", "{name}, bound");
            lines.extend(line(
                label,
                before.as_ref().map(|value| (value, ty)),
                after.as_ref().map(|value| (value, ty)),
                lang,
            ));
        }
        for column in columns(old.shape, new.shape) {
            let before = before.and_then(|row| old.cell(&row.cells, column));
            let after = after.and_then(|row| new.cell(&row.cells, column));
            lines.extend(line(format!("{name}, {column}"), before, after, lang));
        }
    }
}

/// The keys of a row in words, and its place among the rows of the same keys.
type RowKey = (String, usize);

fn keyed(side: Side<'_>) -> Vec<(RowKey, &Row)> {
    let mut found: Vec<(RowKey, &Row)> = Vec::new();
    for row in side.rows {
        let words = keys(row, side.shape, side.method);
        let place = found.iter().filter(|((known, _), _)| *known == words).count();
        found.push(((words, place), row));
    }
    found
}

fn keys(row: &Row, shape: &Shape, method: &Method) -> String {
    let word = |value: &Value, input: Option<InputId>| match (value, input.and_then(|input| input.of(method.inputs())))
    {
        (value, Some(input)) => input.sent_text(value),
        (Value::Number(number), None) => number.to_string(),
        _ => String::new(),
    };
    let named = shape.keys.iter().zip(&row.keys).filter(|(_, values)| !values.is_empty());
    let named = named.map(|(key, values)| {
        let values: Vec<String> = values.iter().map(|value| word(value, key.input)).collect();
        format!("{} {}", key.name, values.join("; "))
    });
    named.collect::<Vec<_>>().join(", ")
}

fn row_name(shape: &Shape, (keys, place): &RowKey, lang: Lang) -> String {
    let mut name = shape.name.clone();
    if !keys.is_empty() {
        name = format!("{name}, {keys}");
    }
    if shape.bound.is_some() {
        let index = place + 1;
        name = say!(lang, "{name}, ligne {index}", "{name}, row {index}");
    }
    name
}

fn line(label: String, old: Cell, new: Cell, lang: Lang) -> Option<Line> {
    if old.is_none() && new.is_none() {
        return None;
    }
    let shown = |cell: Cell| cell.map(|(value, ty)| shown(value, ty, lang));
    Some(Line { label, old: shown(old), new: shown(new), change: change(old, new, lang) })
}

fn shown(value: &Value, ty: Type, lang: Lang) -> String {
    match value {
        Value::Number(rate) if ty == Type::Rate => percent(rate.normalize(), lang),
        Value::Number(amount) => number(*amount, lang),
        Value::Text(text) => text.to_string(),
        _ => String::new(),
    }
}

fn change(old: Cell, new: Cell, lang: Lang) -> String {
    let (old, new, ty) = match (old, new) {
        (None, _) => return say!(lang, "nouveau", "new"),
        (_, None) => return say!(lang, "disparu", "gone"),
        (Some((old, _)), Some((new, _))) if old == new => return String::new(),
        (Some((Value::Number(old), _)), Some((Value::Number(new), ty))) => (*old, *new, ty),
        _ => return say!(lang, "changé", "changed"),
    };
    let difference = new.saturating_sub(old);
    let signed = |value: Decimal| {
        let sign = if value > Decimal::ZERO { "+" } else { "" };
        format!("{sign}{}", number(value.round_dp(2).normalize(), lang))
    };
    if ty == Type::Rate {
        let points = signed(difference.saturating_mul(Decimal::ONE_HUNDRED));
        return say!(lang, "{points} pt", "{points} pt");
    }
    match difference.saturating_mul(Decimal::ONE_HUNDRED).checked_div(old.abs()) {
        Some(share) => format!("{} %", signed(share)),
        None => signed(difference),
    }
}
