//! Mailboxes in an SQLite file.

use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{OptionalExtension as _, Row, params};
use uuid::Uuid;

use super::super::mailboxes::{KeyRequest, Mailboxes, Purpose};
use super::super::{Pending, Record};
use super::{Sqlite, is_any, moment, read, uuid};
use crate::key::Digest;

impl Mailboxes for Sqlite {
    fn add_request(&self, token: Digest, request: KeyRequest) -> Pending<'_, ()> {
        let sql = "insert into key_requests (token, email, variant, created, purpose, account) \
                   values (?, ?, ?, ?, ?, ?)";
        let KeyRequest {
            email,
            variant,
            created,
            purpose,
            account,
        } = request;
        let account = account.map(|id| id.to_string());
        let row = (
            token.0,
            email,
            variant,
            created.as_second(),
            purpose.name(),
            account,
        );
        self.change(sql, row, drop)
    }

    fn request(&self, token: Digest) -> Pending<'_, Option<KeyRequest>> {
        self.read(move |connection| {
            let sql = "select * from key_requests where token = ?";
            connection
                .query_row(sql, [token.0], read_request)
                .optional()
        })
    }

    fn take_request(&self, token: Digest) -> Pending<'_, Option<KeyRequest>> {
        self.write(move |connection| {
            let sql = "delete from key_requests where token = ? returning *";
            connection
                .query_row(sql, [token.0], read_request)
                .optional()
        })
    }

    fn keys_of_mailbox(&self, variant: String, mailbox: String) -> Pending<'_, Vec<Record>> {
        let sql = "select * from api_keys where account in \
                   (select account from api_keys where variant = ? and mailbox = ?) order by \
                   created desc, id desc";
        self.rows(sql, [variant, mailbox], read)
    }

    fn keys_of_email(&self, email: String) -> Pending<'_, Vec<Record>> {
        let sql = "select * from api_keys where lower(email) = lower(?) order by created, id";
        self.rows(sql, [email], read)
    }

    fn keys_of_account(&self, account: Uuid) -> Pending<'_, Vec<Record>> {
        let sql = "select * from api_keys where account = ? order by created, id";
        self.rows(sql, [account.to_string()], read)
    }

    fn hold_mailbox(
        &self,
        id: Uuid,
        variant: String,
        mailbox: String,
        now: Timestamp,
    ) -> Pending<'_, bool> {
        self.transact(move |transaction| {
            let sql = "update api_keys set mailbox = null where variant = ?1 and mailbox = ?2 and \
                       not exists \
                       (select 1 from api_keys other where other.account = api_keys.account \
                        and (other.expires is null or other.expires > ?3) \
                        and (other.revoked is null or other.revoked > ?3))";
            transaction.execute(sql, params![variant, mailbox, now.as_second()])?;
            let sql = "update api_keys set mailbox = ?2 where id = ?1";
            transaction
                .execute(sql, params![id.to_string(), mailbox])
                .map(is_any)
        })
    }

    fn replace_key(&self, old: Record, new: Record) -> Pending<'_, bool> {
        let sql = "update api_keys set digest = ?3, last_four = ?4, expires = ?5 where id = ?1 \
                   and digest = ?2";
        let expires = new.expires.map(Timestamp::as_second);
        self.change(
            sql,
            (
                old.id.to_string(),
                old.digest.0,
                new.digest.0,
                new.last_four,
                expires,
            ),
            is_any,
        )
    }
}

fn read_request(row: &Row<'_>) -> rusqlite::Result<KeyRequest> {
    let purpose: String = row.get("purpose")?;
    let unknown = || {
        let message = format!("purpose `{purpose}` of a request");
        rusqlite::Error::FromSqlConversionFailure(0, Type::Text, message.into())
    };
    let has_account: bool = row.get::<_, Option<String>>("account")?.is_some();

    Ok(KeyRequest {
        email: row.get("email")?,
        variant: row.get("variant")?,
        created: moment(row, "created")?.unwrap_or_default(),
        purpose: Purpose::find(&purpose).ok_or_else(unknown)?,
        account: has_account.then(|| uuid(row, "account")).transpose()?,
    })
}
