//! Calls with valid, expired and invalid keys.

use std::time::Duration;

use harness::{Answer, Connection, eventually};
use serde_json::Value;

use crate::desk::{A, B, Desk, printed_key, rate_limit, with_key};

/// The body of a refusal, without the members that vary.
fn refusal(answer: &Answer) -> Value {
    let mut body = answer.problem(401, "cle_refusee");
    assert_eq!(
        answer.header("www-authenticate"),
        "ApiKey realm=\"api\", Bearer realm=\"api\""
    );
    assert!(!answer.has("ratelimit"), "nobody was identified");
    body.as_object_mut().unwrap().remove("instance");
    body
}

/// A key that is valid on another service.
fn stranger() -> String {
    Desk::new().issue("a", "free")
}

#[test]
fn every_bad_key_gets_the_same_refusal_and_is_never_taken_for_none() {
    let desk = Desk::new();
    let good = desk.issue("a", "free");
    let revoked = desk.issue("a", "free");
    assert!(desk.keys(&["revoke", &desk.id(&revoked)]).status.success());
    let server = desk.serve(&[]);
    let before = rate_limit(&server.get(A)).1;

    let expected = refusal(&with_key(&server, A, "nonsense"));
    let other_end = if good.ends_with('0') { "1" } else { "0" };

    for bad in [
        "",
        "bma_",
        &format!("{}{other_end}", &good[..39]),
        &good[..39],
        &format!("{good}x"),
        &good.to_lowercase(),
        &good.replace("bma_", "bmb_"),
        &format!("{good}, {good}"),
        &stranger(),
        &revoked,
        "é",
        "null",
        &"x".repeat(5_000),
    ] {
        assert_eq!(refusal(&with_key(&server, A, bad)), expected, "{bad}");
    }

    let mut connection = Connection::open(server.address()).unwrap();
    let twice = connection
        .call(
            "GET",
            A,
            &format!("X-API-Key: {good}\r\nX-API-Key: {good}\r\n"),
        )
        .unwrap();
    assert_eq!(refusal(&twice), expected);
    assert_eq!(
        rate_limit(&server.get(A)).1,
        before - 1,
        "no refusal was charged to the address"
    );
    assert_eq!(with_key(&server, A, &good).status, 200);
}

#[test]
fn a_bearer_token_is_the_key_and_never_counted_by_address() {
    let desk = Desk::new();
    let key = desk.issue("a", "pro");
    let server = desk.serve(&[]);
    let call = |field: &str| {
        Connection::open(server.address())
            .unwrap()
            .call("GET", A, field)
            .unwrap()
    };

    let before = rate_limit(&server.get(A)).1;

    for scheme in ["Bearer", "bearer"] {
        assert_eq!(
            rate_limit(&call(&format!("Authorization: {scheme} {key}\r\n"))).0,
            10_000
        );
    }

    for bad in [
        "Bearer nonsense".to_owned(),
        "Basic YTpi".to_owned(),
        format!("Basic {key}"),
        format!("Bearer {key}x"),
    ] {
        call(&format!("Authorization: {bad}\r\n")).problem(401, "cle_refusee");
    }

    let other = desk.issue("a", "pro");
    call(&format!(
        "Authorization: Bearer {key}\r\nX-API-Key: {other}\r\n"
    ))
    .problem(401, "cle_refusee");
    // Generated clients send it in both headers.
    let both = call(&format!(
        "Authorization: Bearer {key}\r\nX-API-Key: {key}\r\n"
    ));
    let (quota, remaining, _) = rate_limit(&both);
    assert_eq!((both.status, quota, remaining), (200, 10_000, 9_997));
    assert_eq!(
        rate_limit(&server.get(A)).1,
        before - 1,
        "no call with a token was charged to the address"
    );
}

#[test]
fn a_key_is_only_ever_a_header_field_and_is_nowhere_in_the_log() {
    let desk = Desk::new();
    let key = desk.issue("a", "pro");
    let server = desk.serve(&["--log", "trace"]);
    assert_eq!(with_key(&server, A, &key).status, 200);
    assert_eq!(with_key(&server, A, &stranger()).status, 401);
    server.get(&format!("{A}&cle={key}")).blamed();
    eventually("the calls are in the log", || {
        server
            .log()
            .iter()
            .filter(|line| line["status"].is_u64())
            .count()
            == 3
    });
    let log = serde_json::to_string(&server.log()).unwrap();
    assert!(!log.contains(&key[4..34]), "the key is in the log");
}

#[test]
fn a_key_that_is_revoked_is_refused_within_a_second() {
    let desk = Desk::new();
    let key = desk.issue("a", "free");
    let server = desk.serve(&[]);
    assert_eq!(with_key(&server, A, &key).status, 200);
    assert!(desk.keys(&["revoke", &desk.id(&key)]).status.success());
    let took = eventually("it is refused", || with_key(&server, A, &key).status == 401);
    assert!(took < Duration::from_millis(1_500), "{took:?}");
    assert_eq!(desk.find(&key)["state"], "revoked");
}

#[test]
fn a_paid_key_ends_after_a_year_whether_it_is_used_or_not() {
    let desk = Desk::new();
    let paid = desk.issue("a", "pro");
    let end: jiff::Timestamp = desk.find(&paid)["expires"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let at = |seconds| {
        let moment = end
            .checked_add(jiff::SignedDuration::from_secs(seconds))
            .unwrap();
        desk.serve(&["--clock", &moment.to_string()])
    };

    let before = at(-60);
    assert_eq!(with_key(&before, A, &paid).status, 200);
    drop(before);
    let after = at(1);
    assert_eq!(
        refusal(&with_key(&after, A, &paid)),
        refusal(&with_key(&after, A, "nonsense"))
    );
}

#[test]
fn a_free_key_ends_180_days_after_its_last_call() {
    let desk = Desk::new();
    let [used, unused] = ["free", "free"].map(|plan| desk.issue("a", plan));
    let start = jiff::Timestamp::now();
    let after = |days: i64| {
        let moment = start
            .checked_add(jiff::SignedDuration::from_hours(days * 24))
            .unwrap();
        desk.serve(&["--clock", &moment.to_string()])
    };

    let expires = || desk.find(&used)["expires"].as_str().unwrap().to_owned();

    for days in [170, 340, 510] {
        let (server, before) = (after(days), expires());
        assert_eq!(with_key(&server, A, &used).status, 200, "{days} days");
        eventually("it ends later", || expires() > before);
        let now = expires();
        // Until then the cached state of the key is used.
        std::thread::sleep(Duration::from_millis(1_100));
        assert_eq!(with_key(&server, A, &used).status, 200);
        std::thread::sleep(Duration::from_millis(1_500));
        assert_eq!(expires(), now, "once a day");
    }

    assert_eq!(
        refusal(&with_key(&after(181), A, &unused))["code"],
        "cle_refusee"
    );
    assert_eq!(with_key(&after(689), A, &used).status, 200);
    assert_eq!(
        refusal(&with_key(&after(900), A, &used))["code"],
        "cle_refusee"
    );
    assert_eq!(
        desk.find(&unused)["state"],
        "good",
        "as the real clock says"
    );
}

#[test]
fn a_key_that_replaces_another_shares_its_quota_while_both_are_good() {
    let desk = Desk::new();
    let old = desk.issue("a", "pro");
    let new = printed_key(&desk.keys(&["rotate", &desk.id(&old), "--overlap", "7"]));
    let [was, is] = [&old, &new].map(|key| desk.find(key));

    for member in ["account", "email", "plan", "variant", "expires"] {
        assert_eq!(was[member], is[member], "{member}");
    }

    let server = desk.serve(&[]);
    assert_eq!(rate_limit(&with_key(&server, A, &old)).1, 9_999);
    assert_eq!(rate_limit(&with_key(&server, A, &new)).1, 9_998);
    drop(server);
    let clock = jiff::Timestamp::now()
        .checked_add(jiff::SignedDuration::from_hours(7 * 24 + 1))
        .unwrap();
    let later = desk.serve(&["--clock", &clock.to_string()]);
    assert_eq!(
        (
            with_key(&later, A, &old).status,
            with_key(&later, A, &new).status
        ),
        (401, 200)
    );
    drop(later);

    let newest = printed_key(&desk.keys(&["rotate", &desk.id(&new), "--overlap", "0"]));
    let server = desk.serve(&[]);
    assert_eq!(
        (
            with_key(&server, A, &new).status,
            with_key(&server, A, &newest).status
        ),
        (401, 200)
    );
    let again = desk.keys(&["rotate", &desk.id(&new)]);
    assert!(
        !again.status.success() && again.stdout.is_empty(),
        "a key that ended is not replaced"
    );
}

/// A well-formed key with a correct checksum that was never issued.
fn made_up(n: u32) -> String {
    const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let signed = format!("bma_{:0>30}", n);
    let crc = !signed.bytes().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 }
        })
    });
    let digit = |place: u32| char::from(ALPHABET[(crc / 62_u32.pow(place) % 62) as usize]);
    signed + &(0..6).rev().map(digit).collect::<String>()
}

#[test]
fn made_up_keys_are_well_formed() {
    // Computed with Python's zlib.
    assert_eq!(made_up(0), "bma_0000000000000000000000000000002p64JP");
}

#[test]
fn who_sends_bad_keys_does_not_shut_out_the_good_ones() {
    let desk = Desk::new();
    let colleague = desk.issue("a", "free");
    let stranger = desk.issue("a", "free");
    let server = desk.serve(&["--trusted-proxy", "127.0.0.1", "--log", "info,access=off"]);
    let mut connection = Connection::open(server.address()).unwrap();
    let mut call = |address: &str, key: &str| {
        let answer = connection.call(
            "GET",
            A,
            &format!("X-Forwarded-For: {address}\r\nX-API-Key: {key}\r\n"),
        );
        let answer = answer.unwrap();
        if answer.has("connection") {
            connection = Connection::open(server.address()).unwrap();
        }
        answer.status
    };

    // A hundred well-formed keys from the caller's own address, and many that only look like keys.
    for n in 0..100 {
        assert_eq!(call("192.0.2.1", &made_up(n)), 401);
    }

    for n in 0..10_500_u32 {
        let address = std::net::Ipv4Addr::from_bits(0xc612_0000 + n).to_string();
        assert_eq!(
            call(&address, "bma_0000000000000000000000000000000000000"),
            401
        );
    }

    assert_eq!(
        call("192.0.2.1", &colleague),
        200,
        "who is behind the same address"
    );
    assert_eq!(
        call("198.51.100.1", &stranger),
        200,
        "who was never seen, from anywhere"
    );
}

#[test]
fn a_flood_of_unknown_keys_delays_nobody_else() {
    let desk = Desk::new();
    let unseen: Vec<String> = (0..20).map(|_| desk.issue("a", "free")).collect();
    let server = desk.serve(&["--trusted-proxy", "127.0.0.1", "--log", "info,access=off"]);
    let address = server.address();
    let over = std::sync::atomic::AtomicBool::new(false);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        for n in 0..16 {
            let over = &over;
            scope.spawn(move || {
                while !over.load(std::sync::atomic::Ordering::Relaxed) {
                    let mut connection = Connection::open(address).unwrap();
                    let calls: String = (0..50)
                        .map(|call| {
                            let head = format!(
                                "GET {A} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.{n}\r\n"
                            );
                            format!("{head}X-API-Key: {}\r\n\r\n", made_up(100 * n + call))
                        })
                        .collect();
                    connection.send(calls.as_bytes()).unwrap();
                    for _ in 0..50 {
                        let Ok(answer) = connection.receive(false) else {
                            break;
                        };
                        assert!([401, 429].contains(&answer.status), "{}", answer.status);
                    }
                }
            });
        }
        std::thread::sleep(Duration::from_millis(500));
        let statuses = unseen
            .iter()
            .map(|key| with_key(&server, A, key).status)
            .collect();
        over.store(true, std::sync::atomic::Ordering::Relaxed);
        statuses
    });
    assert_eq!(statuses, vec![200; 20]);
}

#[test]
fn a_key_in_the_wrong_place_is_not_sent_back() {
    let desk = Desk::new();
    let key = desk.issue("a", "free");
    let server = desk.serve(&[]);

    for target in [
        format!("{A}&cle={key}"),
        format!("{A}&{key}=1"),
        format!("{A}&X-API-Key={}", &key[4..]),
        format!("/api/v1/tva?montant={key}&taux=20&sens=ht"),
        format!("{A}&cle=%zz{key}"),
        format!("/api/v1/{key}"),
    ] {
        let answer = server.get(&target);
        assert!([400, 404].contains(&answer.status), "{target}");
        let body = String::from_utf8(answer.body).unwrap();
        assert!(!body.contains(&key[4..]), "{body}");
        assert!(body.contains('…'), "{body}");
    }
}

#[test]
fn a_preflight_needs_no_key() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    let mut connection = Connection::open(server.address()).unwrap();

    for target in [A, B] {
        let answer = connection
            .call(
                "OPTIONS",
                target,
                "Access-Control-Request-Headers: x-api-key\r\n",
            )
            .unwrap();
        assert_eq!(answer.status, 200);
        assert!(
            answer
                .header("access-control-allow-headers")
                .contains("X-API-Key")
        );
    }

    let refused = connection
        .call(
            "GET",
            A,
            "X-API-Key: nonsense\r\nOrigin: https://example.org\r\n",
        )
        .unwrap();
    assert_eq!(
        (
            refused.status,
            refused.header("access-control-allow-origin")
        ),
        (401, "*")
    );
}
