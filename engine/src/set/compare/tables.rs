//! Tables compared as a whole with those of the file before: bounds of the next row, all bounds by
//! one factor, amounts to deduct that no longer join, a value that no row lists any more; and
//! amounts that were equal and are no longer.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::law::types::Type;
use crate::set::cell::Cell;
use crate::text::number::{div, larger, mul, smaller, sub};
use crate::text::{Problem, Text};

use super::figures::{finding, is_about};
use super::finding::Finding;
use super::sheet::{Compared, Entry, Line, Pair, Table};

/// Least number of bounds that can be seen to move together.
const MIN_BOUNDS: usize = 3;
/// A gap at a bound of more than this is none of the rounding of the law.
const GAP: Decimal = Decimal::ONE;
/// Bounds that all move by more than this share moved by no revaluation.
const FAR: Decimal = Decimal::from_parts(15, 0, 0, false, 2);
/// How far their factors may differ.
const SPREAD: Decimal = Decimal::from_parts(2, 0, 0, false, 2);
/// Digits of an amount, without zeros at its ends, from which two equal ones are no accident.
const DIGITS: usize = 3;

/// The cell of the first line of a group that has a bound, with the bounds before and after.
fn bounds<'s>(old: &[&Line], new: &[&'s Line]) -> Option<(&'s Cell, Vec<(Decimal, Decimal)>)> {
    let both = old.iter().zip(new);
    let both = both.filter_map(|(old, new)| Some((old.bound()?, new.bound()?)));
    let both: Vec<(Decimal, Decimal)> = both.collect();
    let mut cells = new.iter().flat_map(|line| &line.cells);
    let first = cells.find(|entry| entry.cell.is_bound);
    let is_enough = both.len() >= MIN_BOUNDS && old.len() == new.len();
    first.filter(|_| is_enough).map(|entry| (&entry.cell, both))
}

/// Groups of rows of both files that have as many rows.
fn groups<'a, 's>(
    Compared { old, new, .. }: &'a Compared<'s>,
) -> impl Iterator<Item = (Vec<&'s Line>, Vec<&'s Line>)> + use<'a, 's> {
    let (old, new): (&'s Table<'s>, &'s Table<'s>) = (old, new);
    new.groups().into_iter().filter_map(move |group| {
        let before = old.group(&group.first()?.keys);
        (before.len() == group.len()).then_some((before, group))
    })
}

/// Bounds that are those of the next row before: a row left out, and one invented at the end.
pub(super) fn shifted<'s>(both: &Compared<'s>, date: Date) -> Vec<Finding<'s>> {
    let reported = |(old, new): (Vec<&'s Line>, Vec<&'s Line>)| {
        let (cell, bounds) = bounds(&old, &new)?;
        let next = bounds.iter().skip(1).map(|(old, _)| *old);
        let pairs = bounds.iter().map(|(_, new)| *new).zip(next);
        let is_next = pairs.clone().all(|(new, next)| is_about(new, next));
        let stays = bounds.iter().filter(|(old, new)| is_about(*new, *old));
        (is_next && stays.count() <= 1).then(|| {
            finding(cell, move |others| Problem::BoundsShifted {
                cell: cell.name(),
                date: date.to_string(),
                others,
            })
        })
    };
    groups(both).filter_map(reported).collect()
}

/// Bounds that all moved by one factor, too far for a revaluation: those of a half or a double
/// share, or of the month for the year.
pub(super) fn by_one_factor<'s>(both: &Compared<'s>, date: Date) -> Vec<Finding<'s>> {
    let reported = |(old, new): (Vec<&'s Line>, Vec<&'s Line>)| {
        let (cell, bounds) = bounds(&old, &new)?;
        let factors = bounds.iter().filter(|(old, _)| !old.is_zero());
        let factors: Vec<Decimal> = factors
            .filter_map(|(old, new)| div(*new, *old).ok())
            .collect();
        let least = factors.iter().copied().reduce(smaller)?;
        let most = factors.iter().copied().reduce(larger)?;

        // A revaluation rounds each bound: factors differ by a little, and stay near one.
        let is_one = sub(most, least).is_ok_and(|spread| spread < SPREAD);
        let is_far = sub(least, Decimal::ONE).is_ok_and(|change| change.abs() > FAR);

        let count = factors.len();
        (is_one && is_far && count >= MIN_BOUNDS).then(|| {
            let factor = crate::text::number_text(crate::text::number::round_decimals(least, 2));
            finding(cell, move |others| Problem::BoundsByOneFactor {
                cell: cell.name(),
                count,
                factor: factor.clone(),
                date: date.to_string(),
                others,
            })
        })
    };

    groups(both).filter_map(reported).collect()
}

/// Amounts to deduct, or to add, that no longer join two brackets at their bound, where they did
/// before.
pub(super) fn torn<'s>(both: &Compared<'s>, date: Date) -> Vec<Finding<'s>> {
    let mut found = Vec::new();
    for (old, new) in groups(both) {
        let gaps = |lines: &[&Line]| -> Option<Vec<Decimal>> {
            let steps = lines.windows(2).map(|two| match two {
                [below, above] => gap(below, above),
                _ => None,
            });
            steps.collect()
        };

        let (Some(before), Some(after)) = (gaps(&old), gaps(&new)) else {
            continue;
        };

        // A law may have jumps: only a table that had none at all has none later.
        if before.iter().any(|gap| gap.abs() > GAP) {
            continue;
        }
        let torn = after.iter().position(|gap| gap.abs() > GAP);
        let Some((place, gap)) = torn.and_then(|place| Some((place, *after.get(place)?))) else {
            continue;
        };

        let line = new.get(place.saturating_add(1));
        let amount = line.and_then(|line| amount(line));
        let Some(Entry { cell, .. }) = amount else {
            continue;
        };
        found.push(finding(cell, move |others| Problem::NoLongerJoined {
            cell: cell.name(),
            gap: crate::text::number_text(crate::text::number::round_decimals(gap.abs(), 2)),
            date: date.to_string(),
            others,
        }));
    }
    found
}

/// The amount that a row deducts or adds.
fn amount(line: &Line) -> Option<&Entry> {
    let mut cells = line.cells.iter();
    cells.find(|entry| matches!(entry.cell.column.as_str(), "less" | "plus"))
}

/// By how much the result jumps at the bound between two rows; `None` where they are no brackets
/// with an amount.
fn gap(below: &Line, above: &Line) -> Option<Decimal> {
    let named = |line: &Line, name: &str| {
        let mut cells = line.cells.iter();
        cells
            .find(|entry| entry.cell.column == name)
            .map(|entry| entry.value)
    };
    let word = |line: &Line| {
        let mut cells = line.cells.iter();
        cells
            .find(|entry| entry.cell.is_bound)
            .map(|entry| (entry.cell.column.clone(), entry.value))
    };
    let (lower, upper) = (named(below, "rate")?, named(above, "rate")?);
    let change = sub(upper, lower).ok()?;
    let is_upper = |word: &str| word == "up_to" || word == "below";

    // The deduction offsets the higher rate on the part below the bound.
    if amount(above)?.cell.column == "less" {
        let bound = match word(below).filter(|(word, _)| is_upper(word)) {
            Some((_, bound)) => bound,
            None => word(above)?.1,
        };
        let less = |line| named(line, "less").unwrap_or_default();
        let step = sub(less(above), less(below)).ok()?;
        return sub(step, mul(bound, change).ok()?).ok();
    }

    // What is added is the result at the bound from which the row starts.
    let start = word(above).filter(|(word, _)| !is_upper(word))?.1;
    let from = word(below).map_or(Decimal::ZERO, |(_, bound)| bound);
    let plus = |line| named(line, "plus").unwrap_or_default();
    let slice = mul(sub(start, from).ok()?, lower).ok()?;
    sub(sub(plus(above), plus(below)).ok()?, slice).ok()
}

/// A value of a key that rows listed before and none lists any more.
pub(super) fn unlisted<'s>(
    Compared { old, new, .. }: &Compared<'s>,
    date: Date,
) -> Vec<Finding<'s>> {
    let listed = |table: &Table, place: usize| -> BTreeSet<String> {
        let keys = table.lines.iter().filter_map(|line| line.keys.get(place));
        keys.flatten().cloned().collect()
    };
    let count = old.lines.first().map_or(0, |line| line.keys.len());
    let (name, place) = (&new.name.value, &new.name.place);

    let reported = |index: usize| {
        let (before, after) = (listed(old, index), listed(new, index));
        let gone = before.difference(&after).next()?.clone();

        // Rows that went whole are reported as such.
        let was_alone = |line: &&Line| line.keys.get(index).is_some_and(|keys| keys.len() == 1);
        let of_it = |line: &&Line| {
            line.keys
                .get(index)
                .is_some_and(|keys| keys.contains(&gone))
        };
        if old.lines.iter().filter(of_it).any(|line| was_alone(&line)) {
            return None;
        }

        let problem = move |others: Text<String>| Problem::ValueUnlisted {
            figure: name.clone(),
            value: gone.clone(),
            date: date.to_string(),
            others,
        };
        Some(Finding {
            figure: name,
            row: None,
            place: place.clone(),
            problem: Box::new(problem),
        })
    };

    (0..count).filter_map(reported).collect()
}

/// Amounts of two figures that were equal before, of which one has moved alone.
pub(super) fn parted<'s>(both: &[Compared<'s>], date: Date) -> Vec<Finding<'s>> {
    let mut equal: BTreeMap<Decimal, Vec<&Pair<'s>>> = BTreeMap::new();
    let pairs = both.iter().flat_map(|both| &both.pairs);
    for pair in pairs.filter(|pair| matches!(pair.ty(), Type::Money(_)) && is_telling(pair)) {
        equal
            .entry(pair.old.value.normalize())
            .or_default()
            .push(pair);
    }

    let mut found = Vec::new();
    for group in equal.values() {
        let figures: BTreeSet<&str> = group.iter().map(|pair| &*pair.new.cell.figure).collect();
        let stays = group.iter().find(|pair| !pair.is_changed());
        // The one that stays is where a change was forgotten; else the last of those that differ.
        let first = group.iter().find(|pair| pair.is_changed());
        let other = first.and_then(|first| {
            let differs = |pair: &&&Pair| pair.new.value != first.new.value;
            stays.or_else(|| group.iter().rev().find(differs))
        });
        let (Some(moved), Some(other)) = (first, other) else {
            continue;
        };
        if figures.len() < 2 || moved.new.cell.figure == other.new.cell.figure {
            continue;
        }
        let (moved, other) = (**moved, **other);
        found.push(finding(&other.new.cell, move |others| {
            Problem::NoLongerEqual {
                cell: other.new.cell.name(),
                value: other.new.cell.written().to_owned(),
                other: moved.new.cell.name(),
                moved: moved.new.cell.written().to_owned(),
                before: moved.old.cell.written().to_owned(),
                date: date.to_string(),
                others,
            }
        }));
    }
    found
}

/// Whether an amount has so many digits that an equal one is the same amount of the law.
fn is_telling(pair: &Pair) -> bool {
    let digits: String = pair.old.value.to_string().replace(['.', '-'], "");
    digits.trim_matches('0').len() >= DIGITS
}

#[cfg(test)]
mod tests {
    use crate::testing::{method, read, scale};

    const FIGURES: &str = "figures:
  f: {v: money/month}
  g: {bound: money/month, rate: rate, less: money/month}
  k: {genre: key, v: rate}
  h: {v: money/month}
";
    const STEPS: &str = "inputs:
  brut: {type: money, per: month, required: true, label: Brut}
  genre: {type: choice, required: true, values: a; b; c, label: Genre}
steps:
  x: min(brut; f.v) + min(brut; h.v)
  y: {brackets: brut, with: g}
  z: {table: k, by: genre}
answer:
  x: x
  y: y
  z: z
";

    /// The doubts of tables about a later file.
    fn found(f: &str, g: &str, k: &str, h: &str) -> Vec<String> {
        let figures = |f: &str, g: &str, k: &str, h: &str| {
            format!(
                "  f: {{v: {f}, per: month, source: s}}\n  g: {{per: month, source: s, rows: [{g}]}}\n  k: {{source: s, rows: [{k}]}}\n  h: {{v: {h}, per: month, source: s}}\n"
            )
        };
        let before = figures("1 234", G, K, "1 234");
        let keys = format!("{FIGURES}{STEPS}");
        let (_, report) = read(&[
            ("method.yaml", &method(&keys)),
            ("2026-01-01.yaml", &scale(&before)),
            ("2027-01-01.yaml", &scale(&figures(f, g, k, h))),
        ]);
        let errors: Vec<String> = report
            .errors()
            .map(|one| format!("{} {}", one.code(), one.message(crate::text::Lang::En)))
            .collect();
        assert_eq!(errors, Vec::<String>::new());
        let shown = |one: &crate::text::Diagnostic| {
            let place = one.place();
            format!("{} {}", one.code(), &place.file().text()[place.span()])
        };
        let codes = ["W69", "W70", "W71", "W72", "W73"];
        report
            .all()
            .filter(|one| codes.contains(&one.code()))
            .map(shown)
            .collect()
    }

    const G: &str = "{up_to: 1 000, rate: 0%, less: 0}, {up_to: 2 000, rate: 10%, less: 100}, {up_to: 4 000, rate: 20%, less: 300}, {rate: 30%, less: 700}";
    const K: &str = "{genre: a; b, v: 1%}, {genre: c, v: 2%}";

    #[test]
    fn a_revaluation_is_silent() {
        assert_eq!(found("1 234", G, K, "1 234"), Vec::<String>::new());
        let g = "{up_to: 1 020, rate: 0%, less: 0}, {up_to: 2 040, rate: 10%, less: 102}, {up_to: 4 080, rate: 20%, less: 306}, {rate: 30%, less: 714}";
        assert_eq!(found("1 250", g, K, "1 250"), Vec::<String>::new());
        let k = "{genre: a, v: 1%}, {genre: b; c, v: 2%}";
        assert_eq!(found("1 234", G, k, "1 234"), Vec::<String>::new());
    }

    #[test]
    fn an_amount_to_deduct_joins_its_brackets() {
        let g = G.replace("less: 300", "less: 290");
        assert_eq!(found("1 234", &g, K, "1 234"), ["W70 290"]);
        let g = G.replace("up_to: 2 000", "up_to: 2 020");
        assert_eq!(found("1 234", &g, K, "1 234"), ["W70 300"]);
    }

    #[test]
    fn bounds_of_the_next_row_or_of_another_unit_are_seen() {
        let g = "{up_to: 2 000, rate: 0%, less: 0}, {up_to: 4 000, rate: 10%, less: 200}, {up_to: 8 100, rate: 20%, less: 600}, {rate: 30%, less: 1 410}";
        assert!(found("1 234", g, K, "1 234").contains(&"W71 2 000".to_owned()));
        let g = "{up_to: 500, rate: 0%, less: 0}, {up_to: 1 000, rate: 10%, less: 50}, {up_to: 2 000, rate: 20%, less: 150}, {rate: 30%, less: 350}";
        assert!(found("1 234", g, K, "1 234").contains(&"W72 500".to_owned()));
    }

    #[test]
    fn equal_amounts_move_together_and_values_stay_listed() {
        assert_eq!(found("1 250", G, K, "1 234"), ["W69 1 234"]);
        assert_eq!(found("1 250", G, K, "1 205"), ["W69 1 205"]);
    }
}
