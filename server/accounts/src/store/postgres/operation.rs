//! The audit log, and the minutes served, in a PostgreSQL database.

use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

use super::super::audit::{Action, Actor, AuditEntry, AuditLog};
use super::super::availability::{Availability, CALLS_A_FAILURE, ServedDay, ServedMinute};
use super::super::{Component, Pending, Unavailable, parameters};
use super::{Parameter, Postgres, column, moment, sent};
use crate::day::Day;

/// The columns of an entry, in the order in which it is written.
pub(super) const AUDIT_COLUMNS: &str = "at, actor, action, key, account, origin, detail";

impl AuditLog for Postgres {
    fn add_audit_entry(&self, entry: AuditEntry) -> Pending<'_, ()> {
        let columns = entry_columns(entry);
        let values = parameters(1, columns.len());
        let sql = format!("insert into audit_log ({AUDIT_COLUMNS}) values ({values})");
        self.change(sql, columns, drop)
    }

    fn audit_entries(
        &self,
        account: Option<Uuid>,
        since: Timestamp,
        most: u32,
    ) -> Pending<'_, Vec<AuditEntry>> {
        let sql = format!(
            "select {AUDIT_COLUMNS} from audit_log where at >= $1 and ($2 is null or account = $2) \
             order by at desc, id desc limit $3"
        );
        let sent = sent![since.as_second() => INT8, account => UUID, i64::from(most) => INT8];
        self.rows(Component::Reader, sql, sent, read_entry)
    }
}

/// An entry in the types of the database, in the order of the columns.
pub(super) fn entry_columns(entry: AuditEntry) -> Vec<Parameter> {
    sent![
        entry.at.as_second() => INT8,
        entry.actor.name() => TEXT,
        entry.action.name() => TEXT,
        entry.key => UUID,
        entry.account => UUID,
        entry.origin => TEXT,
        entry.detail => TEXT,
    ]
}

fn read_entry(row: &Row) -> Result<AuditEntry, Unavailable> {
    let unknown = |name: &str, text: &str| Unavailable(format!("{name} `{text}` of the audit log"));
    let (actor, action): (String, String) = (column(row, "actor")?, column(row, "action")?);

    Ok(AuditEntry {
        at: moment(row, "at")?.unwrap_or_default(),
        actor: Actor::find(&actor).ok_or_else(|| unknown("actor", &actor))?,
        action: Action::find(&action).ok_or_else(|| unknown("action", &action))?,
        key: column(row, "key")?,
        account: column(row, "account")?,
        origin: column(row, "origin")?,
        detail: column(row, "detail")?,
    })
}

impl Availability for Postgres {
    fn add_minute(&self, minute: ServedMinute) -> Pending<'_, ()> {
        let sql = "insert into served_minutes as known (day, minute, calls, failed) values ($1, \
                   $2, $3, $4) \
                   on conflict (day, minute) do update \
                   set calls = known.calls + excluded.calls, failed = known.failed + \
                   excluded.failed";
        let sent = sent![
            minute.day.0 => INT4,
            i32::from(minute.minute) => INT4,
            minute.calls => INT8,
            minute.failed => INT8,
        ];
        self.change(sql, sent, drop)
    }

    fn served_days(&self, since: Day) -> Pending<'_, Vec<ServedDay>> {
        let sql = "select day, min(minute) as first, sum(calls)::bigint as calls, \
                   sum(failed)::bigint as failed, \
                   count(*) filter (where failed = 0 or failed * $2 < calls) as minutes \
                   from served_minutes where day >= $1 group by day order by day";
        let sent = sent![since.0 => INT4, CALLS_A_FAILURE => INT8];
        self.rows(Component::Reader, sql, sent, |row| {
            Ok(ServedDay {
                day: Day(column(row, "day")?),
                first: u16::try_from(column::<i32>(row, "first")?).unwrap_or_default(),
                minutes: u16::try_from(column::<i64>(row, "minutes")?).unwrap_or(u16::MAX),
                calls: column(row, "calls")?,
                failed: column(row, "failed")?,
            })
        })
    }
}
