//! Subscriptions, deliveries and cases in an SQLite file.

use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use uuid::Uuid;

use super::super::audit::AuditEntry;
use super::super::{
    Claimed, Delivery, KeyChange, Pending, Record, Subscription, SubscriptionStore,
};
use super::operation::add_entry;
use super::{Sqlite, add_key, change_terms, is_any, moment, read};
use crate::key::Digest;
use crate::payment::case::{Case, CaseKind};

impl SubscriptionStore for Sqlite {
    fn subscription(&self, id: String) -> Pending<'_, Option<Subscription>> {
        self.read(move |connection| {
            let mut statement =
                connection.prepare_cached("select * from subscriptions where id = ?")?;
            statement.query_row([id], read_subscription).optional()
        })
    }

    fn save_subscription(
        &self,
        subscription: Subscription,
        keys: KeyChange,
        entry: Option<AuditEntry>,
    ) -> Pending<'_, bool> {
        self.transact(move |transaction| {
            let sql = "insert into subscriptions (id, facts, version, waits_since) values (?1, \
                       ?2, ?3 + 1, ?4) \
                       on conflict do update set facts = ?2, version = ?3 + 1, waits_since = ?4 \
                       where version = ?3";
            let Subscription {
                id,
                facts,
                version,
                waits_since,
            } = subscription;
            let row = params![id, facts, version, waits_since.map(Timestamp::as_second)];
            // The version is no longer the one that was read: nothing is written, and the caller
            // starts again.
            if transaction.execute(sql, row)? == 0 {
                return Ok(false);
            }

            // In the same transaction as the change, so that the log holds exactly what was done.
            if let Some(entry) = entry {
                add_entry(transaction, &entry)?;
            }
            match keys {
                KeyChange::None => {}
                KeyChange::Add(record) => add_key(transaction, &record)?,
                KeyChange::Terms {
                    account,
                    terms,
                    deliver,
                } => {
                    change_terms(transaction, account, &terms)?;
                    if deliver {
                        let sql = "update api_keys set delivery = 'due', attempt_at = 0 \
                                   where account = ? and delivery = 'held'";
                        transaction.execute(sql, [account.to_string()])?;
                    }
                }
            }
            Ok(true)
        })
    }

    fn forget_subscription(&self, id: String) -> Pending<'_, ()> {
        self.change("delete from subscriptions where id = ?", [id], drop)
    }

    fn subscriptions(&self) -> Pending<'_, Vec<Subscription>> {
        self.rows(
            "select * from subscriptions order by id",
            [],
            read_subscription,
        )
    }

    fn waiting_subscriptions(&self, before: Timestamp) -> Pending<'_, Vec<Subscription>> {
        let sql = "select * from subscriptions where waits_since <= ? order by waits_since, id";
        self.rows(sql, [before.as_second()], read_subscription)
    }

    fn claim_delivery(&self, now: Timestamp, until: Timestamp) -> Pending<'_, Option<Claimed>> {
        Box::pin(async move {
            // A cheap read first, because it is asked again and again: a write transaction would lock
            // the file for nothing.
            let due = self.read(move |connection| is_due(connection, now)).await?;
            if !due {
                return Ok(None);
            }

            let claim = self.transact(move |transaction| {
                let sql = format!(
                    "select * from api_keys where {DUE} order by attempt_at, id \
                                   limit 1"
                );
                let found = transaction
                    .query_row(&sql, [now.as_second()], read)
                    .optional()?;
                let Some(record) = found else { return Ok(None) };

                let was_interrupted = record.delivery == Delivery::Sending;
                let record = Record {
                    delivery: Delivery::Sending,
                    attempts: record.attempts.saturating_add(1),
                    attempt_at: Some(until),
                    ..record
                };
                let sql = "update api_keys set delivery = ?2, attempts = ?3, attempt_at = ?4 \
                           where id = ?1";
                let row = params![
                    record.id.to_string(),
                    record.delivery.name(),
                    record.attempts,
                    until.as_second()
                ];
                transaction.execute(sql, row)?;
                Ok(Some(Claimed {
                    record,
                    was_interrupted,
                }))
            });
            claim.await
        })
    }

    fn change_digest(&self, id: Uuid, digest: Digest, last_four: String) -> Pending<'_, ()> {
        let sql = "update api_keys set digest = ?2, last_four = ?3 where id = ?1";
        self.change(sql, (id.to_string(), digest.0, last_four), drop)
    }

    fn add_beside(&self, unsure: Uuid, record: Record) -> Pending<'_, ()> {
        self.transact(move |transaction| {
            let sql = "update api_keys set delivery = 'unsure', attempt_at = null where id = ?";
            transaction.execute(sql, [unsure.to_string()])?;
            add_key(transaction, &record)
        })
    }

    fn set_delivery(
        &self,
        id: Uuid,
        delivery: Delivery,
        again: Option<Timestamp>,
    ) -> Pending<'_, bool> {
        let sql = "update api_keys set delivery = ?2, attempt_at = ?3 where id = ?1";
        self.change(
            sql,
            (
                id.to_string(),
                delivery.name(),
                again.map(Timestamp::as_second),
            ),
            is_any,
        )
    }

    fn undelivered_keys(&self) -> Pending<'_, Vec<Record>> {
        self.rows(
            "select * from api_keys where delivery in ('due', 'sending') order by created, id",
            [],
            read,
        )
    }

    fn restore_key(&self, id: Uuid) -> Pending<'_, bool> {
        self.change(
            "update api_keys set revoked = null where id = ?",
            [id.to_string()],
            is_any,
        )
    }

    fn open_case(&self, case: Case) -> Pending<'_, bool> {
        let sql = "insert into payment_cases (id, kind, detail, opened, reversal) \
                   values (?, ?, ?, ?, ?) on conflict do nothing";
        let Case {
            id,
            kind,
            detail,
            opened,
            reversal,
        } = case;
        let row = (id, kind.name(), detail, opened.as_second(), reversal);
        self.change(sql, row, is_any)
    }

    fn cases(&self) -> Pending<'_, Vec<Case>> {
        let sql = "select * from payment_cases where not settled order by opened, id";
        self.rows(sql, [], read_case)
    }

    fn settle_cases(&self, ids: Vec<String>, may_recur: bool) -> Pending<'_, u64> {
        let sql = match may_recur {
            true => "delete from payment_cases where id = ? and not settled",
            false => "update payment_cases set settled = 1 where id = ? and not settled",
        };
        self.change_each(sql, ids.into_iter().map(|id| [id]).collect(), |settled| {
            settled as u64
        })
    }
}

/// The keys that may be sent at a moment, the first parameter.
const DUE: &str = "delivery in ('due', 'sending') and attempt_at <= ?1";

fn is_due(connection: &Connection, now: Timestamp) -> rusqlite::Result<bool> {
    let sql = format!("select exists (select 1 from api_keys where {DUE})");
    connection
        .prepare_cached(&sql)?
        .query_row([now.as_second()], |row| row.get(0))
}

fn read_subscription(row: &Row<'_>) -> rusqlite::Result<Subscription> {
    Ok(Subscription {
        id: row.get("id")?,
        facts: row.get("facts")?,
        version: row.get("version")?,
        waits_since: moment(row, "waits_since")?,
    })
}

fn read_case(row: &Row<'_>) -> rusqlite::Result<Case> {
    let kind: String = row.get("kind")?;
    let unknown = || {
        rusqlite::Error::FromSqlConversionFailure(0, Type::Text, format!("kind `{kind}`").into())
    };
    Ok(Case {
        id: row.get("id")?,
        kind: CaseKind::find(&kind).ok_or_else(unknown)?,
        detail: row.get("detail")?,
        opened: moment(row, "opened")?.unwrap_or_default(),
        reversal: row.get("reversal")?,
    })
}
