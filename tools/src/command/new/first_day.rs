//! The day on which the law of a folder begins in a year, by the days of its own files.

use std::collections::BTreeSet;

use bareme_engine::Folder;
use bareme_engine::run::Edition;
use jiff::civil::Date;

/// The day of the file that prepares a year of a folder: the day that was asked for, or a later one
/// of that year on which the files of this folder start each year.
///
/// The finance law of Mauritius begins in July, and the French tax on companies is that of the years
/// which end from 31 December on: a file of the first of January would change nothing there.
pub(super) fn first_day(folder: &Folder, requested: Date) -> Date {
    let scales = folder.editions().iter().filter_map(Edition::scale);
    let days: BTreeSet<Date> = scales.map(|scale| scale.date).collect();
    yearly_day(&days, requested).unwrap_or(requested)
}

/// A later day of the year that the last two years had too, unless the files start on the requested
/// one.
fn yearly_day(days: &BTreeSet<Date>, requested: Date) -> Option<Date> {
    // The first file only says since when the law is known.
    let changes: Vec<Date> = days.iter().skip(1).copied().collect();
    let last = changes.last()?.year();
    let is_in = |year: i16, day: Date| {
        let mut of_year = changes.iter().filter(|change| change.year() == year);
        of_year.any(|change| (change.month(), change.day()) == (day.month(), day.day()))
    };
    if changes.iter().any(|change| is_in(change.year(), requested)) {
        return None;
    }

    let of_last_year = changes.iter().filter(|change| change.year() == last);
    let yearly = of_last_year.filter(|change| is_in(last.saturating_sub(1), **change));
    let mut in_year = yearly.filter_map(|change| {
        let day = Date::new(requested.year(), change.month(), change.day());
        day.ok().filter(|day| *day > requested)
    });
    in_year.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        text.parse().unwrap()
    }

    /// The day that a history gives, for a year from the first of January unless stated.
    fn found(days: &[&str], requested: &str) -> Option<String> {
        let days = days.iter().map(|text| day(text)).collect();
        yearly_day(&days, day(requested)).map(|day| day.to_string())
    }

    #[test]
    fn a_year_starts_where_the_last_two_started() {
        let december = ["2023-01-01", "2025-12-31", "2026-12-31"];
        assert_eq!(found(&december, "2027-01-01").unwrap(), "2027-12-31");
        let july = ["2023-07-01", "2024-07-01", "2025-07-01", "2026-07-01"];
        assert_eq!(found(&july, "2027-01-01").unwrap(), "2027-07-01");
        // Of two days of each year, the first one; beyond it, the next.
        let twice = [
            "2024-04-01",
            "2025-04-01",
            "2025-10-01",
            "2026-04-01",
            "2026-10-01",
        ];
        assert_eq!(found(&twice, "2027-01-01").unwrap(), "2027-04-01");
        assert_eq!(found(&twice, "2027-05-01").unwrap(), "2027-10-01");
    }

    #[test]
    fn the_requested_day_is_that_of_every_other_folder() {
        for days in [
            // Nothing since the first file.
            &["2023-07-01"][..],
            &[],
            // A change of one year only, and one that a year left out.
            &["2023-01-01", "2025-02-15"],
            &["2023-01-01", "2024-03-01", "2026-03-01"],
            // The files of January, beside those of the rest of the year.
            &["2023-01-01", "2025-01-01", "2025-07-01", "2026-07-01"],
        ] {
            assert_eq!(found(days, "2027-01-01"), None, "{days:?}");
        }
        // Its day is over: what is prepared now is a change within the year.
        assert_eq!(
            found(&["2023-01-01", "2025-05-01", "2026-05-01"], "2027-07-01"),
            None
        );
        assert_eq!(
            found(&["2023-01-01", "2023-02-01", "2024-02-29"], "2027-01-01"),
            None
        );
    }
}
