//! Mailboxes in a PostgreSQL database.

use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

use super::super::mailboxes::{KeyRequest, Mailboxes};
use super::super::{Component, Pending, Record};
use super::{Postgres, column, is_any, moment, sent};
use crate::key::Digest;

impl Mailboxes for Postgres {
    fn add_request(&self, token: Digest, request: KeyRequest) -> Pending<'_, ()> {
        let sql =
            "insert into key_requests (token, email, variant, created) values ($1, $2, $3, $4)";
        let KeyRequest {
            email,
            variant,
            created,
        } = request;
        let token = token.0.to_vec();
        let sent =
            sent![token => BYTEA, email => TEXT, variant => TEXT, created.as_second() => INT8];
        self.change(sql, sent, drop)
    }

    fn take_request(&self, token: Digest) -> Pending<'_, Option<KeyRequest>> {
        Box::pin(async move {
            let sql = "delete from key_requests where token = $1 returning email, variant, created";
            let request = |row: &Row| {
                Ok(KeyRequest {
                    email: column(row, "email")?,
                    variant: column(row, "variant")?,
                    created: moment(row, "created")?.unwrap_or_default(),
                })
            };
            Ok(self
                .rows(
                    Component::Writer,
                    sql,
                    sent![token.0.to_vec() => BYTEA],
                    request,
                )
                .await?
                .pop())
        })
    }

    fn keys_of_mailbox(&self, variant: String, mailbox: String) -> Pending<'_, Vec<Record>> {
        let condition = "where account in (select account from api_keys where variant = $1 and mailbox = $2) \
                         order by created desc, id desc";
        self.select_keys(condition, sent![variant => TEXT, mailbox => TEXT])
    }

    fn hold_mailbox(
        &self,
        id: Uuid,
        variant: String,
        mailbox: String,
        now: Timestamp,
    ) -> Pending<'_, bool> {
        Box::pin(async move {
            let release = "update api_keys set mailbox = null where variant = $1 and mailbox = $2 and not exists \
                           (select 1 from api_keys other where other.account = api_keys.account \
                            and (other.expires is null or other.expires > $3) \
                            and (other.revoked is null or other.revoked > $3))";
            let sent = sent![variant => TEXT, mailbox.clone() => TEXT, now.as_second() => INT8];
            self.change(release, sent, drop).await?;
            // The index refuses a second holder.
            let hold = "update api_keys set mailbox = $2 where id = $1";
            self.change(hold, sent![id => UUID, mailbox => TEXT], is_any)
                .await
        })
    }

    fn replace_key(&self, old: Record, new: Record) -> Pending<'_, bool> {
        let sql = "update api_keys set digest = $3, last_four = $4, expires = $5 where id = $1 and digest = $2";
        let [before, after] = [&old, &new].map(|record| record.digest.0.to_vec());
        let expires = new.expires.map(Timestamp::as_second);
        let sent = sent![old.id => UUID, before => BYTEA, after => BYTEA, new.last_four => TEXT, expires => INT8];
        self.change(sql, sent, is_any)
    }
}
