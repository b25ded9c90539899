//! Suspicious changes of figures between a dated file and the one before it.

use std::collections::BTreeSet;

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::law::figure::{EVIDENCE, NOTE, SOURCE, parts_of, rows_of};
use crate::law::types::Type;
use crate::say;
use crate::set::cell::Cell;
use crate::text::number::{div, larger, mul, smaller, sub};
use crate::text::{Node, PlacedText, Problem, Text};

use super::finding::Finding;
use super::outliers::{outliers, outliers_of_texts};
use super::sheet::{Compared, Entry, Line, Pair, Sheet, Table, all_pairs};
use super::tables;

/// A value that is multiplied or divided by this factor did not move by a revaluation.
const FACTOR: Decimal = Decimal::from_parts(3, 0, 0, false, 0);

/// All suspicious changes, by kind.
pub(super) fn findings<'s>(
    new: &'s Sheet,
    old: Option<&'s Sheet>,
    older: Option<&'s Sheet>,
) -> Vec<Vec<Finding<'s>>> {
    // A first file has nothing to be compared with but itself.
    let Some(old) = old else {
        return vec![
            new.figures
                .iter()
                .flat_map(|table| falls(table, None))
                .collect(),
        ];
    };

    let date = old.date;
    let both = all_pairs(old, new);
    let each = |find: fn(&Compared<'s>, Date) -> Vec<Finding<'s>>| {
        both.iter().flat_map(|both| find(both, date)).collect()
    };
    let older = older
        .map(|older| back_to_before(older, &both, date))
        .unwrap_or_default();

    vec![
        each(lost),
        each(moved),
        each(reworded),
        each(|both, date| falls(both.new, Some((both.old, date)))),
        swapped(&both, date),
        each(|both, date| outliers(&both.pairs, date)),
        outliers_of_texts(&both, date, old, new),
        tables::parted(&both, date),
        each(tables::torn),
        each(tables::shifted),
        each(tables::by_one_factor),
        each(tables::unlisted),
        older,
        both.iter()
            .flat_map(|both| same_source(both, date, old, new))
            .collect(),
    ]
}

/// A finding at the place of a cell.
pub(super) fn finding<'s>(
    cell: &'s Cell,
    problem: impl Fn(Text<String>) -> Problem + 's,
) -> Finding<'s> {
    Finding {
        figure: &cell.figure,
        row: cell.row,
        place: cell.text.place.clone(),
        problem: Box::new(problem),
    }
}

/// Values and bounds that moved by [`FACTOR`] or more, came from zero or went to it, or changed
/// their sign.
fn moved<'s>(Compared { pairs, .. }: &Compared<'s>, date: Date) -> Vec<Finding<'s>> {
    let is_far = |pair: &&Pair| {
        let (old, new) = (pair.old.value, pair.new.value);
        if !pair.is_changed() {
            return false;
        }

        // From zero or to it, the factor is without limit: the product is 0.
        let least = smaller(old.abs(), new.abs());
        let most = larger(old.abs(), new.abs());
        let changes_sign = old.is_sign_negative() != new.is_sign_negative();
        changes_sign || mul(least, FACTOR).is_ok_and(|limit| most >= limit)
    };

    let reported = |pair: &Pair<'s>| {
        let (old, new) = (&pair.old.cell, &pair.new.cell);
        finding(new, move |others| {
            let cell = new.name();
            let before = old.written().to_owned();
            let after = new.written().to_owned();
            let date = date.to_string();
            match new.is_bound {
                true => Problem::BoundMoved {
                    cell,
                    before,
                    after,
                    date,
                    others,
                },
                false => Problem::ValueMoved {
                    cell,
                    before,
                    after,
                    date,
                    others,
                },
            }
        })
    };

    pairs.iter().filter(is_far).map(reported).collect()
}

/// Bounds that take another word, `below` for `up_to`: the value of the bound itself changes its
/// row.
fn reworded<'s>(Compared { pairs, .. }: &Compared<'s>, date: Date) -> Vec<Finding<'s>> {
    let is_reworded = |pair: &&Pair| {
        let (old, new) = (&pair.old.cell, &pair.new.cell);
        new.is_bound && old.column != new.column
    };

    let reported = |pair: &Pair<'s>| {
        let (old, new) = (&pair.old.cell, &pair.new.cell);
        finding(new, move |others| Problem::BoundWordChanged {
            cell: new.name(),
            before: old.column.clone(),
            after: new.column.clone(),
            date: date.to_string(),
            others,
        })
    };

    pairs.iter().filter(is_reworded).map(reported).collect()
}

/// Brackets and rows that the earlier file has and the later one does not.
fn lost<'s>(Compared { old, new, .. }: &Compared<'s>, date: Date) -> Vec<Finding<'s>> {
    let groups = old.groups();
    let mut found = Vec::new();

    for group in &groups {
        let Some(first) = group.first() else { continue };

        // Keys may be regrouped: rows of one value each become one row of several.
        let before = group.len();
        let after = new.group(&first.keys).len();
        if after >= before || (after == 0 && new.answers(&first.keys)) {
            continue;
        }

        // The row to name is one that is gone; where none is, the first.
        let gone = gone(group, &new.group(&first.keys)).unwrap_or(*first);

        let row = written(gone, rows_of(old.node));
        let name = &new.name.value;
        let date = date.to_string();
        let problem = move |others: Text<String>| Problem::RowLost {
            figure: name.clone(),
            before,
            after,
            row: row.clone(),
            date: date.clone(),
            others,
        };
        found.push(Finding {
            figure: name,
            row: None,
            place: new.name.place.clone(),
            problem: Box::new(problem),
        });
    }

    found
}

/// The line that a later group lacks: by its values, since bounds may all have moved; among equal
/// ones, or where all values moved too, by its bound.
fn gone<'l>(before: &[&'l Line], after: &[&Line]) -> Option<&'l Line> {
    let values = |line: &Line| -> Vec<Decimal> {
        let cells = line.cells.iter().filter(|entry| !entry.cell.is_bound);
        cells.map(|entry| entry.value).collect()
    };

    // Each later line matches one earlier line of the same values.
    let mut left: Vec<Vec<Decimal>> = after.iter().map(|line| values(line)).collect();
    let mut lost: Vec<&Line> = Vec::new();
    for line in before {
        match left.iter().position(|known| *known == values(line)) {
            Some(place) => drop(left.swap_remove(place)),
            None => lost.push(line),
        }
    }

    let is_moved = |line: &&&Line| !after.iter().any(|known| known.bound() == line.bound());
    lost.iter().find(is_moved).or(lost.first()).copied()
}

/// A line of a figure as its file writes it, joined to one line.
fn written(line: &Line, rows: &[Node]) -> String {
    let row = line
        .cells
        .first()
        .and_then(|entry| entry.cell.row)
        .and_then(|row| rows.get(row.checked_sub(1)?));
    let Some(row) = row else { return String::new() };

    // The row without its sources: the message names one line.
    let is_value = |key: &PlacedText| ![SOURCE, EVIDENCE, NOTE].contains(&key.value.as_str());
    let parts = row.entries().iter().filter(|(key, _)| is_value(key));
    let parts =
        parts.filter_map(|(key, node)| Some(format!("{}: {}", key.value, node.text()?.value)));
    parts.collect::<Vec<_>>().join(", ")
}

/// Rates of brackets lower than the one before, where they rose in the earlier file. In a first
/// file, a single rate that falls among rates that rise.
fn falls<'s>(table: &'s Table, before: Option<(&'s Table, Date)>) -> Vec<Finding<'s>> {
    let mut found = Vec::new();

    for group in table.groups() {
        let Some(first) = group
            .first()
            .filter(|first| first.bound().is_some() || group.len() > 1)
        else {
            continue;
        };

        let columns = first.cells.iter().map(|entry| &entry.cell);
        for like in columns.filter(|cell| cell.ty == Type::Rate && !cell.is_bound) {
            // Rates may fall by law: only more falls than before are suspicious, or a
            // single one among rates that rise.
            let falls = falling(&group, like);
            let earlier = before
                .map(|(old, date)| (old.group(&first.keys), date))
                .filter(|(old, _)| !old.is_empty());
            let is_new = match &earlier {
                Some((old, _)) => falls.len() > falling(old, like).len(),
                None => falls.len() == 1 && group.len() > 3,
            };

            let rises = earlier.map(|(_, date)| date);
            found.extend(falls.into_iter().filter(|_| is_new).map(|(above, cell)| {
                finding(cell, move |others| {
                    let cell_name = cell.name();
                    let rate = cell.written().to_owned();
                    let before = above.written().to_owned();
                    let rose = rises.map_or_else(Text::default, |date| {
                        say!(
                            " ; au barème du {date} les taux montaient",
                            "; the rates rose in the scale of {date}"
                        )
                    });
                    Problem::RateFalls {
                        cell: cell_name,
                        rate,
                        before,
                        others: rose.then(others),
                    }
                })
            }));
        }
    }

    found
}

/// The cells of a column that are lower than the one before, each with that one.
fn falling<'s>(group: &[&'s Line], like: &Cell) -> Vec<(&'s Cell, &'s Cell)> {
    let cells: Vec<&Entry> = group.iter().filter_map(|line| line.cell(like)).collect();
    let falls = cells.windows(2).filter_map(|two| match two {
        [above, below] if below.value < above.value => Some((&above.cell, &below.cell)),
        _ => None,
    });
    falls.collect()
}

/// Two values that were exchanged: approximately within a figure, since both may have been
/// revalued, exactly between two figures.
fn swapped<'s>(both: &[Compared<'s>], date: Date) -> Vec<Finding<'s>> {
    let changed = both
        .iter()
        .flat_map(|both| &both.pairs)
        .filter(|pair| pair.is_changed() && !pair.new.cell.is_bound);
    let changed: Vec<&Pair> = changed
        .filter(|pair| !pair.old.value.is_zero() && !pair.new.value.is_zero())
        .collect();

    let mut found = Vec::new();
    for (position, first) in changed.iter().enumerate() {
        for second in changed
            .iter()
            .skip(position.saturating_add(1))
            .filter(|second| second.ty() == first.ty())
        {
            // Values that were nearly equal before cross without any mistake.
            let is_near = first.new.cell.figure == second.new.cell.figure;
            let is_like = |a: Decimal, b: Decimal| a == b || (is_near && is_about(a, b));
            let crossed = is_like(first.new.value, second.old.value)
                && is_like(second.new.value, first.old.value);
            if crossed && !is_about(first.old.value, second.old.value) {
                let (one, other) = (**first, **second);
                found.push(finding(&second.new.cell, move |others| {
                    Problem::ValuesSwapped {
                        first: one.new.cell.name(),
                        second: other.new.cell.name(),
                        after: format!("{} / {}", one.new.cell.written(), other.new.cell.written()),
                        before: format!(
                            "{} / {}",
                            one.old.cell.written(),
                            other.old.cell.written()
                        ),
                        date: date.to_string(),
                        others,
                    }
                }));
            }
        }
    }

    found
}

/// Whether two values differ by at most a twentieth.
pub(super) fn is_about(a: Decimal, b: Decimal) -> bool {
    const TWENTIETH: Decimal = Decimal::from_parts(5, 0, 0, false, 2);
    let distance = sub(a, b).and_then(|distance| div(distance, b));
    distance.is_ok_and(|distance| distance.abs() <= TWENTIETH)
}

/// Values that return to those of the file before last: the change between two files is undone by
/// the later one.
fn back_to_before<'s>(older: &Sheet, both: &[Compared<'s>], date: Date) -> Vec<Finding<'s>> {
    let first = older.date;
    let mut found = Vec::new();

    for Compared { old, pairs, .. } in both {
        let Some(oldest) = older.figure(&old.name.value) else {
            continue;
        };

        let before = super::sheet::pairs(oldest, old);
        let was = |cell: &Cell| {
            before
                .iter()
                .find(|pair| pair.new.cell.name() == cell.name())
                .map(|pair| pair.old.value)
        };

        // Law seldom returns to the value of two years ago; a copied file does.
        for pair in pairs
            .iter()
            .filter(|pair| pair.is_changed() && was(&pair.old.cell) == Some(pair.new.value))
        {
            let (old, new) = (&pair.old.cell, &pair.new.cell);
            found.push(finding(new, move |others| Problem::BackToBefore {
                cell: new.name(),
                before: old.written().to_owned(),
                after: new.written().to_owned(),
                date: date.to_string(),
                first: first.to_string(),
                others,
            }));
        }
    }

    found
}

/// A value that changes although its sources, its evidence and its notes do not.
fn same_source<'s>(
    Compared {
        old: before,
        new: table,
        pairs,
    }: &Compared<'s>,
    date: Date,
    old: &Sheet,
    new: &Sheet,
) -> Vec<Finding<'s>> {
    let Some(pair) = pairs.iter().find(|pair| pair.is_changed()) else {
        return Vec::new();
    };
    if rests_on(before, old) != rests_on(table, new) {
        return Vec::new();
    }

    let ids: BTreeSet<String> = parts_of(table.node)
        .filter_map(|part| part.text_of(SOURCE))
        .map(|text| text.value.clone())
        .collect();
    let ids = ids.into_iter().collect::<Vec<_>>().join("; ");

    // One finding for the figure, whose sources are those of all its cells.
    let (old, new) = (&pair.old.cell, &pair.new.cell);
    let problem = move |_: Text<String>| Problem::SourceUnchanged {
        cell: new.name(),
        before: old.written().to_owned(),
        after: new.written().to_owned(),
        date: date.to_string(),
        ids: ids.clone(),
    };

    vec![Finding {
        row: None,
        ..finding(new, problem)
    }]
}

/// The notes of a figure, and the texts of its sources and its evidence.
fn rests_on(table: &Table, sheet: &Sheet) -> BTreeSet<String> {
    let sources = sheet.node.get("sources");
    let mut found = BTreeSet::new();

    for part in parts_of(table.node) {
        found.extend(part.text_of(NOTE).map(|note| note.value.clone()));

        // By their texts, not by their ids: an id that stays may name another text.
        for id in [SOURCE, EVIDENCE]
            .iter()
            .filter_map(|key| part.text_of(key))
            .flat_map(PlacedText::list)
        {
            let source = sources
                .and_then(|sources| sources.get(&id.value))
                .map(Node::entries)
                .unwrap_or_default();
            let lines = source
                .iter()
                .filter_map(|(key, node)| Some(format!("{}: {}", key.value, node.text()?.value)));
            found.insert(lines.collect::<Vec<_>>().join("; "));
        }
    }

    found
}
