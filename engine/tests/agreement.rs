//! Folders that compute the same law agree: each stands alone, so a rule of law may be written in
//! two of them.

#![cfg(test)]

mod common;

use bareme_engine::{Folder, Query};
use jiff::civil::{Date, date};
use rust_decimal::Decimal;

const ANY_DAY: Date = date(2026, 6, 30);

/// A field of the answer to a query, as JSON has it.
fn asked(folder: &Folder, query: &[(&str, String)], field: &str) -> String {
    let sent: Vec<(String, String)> = query
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    let calculation = folder
        .calculate(&Query::from(&sent[..]), ANY_DAY)
        .unwrap_or_else(|error| panic!("{sent:?}: {error}"));
    calculation
        .field(field)
        .unwrap_or_else(|| panic!("no {field} for {sent:?}"))
        .datum()
        .to_string()
}

/// The tax of a household with and without its dividends is that of `/ir` on either income (CGI,
/// art. 197).
#[test]
fn the_tax_of_dividends_by_the_scale_is_the_income_tax() {
    let rules = common::rules();
    let [dividends, tax] = ["dividendes", "ir"].map(|path| rules.folder(path).unwrap());
    let households = [
        ("1", "celibataire"),
        ("1.5", "parent_isole"),
        ("2", "couple"),
        ("2.5", "veuf"),
        ("2.5", "parent_isole"),
        ("3", "couple"),
        ("5.25", "couple"),
    ];
    let incomes = [
        0, 9_000, 11_498, 17_000, 29_579, 45_000, 84_577, 120_000, 181_917, 400_000,
    ];
    let mut compared = 0;
    for (year, (parts, situation)) in
        (2023..=2026).flat_map(|year| households.map(|household| (year, household)))
    {
        for rounding in ["euro", "cent"] {
            for (income, paid) in incomes
                .into_iter()
                .flat_map(|income| [0, 500, 12_000, 250_000].map(|paid| (income, paid)))
            {
                let household = [
                    ("parts", parts.to_owned()),
                    ("situation", situation.to_owned()),
                    ("arrondi", rounding.to_owned()),
                ];
                let mut query = vec![
                    ("dividendes", paid.to_string()),
                    ("autres_revenus", income.to_string()),
                    ("date", format!("{year}-06-30")),
                ];
                query.extend(household.clone());
                let read = |field: &str| asked(dividends, &query, field);
                let of = |income: Decimal| {
                    let mut query = vec![
                        ("revenu", income.to_string()),
                        ("annee", read("bareme").trim_matches('"').to_owned()),
                    ];
                    query.extend(household.clone());
                    asked(tax, &query, "impot_net")
                };
                let income = Decimal::from(income);
                let wanted = [
                    of(income),
                    of(income + read("base_bareme").parse::<Decimal>().unwrap()),
                ];
                assert_eq!(
                    [read("impot_sans_dividendes"), read("impot_avec_dividendes")],
                    wanted,
                    "{query:?}"
                );
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 4 * 7 * 2 * 40);
}
