//! Outliers among revalued amounts: where the amounts of a figure move by one rate, a mistyped
//! digit shows by another.

use std::collections::BTreeMap;

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::law::figure::{SOURCE, rows_of};
use crate::law::types::Type;
use crate::text::number::{add, compare, div, mul, number_text, round_decimals, sub};
use crate::text::problem::Problem;

use super::figures::finding;
use super::finding::Finding;
use super::sheet::{Compared, Pair, Sheet, Table};

/// Least number of amounts that a common rate can be derived from.
const MIN_AMOUNTS: usize = 4;
/// One outlier is reported for this many amounts, at most.
const AMOUNTS_PER_OUTLIER: usize = 4;
/// The same among figures of one text, which may change each on its own.
const AMOUNTS_PER_OUTLIER_OF_TEXT: usize = 5;
/// Least difference from the common rate for an outlier.
const MIN_DIFFERENCE: Decimal = Decimal::from_parts(5, 0, 0, false, 3);

/// The amounts of a figure whose rate of change differs from that of nearly all the others.
pub(super) fn outliers<'s>(pairs: &[Pair<'s>], date: Date) -> Vec<Finding<'s>> {
    let ratios: Vec<(Pair, Decimal)> = pairs.iter().filter(is_amount).filter_map(ratio).collect();

    let Some((usual, outlying)) = out_of_step(&ratios, AMOUNTS_PER_OUTLIER) else {
        return Vec::new();
    };

    let reported = |(pair, ratio): &(Pair<'s>, Decimal)| {
        let (old, new) = (&pair.old.cell, &pair.new.cell);
        let own = percent(*ratio);
        let usual = percent(usual);
        finding(new, move |others| Problem::OutOfStep {
            cell: new.name(),
            before: old.written().to_owned(),
            after: new.written().to_owned(),
            date: date.to_string(),
            own: own.clone(),
            usual: usual.clone(),
            others,
        })
    };
    outlying.iter().map(reported).collect()
}

/// The amounts of several figures of one value that one new legal text sets, whose rate of change
/// differs from that of nearly all the others.
pub(super) fn outliers_of_texts<'s>(
    both: &[Compared<'s>],
    date: Date,
    old: &Sheet,
    new: &Sheet,
) -> Vec<Finding<'s>> {
    // 1. The changes by the text that sets them. Figures with rows are compared row by row
    // elsewhere.
    let mut by_text: BTreeMap<String, Vec<(Pair<'s>, Decimal)>> = BTreeMap::new();
    for Compared {
        new: table, pairs, ..
    } in both.iter().filter(|both| rows_of(both.new.node).is_empty())
    {
        let Some(id) = new_law(table, old, new) else {
            continue;
        };
        let moved = pairs
            .iter()
            .filter(|pair| is_amount(pair) && pair.is_changed());
        by_text
            .entry(id)
            .or_default()
            .extend(moved.filter_map(ratio));
    }

    // 2. A text that raises all its amounts by one rate has a slip where one moves otherwise.
    let mut found = Vec::new();
    for (id, ratios) in by_text {
        let Some((usual, outlying)) = out_of_step(&ratios, AMOUNTS_PER_OUTLIER_OF_TEXT) else {
            continue;
        };
        for (pair, ratio) in outlying {
            let (old, new, id) = (&pair.old.cell, &pair.new.cell, id.clone());
            found.push(finding(new, move |_| Problem::OutOfStepOfText {
                cell: new.name(),
                before: old.written().to_owned(),
                after: new.written().to_owned(),
                date: date.to_string(),
                own: percent(ratio),
                usual: percent(usual),
                id: id.clone(),
            }));
        }
    }
    found
}

/// The first legal text of a figure that the earlier file does not have.
fn new_law(table: &Table, old: &Sheet, new: &Sheet) -> Option<String> {
    // By title and date: an id that stays may be that of another text.
    let written = |sheet: &Sheet, id: &str| -> Option<String> {
        let source = sheet.node.get("sources")?.get(id)?;
        let kind = source.text_of("kind")?;
        let title = source.string_of("title");
        let date = source.string_of("date");
        (kind.value == "law").then(|| format!("{title:?} {date:?}"))
    };
    let mut ids = table.node.list_of(SOURCE).into_iter().map(|id| id.value);
    ids.find(|id| {
        let own = written(new, id);
        own.is_some() && own != written(old, id)
    })
}

fn is_amount(pair: &&Pair) -> bool {
    matches!(pair.ty(), Type::Money(_)) && !pair.old.value.is_zero() && !pair.new.value.is_zero()
}

/// An amount with what it was multiplied by.
fn ratio<'s>(pair: &Pair<'s>) -> Option<(Pair<'s>, Decimal)> {
    Some((*pair, div(pair.new.value, pair.old.value).ok()?))
}

/// The common rate of some amounts, and those of them that moved by another one.
fn out_of_step<'s>(
    ratios: &[(Pair<'s>, Decimal)],
    amounts_per_outlier: usize,
) -> Option<(Decimal, Vec<(Pair<'s>, Decimal)>)> {
    // The common rate is the median, which a few mistyped amounts do not move. A rate of 1: most
    // amounts did not change, and the others did so for reasons of their own.
    let mut sorted: Vec<Decimal> = ratios.iter().map(|(_, ratio)| *ratio).collect();
    sorted.sort_by(|a, b| compare(*a, *b));
    let usual = sorted
        .get(sorted.len() / 2)
        .copied()
        .filter(|usual| *usual != Decimal::ONE)?;

    // Without the rounding first: the unit costs a pass over all amounts.
    let is_far = |pair: &Pair, ratio, unit| is_outlier(pair, ratio, usual, unit);
    let is_outlying = |pair: &Pair, ratio| {
        is_far(pair, ratio, Decimal::ZERO) && is_far(pair, ratio, unit_of(pair, ratios))
    };
    let outlying: Vec<(Pair, Decimal)> = ratios
        .iter()
        .filter(|(pair, ratio)| is_outlying(pair, *ratio))
        .copied()
        .collect();

    // Where many amounts differ, there is no common rate.
    let is_common = ratios.len() >= MIN_AMOUNTS
        && outlying.len().saturating_mul(amounts_per_outlier) <= ratios.len();
    (is_common && !outlying.is_empty()).then_some((usual, outlying))
}

/// Whether a value differs from the one expected by the common rate by more than a rounding to
/// `unit`.
fn is_outlier(pair: &Pair, ratio: Decimal, usual: Decimal, unit: Decimal) -> bool {
    let distance = mul(pair.old.value, usual).and_then(|expected| sub(pair.new.value, expected));
    let room = mul(pair.old.value.abs(), MIN_DIFFERENCE).and_then(|room| add(room, unit));

    let is_beyond = distance
        .ok()
        .zip(room.ok())
        .is_some_and(|(distance, room)| distance.abs() > room);
    is_beyond && sub(ratio, usual).is_ok_and(|distance| distance.abs() > MIN_DIFFERENCE)
}

/// The unit to which the law rounds the amounts of a column: their greatest common divisor, in both
/// files.
fn unit_of(like: &Pair, ratios: &[(Pair, Decimal)]) -> Decimal {
    let is_like = |pair: &Pair| pair.new.cell.column == like.new.cell.column;
    let own = ratios
        .iter()
        .map(|(pair, _)| pair)
        .filter(|pair| is_like(pair));
    own.flat_map(|pair| [pair.old.value, pair.new.value])
        .fold(Decimal::ZERO, greatest_divisor)
}

/// The greatest common divisor of two numbers.
fn greatest_divisor(a: Decimal, b: Decimal) -> Decimal {
    let (mut a, mut b) = (a.abs(), b.abs());
    while !b.is_zero() {
        (a, b) = (b, a.checked_rem(b).unwrap_or_default());
    }
    a
}

/// A ratio as a change in percent: `+1.1 %`.
fn percent(ratio: Decimal) -> String {
    let change = sub(ratio, Decimal::ONE)
        .and_then(|change| mul(change, Decimal::ONE_HUNDRED))
        .unwrap_or_default();
    let change = round_decimals(change, 2);
    format!(
        "{}{} %",
        if change.is_sign_negative() { "" } else { "+" },
        number_text(change)
    )
}
