//! Mailboxes in a PostgreSQL database.

use jiff::Timestamp;
use tokio_postgres::{Client, Error, Statement};
use uuid::Uuid;

use super::super::mailboxes::{KeyRequest, Mailboxes};
use super::super::session::Session;
use super::super::{Component, Pending, Record};
use super::{Postgres, column, moment, read};
use crate::accounts::key::Digest;

/// The statements.
#[derive(Debug)]
pub(in super::super) struct Statements {
    add_request: Statement,
    take_request: Statement,
    keys: Statement,
    release: Statement,
    hold: Statement,
    replace: Statement,
}

impl Statements {
    /// Prepares them; `keys` selects the columns of keys.
    pub(in super::super) async fn prepare(client: &Client, keys: &str) -> Result<Self, Error> {
        let add_request = "insert into key_requests (token, email, variant, created) values ($1, $2, $3, $4)";
        let take_request = "delete from key_requests where token = $1 returning email, variant, created";
        let keys = format!(
            "{keys} where account in (select account from api_keys where variant = $1 and mailbox = $2) \
             order by created desc, id desc"
        );
        let release = "update api_keys set mailbox = null where variant = $1 and mailbox = $2 and not exists \
                       (select 1 from api_keys other where other.account = api_keys.account \
                        and (other.expires is null or other.expires > $3) \
                        and (other.revoked is null or other.revoked > $3))";
        let hold = "update api_keys set mailbox = $2 where id = $1";
        let replace = "update api_keys set digest = $3, last_four = $4, expires = $5 where id = $1 and digest = $2";
        Ok(Self {
            add_request: client.prepare(add_request).await?,
            take_request: client.prepare(take_request).await?,
            keys: client.prepare(&keys).await?,
            release: client.prepare(release).await?,
            hold: client.prepare(hold).await?,
            replace: client.prepare(replace).await?,
        })
    }
}

impl Mailboxes for Postgres {
    fn add_request(&self, token: Digest, request: KeyRequest) -> Pending<'_, ()> {
        Box::pin(self.link.ask(Component::Writer, async move |session| {
            let KeyRequest { email, variant, created } = &request;
            let row: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
                [&token.0.as_slice(), email, variant, &created.as_second()];
            session.client.execute(&session.mailboxes.add_request, &row).await.map(drop)
        }))
    }

    fn take_request(&self, token: Digest) -> Pending<'_, Option<KeyRequest>> {
        Box::pin(async move {
            let take = async |session: &Session| {
                session.client.query_opt(&session.mailboxes.take_request, &[&token.0.as_slice()]).await
            };
            let Some(row) = self.link.ask(Component::Writer, take).await? else { return Ok(None) };
            Ok(Some(KeyRequest {
                email: column(&row, "email")?,
                variant: column(&row, "variant")?,
                created: moment(&row, "created")?.unwrap_or_default(),
            }))
        })
    }

    fn keys_of_mailbox(&self, variant: String, mailbox: String) -> Pending<'_, Vec<Record>> {
        Box::pin(async move {
            let question =
                async |session: &Session| session.client.query(&session.mailboxes.keys, &[&variant, &mailbox]).await;
            self.link.ask(Component::Reader, question).await?.iter().map(read).collect()
        })
    }

    fn hold_mailbox(&self, id: Uuid, variant: String, mailbox: String, now: Timestamp) -> Pending<'_, bool> {
        Box::pin(async move {
            let release = async |session: &Session| {
                let row: [&(dyn tokio_postgres::types::ToSql + Sync); 3] = [&variant, &mailbox, &now.as_second()];
                session.client.execute(&session.mailboxes.release, &row).await
            };
            self.link.ask(Component::Writer, release).await?;
            // The index refuses a second holder.
            let hold =
                async |session: &Session| session.client.execute(&session.mailboxes.hold, &[&id, &mailbox]).await;
            Ok(self.link.ask(Component::Writer, hold).await? > 0)
        })
    }

    fn replace_key(&self, old: Record, new: Record) -> Pending<'_, bool> {
        Box::pin(self.link.ask(Component::Writer, async move |session| {
            let expires = new.expires.map(Timestamp::as_second);
            let row: [&(dyn tokio_postgres::types::ToSql + Sync); 5] =
                [&old.id, &old.digest.0.as_slice(), &new.digest.0.as_slice(), &new.last_four, &expires];
            Ok(session.client.execute(&session.mailboxes.replace, &row).await? > 0)
        }))
    }
}
