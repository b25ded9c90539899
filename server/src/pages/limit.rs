//! Rate limit of the calculations of the site, by address.
//!
//! The simulators calculate while somebody types. These calculations do not count towards the quota of a caller,
//! since they are no calls of the API. To prevent use of the site in place of the API, each address has a rate that
//! no person reaches and that is useless to a program.

use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;

use governor::{DefaultKeyedRateLimiter, Quota};

/// Calculations that an address may run at once, and how many it regains each second.
const BURST: NonZeroU32 = NonZeroU32::new(120).unwrap();
const A_SECOND: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// Greatest number of addresses to remember; one is forgotten once its burst is restored. Further addresses share one
/// rate.
const MAX_ADDRESSES: usize = 50_000;
const OTHERS: IpAddr = IpAddr::V6(Ipv6Addr::UNSPECIFIED);

/// The rate limiter of the addresses.
#[derive(Debug)]
pub(crate) struct RateLimit(DefaultKeyedRateLimiter<IpAddr>);

impl Default for RateLimit {
    fn default() -> Self {
        Self(DefaultKeyedRateLimiter::keyed(Quota::per_second(A_SECOND).allow_burst(BURST)))
    }
}

impl RateLimit {
    /// Whether an address may run a calculation now.
    pub(crate) fn admits(&self, address: IpAddr) -> bool {
        let mut address = address;
        if self.0.len() >= MAX_ADDRESSES {
            self.0.retain_recent();
            if self.0.len() >= MAX_ADDRESSES {
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
        for number in 0..u32::try_from(MAX_ADDRESSES).unwrap() + 1_000 {
            limit.admits(IpAddr::from(number.to_be_bytes()));
        }
        assert!(limit.0.len() <= MAX_ADDRESSES + 1, "{}", limit.0.len());
    }
}
