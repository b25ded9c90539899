//! Payments that are taken back as a whole, by a full refund or a lost dispute: each ends the key
//! that it paid for.
//!
//! The provider names a charge, not a subscription, and its event may arrive before those of the
//! purchase. So the reversal is kept with its case, and matched with the subscriptions again and
//! again until one of them is found, or a person settles the case.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::Facts;
use super::case::Case;
use super::facts::{Observation, Seen};
use crate::store::{Store, Unavailable};

/// How long the events of the same customer may take to arrive: only then is the single payment
/// that is known of him taken for the one that was returned.
// The provider promises no order: the invoice that names the payment may still come after the
// refund.
const SETTLED_AFTER: SignedDuration = SignedDuration::from_hours(1);

/// A payment that was taken back as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reversal {
    /// When, in seconds since 1970.
    pub at: i64,
    /// The customer, as far as the event names one.
    pub customer: Option<String>,
    /// Identifiers of the payment: its charge, its payment intent, its invoice.
    pub payments: BTreeSet<String>,
}

/// A payment known from the facts of a subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
struct KnownPayment {
    subscription: String,
    /// Key of the payment in [`Facts::reversed`].
    item: String,
    customer: Option<String>,
    /// The identifiers that it is known by.
    names: BTreeSet<String>,
}

impl Reversal {
    /// The payment of this reversal among those that are known, if exactly one can be meant.
    fn find<'k>(&self, known: &'k [KnownPayment], is_settled: bool) -> Option<&'k KnownPayment> {
        let mut named = known
            .iter()
            .filter(|payment| !payment.names.is_disjoint(&self.payments));
        // An identifier in common is proof: it needs no waiting.
        if let Some(payment) = named.next() {
            return Some(payment);
        }

        // Since 2025-03-31 an invoice does not name its charge any more.
        let of_customer =
            |payment: &&KnownPayment| self.customer.is_some() && payment.customer == self.customer;
        let mut of_customer = known.iter().filter(of_customer);
        match (of_customer.next(), of_customer.next()) {
            // Of two payments of a customer none is taken: the wrong key would end, so a person
            // decides.
            (Some(only), None) if is_settled => Some(only),
            _ => None,
        }
    }

    /// The observation of the subscription whose payment is returned.
    fn observed(&self, payment: &KnownPayment, case: &Case) -> Observation {
        Observation {
            customer: None,
            email: None,
            seen: Seen::Reversal(payment.item.clone(), self.at),
            event: case.id.clone(),
        }
    }
}

/// The observations that the reversals of some cases make, each with its subscription and its case.
///
/// # Errors
/// The store is not available.
pub(super) async fn matched(
    store: &dyn Store,
    cases: &[Case],
    now: Timestamp,
) -> Result<Vec<(String, Observation, Case)>, Unavailable> {
    let reversals: Vec<(&Case, Reversal)> = cases
        .iter()
        .filter_map(|case| {
            let reversal = serde_json::from_str(case.reversal.as_deref()?).ok()?;
            Some((case, reversal))
        })
        .collect();
    // Most looks end here: the facts of all subscriptions are read only for a reversal.
    if reversals.is_empty() {
        return Ok(Vec::new());
    }

    let mut known = Vec::new();
    for subscription in store.subscriptions().await? {
        // Damaged facts of one subscription must not keep the keys of others alive.
        match serde_json::from_str(&subscription.facts) {
            Ok(facts) => known.extend(payments_of(&subscription.id, &facts)),
            Err(error) => {
                tracing::error!(subscription = subscription.id, %error, "facts cannot be read");
            }
        }
    }

    let found = reversals.into_iter().filter_map(|(case, reversal)| {
        let is_settled = now.duration_since(case.opened) >= SETTLED_AFTER;
        let payment = reversal.find(&known, is_settled)?;
        let observation = reversal.observed(payment, case);
        Some((payment.subscription.clone(), observation, case.clone()))
    });
    Ok(found.collect())
}

/// The payments that the facts of a subscription know of.
fn payments_of(subscription: &str, facts: &Facts) -> Vec<KnownPayment> {
    let known = |item: &str, names: BTreeSet<String>| KnownPayment {
        subscription: subscription.to_owned(),
        item: item.to_owned(),
        customer: facts.customer.clone(),
        names,
    };
    let paid = facts
        .invoices
        .iter()
        .filter(|(_, invoice)| invoice.paid.is_some());
    let mut payments: Vec<KnownPayment> = paid
        .map(|(id, invoice)| {
            let mut names = invoice.payments.clone();
            // Older refunds name the invoice itself.
            names.insert(id.clone());
            known(id, names)
        })
        .collect();

    // A purchase without an invoice is a payment of its own.
    if let Some(purchase) = &facts.purchase
        && payments.is_empty()
        && purchase.paid.is_some()
    {
        payments.push(known(super::facts::PURCHASE, purchase.payments.clone()));
    }
    payments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(item: &str, customer: &str, names: &[&str]) -> KnownPayment {
        KnownPayment {
            subscription: format!("sub_of_{item}"),
            item: item.to_owned(),
            customer: Some(customer.to_owned()),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    fn reversal(customer: Option<&str>, names: &[&str]) -> Reversal {
        Reversal {
            at: 0,
            customer: customer.map(str::to_owned),
            payments: names.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    #[test]
    fn a_reversal_meets_its_payment_or_the_only_one_of_its_customer() {
        let all = [
            known("in_1", "cus_1", &["in_1", "ch_1"]),
            known("in_2", "cus_1", &["in_2"]),
            known("in_3", "cus_2", &["in_3"]),
        ];
        let find = |reversal: &Reversal, is_settled| {
            let found = reversal.find(&all, is_settled);
            found.map(|payment| payment.item.as_str())
        };
        assert_eq!(find(&reversal(None, &["ch_1"]), false), Some("in_1"));
        assert_eq!(
            find(&reversal(Some("cus_9"), &["pi_9", "in_2"]), false),
            Some("in_2")
        );
        let unnamed = reversal(Some("cus_2"), &["ch_9"]);
        assert_eq!(find(&unnamed, false), None, "its invoice may still come");
        assert_eq!(find(&unnamed, true), Some("in_3"));
        assert_eq!(
            find(&reversal(Some("cus_1"), &["ch_9"]), true),
            None,
            "two of them"
        );
        assert_eq!(find(&reversal(None, &["ch_9"]), true), None);
    }
}
