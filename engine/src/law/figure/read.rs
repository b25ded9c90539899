//! The reader of the figures of a dated file, in the shapes that the method declares.

use std::sync::Arc;

use rust_decimal::Decimal;

use crate::law::formula::Symbols;
use crate::law::input::read_literal;
use crate::law::{Type, Value};
use crate::say;
use crate::text::limits;
use crate::text::number::parse_amount;
use crate::text::problem::suggestion;
use crate::text::{Node, Place, PlacedText, Problem, Report};

use super::cells::check_marks;
use super::check::{are_readable, check_bounds, check_period, check_sourced, is_known};
use super::{
    Bound, BoundWord, CONFIRMED, Figure, Key, Lookup, ROWS, Remark, Row, Shape, Sources, rows_of,
};

/// Reads a figure of a dated file into the shape that the method declares.
pub(crate) fn read_figure(
    name: &PlacedText,
    node: &Node,
    shape: &Shape,
    symbols: &Symbols,
    sources: &mut Sources,
    report: &mut Report,
) -> Figure {
    let mut figure = Figure {
        sources: sources.read(node, report),
        evidence: sources.read_evidence(node, report),
        remark: Remark::read(node),
        confirmed: node.string_of(CONFIRMED),
        ..Figure::without_values(&name.place)
    };

    check_period(name, node, shape, report);
    // Bounds are compared only where all of them could be read, so that one mistake is not reported
    // twice.
    if shape.has_rows() {
        read_rows(&mut figure, node, shape, symbols, sources, report);
        if let Some(rows) = node.get(ROWS)
            && are_readable(&figure, rows, shape)
        {
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
    symbols: &Symbols,
    sources: &mut Sources,
    report: &mut Report,
) {
    let items = rows_of(node);
    if !limits::ROWS.accepts(items.len(), &figure.place, report) {
        return;
    }

    let mut rows: Vec<Row> = Vec::with_capacity(items.len());
    let mut direction = None;
    for item in items {
        // A file full of mistakes is not read to its end: the report keeps no more of them.
        if report.is_full() {
            return;
        }

        let Some((first, _)) = item.entries().first() else {
            report.error(&item.place, not_a_row(shape));
            continue;
        };
        // A row has no name: messages point at its first key.
        let place = first.place.clone();

        let keys = shape
            .keys
            .iter()
            .map(|key| key_values(item, key, symbols, report))
            .collect();

        // The first bound that can be read gives the figure its direction.
        let bound = row_bound(item, shape, direction, report);
        direction = direction.or(bound.map(|bound| bound.word.is_upper()));

        let row = Row {
            keys,
            bound,
            // Columns are missing where the row is misread from its first key on: that key is
            // reported, and hides no other message.
            cells: if is_known(&first.value, shape) {
                cells(item, &place, shape, report)
            } else {
                cells(item, &place, shape, &mut Report::default())
            },
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

    // The index holds one entry for each combination of values that a row lists: their number is
    // bounded, for the memory of a server.
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

    figure.bounds_are_upper = direction.unwrap_or(true);
    figure.rows = Arc::new(rows);
}

/// The problem of a row that is no map: `- 45%`, `- [84 577, 30%]`.
fn not_a_row(shape: &Shape) -> Problem {
    let bound = shape.bound.map(|_| "up_to");
    let keys = shape.keys.iter().map(|key| key.name.as_str());
    let columns = shape.columns.iter().map(|column| column.name.as_str());

    let names: Vec<String> = keys
        .chain(bound)
        .chain(columns)
        .map(|name| format!("{name}: …"))
        .collect();
    let row = names.join(", ");
    Problem::WrongShape {
        shape: say!(
            "les clés de la ligne et leurs valeurs",
            "the keys of the row and their values"
        ),
        cure: say!("écrire `- {{{row}}}`", "write `- {{{row}}}`"),
    }
}

fn key_values(item: &Node, key: &Key, symbols: &Symbols, report: &mut Report) -> Vec<Value> {
    // A row without the key answers the values that no other row lists.
    let Some(text) = item.text_of(&key.name) else {
        return Vec::new();
    };

    let input = key.input.and_then(|input| input.of(&symbols.inputs));
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

                // A range, or a number in words: the key lists each of its values.
                let is_not_numeric =
                    word.value.contains(char::is_alphabetic) || word.value.contains(['+', '–']);
                let is_range = word.value.trim_start_matches('-').contains('-');

                if ty != Type::Rate && (is_not_numeric || is_range) {
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

/// Reads the bound of a row. A figure has either upper or lower bounds: `direction` is that of
/// the rows above.
fn row_bound(
    item: &Node,
    shape: &Shape,
    direction: Option<bool>,
    report: &mut Report,
) -> Option<Bound> {
    let mut bound = None;
    let mut is_reported = false;

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

        let is_mixed = bound.is_some() || direction.is_some_and(|upper| upper != word.is_upper());
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
    // The end without a bound is a row without the key, rather than an infinite number.
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

    // Both sides must be numbers: a label with a dash is no range.
    RANGE_SEPARATORS.iter().find_map(|word| {
        let (first, last) = text.split_once(word)?;
        let (first, _) = (read(first)?, read(last)?);

        let is_rate = text.ends_with('%') && !first.ends_with('%');
        Some(if is_rate { first + "%" } else { first })
    })
}

fn cells(node: &Node, place: &Place, shape: &Shape, report: &mut Report) -> Vec<Option<Value>> {
    let is_reported_as_typo = |missing: &str| node.misspells(missing, &shape.column_names());

    let mut cells = Vec::with_capacity(shape.columns.len());
    for column in &shape.columns {
        let cell = match node.text_of(&column.name) {
            Some(text) if column.ty == Type::Text => Some(Value::Text(text.value.as_str().into())),
            // The law sets one value: somebody must choose in a range.
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
                    && !is_reported_as_typo(&column.name)
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
mod tests;
