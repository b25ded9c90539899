//! Parser of the payment provider's events, in Stripe's format, of the API versions before and
//! since 2025-03-31.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::Value;

use super::case::{Case, CaseKind};
use super::facts::{Invoice, Observation, Offer, Purchase, Seen, Snapshot, Status};
use super::reversal::Reversal;

/// An event of the payment service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Identifier of the event.
    pub id: String,
    /// Its type, `invoice.paid`.
    pub kind: String,
    /// The observation of a subscription, or the case for a person, that it reports.
    pub(crate) content: Content,
}

/// Content of an event that matters for keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    /// Observation of a subscription, or of a one-time purchase, by its identifier.
    Subscription(String, Box<Observation>),
    /// A case for a person.
    Case(Case),
    /// Nothing that matters for keys.
    Other,
}

impl Event {
    /// Parses an event.
    ///
    /// # Errors
    /// The member that is missing or malformed, in English for the operator.
    pub fn read(body: &[u8]) -> Result<Self, String> {
        let event: Value =
            serde_json::from_slice(body).map_err(|error| format!("not JSON: {error}"))?;
        // No store in PostgreSQL holds this character: the event would be taken for a failure of
        // the store, and come again.
        if has_nul(&event) {
            return Err("a text holds the character NUL".to_owned());
        }

        let text = |name: &str| text(&event, name).ok_or_else(|| format!("no `{name}`"));
        let (id, kind) = (text("id")?, text("type")?);
        let object = event.pointer("/data/object").ok_or("no `data.object`")?;
        let wrong = |member: &str| format!("{kind}: `{member}` is missing or malformed");

        // The moment of the event orders the states of a subscription; the order of arrival says
        // nothing.
        let at = moment(&event, "created")
            .and_then(|at| at.ok_or("created"))
            .map_err(wrong)?;

        let mut content = read_content(&id, &kind, at, object).map_err(wrong)?;
        if let Content::Subscription(_, observation) = &mut content {
            observation.event.clone_from(&id);
        }
        Ok(Self { id, kind, content })
    }
}

/// Whether a text of a value, or a name of its members, holds the character NUL. Its depth is
/// bounded by the parser.
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(values) => values.iter().any(has_nul),
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| name.contains('\0') || has_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Reads the object of an event that was created at a moment. An error is the name of the wrong
/// member.
fn read_content(
    id: &str,
    kind: &str,
    at: Timestamp,
    object: &Value,
) -> Result<Content, &'static str> {
    let second = at.as_second();
    match kind {
        "checkout.session.completed" | "checkout.session.async_payment_succeeded" => {
            checkout(second, object)
        }
        // Both announce the same payment: adding the same facts twice changes nothing.
        "invoice.paid" | "invoice.payment_succeeded" => invoice(second, object),
        "charge.refunded" => refund(at, object).map(Content::Case),
        "charge.dispute.created" | "charge.dispute.closed" => {
            dispute(at, object).map(Content::Case)
        }
        // Each of these events holds the whole subscription, whatever has changed in it.
        _ if kind.starts_with("customer.subscription.") => snapshot(id, second, object),
        // The provider sends more kinds than were asked for: they are acknowledged, otherwise it
        // would send them again for days.
        _ => Ok(Content::Other),
    }
}

fn checkout(at: i64, object: &Value) -> Result<Content, &'static str> {
    let subscription = reference(object, "subscription");
    // A bank debit is completed unpaid, and paid by a later event; `no_payment_required` counts as
    // paid.
    let is_paid = text(object, "payment_status").as_deref() != Some("unpaid");

    let purchase = Purchase {
        at,
        paid: is_paid.then_some(at),
        renews: subscription.is_some(),
        offer: offer(object, &["/metadata"]),
        payments: payments(object),
    };

    let email = object
        .pointer("/customer_details/email")
        .and_then(Value::as_str)
        .map(str::to_owned);
    let email = email.or_else(|| text(object, "customer_email"));

    // A one-time purchase has no subscription: the checkout itself names its facts.
    let seen = Seen::Purchase(purchase, reference(object, "invoice"));
    let id = subscription.or_else(|| text(object, "id")).ok_or("id")?;
    Ok(observed(id, object, email.map(|email| (at, email)), seen))
}

/// Reads an invoice, which need not belong to a subscription.
fn invoice(at: i64, object: &Value) -> Result<Content, &'static str> {
    // Up to 2025-03-31 the invoice names its subscription itself, since then its parent does.
    let parent = object.pointer("/parent/subscription_details");
    let subscription = parent.and_then(|parent| reference(parent, "subscription"));
    let Some(subscription) = reference(object, "subscription").or(subscription) else {
        // An invoice of something else that the same account sells.
        return Ok(Content::Other);
    };

    let billed: Vec<&Value> = list(object, "/lines/data")
        .filter(|line| bills_period(line, &subscription))
        .collect();

    // The moment of the payment where the invoice has it: the event may be sent hours later.
    let paid_at = object
        .get("status_transitions")
        .map(|moments| seconds(moments, "paid_at"))
        .transpose()?
        .flatten();

    let ends = billed
        .iter()
        .filter_map(|line| line.get("period"))
        .map(|period| seconds(period, "end"));

    let invoice = Invoice {
        paid: Some(paid_at.unwrap_or(at)),
        seen: true,
        billed_until: latest(ends)?,
        named_until: None,
        prices: billed.iter().filter_map(|line| price(line)).collect(),
        offer: offer(
            object,
            &[
                "/subscription_details/metadata",
                "/parent/subscription_details/metadata",
            ],
        ),
        payments: payments(object),
    };

    let email = text(object, "customer_email").map(|email| (at, email));
    let id = text(object, "id").ok_or("id")?;
    Ok(observed(
        subscription,
        object,
        email,
        Seen::Invoice(id, invoice),
    ))
}

/// Whether a line bills a period of this subscription, rather than an adjustment of an earlier one,
/// or another product.
fn bills_period(line: &Value, subscription: &str) -> bool {
    // Since 2025-03-31 the parent of a line tells what it is for.
    let parent = line.pointer("/parent/subscription_item_details");
    let is_adjustment = |of: &Value| of.get("proration").and_then(Value::as_bool) == Some(true);

    // An adjustment after a change of plan bills part of a period that is paid already: its end
    // must not extend the key.
    let is_of_subscription = match parent.filter(|parent| !parent.is_null()) {
        Some(parent) => {
            !is_adjustment(parent)
                && reference(parent, "subscription").is_none_or(|id| id == subscription)
        }
        None => {
            let is_sold_beside = line
                .pointer("/parent/invoice_item_details")
                .is_some_and(|item| !item.is_null())
                || text(line, "type").is_some_and(|kind| kind != "subscription");
            !is_sold_beside && reference(line, "subscription").is_none_or(|id| id == subscription)
        }
    };

    is_of_subscription && !is_adjustment(line)
}

fn snapshot(id: &str, at: i64, object: &Value) -> Result<Content, &'static str> {
    let status = text(object, "status")
        .as_deref()
        .and_then(Status::parse)
        .ok_or("status")?;

    let items = || list(object, "/items/data");
    // A member of the subscription, or since 2025-03-31 of each of its items.
    let of_items = latest(items().map(|item| seconds(item, "current_period_end")))?;
    let period_end = seconds(object, "current_period_end")?.or(of_items);

    let ends_with_period =
        object.get("cancel_at_period_end").and_then(Value::as_bool) == Some(true);

    let snapshot = Snapshot {
        is_final: status.is_final(),
        at,
        status,
        period_end,
        cancel_at: seconds(object, "cancel_at")?.or(if ends_with_period {
            period_end
        } else {
            None
        }),
        ended_at: seconds(object, "ended_at")?,
        latest_invoice: reference(object, "latest_invoice"),
        prices: items().filter_map(price).collect(),
        offer: offer(object, &["/metadata"]),
        event: id.to_owned(),
    };

    let subscription = text(object, "id").ok_or("id")?;
    Ok(observed(
        subscription,
        object,
        None,
        Seen::Snapshot(snapshot),
    ))
}

fn observed(
    subscription: String,
    object: &Value,
    email: Option<(i64, String)>,
    seen: Seen,
) -> Content {
    let customer = reference(object, "customer");
    Content::Subscription(
        subscription,
        Box::new(Observation {
            customer,
            email,
            seen,
            event: String::new(),
        }),
    )
}

/// A refund, whole or partial: each further one is another case.
fn refund(at: Timestamp, object: &Value) -> Result<Case, &'static str> {
    let charge = text(object, "id").ok_or("id")?;
    let refunded = number(object, "amount_refunded").ok_or("amount_refunded")?;
    let detail = format!(
        "{} refunded on charge {charge}{}",
        money(object, refunded),
        payer(object)
    );
    // By the sum refunded so far: a repeated event opens no second case, a further refund does.
    let about = format!("{charge}:{refunded}");
    let case = Case::new(CaseKind::Refund, &about, detail, at);

    // Only a whole refund ends a key by itself: what a partial one means is for a person to decide.
    let is_whole = object.get("refunded").and_then(Value::as_bool) == Some(true)
        || number(object, "amount").is_some_and(|amount| amount <= refunded);
    let reversal = is_whole.then(|| {
        let mut names = payments(object);
        names.insert(charge);
        reversal(at, object, names)
    });
    Ok(Case { reversal, ..case })
}

/// A disputed payment, opened or closed.
fn dispute(at: Timestamp, object: &Value) -> Result<Case, &'static str> {
    let (id, status) = (
        text(object, "id").ok_or("id")?,
        text(object, "status").ok_or("status")?,
    );

    let amount = number(object, "amount")
        .map(|amount| money(object, amount))
        .unwrap_or_default();
    let charge = reference(object, "charge").unwrap_or_default();
    let detail = format!(
        "{amount} disputed on charge {charge}: {status}{}",
        payer(object)
    );
    let case = Case::new(CaseKind::Dispute, &format!("{id}:{status}"), detail, at);

    // The money is gone for good; while a dispute is open the customer keeps his key.
    let reversal = (status == "lost").then(|| reversal(at, object, payments(object)));
    Ok(Case { reversal, ..case })
}

/// A payment that is taken back as a whole, as it is kept with its case.
fn reversal(at: Timestamp, object: &Value, payments: BTreeSet<String>) -> String {
    let reversal = Reversal {
        at: at.as_second(),
        customer: reference(object, "customer"),
        payments,
    };
    serde_json::to_string(&reversal).unwrap_or_default()
}

/// The identifiers of the payment of an object: its charge, its payment intent, its invoice, and
/// since 2025-03-31 those of the payments of an invoice, where the event lists them.
fn payments(object: &Value) -> BTreeSet<String> {
    let own = ["charge", "payment_intent", "invoice"].map(|name| reference(object, name));
    let of_invoice = list(object, "/payments/data")
        .filter_map(|payment| payment.get("payment"))
        .flat_map(|payment| ["charge", "payment_intent"].map(|name| reference(payment, name)));
    own.into_iter().chain(of_invoice).flatten().collect()
}

/// An amount with its currency, in the smallest unit as the provider writes it.
fn money(object: &Value, amount: i64) -> String {
    let currency = text(object, "currency").unwrap_or_default().to_uppercase();
    format!("{amount} (smallest unit of {currency})")
}

fn payer(object: &Value) -> String {
    reference(object, "customer")
        .map(|customer| format!(", customer {customer}"))
        .unwrap_or_default()
}

fn offer(object: &Value, places: &[&str]) -> Offer {
    let named = |name: &str| {
        places
            .iter()
            .find_map(|place| text(object.pointer(place)?, name))
    };
    Offer {
        plan: named("plan"),
        variant: named("variant"),
    }
}

/// The price of an item or of a line.
fn price(of: &Value) -> Option<String> {
    let places = ["/price/id", "/pricing/price_details/price", "/plan/id"];
    places
        .iter()
        .find_map(|place| of.pointer(place).and_then(Value::as_str))
        .map(str::to_owned)
}

/// The identifier of another object, which may also be included as a whole.
fn reference(object: &Value, name: &str) -> Option<String> {
    let found = object.get(name)?;
    found
        .as_str()
        .map(str::to_owned)
        .or_else(|| text(found, "id"))
}

fn list<'v>(object: &'v Value, place: &str) -> impl Iterator<Item = &'v Value> {
    object
        .pointer(place)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn text(object: &Value, name: &str) -> Option<String> {
    object.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn number(object: &Value, name: &str) -> Option<i64> {
    object.get(name).and_then(Value::as_i64)
}

/// The moment of a member, which the provider writes as seconds since 1970; `None` where there is
/// none.
///
/// # Errors
/// The name of the member, if it holds something else, or a second beyond the calendar.
fn moment(object: &Value, name: &'static str) -> Result<Option<Timestamp>, &'static str> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(second) => {
            let second = second.as_i64().ok_or(name)?;
            Timestamp::from_second(second).map(Some).map_err(|_| name)
        }
    }
}

/// The same as seconds since 1970.
fn seconds(object: &Value, name: &'static str) -> Result<Option<i64>, &'static str> {
    Ok(moment(object, name)?.map(Timestamp::as_second))
}

/// The latest of several moments.
fn latest<E>(mut moments: impl Iterator<Item = Result<Option<i64>, E>>) -> Result<Option<i64>, E> {
    moments.try_fold(None, |latest, moment| Ok(latest.max(moment?)))
}
