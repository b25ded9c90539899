//! The store in a PostgreSQL database, for several nodes.
//! Every query is answered within a moment or with [`Unavailable`]; [`Link`] reconnects by itself.

mod corrections;
mod link;
pub(super) mod mailboxes;
mod operation;
mod publications;
mod record;
mod rule_sets;
mod session;
pub(super) mod subscription;

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use jiff::{SignedDuration, Timestamp};
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, ToSql, Type};
use uuid::Uuid;

use super::{
    Change, Component, Counted, Health, Pending, Record, Sharing, Store, Terms, USAGE_DAYS,
    Unavailable, audit::AUDIT_DAYS, availability::AVAILABILITY_DAYS, statements_that_write_a_key,
};
use crate::day::Day;
use crate::key::Digest;
use crate::subject::{Salt, Subject};
use link::Link;
use record::{columns, moment, read};
use session::{Session, select_keys};

/// The parameters of a statement, each with its type: the database need not be asked for it first.
macro_rules! sent {
    ($($value:expr => $ty:ident),* $(,)?) => {
        vec![$((Box::new($value) as Box<dyn ToSql + Send + Sync>, Type::$ty)),*]
    };
}
use sent;

/// Maximum rows deleted at a time, so that no query waits long.
const FORGOTTEN: i64 = 10_000;

/// Attempts of a statement whose row another node inserts meanwhile: the second finds it.
const TRIES: u8 = 3;

/// Differences of clocks up to this are ignored.
const TOLERANCE: SignedDuration = SignedDuration::from_secs(2);

/// Difference of clocks that somebody should investigate.
const WRONG: SignedDuration = SignedDuration::from_secs(60);

/// The store.
#[derive(Debug)]
pub struct Postgres {
    link: Link,
    /// Milliseconds that the database's clock is ahead of the service's.
    offset: AtomicI64,
}

impl Postgres {
    /// Connects. An unavailable database is not an error: it will be back.
    pub async fn open(address: &str) -> Result<Self, Unavailable> {
        Ok(Self {
            link: Link::open(address).await?,
            offset: AtomicI64::default(),
        })
    }

    /// The rows that a statement selects or returns.
    fn rows<'a, T: Send + 'a>(
        &'a self,
        component: Component,
        sql: impl Into<String>,
        sent: Vec<Parameter>,
        read: fn(&Row) -> Result<T, Unavailable>,
    ) -> Pending<'a, Vec<T>> {
        let sql = sql.into();
        Box::pin(async move {
            let question =
                async |session: &Session| session.client.query_typed(&sql, &borrowed(&sent)).await;
            self.link
                .ask(component, question)
                .await?
                .iter()
                .map(read)
                .collect()
        })
    }

    fn select_keys(&self, condition: &str, sent: Vec<Parameter>) -> Pending<'_, Vec<Record>> {
        self.rows(Component::Reader, select_keys(condition), sent, read)
    }

    /// Runs a statement that changes rows; `map` converts their number.
    fn change<T: 'static>(
        &self,
        sql: impl Into<String>,
        sent: Vec<Parameter>,
        map: fn(u64) -> T,
    ) -> Pending<'_, T> {
        let sql = sql.into();
        Box::pin(async move {
            let change = async |session: &Session| {
                session.client.execute_typed(&sql, &borrowed(&sent)).await
            };
            self.link.ask(Component::Writer, change).await.map(map)
        })
    }

    /// Makes the changes whose rows are there or can be created.
    async fn count_once(&self, changes: &[Change]) -> Result<Vec<Counted>, Unavailable> {
        let days: Vec<i32> = changes.iter().map(|change| change.day.0).collect();
        let subjects: Vec<&[u8]> = changes
            .iter()
            .map(|change| change.subject.0.as_slice())
            .collect();
        let [by, spare, quota, used] = [
            changes.iter().map(|change| change.by).collect::<Vec<i64>>(),
            changes.iter().map(|change| change.spare).collect(),
            changes.iter().map(|change| change.quota).collect(),
            changes.iter().map(|change| change.used).collect(),
        ];
        let question = async |session: &Session| {
            session
                .client
                .query(
                    &session.count,
                    &[&days, &subjects, &by, &spare, &quota, &used],
                )
                .await
        };
        self.link
            .ask(Component::Writer, question)
            .await?
            .iter()
            .map(counted)
            .collect()
    }

    /// Measures the difference of the clocks. A small one is the round trip of the query, and
    /// without consequence.
    async fn compare_clocks(&self, now: Timestamp) -> Result<(), Unavailable> {
        let asked = Instant::now();

        let sql = "select (extract(epoch from clock_timestamp()) * 1000)::bigint as now";
        let theirs = self
            .rows(Component::Reader, sql, sent![], |row| {
                column::<i64>(row, "now")
            })
            .await?;
        let theirs = theirs.first().copied().unwrap_or_default();

        // The database read its clock some time during the round trip: half of it is the best
        // guess.
        let half_way = i64::try_from(asked.elapsed().as_millis() / 2).unwrap_or_default();
        let offset = theirs - (now.as_millisecond() + half_way);
        self.offset.store(followed(offset), Ordering::Relaxed);

        if SignedDuration::from_millis(offset).abs() < WRONG {
            self.health().recovered(Component::Clock);
        } else {
            let reason = format!(
                "the clock of this machine is {} s from the database's",
                offset / 1_000
            );
            self.health().failed(Component::Clock, &reason);
        }
        Ok(())
    }
}

/// The part of a difference of two clocks, in milliseconds, that counting makes up for: a small one
/// is taken for none.
pub(crate) fn followed(offset: i64) -> i64 {
    if SignedDuration::from_millis(offset).abs() >= TOLERANCE {
        offset
    } else {
        0
    }
}

impl Store for Postgres {
    fn sharing(&self) -> Sharing {
        Sharing::Several
    }

    fn health(&self) -> &Health {
        self.link.health()
    }

    fn add_key(&self, record: Record) -> Pending<'_, ()> {
        let [add, _] = statements_that_write_a_key();
        self.change(add, columns(record), drop)
    }

    fn put_key(&self, record: Record) -> Pending<'_, ()> {
        let [_, put] = statements_that_write_a_key();
        self.change(put, columns(record), drop)
    }

    fn find_keys(&self, digests: Vec<Digest>) -> Pending<'_, Vec<Record>> {
        Box::pin(async move {
            let digests: Vec<&[u8]> = digests.iter().map(|digest| digest.0.as_slice()).collect();
            let question = async |session: &Session| {
                session.client.query(&session.find_keys, &[&digests]).await
            };
            self.link
                .ask(Component::Reader, question)
                .await?
                .iter()
                .map(read)
                .collect()
        })
    }

    fn keys(&self) -> Pending<'_, Vec<Record>> {
        self.select_keys("order by created, id", sent![])
    }

    fn revoke_key(&self, id: Uuid, from: Timestamp) -> Pending<'_, bool> {
        // The earlier moment wins: a second revocation never lengthens the life of a key.
        let sql = "update api_keys set revoked = least(revoked, $2) where id = $1";
        self.change(sql, sent![id => UUID, from.as_second() => INT8], is_any)
    }

    fn extend_keys(&self, ends: Vec<(Uuid, Timestamp)>) -> Pending<'_, ()> {
        let (ids, moments): (Vec<Uuid>, Vec<i64>) = ends
            .into_iter()
            .map(|(id, end)| (id, end.as_second()))
            .unzip();
        self.change(
            EXTEND_KEYS,
            sent![ids => UUID_ARRAY, moments => INT8_ARRAY],
            drop,
        )
    }

    fn remove_keys(&self, ids: Vec<Uuid>) -> Pending<'_, ()> {
        self.change(
            "delete from api_keys where id = any($1)",
            sent![ids => UUID_ARRAY],
            drop,
        )
    }

    fn remove_digests(&self, digests: Vec<Digest>) -> Pending<'_, ()> {
        let digests: Vec<Vec<u8>> = digests.iter().map(|digest| digest.0.to_vec()).collect();
        self.change(
            "delete from api_keys where digest = any($1)",
            sent![digests => BYTEA_ARRAY],
            drop,
        )
    }

    fn keys_of_subscription(&self, subscription: String) -> Pending<'_, Vec<Record>> {
        self.select_keys(
            "where subscription = $1 order by created, id",
            sent![subscription => TEXT],
        )
    }

    fn expiring_keys(&self, now: Timestamp, before: Timestamp) -> Pending<'_, Vec<Record>> {
        let condition = "where expires > $1 and expires < $2 and (revoked is null or revoked > \
                         $1) order by expires, id";
        self.select_keys(
            condition,
            sent![now.as_second() => INT8, before.as_second() => INT8],
        )
    }

    fn change_terms(&self, account: Uuid, terms: Terms) -> Pending<'_, bool> {
        let Terms {
            plan,
            email,
            expires,
            renews,
        } = terms;
        let expires = expires.map(Timestamp::as_second);
        let sent =
            sent![account => UUID, plan => TEXT, email => TEXT, expires => INT8, renews => BOOL];
        self.change(CHANGE_TERMS, sent, is_any)
    }

    fn set_noticed(&self, id: Uuid, from: Option<u16>, to: Option<u16>) -> Pending<'_, bool> {
        let sql =
            "update api_keys set noticed = $3 where id = $1 and noticed is not distinct from $2";
        let [from, to] = [from, to].map(|days| days.map(i32::from));
        self.change(sql, sent![id => UUID, from => INT4, to => INT4], is_any)
    }

    fn usage(&self, account: Uuid, since: Day) -> Pending<'_, Vec<(Day, i64)>> {
        let sql = "select day, used from daily_counts where subject = $1 and day >= $2 and used > \
                   0 order by day";
        let sent = sent![Subject::account(account).0.to_vec() => BYTEA, since.0 => INT4];
        let used = |row: &Row| Ok((Day(column(row, "day")?), column(row, "used")?));
        self.rows(Component::Reader, sql, sent, used)
    }

    fn salt(&self, day: Day) -> Pending<'_, Salt> {
        Box::pin(async move {
            // Each node draws one, and the first insert wins: all nodes use the same salt of the
            // day.
            let drawn = Salt::draw().map_err(|error| Unavailable(error.to_string()))?;
            let kept = |row: &Row| column::<&[u8]>(row, "salt").and_then(bytes).map(Salt);
            for _ in 0..TRIES {
                let sent = sent![day.0 => INT4, drawn.0.to_vec() => BYTEA];
                if let Some(salt) = self.rows(Component::Writer, SALT, sent, kept).await?.pop() {
                    return Ok(salt);
                }
            }
            Err(Unavailable("others add the salt of the day".to_owned()))
        })
    }

    fn count(&self, mut changes: Vec<Change>) -> Pending<'_, Vec<Counted>> {
        Box::pin(async move {
            let mut all = Vec::new();
            for _ in 0..TRIES {
                all.extend(self.count_once(&changes).await?);
                // Changes whose row another node created at the same time were not applied.
                changes.retain(|change| {
                    !all.iter().any(|counted| {
                        (counted.day, counted.subject) == (change.day, change.subject)
                    })
                });
                if changes.is_empty() {
                    break;
                }
            }
            Ok(all)
        })
    }

    fn forget(&self, today: Day) -> Pending<'_, bool> {
        Box::pin(async move {
            let salts = format!("delete from daily_salts where day < {KEPT}");
            self.change(salts, sent![today.0 => INT4], drop).await?;
            let requests =
                format!("delete from key_requests where created < ({KEPT})::bigint * 86400");
            self.change(requests, sent![today.0 => INT4], drop).await?;
            let audited = format!(
                "delete from audit_log where at < ({KEPT} + 1 - {AUDIT_DAYS})::bigint * 86400"
            );
            self.change(audited, sent![today.0 => INT4], drop).await?;
            let served =
                format!("delete from served_minutes where day < {KEPT} + 1 - {AVAILABILITY_DAYS}");
            self.change(served, sent![today.0 => INT4], drop).await?;

            let counts = format!(
                "delete from daily_counts where (day, subject) in \
                 (select day, subject from daily_counts where day < {KEPT} \
                  and (subject >= '\\x80'::bytea or day < {KEPT} + 1 - {USAGE_DAYS}) limit $2)"
            );
            let sent = sent![today.0 => INT4, FORGOTTEN => INT8];
            self.change(counts, sent, |rows| rows == FORGOTTEN.unsigned_abs())
                .await
        })
    }

    fn check(&self, now: Timestamp) -> Pending<'_, ()> {
        Box::pin(async move {
            // Also the probe of the reader: an idle service notices an outage before its next
            // caller.
            self.compare_clocks(now).await?;
            // A component recovers by its own work alone: without a call that writes, this is the
            // one.
            if self.health().is_failing(Component::Writer) {
                self.change(WRITE_NOTHING_NEW, sent![], drop).await?;
            }
            Ok(())
        })
    }

    fn clock_offset(&self) -> SignedDuration {
        SignedDuration::from_millis(self.offset.load(Ordering::Relaxed))
    }
}

const CHANGE_TERMS: &str = "
    update api_keys set plan = $2, email = $3, expires = $4, renews = $5,
        noticed = case when expires is not distinct from $4 then noticed end,
        mailbox = case when plan = $2 and email = $3 then mailbox end
    where account = $1";

/// The first day that is kept: yesterday, by the clock of the database, or by that of the node if
/// it is behind.
const KEPT: &str = "least($1::int, floor(extract(epoch from now()) / 86400)::int) - 1";

/// Locks the rows in their order, as counts do.
const EXTEND_KEYS: &str = "
    with locked as (
        select keys.id, asked.expires
        from api_keys keys join unnest($1, $2) as asked (id, expires) using (id)
        order by keys.id
        for update of keys
    )
    update api_keys keys set expires = locked.expires
    from locked where keys.id = locked.id and coalesce(keys.expires, 0) < locked.expires";

/// A write that changes nothing, but goes to the disk as any other.
const WRITE_NOTHING_NEW: &str = "
    update bareme_migrations set version = version where version = (select max(version) from \
    bareme_migrations)";

/// The salt of a day, which is added if there is none; no row if another node adds one at the same
/// moment.
const SALT: &str = "
    with added as (insert into daily_salts (day, salt) values ($1, $2) on conflict do nothing \
    returning salt)
    select salt from added union all select salt from daily_salts where day = $1";

/// A parameter of a statement, with its type.
type Parameter = (Box<dyn ToSql + Send + Sync>, Type);

fn borrowed(sent: &[Parameter]) -> Vec<(&(dyn ToSql + Sync), Type)> {
    sent.iter()
        .map(|(value, ty)| (value.as_ref() as &(dyn ToSql + Sync), ty.clone()))
        .collect()
}

/// Whether any row was changed.
fn is_any(rows: u64) -> bool {
    rows > 0
}

fn counted(row: &Row) -> Result<Counted, Unavailable> {
    Ok(Counted {
        day: Day(column(row, "day")?),
        subject: Subject(bytes(column(row, "subject")?)?),
        by: column(row, "allowed")?,
        total: column(row, "total")?,
        used: column(row, "used")?,
    })
}

fn column<'r, T: FromSql<'r>>(row: &'r Row, name: &str) -> Result<T, Unavailable> {
    Ok(row.try_get(name)?)
}

fn bytes<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Unavailable> {
    bytes
        .try_into()
        .map_err(|_| Unavailable(format!("{N} bytes expected")))
}
