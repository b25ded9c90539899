//! How long a row takes among many, by a plan: some fields of some folders, and the same rows as
//! single calculations.
//!
//! `cargo bench --workspace --bench rows`

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use bareme_engine::run::plan::{Cells, Plan, Rows};
use bareme_engine::{Loader, Query, Rules};
use criterion::{Criterion, Throughput};
use jiff::civil::{Date, date};

const DAY: Date = date(2026, 6, 30);

/// Rows of a batch, as data engines hand them over.
const COUNT: usize = 8192;

/// A small generator: the same rows every time.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// Amounts in cents.
    fn amounts(&mut self, least: u64, most: u64) -> Cells<'static> {
        let values: Vec<i128> = (0..COUNT)
            .map(|_| i128::from(least + self.below(most - least)))
            .collect();
        Cells::Numbers {
            decimals: 2,
            values: values.into(),
            present: None,
        }
    }

    fn counts(&mut self, end: u64, decimals: u32) -> Cells<'static> {
        let values: Vec<i128> = (0..COUNT).map(|_| i128::from(self.below(end))).collect();
        Cells::Numbers {
            decimals,
            values: values.into(),
            present: None,
        }
    }

    fn booleans(&mut self) -> Cells<'static> {
        Cells::Booleans((0..COUNT).map(|_| Some(self.below(2) == 0)).collect())
    }
}

/// Households: income, shares of 1 to 3 by halves.
fn households() -> Rows<'static> {
    let mut random = Random(1);
    let shares: Vec<i128> = (0..COUNT)
        .map(|_| 10 + 5 * i128::from(random.below(5)))
        .collect();
    let shares = Cells::Numbers {
        decimals: 1,
        values: shares.into(),
        present: None,
    };
    Rows::new(
        COUNT,
        [("revenu", random.amounts(0, 15_000_000)), ("parts", shares)],
    )
}

/// Households with dividends.
fn shareholders() -> Rows<'static> {
    let mut random = Random(4);
    let dividends = random.amounts(0, 5_000_000);
    let incomes = random.amounts(0, 15_000_000);
    Rows::new(
        COUNT,
        [("dividendes", dividends), ("autres_revenus", incomes)],
    )
}

fn employees() -> Rows<'static> {
    let mut random = Random(2);
    let gross = random.amounts(186_702, 900_000);
    Rows::new(COUNT, [("brut", gross), ("cadre", random.booleans())])
}

fn employees_with_cost() -> Rows<'static> {
    let mut random = Random(2);
    let gross = random.amounts(186_702, 900_000);
    let yes = Cells::Booleans(vec![Some(true); COUNT]);
    Rows::new(
        COUNT,
        [
            ("brut", gross),
            ("cadre", random.booleans()),
            ("employeur", yes),
        ],
    )
}

fn ivorians() -> Rows<'static> {
    let mut random = Random(3);
    let gross: Vec<i128> = (0..COUNT)
        .map(|_| i128::from(75_000 + random.below(2_000_000)))
        .collect();
    let gross = Cells::Numbers {
        decimals: 0,
        values: gross.into(),
        present: None,
    };
    Rows::new(COUNT, [("brut", gross), ("cmu", random.counts(6, 0))])
}

/// Name, folder, fields, rows.
type Question = (
    &'static str,
    &'static str,
    Option<&'static [&'static str]>,
    fn() -> Rows<'static>,
);

const QUESTIONS: [Question; 9] = [
    ("ir, one field", "ir", Some(&["impot_net"]), households),
    ("ir, all fields", "ir", None, households),
    ("salaire, net", "salaire", Some(&["net"]), employees),
    ("salaire, all fields", "salaire", None, employees),
    (
        "salaire, cost",
        "salaire",
        Some(&["cout_employeur"]),
        employees_with_cost,
    ),
    (
        "salaire, all fields with the employer's",
        "salaire",
        None,
        employees_with_cost,
    ),
    ("ci, all fields", "salaire-net/ci", None, ivorians),
    // Three calculations of another folder a row.
    (
        "dividendes, one field",
        "dividendes",
        Some(&["ir_bareme"]),
        shareholders,
    ),
    ("dividendes, all fields", "dividendes", None, shareholders),
];

fn plans(criterion: &mut Criterion, rules: &Rules) {
    for (name, folder, fields, rows) in QUESTIONS {
        let rows = rows();
        let plan = Plan::new(rules, folder, DAY, fields);
        let answers = plan.as_ref().map(|plan| plan.evaluate(&rows));
        let is_plain = matches!(&answers, Ok(Ok(answers)) if answers.alone == 0);
        assert!(
            is_plain,
            "{name}: a refusal would measure nothing: {answers:?}"
        );
        let mut group = criterion.benchmark_group("rows");
        group.throughput(Throughput::Elements(COUNT as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| plan.as_ref().map(|plan| plan.evaluate(black_box(&rows))))
        });
        group.finish();
    }
}

/// The same households one by one, their whole answers computed and no JSON written.
fn one_by_one(criterion: &mut Criterion, rules: &Rules) {
    let Some(folder) = rules.folder("ir") else {
        return;
    };
    let rows = households();
    let queries: Vec<_> = (0..COUNT).map(|row| rows.query(row)).collect();
    let mut group = criterion.benchmark_group("rows");
    group.throughput(Throughput::Elements(COUNT as u64));
    group.bench_function("ir, one by one", |bencher| {
        bencher.iter(|| {
            for query in &queries {
                let query: Query = query
                    .iter()
                    .map(|(name, value)| (*name, value.as_ref()))
                    .collect();
                black_box(folder.calculate(&query, DAY).is_ok());
            }
        });
    });
    group.finish();
}

/// One household in a block of its own: what a single question would cost if it went through
/// columns too, to be read beside "ir, one by one".
fn alone(criterion: &mut Criterion, rules: &Rules) {
    let one = |decimals: u32, value: i128| Cells::Numbers {
        decimals,
        values: vec![value].into(),
        present: None,
    };
    let rows = Rows::new(1, [("revenu", one(2, 7_840_000)), ("parts", one(1, 25))]);
    let plan = Plan::new(rules, "ir", DAY, None);

    let mut group = criterion.benchmark_group("rows");
    group.throughput(Throughput::Elements(1));
    group.bench_function("ir, all fields of a block of one row", |bencher| {
        bencher.iter(|| plan.as_ref().map(|plan| plan.evaluate(black_box(&rows))))
    });
    group.finish();
}

fn main() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
    let loaded = Loader::new()
        .without_cases()
        .only(&["dividendes", "ir", "salaire", "salaire-net/ci"])
        .load(root);
    let Some(rules) = loaded.rules else {
        return eprintln!("the rules have errors: see bareme check");
    };
    let (warm_up, measured) = (Duration::from_millis(500), Duration::from_secs(2));
    let mut criterion = Criterion::default()
        .warm_up_time(warm_up)
        .measurement_time(measured)
        .configure_from_args();
    plans(&mut criterion, &rules);
    one_by_one(&mut criterion, &rules);
    alone(&mut criterion, &rules);
    criterion.final_summary();
}
