//! Checks of the figures of a dated file: sources, period, order of the bounds.

use crate::law::types::Type;
use crate::text::number::{parse_amount, parse_rate};
use crate::text::problem::suggestion;
use crate::text::{Node, PlacedText, Problem, Report};

use super::keys::is_of_rows;
use super::plausibility::is_ambiguous;
use super::{
    BoundWord, CONFIDENCE, EVIDENCE, Figure, NOTE, PERIOD, Row, SOURCE, Shape, parts_of, rows_of,
};

/// Reports a figure, or a row, that neither names a source nor says that none was found and how
/// certain it is.
pub(super) fn check_sourced(name: &PlacedText, node: &Node, report: &mut Report) {
    // Only presence matters here: the schema reports values of another form.
    let says = |node: &Node, key: &str| node.get(key).is_some();
    // Evidence is enough only with a confidence and a note, which callers see.
    let is_sourced = |node: &Node| {
        says(node, SOURCE) || (says(node, EVIDENCE) && says(node, CONFIDENCE) && says(node, NOTE))
    };

    let rows = rows_of(node);
    if is_sourced(node) || (!rows.is_empty() && rows.iter().all(is_sourced)) {
        return;
    }

    let figure = name.value.clone();
    let evidence = parts_of(node)
        .filter(|part| !is_sourced(part))
        .find_map(|part| part.text_of(EVIDENCE));

    match evidence {
        Some(text) => report.error(&text.place, Problem::EvidenceAlone { figure }),
        None => report.error(&name.place, Problem::MissingSource { figure }),
    }
}

/// Reports a period that differs from that of the shape, in the file or left out.
pub(super) fn check_period(name: &PlacedText, node: &Node, shape: &Shape, report: &mut Report) {
    let figure = name.value.clone();
    // A file repeats the period that its method declares, so that a monthly amount is not written
    // where a yearly one is read.
    match (node.text_of(PERIOD), shape.period()) {
        (None, None) => {}
        (Some(written), None) => report.error(&written.place, Problem::PeriodNotWanted { figure }),
        (None, Some(expected)) => {
            report.error(&name.place, Problem::PeriodMissing { figure, expected })
        }
        (Some(written), Some(expected)) if periods(&written.value) != periods(&expected) => {
            let near = suggestion(&written.value, [expected.as_str()]).map(str::to_owned);
            report.error(
                &written.place,
                Problem::PeriodDiffers {
                    stated: written.value.clone(),
                    expected,
                    near,
                },
            );
        }
        _ => {}
    }
}

/// The words of a period, split into its parts and sorted, so that their order does not matter.
fn periods(text: &str) -> Vec<Vec<&str>> {
    let mut parts: Vec<Vec<&str>> = text
        .split(';')
        .map(|part| part.split_whitespace().collect())
        .collect();
    parts.sort();
    parts
}

/// Whether every row has only keys of the figure, and keys and bounds that can be read. A row with
/// mistakes was reported, and would make the rows beside it look wrong.
pub(super) fn are_readable(figure: &Figure, rows: &Node, shape: &Shape) -> bool {
    let is_bound = |key: &str| BoundWord::from_word(key).is_some();

    // Bounds are parsed as their reader does, by the type that the method declares.
    let is_number = |text: &PlacedText| {
        let value = text.value.as_str();
        match shape.bound {
            Some(Type::Rate) => parse_rate(value).is_ok(),
            Some(Type::Money(_)) => parse_amount(value).is_ok() && !is_ambiguous(value),
            _ => parse_amount(value).is_ok(),
        }
    };

    let is_readable = |(key, value): &(PlacedText, Node)| {
        is_known(&key.value, shape)
            && (!is_bound(&key.value) || value.text().is_some_and(is_number))
    };

    // A key that is not written answers all values; one that could not be read would do so too.
    let has_keys = |(row, item): (&Row, &Node)| {
        let mut keys = shape.keys.iter().zip(&row.keys);
        keys.all(|(key, read)| match item.get(&key.name) {
            Some(written) => written
                .text()
                .is_some_and(|text| text.list().len() == read.len()),
            None => true,
        })
    };

    let items = rows.items();
    figure.rows.len() == items.len()
        && items.iter().flat_map(Node::entries).all(is_readable)
        && figure.rows.iter().zip(items).all(has_keys)
}

/// Whether a key may be in the rows of a figure.
pub(super) fn is_known(key: &str, shape: &Shape) -> bool {
    is_of_rows(key)
        || shape.keys.iter().any(|known| known.name == key)
        || shape.columns.iter().any(|known| known.name == key)
}

/// The text of the bound of a row.
fn written_bound(row: &Node) -> Option<&PlacedText> {
    let (_, node) = row
        .entries()
        .iter()
        .find(|(key, _)| BoundWord::from_word(&key.value).is_some())?;
    node.text()
}

/// Checks each group of rows: bounds increase, at most one row has no bound and it comes after
/// every bound is tested, and no two rows match the same values.
pub(super) fn check_bounds(figure: &Figure, written: &[Node], report: &mut Report) {
    for group in figure.lookup.groups() {
        // A bound of the other direction was reported already.
        let is_like = |row: &&Row| {
            row.bound
                .is_none_or(|bound| bound.word.is_upper() == figure.bounds_are_upper)
        };

        let row = |index: &usize| {
            figure
                .rows
                .get(*index)
                .map(|row| (row, written.get(*index)))
        };

        let rows: Vec<(&Row, Option<&Node>)> = group
            .iter()
            .filter_map(row)
            .filter(|(row, _)| is_like(row))
            .collect();
        let bounded = rows.iter().any(|(row, _)| row.bound.is_some());

        for (index, (row, node)) in rows.iter().enumerate() {
            // The row without a bound takes the rest: after all upper bounds, before all lower
            // ones.
            let open_place = if figure.bounds_are_upper {
                index + 1 == rows.len()
            } else {
                index == 0
            };
            let before = index.checked_sub(1).and_then(|before| rows.get(before));

            match (row.bound, before.and_then(|(before, _)| before.bound)) {
                (None, _) if !open_place && bounded => {
                    report.error(&row.place, Problem::OpenRowMisplaced {});
                }
                (Some(bound), Some(before_it)) if bound.value <= before_it.value => {
                    let text = node.and_then(written_bound);
                    let before = before.and_then(|(_, node)| node.and_then(written_bound));
                    let [bound, before] =
                        [text, before].map(|text| text.map_or("", |text| &text.value).to_owned());
                    let place = text.map_or(&row.place, |text| &text.place);
                    report.error(place, Problem::BoundsDoNotIncrease { bound, before });
                }
                _ => {}
            }
            // Of rows without bounds only the first is ever found.
            if let (false, Some((first, _)), true) = (bounded, rows.first(), index > 0) {
                report.error(
                    &row.place,
                    Problem::RowsAnswerTheSame {
                        line: first.place.line(),
                    },
                );
            }
        }
    }
}
