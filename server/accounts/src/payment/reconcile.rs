//! Comparison of the payment provider's export of subscriptions with the keys.

use std::path::Path;

use bareme_engine::service::Service;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::facts::Status;
use super::standing::{DUNNING, GRACE};
use crate::issue::plan_of_price;
use crate::store::Record;

/// Greatest difference between the end of a key and that in the export, whose times have no
/// seconds.
const TOLERANCE: SignedDuration = SignedDuration::from_mins(2);

/// A subscription in the export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Exported {
    id: String,
    status: Status,
    price: Option<String>,
    period_end: Option<Timestamp>,
    ended: Option<Timestamp>,
    ends_with_period: bool,
}

/// A difference between the provider and the keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    subscription: String,
    key: Option<String>,
    what: String,
}

impl Difference {
    pub(crate) fn line(&self) -> String {
        let key = self
            .key
            .as_ref()
            .map(|key| format!(" (key {key})"))
            .unwrap_or_default();
        format!("{}{key}: {}\n", self.subscription, self.what)
    }

    pub(crate) fn as_json(&self) -> Value {
        json!({"subscription": self.subscription, "key": self.key, "difference": self.what})
    }
}

/// Parses an export.
///
/// # Errors
/// The mistake, with its line: no row is skipped.
pub(crate) fn read(path: &Path) -> Result<Vec<Exported>, String> {
    let named = |error: &dyn std::fmt::Display| format!("`{}`: {error}", path.display());
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_path(path)
        .map_err(|error| named(&error))?;
    let headers = reader.headers().map_err(|error| named(&error))?.clone();
    // The first header may start with a byte order mark, as spreadsheets write it.
    let is_named = |header: &str, name: &str| {
        header
            .trim_start_matches('\u{feff}')
            .eq_ignore_ascii_case(name)
    };

    let column = |name: &str| headers.iter().position(|header| is_named(header, name));
    let needed = |name: &str| column(name).ok_or_else(|| named(&format!("no column `{name}`")));
    let (id, status) = (needed("id")?, needed("Status")?);
    let price = needed("Plan")?;
    let (period_end, ended) = (column("Current Period End (UTC)"), column("Ended At (UTC)"));
    let ends_with_period = column("Cancel At Period End");

    let mut exported = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| named(&error))?;
        let line = row.position().map_or(0, csv::Position::line);

        let cell = |column: Option<usize>| {
            column
                .and_then(|column| row.get(column))
                .filter(|cell| !cell.is_empty())
        };
        let wrong = |what: &str, found: &str| named(&format!("line {line}: {what} `{found}`"));
        let moment = |column| {
            cell(column)
                .map(|text| moment(text).ok_or_else(|| wrong("no date", text)))
                .transpose()
        };

        let status = cell(Some(status)).unwrap_or_default();
        exported.push(Exported {
            id: cell(Some(id))
                .ok_or_else(|| wrong("no subscription", ""))?
                .to_owned(),
            status: Status::parse(status).ok_or_else(|| wrong("unknown status", status))?,
            price: cell(Some(price)).map(str::to_owned),
            period_end: moment(period_end)?,
            ended: moment(ended)?,
            ends_with_period: cell(ends_with_period)
                .is_some_and(|cell| cell.eq_ignore_ascii_case("true")),
        });
    }

    // Without rows every key would look as if its subscription were missing: it is more likely the
    // wrong file.
    if exported.is_empty() {
        Err(named(&"no subscription is in it"))
    } else {
        Ok(exported)
    }
}

/// Parses a moment of the export, `2026-11-20 10:30`, UTC.
fn moment(text: &str) -> Option<Timestamp> {
    let moment: DateTime = text
        .parse()
        .or_else(|_| format!("{text}:00").parse())
        .ok()?;
    moment
        .to_zoned(TimeZone::UTC)
        .ok()
        .map(|zoned| zoned.timestamp())
}

/// Every difference: first by subscription of the export, then the keys without one.
pub(crate) fn compare(
    exported: &[Exported],
    keys: &[Record],
    service: &Service,
    now: Timestamp,
) -> Vec<Difference> {
    let mut found = Vec::new();
    for subscription in exported {
        // Of several keys of an account the newest counts: all have the same terms.
        let key = keys
            .iter()
            .rev()
            .find(|key| key.subscription.as_ref() == Some(&subscription.id));
        let mut differ = |what: String| {
            let key = key.map(|key| key.id.to_string());
            found.push(Difference {
                subscription: subscription.id.clone(),
                key,
                what,
            });
        };

        let plan = subscription
            .price
            .as_ref()
            .and_then(|price| plan_of_price(service, price));

        let Some(key) = key else {
            if subscription.is_running() {
                differ(
                    "it is running, and there is no key: send its last events again, or `keys \
                        issue`"
                        .to_owned(),
                );
            }
            continue;
        };

        match (plan, &subscription.price) {
            (Some((variant, plan)), _)
                if (&variant.name, &plan.name) != (&key.variant, &key.plan) =>
            {
                let variant = &variant.name;
                differ(format!(
                    "it pays for {variant} {}, the key has {} {}",
                    plan.name, key.variant, key.plan
                ));
            }
            (None, Some(price)) if subscription.is_running() => {
                differ(format!("no plan has the price `{price}`"))
            }
            _ => {}
        }
        compare_ends(subscription, key, now, &mut differ);
    }

    // The reverse direction: keys that work although the provider does not know of them.
    let is_paid = |key: &&Record| key.renews && key.is_valid(now);
    for key in keys.iter().filter(is_paid) {
        // A key that was issued by hand is not expected in the export.
        let Some(id) = &key.subscription else {
            continue;
        };
        if exported.iter().all(|subscription| subscription.id != *id) {
            let what = "the key is good, and the export does not have its subscription".to_owned();
            found.push(Difference {
                subscription: id.clone(),
                key: Some(key.id.to_string()),
                what,
            });
        }
    }
    found
}

fn compare_ends(
    subscription: &Exported,
    key: &Record,
    now: Timestamp,
    differ: &mut impl FnMut(String),
) {
    match (subscription.is_running(), key.is_valid(now)) {
        (true, false) => differ(format!("it is running, and the key {}", ended(key, now))),
        (false, true) => differ("it has ended or is unpaid, and the key is good".to_owned()),
        (true, true) => {
            if key.renews == subscription.ends_with_period {
                let state = if subscription.ends_with_period {
                    "was cancelled"
                } else {
                    "will be renewed"
                };
                differ(format!("it {state}, and the key says otherwise"));
            }
            let (Some(period_end), Some(expires)) = (subscription.period_end, key.expires) else {
                return;
            };

            let grace = match subscription.status {
                _ if subscription.ends_with_period => SignedDuration::ZERO,
                // Paid up to the end of the period before, which the export does not have.
                Status::PastDue => DUNNING,
                _ => GRACE,
            };

            let expected = period_end.checked_add(grace).unwrap_or(period_end);
            let is_different = expires.duration_since(expected).abs() > TOLERANCE;
            // Of a late payment the paid period is not in the export: its key may end earlier than
            // this bound, never later.
            if is_different && subscription.status != Status::PastDue {
                differ(format!("its period ends {period_end}, the key {expires}"));
            } else if expires > expected {
                differ(format!(
                    "its payment is late, and the key is good until {expires}"
                ));
            }
        }
        (false, false) => {}
    }

    // The end of the subscription is checked as well: a key must not outlive it.
    if let (Some(at), Some(expires)) = (subscription.ended, key.expires)
        && expires.duration_since(at) > TOLERANCE
        && key.is_valid(now)
    {
        differ(format!("it ended {at}, the key ends {expires}"));
    }
}

fn ended(key: &Record, now: Timestamp) -> &'static str {
    if key.revoked.is_some_and(|revoked| revoked <= now) {
        "was revoked"
    } else {
        "has expired"
    }
}

impl Exported {
    /// Whether its key should be valid.
    fn is_running(&self) -> bool {
        matches!(
            self.status,
            Status::Active | Status::Trialing | Status::PastDue
        )
    }
}
