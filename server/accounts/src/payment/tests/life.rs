//! A simulated subscription: what the customer does, the events that the provider sends, and the
//! expected key.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{DAY, at};

/// Something that happens to a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    Renew,
    FailToRenew,
    PayLate,
    GiveUp,
    Upgrade,
    Downgrade,
    Cancel,
    Resume,
    Refund,
    Dispute,
    Delete,
}

pub(crate) const ACTS: [Act; 11] = [
    Act::Renew,
    Act::FailToRenew,
    Act::PayLate,
    Act::GiveUp,
    Act::Upgrade,
    Act::Downgrade,
    Act::Cancel,
    Act::Resume,
    Act::Refund,
    Act::Dispute,
    Act::Delete,
];

/// The key expected at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expected {
    pub plan: String,
    pub ends: Timestamp,
    pub renews: bool,
}

/// A simulated subscription, with its events so far.
#[derive(Debug, Clone)]
pub(crate) struct Life {
    /// Whether objects have the form since 2025-03-31.
    since_2025: bool,
    now: i64,
    price: &'static str,
    period: (i64, i64),
    paid_until: i64,
    status: &'static str,
    status_since: i64,
    cancels: bool,
    invoice: String,
    invoices: u32,
    pub events: Vec<Vec<u8>>,
}

impl Life {
    /// A purchase: four events of one second, as the provider sends them.
    pub(crate) fn bought(since_2025: bool) -> Self {
        let start = 1_800_000_000;
        let mut life = Self {
            since_2025,
            now: start,
            price: "price_pro",
            period: (start, start + 365 * DAY),
            paid_until: start + 365 * DAY,
            status: "incomplete",
            status_since: start,
            cancels: false,
            invoice: "in_1".to_owned(),
            invoices: 1,
            events: Vec::new(),
        };
        life.subscription_event("created");
        life.status = "active";
        life.subscription_event("updated");
        life.paid();
        life.event(
            "checkout.session.completed",
            json!({"id": "cs_1", "customer": "cus_1", "invoice": "in_1",
            "subscription": "sub_1", "payment_status": "paid", "metadata": {"plan": "pro", "variant": "a"},
            "customer_details": {"email": "claire@example.org"}}),
        );
        life
    }

    /// Performs an act some days later; returns false if it is not possible now.
    pub(crate) fn act(&mut self, act: Act, days: i64) -> bool {
        let is_possible = match act {
            Act::Renew | Act::FailToRenew => self.status == "active" && !self.cancels,
            Act::PayLate => matches!(self.status, "past_due" | "unpaid"),
            Act::GiveUp => self.status == "past_due",
            Act::Upgrade => self.status == "active" && self.price == "price_pro",
            Act::Downgrade => self.status == "active" && self.price == "price_scale",
            Act::Cancel => self.status == "active" && !self.cancels,
            Act::Resume => self.cancels && self.status == "active",
            Act::Refund | Act::Dispute => true,
            Act::Delete => self.status != "canceled",
        };
        if !is_possible {
            return false;
        }
        self.now += days.max(1) * DAY;
        match act {
            Act::Renew => {
                self.next_period();
                self.now += 3_600;
                self.paid();
            }
            Act::FailToRenew => {
                self.next_period();
                self.now += 3_600;
                self.change_status("past_due");
            }
            Act::PayLate => {
                self.paid();
                self.change_status("active");
            }
            Act::GiveUp => self.change_status("unpaid"),
            Act::Upgrade => self.change_price("price_scale"),
            Act::Downgrade => self.change_price("price_pro"),
            Act::Cancel | Act::Resume => {
                self.cancels = act == Act::Cancel;
                self.subscription_event("updated");
            }
            Act::Refund => self.event(
                "charge.refunded",
                json!({"id": "ch_1", "amount_refunded": self.now % 1_000,
                "currency": "eur", "customer": "cus_1"}),
            ),
            Act::Dispute => self.event(
                "charge.dispute.created",
                json!({"id": format!("dp_{}", self.now),
                "status": "needs_response", "amount": 19_900, "currency": "eur", "charge": "ch_1"}),
            ),
            Act::Delete => {
                self.status = "canceled";
                self.status_since = self.now;
                self.subscription_event("deleted");
            }
        }
        true
    }

    /// The expected key, by what the customer paid and did.
    pub(crate) fn expected(&self) -> Expected {
        let paid_and = |days: i64| self.paid_until + days * DAY;
        let ends = match self.status {
            "active" => paid_and(3),
            "past_due" => paid_and(14),
            _ => self.status_since.min(paid_and(3)),
        };
        let ends = if self.cancels {
            ends.min(self.period.1)
        } else {
            ends
        };
        let plan = self.price.trim_start_matches("price_").to_owned();
        Expected {
            plan,
            ends: at(ends),
            renews: !self.cancels && self.status != "canceled",
        }
    }

    /// The moment after the last event.
    pub(crate) fn end(&self) -> Timestamp {
        at(self.now + 60)
    }

    /// Starts the next period, with its unpaid invoice.
    fn next_period(&mut self) {
        self.now = self.now.max(self.period.1);
        self.period = (self.period.1, self.period.1 + 365 * DAY);
        self.next_invoice();
        self.subscription_event("updated");
    }

    fn next_invoice(&mut self) {
        self.invoices += 1;
        self.invoice = format!("in_{}", self.invoices);
    }

    fn change_status(&mut self, status: &'static str) {
        self.status = status;
        self.status_since = self.now;
        self.subscription_event("updated");
    }

    /// Changes the plan, with an invoice for the difference over the rest of the period.
    fn change_price(&mut self, price: &'static str) {
        let old = std::mem::replace(&mut self.price, price);
        self.next_invoice();
        self.subscription_event("updated");
        let lines = [old, price].map(|price| self.line(price, true));
        self.invoice_paid(json!(lines));
    }

    /// Pays the invoice of the period.
    fn paid(&mut self) {
        self.paid_until = self.period.1;
        let line = self.line(self.price, false);
        // A one-time product on the same invoice does not affect the period.
        let mut beside = self.line("price_training", false);
        beside["period"] = json!({"start": self.period.0, "end": self.period.1 + 900 * DAY});
        if self.since_2025 {
            beside["parent"] = json!({"type": "invoice_item_details", "subscription_item_details": null,
                "invoice_item_details": {"invoice_item": "ii_1", "proration": false, "subscription": "sub_1"}});
        } else {
            beside["type"] = "invoiceitem".into();
        }
        self.invoice_paid(json!([line, beside]));
    }

    fn line(&self, price: &str, proration: bool) -> Value {
        let period = json!({"start": self.now, "end": self.period.1});
        if self.since_2025 {
            json!({"period": period, "pricing": {"price_details": {"price": price}},
                "parent": {"type": "subscription_item_details", "invoice_item_details": null,
                    "subscription_item_details": {"subscription": "sub_1", "proration": proration}}})
        } else {
            let kind = if proration {
                "invoiceitem"
            } else {
                "subscription"
            };
            json!({"period": period, "price": {"id": price}, "type": kind, "proration": proration,
                "subscription": "sub_1"})
        }
    }

    fn invoice_paid(&mut self, lines: Value) {
        let mut invoice = json!({"id": self.invoice, "customer": "cus_1", "customer_email": "compta@example.org",
            "status": "paid", "status_transitions": {"paid_at": self.now}, "lines": {"data": lines}});
        if self.since_2025 {
            invoice["parent"] =
                json!({"subscription_details": {"subscription": "sub_1", "metadata": {}}});
        } else {
            invoice["subscription"] = "sub_1".into();
        }
        self.event("invoice.paid", invoice);
    }

    fn subscription_event(&mut self, what: &str) {
        let mut item = json!({"price": {"id": self.price}});
        let mut subscription = json!({"id": "sub_1", "object": "subscription", "customer": "cus_1",
            "status": self.status, "latest_invoice": self.invoice, "cancel_at_period_end": self.cancels,
            "cancel_at": self.cancels.then_some(self.period.1), "metadata": {},
            "ended_at": (self.status == "canceled").then_some(self.status_since)});
        let holder = if self.since_2025 {
            &mut item
        } else {
            &mut subscription
        };
        holder["current_period_end"] = self.period.1.into();
        subscription["items"] = json!({"data": [item]});
        self.event(&format!("customer.subscription.{what}"), subscription);
    }

    fn event(&mut self, kind: &str, object: Value) {
        // Identifiers that do not reveal the order.
        let number = (self.events.len() as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let event = json!({"id": format!("evt_{number:016x}"), "type": kind, "created": self.now,
            "data": {"object": object}});
        self.events.push(event.to_string().into_bytes());
    }
}
