//! Properties of a year of pays: a month alone is the month, settled sums are those of closed forms
//! whatever the order of the months, and a hostile list is refused or right.
//!
//! `BAREME_PAYS=10000` compares more single months than the usual number.

use std::collections::BTreeSet;

use bareme_engine::law::{FieldValue, Line, PayslipRow};
use bareme_engine::run::YearCalculation;
use bareme_engine::{Folder, Query};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use rust_decimal::{Decimal, RoundingStrategy};

use crate::common::rules;
use crate::draws;

fn salaire() -> &'static Folder {
    rules().folder("salaire").unwrap()
}

type Sent = Vec<(String, String)>;

fn sent(pairs: &[(&str, String)]) -> Sent {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect()
}

/// Random pay, the same for a month alone and for a year of one month.
fn pay() -> impl Strategy<Value = Sent> {
    let cents = prop_oneof![0..900_000_u32, 0..100_000_000_u32];
    let hours = prop_oneof![Just(0), 0..10_000_u32];
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), 0..3_usize);
    (
        cents,
        prop_oneof![Just(0_u32), 0..600_000_u32],
        hours,
        1..400_u32,
        flags,
    )
        .prop_map(
            |(gross, bonus, hours, staff, (executive, local, employer, withheld))| {
                let amount = |cents: u32| Decimal::new(cents.into(), 2).to_string();
                let mut pairs = vec![
                    ("brut", amount(gross)),
                    ("primes", amount(bonus)),
                    ("heures_supplementaires", amount(hours)),
                    ("effectif", staff.to_string()),
                    ("cadre", executive.to_string()),
                    ("alsace_moselle", local.to_string()),
                    ("employeur", employer.to_string()),
                ];
                pairs.extend(
                    ["neutre", "7.5"]
                        .get(withheld)
                        .map(|rate| ("taux_pas", (*rate).to_owned())),
                );
                sent(&pairs)
            },
        )
}

#[test]
fn a_month_alone_answers_as_the_month() {
    let count = std::env::var("BAREME_PAYS").map_or(250, |count| count.parse().unwrap());
    let strategy = (pay(), 2023..2027_i16, 1..13_i8);
    let mut runner = TestRunner::new(draws(count));
    runner
        .run(&strategy, |(pay, year, month)| {
            let day = jiff::civil::date(year, month, 1).last_of_month();
            let mut alone = pay.clone();
            alone.push(("date".to_owned(), day.to_string()));
            // A list of one month: the year has no more, or the others are cut off.
            let mut of_year = pay.clone();
            of_year.push(("annee".to_owned(), year.to_string()));
            of_year.push(("premier_mois".to_owned(), month.to_string()));
            let single = salaire().calculate(&Query::from(&alone), day);
            let year = salaire().year(&Query::from(&of_year));
            prop_assert_eq!(single.is_ok(), year.is_ok());
            let (Ok(single), Ok(year)) = (single, year) else {
                return Ok(());
            };
            let first = &year.months()[0].calculation;
            for (field, value) in single.fields() {
                let found = first
                    .field(&field.name)
                    .map(|value| value.datum().to_string());
                prop_assert_eq!(Some(value.datum().to_string()), found, "{}", field.name);
            }
            Ok(())
        })
        .unwrap();
}

/// A year of uneven pays, in cents.
fn months() -> impl Strategy<Value = Vec<(u32, u32)>> {
    proptest::collection::vec(
        (
            prop_oneof![Just(260_000), 100_000..900_000_u32],
            prop_oneof![Just(0), 0..500_000_u32],
        ),
        12,
    )
}

fn asked(months: &[(u32, u32)], year: i16, more: &[(&str, &str)]) -> Sent {
    let list = |of: fn(&(u32, u32)) -> u32| {
        let texts = months
            .iter()
            .map(|month| Decimal::new(of(month).into(), 2).to_string());
        texts.collect::<Vec<_>>().join(";")
    };
    let mut pairs = vec![
        ("annee", year.to_string()),
        ("brut", list(|month| month.0)),
        ("primes", list(|month| month.1)),
    ];
    pairs.extend([("employeur", "true".to_owned())]);
    pairs.extend(
        more.iter()
            .map(|(name, value)| (*name, (*value).to_owned())),
    );
    sent(&pairs)
}

const SETTLED: [&str; 5] = [
    "brut_total",
    "tranche_1",
    "tranche_2",
    "assiette_cet",
    "reduction_generale",
];

/// A line of a month or of a year.
struct NamedLine {
    /// Its code, after the row that it stands in.
    key: String,
    base: Option<Decimal>,
    rate: Option<Decimal>,
    amount: Decimal,
}

/// The lines of a field, each by its code, and by its row where it stands on a payslip.
fn lines(value: &FieldValue) -> Vec<NamedLine> {
    let of = |row: &str, line: &Line| {
        let key = format!("{row}{}", line.step.name);
        NamedLine {
            key,
            base: line.base,
            rate: line.rate,
            amount: line.amount,
        }
    };
    match value {
        FieldValue::Lines(lines) => lines.iter().map(|line| of("", line)).collect(),
        FieldValue::Payslip(rows) => {
            let of_row = |row: &PayslipRow| {
                let parts = [("employee", &row.employee), ("employer", &row.employer)];
                let key = |part: &str| format!("{:?} {} {part} ", row.section, row.label);
                parts
                    .map(|(part, line)| line.as_ref().map(|line| of(&key(part), line)))
                    .into_iter()
                    .flatten()
                    .collect()
            };
            rows.iter()
                .flat_map(|row| -> Vec<NamedLine> { of_row(row) })
                .collect()
        }
        other => panic!("no lines: {other:?}"),
    }
}

/// Checks that the lines of a year are the sums of those of its months, and that there are no
/// others.
fn check_lines(year: &YearCalculation) {
    for total in year
        .totals()
        .iter()
        .filter(|total| total.value.number().is_none())
    {
        let of_months = year
            .months()
            .iter()
            .filter_map(|month| month.calculation.field(&total.field.name));
        let of_months: Vec<NamedLine> = of_months.flat_map(lines).collect();
        let found = lines(&total.value);
        for NamedLine {
            key,
            base,
            rate,
            amount,
        } in &found
        {
            let mine: Vec<&NamedLine> = of_months.iter().filter(|line| line.key == *key).collect();
            assert_eq!(
                *amount,
                mine.iter().map(|line| line.amount).sum::<Decimal>(),
                "{key}"
            );
            let bases: Option<Decimal> = mine.iter().map(|line| line.base).sum();
            // Each month shows its base to the cent.
            let is_near =
                |(one, other): (Decimal, Decimal)| (one - other).abs() <= Decimal::new(6, 2);
            assert_eq!(base.is_some(), bases.is_some(), "{key}");
            assert!(
                base.zip(bases).is_none_or(is_near),
                "{key}: {base:?} {bases:?}"
            );
            let one_rate = mine.iter().all(|line| line.rate == mine[0].rate);
            assert_eq!(*rate, mine[0].rate.filter(|_| one_rate), "{key}");
        }
        let keys: BTreeSet<&str> = found.iter().map(|line| line.key.as_str()).collect();
        assert_eq!(
            keys.len(),
            found.len(),
            "{}: a line twice",
            total.field.name
        );
        assert_eq!(
            keys,
            of_months.iter().map(|line| line.key.as_str()).collect()
        );
    }
}

proptest! {
    #![proptest_config(draws(12))]

    #[test]
    fn lines_of_a_year_are_the_sums_of_those_of_its_months(
        months in months(),
        hours in proptest::collection::vec(prop_oneof![Just(0), 1..100_u32], 12),
        year in 2023..2027_i16,
        executive in any::<bool>(),
    ) {
        let hours = hours.iter().map(u32::to_string).collect::<Vec<_>>().join(";");
        let more = [("heures_supplementaires", hours.as_str()), ("cadre", if executive { "true" } else { "false" })];
        check_lines(&salaire().year(&Query::from(&asked(&months, year, &more))).unwrap());
        for country in ["salaire-net/qc", "salaire-net/ch"] {
            let mut query = asked(&months, year, &[]);
            query.retain(|(name, _)| name != "primes");
            check_lines(&rules().folder(country).unwrap().year(&Query::from(&query)).unwrap());
        }
    }

    #[test]
    fn settled_sums_do_not_depend_on_the_order_of_the_months(months in months(), annual in any::<bool>()) {
        let way = if annual { "annuelle" } else { "progressive" };
        let mut turned = months.clone();
        turned.reverse();
        turned.rotate_left(5);
        let settled = |months: &[(u32, u32)]| {
            let year = salaire().year(&Query::from(&asked(months, 2026, &[("regularisation", way)]))).unwrap();
            SETTLED.map(|field| year.total(field))
        };
        prop_assert_eq!(settled(&months), settled(&turned));
    }

    #[test]
    fn sums_are_those_of_closed_forms(months in months()) {
        let year = salaire().year(&Query::from(&asked(&months, 2026, &[]))).unwrap();
        let total = |field: &str| year.total(field).unwrap();
        let (pay, ceilings) = (total("brut_total"), total("plafond_securite_sociale"));
        let eight = ceilings * Decimal::from(8);
        prop_assert_eq!(ceilings, Decimal::from(48_060));
        prop_assert_eq!(total("tranche_1"), pay.min(ceilings));
        prop_assert_eq!(total("tranche_2"), (pay.min(eight) - ceilings).max(Decimal::ZERO));
        prop_assert_eq!(total("assiette_cet"), if pay > ceilings { pay.min(eight) } else { Decimal::ZERO });
        let last = &year.months()[11].calculation;
        let coefficient = last.field("coefficient_reduction").and_then(|value| value.number()).unwrap();
        let granted = (pay * coefficient).round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
        prop_assert_eq!(-total("reduction_generale"), granted);
    }

    #[test]
    fn a_strange_list_is_refused_or_right(
        values in proptest::collection::vec("[0-9;.,a-z&= -]{0,9}", 0..16),
        name in prop_oneof![Just("brut"), Just("jours"), Just("primes"), Just("taux_pas"), Just("cadre"), Just("depart")],
        first in "[0-9]{0,3}",
    ) {
        let mut query = sent(&[("annee", "2026".to_owned()), ("premier_mois", first)]);
        query.push(("brut".to_owned(), "2600".to_owned()));
        query.push((name.to_owned(), values.join(";")));
        if let Ok(year) = salaire().year(&Query::from(&query)) {
            prop_assert!((1..=12).contains(&year.months().len()));
        }
    }
}

#[test]
fn twelve_equal_months_are_each_the_month_but_for_a_cent_of_the_reduction() {
    for gross in ["1823.03", "2600", "3987.65", "4005", "9500"] {
        let pairs = sent(&[
            ("annee", "2026".to_owned()),
            ("brut", gross.to_owned()),
            ("employeur", "true".to_owned()),
        ]);
        let year = salaire().year(&Query::from(&pairs)).unwrap();
        for month in year.months() {
            let alone = sent(&[
                ("brut", gross.to_owned()),
                ("employeur", "true".to_owned()),
                ("date", month.date.to_string()),
            ]);
            let alone = salaire()
                .calculate(&Query::from(&alone), month.date)
                .unwrap();
            let of = |name: &str| {
                let number = |found: &bareme_engine::Calculation| {
                    found.field(name).and_then(|value| value.number())
                };
                (number(&alone).unwrap(), number(&month.calculation).unwrap())
            };
            let (net, net_of_year) = of("net");
            assert_eq!(net, net_of_year, "{gross}, month {}", month.month);
            let (cost, cost_of_year) = of("cout_employeur");
            assert!(
                (cost - cost_of_year).abs() <= Decimal::new(1, 2),
                "{gross}, month {}: {cost} {cost_of_year}",
                month.month
            );
        }
    }
}
