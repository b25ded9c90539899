//! Net pay in Côte d’Ivoire in 2026: `brut` and `parts`, and the employer's side.

use rust_decimal::Decimal;

use super::{Law, Sent, UNLIMITED, by_brackets, dec, number, query, rounded, share};

const BRACKETS: [(Decimal, Decimal); 6] = [
    (dec(75_000, 0), dec(0, 0)),
    (dec(240_000, 0), dec(16, 2)),
    (dec(800_000, 0), dec(21, 2)),
    (dec(2_400_000, 0), dec(24, 2)),
    (dec(8_000_000, 0), dec(28, 2)),
    (UNLIMITED, dec(32, 2)),
];
/// The reduction of each half share above the first.
const FAMILY_REDUCTION: Decimal = dec(5_500, 0);
const PENSION_RATE: Decimal = dec(63, 3);
const PENSION_CEILING: Decimal = dec(3_375_000, 0);
const EMPLOYER_PENSION_RATE: Decimal = dec(77, 3);
const OTHER_BRANCHES_CEILING: Decimal = dec(75_000, 0);
/// Family, maternity, accidents.
const OTHER_BRANCHES: [Decimal; 3] = [dec(5, 2), dec(75, 4), dec(2, 2)];
/// National contribution, that of the employer of local staff, apprenticeship, training and its
/// complement.
const PAYROLL_TAXES: [Decimal; 5] = [dec(12, 3), dec(0, 0), dec(4, 3), dec(6, 3), dec(6, 3)];

const EMPLOYEE: &[&str] = &[
    "its_net",
    "cnps",
    "net_mensuel",
    "taux_prelevement_effectif",
    "total_retenues",
    "base_imposable",
    "its_brut",
    "ricf",
    "base_cnps",
];
const WITH_EMPLOYER: &[&str] = &[
    "its_net",
    "cnps",
    "net_mensuel",
    "taux_prelevement_effectif",
    "total_retenues",
    "base_imposable",
    "its_brut",
    "ricf",
    "base_cnps",
    "charges_patronales",
    "cout_employeur",
    "taux_charges_patronales",
];

fn queries(more: &str) -> Vec<Vec<(String, String)>> {
    let parts = ["1", "1.5", "2", "2.5", "3.5", "5"];
    let pay = |rank: u64| 40_000 + rank * 83_517;
    (0..120)
        .map(|rank| {
            query(&format!(
                "brut={}&parts={}{more}",
                pay(rank),
                parts[rank as usize % 6]
            ))
        })
        .collect()
}

pub(super) fn law() -> Law {
    let by_hand = |query: &Sent, amounts: &mut Vec<Decimal>| {
        employee(query, amounts);
    };
    Law {
        name: "ci",
        folder: "salaire-net/ci",
        queries: queries(""),
        fields: EMPLOYEE,
        by_hand,
    }
}

pub(super) fn law_with_employer() -> Law {
    let by_hand = |query: &Sent, amounts: &mut Vec<Decimal>| {
        let pay = employee(query, amounts);
        employer(pay, amounts);
    };
    let queries = queries("&employeur=true");
    Law {
        name: "ci, with the employer",
        folder: "salaire-net/ci",
        queries,
        fields: WITH_EMPLOYER,
        by_hand,
    }
}

/// The employee's side; gives the pay.
fn employee(query: &Sent, amounts: &mut Vec<Decimal>) -> Decimal {
    let pay = number(query, "brut").unwrap();
    let parts = number(query, "parts").unwrap_or(Decimal::ONE);
    let gross_tax = rounded(by_brackets(pay, Decimal::ONE, &BRACKETS).0, 0);
    let reduction = (parts - Decimal::ONE) * Decimal::TWO * FAMILY_REDUCTION;
    let tax = (gross_tax - reduction).max(Decimal::ZERO);
    let pension_base = pay.min(PENSION_CEILING);
    let pension = rounded(pension_base * PENSION_RATE, 0);
    let withheld = tax + pension;
    let rate = rounded(share(withheld, pay) * Decimal::ONE_HUNDRED, 2);
    amounts.extend([
        tax,
        pension,
        pay - withheld,
        rate,
        withheld,
        pay,
        gross_tax,
        reduction,
        pension_base,
    ]);
    pay
}

fn employer(pay: Decimal, amounts: &mut Vec<Decimal>) {
    let mut charges = rounded(pay.min(PENSION_CEILING) * EMPLOYER_PENSION_RATE, 0);
    let capped = pay.min(OTHER_BRANCHES_CEILING);
    charges += OTHER_BRANCHES
        .iter()
        .map(|rate| rounded(capped * rate, 0))
        .sum::<Decimal>();
    charges += PAYROLL_TAXES
        .iter()
        .map(|rate| rounded(pay * rate, 0))
        .sum::<Decimal>();
    let rate = rounded(share(charges, pay) * Decimal::ONE_HUNDRED, 2);
    amounts.extend([charges, pay + charges, rate]);
}
