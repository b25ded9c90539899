//! Facts known about a subscription, whatever the order in which its events arrived.
//!
//! Events come late, twice, in any order, or not at all for a while. So they are not applied one by
//! one: each adds [observations](Observation) to the [`Facts`] of its subscription, and adding is
//! commutative and idempotent. The terms of the key are derived from the facts alone, in
//! [`standing`](super::standing).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::mail;

/// Everything known about a subscription, or a one-time purchase. Stored as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Facts {
    /// Identifier of the customer at the payment provider.
    pub customer: Option<String>,
    /// The newest state of the subscription.
    pub snapshot: Option<Snapshot>,
    /// Its invoices, by their identifiers.
    pub invoices: BTreeMap<String, Invoice>,
    /// The purchase, once a checkout event was seen.
    pub purchase: Option<Purchase>,
    /// E-mail address given at the checkout, with its moment.
    pub checkout_email: Option<(i64, String)>,
    /// E-mail address on the invoices, with its moment.
    pub invoice_email: Option<(i64, String)>,
    /// Second up to which a key was paid when it was migrated from a version without facts.
    pub adopted_until: Option<i64>,
    /// The second at which a payment was taken back as a whole, by its invoice or [`PURCHASE`].
    pub reversed: BTreeMap<String, i64>,
}

/// Key of a purchase without an invoice in [`Facts::reversed`].
pub(crate) const PURCHASE: &str = "purchase";

/// The state of a subscription at one moment. Moments are seconds since 1970. Ordered by validity:
/// of two snapshots the greater one counts. A subscription that has ended never restarts; otherwise
/// the later snapshot counts, and within one second the later status.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    /// Whether this state is final.
    pub is_final: bool,
    /// When the event was created.
    pub at: i64,
    pub status: Status,
    /// End of the current period, paid or not.
    pub period_end: Option<i64>,
    /// When it will end, if it is not to be renewed.
    pub cancel_at: Option<i64>,
    /// When it ended.
    pub ended_at: Option<i64>,
    /// Its last invoice.
    pub latest_invoice: Option<String>,
    /// The prices of its items.
    pub prices: BTreeSet<String>,
    /// The plan that its metadata names.
    pub offer: Offer,
    /// Identifier of the event, which makes the order of states of one second total.
    pub event: String,
}

/// The status of a subscription, ordered by its life cycle: of two states of the same second the
/// later one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    Incomplete,
    Trialing,
    Active,
    PastDue,
    Unpaid,
    Paused,
    IncompleteExpired,
    Canceled,
}

impl Status {
    /// Parses the provider's name of a status; `None` for an unknown one.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        serde_json::from_value(name.into()).ok()
    }

    /// Whether no other status can follow.
    pub(crate) fn is_final(self) -> bool {
        matches!(self, Self::IncompleteExpired | Self::Canceled)
    }
}

/// An invoice of the subscription.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Invoice {
    /// When it was paid, as far as known.
    pub paid: Option<i64>,
    /// Whether the invoice itself was seen, not only a reference to it.
    pub seen: bool,
    /// End of the periods that its lines bill, without adjustments of earlier periods.
    pub billed_until: Option<i64>,
    /// End of the period of the subscription while this was its latest invoice.
    pub named_until: Option<i64>,
    /// Prices that its lines bill, adjustments left out.
    pub prices: BTreeSet<String>,
    /// The plan that the metadata of the subscription names.
    pub offer: Offer,
    /// Identifiers of its payment: charge and payment intent.
    #[serde(default)]
    pub payments: BTreeSet<String>,
}

/// A purchase at the provider's checkout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Purchase {
    /// When it was first seen.
    pub at: i64,
    /// When it was first seen as paid.
    pub paid: Option<i64>,
    /// Whether it is a subscription, not a one-time purchase.
    pub renews: bool,
    /// The plan that its metadata names.
    pub offer: Offer,
    /// Identifiers of its payment.
    #[serde(default)]
    pub payments: BTreeSet<String>,
}

/// Plan and variant by our names, in the metadata of the provider's objects.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub(crate) struct Offer {
    /// The member `plan`.
    pub plan: Option<String>,
    /// The member `variant`.
    pub variant: Option<String>,
}

/// The state of a subscription as one event reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Observation {
    /// Identifier of the customer.
    pub customer: Option<String>,
    /// E-mail address of the payer, with its moment.
    pub email: Option<(i64, String)>,
    /// The object that was observed.
    pub seen: Seen,
    /// Identifier of the event, for the audit log; empty without one.
    pub event: String,
}

/// Object of an event: the subscription, an invoice or a checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    /// A state of the subscription.
    Snapshot(Snapshot),
    /// A paid invoice.
    Invoice(String, Invoice),
    /// A checkout, with its first invoice.
    Purchase(Purchase, Option<String>),
    /// A payment that was taken back, by its key in [`Facts::reversed`], and when.
    Reversal(String, i64),
}

impl Facts {
    /// Adds an observation. Neither the order of events nor their repetition matters.
    pub(crate) fn add(&mut self, observation: &Observation) {
        // The greater of two is taken, as everywhere here: the result must not depend on the order
        // of the events.
        self.customer = self.customer.take().max(observation.customer.clone());

        match &observation.seen {
            Seen::Snapshot(snapshot) => self.add_snapshot(snapshot),
            Seen::Invoice(id, invoice) => {
                self.invoices.entry(id.clone()).or_default().add(invoice);
                keep_latest(&mut self.invoice_email, observation.email.as_ref());
            }
            Seen::Purchase(purchase, invoice) => {
                if let Some(id) = invoice {
                    // The checkout often comes before its invoice: the payment is noted under the
                    // name of that invoice, so that both count once.
                    let paid = Invoice {
                        paid: purchase.paid,
                        payments: purchase.payments.clone(),
                        ..Invoice::default()
                    };
                    self.invoices.entry(id.clone()).or_default().add(&paid);
                }
                self.add_purchase(purchase);
                keep_latest(&mut self.checkout_email, observation.email.as_ref());
            }
            Seen::Reversal(item, at) => {
                // The earliest moment wins: the key was to end when the money went.
                let known = self.reversed.entry(item.clone()).or_insert(*at);
                *known = (*known).min(*at);
            }
        }
    }

    fn add_snapshot(&mut self, snapshot: &Snapshot) {
        // The period of an active subscription is the one that its latest invoice pays; other
        // states say nothing of a payment.
        if let (Some(id), Status::Active | Status::Trialing) =
            (&snapshot.latest_invoice, snapshot.status)
        {
            let named = Invoice {
                named_until: snapshot.period_end,
                ..Invoice::default()
            };
            self.invoices.entry(id.clone()).or_default().add(&named);
        }
        // Late events about earlier states change nothing.
        if self.snapshot.as_ref().is_none_or(|known| known < snapshot) {
            self.snapshot = Some(snapshot.clone());
        }
    }

    fn add_purchase(&mut self, purchase: &Purchase) {
        let Some(known) = &mut self.purchase else {
            self.purchase = Some(purchase.clone());
            return;
        };

        // Each member takes the earliest, the greatest or the union: repeated and reordered events
        // give the same purchase.
        known.at = known.at.min(purchase.at);
        known.paid = earliest(known.paid, purchase.paid);
        known.renews |= purchase.renews;
        known.offer = std::mem::take(&mut known.offer).max(purchase.offer.clone());
        known.payments.extend(purchase.payments.iter().cloned());
    }

    /// The valid e-mail addresses of the payer: first the one given at the checkout, then the one
    /// on the invoices.
    pub(crate) fn emails(&self) -> impl Iterator<Item = String> {
        let given = self.checkout_email.iter().chain(&self.invoice_email);
        given
            .filter_map(|(_, email)| mail::address(email))
            .map(|address| address.to_string())
    }

    /// Erases the addresses equal to `email`; returns whether there was any.
    pub(crate) fn erase(&mut self, email: &str) -> bool {
        let mut erased = false;
        for kept in [&mut self.checkout_email, &mut self.invoice_email] {
            if kept
                .as_ref()
                .is_some_and(|(_, known)| known.eq_ignore_ascii_case(email))
            {
                *kept = None;
                erased = true;
            }
        }
        erased
    }
}

impl Invoice {
    fn add(&mut self, other: &Self) {
        self.paid = earliest(self.paid, other.paid);
        self.seen |= other.seen;
        self.billed_until = self.billed_until.max(other.billed_until);
        self.named_until = self.named_until.max(other.named_until);
        self.prices.extend(other.prices.iter().cloned());
        self.offer = std::mem::take(&mut self.offer).max(other.offer.clone());
        self.payments.extend(other.payments.iter().cloned());
    }

    /// Second up to which this invoice pays for the subscription; `None` if it is not paid, or
    /// bills no period.
    pub(crate) fn paid_until(&self) -> Option<i64> {
        // The lines of the invoice itself are exact; until it is seen, the period that the
        // subscription named with it must do.
        self.paid.and(if self.seen {
            self.billed_until
        } else {
            self.named_until
        })
    }
}

fn keep_latest(kept: &mut Option<(i64, String)>, new: Option<&(i64, String)>) {
    if let Some(new) = new
        && kept.as_ref().is_none_or(|known| known < new)
    {
        *kept = Some(new.clone());
    }
}

/// The earlier of two moments, either of which may be unknown.
fn earliest(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    one.into_iter().chain(other).min()
}
