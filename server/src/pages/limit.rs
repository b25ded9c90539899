//! How often an address may have the site calculate.
//!
//! The simulators answer while somebody types. Their calculations take nothing from the quota of a caller:
//! they are not calls of the interface. So that nobody uses the site instead of the interface, an address has
//! a rate of its own here, which no human reaches and no program can live on.

use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;

use governor::{DefaultKeyedRateLimiter, Quota};

/// Calculations that an address may ask at once, and how many it gets back each second.
const BURST: NonZeroU32 = NonZeroU32::new(120).unwrap();
const A_SECOND: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// Addresses that are remembered at once; an address is forgotten when its burst is whole again. Those that
/// come when all places are taken share one.
const MOST: usize = 50_000;
const OTHERS: IpAddr = IpAddr::V6(Ipv6Addr::UNSPECIFIED);

/// The rates of the addresses.
#[derive(Debug)]
pub(crate) struct RateLimit(DefaultKeyedRateLimiter<IpAddr>);

impl Default for RateLimit {
    fn default() -> Self {
        Self(DefaultKeyedRateLimiter::keyed(Quota::per_second(A_SECOND).allow_burst(BURST)))
    }
}

impl RateLimit {
    /// Whether an address may have something calculated now.
    pub(crate) fn admits(&self, address: IpAddr) -> bool {
        let mut address = address;
        if self.0.len() >= MOST {
            self.0.retain_recent();
            if self.0.len() >= MOST {
                address = OTHERS;
            }
        }
        self.0.check_key(&address).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_burst_and_takes_nothing_from_another() {
        let limit = RateLimit::default();
        let (one, other) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        let granted = (0..500).filter(|_| limit.admits(one)).count();
        assert!((120..200).contains(&granted), "{granted}");
        assert!(limit.admits(other));
    }

    #[test]
    fn a_crowd_of_addresses_takes_a_bounded_place() {
        let limit = RateLimit::default();
        for number in 0..u32::try_from(MOST).unwrap() + 1_000 {
            limit.admits(IpAddr::from(number.to_be_bytes()));
        }
        assert!(limit.0.len() <= MOST + 1, "{}", limit.0.len());
    }
}
