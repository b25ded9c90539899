//! Distributions of the samples, as tables of quantiles. They have the shape of published
//! statistics, with round parameters that the manual names, but are not real data.

use std::sync::LazyLock;

/// Ranks in billionths, with the amount in euros of each distribution; of some, not at every rank.
const DISTRIBUTIONS: &str = include_str!("distributions.csv");

/// Quantiles of a distribution: ranks with amounts.
pub(super) type Quantiles = [(i64, i64)];

/// Yearly taxable income of a household with one adult: log-normal, median 16 000, sigma 0.75;
/// above the last percentile a Pareto tail of index 2.1.
pub(super) static INCOMES_ALONE: LazyLock<Vec<(i64, i64)>> = LazyLock::new(|| quantiles("alone"));

/// Yearly taxable income of a couple: log-normal, median 36 000, sigma 0.65; above the last
/// percentile a Pareto tail of index 2.1.
pub(super) static INCOMES_OF_COUPLES: LazyLock<Vec<(i64, i64)>> =
    LazyLock::new(|| quantiles("couple"));

/// Monthly gross pay, full-time: close to the minimum wage below the median, 2 800; above it
/// log-normal with sigma 0.53, and above the last decile a Pareto tail of index 2.7.
pub(super) static GROSS_PAYS: LazyLock<Vec<(i64, i64)>> = LazyLock::new(|| quantiles("gross"));

/// The quantiles of a column.
fn quantiles(name: &str) -> Vec<(i64, i64)> {
    let mut table = csv::Reader::from_reader(DISTRIBUTIONS.as_bytes());
    let column = table
        .headers()
        .ok()
        .and_then(|names| names.iter().position(|column| column == name));

    let number = |row: &csv::StringRecord, column: usize| row.get(column)?.parse().ok();
    // A distribution without an amount at some rank has no point there.
    table
        .records()
        .flatten()
        .filter_map(|row| Some((number(&row, 0)?, number(&row, column?)?)))
        .collect()
}

/// The rate of the tax withheld, in tenths of a percent, by the gross pay in euros.
pub(super) const WITHHELD: &Quantiles = &[
    (0, 0),
    (1_700, 0),
    (2_000, 15),
    (2_800, 45),
    (4_000, 90),
    (6_000, 140),
    (10_000, 210),
    (20_000, 310),
    (50_000, 400),
    (1_000_000, 430),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_and_amount_is_a_number() {
        let cells = DISTRIBUTIONS
            .lines()
            .skip(1)
            .flat_map(|line| line.split(',').skip(1));
        let filled = cells.filter(|cell| !cell.is_empty()).count();
        let read = [&INCOMES_ALONE, &INCOMES_OF_COUPLES, &GROSS_PAYS].map(|table| table.len());
        assert_eq!((read, filled), ([25, 25, 24], 74));
        for table in [&INCOMES_ALONE, &INCOMES_OF_COUPLES, &GROSS_PAYS] {
            assert!(table.is_sorted());
        }
    }
}
