//! Uses of laws, and e-mails about corrections, in a PostgreSQL database.

use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

use super::super::corrections::{Corrections, Law, LawUse, ReaderUse, USE_DAYS};
use super::super::{Component, Pending, Unavailable};
use super::{KEPT, Postgres, column, is_any, moment, sent};
use crate::day::Day;

impl Corrections for Postgres {
    fn add_law_uses(&self, mut uses: Vec<LawUse>) -> Pending<'_, ()> {
        // Every node locks the rows in the same order, so that none waits for another in a circle.
        uses.sort_unstable();
        let accounts: Vec<Uuid> = uses.iter().map(|used| used.account).collect();
        let counts: Vec<i64> = uses.iter().map(|used| used.calls).collect();
        let days: Vec<i32> = uses.iter().map(|used| used.day.0).collect();
        let (folders, versions) = texts(uses.into_iter().map(|used| used.law));

        let sql = "insert into law_uses as known (folder, version, account, calls, day) \
                   select * from unnest($1, $2, $3, $4, $5) \
                   on conflict (folder, version, account) do update \
                   set calls = known.calls + excluded.calls, \
                   day = greatest(known.day, excluded.day)";
        let sent = sent![
            folders => TEXT_ARRAY,
            versions => TEXT_ARRAY,
            accounts => UUID_ARRAY,
            counts => INT8_ARRAY,
            days => INT4_ARRAY,
        ];
        self.change(sql, sent, drop)
    }

    fn law_uses(&self, laws: Vec<Law>, since: Day) -> Pending<'_, Vec<ReaderUse>> {
        let (folders, versions) = texts(laws.into_iter());
        let sql = "select folder, version, account, calls, day, since from law_uses \
                   join unnest($1, $2) as asked (folder, version) using (folder, version) \
                   join correction_readers using (account) where day >= $3";
        let sent = sent![folders => TEXT_ARRAY, versions => TEXT_ARRAY, since.0 => INT4];
        self.rows(Component::Reader, sql, sent, read_use)
    }

    fn set_correction_reader(&self, account: Uuid, since: Option<Timestamp>) -> Pending<'_, ()> {
        match since {
            Some(since) => self.change(
                "insert into correction_readers (account, since) values ($1, $2) \
                 on conflict do nothing",
                sent![account => UUID, since.as_second() => INT8],
                drop,
            ),
            None => self.change(
                "delete from correction_readers where account = $1",
                sent![account => UUID],
                drop,
            ),
        }
    }

    fn correction_reader(&self, account: Uuid) -> Pending<'_, Option<Timestamp>> {
        let sql = "select since from correction_readers where account = $1";
        let found = self.rows(Component::Reader, sql, sent![account => UUID], |row| {
            moment(row, "since")
        });
        Box::pin(async move { Ok(found.await?.pop().flatten()) })
    }

    fn claim_letter(&self, set: i64, account: Uuid, now: Timestamp) -> Pending<'_, bool> {
        let sql = "insert into correction_letters (number, account, sent) values ($1, $2, $3) \
                   on conflict do nothing";
        let sent = sent![set => INT8, account => UUID, now.as_second() => INT8];
        self.change(sql, sent, is_any)
    }

    fn release_letter(&self, set: i64, account: Uuid) -> Pending<'_, ()> {
        let sql = "delete from correction_letters where number = $1 and account = $2";
        self.change(sql, sent![set => INT8, account => UUID], drop)
    }

    fn forget_law_uses(&self, today: Day) -> Pending<'_, ()> {
        let first = format!("{KEPT} + 1 - {USE_DAYS}");
        let sql = format!(
            "with gone as (delete from law_uses where day < {first}) \
             delete from correction_letters where sent < ({first})::bigint * 86400"
        );
        self.change(sql, sent![today.0 => INT4], drop)
    }
}

fn texts(laws: impl Iterator<Item = Law>) -> (Vec<String>, Vec<String>) {
    laws.map(|law| (law.folder, law.version)).unzip()
}

fn read_use(row: &Row) -> Result<ReaderUse, Unavailable> {
    let law = Law {
        folder: column(row, "folder")?,
        version: column(row, "version")?,
    };
    Ok(ReaderUse {
        used: LawUse {
            law,
            account: column(row, "account")?,
            calls: column(row, "calls")?,
            day: Day(column(row, "day")?),
        },
        since: moment(row, "since")?.unwrap_or_default(),
    })
}
