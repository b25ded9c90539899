//! Days of calls: from midnight to midnight, UTC.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::SignedDuration;
use jiff::civil::{Date, date};

// Days are in UTC, and leap seconds are no part of the time since 1970: each day is this long.
const SECONDS: u64 = 86_400;

/// A day, counted from 1 January 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Day(pub i32);

impl Day {
    /// The day some days earlier.
    pub fn minus(self, days: i32) -> Self {
        Self(self.0.saturating_sub(days))
    }

    /// Its date.
    pub fn date(self) -> Date {
        let days = SignedDuration::from_hours(i64::from(self.0) * 24);
        date(1970, 1, 1).saturating_add(days)
    }

    /// The day before.
    pub fn before(self) -> Self {
        Self(self.0.saturating_sub(1))
    }
}

/// Day and second of a request, from its single reading of the clock: headers and count can never
/// refer to different days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The day.
    pub day: Day,
    /// The whole second of that day.
    pub second: u32,
}

impl Moment {
    /// The moment of a whole second.
    pub fn new(second: SystemTime) -> Self {
        let since = second
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_secs();
        Self {
            day: Day(i32::try_from(since / SECONDS).unwrap_or(i32::MAX)),
            // Always less than the seconds of a day, which fit.
            second: u32::try_from(since % SECONDS).unwrap_or_default(),
        }
    }

    /// Seconds until midnight; a whole day at midnight itself.
    pub fn seconds_left(self) -> u64 {
        SECONDS - u64::from(self.second)
    }

    /// The midnight that ends the day.
    pub fn midnight(self) -> SystemTime {
        self.start() + Duration::from_secs(SECONDS)
    }

    fn start(self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(u64::try_from(self.day.0).unwrap_or_default() * SECONDS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Moment {
        Moment::new(httpdate::parse_http_date(text).unwrap())
    }

    #[test]
    fn a_day_ends_at_the_next_midnight() {
        for (moment, left, end) in [
            (
                "Fri, 20 Nov 2026 00:00:00 GMT",
                86_400,
                "Sat, 21 Nov 2026 00:00:00 GMT",
            ),
            (
                "Fri, 20 Nov 2026 20:44:53 GMT",
                11_707,
                "Sat, 21 Nov 2026 00:00:00 GMT",
            ),
            (
                "Tue, 29 Feb 2028 23:59:59 GMT",
                1,
                "Wed, 01 Mar 2028 00:00:00 GMT",
            ),
            (
                "Thu, 31 Dec 2026 23:59:59 GMT",
                1,
                "Fri, 01 Jan 2027 00:00:00 GMT",
            ),
        ] {
            assert_eq!(at(moment).seconds_left(), left, "{moment}");
            assert_eq!(httpdate::fmt_http_date(at(moment).midnight()), end);
        }
    }

    #[test]
    fn days_follow_each_other() {
        let before = at("Thu, 31 Dec 2026 23:59:59 GMT");
        let after = at("Fri, 01 Jan 2027 00:00:00 GMT");
        assert_eq!(
            (after.day.0 - before.day.0, before.second, after.second),
            (1, 86_399, 0)
        );
        assert_eq!(
            (before.day.date(), after.day.minus(90).date()),
            (date(2026, 12, 31), date(2026, 10, 3))
        );
    }
}
