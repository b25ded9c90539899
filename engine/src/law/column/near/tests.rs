use super::super::Block;
use super::*;
use crate::law::formula::When;
use crate::text::number::{add, compare, div, larger, mul, smaller, sub};
use crate::text::power;

const MODES: [RoundMode; 3] = [RoundMode::HalfUp, RoundMode::Down, RoundMode::Up];

fn block(rows: usize) -> Block {
    Block::new(rows, Vec::new(), 0, When::default())
}

fn numbers(values: &[i64], scale: u32) -> Numbers {
    let values = values.iter().map(|value| Decimal::new(*value, scale));
    Numbers::of_decimals(values.collect())
}

/// Dividends around halves, of both signs, and divisors with and without finite quotients.
fn pairs() -> (Numbers, Numbers) {
    let dividends = [
        0, 1, -1, 5, -5, 1_005, -2_015, 99_999, 1_234_567, -1_234_565,
    ];
    let divisors = [1, 2, 3, 7, -3, 8, 12, 15_167, 1_000, -6];
    let all = || dividends.iter().flat_map(|a| divisors.map(|b| (*a, b)));
    let (a, b): (Vec<i64>, Vec<i64>) = all().unzip();
    (numbers(&a, 2), numbers(&b, 1))
}

/// Numbers are near others: each row has the exact one, and is rounded, shown and compared as it.
fn check(found: &Numbers, exact: impl Fn(usize) -> Decimal, rows: usize) {
    let block = block(rows);
    let units = ["1", "0.01", "0.0001", "0.05", "100", "0"].map(|unit| unit.parse().unwrap());
    for row in 0..rows {
        assert_eq!(found.at(row), Some(exact(row)), "row {row}");
    }
    for unit in units {
        for mode in MODES {
            let rounded = found.rounded(&Numbers::One(unit), mode, &block, &Active::ALL);
            for row in 0..rows {
                let expected = round(exact(row), unit, mode);
                assert_eq!(
                    rounded.at(row),
                    expected,
                    "{} by {unit} {mode:?}",
                    exact(row)
                );
            }
        }
    }
    for decimals in [0, 2, 4, 10] {
        let shown = found.shown(decimals);
        for row in 0..rows {
            let expected = round_decimals(exact(row), decimals);
            assert_eq!(
                shown.at(row),
                Some(expected),
                "{} to {decimals}",
                exact(row)
            );
        }
    }
    // Each row with each number that it may be equal to.
    for other in (0..rows).map(&exact).chain([Decimal::ZERO, Decimal::ONE]) {
        let less = found.compared(&Numbers::One(other), i64::lt, |order| order.is_lt(), &block);
        for row in 0..rows {
            let expected = compare(exact(row), other).is_lt();
            assert_eq!(less.at(row), expected, "{} < {other}", exact(row));
        }
    }
    assert!((0..rows).all(|row| !block.failed(row)));
}

#[test]
fn a_quotient_is_that_of_decimals() {
    let (a, b) = pairs();
    let rows = 100;
    let found = a.divided_by(&b, &block(rows), &Active::ALL);
    assert!(matches!(found, Numbers::Near(_)));
    check(
        &found,
        |row| div(a.at(row).unwrap(), b.at(row).unwrap()).unwrap(),
        rows,
    );

    let few = Decimal::new(3, 0);
    let found = a.divided_by(&Numbers::One(few), &block(rows), &Active::ALL);
    check(&found, |row| div(a.at(row).unwrap(), few).unwrap(), rows);
    let found = Numbers::One(few).divided_by(&b, &block(rows), &Active::ALL);
    check(&found, |row| div(few, b.at(row).unwrap()).unwrap(), rows);
}

#[test]
fn operations_on_quotients_are_those_of_decimals() {
    let (a, b) = pairs();
    let rows = 100;
    let (block, active) = (block(rows), Active::ALL);
    let near = a.divided_by(&b, &block, &active);
    let long: Decimal = "151.66666666666666666666666667".parse().unwrap();
    type Operation = fn(&Numbers, &Numbers, &Block, &Active) -> Numbers;
    type Exact = fn(Decimal, Decimal) -> Decimal;
    let operations: [(Operation, Exact); 5] = [
        (Numbers::plus, |a, b| add(a, b).unwrap()),
        (Numbers::minus, |a, b| sub(a, b).unwrap()),
        (Numbers::times, |a, b| mul(a, b).unwrap()),
        (Numbers::larger, larger),
        (Numbers::smaller, smaller),
    ];
    for other in [
        a.clone(),
        b.clone(),
        near.clone(),
        Numbers::One(long),
        Numbers::One(1.into()),
    ] {
        for (operation, exact) in operations {
            let of_row = |row| exact(near.at(row).unwrap(), other.at(row).unwrap());
            check(&operation(&near, &other, &block, &active), of_row, rows);
            let of_row = |row| exact(other.at(row).unwrap(), near.at(row).unwrap());
            check(&operation(&other, &near, &block, &active), of_row, rows);
        }
        let test: Vec<bool> = (0..rows).map(|row| row % 3 == 0).collect();
        let of_row = |row: usize| {
            if row.is_multiple_of(3) {
                near.at(row)
            } else {
                other.at(row)
            }
            .unwrap()
        };
        check(&Numbers::select(&test, &near, &other), of_row, rows);
    }
    let chosen = [3, 1, 1, 99];
    let of_row = |row: usize| near.at(chosen[row]).unwrap();
    check(&near.select_rows(&chosen), of_row, chosen.len());
}

#[test]
fn a_row_without_a_quotient_fails_and_no_other() {
    let (a, b) = (numbers(&[1, 2, 3], 0), numbers(&[3, 0, 7], 0));
    let block = block(3);
    let found = a.divided_by(&b, &block, &Active::ALL);
    assert_eq!([0, 1, 2].map(|row| block.failed(row)), [false, true, false]);
    assert_eq!(found.at(2), Some(div(3.into(), 7.into()).unwrap()));

    // A ratio is 0 there.
    let ratio = |a: Decimal, b: Decimal| if b.is_zero() { Ok(b) } else { div(a, b) };
    let found = a.ratio(&b, ratio).unwrap();
    check(
        &found,
        |row| ratio(a.at(row).unwrap(), b.at(row).unwrap()).unwrap(),
        3,
    );
}

#[test]
fn a_quotient_without_a_rest_is_exact() {
    let (a, b) = (numbers(&[10, -25, 0], 1), numbers(&[4, 5, 8], 0));
    let found = a.divided_by(&b, &block(3), &Active::ALL);
    assert!(matches!(found, Numbers::Scaled(_)));
    check(
        &found,
        |row| div(a.at(row).unwrap(), b.at(row).unwrap()).unwrap(),
        3,
    );
    // One that all rows share is one number.
    let same = b.divided_by(&b, &block(3), &Active::ALL);
    assert!(matches!(same, Numbers::One(one) if one == Decimal::ONE));
}

#[test]
fn numbers_beyond_sixty_four_bits_are_decimals() {
    let huge = numbers(&[i64::MAX, i64::MAX - 7, i64::MIN + 1], 0);
    let (few, rows) = (numbers(&[3, 7, 9], 0), 3);
    let (block, active) = (block(rows), Active::ALL);
    let found = huge.divided_by(&few, &block, &active);
    for row in 0..rows {
        let exact = div(huge.at(row).unwrap(), few.at(row).unwrap()).unwrap();
        assert_eq!(found.at(row), Some(exact));
    }
    let near = few.divided_by(&numbers(&[7, 11, 13], 0), &block, &active);
    let found = near.times(&huge, &block, &active);
    for row in 0..rows {
        let exact = mul(near.at(row).unwrap(), huge.at(row).unwrap()).unwrap();
        assert_eq!(found.at(row), Some(exact));
    }
    assert!((0..rows).all(|row| !block.failed(row)));
}

#[test]
fn a_power_is_that_of_decimals() {
    let values: Vec<i64> = (0..60)
        .map(|step| step * step * 550)
        .chain([1, 10, 1_999_999])
        .collect();
    let rows = values.len();
    let (block, active) = (block(rows), Active::ALL);
    let short = numbers(&values, 6);
    // A quarter of them and a third: no integers represent these.
    let quarter = short.times(&Numbers::One(Decimal::new(25, 2)), &block, &active);
    let third = Numbers::One("0.33333333333333333333333333".parse().unwrap());
    let near = quarter.plus(&third, &block, &active);
    assert!(matches!(near, Numbers::Near(_)));
    for base in [short, near] {
        for quarters in 4..=8 {
            let found = base.power(quarters, power::power, &active).unwrap();
            let of_row = |row| power::power(base.at(row).unwrap(), quarters).unwrap();
            check(&found, of_row, rows);
        }
    }
    // Outside of 0 to 2, and for other exponents, decimals compute.
    assert!(
        numbers(&[-1, 5], 3)
            .power(7, power::power, &active)
            .is_none()
    );
    assert!(
        numbers(&[2_001, 5], 3)
            .power(7, power::power, &active)
            .is_none()
    );
    assert!(
        numbers(&[1, 5], 3)
            .power(3, power::power, &active)
            .is_none()
    );
}
