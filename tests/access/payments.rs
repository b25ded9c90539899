//! Purchased keys: signed events of the payment provider, with the members that this service reads
//! at the places of the events recorded in 2025.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use harness::{Cluster, Connection, eventually, get, raw};
use serde_json::{Value, json};

use crate::desk::{A, Desk, rate_limit, with_key};
use crate::shop::{
    BOUGHT, DELETED, NOW, Node, PAID, SECRET, UPDATED, altered, keys_of, request, rules,
};
use crate::smtp::Smtp;

/// A fixture with one node.
pub(crate) struct Shop {
    pub(crate) desk: Desk,
    pub(crate) node: Node,
    mail: Smtp,
}

impl Shop {
    pub(crate) fn open(store: Option<String>) -> Self {
        let mail = Smtp::start();
        let desk = store.map_or_else(Desk::new, Desk::on).with_rules(rules());
        let node = Node::serve(&desk, NOW, |command| mail.used_by(command));
        Self { desk, node, mail }
    }

    pub(crate) fn send(&self, body: &str) -> String {
        self.node.send(body)
    }

    /// The key in the only e-mail, once it has arrived.
    pub(crate) fn key(&self) -> String {
        eventually("the key is sent", || !self.mail.emails().is_empty());
        let keys = keys_of(&self.mail.emails());
        assert_eq!(keys.len(), 1);
        keys[0].clone()
    }

    /// The open cases.
    pub(crate) fn cases(&self) -> Vec<Value> {
        let listed = self.desk.keys(&["payments", "--format", "json"]);
        let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
        listed["cases"].as_array().unwrap().clone()
    }
}

/// The key of a purchase, which is delivered once however often the purchase is reported.
fn bought(shop: &Shop) -> String {
    assert_eq!(shop.send(BOUGHT), "issued");
    let key = shop.key();
    assert_eq!(rate_limit(&with_key(&shop.node.server, A, &key)).0, 10_000);
    let record = shop.desk.find(&key);
    assert_eq!(
        (&record["subscription"], &record["renews"]),
        (&"sub_1SW0001".into(), &true.into())
    );
    assert_eq!(
        (&record["email"], &record["plan"]),
        (&"claire@example.org".into(), &"pro".into())
    );
    eventually("it is delivered", || {
        shop.desk.find(&key)["delivery"] == "delivered"
    });

    assert_eq!(shop.send(BOUGHT), "ignored", "the same event");
    assert_eq!(
        shop.send(&altered(BOUGHT, "evt_again", 1_800_000_000, &[])),
        "ignored",
        "the same purchase"
    );
    assert_eq!(shop.send(PAID), "ignored", "known from the purchase");
    // Three days after the paid period.
    assert_eq!(shop.desk.find(&key)["expires"], "2028-01-18T08:00:00Z");

    key
}

/// From the purchase to the end, on each store.
#[test]
fn a_key_is_bought_changed_renewed_and_ended_by_events_alone() {
    let cluster = Cluster::start();
    for store in [None, cluster.as_ref().map(Cluster::address)] {
        let shop = Shop::open(store);
        let key = bought(&shop);

        assert_eq!(shop.send(UPDATED), "changed");
        eventually("the plan is changed", || {
            rate_limit(&with_key(&shop.node.server, A, &key)).0 == 500_000
        });
        assert_eq!(
            shop.send(PAID),
            "ignored",
            "an event that comes late again does not undo a later one"
        );

        let next = 1_831_536_000 + 365 * 86_400;
        let renewed: [(&str, Value); 2] = [
            ("/latest_invoice", "in_2".into()),
            ("/items/data/0/current_period_end", next.into()),
        ];
        assert_eq!(
            shop.send(&altered(UPDATED, "evt_r", 1_831_536_000, &renewed)),
            "waiting",
            "not paid yet"
        );
        assert_eq!(shop.desk.find(&key)["expires"], "2028-01-18T08:00:00Z");
        let invoice = [
            ("/id", "in_2".into()),
            ("/lines/data/0/period/end", next.into()),
        ];
        assert_eq!(
            shop.send(&altered(PAID, "evt_p", 1_831_540_000, &invoice)),
            "renewed"
        );
        assert_eq!(shop.desk.find(&key)["expires"], "2029-01-17T08:00:00Z");

        let cancelled = [&renewed[..], &[("/cancel_at_period_end", true.into())]].concat();
        assert_eq!(
            shop.send(&altered(UPDATED, "evt_c", 1_831_540_001, &cancelled)),
            "changed"
        );
        let ending = shop.desk.find(&key);
        assert_eq!(
            (&ending["renews"], &ending["expires"]),
            (&false.into(), &"2029-01-14T08:00:00Z".into())
        );

        let deleted = altered(
            DELETED,
            "evt_d",
            1_831_540_100,
            &[("/ended_at", 1_831_540_100.into())],
        );
        assert_eq!(
            shop.send(&deleted),
            "changed",
            "to a moment that is still ahead"
        );
        // A database has its own clock, which cannot be set.
        let at_once = [("/ended_at", 1_700_000_000.into())];
        assert_eq!(
            shop.send(&altered(DELETED, "evt_e", 1_831_540_200, &at_once)),
            "ended"
        );
        eventually("it is refused", || {
            with_key(&shop.node.server, A, &key).status == 401
        });
        assert_eq!(
            shop.send(&altered(UPDATED, "evt_l", 1_831_540_300, &renewed)),
            "waiting",
            "paid after its end"
        );
        assert_eq!(
            with_key(&shop.node.server, A, &key).status,
            401,
            "what has ended does not start again"
        );
        assert_eq!(shop.mail.emails().len(), 1);
    }
}

#[test]
fn the_first_payment_may_come_before_the_purchase() {
    let shop = Shop::open(None);
    assert_eq!(shop.send(PAID), "issued", "by its price");
    assert_eq!(shop.send(BOUGHT), "ignored");
    let key = shop.desk.find(&shop.key());
    assert_eq!(
        (&key["plan"], &key["expires"]),
        (&"pro".into(), &"2028-01-18T08:00:00Z".into())
    );
}

#[test]
fn together_they_issue_one_key() {
    let shop = Shop::open(None);
    let again = |body, id| altered(body, id, 1_800_000_000, &[]);
    let events = [
        BOUGHT.to_owned(),
        PAID.to_owned(),
        again(BOUGHT, "evt_5"),
        again(PAID, "evt_6"),
    ];
    std::thread::scope(|scope| {
        let sent: Vec<_> = events
            .iter()
            .map(|event| scope.spawn(|| shop.send(event)))
            .collect();
        let issued = sent.into_iter().map(|sent| sent.join().unwrap());
        assert_eq!(issued.filter(|result| result == "issued").count(), 1);
    });
    shop.key();
}

#[test]
fn only_signed_and_recent_events_are_believed() {
    let shop = Shop::open(None);
    let node = &shop.node;

    for (secret, signed) in [
        ("whsec_other", NOW),
        (SECRET, NOW - 400),
        (SECRET, NOW + 400),
    ] {
        assert_eq!(
            node.send_signed(BOUGHT, secret, signed).status,
            400,
            "{secret} {signed}"
        );
    }

    let unsigned =
        "POST /stripe HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}";
    assert_eq!(raw(node.payments, unsigned.as_bytes()).status, 400);
    for body in ["{}", "nonsense"] {
        let refused = node.send_signed(body, SECRET, NOW);
        assert_eq!(refused.status, 400);
        assert!(!refused.json()["error"].as_str().unwrap().is_empty());
    }

    let long = " ".repeat(300_000);
    assert_eq!(node.send_signed(&long, SECRET, NOW).status, 413);
    let mut connection = Connection::open(node.payments).unwrap();
    assert_eq!(connection.call("GET", "/stripe", "").unwrap().status, 405);
    assert_eq!(get(node.payments, "/metrics").status, 404);
    assert!(shop.mail.emails().is_empty());
    assert_eq!(
        shop.desk.keys(&["list", "--format", "json"]).stdout,
        b"[]\n"
    );
    // Neither the public nor the admin listener serves it.
    assert_eq!(
        (
            node.server.get("/stripe").status,
            get(node.admin, "/stripe").status
        ),
        (404, 404)
    );
    let metrics = node.metrics();
    assert!(
        metrics.contains("bareme_payment_events_total{result=\"forged\"} 5"),
        "{metrics}"
    );
    assert!(
        metrics.contains("bareme_payment_events_total{result=\"unreadable\"} 2"),
        "{metrics}"
    );
    let is_warning = |line: &&Value| {
        line["message"]
            .as_str()
            .is_some_and(|message| message.contains("not signed"))
    };

    let warned = node.server.log().iter().filter(is_warning).count();
    assert_eq!(warned, 1, "the others are in the metric");
}

/// Forged events of 200 KB on 200 connections, from somebody who found the address.
#[test]
fn forged_events_keep_neither_a_signed_one_nor_a_probe_away() {
    let shop = Shop::open(None);
    let node = &shop.node;
    let forged = request(&"x".repeat(200_000), "whsec_other", NOW);
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..200 {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    // Half of it, then silence.
                    let Ok(mut stream) = TcpStream::connect(node.payments) else {
                        continue;
                    };
                    drop(stream.write_all(&forged.as_bytes()[..100_000]));
                    std::thread::sleep(Duration::from_millis(300));
                }
            });
        }
        std::thread::sleep(Duration::from_millis(500));
        for number in 0..25 {
            let event = altered(PAID, &format!("evt_{number}"), 1_800_000_000, &[]);
            let start = Instant::now();
            assert_eq!(
                node.send_signed(&event, SECRET, NOW).status,
                200,
                "event {number}"
            );
            assert_eq!(get(node.admin, "/livez").status, 200);
            assert!(
                start.elapsed() < Duration::from_secs(10),
                "{:?}",
                start.elapsed()
            );
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    shop.key();
}

#[test]
fn payments_need_a_mail_server_and_a_secret() {
    let refused = harness::run(&["--payments", "127.0.0.1:0", "--payment-secret", SECRET]);
    let reported = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && reported.contains("--smtp") && !reported.contains(SECRET),
        "{reported}"
    );
    let refused = harness::run(&["--payment-secret", SECRET]);
    let reported = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && reported.contains("--payments") && !reported.contains(SECRET),
        "{reported}"
    );
    let mail = ["--smtp", "smtp://localhost", "--mail-from", "a@example.org"];
    let refused = harness::run(
        &[
            &[
                "--payments",
                "127.0.0.1:0",
                "--store",
                "sqlite:/nowhere/b.db",
            ][..],
            &mail,
        ]
        .concat(),
    );
    let reported = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && reported.contains("needs the secret"),
        "{reported}"
    );
}

#[test]
fn an_address_is_erased_from_what_is_known_of_subscriptions() {
    let shop = Shop::open(None);
    shop.send(BOUGHT);
    shop.key();
    assert!(
        shop.desk
            .keys(&["erase", "--email", "claire@example.org"])
            .status
            .success()
    );
    assert_eq!(shop.send(UPDATED), "changed");
    let listed = String::from_utf8(shop.desk.keys(&["list", "--format", "json"]).stdout).unwrap();
    assert!(!listed.contains("claire"), "{listed}");
}

/// The whole price is given back: nobody has to do anything.
#[test]
fn a_key_whose_price_is_given_back_is_refused() {
    let shop = Shop::open(None);
    assert_eq!(shop.send(BOUGHT), "issued");
    let key = shop.key();
    assert_eq!(shop.send(PAID), "ignored", "known from the purchase");
    assert_eq!(with_key(&shop.node.server, A, &key).status, 200);

    let refund = json!({"id": "evt_back", "type": "charge.refunded", "created": NOW, "data": {"object": {
        "id": "ch_1", "amount": 19_900, "amount_refunded": 19_900, "refunded": true, "currency": "eur",
        "invoice": "in_1SW0001",
    }}});
    let invoice: Value = serde_json::from_str(PAID).unwrap();
    let mut refund = refund;
    refund["data"]["object"]["invoice"] = invoice["data"]["object"]["id"].clone();
    assert_eq!(shop.send(&refund.to_string()), "ended");
    eventually("the key is refused", || {
        with_key(&shop.node.server, A, &key).status == 401
    });
    assert_eq!(shop.cases(), [Value::Null; 0]);

    let listed = shop.desk.keys(&["audit", "--format", "json"]);
    let entries: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let newest = &entries[0];
    assert_eq!(
        (&newest["action"], &newest["by"], &newest["from"]),
        (
            &"suspended".into(),
            &"payments".into(),
            &"refund:ch_1:19900".into()
        )
    );
}
