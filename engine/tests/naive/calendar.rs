//! Dates, as the number of each day.

use num_bigint::BigInt;
use num_traits::ToPrimitive as _;

use crate::law::Rat;

/// A day: year, month, day of the month.
type Day = (i64, i64, i64);

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn length((year, month): (i64, i64)) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The number of a day, counted year by year and month by month.
fn number((year, month, day): Day) -> i64 {
    let years: i64 = (0..year).map(|year| 365 + i64::from(is_leap(year))).sum();
    let months: i64 = (1..month).map(|month| length((year, month))).sum();
    years + months + day
}

/// The day of a number.
fn day(mut number: i64) -> Day {
    let (mut year, mut month) = (0, 1);
    while number > 365 + i64::from(is_leap(year)) {
        number -= 365 + i64::from(is_leap(year));
        year += 1;
    }
    while number > length((year, month)) {
        number -= length((year, month));
        month += 1;
    }
    (year, month, number)
}

/// Reads `2026-01-31`; `None` for any other form, and for a day that does not exist.
pub(crate) fn read(text: &str) -> Option<Rat> {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else {
        return None;
    };
    let is_written = (year.len(), month.len(), day.len()) == (4, 2, 2);
    let digits = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'-');
    let (year, month, day) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    let exists = (1..=12).contains(&month) && (1..=length((year, month))).contains(&day);
    let found = (is_written && digits && exists).then(|| number((year, month, day)))?;
    Some(Rat::from(BigInt::from(found)))
}

/// The whole months between two days, found by trying one after the other.
pub(crate) fn months(from: &Rat, to: &Rat) -> Rat {
    let whole = |value: &Rat| value.floor().to_integer().to_i64().unwrap();
    let (from, to) = (whole(from), whole(to));
    if to < from {
        let swapped = |value: i64| Rat::from(BigInt::from(value));
        return -months(&swapped(to), &swapped(from));
    }

    let (year, month, own) = day(from);
    let after = |count: i64| {
        let month = month - 1 + count;
        let of = (year + month / 12, month % 12 + 1);
        number((of.0, of.1, own.min(length(of))))
    };
    let count = (1..).take_while(|count| after(*count) <= to).count();
    Rat::from(BigInt::from(count))
}
