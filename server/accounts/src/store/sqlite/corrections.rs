//! Uses of laws, and e-mails about corrections, in an SQLite file.

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Row, params};
use uuid::Uuid;

use super::super::Pending;
use super::super::corrections::{Corrections, Law, LawUse, ReaderUse, USE_DAYS};
use super::{Sqlite, is_any, moment, uuid};
use crate::day::Day;

impl Corrections for Sqlite {
    fn add_law_uses(&self, uses: Vec<LawUse>) -> Pending<'_, ()> {
        let sql = "insert into law_uses (folder, version, account, calls, day) \
                   values (?1, ?2, ?3, ?4, ?5) on conflict do update \
                   set calls = calls + excluded.calls, day = max(day, excluded.day)";
        let row = |used: LawUse| {
            let LawUse {
                law,
                account,
                calls,
                day,
            } = used;
            (law.folder, law.version, account.to_string(), calls, day.0)
        };
        self.change_each(sql, uses.into_iter().map(row).collect(), drop)
    }

    fn law_uses(&self, laws: Vec<Law>, since: Day) -> Pending<'_, Vec<ReaderUse>> {
        self.read(move |connection| {
            let sql = "select * from law_uses join correction_readers using (account) \
                       where folder = ? and version = ? and day >= ?";
            let mut statement = connection.prepare_cached(sql)?;
            let mut found = Vec::new();
            for law in laws {
                let row = params![law.folder, law.version, since.0];
                for used in statement.query_map(row, read_use)? {
                    found.push(used?);
                }
            }
            Ok(found)
        })
    }

    fn set_correction_reader(&self, account: Uuid, since: Option<Timestamp>) -> Pending<'_, ()> {
        let account = account.to_string();
        match since {
            Some(since) => self.change(
                "insert into correction_readers (account, since) values (?, ?) \
                 on conflict do nothing",
                (account, since.as_second()),
                drop,
            ),
            None => self.change(
                "delete from correction_readers where account = ?",
                [account],
                drop,
            ),
        }
    }

    fn correction_reader(&self, account: Uuid) -> Pending<'_, Option<Timestamp>> {
        self.read(move |connection| {
            let sql = "select since from correction_readers where account = ?";
            let mut statement = connection.prepare_cached(sql)?;
            let found = statement.query_row([account.to_string()], |row| moment(row, "since"));
            Ok(found.optional()?.flatten())
        })
    }

    fn claim_letter(&self, set: i64, account: Uuid, now: Timestamp) -> Pending<'_, bool> {
        let sql = "insert into correction_letters (number, account, sent) values (?, ?, ?) \
                   on conflict do nothing";
        self.change(sql, (set, account.to_string(), now.as_second()), is_any)
    }

    fn release_letter(&self, set: i64, account: Uuid) -> Pending<'_, ()> {
        let sql = "delete from correction_letters where number = ? and account = ?";
        self.change(sql, (set, account.to_string()), drop)
    }

    fn forget_law_uses(&self, today: Day) -> Pending<'_, ()> {
        let first = today.minus(USE_DAYS);
        self.transact(move |transaction| {
            transaction.execute("delete from law_uses where day < ?", [first.0])?;
            let sql = "delete from correction_letters where sent < ?";
            transaction.execute(sql, [i64::from(first.0) * 86_400])?;
            Ok(())
        })
    }
}

fn read_use(row: &Row<'_>) -> rusqlite::Result<ReaderUse> {
    let law = Law {
        folder: row.get("folder")?,
        version: row.get("version")?,
    };
    Ok(ReaderUse {
        used: LawUse {
            law,
            account: uuid(row, "account")?,
            calls: row.get("calls")?,
            day: Day(row.get("day")?),
        },
        since: moment(row, "since")?.unwrap_or_default(),
    })
}
