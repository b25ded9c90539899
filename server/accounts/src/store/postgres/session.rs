//! One connection to the database, its tables up to date.

use tokio_postgres::{Client, Statement};

use crate::store::{KEY_COLUMNS, Unavailable};

/// Migrations of the tables, from each version to the next. Existing ones never change.
const MIGRATIONS: [&str; 7] = [
    include_str!("../migrations/postgres/0001_keys_and_counts.sql"),
    include_str!("../migrations/postgres/0002_life_of_keys.sql"),
    include_str!("../migrations/postgres/0003_payments_and_mailboxes.sql"),
    include_str!("../migrations/postgres/0004_audit_and_availability.sql"),
    include_str!("../migrations/postgres/0005_rule_sets.sql"),
    include_str!("../migrations/postgres/0006_corrections.sql"),
    include_str!("../migrations/postgres/0007_publishable_keys.sql"),
];

/// Advisory lock of a migration, so that nodes that start together take turns. Any number that no
/// other program uses: the first bytes of `bareme`.
const MIGRATION_LOCK: i64 = 0x6261_7265_6d65;

/// A connection, and the statements that calls wait for, prepared. The others are sent with their
/// text, one way there and back as well.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) client: Client,
    pub(super) find_keys: Statement,
    pub(super) count: Statement,
}

impl Session {
    pub(super) async fn prepare(mut client: Client) -> Result<Self, Unavailable> {
        // Before the limit of statements is set: a migration may take longer than a call.
        migrate(&mut client).await?;
        client.batch_execute(LIMITS).await?;
        // Prepared, because each call waits for these two; the plan of the others matters less than
        // their number.
        let find_keys = client
            .prepare(&select_keys("where digest = any($1)"))
            .await?;
        let count = client.prepare(&count()).await?;
        Ok(Self {
            client,
            find_keys,
            count,
        })
    }
}

/// Selects keys, each column by name, since nodes of two versions may share a database.
pub(super) fn select_keys(condition: &str) -> String {
    format!("select {KEY_COLUMNS} from api_keys {condition}")
}

/// Shorter than a caller [waits](super::link) by more than a distant database is away: a statement
/// that waits for a lock is cancelled there, and cannot succeed after the caller was answered that
/// it failed.
const LIMITS: &str = "set statement_timeout = 350";

/// Every count in one statement, so that a distant database costs one way there and back: rows that
/// are missing are created with their first calls, the others are locked and changed. All nodes do
/// both in the order of the rows, the new ones first, so that none waits for another that waits for
/// it. A row that another node creates at the same moment is neither: it is not in the answer, and
/// nothing was counted.
fn count() -> String {
    format!(
        "with asked as (
            select * from unnest($1::int[], $2::bytea[], $3::bigint[], $4::bigint[], \
            $5::bigint[], $6::bigint[])
                as asked (day, subject, by, spare, quota, used)
        ), added as (
            insert into daily_counts (day, subject, total, used)
            select day, subject, {of_none}, used from asked order by day, subject
            on conflict do nothing
            returning day, subject, total as allowed, total, used
        ), locked as (
            select counts.day, counts.subject, counts.total, asked.used, {of_total} as allowed
            from daily_counts counts join asked using (day, subject)
            order by counts.day, counts.subject
            for update of counts
        ), changed as (
            update daily_counts counts set total = locked.total + locked.allowed, used = \
            counts.used + locked.used
            from locked where counts.day = locked.day and counts.subject = locked.subject
            returning counts.day, counts.subject, locked.allowed, counts.total, counts.used
        )
        select * from added union all select * from changed",
        of_none = allowed("0"),
        of_total = allowed("total"),
    )
}

/// [`Change::allowed`](super::Change::allowed) in SQL, on a count of `total`.
fn allowed(total: &str) -> String {
    format!(
        "case when by < 0 then greatest(by, -({total}))
              else least(
                  greatest(quota - {total}, 0),
                  by + least(spare, greatest(greatest(quota - {total}, 0) - by, 0) / 16)
              ) end"
    )
}

async fn migrate(client: &mut Client) -> Result<(), Unavailable> {
    let transaction = client.transaction().await?;
    transaction
        // Released with the transaction, also if the node dies during the migration.
        .execute("select pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK])
        .await?;
    transaction
        .batch_execute(
            "create table if not exists bareme_migrations (version integer not null primary key)",
        )
        .await?;

    let row = transaction
        .query_one(
            "select coalesce(max(version), 0) from bareme_migrations",
            &[],
        )
        .await?;
    let done: i32 = row.try_get(0)?;

    // An older program must not write tables that it does not know: it would lose what the newer
    // one added.
    if usize::try_from(done).is_ok_and(|done| done > MIGRATIONS.len()) {
        return Err(Unavailable(format!(
            "its tables have version {done}, this program knows {}",
            MIGRATIONS.len()
        )));
    }

    let steps = (1_i32..)
        .zip(MIGRATIONS)
        .skip_while(|(version, _)| *version <= done);
    for (version, migration) in steps {
        transaction.batch_execute(migration).await?;
        transaction
            .execute(
                "insert into bareme_migrations (version) values ($1)",
                &[&version],
            )
            .await?;
        tracing::info!(version, "database schema migrated");
    }
    // All migrations or none: a program that dies in between leaves the tables as they were.
    Ok(transaction.commit().await?)
}
