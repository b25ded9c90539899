//! A key as a row of a PostgreSQL database.

use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use super::super::publications::Columns;
use super::super::{Delivery, Record, Unavailable};
use super::{Parameter, bytes, column, sent};
use crate::key::Digest;

/// A key in the types of the database, in the order of [`KEY_COLUMNS`](super::super::KEY_COLUMNS).
pub(super) fn columns(record: Record) -> Vec<Parameter> {
    let second = |moment: Option<Timestamp>| moment.map(Timestamp::as_second);
    let page = Columns::new(record.publication.as_ref());
    sent![
        record.id => UUID,
        record.account => UUID,
        record.digest.0.to_vec() => BYTEA,
        record.last_four => TEXT,
        record.variant => TEXT,
        record.plan => TEXT,
        record.email => TEXT,
        record.created.as_second() => INT8,
        second(record.expires) => INT8,
        second(record.revoked) => INT8,
        record.subscription => TEXT,
        record.renews => BOOL,
        record.noticed.map(i32::from) => INT4,
        record.delivery.name() => TEXT,
        i32::try_from(record.attempts).unwrap_or(i32::MAX) => INT4,
        second(record.attempt_at) => INT8,
        page.label => TEXT,
        page.origins => TEXT,
        page.calls => INT8,
    ]
}

/// The moment in a column.
pub(super) fn moment(row: &Row, name: &str) -> Result<Option<Timestamp>, Unavailable> {
    let seconds: Option<i64> = column(row, name)?;
    seconds
        .map(Timestamp::from_second)
        .transpose()
        .map_err(|error| Unavailable(error.to_string()))
}

/// The key of a row.
pub(super) fn read(row: &Row) -> Result<Record, Unavailable> {
    let moment = |name| moment(row, name);
    Ok(Record {
        id: column(row, "id")?,
        account: column(row, "account")?,
        digest: Digest(bytes(column(row, "digest")?)?),
        last_four: column(row, "last_four")?,
        variant: column(row, "variant")?,
        plan: column(row, "plan")?,
        email: column(row, "email")?,
        created: moment("created")?.unwrap_or_default(),
        expires: moment("expires")?,
        revoked: moment("revoked")?,
        subscription: column(row, "subscription")?,
        renews: column(row, "renews")?,
        noticed: column::<Option<i32>>(row, "noticed")?.and_then(|days| u16::try_from(days).ok()),
        delivery: delivery(&column::<String>(row, "delivery")?)?,
        attempts: u32::try_from(column::<i32>(row, "attempts")?).unwrap_or_default(),
        attempt_at: moment("attempt_at")?,
        publication: Columns {
            label: column(row, "page_label")?,
            origins: column(row, "page_origins")?,
            calls: column(row, "page_calls")?,
        }
        .read(),
    })
}

fn delivery(name: &str) -> Result<Delivery, Unavailable> {
    Delivery::find(name).ok_or_else(|| Unavailable(format!("a key in the state `{name}`")))
}
