//! A clock that is steady while the time of the machine is set.
//!
//! A clock that is set ahead and back again would end the day of the counts twice. So a jump is not
//! followed at first: time is counted by elapsed time, and [`check`](SteadyClock::check) reports
//! the jump. One that lasts is accepted in the end: the clock was wrong before.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::SignedDuration;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::shifted;

/// A smaller jump is followed at once: time servers set clocks by seconds.
const MIN_JUMP: SignedDuration = SignedDuration::from_secs(60);

/// How long a jump must last to be accepted.
const ACCEPTED_AFTER: Duration = Duration::from_secs(600);

/// A clock that does not jump.
#[derive(Debug)]
pub(crate) struct SteadyClock {
    origin: Instant,
    /// Milliseconds between the origin and 1970 by the clock of the machine, and a special value
    /// before it was read.
    offset: AtomicI64,
    /// Since when that clock differs.
    jumped: Mutex<Option<Instant>>,
}

const UNREAD: i64 = i64::MIN;

impl Default for SteadyClock {
    fn default() -> Self {
        Self {
            origin: Instant::now(),
            offset: AtomicI64::new(UNREAD),
            jumped: Mutex::default(),
        }
    }
}

impl SteadyClock {
    /// The steady time, given the time `now` of the machine.
    pub(crate) fn time(&self, now: SystemTime) -> SystemTime {
        let jump = self.jump(now);
        if jump.abs() < MIN_JUMP {
            now
        } else {
            shifted(now, -jump)
        }
    }

    /// Called each second; returns the jump of the clock, while it is not accepted.
    pub(crate) fn check(&self, now: SystemTime) -> Option<SignedDuration> {
        let jump = self.jump(now);
        let mut jumped = self.jumped.lock();
        if jump.abs() >= MIN_JUMP {
            if jumped.get_or_insert_with(Instant::now).elapsed() < ACCEPTED_AFTER {
                return Some(jump);
            }
            tracing::warn!(
                seconds = jump.as_secs(),
                "the clock of this machine was set; its time is taken over"
            );
        }

        *jumped = None;
        // Small drifts are followed each second: they would add up to a jump within weeks.
        self.offset.store(self.offset_of(now), Ordering::Relaxed);
        None
    }

    /// How far `now` is ahead of the elapsed time.
    fn jump(&self, now: SystemTime) -> SignedDuration {
        let offset = self.offset_of(now);
        let known =
            self.offset
                .compare_exchange(UNREAD, offset, Ordering::Relaxed, Ordering::Relaxed);
        SignedDuration::from_millis(offset.saturating_sub(known.err().unwrap_or(offset)))
    }

    fn offset_of(&self, now: SystemTime) -> i64 {
        let millis = |duration: Duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        millis(now.duration_since(UNIX_EPOCH).unwrap_or_default())
            .saturating_sub(millis(self.origin.elapsed()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    const NOON: u64 = 1_800_014_400;
    const DAY: u64 = 86_400;

    #[tokio::test(start_paused = true)]
    async fn a_clock_that_is_set_and_set_back_is_never_followed() {
        let clock = SteadyClock::default();
        assert_eq!(
            (clock.time(at(NOON)), clock.check(at(NOON))),
            (at(NOON), None)
        );
        advance(Duration::from_secs(3)).await;
        assert_eq!(
            clock.time(at(NOON + 4)),
            at(NOON + 4),
            "a second is no jump"
        );
        assert_eq!(clock.check(at(NOON + 4)), None);
        for wrong in [NOON + 3 * DAY, NOON - 3 * DAY, NOON + 4 + 61] {
            assert_eq!(clock.time(at(wrong)), at(NOON + 4));
            assert_eq!(
                clock.check(at(wrong)).map(|jump| jump.as_secs()),
                Some(wrong as i64 - NOON as i64 - 4)
            );
        }
        advance(Duration::from_secs(300)).await;
        assert_eq!(
            clock.time(at(NOON + 3 * DAY + 300)),
            at(NOON + 304),
            "time goes on"
        );
        assert_eq!(
            (clock.time(at(NOON + 304)), clock.check(at(NOON + 304))),
            (at(NOON + 304), None)
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_jump_that_lasts_is_believed() {
        let clock = SteadyClock::default();
        clock.check(at(NOON));
        assert!(clock.check(at(NOON + DAY)).is_some());
        advance(ACCEPTED_AFTER - Duration::from_secs(1)).await;
        assert!(clock.check(at(NOON + DAY + 599)).is_some());
        advance(Duration::from_secs(1)).await;
        assert_eq!(clock.time(at(NOON + DAY + 600)), at(NOON + 600));
        assert_eq!(clock.check(at(NOON + DAY + 600)), None);
        assert_eq!(clock.time(at(NOON + DAY + 600)), at(NOON + DAY + 600));
    }
}
