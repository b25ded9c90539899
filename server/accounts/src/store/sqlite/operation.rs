//! The audit log, and the minutes served, in an SQLite file.

use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Connection, Row, params};
use uuid::Uuid;

use super::super::Pending;
use super::super::audit::{Action, Actor, AuditEntry, AuditLog};
use super::super::availability::{Availability, CALLS_A_FAILURE, ServedDay, ServedMinute};
use super::{Sqlite, moment, uuid};
use crate::day::Day;

impl AuditLog for Sqlite {
    fn add_audit_entry(&self, entry: AuditEntry) -> Pending<'_, ()> {
        self.write(move |connection| add_entry(connection, &entry))
    }

    fn audit_entries(
        &self,
        account: Option<Uuid>,
        since: Timestamp,
        most: u32,
    ) -> Pending<'_, Vec<AuditEntry>> {
        let sql = "select * from audit_log where at >= ?1 and (?2 is null or account = ?2) \
                   order by at desc, id desc limit ?3";
        self.rows(
            sql,
            (since.as_second(), account.map(|id| id.to_string()), most),
            read_entry,
        )
    }
}

/// Adds an entry, alone or in the transaction of its change.
pub(super) fn add_entry(connection: &Connection, entry: &AuditEntry) -> rusqlite::Result<()> {
    let sql = "insert into audit_log (at, actor, action, key, account, origin, detail) \
               values (?, ?, ?, ?, ?, ?, ?)";
    let row = params![
        entry.at.as_second(),
        entry.actor.name(),
        entry.action.name(),
        entry.key.to_string(),
        entry.account.to_string(),
        entry.origin,
        entry.detail,
    ];
    connection.execute(sql, row).map(drop)
}

fn read_entry(row: &Row<'_>) -> rusqlite::Result<AuditEntry> {
    let named = |name: &str, text: String| {
        let message = format!("{name} `{text}` of the audit log");
        rusqlite::Error::FromSqlConversionFailure(0, Type::Text, message.into())
    };
    let (actor, action): (String, String) = (row.get("actor")?, row.get("action")?);

    Ok(AuditEntry {
        at: moment(row, "at")?.unwrap_or_default(),
        actor: Actor::find(&actor).ok_or_else(|| named("actor", actor))?,
        action: Action::find(&action).ok_or_else(|| named("action", action))?,
        key: uuid(row, "key")?,
        account: uuid(row, "account")?,
        origin: row.get("origin")?,
        detail: row.get("detail")?,
    })
}

impl Availability for Sqlite {
    fn add_minute(&self, minute: ServedMinute) -> Pending<'_, ()> {
        let sql = "insert into served_minutes (day, minute, calls, failed) values (?1, ?2, ?3, ?4) \
                   on conflict do update set calls = calls + ?3, failed = failed + ?4";
        self.change(
            sql,
            (minute.day.0, minute.minute, minute.calls, minute.failed),
            drop,
        )
    }

    fn served_days(&self, since: Day) -> Pending<'_, Vec<ServedDay>> {
        let sql = "select day, min(minute) as first, sum(calls) as calls, sum(failed) as failed, \
                   sum(failed = 0 or failed * ?2 < calls) as minutes \
                   from served_minutes where day >= ?1 group by day order by day";
        self.rows(sql, (since.0, CALLS_A_FAILURE), |row| {
            Ok(ServedDay {
                day: Day(row.get("day")?),
                first: row.get("first")?,
                minutes: row.get("minutes")?,
                calls: row.get("calls")?,
                failed: row.get("failed")?,
            })
        })
    }
}
