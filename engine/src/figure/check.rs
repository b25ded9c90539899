//! What a figure of a dated file must say of itself: its sources, its period, bounds that follow each other.

use crate::diagnostic::Report;
use crate::number::{parse_amount, parse_rate};
use crate::problem::{Problem, meant};
use crate::types::{Period, Type};
use crate::yaml::{Node, Text};

use super::doubtful::reads_in_two_ways;
use super::values::{EVIDENCE, SOURCE};
use super::{BoundWord, Figure, Row, Shape};

/// A figure, or each of its rows, says which text sets it; or that none was found and how certain it then is.
pub(super) fn check_sourced(name: &Text, node: &Node, report: &mut Report) {
    let says = |node: &Node, key: &str| node.text_of(key).is_some();
    let is_sourced =
        |node: &Node| says(node, SOURCE) || (says(node, EVIDENCE) && says(node, "confidence") && says(node, "note"));
    let rows = node.get("rows").map(Node::items).unwrap_or_default();
    if is_sourced(node) || (!rows.is_empty() && rows.iter().all(is_sourced)) {
        return;
    }
    let figure = name.value.clone();
    let evidence =
        [node].into_iter().chain(rows).filter(|part| !is_sourced(part)).find_map(|part| part.text_of(EVIDENCE));
    match evidence {
        Some(text) => report.error(&text.place, Problem::EvidenceAlone { figure }),
        None => report.error(&name.place, Problem::MissingSource { figure }),
    }
}

/// The period that the file states must be the one of the shape.
pub(super) fn check_period(name: &Text, node: &Node, shape: &Shape, report: &mut Report) {
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
    let expected = match common {
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
            let (mut said, mut expected) = (words(&text.value), words(&expected));
            said.sort();
            expected.sort();
            !periods.is_empty() && said == expected
        }
    };
    if agrees {
        return;
    }
    let place = said.map_or(&name.place, |text| &text.place);
    let problem = match said {
        _ if periods.is_empty() => Problem::PeriodNotWanted { figure: name.value.clone() },
        None => Problem::PeriodMissing { figure: name.value.clone(), expected },
        Some(text) => {
            let near = meant(&text.value, [expected.as_str()]).map(str::to_owned);
            Problem::PeriodDiffers { said: text.value.clone(), expected, near }
        }
    };
    report.error(place, problem);
}

/// Whether every row has only keys of the figure, and bounds that can be read: what is wrong with a row that has
/// others was reported, and would make its neighbours look wrong.
pub(super) fn are_readable(rows: &Node, shape: &Shape) -> bool {
    let is_bound = |key: &str| BoundWord::read(key).is_some();
    let is_known = |key: &str| {
        matches!(key, SOURCE | EVIDENCE | "confidence" | "note")
            || is_bound(key)
            || shape.keys.iter().any(|known| known.name == key)
            || shape.columns.iter().any(|known| known.name == key)
    };
    let is_money = matches!(shape.bound, Some(Type::Money(_)));
    let is_number = |text: &Text| {
        let value = text.value.as_str();
        (parse_amount(value).is_ok() || parse_rate(value).is_ok()) && !(is_money && reads_in_two_ways(value))
    };
    let is_readable = |(key, value): &(Text, Node)| {
        is_known(&key.value) && (!is_bound(&key.value) || value.text().is_some_and(is_number))
    };
    rows.items().iter().flat_map(Node::entries).all(is_readable)
}

/// Within each group of rows: bounds increase, one row at most is open and stands where it is
/// reached last, and no two rows answer the same.
pub(super) fn check_bounds(figure: &Figure, report: &mut Report) {
    for group in figure.lookup.groups() {
        // A bound of the other pair was reported already.
        let is_like = |row: &&Row| row.bound.is_none_or(|bound| bound.word.is_upper() == figure.upper);
        let rows: Vec<&Row> = group.iter().filter_map(|index| figure.rows.get(*index)).filter(is_like).collect();
        let bounded = rows.iter().any(|row| row.bound.is_some());
        for (index, row) in rows.iter().enumerate() {
            let open_place = if figure.upper { index + 1 == rows.len() } else { index == 0 };
            let before = index.checked_sub(1).and_then(|before| rows.get(before)).and_then(|row| row.bound);
            match (row.bound, before) {
                (None, _) if !open_place && bounded => {
                    report.error(&row.place, Problem::OpenRowMisplaced {});
                }
                (None, _) if !open_place => {
                    let other = if figure.upper { rows.get(index + 1) } else { rows.first() };
                    let line = other.map_or(0, |other| other.place.line());
                    report.error(&row.place, Problem::RowsAnswerTheSame { line });
                }
                (Some(bound), Some(before)) if bound.value <= before.value => {
                    let (bound, before) = (bound.value.to_string(), before.value.to_string());
                    report.error(&row.place, Problem::BoundsDoNotIncrease { bound, before });
                }
                _ => {}
            }
        }
    }
}
