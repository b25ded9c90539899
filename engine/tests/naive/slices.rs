//! The slices of a scale of brackets, and what falls in each.

use num_traits::Zero;

use crate::law::{Figure, Rat, Row, Value, is_upper, row_at};

/// The number in a column of a row.
pub(crate) fn cell(row: &Row, column: &str) -> Option<Rat> {
    match row.cells.get(column) {
        Some(Value::Number(value, _)) => Some(value.clone()),
        _ => None,
    }
}

/// A slice of a scale, with what falls in it.
pub(crate) struct Slice {
    pub from: Rat,
    pub to: Option<Rat>,
    pub rate: Rat,
    pub constant: Option<Rat>,
    pub base: Rat,
    pub amount: Rat,
}

/// The slices of a scale, bounds and printed amounts multiplied by the shares.
pub(crate) fn slices(figure: &Figure, rows: &[&Row], base: &Rat, shares: &Rat) -> Vec<Slice> {
    let found = row_at(rows, base, shares);
    let bound = |row: Option<&&Row>| Some(&row?.bound.as_ref()?.1 * shares);
    let upper = is_upper(rows);
    let has = |column: &str| !figure.ty(column).is_empty();
    let mut list = Vec::new();

    for (place, row) in rows.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|before| rows.get(before));
        let (from, to) = if upper {
            (bound(before), bound(Some(row)))
        } else {
            (bound(Some(row)), bound(rows.get(place + 1)))
        };
        let from = from.unwrap_or_default();
        let rate = cell(row, "rate").unwrap();
        let printed = |column: &str| cell(row, column).map(|amount| amount * shares);
        let (part, amount) = if has("less") {
            (
                base.clone(),
                base * &rate - printed("less").unwrap_or_default(),
            )
        } else if has("plus") {
            let part = base - &from;
            let mut amount = &part * &rate + printed("plus").unwrap_or_default();
            if let Some(min) = printed("min") {
                amount = amount.max(min);
            }
            if let Some(max) = printed("max") {
                amount = amount.min(max);
            }
            (part, amount)
        } else {
            let top = to.clone().map_or(base.clone(), |to| to.min(base.clone()));
            let part = (top - &from).max(Rat::zero());
            (part.clone(), part * &rate)
        };
        let is_printed = has("less") || has("plus");
        let counts = if is_printed {
            found == Some(place)
        } else {
            found.is_some()
        };
        let (base, amount) = if counts {
            (part, amount)
        } else {
            (Rat::zero(), Rat::zero())
        };
        let constant = is_printed
            .then(|| printed(if has("less") { "less" } else { "plus" }).unwrap_or_default());
        list.push(Slice {
            from,
            to,
            rate,
            constant,
            base,
            amount,
        });
    }

    list
}
