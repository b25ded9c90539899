//! Subscriptions, deliveries and cases in a PostgreSQL database.

use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

use super::super::audit::AuditEntry;
use super::super::{
    Claimed, Component, Delivery, KEY_COLUMNS, KeyChange, Pending, Record, Subscription,
    SubscriptionStore, Terms, Unavailable, key_parameters, parameters,
};
use super::operation::{AUDIT_COLUMNS, entry_columns};
use super::{Postgres, column, columns, is_any, moment, read, sent};
use crate::key::Digest;
use crate::payment::case::{Case, CaseKind};

/// Writes a subscription if its version is still the one that was read; what follows asks whether
/// it was.
const SAVE: &str = "
    with saved as (
        insert into subscriptions (id, facts, version, waits_since) values ($1, $2, $3 + 1, $4)
        on conflict (id) do update set facts = $2, version = $3 + 1, waits_since = $4
        where subscriptions.version = $3
        returning id
    )";

/// Changes the terms of the keys of an account in the same statement.
const TERMS: &str = ",
    changed as (
        update api_keys set plan = $6, email = $7, expires = $8, renews = $9,
            noticed = case when expires is not distinct from $8 then noticed end,
            attempt_at = case when $10 and delivery = 'held' then 0 else attempt_at end,
            delivery = case when $10 and delivery = 'held' then 'due' else delivery end
        where account = $5 and exists (select from saved)
    )";

/// Claims one key for delivery by a node.
const CLAIM: &str = "
    with old as (
        select id, delivery from api_keys
        where delivery in ('due', 'sending') and attempt_at <= $1
        order by attempt_at, id limit 1
        for update skip locked
    )
    update api_keys keys set delivery = 'sending', attempts = keys.attempts + 1, attempt_at = $2
    from old where keys.id = old.id
    returning keys.id, account, digest, last_four, variant, plan, email, created, expires, \
    revoked, subscription,
        renews, noticed, keys.delivery, attempts, attempt_at, page_label, page_origins, \
        page_calls, old.delivery = 'sending' as was_interrupted";

const SUBSCRIPTIONS: &str = "select id, facts, version, waits_since from subscriptions";

impl SubscriptionStore for Postgres {
    fn subscription(&self, id: String) -> Pending<'_, Option<Subscription>> {
        Box::pin(async move {
            let sql = format!("{SUBSCRIPTIONS} where id = $1");
            Ok(self
                .rows(Component::Reader, sql, sent![id => TEXT], read_subscription)
                .await?
                .pop())
        })
    }

    fn save_subscription(
        &self,
        subscription: Subscription,
        keys: KeyChange,
        entry: Option<AuditEntry>,
    ) -> Pending<'_, bool> {
        let Subscription {
            id,
            facts,
            version,
            waits_since,
        } = subscription;
        let waits_since = waits_since.map(Timestamp::as_second);
        // One statement with all parts, because a transaction of several would cost a distant
        // database a round trip for each.
        let mut sent = sent![id => TEXT, facts => TEXT, version => INT8, waits_since => INT8];
        let more = match keys {
            KeyChange::None => String::new(),
            KeyChange::Add(record) => {
                let values = key_parameters(sent.len() + 1);
                sent.extend(columns(*record));
                format!(
                    ", added as (insert into api_keys ({KEY_COLUMNS}) select {values} where \
                     exists (select from saved))"
                )
            }
            KeyChange::Terms {
                account,
                terms:
                    Terms {
                        plan,
                        email,
                        expires,
                        renews,
                    },
                deliver,
            } => {
                let expires = expires.map(Timestamp::as_second);
                sent.extend(sent![
                    account => UUID, plan => TEXT, email => TEXT, expires => INT8, renews => BOOL,
                    deliver => BOOL
                ]);
                TERMS.to_owned()
            }
        };
        // Each part only happens where the version was still the one that was read.
        let audited = entry.map_or_else(String::new, |entry| {
            let columns = entry_columns(entry);
            let values = parameters(sent.len() + 1, columns.len());
            sent.extend(columns);
            format!(
                ", audited as (insert into audit_log ({AUDIT_COLUMNS}) \
                 select {values} where exists (select from saved))"
            )
        });
        let sql = format!("{SAVE}{more}{audited} select count(*) as saved from saved");
        Box::pin(async move {
            let saved = self
                .rows(Component::Writer, sql, sent, |row| {
                    column::<i64>(row, "saved")
                })
                .await?;
            Ok(saved.into_iter().any(|count| count > 0))
        })
    }

    fn forget_subscription(&self, id: String) -> Pending<'_, ()> {
        self.change(
            "delete from subscriptions where id = $1",
            sent![id => TEXT],
            drop,
        )
    }

    fn subscriptions(&self) -> Pending<'_, Vec<Subscription>> {
        self.rows(
            Component::Reader,
            format!("{SUBSCRIPTIONS} order by id"),
            sent![],
            read_subscription,
        )
    }

    fn waiting_subscriptions(&self, before: Timestamp) -> Pending<'_, Vec<Subscription>> {
        let sql = format!("{SUBSCRIPTIONS} where waits_since <= $1 order by waits_since, id");
        self.rows(
            Component::Reader,
            sql,
            sent![before.as_second() => INT8],
            read_subscription,
        )
    }

    fn claim_delivery(&self, now: Timestamp, until: Timestamp) -> Pending<'_, Option<Claimed>> {
        Box::pin(async move {
            let claimed = |row: &Row| {
                Ok(Claimed {
                    record: read(row)?,
                    was_interrupted: column(row, "was_interrupted")?,
                })
            };
            let sent = sent![now.as_second() => INT8, until.as_second() => INT8];
            Ok(self
                .rows(Component::Writer, CLAIM, sent, claimed)
                .await?
                .pop())
        })
    }

    fn change_digest(&self, id: Uuid, digest: Digest, last_four: String) -> Pending<'_, ()> {
        let sql = "update api_keys set digest = $2, last_four = $3 where id = $1";
        self.change(
            sql,
            sent![id => UUID, digest.0.to_vec() => BYTEA, last_four => TEXT],
            drop,
        )
    }

    fn add_beside(&self, unsure: Uuid, record: Record) -> Pending<'_, ()> {
        let values = key_parameters(2);
        let sql = format!(
            "with unsure as (update api_keys set delivery = 'unsure', attempt_at = null where id \
             = $1) \
             insert into api_keys ({KEY_COLUMNS}) values ({values})"
        );
        let mut sent = sent![unsure => UUID];
        sent.extend(columns(record));
        self.change(sql, sent, drop)
    }

    fn set_delivery(
        &self,
        id: Uuid,
        delivery: Delivery,
        again: Option<Timestamp>,
    ) -> Pending<'_, bool> {
        let sql = "update api_keys set delivery = $2, attempt_at = $3 where id = $1";
        let again = again.map(Timestamp::as_second);
        self.change(
            sql,
            sent![id => UUID, delivery.name() => TEXT, again => INT8],
            is_any,
        )
    }

    fn undelivered_keys(&self) -> Pending<'_, Vec<Record>> {
        self.select_keys(
            "where delivery in ('due', 'sending') order by created, id",
            sent![],
        )
    }

    fn restore_key(&self, id: Uuid) -> Pending<'_, bool> {
        self.change(
            "update api_keys set revoked = null where id = $1",
            sent![id => UUID],
            is_any,
        )
    }

    fn open_case(&self, case: Case) -> Pending<'_, bool> {
        let sql = "insert into payment_cases (id, kind, detail, opened, reversal) \
                   values ($1, $2, $3, $4, $5) on conflict do nothing";
        let Case {
            id,
            kind,
            detail,
            opened,
            reversal,
        } = case;
        let sent = sent![
            id => TEXT, kind.name() => TEXT, detail => TEXT, opened.as_second() => INT8,
            reversal => TEXT
        ];
        self.change(sql, sent, is_any)
    }

    fn cases(&self) -> Pending<'_, Vec<Case>> {
        let sql = "select id, kind, detail, opened, reversal from payment_cases \
                   where not settled order by opened, id";
        self.rows(Component::Reader, sql, sent![], read_case)
    }

    fn settle_cases(&self, ids: Vec<String>, may_recur: bool) -> Pending<'_, u64> {
        let sql = match may_recur {
            true => "delete from payment_cases where id = any($1) and not settled",
            false => "update payment_cases set settled = true where id = any($1) and not settled",
        };
        self.change(sql, sent![ids => TEXT_ARRAY], |rows| rows)
    }
}

fn read_subscription(row: &Row) -> Result<Subscription, Unavailable> {
    Ok(Subscription {
        id: column(row, "id")?,
        facts: column(row, "facts")?,
        version: column(row, "version")?,
        waits_since: moment(row, "waits_since")?,
    })
}

fn read_case(row: &Row) -> Result<Case, Unavailable> {
    let kind: String = column(row, "kind")?;
    Ok(Case {
        id: column(row, "id")?,
        kind: CaseKind::find(&kind)
            .ok_or_else(|| Unavailable(format!("a case of the kind `{kind}`")))?,
        detail: column(row, "detail")?,
        opened: moment(row, "opened")?.unwrap_or_default(),
        reversal: column(row, "reversal")?,
    })
}
