//! Any bytes as a signed event of the payment provider: it is applied or refused; sent again, it
//! changes nothing.

use std::time::{SystemTime, UNIX_EPOCH};

use harness::{Answer, Connection};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::service::{SECRET, expect_no_panic, service};
use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "event",
    seeds,
    tokens: &TOKENS,
    check,
};

const TOKENS: [&str; 33] = [
    "\"id\":\"sub_1\"",
    "\"id\":null",
    "\"created\":0",
    "\"created\":-1",
    "9223372036854775807",
    "-9223372036854775808",
    "253402207200",
    "1e400",
    "null",
    "{}",
    "[]",
    "true",
    "\"\"",
    "\"checkout.session.completed\"",
    "\"invoice.paid\"",
    "\"charge.refunded\"",
    "\"charge.dispute.created\"",
    "\"customer.subscription.updated\"",
    "\"customer.subscription.deleted\"",
    "\"status\":\"active\"",
    "\"status\":\"past_due\"",
    "\"status\":\"canceled\"",
    "\"status\":\"trialing\"",
    "\"current_period_end\":",
    "\"cancel_at\":",
    "\"ended_at\":",
    "\"customer_email\":\"a@example.org\"",
    "\"amount_refunded\":1",
    "\"metadata\":{\"plan\":\"pro\"}",
    "\"parent\":",
    "\\u0000",
    "\\ud800",
    ",",
];

fn seeds() -> Vec<Vec<u8>> {
    let folder = harness::repository().join("tests/access/events");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let recorded = files.iter().map(|file| std::fs::read(file).unwrap());
    let written = [
        r#"{"id":"evt_1","type":"charge.refunded","created":1800000000,"data":{"object":{"id":"ch_1","amount_refunded":500,"currency":"eur","customer":"cus_1"}}}"#,
        r#"{"id":"evt_2","type":"charge.dispute.created","created":1800000000,"data":{"object":{"id":"dp_1","status":"needs_response","amount":500,"charge":"ch_1"}}}"#,
        r#"{"id":"evt_3","type":"checkout.session.completed","created":1800000000,"data":{"object":{"id":"cs_1","subscription":"sub_1","invoice":"in_1","payment_status":"paid","metadata":{"plan":"pro","variant":"a"},"customer_details":{"email":"a@example.org"}}}}"#,
        r#"{"id":"evt_4","type":"invoice.paid","created":1800000000,"data":{"object":{"id":"in_1","subscription":"sub_1","lines":{"data":[{"period":{"end":1900000000},"price":{"id":"price_pro"}}]}}}}"#,
        r#"{"id":"evt_5","type":"customer.subscription.updated","created":1800000000,"data":{"object":{"id":"sub_1","status":"past_due","latest_invoice":"in_1","current_period_end":1900000000,"items":{"data":[{"price":{"id":"price_pro"}}]}}}}"#,
    ];
    recorded
        .chain(written.map(|event| event.as_bytes().to_vec()))
        .collect()
}

fn send(body: &[u8]) -> Answer {
    let second = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs()
        .to_string();
    let mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    let mac = mac
        .chain_update(&second)
        .chain_update(".")
        .chain_update(body)
        .finalize()
        .into_bytes();
    let digest: String = mac.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut connection = Connection::open(service().payments).unwrap();
    let signature = format!("Stripe-Signature: t={second},v1={digest}\r\n");
    let answer = connection.post("/stripe", "application/json", body, &signature);
    let answer = answer.unwrap_or_else(|error| panic!("no answer: {error}"));
    expect_no_panic();
    // Applied, unreadable, or too long.
    assert!(
        matches!(answer.status, 200 | 400 | 413),
        "{} {}",
        answer.status,
        answer.json()
    );
    assert!(answer.json().is_object());
    answer
}

fn check(bytes: &[u8]) -> bool {
    let is_applied = send(bytes).status == 200;
    if is_applied {
        let again = send(bytes);
        let result = again.json()["result"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        assert!(
            matches!(result.as_str(), "ignored" | "waiting"),
            "sent again: {}",
            again.json()
        );
    }
    is_applied
}
