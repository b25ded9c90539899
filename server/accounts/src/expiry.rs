//! Announcement of the end of a key: in its answers, and to its owner by e-mail, 30 and 7 days
//! before.
//!
//! A key renewed by a subscription has no end to announce, nor does one that only ends when unused.

use bareme_engine::service::{Plan, Service, Variant};
use jiff::{SignedDuration, Timestamp};

use super::store::{Delivery, Record};

/// Days before the end of a key at which an e-mail is sent to its owner.
// A month leaves time for an order in a company, a week is a last reminder.
const NOTICE_DAYS: [u16; 2] = [30, 7];

/// Days before the end from which answers announce it.
pub const ANNOUNCED_DAYS: u16 = 30;

/// The duration of a number of days of 24 hours.
pub fn days(count: u16) -> SignedDuration {
    SignedDuration::from_hours(i64::from(count) * 24)
}

/// The end of a key that its owner must do something about; `None` if there is none.
fn end(record: &Record, plan: &Plan) -> Option<Timestamp> {
    // plan.unused_days.is_some() { || A call postpones the end of such a key, or the next payment
    // does: an announcement would only alarm its owner.
    if record.renews || plan.unused_days.is_some() {
        None
    } else {
        record.expires
    }
}

/// The end of a key, once it is to be announced.
pub(crate) fn announced_end(record: &Record, plan: &Plan, now: Timestamp) -> Option<Timestamp> {
    end(record, plan).filter(|end| end.duration_since(now) <= days(ANNOUNCED_DAYS))
}

/// The e-mail that is due, by its days before the end. A key that lives less than twice those days
/// gets none.
pub fn due_notice(record: &Record, plan: &Plan, now: Timestamp) -> Option<u16> {
    // A key that may not have arrived has a second one beside it, which is announced instead.
    let is_owned = matches!(record.delivery, Delivery::Direct | Delivery::Delivered)
        && !record.email.is_empty();
    // A publishable key ends with the terms of its account, which its owner is written to about.
    if record.revoked.is_some() || record.publication.is_some() || !is_owned {
        return None;
    }

    let end = end(record, plan)?;
    let (left, life) = (end.duration_since(now), end.duration_since(record.created));
    let reached = |notice: &u16| left <= days(*notice) && life >= days(2 * *notice);

    // The smallest that is reached: after an outage of the mail server one e-mail is sent, not two
    // at once.
    NOTICE_DAYS
        .into_iter()
        .filter(reached)
        .min()
        .filter(|notice| record.noticed.is_none_or(|sent| sent > *notice))
}

/// The variant and the plan of a key, if they are still offered.
pub fn plan_of<'s>(service: &'s Service, record: &Record) -> Option<(&'s Variant, &'s Plan)> {
    let variant = service
        .variants
        .iter()
        .find(|variant| variant.name == record.variant)?;
    variant
        .plans
        .iter()
        .find(|plan| plan.name == record.plan)
        .map(|plan| (variant, plan))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing;

    fn plan(unused_days: Option<u32>) -> Plan {
        Plan {
            name: "pro".to_owned(),
            title: "Pro".to_owned(),
            valid_days: Some(365),
            unused_days,
            ..Plan::default()
        }
    }

    fn at(day: i64) -> Timestamp {
        Timestamp::from_second(day * 86_400).unwrap()
    }

    fn record(life: i64) -> Record {
        Record {
            plan: "pro".to_owned(),
            expires: Some(at(life)),
            ..testing::record()
        }
    }

    #[test]
    fn a_key_is_announced_to_end_thirty_and_seven_days_before() {
        let (plan, year) = (plan(None), record(365));
        let due_on = |record: &Record, day| due_notice(record, &plan, at(day));
        assert_eq!(
            [334, 335, 357, 358].map(|day| due_on(&year, day)),
            [None, Some(30), Some(30), Some(7)]
        );
        assert_eq!(
            [13, 14].map(|life| due_on(&record(life), 7)),
            [None, Some(7)],
            "half of its life is left"
        );
        assert_eq!(
            [59, 60].map(|life| due_on(&record(life), 30)),
            [None, Some(30)]
        );
        let notified = Record {
            noticed: Some(30),
            ..year.clone()
        };
        assert_eq!(
            [340, 358].map(|day| due_on(&notified, day)),
            [None, Some(7)]
        );
        assert_eq!(
            due_on(
                &Record {
                    noticed: Some(7),
                    ..year.clone()
                },
                360
            ),
            None
        );
        assert_eq!(
            [1, 24].map(|day| due_on(&record(31), day)),
            [None, Some(7)],
            "a month is no year"
        );
        for silent in [
            Record {
                renews: true,
                ..year.clone()
            },
            Record {
                email: String::new(),
                ..year.clone()
            },
            Record {
                delivery: Delivery::Unsure,
                ..year.clone()
            },
            Record {
                revoked: Some(at(362)),
                ..year.clone()
            },
            Record {
                expires: None,
                ..year.clone()
            },
        ] {
            assert_eq!(due_on(&silent, 360), None, "{silent:?}");
        }
        assert_eq!(
            (
                announced_end(&year, &plan, at(334)),
                announced_end(&year, &plan, at(335))
            ),
            (None, Some(at(365)))
        );
        assert_eq!(
            announced_end(
                &Record {
                    renews: true,
                    ..year.clone()
                },
                &plan,
                at(360)
            ),
            None
        );
        assert_eq!(
            announced_end(&year, &super::tests::plan(Some(180)), at(360)),
            None,
            "a call postpones it"
        );
    }

    #[test]
    fn the_plan_of_a_key_is_that_of_its_variant_while_it_is_offered() {
        let plan = |name: &str, title: &str| Plan {
            name: name.to_owned(),
            title: title.to_owned(),
            ..Plan::default()
        };
        let variant = |name: &str, plans| Variant {
            name: name.to_owned(),
            plans,
            ..Variant::default()
        };
        let variants = vec![
            variant("a", vec![plan("free", "A 1"), plan("pro", "A 2")]),
            variant("b", vec![plan("free", "B 1"), plan("max", "B 2")]),
        ];
        let service = Service {
            variants,
            ..Service::default()
        };
        for (variant, plan, title) in [
            ("a", "pro", Some("A 2")),
            ("b", "free", Some("B 1")),
            ("a", "max", None),
            ("c", "free", None),
        ] {
            let record = Record {
                variant: variant.to_owned(),
                plan: plan.to_owned(),
                ..testing::record()
            };
            let found = plan_of(&service, &record);
            assert_eq!(
                found.map(|(variant, plan)| (variant.name.as_str(), plan.title.as_str())),
                title.map(|title| (variant, title))
            );
        }
    }
}
