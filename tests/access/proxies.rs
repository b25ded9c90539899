//! The address of a caller behind proxies.

use harness::{Connection, Server};

use crate::desk::{A, Desk, rate_limit};

/// Calls left of a caller with these headers.
fn left(server: &Server, fields: &str) -> u64 {
    rate_limit(
        &Connection::open(server.address())
            .unwrap()
            .call("GET", A, fields)
            .unwrap(),
    )
    .1
}

#[test]
fn a_direct_caller_cannot_say_it_is_somebody_else() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    assert_eq!(left(&server, ""), 999);
    for (forged, expected) in [
        ("X-Forwarded-For: 192.0.2.1\r\n", 998),
        ("Forwarded: for=192.0.2.2\r\n", 997),
        ("X-Real-IP: 192.0.2.3\r\n", 996),
        (
            "CF-Connecting-IP: 192.0.2.4\r\nTrue-Client-IP: 192.0.2.4\r\n",
            995,
        ),
    ] {
        assert_eq!(left(&server, forged), expected, "{forged}");
    }
}

#[test]
fn behind_a_proxy_the_rightmost_address_that_is_not_ours_counts() {
    let desk = Desk::new();
    let server = desk.serve(&["--trusted-proxy", "127.0.0.0/8,10.0.0.0/8"]);
    for (field, expected) in [
        ("192.0.2.1", 999),
        ("203.0.113.9, 192.0.2.1", 998),
        ("203.0.113.8, 192.0.2.1, 10.1.2.3", 997),
        ("::ffff:192.0.2.1", 996),
        ("192.0.2.2", 999),
        ("2001:db8:1:2::1", 999),
        ("2001:db8:1:2:ffff::9", 998),
        ("2001:db8:1:3::1", 999),
        ("203.0.113.7, unknown", 999),
    ] {
        assert_eq!(
            left(&server, &format!("X-Forwarded-For: {field}\r\n")),
            expected,
            "{field}"
        );
    }
    assert_eq!(
        left(&server, ""),
        998,
        "what says nothing is the proxy itself, as was `unknown`"
    );
    assert_eq!(
        left(&server, "Forwarded: for=192.0.2.77\r\n"),
        997,
        "only one field is read"
    );
}

#[test]
fn the_field_and_the_size_of_a_site_can_be_told() {
    let flags = [
        "--trusted-proxy",
        "127.0.0.1",
        "--proxy-field",
        "forwarded",
        "--ipv6-prefix",
        "48",
    ];
    let desk = Desk::new();
    let server = desk.serve(&flags);
    assert_eq!(
        left(
            &server,
            "Forwarded: for=\"[2001:db8:1:2::1]:4711\";proto=https\r\n"
        ),
        999
    );
    assert_eq!(
        left(
            &server,
            "Forwarded: proto=https;For=\"[2001:db8:1:3::1]\"\r\n"
        ),
        998
    );
    assert_eq!(left(&server, "Forwarded: for=\"[2001:db8:2::1]\"\r\n"), 999);
    assert_eq!(
        left(&server, "X-Forwarded-For: 192.0.2.1\r\n"),
        999,
        "the proxy itself"
    );
}
