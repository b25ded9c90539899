//! A key as a row of an SQLite file.

use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Connection, Row, params};
use uuid::Uuid;

use super::super::publications::Columns;
use super::super::{Delivery, Record};
use crate::key::Digest;

/// Writes a key by a statement that takes all of its columns.
pub(super) fn write_key(
    connection: &Connection,
    statement: &str,
    record: &Record,
) -> rusqlite::Result<()> {
    let page = Columns::new(record.publication.as_ref());
    let row = params![
        record.id.to_string(),
        record.account.to_string(),
        record.digest.0,
        record.last_four,
        record.variant,
        record.plan,
        record.email,
        record.created.as_second(),
        record.expires.map(Timestamp::as_second),
        record.revoked.map(Timestamp::as_second),
        record.subscription,
        record.renews,
        record.noticed,
        record.delivery.name(),
        record.attempts,
        record.attempt_at.map(Timestamp::as_second),
        page.label,
        page.origins,
        page.calls,
    ];
    connection.execute(statement, row).map(drop)
}

/// The moment in a column.
pub(super) fn moment(row: &Row<'_>, name: &str) -> rusqlite::Result<Option<Timestamp>> {
    let seconds: Option<i64> = row.get(name)?;
    let wrong =
        |error| rusqlite::Error::FromSqlConversionFailure(0, Type::Integer, Box::new(error));
    seconds
        .map(Timestamp::from_second)
        .transpose()
        .map_err(wrong)
}

/// The id in a column.
pub(super) fn uuid(row: &Row<'_>, name: &str) -> rusqlite::Result<Uuid> {
    let text: String = row.get(name)?;
    let wrong = |error| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(error));
    Uuid::parse_str(&text).map_err(wrong)
}

/// The key of a row.
pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Record> {
    let moment = |name: &str| moment(row, name);
    Ok(Record {
        id: uuid(row, "id")?,
        account: uuid(row, "account")?,
        digest: Digest(row.get("digest")?),
        last_four: row.get("last_four")?,
        variant: row.get("variant")?,
        plan: row.get("plan")?,
        email: row.get("email")?,
        created: moment("created")?.unwrap_or_default(),
        expires: moment("expires")?,
        revoked: moment("revoked")?,
        subscription: row.get("subscription")?,
        renews: row.get("renews")?,
        noticed: row.get("noticed")?,
        delivery: delivery(row.get("delivery")?)?,
        attempts: row.get("attempts")?,
        attempt_at: moment("attempt_at")?,
        publication: Columns {
            label: row.get("page_label")?,
            origins: row.get("page_origins")?,
            calls: row.get("page_calls")?,
        }
        .read(),
    })
}

fn delivery(name: String) -> rusqlite::Result<Delivery> {
    let unknown = || {
        rusqlite::Error::FromSqlConversionFailure(
            0,
            Type::Text,
            format!("delivery `{name}`").into(),
        )
    };
    Delivery::find(&name).ok_or_else(unknown)
}
