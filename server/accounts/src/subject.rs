//! Subjects of the counts of calls: an account, or a pseudonym of an address.
//!
//! An address is only ever held as its keyed hash, in memory and on disk. The hash key is drawn for
//! each day and destroyed afterwards: the data of a past day cannot be traced to anybody.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use uuid::Uuid;

/// The hash key of a day, of the length that HMAC-SHA-256 takes without hashing it first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Salt(pub [u8; 64]);

impl Salt {
    /// A new salt, from the random source of the system.
    pub fn draw() -> Result<Self, getrandom::Error> {
        let mut salt = [0; 64];
        getrandom::fill(&mut salt)?;
        Ok(Self(salt))
    }
}

/// Subject of a count of calls. The first bit tells an address from an account, whose UUID (version
/// 7) has it clear for some thousands of years.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Subject(pub [u8; 16]);

const ADDRESS: u8 = 0x80;

impl Subject {
    /// The common subject of all addresses beyond the capacity of the counters.
    pub const OVERFLOW: Self = Self([0xff; 16]);

    /// The common subject of all key requests. No account has this id: no generated UUID is zero.
    pub const APPLICANTS: Self = Self([0; 16]);

    /// The account of a key. A replacement of the key has the same account.
    pub fn account(account: Uuid) -> Self {
        Self(account.into_bytes())
    }

    /// Whether it is an address, of which anybody could make up more.
    pub fn is_address(self) -> bool {
        self.0.first().is_some_and(|first| first & ADDRESS != 0)
    }

    /// A name for the audit log: within the day of its salt, the same for the same address.
    pub(crate) fn pseudonym(self) -> String {
        format!("{:016x}", self.tail())
    }

    /// The last eight bytes, which are random: of a hash, or of a UUID.
    fn tail(self) -> u64 {
        self.0
            .last_chunk()
            .map_or(0, |tail| u64::from_be_bytes(*tail))
    }
}

impl std::hash::Hash for Subject {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u64(self.tail());
    }
}

/// The pseudonymiser of the addresses of one day.
#[derive(Clone)]
pub struct Pseudonyms {
    mac: Hmac<Sha256>,
}

impl Pseudonyms {
    /// A pseudonymiser with the salt of a day.
    pub fn new(salt: &Salt) -> Self {
        Self {
            mac: Hmac::new(&salt.0.into()),
        }
    }

    /// Subject of the calls of a variant from an address, without a key.
    pub fn caller(&self, variant: &str, address: IpAddr) -> Subject {
        self.name(b"call", variant.as_bytes(), &octets(address))
    }

    /// Common subject of the calls of a variant from an address with keys of a free plan.
    pub fn key_holders(&self, variant: &str, address: IpAddr) -> Subject {
        self.name(b"keys", variant.as_bytes(), &octets(address))
    }

    /// Subject of the e-mails to a mailbox.
    pub fn mailbox(&self, mailbox: &str) -> Subject {
        self.name(b"mail", b"", mailbox.as_bytes())
    }

    /// Subject of the requests for keys from an address.
    pub fn applicant(&self, address: IpAddr) -> Subject {
        self.name(b"form", b"", &octets(address))
    }

    /// Subject of a submitted form of the site.
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
        // No scope contains a zero: different pairs never hash the same bytes.
        for part in [scope, &[0], name] {
            mac.update(part);
        }

        // Half of the digest is enough: a collision of two addresses of a day is beyond reach.
        let digest: [u8; 32] = mac.finalize().into_bytes().into();
        let mut subject = digest.first_chunk().copied().unwrap_or([ADDRESS; 16]);
        if let Some(first) = subject.first_mut() {
            // Set in every hash, so that no made-up address can meet the count of an account.
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
        // One form for both families: an IPv4 caller of a dual-stack listener has the same subject.
        IpAddr::V4(v4) => v4.to_ipv6_mapped().octets(),
        IpAddr::V6(v6) => v6.octets(),
    }
}

/// The network that counts as one client: an IPv6 customer has at least a /64, and could call from
/// each of its addresses. A mapped IPv4 address counts as IPv4.
pub fn client_network(address: IpAddr, ipv6_prefix: u8) -> IpAddr {
    // Otherwise an IPv4 caller of a dual-stack listener would be cut to a network that holds all of
    // IPv4.
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let host_bits = u128::MAX
                .checked_shr(ipv6_prefix.into())
                .unwrap_or_default();
            Ipv6Addr::from_bits(v6.to_bits() & !host_bits).into()
        }
        v4 => v4,
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
    fn an_address_is_reported_from_an_account() {
        assert!(
            names(1)
                .caller("a", "192.0.2.1".parse().unwrap())
                .is_address()
        );
        assert!(Subject::OVERFLOW.is_address());
        assert!(!Subject::account(Uuid::now_v7()).is_address());
        assert!(!Subject::APPLICANTS.is_address());
    }

    #[test]
    fn neither_the_salt_nor_the_address_can_be_read() {
        assert_eq!(
            format!("{:?} {:?}", Salt([7; 64]), names(7)),
            "Salt(…) Pseudonyms(…)"
        );
    }

    #[test]
    fn a_site_is_one_whatever_its_address() {
        let of =
            |address: &str, prefix| client_network(address.parse().unwrap(), prefix).to_string();
        assert_eq!(of("2001:db8:1:2:3:4:5:6", 64), "2001:db8:1:2::");
        assert_eq!(of("2001:db8:1:2:3:4:5:6", 48), "2001:db8:1::");
        assert_eq!(of("2001:db8:1:ff02::", 56), "2001:db8:1:ff00::");
        assert_eq!(of("::ffff:192.0.2.1", 64), "192.0.2.1");
        assert_eq!(of("192.0.2.1", 48), "192.0.2.1");
    }
}
