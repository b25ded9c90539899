//! What time it is, read once a request: the `Date` field and "today" must agree.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::civil::Date;
use jiff::{Timestamp, tz::TimeZone};

/// The system clock, whose day may be pinned.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    pinned: Option<Date>,
}

/// One reading of the clock.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// The whole second, as the `Date` field says it.
    pub second: SystemTime,
    /// The day (UTC) whose scale applies when a call gives no date.
    pub today: Date,
}

impl Clock {
    /// A clock that takes `pinned`, if given, as today.
    pub fn new(pinned: Option<Date>) -> Self {
        Self { pinned }
    }

    /// Reads the clock.
    pub fn read(&self) -> Reading {
        let now = Timestamp::now();
        let today = self.pinned.unwrap_or_else(|| now.to_zoned(TimeZone::UTC).date());
        let seconds = u64::try_from(now.as_second()).unwrap_or(0);
        Reading { second: UNIX_EPOCH + Duration::from_secs(seconds), today }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_pinned_day_does_not_move_the_date_field() {
        let reading = Clock::new(Some(date(2024, 2, 29))).read();
        assert_eq!(reading.today, date(2024, 2, 29));
        assert!(reading.second > UNIX_EPOCH + Duration::from_secs(1_700_000_000));
    }

    #[test]
    fn today_is_the_day_of_the_second_in_the_date_field() {
        let reading = Clock::new(None).read();
        let shown = httpdate::fmt_http_date(reading.second);
        let parsed = Timestamp::try_from(httpdate::parse_http_date(&shown).unwrap()).unwrap();
        assert_eq!(parsed.to_zoned(TimeZone::UTC).date(), reading.today);
    }
}
