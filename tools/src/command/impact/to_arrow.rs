//! The tables of an impact, of the same numbers as its JSON.

use std::str::FromStr;
use std::sync::Arc;

use bareme_arrow::arrow::array::{ArrayRef, Decimal128Array, Int64Array, RecordBatch, StringArray};
use bareme_arrow::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use bareme_arrow::arrow::error::ArrowError;
use bareme_engine::run::plan::FixedPoint;
use rust_decimal::Decimal;
use serde_json::{Map, Value, json};

use super::Impact;
use super::rows::OF_SHARES;
use super::scale::Units;

/// Digits of the columns of decimals.
const DIGITS: u8 = 38;

/// Decimals of effective and marginal rates, of shares below a line and of Gini coefficients.
const OF_RATES: u32 = 4;

/// A table of an impact.
#[derive(Debug, Clone)]
pub struct ImpactTable {
    /// Its name: `totals`, `parts`, `groups`, `distribution`, `figures` or `rows`.
    pub name: &'static str,
    /// Its rows.
    pub rows: RecordBatch,
}

/// A column: its name, the members that lead to its value, and what it holds.
struct Column {
    name: String,
    path: Vec<&'static str>,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Count,
    /// A decimal with so many decimals.
    Number(u32),
}

impl Impact<'_> {
    /// The tables, each with a first column that names the reform.
    pub(super) fn tables(&self, name: &str) -> Result<Vec<ImpactTable>, ArrowError> {
        let json = self.to_json();
        let units = self.units;
        let list = |member: &str| json.get(member).and_then(Value::as_array).cloned();

        let mut tables = vec![
            ("totals", of_totals(units), vec![json.clone()]),
            ("parts", of_parts(units), parts(&json)),
            (
                "groups",
                of_groups(units),
                list("groups").unwrap_or_default(),
            ),
            (
                "distribution",
                self.of_distribution(),
                list("distribution").unwrap_or_default(),
            ),
            ("figures", of_figures(), list("figures").unwrap_or_default()),
        ];
        if self.question.keeps_rows {
            tables.push(("rows", of_rows(units), self.rows_json()));
        }

        let table = |(table, columns, rows): (&'static str, Vec<Column>, Vec<Value>)| {
            Ok(ImpactTable {
                name: table,
                rows: batch(name, &columns, &rows)?,
            })
        };
        tables.into_iter().map(table).collect()
    }

    fn of_distribution(&self) -> Vec<Column> {
        // The bounds of the ranges of a rate are in points.
        let decimals = self.units.amount.saturating_add(2);
        vec![
            column(&["from"], Kind::Number(decimals)),
            column(&["to"], Kind::Number(decimals)),
            column(&["rows"], Kind::Count),
            column(&["weight"], Kind::Number(self.units.weight)),
        ]
    }
}

/// The winners, the losers and the others, a row each.
fn parts(json: &Value) -> Vec<Value> {
    let part = |name: &&str| {
        let mut members: Map<String, Value> = json.get(*name)?.as_object()?.clone();
        members.insert("part".to_owned(), json!(name));
        Some(Value::Object(members))
    };
    ["winners", "losers", "unchanged"]
        .iter()
        .filter_map(part)
        .collect()
}

fn of_totals(units: Units) -> Vec<Column> {
    let mut columns = vec![
        column(&["folder"], Kind::Text),
        column(&["field"], Kind::Text),
        column(&["unit"], Kind::Text),
        column(&["from", "scale"], Kind::Text),
        column(&["to", "scale"], Kind::Text),
        column(&["refused"], Kind::Count),
    ];
    columns.extend(of_tally(units));

    for path in [["gini", "before"], ["gini", "after"]] {
        columns.push(inside("inequality", &path, Kind::Number(OF_RATES)));
    }
    columns.push(inside(
        "inequality",
        &["poverty_line"],
        Kind::Number(units.amount),
    ));
    for path in [["poverty", "before"], ["poverty", "after"]] {
        columns.push(inside("inequality", &path, Kind::Number(OF_RATES)));
    }
    columns
}

fn of_groups(units: Units) -> Vec<Column> {
    let mut columns = vec![column(&["by"], Kind::Text), column(&["value"], Kind::Text)];
    columns.extend(of_tally(units));

    for part in ["winners", "losers", "unchanged"] {
        let of_part = [
            ("rows", Kind::Count),
            ("weight", Kind::Number(units.weight)),
            ("share", Kind::Number(OF_SHARES)),
            ("total", Kind::Number(total(units))),
            ("mean", Kind::Number(mean(units))),
        ];
        columns.extend(of_part.map(|(member, kind)| column(&[part, member], kind)));
    }
    columns
}

fn of_tally(units: Units) -> Vec<Column> {
    let (total, mean) = (Kind::Number(total(units)), Kind::Number(mean(units)));
    vec![
        column(&["rows"], Kind::Count),
        column(&["weight"], Kind::Number(units.weight)),
        column(&["before", "total"], total),
        column(&["after", "total"], total),
        column(&["difference"], total),
        column(&["before", "mean"], mean),
        column(&["after", "mean"], mean),
        column(&["mean_difference"], mean),
        column(&["effective_rate", "before"], Kind::Number(OF_RATES)),
        column(&["effective_rate", "after"], Kind::Number(OF_RATES)),
        column(&["marginal_rate", "before"], Kind::Number(OF_RATES)),
        column(&["marginal_rate", "after"], Kind::Number(OF_RATES)),
        column(&["mean_income"], mean),
        column(&["gain_share"], Kind::Number(OF_SHARES)),
        error("before", total),
        error("after", total),
        error("difference", total),
        error("mean_difference", mean),
        error("winners", Kind::Number(OF_SHARES)),
        error("losers", Kind::Number(OF_SHARES)),
        error("gain_share", Kind::Number(OF_SHARES)),
    ]
}

/// The column of a standard error, `difference_error`.
fn error(member: &'static str, kind: Kind) -> Column {
    Column {
        name: format!("{member}_error"),
        path: vec!["standard_errors", member],
        kind,
    }
}

fn of_parts(units: Units) -> Vec<Column> {
    vec![
        column(&["part"], Kind::Text),
        column(&["rows"], Kind::Count),
        column(&["weight"], Kind::Number(units.weight)),
        column(&["share"], Kind::Number(OF_SHARES)),
        column(&["total"], Kind::Number(total(units))),
        column(&["mean"], Kind::Number(mean(units))),
        column(&["median"], Kind::Number(units.amount)),
    ]
}

fn of_figures() -> Vec<Column> {
    ["figure", "before", "after", "change", "law"]
        .map(|member| column(&[member], Kind::Text))
        .into()
}

fn of_rows(units: Units) -> Vec<Column> {
    let amount = Kind::Number(units.amount);
    // A hundred more of an income: two decimals more.
    let rate = Kind::Number(mean(units));
    vec![
        column(&["row"], Kind::Count),
        column(&["weight"], Kind::Number(units.weight)),
        column(&["income"], Kind::Number(units.income)),
        column(&["before"], amount),
        column(&["after"], amount),
        column(&["gain"], amount),
        column(&["gain_share"], Kind::Number(OF_SHARES)),
        column(&["marginal_rate", "before"], rate),
        column(&["marginal_rate", "after"], rate),
    ]
}

/// Decimals of a weighted sum.
fn total(units: Units) -> u32 {
    units.amount.saturating_add(units.weight)
}

/// Decimals of a mean.
fn mean(units: Units) -> u32 {
    units.amount.saturating_add(2)
}

/// A column whose name is its path.
fn column(path: &[&'static str], kind: Kind) -> Column {
    Column {
        name: path.join("_"),
        path: path.to_vec(),
        kind,
    }
}

/// A column whose path begins with a member that its name leaves out.
fn inside(first: &'static str, path: &[&'static str], kind: Kind) -> Column {
    Column {
        name: path.join("_"),
        path: [&[first], path].concat(),
        kind,
    }
}

fn batch(reform: &str, columns: &[Column], rows: &[Value]) -> Result<RecordBatch, ArrowError> {
    let mut fields = vec![Field::new("reform", DataType::Utf8, false)];
    let mut arrays: Vec<ArrayRef> = vec![Arc::new(StringArray::from(vec![reform; rows.len()]))];

    for column in columns {
        let values = rows.iter().map(|row| {
            let mut path = column.path.iter();
            path.try_fold(row, |value, member| value.get(member))
        });

        let (ty, array) = array(column.kind, values)?;
        fields.push(Field::new(&column.name, ty, true));
        arrays.push(array);
    }

    let schema: SchemaRef = Arc::new(Schema::new(fields));
    RecordBatch::try_new(schema, arrays)
}

fn array<'v>(
    kind: Kind,
    values: impl Iterator<Item = Option<&'v Value>>,
) -> Result<(DataType, ArrayRef), ArrowError> {
    let values = values.map(|value| value.filter(|value| !value.is_null()));

    Ok(match kind {
        Kind::Text => {
            let texts: StringArray = values.map(|value| value.map(text)).collect();
            (DataType::Utf8, Arc::new(texts))
        }
        Kind::Count => {
            let counts: Int64Array = values.map(|value| value.and_then(Value::as_i64)).collect();
            (DataType::Int64, Arc::new(counts))
        }
        Kind::Number(decimals) => {
            let scale = i8::try_from(decimals).unwrap_or(i8::MAX);
            let numbers = values
                .map(|value| value.map(|value| number(value, decimals)).transpose())
                .collect::<Result<Vec<_>, _>>()?;

            let array = Decimal128Array::from(numbers).with_precision_and_scale(DIGITS, scale)?;
            (DataType::Decimal128(DIGITS, scale), Arc::new(array))
        }
    })
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A number of the JSON, with some decimals.
fn number(value: &Value, decimals: u32) -> Result<i128, ArrowError> {
    let exact = Decimal::from_str(&value.to_string())
        .ok()
        .and_then(|number| FixedPoint::from(number).at_scale(decimals));
    // A column that lost digits would differ from the JSON without a word.
    exact.ok_or_else(|| ArrowError::CastError(format!("{value}: {decimals}")))
}
