//! Fictitious households for the income tax.

use std::sync::Arc;

use bareme_arrow::arrow::array::{BooleanArray, Int64Array, StringArray};

use super::columns::{Column, Columns, decimals};
use super::random::Random;
use super::tables::{INCOMES_ALONE, INCOMES_OF_COUPLES};

/// Number of households that a sample represents.
pub(super) const HOUSEHOLDS: u64 = 41_000_000;

/// A family situation: its word, and the distribution of the number of shares, in hundredths.
pub(super) type Situation = (&'static str, &'static [(i64, i64)]);

pub(super) const ALONE: &str = "celibataire";
pub(super) const COUPLE: &str = "couple";
pub(super) const SINGLE_PARENT: &str = "parent_isole";
pub(super) const WIDOWED: &str = "veuf";

const SHARES_ALONE: &[(i64, i64)] = &[(84, 100), (13, 150), (3, 200)];
const SHARES_OF_COUPLES: &[(i64, i64)] = &[(51, 200), (19, 250), (21, 300), (7, 400), (2, 500)];
const SHARES_OF_PARENTS: &[(i64, i64)] = &[(15, 150), (50, 200), (27, 250), (8, 350)];
const SHARES_WIDOWED: &[(i64, i64)] = &[(81, 100), (14, 150), (4, 250), (1, 300)];

/// Family situations, out of a hundred households.
pub(super) const SITUATIONS: &[(i64, Situation)] = &[
    (52, (ALONE, SHARES_ALONE)),
    (34, (COUPLE, SHARES_OF_COUPLES)),
    (5, (SINGLE_PARENT, SHARES_OF_PARENTS)),
    (9, (WIDOWED, SHARES_WIDOWED)),
];

/// Draws `rows` households, the first of which has the number `first`.
pub(super) fn households(random: &mut Random, first: u64, rows: usize, weight: i64) -> Columns {
    // The order in which numbers are drawn decides what a seed gives: it must not change.
    let (mut numbers, mut incomes, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    let (mut situations, mut alone_with_child) = (Vec::new(), Vec::new());

    for number in first..first + u64::try_from(rows).unwrap_or_default() {
        let (situation, shares) = random.one_of(SITUATIONS);
        let hundredths = random.one_of(shares);
        let is_couple = situation == COUPLE;

        let income = random.amount(if is_couple {
            &INCOMES_OF_COUPLES
        } else {
            &INCOMES_ALONE
        });

        // Half a share more for a single person comes from a child brought up earlier, or from an
        // invalidity.
        let may_have_case = [ALONE, WIDOWED].contains(&situation) && hundredths == 150;

        numbers.push(i64::try_from(number).unwrap_or_default());
        // Incomes are in whole euros, as on a tax return.
        incomes.push(income / 100 * 100);
        parts.push(hundredths);
        situations.push(situation);
        alone_with_child.push(may_have_case.then(|| random.below(100) < 70));
    }

    vec![
        Column::filled("foyer", Arc::new(Int64Array::from(numbers))),
        Column::filled("revenu", decimals(2, incomes)),
        Column::filled("parts", decimals(2, parts)),
        Column::filled("situation", Arc::new(StringArray::from(situations))),
        Column::with_gaps("case_l", Arc::new(BooleanArray::from(alone_with_child))),
        Column::filled("poids", decimals(6, vec![weight; rows])),
    ]
}
