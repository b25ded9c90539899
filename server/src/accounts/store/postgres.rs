//! The store in a PostgreSQL database, for several nodes.
//!
//! The database may fail and come back: every query is answered within a moment or with [`Unavailable`], and [`Link`]
//! reconnects by itself.

pub(super) mod mailboxes;
pub(super) mod subscription;

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use jiff::{SignedDuration, Timestamp};
use tokio_postgres::types::{FromSql, ToSql};
use tokio_postgres::{Error, Row, Statement};
use uuid::Uuid;

use super::link::Link;
use super::session::Session;
use super::{
    Change, Component, Counted, Delivery, Health, KEY_COLUMNS, Pending, Record, Sharing, Store, Terms, Unavailable,
};
use crate::accounts::day::Day;
use crate::accounts::key::Digest;
use crate::accounts::subject::{Salt, Subject};

/// Maximum rows deleted at a time, so that no query waits long.
const FORGOTTEN: u32 = 10_000;

/// How often a statement is sent when another node inserts its row at the same time: at the second attempt the row
/// exists.
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
        Ok(Self { link: Link::open(address).await?, offset: AtomicI64::default() })
    }

    /// Makes the changes whose rows are there or can be created.
    async fn count_once(&self, changes: &[Change]) -> Result<Vec<Counted>, Unavailable> {
        let days: Vec<i32> = changes.iter().map(|change| change.day.0).collect();
        let subjects: Vec<&[u8]> = changes.iter().map(|change| change.subject.0.as_slice()).collect();
        let [by, spare, quota, used] = [
            changes.iter().map(|change| change.by).collect::<Vec<i64>>(),
            changes.iter().map(|change| change.spare).collect(),
            changes.iter().map(|change| change.quota).collect(),
            changes.iter().map(|change| change.used).collect(),
        ];
        let question = async |session: &Session| {
            session.client.query(&session.count, &[&days, &subjects, &by, &spare, &quota, &used]).await
        };
        self.link.ask(Component::Writer, question).await?.iter().map(counted).collect()
    }

    /// Measures the difference of the clocks. A small one is the round trip of the query, and without consequence.
    async fn compare_clocks(&self, now: Timestamp) -> Result<(), Unavailable> {
        let asked = Instant::now();
        let question = async |session: &Session| session.client.query_one(&session.now, &[]).await;
        let theirs: i64 = self.link.ask(Component::Reader, question).await?.try_get(0)?;
        let half_way = i64::try_from(asked.elapsed().as_millis() / 2).unwrap_or_default();
        let offset = theirs - (now.as_millisecond() + half_way);
        self.offset.store(followed(offset), Ordering::Relaxed);
        if SignedDuration::from_millis(offset).abs() < WRONG {
            self.health().recovered(Component::Clock);
        } else {
            let reason = format!("the clock of this machine is {} s from the database's", offset / 1_000);
            self.health().failed(Component::Clock, &reason);
        }
        Ok(())
    }
}

/// The part of a difference of two clocks, in milliseconds, that counting makes up for: a small one is taken for none.
pub(in crate::accounts) fn followed(offset: i64) -> i64 {
    if SignedDuration::from_millis(offset).abs() >= TOLERANCE { offset } else { 0 }
}

impl Store for Postgres {
    fn sharing(&self) -> Sharing {
        Sharing::Several
    }

    fn health(&self) -> &Health {
        self.link.health()
    }

    fn add_key(&self, record: Record) -> Pending<'_, ()> {
        Box::pin(
            self.link.ask(Component::Writer, async move |session| write_key(session, &session.add_key, &record).await),
        )
    }

    fn put_key(&self, record: Record) -> Pending<'_, ()> {
        Box::pin(
            self.link.ask(Component::Writer, async move |session| write_key(session, &session.put_key, &record).await),
        )
    }

    fn find_keys(&self, digests: Vec<Digest>) -> Pending<'_, Vec<Record>> {
        Box::pin(async move {
            let digests: Vec<&[u8]> = digests.iter().map(|digest| digest.0.as_slice()).collect();
            let question = async |session: &Session| session.client.query(&session.find_keys, &[&digests]).await;
            self.link.ask(Component::Reader, question).await?.iter().map(read).collect()
        })
    }

    fn keys(&self) -> Pending<'_, Vec<Record>> {
        Box::pin(async move {
            let question = async |session: &Session| session.client.query(&session.keys, &[]).await;
            self.link.ask(Component::Reader, question).await?.iter().map(read).collect()
        })
    }

    fn revoke_key(&self, id: Uuid, from: Timestamp) -> Pending<'_, bool> {
        Box::pin(self.link.ask(Component::Writer, async move |session| {
            Ok(session.client.execute(&session.revoke_key, &[&id, &from.as_second()]).await? > 0)
        }))
    }

    fn extend_keys(&self, ends: Vec<(Uuid, Timestamp)>) -> Pending<'_, ()> {
        Box::pin(self.link.ask(Component::Writer, async move |session| {
            let ids: Vec<Uuid> = ends.iter().map(|(id, _)| *id).collect();
            let moments: Vec<i64> = ends.iter().map(|(_, end)| end.as_second()).collect();
            session.client.execute(&session.extend_keys, &[&ids, &moments]).await.map(drop)
        }))
    }

    fn remove_keys(&self, ids: Vec<Uuid>) -> Pending<'_, ()> {
        Box::pin(self.link.ask(Component::Writer, async move |session| {
            session.client.execute(&session.remove_keys, &[&ids]).await.map(drop)
        }))
    }

    fn remove_digests(&self, digests: Vec<Digest>) -> Pending<'_, ()> {
        Box::pin(self.link.ask(Component::Writer, async move |session| {
            let digests: Vec<&[u8]> = digests.iter().map(|digest| digest.0.as_slice()).collect();
            session.client.execute(&session.remove_digests, &[&digests]).await.map(drop)
        }))
    }

    fn keys_of_subscription(&self, subscription: String) -> Pending<'_, Vec<Record>> {
        Box::pin(async move {
            let question =
                async |session: &Session| session.client.query(&session.keys_of_subscription, &[&subscription]).await;
            self.link.ask(Component::Reader, question).await?.iter().map(read).collect()
        })
    }

    fn expiring_keys(&self, now: Timestamp, before: Timestamp) -> Pending<'_, Vec<Record>> {
        Box::pin(async move {
            let question = async |session: &Session| {
                session.client.query(&session.expiring_keys, &[&now.as_second(), &before.as_second()]).await
            };
            self.link.ask(Component::Reader, question).await?.iter().map(read).collect()
        })
    }

    fn change_terms(&self, account: Uuid, terms: Terms) -> Pending<'_, bool> {
        Box::pin(self.link.ask(Component::Writer, async move |session| {
            let Terms { plan, email, expires, renews } = &terms;
            let expires = expires.map(Timestamp::as_second);
            let statement = &session.change_terms;
            Ok(session.client.execute(statement, &[&account, plan, email, &expires, renews]).await? > 0)
        }))
    }

    fn set_noticed(&self, id: Uuid, from: Option<u16>, to: Option<u16>) -> Pending<'_, bool> {
        Box::pin(self.link.ask(Component::Writer, async move |session| {
            let [from, to] = [from, to].map(|days| days.map(i32::from));
            Ok(session.client.execute(&session.set_noticed, &[&id, &from, &to]).await? > 0)
        }))
    }

    fn usage(&self, account: Uuid, since: Day) -> Pending<'_, Vec<(Day, i64)>> {
        Box::pin(async move {
            let subject = Subject::account(account);
            let question = async |session: &Session| {
                session.client.query(&session.usage, &[&subject.0.as_slice(), &since.0]).await
            };
            let rows = self.link.ask(Component::Reader, question).await?;
            rows.iter().map(|row| Ok((Day(column(row, "day")?), column(row, "used")?))).collect()
        })
    }

    fn salt(&self, day: Day) -> Pending<'_, Salt> {
        Box::pin(async move {
            let drawn = Salt::draw().map_err(|error| Unavailable(error.to_string()))?;
            for _ in 0..TRIES {
                let question = async |session: &Session| {
                    session.client.query_opt(&session.salt, &[&day.0, &drawn.0.as_slice()]).await
                };
                if let Some(row) = self.link.ask(Component::Writer, question).await? {
                    return column::<&[u8]>(&row, "salt").and_then(bytes).map(Salt);
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
                    !all.iter().any(|counted| (counted.day, counted.subject) == (change.day, change.subject))
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
            let forget = async |session: &Session| session.client.execute(&session.forget_salts, &[&today.0]).await;
            self.link.ask(Component::Writer, forget).await?;
            let forget = async |session: &Session| session.client.execute(&session.forget_requests, &[&today.0]).await;
            self.link.ask(Component::Writer, forget).await?;
            let most = i64::from(FORGOTTEN);
            let forget =
                async |session: &Session| session.client.execute(&session.forget_counts, &[&today.0, &most]).await;
            Ok(self.link.ask(Component::Writer, forget).await? == u64::from(FORGOTTEN))
        })
    }

    fn check(&self, now: Timestamp) -> Pending<'_, ()> {
        Box::pin(async move {
            self.compare_clocks(now).await?;
            if self.health().is_failing(Component::Writer) {
                let write = async |session: &Session| session.client.execute(&session.write_nothing_new, &[]).await;
                self.link.ask(Component::Writer, write).await?;
            }
            Ok(())
        })
    }

    fn clock_offset(&self) -> SignedDuration {
        SignedDuration::from_millis(self.offset.load(Ordering::Relaxed))
    }
}

/// A parameter of a statement.
type Parameter<'p> = &'p (dyn ToSql + Sync);

/// A key as columns, in the types of the database.
struct KeyRow<'r> {
    digest: &'r [u8],
    created: i64,
    expires: Option<i64>,
    revoked: Option<i64>,
    noticed: Option<i32>,
    delivery: &'static str,
    attempts: i32,
    attempt_at: Option<i64>,
}

impl<'r> KeyRow<'r> {
    fn of(record: &'r Record) -> Self {
        Self {
            digest: record.digest.0.as_slice(),
            created: record.created.as_second(),
            expires: record.expires.map(Timestamp::as_second),
            revoked: record.revoked.map(Timestamp::as_second),
            noticed: record.noticed.map(i32::from),
            delivery: record.delivery.name(),
            attempts: i32::try_from(record.attempts).unwrap_or(i32::MAX),
            attempt_at: record.attempt_at.map(Timestamp::as_second),
        }
    }

    /// The values, in the order of [`KEY_COLUMNS`].
    fn parameters<'p>(&'p self, record: &'p Record) -> [Parameter<'p>; KEY_COLUMNS.len()] {
        [
            &record.id,
            &record.account,
            &self.digest,
            &record.last_four,
            &record.variant,
            &record.plan,
            &record.email,
            &self.created,
            &self.expires,
            &self.revoked,
            &record.subscription,
            &record.renews,
            &self.noticed,
            &self.delivery,
            &self.attempts,
            &self.attempt_at,
        ]
    }
}

async fn write_key(session: &Session, statement: &Statement, record: &Record) -> Result<(), Error> {
    session.client.execute(statement, &KeyRow::of(record).parameters(record)).await.map(drop)
}

fn moment(row: &Row, name: &str) -> Result<Option<Timestamp>, Unavailable> {
    let seconds: Option<i64> = column(row, name)?;
    seconds.map(Timestamp::from_second).transpose().map_err(|error| Unavailable(error.to_string()))
}

fn read(row: &Row) -> Result<Record, Unavailable> {
    let moment = |name| moment(row, name);
    Ok(Record {
        id: column(row, "id")?,
        account: column(row, "account")?,
        digest: Digest(bytes(column(row, "digest")?)?),
        last_four: column(row, "last_four")?,
        variant: column(row, "variant")?,
        plan: column(row, "plan")?,
        email: column(row, "email")?,
        created: moment("created")?.unwrap_or_default(),
        expires: moment("expires")?,
        revoked: moment("revoked")?,
        subscription: column(row, "subscription")?,
        renews: column(row, "renews")?,
        noticed: column::<Option<i32>>(row, "noticed")?.and_then(|days| u16::try_from(days).ok()),
        delivery: delivery(&column::<String>(row, "delivery")?)?,
        attempts: u32::try_from(column::<i32>(row, "attempts")?).unwrap_or_default(),
        attempt_at: moment("attempt_at")?,
    })
}

fn delivery(name: &str) -> Result<Delivery, Unavailable> {
    Delivery::find(name).ok_or_else(|| Unavailable(format!("a key in the state `{name}`")))
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
    bytes.try_into().map_err(|_| Unavailable(format!("{N} bytes expected")))
}
