//! Who tries keys that do not exist is soon not listened to: guessing is hopeless anyway, but each
//! guess asks the store.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::day::Moment;

/// Failures an address may have in a minute.
const MOST: u32 = 60;

/// Most addresses followed at once. Further ones are followed together.
const ADDRESSES: usize = 10_000;

const CROWD: IpAddr = IpAddr::V6(Ipv6Addr::UNSPECIFIED);

/// The failures of this minute.
#[derive(Debug, Default)]
pub struct Attempts(Mutex<Minute>);

#[derive(Debug, Default)]
struct Minute {
    minute: (i32, u32),
    failures: HashMap<IpAddr, u32>,
}

impl Attempts {
    /// Whether an address may try an unknown key.
    pub fn may_try(&self, moment: Moment, address: IpAddr) -> bool {
        let minute = self.lock(moment);
        let failures = |address| minute.failures.get(&address).copied();
        let full = minute.failures.len() >= ADDRESSES;
        failures(address).or_else(|| failures(CROWD).filter(|_| full)).unwrap_or_default() < MOST
    }

    /// An address sent a key that is not good.
    pub fn failed(&self, moment: Moment, address: IpAddr) {
        let mut minute = self.lock(moment);
        let followed = minute.failures.len() < ADDRESSES || minute.failures.contains_key(&address);
        *minute.failures.entry(if followed { address } else { CROWD }).or_default() += 1;
    }

    fn lock(&self, moment: Moment) -> MutexGuard<'_, Minute> {
        let mut minute = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = (moment.day.0, moment.second / 60);
        if minute.minute < now {
            *minute = Minute { minute: now, failures: HashMap::new() };
        }
        minute
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::day::Day;

    const NOW: Moment = Moment { day: Day(20_000), second: 59 };

    #[test]
    fn sixty_failures_are_enough_for_a_minute() {
        let attempts = Attempts::default();
        let [guesser, other] = ["192.0.2.1", "192.0.2.2"].map(|address| address.parse().unwrap());
        for _ in 0..MOST {
            assert!(attempts.may_try(NOW, guesser));
            attempts.failed(NOW, guesser);
        }
        assert!(!attempts.may_try(NOW, guesser));
        assert!(attempts.may_try(NOW, other));
        let next = Moment { second: 60, ..NOW };
        assert!(attempts.may_try(next, guesser));
    }

    #[test]
    fn a_crowd_of_guessers_is_bounded() {
        let attempts = Attempts::default();
        let address = |n: u32| IpAddr::from(std::net::Ipv4Addr::from_bits(n));
        for n in 0..20_000 {
            attempts.failed(NOW, address(n));
        }
        assert_eq!(attempts.0.lock().unwrap().failures.len(), ADDRESSES + 1);
        assert!(attempts.may_try(NOW, address(1)), "its own failures are few");
        assert!(!attempts.may_try(NOW, address(30_000)), "it is one of the crowd");
    }
}
