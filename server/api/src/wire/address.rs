//! The address of a caller, behind proxies or not.
//!
//! Anyone can send `Forwarded` and `X-Forwarded-For`: only entries appended by trusted proxies are
//! reliable. So the header is read from the right, only if the peer is trusted, and the first
//! address that is not a trusted proxy is the caller.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bareme_accounts::subject::client_network;
use hyper::header::{FORWARDED, HeaderMap, HeaderName};
use ipnet::IpNet;

/// Greatest number of entries read: no real chain of proxies is longer.
const MAX_HOPS: usize = 32;

/// The trusted proxies, and the header that they write.
#[derive(Debug, Clone)]
pub struct Proxies {
    trusted: Vec<IpNet>,
    field: HeaderName,
    ipv6_prefix: u8,
    /// Whether a proxy that is not trusted was reported.
    reported: Arc<AtomicBool>,
}

impl Proxies {
    /// `trusted` proxies append the address of their peer to the header `field`; IPv6 callers are
    /// identified by a prefix of `ipv6_prefix` bits.
    pub fn new(trusted: Vec<IpNet>, field: HeaderName, ipv6_prefix: u8) -> Self {
        Self {
            trusted,
            field,
            ipv6_prefix,
            reported: Arc::default(),
        }
    }

    /// Whether a peer is a trusted proxy.
    pub fn trust(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        self.trusted.iter().any(|net| net.contains(&peer))
    }

    /// The address of the caller behind `peer`, or its IPv6 network.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        client_network(self.behind(peer.to_canonical(), headers), self.ipv6_prefix)
    }

    fn behind(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        // The nearest address that a trusted source vouches for.
        let mut nearest = peer;
        if !self.trust(peer) {
            self.report_proxy(peer, headers);
            return nearest;
        }

        // From the right: each proxy appends the address of its own peer.
        let lines = headers.get_all(&self.field).iter().rev();
        for entry in lines
            .flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','))
            .take(MAX_HOPS)
        {
            match self.read(entry) {
                Some(address) if self.trust(address) => nearest = address,
                Some(address) => return address,
                // An unreadable entry of a trusted proxy must not be replaced by the one to its
                // left.
                None => return nearest,
            }
        }
        nearest
    }

    /// Reports, once, a neighbour that forwards calls and is not trusted: all its callers share one
    /// quota. From elsewhere anybody may send such a header, which means nothing.
    fn report_proxy(&self, peer: IpAddr, headers: &HeaderMap) {
        // Every call of such a proxy would be a line: the first is enough.
        if !headers.contains_key(&self.field)
            || !is_neighbour(peer)
            || self.reported.swap(true, Ordering::Relaxed)
        {
            return;
        }
        tracing::warn!(
            proxy = %peer,
            field = %self.field,
            "calls are forwarded by a proxy that --trusted-proxy does not name: its callers count \
             as one"
        );
    }

    // Text that is not UTF-8 is no address.
    fn read(&self, entry: &[u8]) -> Option<IpAddr> {
        let entry = std::str::from_utf8(entry).ok()?.trim();
        let node = if self.field == FORWARDED {
            forwarded_for(entry)?
        } else {
            entry
        };
        node_address(node)
    }
}

/// Whether an address is of this machine or of a private network.
fn is_neighbour(peer: IpAddr) -> bool {
    match peer {
        IpAddr::V4(peer) => peer.is_loopback() || peer.is_private() || peer.is_link_local(),
        IpAddr::V6(peer) => {
            peer.is_loopback() || peer.is_unique_local() || peer.is_unicast_link_local()
        }
    }
}

/// The `for` of one element of `Forwarded` (RFC 7239).
fn forwarded_for(element: &str) -> Option<&str> {
    element.split(';').find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("for")
            .then_some(value.trim())
    })
}

/// The address in `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]:4711`, quoted or
/// not; `None` for `unknown` and names.
fn node_address(node: &str) -> Option<IpAddr> {
    let node = node
        .strip_prefix('"')
        .and_then(|node| node.strip_suffix('"'))
        .unwrap_or(node);
    let host = match node.strip_prefix('[') {
        Some(rest) => {
            let (host, port) = rest.split_once(']')?;
            if !(port.is_empty() || port.starts_with(':')) {
                return None;
            }
            host
        }
        // With one colon there is a port; with more it is IPv6.
        None => match node.split_once(':') {
            Some((host, port)) if !port.contains(':') => host,
            _ => node,
        },
    };

    // An IPv6 zone (`fe80::1%eth0`) means something on the proxy only.
    let without_zone = host.split('%').next().unwrap_or(host);
    Some(without_zone.parse::<IpAddr>().ok()?.to_canonical())
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn client(field: &'static str, peer: &str, lines: &[&str]) -> String {
        let trusted = ["10.0.0.0/8", "2001:db8:f::/48"]
            .map(|net| net.parse().unwrap())
            .to_vec();
        let proxies = Proxies::new(trusted, HeaderName::from_static(field), 64);
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(field, HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        proxies.client(peer.parse().unwrap(), &headers).to_string()
    }

    fn x_forwarded_for(peer: &str, lines: &[&str]) -> String {
        client("x-forwarded-for", peer, lines)
    }

    #[test]
    fn who_is_not_our_proxy_says_nothing_about_others() {
        assert_eq!(x_forwarded_for("192.0.2.9", &["203.0.113.1"]), "192.0.2.9");
        assert_eq!(
            client("forwarded", "192.0.2.9", &["for=203.0.113.1"]),
            "192.0.2.9"
        );
    }

    #[test]
    fn a_neighbour_that_forwards_and_is_not_trusted_is_reported_once() {
        let mut forwarded = HeaderMap::new();
        forwarded.append("x-forwarded-for", HeaderValue::from_static("203.0.113.1"));
        for (peer, with_field, reported) in [
            ("192.168.0.9", true, true),
            ("127.0.0.1", true, true),
            ("fd00::9", true, true),
            ("192.168.0.9", false, false),
            ("192.0.2.9", true, false),
            ("10.0.0.1", true, false),
        ] {
            let trusted = vec!["10.0.0.0/8".parse().unwrap()];
            let proxies = Proxies::new(trusted, HeaderName::from_static("x-forwarded-for"), 64);
            let headers = if with_field {
                forwarded.clone()
            } else {
                HeaderMap::new()
            };
            proxies.client(peer.parse().unwrap(), &headers);
            assert_eq!(
                proxies.reported.load(Ordering::Relaxed),
                reported,
                "{peer} {with_field}"
            );
        }
    }

    #[test]
    fn the_rightmost_address_that_is_not_ours_is_the_caller() {
        for (lines, expected) in [
            (&["203.0.113.1"][..], "203.0.113.1"),
            (&["198.51.100.7, 203.0.113.1"], "203.0.113.1"),
            (&["198.51.100.7, 203.0.113.1, 10.1.2.3"], "203.0.113.1"),
            (
                &["198.51.100.7", "203.0.113.1, 10.1.2.3", "10.9.9.9"],
                "203.0.113.1",
            ),
            (&["203.0.113.1:50123"], "203.0.113.1"),
            (&["::ffff:203.0.113.1"], "203.0.113.1"),
            (&["2001:db8:1:2:3:4:5:6"], "2001:db8:1:2::"),
            (&["[2001:db8:1:2::5]:443"], "2001:db8:1:2::"),
            (&["fe80::1%eth0"], "fe80::"),
            (&["203.0.113.1, 2001:db8:f::1"], "203.0.113.1"),
            (&["10.1.1.1"], "10.1.1.1"),
            (&[], "10.0.0.1"),
        ] {
            assert_eq!(x_forwarded_for("10.0.0.1", lines), expected, "{lines:?}");
            assert_eq!(
                x_forwarded_for("::ffff:10.0.0.1", lines),
                expected,
                "{lines:?}"
            );
        }
    }

    #[test]
    fn what_cannot_be_read_ends_the_search() {
        for (line, expected) in [
            ("203.0.113.1, unknown", "10.0.0.1"),
            ("203.0.113.1, unknown, 10.1.2.3", "10.1.2.3"),
            ("203.0.113.1, ", "10.0.0.1"),
            ("203.0.113.1, 1.2.3", "10.0.0.1"),
            ("203.0.113.1, [2001:db8::1]x", "10.0.0.1"),
            ("203.0.113.1, é", "10.0.0.1"),
        ] {
            assert_eq!(x_forwarded_for("10.0.0.1", &[line]), expected, "{line}");
        }
    }

    #[test]
    fn only_so_many_hops_are_read() {
        let hops = ["10.1.1.1"; 40].join(", ");
        assert_eq!(
            x_forwarded_for("10.0.0.1", &[&format!("203.0.113.1, {hops}")]),
            "10.1.1.1"
        );
    }

    #[test]
    fn the_standard_field() {
        for (line, expected) in [
            (
                "for=203.0.113.60;proto=https;by=203.0.113.43",
                "203.0.113.60",
            ),
            ("For=\"[2001:db8:cafe::17]:4711\"", "2001:db8:cafe::"),
            ("for=192.0.2.43, FOR = 198.51.100.17", "198.51.100.17"),
            ("by=203.0.113.43;for=\"203.0.113.60:80\"", "203.0.113.60"),
            ("for=\"203.0.113.1, for=203.0.113.2", "203.0.113.2"),
            ("for=203.0.113.1, for=_hidden", "10.0.0.1"),
            ("for=203.0.113.1, proto=https", "10.0.0.1"),
        ] {
            assert_eq!(client("forwarded", "10.0.0.1", &[line]), expected, "{line}");
        }
    }
}
