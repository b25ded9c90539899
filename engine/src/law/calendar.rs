//! Counts of days, months and years between two dates, which formulas compute as the number of
//! each day.

use jiff::civil::{Date, date};
use jiff::{Span, ToSpan, Unit};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use crate::law::formula::EvalError;

/// The day of number 0.
const EPOCH: Date = date(1970, 1, 1);

/// The number of a day: how many days it is after 1 January 1970.
pub(crate) fn day_number(day: Date) -> Decimal {
    let days = EPOCH.until((Unit::Day, day)).map(|span| span.get_days());
    // The calendar has a few million days: a span holds any number of them.
    Decimal::from(days.unwrap_or_default())
}

/// The day of a number; what is left of a day is dropped.
fn day(number: Decimal) -> Result<Date, EvalError> {
    let days = number.floor().to_i64().ok_or(EvalError::Overflow)?;
    let span = Span::new().try_days(days);
    let day = span.and_then(|span| EPOCH.checked_add(span));
    day.map_err(|_| EvalError::Overflow)
}

/// How many whole months lie between the days of two numbers, fewer than 0 if the second is the
/// earlier one.
///
/// A month ends on the day of the same number, or on the last day of the month where there is none
/// (Code de procédure civile, art. 641): from 31 January to 28 February is one.
pub(crate) fn whole_months(from: Decimal, to: Decimal) -> Result<Decimal, EvalError> {
    let (from, to) = (day(from)?, day(to)?);
    if to < from {
        let months = months_between(to, from)?;
        return Ok(Decimal::from(months.saturating_neg()));
    }
    months_between(from, to).map(Decimal::from)
}

fn months_between(from: Date, to: Date) -> Result<i64, EvalError> {
    let of = |day: Date| i64::from(day.year()) * 12 + i64::from(day.month());
    let months = of(to).saturating_sub(of(from));

    // The month that is under way counts only once its day has come.
    let reached = from.checked_add(months.months());
    let reached = reached.map_err(|_| EvalError::Overflow)?;
    Ok(if reached > to { months - 1 } else { months })
}

/// How many whole years lie between the days of two numbers, by their whole months.
pub(crate) fn whole_years(from: Decimal, to: Decimal) -> Result<Decimal, EvalError> {
    let months = whole_months(from, to)?;
    let years = months.checked_div(Decimal::from(12)).unwrap_or_default();
    Ok(years.trunc())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Decimal {
        day_number(text.parse().unwrap())
    }

    #[test]
    fn months_end_on_the_same_day_or_on_the_last_one() {
        let cases = [
            ("2020-03-01", "2025-03-01", 60),
            ("2020-03-01", "2025-02-28", 59),
            ("2024-01-31", "2024-02-29", 1),
            ("2023-01-31", "2023-02-28", 1),
            ("2023-01-31", "2023-02-27", 0),
            ("2024-02-29", "2025-02-28", 12),
            ("2024-03-31", "2024-04-29", 0),
            ("2024-05-15", "2024-05-15", 0),
            ("2025-03-01", "2020-03-02", -59),
        ];
        for (from, to, months) in cases {
            let found = whole_months(number(from), number(to)).unwrap();
            assert_eq!(found, Decimal::from(months), "{from} {to}");
        }
    }

    #[test]
    fn years_are_whole_ones() {
        let years = |from, to| whole_years(number(from), number(to)).unwrap();
        assert_eq!(years("2000-03-01", "2010-02-28"), Decimal::from(9));
        assert_eq!(years("2000-03-01", "2010-03-01"), Decimal::from(10));
        assert_eq!(years("2000-02-29", "2021-02-28"), Decimal::from(21));
        assert_eq!(years("2010-03-01", "2000-03-02"), Decimal::from(-9));
    }

    #[test]
    fn every_day_is_that_of_its_number() {
        for text in [
            "1900-01-01",
            "1969-12-31",
            "1970-01-01",
            "2026-11-29",
            "9999-12-31",
        ] {
            assert_eq!(day(number(text)).unwrap().to_string(), text);
        }
        assert_eq!(number("1970-01-02"), Decimal::ONE);
        assert!(day(Decimal::MAX).is_err());
        assert!(day(Decimal::from(4_000_000)).is_err());
    }
}
