//! Properties of the scales as they are printed: a constant continues the slices below it.

use bareme_engine::law::{Column, Figure, Row, Shape, Value};
use rust_decimal::Decimal;

use crate::common;

/// Scales that jump at their edges, by how much at most, and why.
const JUMPS: &[(&str, &str, &str, &str)] = &[
    (
        "salaire-net/be",
        "volet_a",
        "0.30",
        "the slope is rounded to the hundredth of a point",
    ),
    (
        "salaire-net/be",
        "volet_b",
        "0.30",
        "the slope is rounded to the hundredth of a point",
    ),
    (
        "salaire-net/be",
        "csss",
        "5.15",
        "a least contribution from the first bound on",
    ),
    (
        "salaire-net/be",
        "bareme_precompte",
        "0.02",
        "constants to the cent",
    ),
    (
        "salaire-net/qc",
        "bareme_federal",
        "1",
        "constants in whole dollars",
    ),
    (
        "salaire-net/qc",
        "bareme_quebec",
        "1",
        "constants in whole dollars",
    ),
    ("salaire-net/cm", "irpp", "0", ""),
    (
        "salaire-net/lu",
        "bareme",
        "0.36",
        "printed for multiples of 5: a bound is the last one of its row",
    ),
    (
        "salaire-net/lu",
        "cis",
        "0.43",
        "599.57, then the whole 600",
    ),
    (
        "salaire-net/lu",
        "cissm",
        "0.0000000001",
        "a slope of 7 sixtieths",
    ),
    (
        "plus-value-immobiliere",
        "surtaxe",
        "500",
        "nothing up to 50 000, then the smoothed 2 %",
    ),
];

fn cell(shape: &Shape, row: &Row, name: &str) -> Option<Decimal> {
    let place = shape
        .columns
        .iter()
        .position(|column: &Column| column.name == name)?;
    if let Some(Value::Number(number)) = row.cells[place] {
        Some(number)
    } else {
        None
    }
}

/// The tax of a row at a base, by its printed amount.
fn printed(shape: &Shape, row: &Row, from: Decimal, base: Decimal) -> Option<Decimal> {
    let rate = cell(shape, row, "rate")?;
    let tax = match (cell(shape, row, "less"), cell(shape, row, "plus")) {
        (Some(less), _) => rate * base - less,
        (_, Some(plus)) => plus + rate * (base - from),
        _ => return None,
    };
    let raised = cell(shape, row, "min").map_or(tax, |min| tax.max(min));
    Some(cell(shape, row, "max").map_or(raised, |max| raised.min(max)))
}

/// Groups of rows of the same keys, in order.
fn groups(figure: &Figure) -> Vec<Vec<&Row>> {
    let mut groups: Vec<Vec<&Row>> = Vec::new();
    for row in figure.rows.iter() {
        match groups.iter_mut().find(|group| group[0].keys == row.keys) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups
}

/// How far apart the two rows at each edge are.
fn gaps(shape: &Shape, figure: &Figure) -> Vec<Decimal> {
    let mut gaps = Vec::new();
    for group in groups(figure) {
        for (place, pair) in group.windows(2).enumerate() {
            let bound = |row: &Row| row.bound.map(|bound| bound.value);
            let edge = if figure.bounds_are_upper {
                bound(pair[0])
            } else {
                bound(pair[1])
            }
            .unwrap();
            let before = if figure.bounds_are_upper {
                place.checked_sub(1).and_then(|before| bound(group[before]))
            } else {
                bound(pair[0])
            };
            let below = printed(shape, pair[0], before.unwrap_or_default(), edge);
            gaps.extend(
                below
                    .zip(printed(shape, pair[1], edge, edge))
                    .map(|(below, above)| (above - below).abs()),
            );
        }
    }
    gaps
}

#[test]
fn printed_scales_are_continuous_but_for_their_rounding() {
    let mut seen = 0;
    for folder in common::rules().folders() {
        for edition in folder.editions() {
            let figures = edition
                .scale()
                .map(|scale| scale.figures.as_slice())
                .unwrap_or_default();
            for (shape, figure) in edition.method().figures().iter().zip(figures) {
                let known = JUMPS
                    .iter()
                    .find(|(path, name, ..)| *path == folder.path() && *name == shape.name);
                let allowed: Decimal = known.map_or("0", |(_, _, jump, _)| jump).parse().unwrap();
                for gap in gaps(shape, figure) {
                    seen += 1;
                    assert!(
                        gap <= allowed,
                        "{} {} of {:?} jumps by {gap}",
                        folder.path(),
                        shape.name,
                        edition.scale().map(|scale| scale.date)
                    );
                }
            }
        }
    }
    assert!(seen > 100, "{seen} edges");
}
