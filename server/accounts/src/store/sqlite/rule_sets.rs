//! Rule sets in an SQLite file.

use rusqlite::{Row, params};

use super::super::Pending;
use super::super::rule_sets::{FileDigest, PublishedSet, RuleSets, StoredFile};
use super::{Sqlite, moment};

impl RuleSets for Sqlite {
    fn add_rule_set(&self, set: PublishedSet, files: Vec<StoredFile>) -> Pending<'_, bool> {
        self.transact(move |transaction| {
            let sql = "insert into rule_sets (number, published, version, program, changes) \
                       values (?, ?, ?, ?, ?) on conflict do nothing";
            let row = params![
                set.number,
                set.published.as_second(),
                set.version,
                set.program,
                set.changes
            ];
            if transaction.execute(sql, row)? == 0 {
                return Ok(false);
            }

            let sql =
                "insert into rule_files (digest, content) values (?, ?) on conflict do nothing";
            for file in &files {
                transaction
                    .prepare_cached(sql)?
                    .execute(params![file.digest, file.content])?;
            }
            Ok(true)
        })
    }

    fn rule_sets(&self, after: i64) -> Pending<'_, Vec<PublishedSet>> {
        let sql = "select * from rule_sets where number > ? order by number";
        self.rows(sql, [after], read_set)
    }

    fn rule_files(&self, digests: Vec<FileDigest>) -> Pending<'_, Vec<StoredFile>> {
        self.read(move |connection| {
            let mut look_up = connection
                .prepare_cached("select digest, content from rule_files where digest = ?")?;
            let mut found = Vec::new();
            for digest in digests {
                for file in look_up.query_map([digest], read_file)? {
                    found.push(file?);
                }
            }
            Ok(found)
        })
    }

    fn forget_rule_sets(&self, first: PublishedSet, files: Vec<FileDigest>) -> Pending<'_, ()> {
        self.transact(move |transaction| {
            transaction.execute("delete from rule_sets where number < ?", [first.number])?;
            let sql = "update rule_sets set changes = ?2 where number = ?1";
            transaction.execute(sql, params![first.number, first.changes])?;
            for digest in files {
                transaction.execute("delete from rule_files where digest = ?", [digest])?;
            }
            Ok(())
        })
    }
}

fn read_set(row: &Row<'_>) -> rusqlite::Result<PublishedSet> {
    Ok(PublishedSet {
        number: row.get("number")?,
        published: moment(row, "published")?.unwrap_or_default(),
        version: row.get("version")?,
        program: row.get("program")?,
        changes: row.get("changes")?,
    })
}

fn read_file(row: &Row<'_>) -> rusqlite::Result<StoredFile> {
    Ok(StoredFile {
        digest: row.get("digest")?,
        content: row.get("content")?,
    })
}
