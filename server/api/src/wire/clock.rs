//! The clock, read once for each request: the `Date` header and "today" must agree.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp, tz::TimeZone};

/// The system clock, which may be set to another moment, and whose day may be pinned.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    pinned: Option<Date>,
    ahead: SignedDuration,
}

/// The time of a request, read once for all that depends on it.
#[derive(Debug, Clone, Copy)]
pub struct RequestTime {
    /// The whole second, as in the `Date` header.
    pub second: SystemTime,
    /// The day (UTC) whose scale applies when a call gives no date.
    pub today: Date,
}

impl Clock {
    /// A clock; `pinned` fixes its day.
    pub fn new(pinned: Option<Date>) -> Self {
        Self {
            pinned,
            ahead: SignedDuration::ZERO,
        }
    }

    /// The clock set to `moment` now; it runs on from there.
    pub fn set_to(self, moment: Timestamp) -> Self {
        Self {
            ahead: moment.duration_since(Timestamp::now()),
            ..self
        }
    }

    /// Reads the clock.
    pub fn read(&self) -> RequestTime {
        let now = Timestamp::now();
        // An addition that overflows is ignored: nobody sets a clock that far.
        let now = now.checked_add(self.ahead).unwrap_or(now);

        let today = self
            .pinned
            .unwrap_or_else(|| now.to_zoned(TimeZone::UTC).date());

        // A clock before 1970 counts as 1970: HTTP has no earlier date.
        let seconds = u64::try_from(now.as_second()).unwrap_or(0);
        RequestTime {
            second: UNIX_EPOCH + Duration::from_secs(seconds),
            today,
        }
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
    fn a_clock_that_was_set_runs_on() {
        let clock = Clock::new(None).set_to("2028-02-29T23:59:58Z".parse().unwrap());
        let (first, before) = (clock.read(), Timestamp::now());
        assert_eq!(first.today, date(2028, 2, 29));
        std::thread::sleep(Duration::from_millis(2_100));
        let elapsed = Timestamp::now().duration_since(before).as_secs();
        let second = clock.read();
        assert_eq!(second.today, date(2028, 3, 1));
        let moved = second
            .second
            .duration_since(first.second)
            .unwrap()
            .as_secs();
        assert!(
            moved.abs_diff(elapsed.try_into().unwrap()) <= 1,
            "{moved} for {elapsed}"
        );
    }

    #[test]
    fn today_is_the_day_of_the_second_in_the_date_field() {
        let reading = Clock::new(None).read();
        let shown = httpdate::fmt_http_date(reading.second);
        let parsed = Timestamp::try_from(httpdate::parse_http_date(&shown).unwrap()).unwrap();
        assert_eq!(parsed.to_zoned(TimeZone::UTC).date(), reading.today);
    }
}
