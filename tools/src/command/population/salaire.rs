//! Fictitious employees of the private sector.

use std::sync::Arc;

use bareme_arrow::arrow::array::{BooleanArray, Int64Array, StringArray};

use super::columns::{Column, Columns, decimals};
use super::random::{Random, interpolated};
use super::tables::{GROSS_PAYS, WITHHELD};

/// Number of employees that a sample represents.
pub(super) const EMPLOYEES: u64 = 20_000_000;

/// Sizes of employers (from, to), out of a hundred employees.
const SIZES: &[(i64, (i64, u64))] = &[
    (19, (1, 9)),
    (19, (10, 40)),
    (16, (50, 200)),
    (25, (250, 4_750)),
    (21, (5_000, 95_000)),
];

/// Executives out of a hundred employees, for gross pays up to an amount in euros.
const EXECUTIVES: &[(i64, i64)] = &[(2_500, 3), (3_500, 15), (5_000, 45), (i64::MAX, 80)];

/// Draws `rows` employees, the first of whom has the number `first`.
pub(super) fn employees(random: &mut Random, first: u64, rows: usize, weight: i64) -> Columns {
    // The order in which numbers are drawn decides what a seed gives: it must not change.
    let (mut numbers, mut pays, mut executives) = (Vec::new(), Vec::new(), Vec::new());
    let (mut rates, mut sizes) = (Vec::new(), Vec::new());

    for number in first..first + u64::try_from(rows).unwrap_or_default() {
        let pay = random.amount(&GROSS_PAYS);
        let euros = pay / 100;
        // The share of executives grows with the pay.
        let share = EXECUTIVES
            .iter()
            .find(|(up_to, _)| euros < *up_to)
            .map_or(0, |(_, share)| *share);

        // Households with the same pay have different rates, up to two points from the mean.
        let tenths = (interpolated(WITHHELD, euros, 1) + random.below(41) - 20).max(0);
        // One in ten has the neutral rate of the table, as where the administration has not sent
        // one.
        let has_own_rate = random.below(100) >= 10;

        let (smallest, width) = random.one_of(SIZES);
        numbers.push(i64::try_from(number).unwrap_or_default());
        pays.push(pay);
        executives.push(Some(random.below(100) < share));
        rates.push(if has_own_rate {
            format!("{}.{}", tenths / 10, tenths % 10)
        } else {
            "neutre".to_owned()
        });
        sizes.push(smallest + random.below(width));
    }

    vec![
        Column::filled("salarie", Arc::new(Int64Array::from(numbers))),
        Column::filled("brut", decimals(2, pays)),
        Column::with_gaps("cadre", Arc::new(BooleanArray::from(executives))),
        Column::filled("taux_pas", Arc::new(StringArray::from(rates))),
        Column::filled("effectif", Arc::new(Int64Array::from(sizes))),
        Column::filled("poids", decimals(6, vec![weight; rows])),
    ]
}
