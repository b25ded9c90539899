//! Formats of keys: text for a person, JSON for a program.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::day::Moment;
use crate::publishable::Origin;
use crate::store::audit::AuditEntry;
use crate::store::{Delivery, Record, Store, USAGE_DAYS, Unavailable};

/// One key, with since when its owner is written to about corrections, and the calls of its account,
/// or of a publishable key itself, that were answered, today and by day. A running service reports
/// them with a delay of a second.
pub(super) async fn with_usage(
    store: &dyn Store,
    record: &Record,
    now: Timestamp,
) -> Result<Value, Unavailable> {
    let today = Moment::new(now.into()).day;
    let counted = match record.publication {
        Some(_) => record.id,
        None => record.account,
    };
    let usage = store.usage(counted, today.minus(USAGE_DAYS)).await?;
    // The last entry is of today only if calls were answered today: days without any are left out.
    let calls_today = usage
        .last()
        .filter(|(day, _)| *day == today)
        .map_or(0, |(_, calls)| *calls);

    let by_day: Map<String, Value> = usage
        .into_iter()
        .map(|(day, calls)| (day.date().to_string(), calls.into()))
        .collect();

    let corrections = store.correction_reader(record.account).await?;
    let mut shown = as_json(record, now);
    if let Some(members) = shown.as_object_mut() {
        let since = corrections.map(|since| since.to_string());
        members.insert("corrections_since".to_owned(), since.into());
        members.insert("calls_today".to_owned(), calls_today.into());
        members.insert("calls_by_day".to_owned(), by_day.into());
    }
    Ok(shown)
}

fn state(record: &Record, now: Timestamp) -> &'static str {
    match record {
        _ if record.is_valid(now) => match record.delivery {
            // Valid, but nobody has it yet: an operator who is asked about it has to know that.
            Delivery::Due | Delivery::Sending => "to deliver",
            _ => "good",
        },
        Record {
            revoked: Some(revoked),
            ..
        } if *revoked <= now => "revoked",
        _ => "expired",
    }
}

/// Who may read a key: its owner, or anybody who reads the source of his pages.
fn kind(record: &Record) -> &'static str {
    match record.publication {
        Some(_) => "publishable",
        None => "secret",
    }
}

pub(super) fn as_json(record: &Record, now: Timestamp) -> Value {
    let moment = |moment: Option<Timestamp>| moment.map(|moment| moment.to_string());
    let page = record.publication.as_ref();
    let origins = page.map(|page| page.origins.iter().map(Origin::as_str).collect::<Vec<_>>());
    json!({
        "id": record.id.to_string(),
        "variant": record.variant,
        "plan": record.plan,
        "key": format!("…{}", record.last_four),
        "email": record.email,
        "state": state(record, now),
        "created": record.created.to_string(),
        "expires": moment(record.expires),
        "revoked": moment(record.revoked),
        "account": record.account.to_string(),
        "subscription": record.subscription,
        "renews": record.renews,
        "delivery": record.delivery.name(),
        "attempts": record.attempts,
        "next_attempt": moment(record.attempt_at),
        "kind": kind(record),
        "label": page.map(|page| &page.label),
        "origins": origins,
        "calls_per_day": page.and_then(|page| page.calls_per_day),
    })
}

pub(super) fn table(records: &[Record], now: Timestamp) -> String {
    let date = |moment: Option<Timestamp>| {
        moment.map_or_else(|| "-".to_owned(), |at| at.strftime("%Y-%m-%d").to_string())
    };
    let header = ["ID", "PLAN", "KEY", "STATE", "CREATED", "EXPIRES", "EMAIL"].map(str::to_owned);
    let row = |record: &Record| {
        [
            record.id.to_string(),
            format!("{} {}", record.variant, record.plan),
            match record.publication {
                Some(_) => format!("pub_…{}", record.last_four),
                None => format!("…{}", record.last_four),
            },
            state(record, now).to_owned(),
            date(Some(record.created)),
            date(record.expires),
            record.email.clone(),
        ]
    };

    let rows: Vec<[String; 7]> = std::iter::once(header)
        .chain(records.iter().map(row))
        .collect();
    aligned(&rows)
}

/// The entries of the audit log, for a person.
pub(super) fn audit_table(entries: &[AuditEntry]) -> String {
    let header = ["AT", "ACTION", "KEY", "BY", "FROM", "DETAIL"].map(str::to_owned);
    let row = |entry: &AuditEntry| {
        [
            entry.at.to_string(),
            entry.action.name().to_owned(),
            entry.key.to_string(),
            entry.actor.name().to_owned(),
            entry.origin.clone(),
            entry.detail.clone(),
        ]
    };
    let rows: Vec<[String; 6]> = std::iter::once(header)
        .chain(entries.iter().map(row))
        .collect();
    aligned(&rows)
}

/// An entry of the audit log, for a program.
pub(super) fn entry_as_json(entry: &AuditEntry) -> Value {
    json!({
        "at": entry.at.to_string(),
        "action": entry.action.name(),
        "key": entry.key.to_string(),
        "account": entry.account.to_string(),
        "by": entry.actor.name(),
        "from": entry.origin,
        "detail": entry.detail,
    })
}

/// Rows of a table, each column as wide as its widest cell.
fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }

    let line = |row: &[String; N]| {
        let cells: Vec<String> = row
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

pub(super) fn lines(value: &Value) -> String {
    let line = |(name, value): (&String, &Value)| match value {
        Value::Null => format!("{name:12} -\n"),
        Value::String(text) => format!("{name:12} {text}\n"),
        Value::Object(days) => {
            let day = |(day, calls): (&String, &Value)| format!("  {day}   {calls:>8}\n");
            format!("{name}\n{}", days.iter().map(day).collect::<String>())
        }
        Value::Array(texts) => {
            let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
            format!("{name:12} {}\n", texts.join(" "))
        }
        other => format!("{name:12} {other}\n"),
    };
    value.as_object().into_iter().flatten().map(line).collect()
}

pub(super) fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
