//! Terms of the key of a subscription, plan and end, derived from its facts.
//!
//! | status of the newest state | the key ends |
//! |---|---|
//! | none seen, `incomplete`, `active` | three days after what is paid |
//! | `trialing` | three days after the trial |
//! | `past_due` | fourteen days after what is paid, while the provider asks again |
//! | `unpaid`, `paused` | when the provider gave up |
//! | `canceled`, `incomplete_expired` | when it ended |
//!
//! and never after `cancel_at`. What is paid is the end of the periods of paid invoices.

use bareme_engine::service::{Plan, Service, Variant};
use jiff::{SignedDuration, Timestamp};

use super::case::CaseKind;
use super::facts::{Facts, Invoice, Offer, PURCHASE, Status};
use crate::issue::{plan_of_price, plans};

/// How long a key stays valid after the paid period, so that the next payment can arrive.
// The invoice of a renewal stays a draft for an hour, and its payment may be retried.
pub(crate) const GRACE: SignedDuration = SignedDuration::from_hours(3 * 24);

/// The same, while the provider retries a failed payment.
pub(crate) const DUNNING: SignedDuration = SignedDuration::from_hours(14 * 24);

/// How long a purchase is valid while its period is unknown, if its plan has no days of its own.
// About a month: the invoice or the subscription soon names the real one.
const UNKNOWN_PERIOD: SignedDuration = SignedDuration::from_hours(31 * 24);

/// Terms that a subscription gives its key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing<'s> {
    /// The plan, if one is known.
    pub plan: Option<(&'s Variant, &'s Plan)>,
    /// When the key ends; `None` if nothing was ever paid.
    pub ends: Option<Timestamp>,
    /// Whether the provider renews it by itself.
    pub renews: bool,
    /// Whether it ends because the payment of its period was taken back.
    pub is_suspended: bool,
    /// Trouble that needs another event, or a person.
    pub trouble: Option<CaseKind>,
}

impl Facts {
    /// Derives the terms of the key, by the plans of a service.
    pub(crate) fn standing<'s>(&self, service: &'s Service) -> Standing<'s> {
        let (plan, plan_trouble) = self.plan(service);
        let known_plan = plan.map(|(_, plan)| plan);

        let paid = self.paid_until(known_plan, |_| false);
        let suspended = self.suspended(known_plan, paid);

        let ends = match (self.ends(paid), suspended) {
            (Some(end), Some(suspended)) => Some(end.min(suspended)),
            (end, _) => end,
        };

        // Before anything is paid there is no key to give, so nothing is missing yet.
        let missing_email =
            (ends.is_some() && self.emails().next().is_none()).then_some(CaseKind::NoEmail);
        let plan_trouble = if ends.is_some() { plan_trouble } else { None };

        // One trouble at a time, the one about money first; a suspended key has a case of its own,
        // that of its reversal.
        let trouble = self
            .payment_trouble(paid)
            .filter(|_| suspended.is_none())
            .or(plan_trouble)
            .or(missing_email);

        Standing {
            plan,
            ends,
            renews: self.renews(),
            is_suspended: suspended.is_some(),
            trouble,
        }
    }

    /// The plan by the price of the subscription, else by its metadata: after a change of plan
    /// these still name the purchased one.
    fn plan<'s>(
        &self,
        service: &'s Service,
    ) -> (Option<(&'s Variant, &'s Plan)>, Option<CaseKind>) {
        let newest_invoice = self
            .invoices
            .iter()
            .filter(|(_, invoice)| !invoice.prices.is_empty());
        let newest_invoice = newest_invoice
            .max_by_key(|(id, invoice)| (invoice.paid, *id))
            .map(|(_, invoice)| invoice);

        let prices = self
            .snapshot
            .as_ref()
            .map(|snapshot| &snapshot.prices)
            .filter(|prices| !prices.is_empty());
        // The prices of the subscription are those from now on, those of an invoice of the past.
        let prices = prices.or(newest_invoice.map(|invoice| &invoice.prices));

        if let Some(found) = prices.and_then(|prices| {
            prices
                .iter()
                .find_map(|price| plan_of_price(service, price))
        }) {
            return (Some(found), None);
        }

        // No price is known to us: then the plan by its name, as the payment link states it.
        let is_named = |offer: &Offer| {
            let is_meant = |(variant, plan): &(&Variant, &Plan)| {
                offer.plan.as_ref() == Some(&plan.name)
                    && offer
                        .variant
                        .as_ref()
                        .is_none_or(|name| *name == variant.name)
            };
            plans(service).find(is_meant)
        };

        let offers = [
            self.snapshot.as_ref().map(|snapshot| &snapshot.offer),
            self.purchase.as_ref().map(|p| &p.offer),
        ];

        let of_invoices = self.invoices.values().map(|invoice| &invoice.offer);
        let named = offers
            .into_iter()
            .flatten()
            .chain(of_invoices)
            .find_map(is_named);

        // The key is issued by the name all the same, if there is one; a person looks at the
        // unknown price.
        let trouble = match (named, prices) {
            // A plan with its own price is not sold by name.
            (Some((_, plan)), Some(_)) if plan.payment_price.is_some() => {
                Some(CaseKind::UnknownPrice)
            }
            (Some(_), _) => None,
            (None, Some(_)) => Some(CaseKind::UnknownPrice),
            (None, None) => Some(CaseKind::NoPlan),
        };
        (named, trouble)
    }

    /// The moment from which the key is suspended, since what paid for its period was taken back:
    /// the end of what other payments cover, and at the earliest when the money went.
    fn suspended(&self, plan: Option<&Plan>, paid: Option<i64>) -> Option<Timestamp> {
        let taken_back = self.reversed.values().copied().max()?;
        let left = self.paid_until(plan, |item| self.reversed.contains_key(item));

        // A payment of an earlier period, or one that another has replaced, changes nothing.
        if left >= paid {
            return None;
        }

        let end = left.map_or(taken_back, |left| left.max(taken_back));
        Timestamp::from_second(end).ok()
    }

    /// Second up to which it is paid, by the payments that are not left out; `None` if it never
    /// was.
    fn paid_until(&self, plan: Option<&Plan>, is_left_out: impl Fn(&str) -> bool) -> Option<i64> {
        let counts = |(id, _): &(&String, &Invoice)| !is_left_out(id);
        let invoices: Vec<&Invoice> = self
            .invoices
            .iter()
            .filter(counts)
            .map(|(_, invoice)| invoice)
            .collect();

        let known = invoices.iter().filter_map(|invoice| invoice.paid_until());
        let known = known.chain(self.adopted_until).max();

        // Paid, but no period is known yet: the days of the plan count from the first payment.
        known.or_else(|| {
            let paid = invoices.iter().filter_map(|invoice| invoice.paid);
            // The purchase and its first invoice are one payment.
            let purchase = self
                .purchase
                .as_ref()
                .filter(|_| !is_left_out(PURCHASE) && invoices.len() == self.invoices.len());

            let first = paid
                .chain(purchase.and_then(|purchase| purchase.paid))
                .min()?;

            let days = plan
                .and_then(|plan| plan.valid_days)
                .map(|days| SignedDuration::from_hours(i64::from(days) * 24));
            Some(first.saturating_add(days.unwrap_or(UNKNOWN_PERIOD).as_secs()))
        })
    }

    fn ends(&self, paid: Option<i64>) -> Option<Timestamp> {
        let after = |moment: i64, grace: SignedDuration| moment.saturating_add(grace.as_secs());
        // Without a state the payment alone counts. A one-time purchase needs no grace: nothing is
        // to be paid again.
        let Some(snapshot) = &self.snapshot else {
            let once = self
                .purchase
                .as_ref()
                .is_some_and(|purchase| !purchase.renews);
            let grace = if once { SignedDuration::ZERO } else { GRACE };
            return paid.and_then(|paid| Timestamp::from_second(after(paid, grace)).ok());
        };

        // Never longer than what was paid with its grace, even if the provider gives up late.
        let given_up = |at: i64| paid.map(|paid| after(paid, GRACE).min(at));

        let ends = match snapshot.status {
            Status::Incomplete | Status::Active => paid.map(|paid| after(paid, GRACE)),
            Status::Trialing => paid.max(snapshot.period_end).map(|end| after(end, GRACE)),
            Status::PastDue => paid.map(|paid| after(paid, DUNNING)),
            Status::Unpaid | Status::Paused => given_up(snapshot.at),
            Status::Canceled | Status::IncompleteExpired => {
                given_up(snapshot.ended_at.unwrap_or(snapshot.at))
            }
        };

        // A cancellation is an end without grace: no payment is to come after it.
        let ends = ends.map(|end| snapshot.cancel_at.map_or(end, |cancel| end.min(cancel)));
        ends.and_then(|end| Timestamp::from_second(end).ok())
    }

    fn renews(&self) -> bool {
        match (&self.snapshot, &self.purchase) {
            (Some(snapshot), _) => !snapshot.is_final && snapshot.cancel_at.is_none(),
            (None, Some(purchase)) => purchase.renews,
            (None, None) => true,
        }
    }

    fn payment_trouble(&self, paid: Option<i64>) -> Option<CaseKind> {
        let snapshot = self.snapshot.as_ref()?;
        if snapshot.is_final {
            let ended = snapshot.ended_at.unwrap_or(snapshot.at);
            // The money was taken, and no key will come of it: a person has to return it.
            let is_late = |invoice: &Invoice| invoice.paid.is_some_and(|paid| paid > ended);
            return self
                .invoices
                .values()
                .any(is_late)
                .then_some(CaseKind::PaidAfterEnd);
        }

        // An active subscription whose period is not covered by any payment that we have seen.
        let is_unpaid = |end: i64| paid.is_none_or(|paid| paid < end);
        let waits = snapshot.status == Status::Active && snapshot.period_end.is_some_and(is_unpaid);
        waits.then_some(CaseKind::NoPayment)
    }
}
