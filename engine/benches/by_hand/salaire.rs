//! French gross to net pay in March 2026, by the month: `brut` and `cadre`, and the employer's side
//! of a firm of ten.

use rust_decimal::{Decimal, MathematicalOps as _};

use super::{Law, Sent, dec, number, query, rounded, sent, share};

const CEILING: Decimal = dec(4_005, 0);
const SECOND_TRANCHE: Decimal = dec(32_040, 0);
const FOUR_CEILINGS: Decimal = dec(16_020, 0);

const OLD_AGE_CAPPED: Decimal = dec(69, 3);
const OLD_AGE: Decimal = dec(4, 3);
const COMPLEMENTARY_1: Decimal = dec(401, 4);
const COMPLEMENTARY_2: Decimal = dec(972, 4);
const BALANCE: Decimal = dec(14, 4);
const EXECUTIVES: Decimal = dec(24, 5);
const EXPENSES: Decimal = dec(175, 4);
const CSG_DEDUCTIBLE: Decimal = dec(68, 3);
const CSG_CRDS_OTHER: Decimal = dec(29, 3);

const PROVIDENT: Decimal = dec(15, 3);
/// Borne by the whole pay: sickness, accidents, old age, family, autonomy, dialogue, training,
/// apprenticeship.
const ON_ALL: [Decimal; 8] = [
    dec(13, 2),
    dec(208, 4),
    dec(211, 4),
    dec(525, 4),
    dec(3, 3),
    dec(16, 5),
    dec(55, 4),
    dec(68, 4),
];
/// Borne by the pay up to the ceiling: old age, complementary pension, housing.
const ON_FIRST_TRANCHE: [Decimal; 3] = [dec(855, 4), dec(601, 4), dec(1, 3)];
const EMPLOYER_COMPLEMENTARY_2: Decimal = dec(1_457, 4);
const EMPLOYER_BALANCE: Decimal = dec(21, 4);
/// Borne by the pay up to four ceilings: unemployment, guarantee of wages.
const ON_FOUR_CEILINGS: [Decimal; 2] = [dec(4, 2), dec(25, 4)];
const EMPLOYER_EXECUTIVES: Decimal = dec(36, 5);

const MINIMUM_OF_A_YEAR: Decimal = dec(2_187_640, 2);
const REDUCTION_END: Decimal = dec(3, 0);
const REDUCTION_LEAST: Decimal = dec(2, 2);
const REDUCTION_MORE: Decimal = dec(3_781, 4);

const EMPLOYEE: &[&str] = &[
    "net",
    "cotisations_salariales",
    "taux_cotisations",
    "plafond_securite_sociale",
    "assiette_csg_crds",
    "net_imposable",
    "montant_net_social",
    "net_a_payer_avant_impot",
    "net_a_payer",
];
const WITH_EMPLOYER: &[&str] = &[
    "net",
    "cotisations_salariales",
    "taux_cotisations",
    "plafond_securite_sociale",
    "assiette_csg_crds",
    "net_imposable",
    "montant_net_social",
    "net_a_payer_avant_impot",
    "net_a_payer",
    "charges_patronales",
    "cout_employeur",
    "taux_charges_patronales",
    "total_verse_employeur",
    "coefficient_reduction",
];

fn queries(more: &str) -> Vec<Vec<(String, String)>> {
    let pay = |rank: u64| 1_600 + rank * 149;
    (0..120)
        .map(|rank| {
            query(&format!(
                "brut={}.5&cadre={}{more}",
                pay(rank),
                rank % 3 == 0
            ))
        })
        .collect()
}

pub(super) fn law() -> Law {
    let by_hand = |query: &Sent, amounts: &mut Vec<Decimal>| {
        employee(query, amounts);
    };
    Law {
        name: "salaire",
        folder: "salaire",
        queries: queries(""),
        fields: EMPLOYEE,
        by_hand,
    }
}

pub(super) fn law_with_employer() -> Law {
    let by_hand = |query: &Sent, amounts: &mut Vec<Decimal>| {
        let (pay, is_executive) = employee(query, amounts);
        employer(pay, is_executive, amounts);
    };
    let queries = queries("&employeur=true");
    Law {
        name: "salaire, with the employer",
        folder: "salaire",
        queries,
        fields: WITH_EMPLOYER,
        by_hand,
    }
}

fn cents(value: Decimal) -> Decimal {
    rounded(value, 2)
}

/// The part of the pay between the ceiling and eight times it.
fn second_tranche(pay: Decimal) -> Decimal {
    (pay.min(SECOND_TRANCHE) - CEILING).max(Decimal::ZERO)
}

/// Base of the balance contribution (CET): all of the pay once it exceeds the ceiling.
fn balance_base(pay: Decimal) -> Decimal {
    if pay > CEILING {
        pay.min(SECOND_TRANCHE)
    } else {
        Decimal::ZERO
    }
}

/// The employee's side; gives the pay and whether it is that of an executive.
fn employee(query: &Sent, amounts: &mut Vec<Decimal>) -> (Decimal, bool) {
    let pay = number(query, "brut").unwrap();
    let is_executive = sent(query, "cadre") == Some("true");
    let first = pay.min(CEILING);
    let executives = if is_executive {
        pay.min(FOUR_CEILINGS)
    } else {
        Decimal::ZERO
    };
    let csg_base = cents(pay - pay.min(FOUR_CEILINGS) * EXPENSES);
    let other = cents(csg_base * CSG_CRDS_OTHER);
    let contributions = cents(first * OLD_AGE_CAPPED)
        + cents(pay * OLD_AGE)
        + cents(first * COMPLEMENTARY_1)
        + cents(second_tranche(pay) * COMPLEMENTARY_2)
        + cents(balance_base(pay) * BALANCE)
        + cents(executives * EXECUTIVES)
        + cents(csg_base * CSG_DEDUCTIBLE)
        + other;
    let net = pay - contributions;
    let rate = rounded(share(contributions, pay), 4);
    amounts.extend([
        net,
        contributions,
        rate,
        CEILING,
        csg_base,
        net + other,
        net,
        net,
        net,
    ]);
    (pay, is_executive)
}

fn employer(pay: Decimal, is_executive: bool, amounts: &mut Vec<Decimal>) {
    let first = pay.min(CEILING);
    let capped = pay.min(FOUR_CEILINGS);
    let mut charges: Decimal = ON_ALL.iter().map(|rate| cents(pay * rate)).sum();
    charges += ON_FIRST_TRANCHE
        .iter()
        .map(|rate| cents(first * rate))
        .sum::<Decimal>();
    charges += ON_FOUR_CEILINGS
        .iter()
        .map(|rate| cents(capped * rate))
        .sum::<Decimal>();
    charges += cents(second_tranche(pay) * EMPLOYER_COMPLEMENTARY_2)
        + cents(balance_base(pay) * EMPLOYER_BALANCE);
    if is_executive {
        charges += cents(first * PROVIDENT) + cents(capped * EMPLOYER_EXECUTIVES);
    }
    let coefficient = reduction(pay * dec(12, 0));
    charges -= cents(pay * coefficient);
    amounts.extend([
        charges,
        pay + charges,
        rounded(share(charges, pay), 4),
        pay + charges,
        coefficient,
    ]);
}

/// The coefficient of the general reduction for the pay of a year.
fn reduction(pay: Decimal) -> Decimal {
    let end = MINIMUM_OF_A_YEAR * REDUCTION_END;
    if pay.is_zero() || pay >= end {
        return Decimal::ZERO;
    }
    let ratio = ((end / pay - Decimal::ONE) / (REDUCTION_END - Decimal::ONE)).min(Decimal::ONE);
    // To the power of seven quarters.
    let root = ratio.sqrt().unwrap();
    rounded(
        REDUCTION_LEAST + REDUCTION_MORE * ratio * root * root.sqrt().unwrap(),
        4,
    )
}
