//! Fixture of a service that sells keys, with the payment provider's events.

use std::net::SocketAddr;
use std::process::Command;

use harness::{Answer, Rules, Server, raw};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::Value;
use sha2::Sha256;

use crate::desk::Desk;

pub(crate) const SECRET: &str = "whsec_recorded";

/// The moment at which the events are received.
pub(crate) const NOW: i64 = 1_800_000_300;

pub(crate) const BOUGHT: &str = include_str!("events/checkout.session.completed.json");
pub(crate) const PAID: &str = include_str!("events/invoice.paid.json");
pub(crate) const UPDATED: &str = include_str!("events/customer.subscription.updated.json");
pub(crate) const DELETED: &str = include_str!("events/customer.subscription.deleted.json");

/// Rules with plans sold by a price.
pub(crate) fn rules() -> Rules {
    let rules = Rules::small().unlimited();
    for (title, price) in [
        ("Pro, price: \"199 €", "pro"),
        ("(Scale)\", price: \"990 €", "scale"),
    ] {
        let named = title.replace(
            "price:",
            &format!("payment_price: price_1SW{price}, price:"),
        );
        rules.replace("service.yaml", title, &named);
    }
    rules
}

/// A node that sells keys.
pub(crate) struct Node {
    pub server: Server,
    pub payments: SocketAddr,
    pub admin: SocketAddr,
}

impl Node {
    /// Starts a node with a clock set to a moment, and e-mails as `prepare` says.
    pub(crate) fn serve(desk: &Desk, now: i64, prepare: impl FnOnce(&mut Command)) -> Self {
        let secret = desk.place().join("secret");
        std::fs::write(&secret, format!("{SECRET}\n")).unwrap();
        let clock = jiff::Timestamp::from_second(now).unwrap().to_string();
        let flags = [
            "--payments",
            "127.0.0.1:0",
            "--admin",
            "127.0.0.1:0",
            "--clock",
            &clock,
        ];
        let flags = [
            &flags[..],
            &["--payment-secret-file", secret.to_str().unwrap()],
        ]
        .concat();
        let server = desk.serve_as(&flags, prepare);
        let address = |message: &str| {
            let event = server.logged(|event| event["message"] == message);
            event["address"].as_str().unwrap().parse().unwrap()
        };
        let (payments, admin) = (
            address("payment listener open"),
            address("admin listener open"),
        );
        Self {
            server,
            payments,
            admin,
        }
    }

    /// Sends an event, signed at a moment.
    pub(crate) fn send_signed(&self, body: &str, secret: &str, signed: i64) -> Answer {
        raw(self.payments, request(body, secret, signed).as_bytes())
    }

    /// Sends an event; returns the result.
    pub(crate) fn send(&self, body: &str) -> String {
        let answer = self.send_signed(body, SECRET, NOW);
        assert_eq!(
            answer.status,
            200,
            "{}",
            String::from_utf8_lossy(&answer.body)
        );
        answer.json()["result"].as_str().unwrap().to_owned()
    }

    /// The metrics.
    pub(crate) fn metrics(&self) -> String {
        String::from_utf8(harness::get(self.admin, "/metrics").body).unwrap()
    }
}

/// A request with a signed event.
pub(crate) fn request(body: &str, secret: &str, signed: i64) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes())
        .unwrap()
        .chain_update(format!("{signed}.{body}"));
    let hex: String = mac
        .finalize()
        .into_bytes()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let head = format!(
        "Stripe-Signature: t={signed},v1={hex},v0=00\r\nContent-Length: {}\r\n",
        body.len()
    );
    format!("POST /stripe HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{head}\r\n{body}")
}

/// An event with some members changed: `created`, or members of its object by path.
pub(crate) fn altered(body: &str, id: &str, created: i64, changes: &[(&str, Value)]) -> String {
    let mut event: Value = serde_json::from_str(body).unwrap();
    event["id"] = id.into();
    event["created"] = created.into();
    for (path, value) in changes {
        let (parent, name) = path.rsplit_once('/').unwrap();
        event["data"]["object"].pointer_mut(parent).unwrap()[name] = value.clone();
    }
    event.to_string()
}

/// The keys in e-mails.
pub(crate) fn keys_of(emails: &[String]) -> Vec<String> {
    let texts = emails.iter().map(|email| crate::emails::text(email));
    let find = |text: String| {
        text.split_whitespace()
            .find(|word| word.starts_with("bma_"))
            .unwrap()
            .to_owned()
    };
    texts.map(find).collect()
}
