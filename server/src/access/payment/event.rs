//! An event of the payment provider, in Stripe's format, brought down to what it means for a key.

use jiff::Timestamp;
use serde_json::Value;

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// Its identifier: an event may be delivered several times.
    pub id: String,
    /// Its type, `invoice.paid`.
    pub kind: String,
    /// What it means; nothing if it is of no concern here.
    pub meaning: Option<Meaning>,
}

/// What an event means for the keys of a subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Meaning {
    /// The subscription, or the purchase if it is paid once.
    pub subscription: String,
    /// What happened to it.
    pub change: SubscriptionChange,
    /// What the event says of the plan.
    pub offer: Offer,
    /// E-mail address of whoever pays.
    pub email: Option<String>,
}

/// What happened to a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SubscriptionChange {
    /// It was bought; `renews` is false for what is paid once.
    Bought {
        /// Whether the provider renews it by itself.
        renews: bool,
    },
    /// It is paid up to a moment.
    Paid {
        /// End of the period that is paid.
        until: Option<Timestamp>,
    },
    /// Its plan changed, or whether it will be renewed.
    Updated {
        /// When it will end instead of being renewed.
        ends: Option<Timestamp>,
        /// End of the current period.
        until: Option<Timestamp>,
    },
    /// It ended.
    Ended,
}

/// What an event says of the plan: our names in its metadata, or the prices that were paid.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Offer {
    /// `variant` of the metadata.
    pub variant: Option<String>,
    /// `plan` of the metadata.
    pub plan: Option<String>,
    /// Identifiers of the prices.
    pub prices: Vec<String>,
}

impl Event {
    /// Reads an event.
    ///
    /// # Errors
    /// What is missing or written in another way, in English for the operator.
    pub(crate) fn read(body: &[u8]) -> Result<Self, String> {
        let event: Value = serde_json::from_slice(body).map_err(|error| format!("not JSON: {error}"))?;
        let text = |name: &str| text(&event, name).ok_or_else(|| format!("no `{name}`"));
        let (id, kind) = (text("id")?, text("type")?);
        let object = event.pointer("/data/object").ok_or("no `data.object`")?;
        let meaning = meaning(&kind, object).map_err(|missing| format!("{kind} without `{missing}`"))?;
        Ok(Self { id, kind, meaning })
    }
}

fn meaning(kind: &str, object: &Value) -> Result<Option<Meaning>, &'static str> {
    let id = || text(object, "id").ok_or("id");
    let (subscription, change) = match kind {
        "checkout.session.completed" | "checkout.session.async_payment_succeeded" => {
            // Paid by transfer or the like: another event says when.
            if text(object, "payment_status").as_deref() == Some("unpaid") {
                return Ok(None);
            }
            match subscription_of(object) {
                Some(subscription) => (subscription, SubscriptionChange::Bought { renews: true }),
                None => (id()?, SubscriptionChange::Bought { renews: false }),
            }
        }
        // An invoice may be of no subscription.
        "invoice.paid" => match subscription_of(object) {
            Some(subscription) => (subscription, SubscriptionChange::Paid { until: end_of_lines(object) }),
            None => return Ok(None),
        },
        "customer.subscription.updated" => match text(object, "status").as_deref() {
            Some("canceled" | "unpaid" | "incomplete_expired") => (id()?, SubscriptionChange::Ended),
            // Of what is late the provider asks again: the key goes on until it gives up.
            Some("active" | "trialing" | "past_due") => (id()?, updated(object)),
            _ => return Ok(None),
        },
        "customer.subscription.deleted" => (id()?, SubscriptionChange::Ended),
        _ => return Ok(None),
    };
    let email = object.pointer("/customer_details/email").and_then(Value::as_str).map(str::to_owned);
    let email = email.or_else(|| text(object, "customer_email"));
    Ok(Some(Meaning { subscription, change, offer: offer(object), email }))
}

fn updated(object: &Value) -> SubscriptionChange {
    let item = |value: &Value| moment(value, "current_period_end");
    let items = object.pointer("/items/data").and_then(Value::as_array);
    // Of the subscription, or since the version of 2025-03-31 of each of its items.
    let until = item(object).or_else(|| items.into_iter().flatten().filter_map(item).max());
    let at_end = object.get("cancel_at_period_end").and_then(Value::as_bool) == Some(true);
    let ends = moment(object, "cancel_at").or(until.filter(|_| at_end));
    SubscriptionChange::Updated { ends, until }
}

/// The subscription of a session or of an invoice.
fn subscription_of(object: &Value) -> Option<String> {
    let parent = || object.pointer("/parent/subscription_details/subscription").and_then(Value::as_str);
    text(object, "subscription").or_else(|| parent().map(str::to_owned))
}

fn lines(object: &Value) -> impl Iterator<Item = &Value> {
    object.pointer("/lines/data").and_then(Value::as_array).into_iter().flatten()
}

fn end_of_lines(object: &Value) -> Option<Timestamp> {
    lines(object).filter_map(|line| moment(line.get("period")?, "end")).max()
}

fn offer(object: &Value) -> Offer {
    let places = ["/metadata", "/subscription_details/metadata", "/parent/subscription_details/metadata"];
    let metadata = |name: &str| places.iter().find_map(|place| text(object.pointer(place)?, name));
    let items = object.pointer("/items/data").and_then(Value::as_array).into_iter().flatten();
    let price = |of: &Value| {
        let found = ["/price/id", "/pricing/price_details/price", "/plan/id"];
        found.iter().find_map(|place| of.pointer(place).and_then(Value::as_str)).map(str::to_owned)
    };
    Offer {
        variant: metadata("variant"),
        plan: metadata("plan"),
        prices: items.chain(lines(object)).filter_map(price).collect(),
    }
}

fn text(object: &Value, name: &str) -> Option<String> {
    object.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn moment(object: &Value, name: &str) -> Option<Timestamp> {
    object.get(name).and_then(Value::as_i64).and_then(|seconds| Timestamp::from_second(seconds).ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(kind: &str, object: Value) -> Option<Meaning> {
        let event = json!({"id": "evt_1", "object": "event", "type": kind, "data": {"object": object}});
        Event::read(event.to_string().as_bytes()).unwrap().meaning
    }

    #[test]
    fn what_is_no_event_is_refused_by_what_is_missing() {
        for (body, missing) in [
            ("{", "not JSON"),
            ("{}", "no `id`"),
            (r#"{"id":"evt_1"}"#, "no `type`"),
            (r#"{"id":"evt_1","type":"invoice.paid"}"#, "no `data.object`"),
            (
                r#"{"id":"evt_1","type":"customer.subscription.deleted","data":{"object":{}}}"#,
                "customer.subscription.deleted without `id`",
            ),
        ] {
            let refused = Event::read(body.as_bytes()).unwrap_err();
            assert!(refused.contains(missing), "{refused}");
        }
    }

    #[test]
    fn both_forms_of_an_invoice_are_read() {
        let until = Timestamp::from_second(1_830_000_000).unwrap();
        let before = json!({"id": "in_1", "subscription": "sub_1", "customer_email": "claire@example.org",
            "lines": {"data": [{"period": {"end": 1_830_000_000}, "price": {"id": "price_1"}}, {"period": {"end": 5}}]}});
        let since = json!({"id": "in_1", "parent": {"subscription_details": {"subscription": "sub_1"}},
            "customer_email": "claire@example.org", "lines": {"data": [{"period": {"end": 1_830_000_000},
            "pricing": {"price_details": {"price": "price_1"}}}]}});
        for invoice in [before, since] {
            let meaning = read("invoice.paid", invoice).unwrap();
            assert_eq!(meaning.subscription, "sub_1");
            assert_eq!(meaning.change, SubscriptionChange::Paid { until: Some(until) });
            assert_eq!(meaning.offer.prices, ["price_1"]);
        }
        assert_eq!(read("invoice.paid", json!({"id": "in_1", "lines": {"data": []}})), None, "of no subscription");
    }

    #[test]
    fn a_subscription_ends_when_the_provider_gives_up_or_is_told_so() {
        let with = |status: &str, more: &str| {
            let object = format!(r#"{{"id": "sub_1", "status": "{status}", "current_period_end": 100 {more}}}"#);
            read("customer.subscription.updated", serde_json::from_str(&object).unwrap()).map(|meaning| meaning.change)
        };
        let end = Timestamp::from_second(100).ok();
        assert_eq!(with("active", ""), Some(SubscriptionChange::Updated { ends: None, until: end }));
        let cancelled = Some(SubscriptionChange::Updated { ends: end, until: end });
        assert_eq!(with("active", r#", "cancel_at_period_end": true"#), cancelled);
        assert_eq!(with("past_due", r#", "cancel_at": 100"#), cancelled);
        for status in ["canceled", "unpaid", "incomplete_expired"] {
            assert_eq!(with(status, ""), Some(SubscriptionChange::Ended));
        }
        assert_eq!(with("incomplete", ""), None);
    }

    #[test]
    fn what_is_not_paid_yet_or_of_no_concern_means_nothing() {
        let session = |status: &str| {
            json!({"id": "cs_1", "payment_status": status, "subscription": null,
            "customer_details": {"email": "claire@example.org"}, "metadata": {"variant": "a", "plan": "pro"}})
        };
        assert_eq!(read("checkout.session.completed", session("unpaid")), None);
        let bought = read("checkout.session.completed", session("paid")).unwrap();
        assert_eq!((bought.subscription.as_str(), bought.email.as_deref()), ("cs_1", Some("claire@example.org")));
        assert_eq!(bought.change, SubscriptionChange::Bought { renews: false }, "paid once");
        assert_eq!(bought.offer.plan.as_deref(), Some("pro"));
        assert_eq!(read("charge.refunded", json!({"id": "ch_1"})), None);
    }
}
