//! How many connections each address holds, so that one cannot take every place.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::access::address::site;

/// Bits of an IPv6 address that tell one site from another.
const SITE: u8 = 64;

/// Open connections by address. It holds no more entries than there are connections.
#[derive(Debug, Default)]
pub struct Shares {
    open: Mutex<HashMap<IpAddr, usize>>,
}

/// One connection of an address; dropping it gives the place back.
#[derive(Debug)]
pub struct Share {
    shares: Arc<Shares>,
    address: IpAddr,
}

impl Shares {
    /// A place for `address`, unless it already holds `limit`.
    pub fn take(self: &Arc<Self>, address: IpAddr, limit: usize) -> Option<Share> {
        let address = site(address, SITE);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(address).or_default();
        if *count >= limit {
            return None;
        }
        *count += 1;
        Some(Share { shares: Arc::clone(self), address })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut open = self.shares.open.lock().unwrap_or_else(PoisonError::into_inner);
        match open.get_mut(&self.address) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(open.remove(&self.address)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(shares: &Arc<Shares>, address: &str) -> Option<Share> {
        shares.take(address.parse().unwrap(), 2)
    }

    #[test]
    fn a_place_given_back_can_be_taken_again() {
        let shares = Arc::default();
        let first = take(&shares, "192.0.2.1");
        let second = take(&shares, "192.0.2.1");
        assert!(first.is_some() && second.is_some());
        assert!(take(&shares, "192.0.2.1").is_none());
        assert!(take(&shares, "192.0.2.2").is_some());
        drop(first);
        assert!(take(&shares, "192.0.2.1").is_some());
        drop(second);
        assert!(shares.open.lock().unwrap().is_empty());
    }

    #[test]
    fn a_site_is_one_whatever_its_address() {
        let shares = Arc::default();
        let held = [take(&shares, "2001:db8:0:1::1"), take(&shares, "2001:db8:0:1:ffff::2")];
        assert!(take(&shares, "2001:db8:0:1::3").is_none());
        assert!(take(&shares, "2001:db8:0:2::1").is_some());
        let mapped = [take(&shares, "::ffff:192.0.2.1"), take(&shares, "192.0.2.1")];
        assert!(take(&shares, "192.0.2.1").is_none());
        drop((held, mapped));
    }
}
