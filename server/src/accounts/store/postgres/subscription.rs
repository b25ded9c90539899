//! Subscriptions, deliveries and cases in a PostgreSQL database.

use jiff::Timestamp;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error, Row, Statement};
use uuid::Uuid;

use super::super::session::{Session, select_keys};
use super::super::{
    Claimed, Component, Delivery, KEY_COLUMNS, KeyChange, Pending, Record, Subscription, SubscriptionStore, Terms,
    Unavailable,
};
use super::{KeyRow, Parameter, Postgres, column, read};
use crate::accounts::key::Digest;
use crate::accounts::payment::case::{Case, CaseKind};

/// The statements of payments.
#[derive(Debug)]
pub(in super::super) struct Statements {
    subscription: Statement,
    save: Statement,
    save_with_key: Statement,
    save_with_terms: Statement,
    forget: Statement,
    subscriptions: Statement,
    waiting: Statement,
    claim: Statement,
    change_digest: Statement,
    add_beside: Statement,
    set_delivery: Statement,
    undelivered: Statement,
    restore: Statement,
    open_case: Statement,
    cases: Statement,
    settle: Statement,
    forget_cases: Statement,
}

impl Statements {
    pub(in super::super) async fn prepare(client: &Client) -> Result<Self, Error> {
        let subscriptions = "select id, facts, version, waits_since from subscriptions";
        let save = [Type::TEXT, Type::TEXT, Type::INT8, Type::INT8];
        let save_with_key = [&save[..], &KEY_TYPES].concat();
        let save_with_terms =
            [&save[..], &[Type::UUID, Type::TEXT, Type::TEXT, Type::INT8, Type::BOOL, Type::BOOL]].concat();
        let add_beside = [&[Type::UUID][..], &KEY_TYPES].concat();
        Ok(Self {
            subscription: client.prepare(&format!("{subscriptions} where id = $1")).await?,
            save: client.prepare_typed(&format!("{SAVE} select count(*) from saved"), &save).await?,
            save_with_key: client.prepare_typed(&save_with_key_text(), &save_with_key).await?,
            save_with_terms: client
                .prepare_typed(&format!("{SAVE}{TERMS} select count(*) from saved"), &save_with_terms)
                .await?,
            forget: client.prepare("delete from subscriptions where id = $1").await?,
            subscriptions: client.prepare(&format!("{subscriptions} order by id")).await?,
            waiting: client
                .prepare(&format!("{subscriptions} where waits_since <= $1 order by waits_since, id"))
                .await?,
            claim: client.prepare(CLAIM).await?,
            change_digest: client.prepare("update api_keys set digest = $2, last_four = $3 where id = $1").await?,
            add_beside: client.prepare_typed(&add_beside_text(), &add_beside).await?,
            set_delivery: client.prepare("update api_keys set delivery = $2, attempt_at = $3 where id = $1").await?,
            undelivered: client
                .prepare(&select_keys("where delivery in ('due', 'sending') order by created, id"))
                .await?,
            restore: client.prepare("update api_keys set revoked = null where id = $1").await?,
            open_case: client
                .prepare(
                    "insert into payment_cases (id, kind, detail, opened) values ($1, $2, $3, $4) \
                     on conflict do nothing",
                )
                .await?,
            cases: client
                .prepare("select id, kind, detail, opened from payment_cases where not settled order by opened, id")
                .await?,
            settle: client
                .prepare("update payment_cases set settled = true where id = any($1) and not settled")
                .await?,
            forget_cases: client.prepare("delete from payment_cases where id = any($1) and not settled").await?,
        })
    }
}

/// The types of [`KEY_COLUMNS`].
const KEY_TYPES: [Type; 16] = [
    Type::UUID,
    Type::UUID,
    Type::BYTEA,
    Type::TEXT,
    Type::TEXT,
    Type::TEXT,
    Type::TEXT,
    Type::INT8,
    Type::INT8,
    Type::INT8,
    Type::TEXT,
    Type::BOOL,
    Type::INT4,
    Type::TEXT,
    Type::INT4,
    Type::INT8,
];

/// Parameters for the columns of a key, from the first one on: `$5, $6, …`.
fn key_parameters(first: usize) -> String {
    let names: Vec<String> = (first..first + KEY_TYPES.len()).map(|index| format!("${index}")).collect();
    names.join(", ")
}

fn save_with_key_text() -> String {
    let values = key_parameters(5);
    let added =
        format!("insert into api_keys ({}) select {values} where exists (select from saved)", KEY_COLUMNS.join(", "));
    format!("{SAVE}, added as ({added}) select count(*) from saved")
}

fn add_beside_text() -> String {
    let values = key_parameters(2);
    let unsure = "update api_keys set delivery = 'unsure', attempt_at = null where id = $1";
    format!("with unsure as ({unsure}) insert into api_keys ({}) values ({values})", KEY_COLUMNS.join(", "))
}

/// Writes a subscription if its version is still the one that was read; what follows asks whether it was.
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
    returning keys.id, account, digest, last_four, variant, plan, email, created, expires, revoked, subscription,
        renews, noticed, keys.delivery, attempts, attempt_at, old.delivery = 'sending' as was_interrupted";

impl SubscriptionStore for Postgres {
    fn subscription(&self, id: String) -> Pending<'_, Option<Subscription>> {
        Box::pin(async move {
            let question =
                async |session: &Session| session.client.query_opt(&session.payments.subscription, &[&id]).await;
            self.link.ask(Component::Reader, question).await?.as_ref().map(read_subscription).transpose()
        })
    }

    fn save_subscription(&self, subscription: Subscription, keys: KeyChange) -> Pending<'_, bool> {
        Box::pin(self.link.ask(Component::Writer, async move |session| {
            let Subscription { id, facts, version, waits_since } = &subscription;
            let waits_since = waits_since.map(Timestamp::as_second);
            let (client, statements) = (&session.client, &session.payments);
            let row = match &keys {
                KeyChange::None => client.query_one(&statements.save, &[id, facts, version, &waits_since]).await,
                KeyChange::Add(record) => {
                    let key = KeyRow::of(record);
                    let mut parameters: Vec<Parameter<'_>> = vec![id, facts, version, &waits_since];
                    parameters.extend(key.parameters(record));
                    client.query_one(&statements.save_with_key, &parameters).await
                }
                KeyChange::Terms { account, terms, deliver } => {
                    let Terms { plan, email, expires, renews } = terms;
                    let expires = expires.map(Timestamp::as_second);
                    let parameters: [Parameter<'_>; 10] =
                        [id, facts, version, &waits_since, account, plan, email, &expires, renews, deliver];
                    client.query_one(&statements.save_with_terms, &parameters).await
                }
            };
            Ok(row?.try_get::<_, i64>(0)? > 0)
        }))
    }

    fn forget_subscription(&self, id: String) -> Pending<'_, ()> {
        Box::pin(self.link.ask(Component::Writer, async move |session| {
            session.client.execute(&session.payments.forget, &[&id]).await.map(drop)
        }))
    }

    fn subscriptions(&self) -> Pending<'_, Vec<Subscription>> {
        Box::pin(async move {
            let question = async |session: &Session| session.client.query(&session.payments.subscriptions, &[]).await;
            self.link.ask(Component::Reader, question).await?.iter().map(read_subscription).collect()
        })
    }

    fn waiting_subscriptions(&self, before: Timestamp) -> Pending<'_, Vec<Subscription>> {
        Box::pin(async move {
            let question =
                async |session: &Session| session.client.query(&session.payments.waiting, &[&before.as_second()]).await;
            self.link.ask(Component::Reader, question).await?.iter().map(read_subscription).collect()
        })
    }

    fn claim_delivery(&self, now: Timestamp, until: Timestamp) -> Pending<'_, Option<Claimed>> {
        Box::pin(async move {
            let question = async |session: &Session| {
                let moments = [now.as_second(), until.as_second()];
                session.client.query_opt(&session.payments.claim, &[&moments[0], &moments[1]]).await
            };
            let row = self.link.ask(Component::Writer, question).await?;
            let claimed =
                |row: Row| Ok(Claimed { record: read(&row)?, was_interrupted: column(&row, "was_interrupted")? });
            row.map(claimed).transpose()
        })
    }

    fn change_digest(&self, id: Uuid, digest: Digest, last_four: String) -> Pending<'_, ()> {
        Box::pin(self.link.ask(Component::Writer, async move |session| {
            let statement = &session.payments.change_digest;
            session.client.execute(statement, &[&id, &digest.0.as_slice(), &last_four]).await.map(drop)
        }))
    }

    fn add_beside(&self, unsure: Uuid, record: Record) -> Pending<'_, ()> {
        Box::pin(self.link.ask(Component::Writer, async move |session| {
            let key = KeyRow::of(&record);
            let mut parameters: Vec<Parameter<'_>> = vec![&unsure];
            parameters.extend(key.parameters(&record));
            session.client.execute(&session.payments.add_beside, &parameters).await.map(drop)
        }))
    }

    fn set_delivery(&self, id: Uuid, delivery: Delivery, again: Option<Timestamp>) -> Pending<'_, bool> {
        Box::pin(self.link.ask(Component::Writer, async move |session| {
            let (name, again) = (delivery.name(), again.map(Timestamp::as_second));
            Ok(session.client.execute(&session.payments.set_delivery, &[&id, &name, &again]).await? > 0)
        }))
    }

    fn undelivered_keys(&self) -> Pending<'_, Vec<Record>> {
        Box::pin(async move {
            let question = async |session: &Session| session.client.query(&session.payments.undelivered, &[]).await;
            self.link.ask(Component::Reader, question).await?.iter().map(read).collect()
        })
    }

    fn restore_key(&self, id: Uuid) -> Pending<'_, bool> {
        Box::pin(self.link.ask(Component::Writer, async move |session| {
            Ok(session.client.execute(&session.payments.restore, &[&id]).await? > 0)
        }))
    }

    fn open_case(&self, case: Case) -> Pending<'_, bool> {
        Box::pin(self.link.ask(Component::Writer, async move |session| {
            let Case { id, kind, detail, opened } = &case;
            let statement = &session.payments.open_case;
            Ok(session.client.execute(statement, &[id, &kind.name(), detail, &opened.as_second()]).await? > 0)
        }))
    }

    fn cases(&self) -> Pending<'_, Vec<Case>> {
        Box::pin(async move {
            let question = async |session: &Session| session.client.query(&session.payments.cases, &[]).await;
            self.link.ask(Component::Reader, question).await?.iter().map(read_case).collect()
        })
    }

    fn settle_cases(&self, ids: Vec<String>, may_recur: bool) -> Pending<'_, u64> {
        Box::pin(self.link.ask(Component::Writer, async move |session| {
            let statement = if may_recur { &session.payments.forget_cases } else { &session.payments.settle };
            session.client.execute(statement, &[&ids]).await
        }))
    }
}

fn read_subscription(row: &Row) -> Result<Subscription, Unavailable> {
    Ok(Subscription {
        id: column(row, "id")?,
        facts: column(row, "facts")?,
        version: column(row, "version")?,
        waits_since: column::<Option<i64>>(row, "waits_since")?.map(moment).transpose()?,
    })
}

fn read_case(row: &Row) -> Result<Case, Unavailable> {
    let kind: String = column(row, "kind")?;
    Ok(Case {
        id: column(row, "id")?,
        kind: CaseKind::find(&kind).ok_or_else(|| Unavailable(format!("a case of the kind `{kind}`")))?,
        detail: column(row, "detail")?,
        opened: moment(column(row, "opened")?)?,
    })
}

fn moment(second: i64) -> Result<Timestamp, Unavailable> {
    Timestamp::from_second(second).map_err(|error| Unavailable(error.to_string()))
}
