//! Fictitious households as they declare their income, box by box.

use std::sync::Arc;

use bareme_arrow::arrow::array::{ArrayRef, BooleanArray, Int64Array, StringArray};

use super::columns::{Column, Columns, decimals};
use super::ir::{ALONE, COUPLE, SINGLE_PARENT, SITUATIONS, WIDOWED};
use super::random::Random;
use super::tables::{INCOMES_ALONE, INCOMES_OF_COUPLES};

/// Out of a hundred households of a situation, those that live on pensions.
const RETIRED: &[(&str, i64)] = &[(ALONE, 30), (COUPLE, 33), (SINGLE_PARENT, 2), (WIDOWED, 85)];

/// Numbers of children in the sole charge, out of a hundred couples, and single parents.
const OF_COUPLES: &[(i64, i64)] = &[(41, 0), (22, 1), (27, 2), (8, 3), (2, 4)];
const OF_PARENTS: &[(i64, i64)] = &[(54, 1), (34, 2), (12, 3)];

/// Rents of the simple regime end at 15 000 euros.
const RENTS: u64 = 14_000;

/// What a household declares; amounts in whole euros of a year. `None` is not sent: a household of
/// one declarant has no boxes of the other.
#[derive(Default)]
struct Household {
    situation: &'static str,
    children: i64,
    shared_children: i64,
    adult_children: i64,
    raised_child_alone: Option<bool>,
    age: i64,
    age_of_spouse: Option<i64>,
    income: i64,
    wage: i64,
    wage_of_spouse: Option<i64>,
    unemployment: i64,
    pension: i64,
    pension_of_spouse: Option<i64>,
    interest: i64,
    dividends: i64,
    rents: i64,
    retirement_savings: i64,
    gifts: i64,
    help_at_home: i64,
    child_care: Vec<i64>,
    in_middle_school: i64,
    in_high_school: i64,
    in_higher_education: i64,
    union_dues: i64,
}

/// Draws `rows` households, the first of which has the number `first`.
pub(super) fn households(random: &mut Random, first: u64, rows: usize, weight: i64) -> Columns {
    let numbers = first..first + u64::try_from(rows).unwrap_or_default();
    let numbers: Vec<i64> = numbers
        .map(|n| i64::try_from(n).unwrap_or_default())
        .collect();

    // The order in which numbers are drawn decides what a seed gives: it must not change.
    let drawn: Vec<Household> = numbers.iter().map(|_| household(random)).collect();

    let mut columns = vec![Column::filled("foyer", Arc::new(Int64Array::from(numbers)))];
    columns.extend(columns_of(&drawn));
    columns.push(Column::filled("poids", decimals(6, vec![weight; rows])));
    columns
}

fn household(random: &mut Random) -> Household {
    let (situation, _) = random.one_of(SITUATIONS);
    let is_couple = situation == COUPLE;
    let retired = RETIRED.iter().find(|(of, _)| *of == situation);
    let is_retired = random.below(100) < retired.map_or(0, |(_, share)| *share);

    let age = age(random, is_retired);
    let mut drawn = Household {
        situation,
        age,
        // The ages of spouses differ by six years at most.
        age_of_spouse: is_couple.then(|| (age - 6 + random.below(13)).max(18)),
        ..Household::default()
    };

    draw_children(&mut drawn, is_retired, random);
    draw_incomes(&mut drawn, is_retired, random);
    draw_capital(&mut drawn, random);
    draw_expenses(&mut drawn, is_retired, random);
    drawn
}

/// Years on 31 December.
fn age(random: &mut Random, is_retired: bool) -> i64 {
    if is_retired {
        63 + random.below(30)
    } else {
        22 + random.below(41)
    }
}

fn draw_children(drawn: &mut Household, is_retired: bool, random: &mut Random) {
    match drawn.situation {
        COUPLE if !is_retired => drawn.children = random.one_of(OF_COUPLES),
        // One in six shares the custody of all children with the other parent.
        SINGLE_PARENT if random.below(6) == 0 => drawn.shared_children = random.one_of(OF_PARENTS),
        SINGLE_PARENT => drawn.children = random.one_of(OF_PARENTS),
        _ => {}
    }

    // Students stay in the household of their parents.
    let has_parents_at_work = [COUPLE, SINGLE_PARENT].contains(&drawn.situation) && !is_retired;
    if has_parents_at_work && drawn.age >= 42 && random.below(100) < 22 {
        drawn.adult_children = 1;
    }

    // The half share of those who raised a child alone supposes that nobody is dependent on them.
    if [ALONE, WIDOWED].contains(&drawn.situation) {
        drawn.raised_child_alone = Some(drawn.age > 45 && random.below(100) < 18);
    }
}

/// Wages, unemployment benefit and pensions. The distributions are of taxable incomes, which are
/// nine tenths of what is declared.
fn draw_incomes(drawn: &mut Household, is_retired: bool, random: &mut Random) {
    let is_couple = drawn.situation == COUPLE;
    let cents = random.amount(if is_couple {
        &INCOMES_OF_COUPLES
    } else {
        &INCOMES_ALONE
    });
    drawn.income = cents / 90;

    // A quarter of the couples live on one income.
    let shares = random.below(100) >= 25;
    let percents = if is_couple && shares {
        40 + random.below(35)
    } else {
        100
    };
    let own = drawn.income * percents / 100;
    let of_spouse = is_couple.then_some(drawn.income - own);

    if is_retired {
        drawn.pension = own;
        drawn.pension_of_spouse = of_spouse;
        return;
    }

    // One in twelve was out of work for some months.
    let months = if random.below(12) == 0 {
        1 + random.below(9)
    } else {
        0
    };
    drawn.unemployment = own * months / 12;
    drawn.wage = own - drawn.unemployment;
    drawn.wage_of_spouse = of_spouse;
}

fn draw_capital(drawn: &mut Household, random: &mut Random) {
    let thousandth = drawn.income / 1_000;
    drawn.interest = drawn_by(random, 40, |random| thousandth * random.below(15));
    drawn.dividends = drawn_by(random, 9, |random| thousandth * random.below(80));
    drawn.rents = drawn_by(random, 9, |random| 1_000 + random.below(RENTS));
}

fn draw_expenses(drawn: &mut Household, is_retired: bool, random: &mut Random) {
    let hundredth = drawn.income / 100;
    drawn.gifts = drawn_by(random, 13, |random| 20 + random.below(600));
    let with_help = if is_retired { 16 } else { 8 };
    drawn.help_at_home = drawn_by(random, with_help, |random| 300 + random.below(4_200));

    if !is_retired {
        drawn.retirement_savings = drawn_by(random, 9, |random| hundredth * random.below(9));
        drawn.union_dues = drawn_by(random, 7, |random| 70 + random.below(180));
    }

    // A child is cared for, in a school whose pupils give a reduction, or in none of these.
    for _ in 0..drawn.children {
        match random.below(100) {
            0..=19 => drawn.child_care.push(500 + random.below(4_500)),
            20..=41 => drawn.in_middle_school += 1,
            42..=57 => drawn.in_high_school += 1,
            _ => {}
        }
    }
    drawn.in_higher_education = drawn.adult_children;
}

/// An amount that so many of a hundred households have, zero for the others.
fn drawn_by(random: &mut Random, share: i64, amount: impl FnOnce(&mut Random) -> i64) -> i64 {
    // Both are drawn in every case, so that a share that changes moves no other number.
    let has_it = random.below(100) < share;
    let amount = amount(random);
    if has_it { amount } else { 0 }
}

/// The columns by the names of the inputs, and the wages and pensions of all, by which households
/// are sorted.
fn columns_of(drawn: &[Household]) -> Columns {
    let numbers = |of: fn(&Household) -> i64| -> ArrayRef {
        Arc::new(drawn.iter().map(of).collect::<Int64Array>())
    };
    let of_spouses = |of: fn(&Household) -> Option<i64>| -> ArrayRef {
        Arc::new(drawn.iter().map(of).collect::<Int64Array>())
    };
    let situations = drawn.iter().map(|one| one.situation);
    let raised_alone = drawn.iter().map(|one| one.raised_child_alone);
    let child_care = drawn.iter().map(|one| list(&one.child_care));

    vec![
        Column::filled(
            "situation",
            Arc::new(StringArray::from_iter_values(situations)),
        ),
        Column::filled("enfants", numbers(|one| one.children)),
        Column::filled("enfants_alternes", numbers(|one| one.shared_children)),
        Column::filled("enfants_majeurs", numbers(|one| one.adult_children)),
        Column::with_gaps("case_l", Arc::new(raised_alone.collect::<BooleanArray>())),
        Column::filled("age", numbers(|one| one.age)),
        Column::with_gaps("age_conjoint", of_spouses(|one| one.age_of_spouse)),
        Column::filled("salaire", numbers(|one| one.wage)),
        Column::with_gaps("salaire_conjoint", of_spouses(|one| one.wage_of_spouse)),
        Column::filled("chomage", numbers(|one| one.unemployment)),
        Column::filled("pension", numbers(|one| one.pension)),
        Column::with_gaps("pension_conjoint", of_spouses(|one| one.pension_of_spouse)),
        Column::filled("interets", numbers(|one| one.interest)),
        Column::filled("dividendes", numbers(|one| one.dividends)),
        Column::filled("micro_foncier", numbers(|one| one.rents)),
        Column::filled("per", numbers(|one| one.retirement_savings)),
        Column::filled("dons", numbers(|one| one.gifts)),
        Column::filled("emploi_domicile", numbers(|one| one.help_at_home)),
        Column::with_gaps("garde", Arc::new(child_care.collect::<StringArray>())),
        Column::filled("scolarite_college", numbers(|one| one.in_middle_school)),
        Column::filled("scolarite_lycee", numbers(|one| one.in_high_school)),
        Column::filled(
            "scolarite_superieur",
            numbers(|one| one.in_higher_education),
        ),
        Column::filled("cotisation_syndicale", numbers(|one| one.union_dues)),
        Column::filled("salaires_et_pensions", numbers(|one| one.income)),
    ]
}

/// The amounts of a group as a query has them, an amount each; `None` for an empty group.
fn list(amounts: &[i64]) -> Option<String> {
    let amounts: Vec<String> = amounts.iter().map(i64::to_string).collect();
    (!amounts.is_empty()).then(|| amounts.join(";"))
}
