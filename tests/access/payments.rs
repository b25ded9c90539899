//! Keys that are bought: signed events of the payment provider, with the members that this service reads in the
//! places where the provider's recorded events of 2025 have them.

use std::net::SocketAddr;

use harness::{Answer, Cluster, Connection, Rules, Server, get, raw};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::desk::{A, Desk, rate_limit, with_key};
use crate::emails::{MailServer, text};

const SECRET: &str = "whsec_recorded";

/// The moment at which the events are received.
const NOW: i64 = 1_800_000_300;

const BOUGHT: &str = include_str!("events/checkout.session.completed.json");
const PAID: &str = include_str!("events/invoice.paid.json");
const UPDATED: &str = include_str!("events/customer.subscription.updated.json");
const DELETED: &str = include_str!("events/customer.subscription.deleted.json");

/// A service that keys are bought from.
struct Shop {
    desk: Desk,
    server: Server,
    admin: SocketAddr,
    mail: MailServer,
}

impl Shop {
    fn open(store: Option<String>) -> Option<Self> {
        let mail = MailServer::start()?;
        let rules = Rules::copy();
        for (title, price) in [("Pro, price: \"199 EUR", "pro"), ("Scale, price: \"990 EUR", "scale")] {
            let named = title.replace("price:", &format!("payment_price: price_1SW{price}, price:"));
            rules.replace("service.yaml", title, &named);
        }
        let desk = store.map_or_else(Desk::new, Desk::on).with_rules(rules);
        let (server, admin) = Self::serve(&desk, &mail, NOW);
        Some(Self { desk, server, admin, mail })
    }

    fn serve(desk: &Desk, mail: &MailServer, now: i64) -> (Server, SocketAddr) {
        let secret = desk.place().join("secret");
        std::fs::write(&secret, format!("{SECRET}\n")).unwrap();
        let clock = jiff::Timestamp::from_second(now).unwrap().to_string();
        let flags = ["--admin", "127.0.0.1:0", "--clock", &clock, "--payment-secret-file", secret.to_str().unwrap()];
        let server = desk.serve_as(&flags, |command| mail.used_by(command));
        let admin = server.logged(|event| event["message"] == "admin listener open");
        (server, admin["address"].as_str().unwrap().parse().unwrap())
    }

    /// Sends an event, signed at a moment.
    fn send_signed(&self, body: &str, secret: &str, signed: i64) -> Answer {
        let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap().chain_update(format!("{signed}.{body}"));
        let hex: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let head = format!("Stripe-Signature: t={signed},v1={hex},v0=00\r\nContent-Length: {}\r\n", body.len());
        let head = format!("POST /stripe HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{head}\r\n");
        raw(self.admin, format!("{head}{body}").as_bytes())
    }

    /// Sends an event; what became of it.
    fn send(&self, body: &str) -> String {
        let answer = self.send_signed(body, SECRET, NOW);
        assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
        answer.json()["result"].as_str().unwrap().to_owned()
    }

    /// The key of the last e-mail.
    fn key(&self) -> String {
        let emails = self.mail.emails();
        assert_eq!(emails.len(), 1);
        text(&emails[0]).split_whitespace().find(|word| word.starts_with("bma_")).unwrap().to_owned()
    }
}

fn another(body: &str, id: &str) -> String {
    let event: serde_json::Value = serde_json::from_str(body).unwrap();
    body.replace(event["id"].as_str().unwrap(), id)
}

/// From the purchase to the end, on each store.
#[test]
fn a_key_is_bought_renewed_changed_and_ended_by_events_alone() {
    let cluster = Cluster::start();
    for store in [None, cluster.as_ref().map(Cluster::address)] {
        let Some(shop) = Shop::open(store) else { return };
        assert_eq!(shop.send(BOUGHT), "issued");
        let key = shop.key();
        assert_eq!(rate_limit(&with_key(&shop.server, A, &key)).0, 10_000);
        let bought = shop.desk.find(&key);
        assert_eq!((&bought["subscription"], &bought["renews"]), (&"sub_1SW0001".into(), &true.into()));
        assert_eq!((&bought["email"], &bought["plan"]), (&"claire@example.org".into(), &"pro".into()));

        assert_eq!(shop.send(BOUGHT), "ignored", "the same event");
        assert_eq!(shop.send(&another(BOUGHT, "evt_again")), "ignored", "the same purchase");
        assert_eq!(shop.send(PAID), "renewed");
        // What is paid, and three days more.
        assert_eq!(shop.desk.find(&key)["expires"], "2028-01-18T08:00:00Z");
        assert_eq!(shop.mail.emails().len(), 1);

        assert_eq!(shop.send(UPDATED), "changed");
        std::thread::sleep(std::time::Duration::from_millis(1_500));
        assert_eq!(rate_limit(&with_key(&shop.server, A, &key)).0, 500_000);
        assert_eq!(shop.send(PAID), "ignored", "an event that comes late again does not undo a later one");

        let cancelled =
            another(UPDATED, "evt_c").replace("\"cancel_at_period_end\": false", "\"cancel_at_period_end\": true");
        assert_eq!(shop.send(&cancelled), "changed");
        let ending = shop.desk.find(&key);
        assert_eq!((&ending["renews"], &ending["expires"]), (&false.into(), &"2028-01-15T08:00:00Z".into()));

        assert_eq!(shop.send(DELETED), "ended");
        std::thread::sleep(std::time::Duration::from_millis(1_500));
        with_key(&shop.server, A, &key).problem(401, "cle_refusee");
        assert_eq!(shop.mail.emails().len(), 1);
    }
}

#[test]
fn the_first_payment_may_come_before_the_purchase() {
    let Some(shop) = Shop::open(None) else { return };
    assert_eq!(shop.send(PAID), "issued", "by its price");
    assert_eq!(shop.send(BOUGHT), "ignored");
    let key = shop.desk.find(&shop.key());
    assert_eq!((&key["plan"], &key["expires"]), (&"pro".into(), &"2028-01-18T08:00:00Z".into()));
}

#[test]
fn together_they_issue_one_key() {
    let Some(shop) = Shop::open(None) else { return };
    let events = [BOUGHT.to_owned(), PAID.to_owned(), another(BOUGHT, "evt_5"), another(PAID, "evt_6")];
    std::thread::scope(|scope| {
        let sent: Vec<_> = events.iter().map(|event| scope.spawn(|| shop.send(event))).collect();
        let issued = sent.into_iter().map(|sent| sent.join().unwrap());
        assert_eq!(issued.filter(|result| result == "issued").count(), 1);
    });
    assert_eq!(shop.mail.emails().len(), 1);
}

#[test]
fn only_signed_and_recent_events_are_believed() {
    let Some(shop) = Shop::open(None) else { return };
    for (secret, signed) in [("whsec_other", NOW), (SECRET, NOW - 400), (SECRET, NOW + 400)] {
        assert_eq!(shop.send_signed(BOUGHT, secret, signed).status, 400, "{secret} {signed}");
    }
    let unsigned = "POST /stripe HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}";
    assert_eq!(raw(shop.admin, unsigned.as_bytes()).status, 400);
    for (body, status) in [("{}", 400), ("nonsense", 400), (&BOUGHT.replace("claire@example.org", "nobody"), 422)] {
        let refused = shop.send_signed(body, SECRET, NOW);
        assert_eq!(refused.status, status);
        assert!(!refused.json()["error"].as_str().unwrap().is_empty());
    }
    assert_eq!(shop.send(&BOUGHT.replace("\"pro\"", "\"gold\"")), "ignored", "another product of the same seller");
    let long = " ".repeat(300_000);
    assert_eq!(shop.send_signed(&long, SECRET, NOW).status, 413);
    let mut connection = Connection::open(shop.admin).unwrap();
    assert_eq!(connection.call("GET", "/stripe", "").unwrap().status, 405);
    assert!(shop.mail.emails().is_empty());
    assert_eq!(shop.desk.keys(&["list", "--format", "json"]).stdout, b"[]\n");
    // Callers do not reach it.
    assert_eq!(shop.server.get("/stripe").status, 404);
}

#[test]
fn a_key_that_cannot_be_sent_is_issued_when_the_event_comes_again() {
    let Some(shop) = Shop::open(None) else { return };
    shop.mail.suspend();
    let refused = shop.send_signed(BOUGHT, SECRET, NOW);
    assert_eq!(refused.status, 503, "{}", String::from_utf8_lossy(&refused.body));
    assert_eq!(shop.desk.keys(&["list", "--format", "json"]).stdout, b"[]\n");
    shop.mail.resume();
    assert_eq!(shop.send(BOUGHT), "issued");
    assert_eq!(with_key(&shop.server, A, &shop.key()).status, 200);
}

#[test]
fn payments_need_a_listener_and_a_mail_server() {
    let refused = harness::run(&["--payment-secret", SECRET]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("--admin") && said.contains("--smtp"), "{said}");
    assert!(!said.contains(SECRET));
    let server = Desk::new().serve_as(&["--admin", "127.0.0.1:0"], |_| {});
    let admin = server.logged(|event| event["message"] == "admin listener open");
    assert_eq!(get(admin["address"].as_str().unwrap().parse().unwrap(), "/stripe").status, 404);
}
