//! The store in an SQLite file beside the data.
//!
//! SQLite blocks, so it runs on two threads of its own. One writes in batches, each one transaction
//! that waits for the disk. The other reads: a write-ahead log keeps it from waiting for the writer.

pub mod copy;
mod corrections;
mod file;
mod mailboxes;
mod operation;
mod publications;
mod record;
mod rule_sets;
mod subscription;
mod tables;
mod worker;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Params, Row, Transaction, params};
use uuid::Uuid;

use super::steady_clock::SteadyClock;
use super::{
    Change, Component, Counted, Health, Pending, Purpose, Record, Sharing, Store, Terms,
    USAGE_DAYS, Unavailable, audit::AUDIT_DAYS, availability::AVAILABILITY_DAYS,
    statements_that_write_a_key,
};
use crate::day::Day;
use crate::key::Digest;
use crate::subject::{Salt, Subject};
use file::{StoreFile, failing, failure};
use record::{moment, read, uuid, write_key};
use tables::{
    FULL, PATIENT_WAIT, QUICK, check_integrity, connect, migrate, version, write_nothing_new,
};
use worker::{Job, Worker};

/// Maximum rows deleted at a time, so that no query waits long.
const FORGOTTEN: u32 = 10_000;

/// How long a service waits for a file locked by another program: no longer than its callers.
const SERVING_WAIT: Duration = Duration::from_millis(400);

/// The store, with its threads.
#[derive(Debug)]
pub struct Sqlite {
    writer: Worker,
    reader: Worker,
    health: Arc<Health>,
    clock: SteadyClock,
    /// The last field, so that it is closed after every connection.
    file: StoreFile,
}

/// The parameters of a statement.
trait Sent: Params + Send + 'static {}

impl<P: Params + Send + 'static> Sent for P {}

/// Function that reads a row into a value.
type Read<T> = fn(&Row<'_>) -> rusqlite::Result<T>;

impl Sqlite {
    /// Opens a file, or creates it.
    pub fn open(path: &Path, purpose: Purpose) -> Result<Self, Unavailable> {
        let file = StoreFile::open(path, purpose)?;
        let connect = || connect(path).map_err(failing(path));
        let mut writing = connect()?;
        if purpose == Purpose::Serving {
            check_integrity(&writing, QUICK).map_err(|found| {
                failure(
                    path,
                    &format!("it is damaged, restore a copy ({})", found.trim_end()),
                )
            })?;
        }

        migrate(&mut writing).map_err(failing(path))?;
        let reading = connect()?;
        if purpose == Purpose::Serving {
            for connection in [&writing, &reading] {
                connection
                    .busy_timeout(SERVING_WAIT)
                    .map_err(failing(path))?;
            }
        }

        let health = Arc::<Health>::default();
        let worker = |component, connection| {
            Worker::start(component, connection, Arc::clone(&health)).map_err(failing(path))
        };
        let (writer, reader) = (
            worker(Component::Writer, writing)?,
            worker(Component::Reader, reading)?,
        );
        Ok(Self {
            writer,
            reader,
            health,
            clock: SteadyClock::default(),
            file,
        })
    }

    fn write<T: Send + 'static>(&self, job: impl Job<T>) -> Pending<'_, T> {
        self.writer.run(job)
    }

    fn read<T: Send + 'static>(&self, job: impl Job<T>) -> Pending<'_, T> {
        self.reader.run(job)
    }

    /// Runs a job of the writing thread in one transaction.
    fn transact<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Pending<'_, T> {
        self.write(|connection| {
            let transaction = connection.transaction()?;
            let done = job(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })
    }

    /// The rows that a statement selects.
    fn rows<T: Send + 'static>(
        &self,
        sql: &'static str,
        sent: impl Sent,
        read: Read<T>,
    ) -> Pending<'_, Vec<T>> {
        self.read(move |connection| {
            connection
                .prepare_cached(sql)?
                .query_map(sent, read)?
                .collect()
        })
    }

    /// Runs a statement that changes rows; `map` converts their number.
    fn change<T: Send + 'static>(
        &self,
        sql: &'static str,
        sent: impl Sent,
        map: fn(usize) -> T,
    ) -> Pending<'_, T> {
        self.write(move |connection| connection.execute(sql, sent).map(map))
    }

    /// Runs a statement with each of some parameters, all in one transaction.
    fn change_each<T: Send + 'static>(
        &self,
        sql: &'static str,
        sent: Vec<impl Sent>,
        map: fn(usize) -> T,
    ) -> Pending<'_, T> {
        self.transact(move |transaction| {
            let mut statement = transaction.prepare_cached(sql)?;
            let rows = sent
                .into_iter()
                .map(|sent| statement.execute(sent))
                .sum::<rusqlite::Result<usize>>();
            rows.map(map)
        })
    }

    fn check_clock(&self, now: Timestamp) {
        match self.clock.check(now.into()) {
            None => self.health.recovered(Component::Clock),
            Some(jump) => {
                let reason = format!("the clock of this machine was set by {} s", jump.as_secs());
                self.health.failed(Component::Clock, &reason);
            }
        }
    }

    fn check_file(&self) -> Result<(), Unavailable> {
        if self.file.is_in_place() {
            self.health.recovered(Component::File);
            return Ok(());
        }
        let replaced = self.file.replaced();
        self.health.failed(Component::File, &replaced.0);
        Err(replaced)
    }
}

impl Store for Sqlite {
    fn sharing(&self) -> Sharing {
        Sharing::Alone
    }

    fn health(&self) -> &Health {
        &self.health
    }

    fn add_key(&self, record: Record) -> Pending<'_, ()> {
        // A key that was shown must still be known after a restart: not written to a file that was
        // replaced.
        if let Err(replaced) = self.check_file() {
            return Box::pin(std::future::ready(Err(replaced)));
        }
        self.write(move |connection| add_key(connection, &record))
    }

    fn put_key(&self, record: Record) -> Pending<'_, ()> {
        let [_, put] = statements_that_write_a_key();
        self.write(move |connection| write_key(connection, &put, &record))
    }

    fn find_keys(&self, digests: Vec<Digest>) -> Pending<'_, Vec<Record>> {
        self.read(move |connection| {
            let mut statement =
                connection.prepare_cached("select * from api_keys where digest = ?")?;
            let find =
                |digest: Digest| statement.query_row([digest.0], read).optional().transpose();
            digests.into_iter().filter_map(find).collect()
        })
    }

    fn keys(&self) -> Pending<'_, Vec<Record>> {
        self.rows("select * from api_keys order by created, id", [], read)
    }

    fn revoke_key(&self, id: Uuid, from: Timestamp) -> Pending<'_, bool> {
        let sql = "update api_keys set revoked = min(coalesce(revoked, ?2), ?2) where id = ?1";
        self.change(sql, (id.to_string(), from.as_second()), is_any)
    }

    fn extend_keys(&self, ends: Vec<(Uuid, Timestamp)>) -> Pending<'_, ()> {
        let sql = "update api_keys set expires = ?2 where id = ?1 and coalesce(expires, 0) < ?2";
        self.change_each(
            sql,
            ends.into_iter()
                .map(|(id, end)| (id.to_string(), end.as_second()))
                .collect(),
            drop,
        )
    }

    fn remove_keys(&self, ids: Vec<Uuid>) -> Pending<'_, ()> {
        let ids = ids.into_iter().map(|id| [id.to_string()]).collect();
        self.change_each("delete from api_keys where id = ?", ids, drop)
    }

    fn remove_digests(&self, digests: Vec<Digest>) -> Pending<'_, ()> {
        let digests = digests.into_iter().map(|digest| [digest.0]).collect();
        self.change_each("delete from api_keys where digest = ?", digests, drop)
    }

    fn keys_of_subscription(&self, subscription: String) -> Pending<'_, Vec<Record>> {
        self.rows(
            "select * from api_keys where subscription = ? order by created, id",
            [subscription],
            read,
        )
    }

    fn expiring_keys(&self, now: Timestamp, before: Timestamp) -> Pending<'_, Vec<Record>> {
        let sql = "select * from api_keys where expires > ?1 and expires < ?2 \
                   and (revoked is null or revoked > ?1) order by expires, id";
        self.rows(sql, [now.as_second(), before.as_second()], read)
    }

    fn change_terms(&self, account: Uuid, terms: Terms) -> Pending<'_, bool> {
        self.write(move |connection| change_terms(connection, account, &terms))
    }

    fn set_noticed(&self, id: Uuid, from: Option<u16>, to: Option<u16>) -> Pending<'_, bool> {
        let sql = "update api_keys set noticed = ?3 where id = ?1 and noticed is ?2";
        self.change(sql, (id.to_string(), from, to), is_any)
    }

    fn usage(&self, account: Uuid, since: Day) -> Pending<'_, Vec<(Day, i64)>> {
        let sql = "select day, used from daily_counts where subject = ? and day >= ? and used > 0 \
                   order by day";
        self.rows(sql, (Subject::account(account).0, since.0), |row| {
            Ok((Day(row.get(0)?), row.get(1)?))
        })
    }

    fn salt(&self, day: Day) -> Pending<'_, Salt> {
        let drawn = match Salt::draw() {
            Ok(salt) => salt,
            Err(error) => return Box::pin(std::future::ready(Err(Unavailable(error.to_string())))),
        };
        self.write(move |connection| {
            let sql = "insert into daily_salts (day, salt) values (?, ?) on conflict do nothing";
            // The first salt wins: a restart within the day must find the same pseudonyms.
            connection.execute(sql, params![day.0, drawn.0])?;
            connection
                .query_row(
                    "select salt from daily_salts where day = ?",
                    [day.0],
                    |row| row.get(0),
                )
                .map(Salt)
        })
    }

    fn count(&self, changes: Vec<Change>) -> Pending<'_, Vec<Counted>> {
        // Reads without changes do not wait for the disk.
        if changes
            .iter()
            .all(|change| (change.by, change.spare, change.used) == (0, 0, 0))
        {
            return self.read(move |connection| {
                let counted = |change: &Change| {
                    let (total, used) = known(connection, change)?;
                    Ok(change.counted(0, total, used))
                };
                changes.iter().map(counted).collect()
            });
        }
        self.transact(move |transaction| {
            changes
                .iter()
                .map(|change| apply(transaction, change))
                .collect()
        })
    }

    fn forget(&self, today: Day) -> Pending<'_, bool> {
        let kept = today.before();
        self.write(move |connection| {
            connection.execute("delete from daily_salts where day < ?", [kept.0])?;
            let before = i64::from(kept.0) * 86_400;
            connection.execute("delete from key_requests where created < ?", [before])?;
            let audited = i64::from(today.0 - AUDIT_DAYS) * 86_400;
            connection.execute("delete from audit_log where at < ?", [audited])?;
            let served = today.0 - AVAILABILITY_DAYS;
            connection.execute("delete from served_minutes where day < ?", [served])?;
            // Addresses come first: an account has the first bit of its subject clear.
            let sql = "delete from daily_counts where (day, subject) in \
                       (select day, subject from daily_counts \
                        where day < ?1 and (subject >= x'80' or day < ?2) limit ?3)";
            let gone = connection.execute(sql, params![kept.0, today.0 - USAGE_DAYS, FORGOTTEN])?;
            Ok(gone == FORGOTTEN as usize)
        })
    }

    /// Empties the write-ahead log, so that the file alone holds everything.
    fn close(&self) -> Pending<'_, ()> {
        self.write(|connection| {
            connection.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(()))
        })
    }

    fn time(&self, now: SystemTime) -> SystemTime {
        self.clock.time(now)
    }

    fn check(&self, now: Timestamp) -> Pending<'_, ()> {
        Box::pin(async move {
            self.check_clock(now);
            let health = Arc::clone(&self.health);
            let write = move |connection: &mut Connection| {
                if health.is_failing(Component::Writer) {
                    write_nothing_new(connection)
                } else {
                    Ok(())
                }
            };
            tokio::join!(
                self.reader
                    .probe(|connection| version(connection).map(drop)),
                self.writer.probe(write)
            );
            self.check_file()
        })
    }
}

/// Whether any row was changed.
fn is_any(rows: usize) -> bool {
    rows > 0
}

fn add_key(connection: &Connection, record: &Record) -> rusqlite::Result<()> {
    let [add, _] = statements_that_write_a_key();
    write_key(connection, &add, record)
}

/// Changes the terms of the keys of an account; returns whether it has any.
fn change_terms(connection: &Connection, account: Uuid, terms: &Terms) -> rusqlite::Result<bool> {
    let sql = "update api_keys set plan = ?2, email = ?3, expires = ?4, renews = ?5, \
               noticed = case when expires is ?4 then noticed end, \
               mailbox = case when plan is ?2 and email is ?3 then mailbox end where account = ?1";
    let expires = terms.expires.map(Timestamp::as_second);
    let row = params![
        account.to_string(),
        terms.plan,
        terms.email,
        expires,
        terms.renews
    ];
    Ok(connection.execute(sql, row)? > 0)
}

/// The total of a count, and its answered calls.
fn known(connection: &Connection, change: &Change) -> rusqlite::Result<(i64, i64)> {
    let sql = "select total, used from daily_counts where day = ? and subject = ?";
    let mut statement = connection.prepare_cached(sql)?;
    let both = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    Ok(statement
        .query_row(params![change.day.0, change.subject.0], both)
        .optional()?
        .unwrap_or_default())
}

fn apply(transaction: &Transaction<'_>, change: &Change) -> rusqlite::Result<Counted> {
    // In one immediate transaction: no other process can take the same calls in between.
    let (total, used) = known(transaction, change)?;
    let (by, used) = (change.allowed(total), used + change.used);
    if (by, change.used) != (0, 0) {
        let sql = "insert into daily_counts (day, subject, total, used) values (?1, ?2, ?3, ?4) \
                   on conflict do update set total = ?3, used = ?4";
        transaction.prepare_cached(sql)?.execute(params![
            change.day.0,
            change.subject.0,
            total + by,
            used
        ])?;
    }
    Ok(change.counted(by, total + by, used))
}
