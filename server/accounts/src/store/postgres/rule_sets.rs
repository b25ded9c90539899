//! Rule sets in a PostgreSQL database.

use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use super::super::rule_sets::{FileDigest, PublishedSet, RuleSets, StoredFile};
use super::super::{Component, Pending, Unavailable};
use super::{Postgres, column, moment, sent};

/// The columns of a set, in the order in which it is written.
const SET_COLUMNS: &str = "number, published, version, program, changes";

impl RuleSets for Postgres {
    fn add_rule_set(&self, set: PublishedSet, files: Vec<StoredFile>) -> Pending<'_, bool> {
        let (digests, contents): (Vec<Vec<u8>>, Vec<Vec<u8>>) = files
            .into_iter()
            .map(|file| (file.digest.to_vec(), file.content))
            .unzip();

        // One statement, so that a set is never there without its files.
        let sql = format!(
            "with added as (insert into rule_sets ({SET_COLUMNS}) values ($1, $2, $3, $4, $5) \
             on conflict do nothing returning number), \
             stored as (insert into rule_files (digest, content) \
             select * from unnest($6, $7) where exists (select from added) on conflict do nothing) \
             select number from added"
        );
        let sent = sent![
            set.number => INT8,
            set.published.as_second() => INT8,
            set.version => TEXT,
            set.program => TEXT,
            set.changes => TEXT,
            digests => BYTEA_ARRAY,
            contents => BYTEA_ARRAY,
        ];
        let added = self.rows(Component::Writer, sql, sent, |row| {
            column::<i64>(row, "number")
        });
        Box::pin(async move { Ok(!added.await?.is_empty()) })
    }

    fn rule_sets(&self, after: i64) -> Pending<'_, Vec<PublishedSet>> {
        let sql = format!("select {SET_COLUMNS} from rule_sets where number > $1 order by number");
        self.rows(Component::Reader, sql, sent![after => INT8], read_set)
    }

    fn rule_files(&self, digests: Vec<FileDigest>) -> Pending<'_, Vec<StoredFile>> {
        let sql = "select digest, content from rule_files where digest = any($1)";
        let sent = sent![of_bytes(&digests) => BYTEA_ARRAY];
        self.rows(Component::Reader, sql, sent, read_file)
    }

    fn forget_rule_sets(&self, first: PublishedSet, files: Vec<FileDigest>) -> Pending<'_, ()> {
        let sql = "with gone as (delete from rule_sets where number < $1), \
                   unused as (delete from rule_files where digest = any($3)) \
                   update rule_sets set changes = $2 where number = $1";
        let sent = sent![
            first.number => INT8,
            first.changes => TEXT,
            of_bytes(&files) => BYTEA_ARRAY,
        ];
        self.change(sql, sent, drop)
    }
}

fn of_bytes(digests: &[FileDigest]) -> Vec<Vec<u8>> {
    digests.iter().map(|digest| digest.to_vec()).collect()
}

fn read_set(row: &Row) -> Result<PublishedSet, Unavailable> {
    Ok(PublishedSet {
        number: column(row, "number")?,
        published: moment(row, "published")?.unwrap_or_default(),
        version: column(row, "version")?,
        program: column(row, "program")?,
        changes: column(row, "changes")?,
    })
}

fn read_file(row: &Row) -> Result<StoredFile, Unavailable> {
    let digest: Vec<u8> = column(row, "digest")?;
    let digest = FileDigest::try_from(digest)
        .map_err(|_| Unavailable("a digest of a rule file that is none".to_owned()))?;
    Ok(StoredFile {
        digest,
        content: column(row, "content")?,
    })
}
