//! The store in a PostgreSQL database, for several nodes.
//!
//! The database may fail and come back: every question is answered within a moment or with
//! [`Unavailable`], and [`Link`] connects anew by itself.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use jiff::{SignedDuration, Timestamp};
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;
use uuid::Uuid;

use super::link::Link;
use super::session::Session;
use super::{Change, Component, Counted, EventClaim, Health, Pending, Record, Sharing, Store, Terms, Unavailable};
use crate::access::day::Day;
use crate::access::key::Digest;
use crate::access::subject::{Salt, Subject};

/// Maximum rows deleted at a time, so that no query waits long.
const FORGOTTEN: u32 = 10_000;

/// Difference of two clocks that is taken for none.
const TOLERANCE: SignedDuration = SignedDuration::from_secs(2);

/// Difference that somebody should look into.
const WRONG: SignedDuration = SignedDuration::from_secs(60);

/// The store.
#[derive(Debug)]
pub struct Postgres {
    link: Link,
    /// Milliseconds that the database's clock is ahead of the service's.
    offset: AtomicI64,
}

impl Postgres {
    /// Connects. A database that is unavailable is no failure: it will be back.
    pub async fn open(address: &str) -> Result<Self, Unavailable> {
        Ok(Self { link: Link::open(address).await?, offset: AtomicI64::default() })
    }

    /// Learns how the clocks differ. A little is the way of the question there and back, and of no
    /// consequence.
    async fn compare_clocks(&self, now: Timestamp) -> Result<(), Unavailable> {
        let asked = Instant::now();
        let question = async |session: &Session| session.client.query_one(&session.now, &[]).await;
        let theirs: i64 = self.link.ask(Component::Reader, question).await?.try_get(0)?;
        let half_way = i64::try_from(asked.elapsed().as_millis() / 2).unwrap_or_default();
        let offset = theirs - (now.as_millisecond() + half_way);
        let differs = SignedDuration::from_millis(offset).abs() >= TOLERANCE;
        self.offset.store(if differs { offset } else { 0 }, Ordering::Relaxed);
        if SignedDuration::from_millis(offset).abs() < WRONG {
            self.health().recovered(Component::Clock);
        } else {
            let reason = format!("the clock of this machine is {} s from the database's", offset / 1_000);
            self.health().failed(Component::Clock, &reason);
        }
        Ok(())
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
        Box::pin(self.link.ask(Component::Writer, async move |session| {
            session
                .client
                .execute(
                    &session.add_key,
                    &[
                        &record.id,
                        &record.account,
                        &record.digest.0.as_slice(),
                        &record.last_four,
                        &record.variant,
                        &record.plan,
                        &record.email,
                        &record.created.as_second(),
                        &record.expires.map(Timestamp::as_second),
                        &record.revoked.map(Timestamp::as_second),
                        &record.subscription,
                        &record.renews,
                        &record.noticed.map(i32::from),
                    ],
                )
                .await
                .map(drop)
        }))
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

    fn claim_event(&self, id: String, now: Timestamp) -> Pending<'_, EventClaim> {
        Box::pin(self.link.ask(Component::Writer, async move |session| {
            if session.client.execute(&session.claim_event, &[&id, &now.as_second()]).await? > 0 {
                return Ok(EventClaim::Granted);
            }
            // It was removed meanwhile: whoever had claimed it failed.
            let row = session.client.query_opt(&session.event, &[&id]).await?;
            let done = row.map(|row| row.try_get(0)).transpose()?;
            Ok(if done == Some(true) { EventClaim::Done } else { EventClaim::Busy })
        }))
    }

    fn finish_event(&self, id: String, applied: bool) -> Pending<'_, ()> {
        Box::pin(self.link.ask(Component::Writer, async move |session| {
            let statement = if applied { &session.finish_event } else { &session.drop_event };
            session.client.execute(statement, &[&id]).await.map(drop)
        }))
    }

    fn salt(&self, day: Day) -> Pending<'_, Salt> {
        Box::pin(async move {
            let drawn = Salt::draw().map_err(|error| Unavailable(error.to_string()))?;
            let question = async |session: &Session| {
                session.client.execute(&session.add_salt, &[&day.0, &drawn.0.as_slice()]).await?;
                session.client.query_one(&session.salt, &[&day.0]).await
            };
            let row = self.link.ask(Component::Writer, question).await?;
            column::<&[u8]>(&row, "salt").and_then(bytes).map(Salt)
        })
    }

    fn count(&self, changes: Vec<Change>) -> Pending<'_, Vec<Counted>> {
        Box::pin(async move {
            let days: Vec<i32> = changes.iter().map(|change| change.day.0).collect();
            let subjects: Vec<&[u8]> = changes.iter().map(|change| change.subject.0.as_slice()).collect();
            let [by, spare, quota, used] = [
                changes.iter().map(|change| change.by).collect::<Vec<i64>>(),
                changes.iter().map(|change| change.spare).collect(),
                changes.iter().map(|change| change.quota).collect(),
                changes.iter().map(|change| change.used).collect(),
            ];
            let question = async |session: &Session| {
                session.client.execute(&session.add_counts, &[&days, &subjects]).await?;
                session.client.query(&session.count, &[&days, &subjects, &by, &spare, &quota, &used]).await
            };
            self.link.ask(Component::Writer, question).await?.iter().map(counted).collect()
        })
    }

    fn forget(&self, today: Day) -> Pending<'_, bool> {
        Box::pin(self.link.ask(Component::Writer, async move |session| {
            session.client.execute(&session.forget_salts, &[&today.0]).await?;
            session.client.execute(&session.forget_events, &[&today.0]).await?;
            let most = i64::from(FORGOTTEN);
            let gone = session.client.execute(&session.forget_counts, &[&today.0, &most]).await?;
            Ok(gone == u64::from(FORGOTTEN))
        }))
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

fn read(row: &Row) -> Result<Record, Unavailable> {
    let moment = |name| {
        let seconds: Option<i64> = column(row, name)?;
        seconds.map(Timestamp::from_second).transpose().map_err(|error| Unavailable(error.to_string()))
    };
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
    })
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
