//! Subjects of the counts of calls: an account, or an address that is never stored in clear.
//!
//! An address is known by its keyed hash alone, in memory as on disk. The hash key is drawn for each
//! day and destroyed after it: what remains of a past day can be traced to no one.

use std::fmt;
use std::net::IpAddr;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use uuid::Uuid;

/// The hash key of a day: as long as HMAC-SHA-256 takes without hashing it first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Salt(pub [u8; 64]);

impl Salt {
    /// A new one, from the system's random source.
    pub fn draw() -> Result<Self, getrandom::Error> {
        let mut salt = [0; 64];
        getrandom::fill(&mut salt)?;
        Ok(Self(salt))
    }
}

/// Subject of a count of calls. The first bit distinguishes an address from an account, whose UUID (version 7)
/// has it clear for some thousands of years.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Subject(pub [u8; 16]);

const ADDRESS: u8 = 0x80;

impl Subject {
    /// All addresses beyond the capacity of the counters.
    pub const OVERFLOW: Self = Self([0xff; 16]);

    /// All key requests together. No account has this identifier: no generated UUID is zero.
    pub const APPLICANTS: Self = Self([0; 16]);

    /// The holder of a key. A key that replaces another is of the same account.
    pub fn account(account: Uuid) -> Self {
        Self(account.into_bytes())
    }

    /// Whether anybody could make up more of these.
    pub fn is_address(self) -> bool {
        self.0.first().is_some_and(|first| first & ADDRESS != 0)
    }

    /// Eight bytes that are as good as random: the end of a hash, or of a UUID.
    fn tail(self) -> u64 {
        self.0.last_chunk().map_or(0, |tail| u64::from_be_bytes(*tail))
    }
}

impl std::hash::Hash for Subject {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u64(self.tail());
    }
}

/// Names the addresses of one day.
#[derive(Clone)]
pub struct Pseudonyms {
    mac: Hmac<Sha256>,
}

impl Pseudonyms {
    /// Under the key of the day.
    pub fn new(salt: &Salt) -> Self {
        Self { mac: Hmac::new(&salt.0.into()) }
    }

    /// Subject of the calls of a variant from an address, without a key.
    pub fn caller(&self, variant: &str, address: IpAddr) -> Subject {
        self.name(b"call", variant.as_bytes(), &octets(address))
    }

    /// All who call a variant from an address with keys of a free plan.
    pub fn key_holders(&self, variant: &str, address: IpAddr) -> Subject {
        self.name(b"keys", variant.as_bytes(), &octets(address))
    }

    /// Subject of the e-mails that are sent to a mailbox.
    pub fn mailbox(&self, mailbox: &str) -> Subject {
        self.name(b"mail", b"", mailbox.as_bytes())
    }

    /// Subject of the requests for keys from an address.
    pub fn applicant(&self, address: IpAddr) -> Subject {
        self.name(b"form", b"", &octets(address))
    }

    /// Subject of a form of the site that was sent.
    pub fn sent_form(&self, form: Uuid) -> Subject {
        self.name(b"once", b"", form.as_bytes())
    }

    /// Subject of the requests for keys from a network of IPv6 addresses.
    pub fn network(&self, network: IpAddr) -> Subject {
        self.name(b"net6", b"", &octets(network))
    }

    fn name(&self, use_of: &[u8; 4], scope: &[u8], name: &[u8]) -> Subject {
        let mut mac = self.mac.clone();
        mac.update(use_of);
        // No scope holds a zero: two different pairs are never the same bytes.
        for part in [scope, &[0], name] {
            mac.update(part);
        }
        let digest: [u8; 32] = mac.finalize().into_bytes().into();
        let mut subject = digest.first_chunk().copied().unwrap_or([ADDRESS; 16]);
        if let Some(first) = subject.first_mut() {
            *first |= ADDRESS;
        }
        Subject(subject)
    }
}

impl fmt::Debug for Salt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Salt(…)")
    }
}

impl fmt::Debug for Pseudonyms {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Pseudonyms(…)")
    }
}

fn octets(address: IpAddr) -> [u8; 16] {
    match address {
        IpAddr::V4(v4) => v4.to_ipv6_mapped().octets(),
        IpAddr::V6(v6) => v6.octets(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(salt: u8) -> Pseudonyms {
        Pseudonyms::new(&Salt([salt; 64]))
    }

    #[test]
    fn a_name_depends_on_the_day_the_variant_and_the_address() {
        let address: IpAddr = "192.0.2.1".parse().unwrap();
        let other: IpAddr = "192.0.2.2".parse().unwrap();
        let known = names(1).caller("a", address);
        assert_eq!(names(1).caller("a", address), known);
        for different in [
            names(2).caller("a", address),
            names(1).caller("b", address),
            names(1).caller("a", other),
            names(1).applicant(address),
            names(1).key_holders("a", address),
            names(1).network(address),
        ] {
            assert_ne!(different, known);
        }
    }

    #[test]
    fn an_address_is_told_from_an_account() {
        assert!(names(1).caller("a", "192.0.2.1".parse().unwrap()).is_address());
        assert!(Subject::OVERFLOW.is_address());
        assert!(!Subject::account(Uuid::now_v7()).is_address());
        assert!(!Subject::APPLICANTS.is_address());
    }

    #[test]
    fn neither_the_salt_nor_the_address_can_be_read() {
        assert_eq!(format!("{:?} {:?}", Salt([7; 64]), names(7)), "Salt(…) Pseudonyms(…)");
    }
}
