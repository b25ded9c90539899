//! Mailboxes in a PostgreSQL database.

use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

use super::super::mailboxes::{KeyRequest, Mailboxes, Purpose};
use super::super::{Component, Pending, Record, Unavailable};
use super::{Postgres, column, is_any, moment, sent};
use crate::key::Digest;

/// The columns of a request but its token, in the order in which it is written.
const REQUEST_COLUMNS: &str = "email, variant, created, purpose, account";

impl Mailboxes for Postgres {
    fn add_request(&self, token: Digest, request: KeyRequest) -> Pending<'_, ()> {
        let sql = format!(
            "insert into key_requests (token, {REQUEST_COLUMNS}) values ($1, $2, $3, $4, $5, $6)"
        );
        let KeyRequest {
            email,
            variant,
            created,
            purpose,
            account,
        } = request;
        let token = token.0.to_vec();
        let sent = sent![
            token => BYTEA, email => TEXT, variant => TEXT, created.as_second() => INT8,
            purpose.name() => TEXT, account => UUID
        ];
        self.change(sql, sent, drop)
    }

    fn request(&self, token: Digest) -> Pending<'_, Option<KeyRequest>> {
        Box::pin(async move {
            let sql = format!("select {REQUEST_COLUMNS} from key_requests where token = $1");
            let sent = sent![token.0.to_vec() => BYTEA];
            let mut found = self
                .rows(Component::Reader, sql, sent, read_request)
                .await?;
            Ok(found.pop())
        })
    }

    fn take_request(&self, token: Digest) -> Pending<'_, Option<KeyRequest>> {
        Box::pin(async move {
            let sql =
                format!("delete from key_requests where token = $1 returning {REQUEST_COLUMNS}");
            let sent = sent![token.0.to_vec() => BYTEA];
            let mut taken = self
                .rows(Component::Writer, sql, sent, read_request)
                .await?;
            Ok(taken.pop())
        })
    }

    fn keys_of_mailbox(&self, variant: String, mailbox: String) -> Pending<'_, Vec<Record>> {
        let condition = "where account in (select account from api_keys where variant = $1 and \
                         mailbox = $2) \
                         order by created desc, id desc";
        self.select_keys(condition, sent![variant => TEXT, mailbox => TEXT])
    }

    fn keys_of_email(&self, email: String) -> Pending<'_, Vec<Record>> {
        let condition = "where lower(email) = lower($1) order by created, id";
        self.select_keys(condition, sent![email => TEXT])
    }

    fn keys_of_account(&self, account: Uuid) -> Pending<'_, Vec<Record>> {
        let condition = "where account = $1 order by created, id";
        self.select_keys(condition, sent![account => UUID])
    }

    fn hold_mailbox(
        &self,
        id: Uuid,
        variant: String,
        mailbox: String,
        now: Timestamp,
    ) -> Pending<'_, bool> {
        Box::pin(async move {
            // A mailbox whose holder has no valid key is free again: its owner may get another one.
            let release = "update api_keys set mailbox = null where variant = $1 and mailbox = $2 \
                           and not exists \
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
        let sql = "update api_keys set digest = $3, last_four = $4, expires = $5 where id = $1 \
                   and digest = $2";
        let [before, after] = [&old, &new].map(|record| record.digest.0.to_vec());
        let expires = new.expires.map(Timestamp::as_second);
        let sent = sent![
            old.id => UUID, before => BYTEA, after => BYTEA, new.last_four => TEXT, expires => INT8
        ];
        self.change(sql, sent, is_any)
    }
}

fn read_request(row: &Row) -> Result<KeyRequest, Unavailable> {
    let purpose: String = column(row, "purpose")?;
    Ok(KeyRequest {
        email: column(row, "email")?,
        variant: column(row, "variant")?,
        created: moment(row, "created")?.unwrap_or_default(),
        purpose: Purpose::find(&purpose)
            .ok_or_else(|| Unavailable(format!("purpose `{purpose}` of a request")))?,
        account: column(row, "account")?,
    })
}
