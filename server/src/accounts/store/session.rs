//! One connection to the database: its tables up to date, its statements prepared.

use tokio_postgres::types::Type;
use tokio_postgres::{Client, Statement};

use super::postgres::{mailboxes, subscription};
use super::{KEY_COLUMNS, USAGE_DAYS, Unavailable, statements_that_write_a_key};

/// Migrations of the tables, from each version to the next. Existing ones never change.
const MIGRATIONS: [&str; 3] = [
    include_str!("migrations/postgres/0001_keys_and_counts.sql"),
    include_str!("migrations/postgres/0002_life_of_keys.sql"),
    include_str!("migrations/postgres/0003_payments_and_mailboxes.sql"),
];

/// Advisory lock of a migration, so that nodes that start together take turns. Any number that no other program uses:
/// the first bytes of `bareme`.
const MIGRATION_LOCK: i64 = 0x6261_7265_6d65;

/// A connection and its statements.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) client: Client,
    pub(super) add_key: Statement,
    pub(super) put_key: Statement,
    pub(super) find_keys: Statement,
    pub(super) keys: Statement,
    pub(super) revoke_key: Statement,
    pub(super) extend_keys: Statement,
    pub(super) remove_keys: Statement,
    pub(super) remove_digests: Statement,
    pub(super) keys_of_subscription: Statement,
    pub(super) expiring_keys: Statement,
    pub(super) change_terms: Statement,
    pub(super) set_noticed: Statement,
    pub(super) usage: Statement,
    pub(super) payments: subscription::Statements,
    pub(super) salt: Statement,
    pub(super) count: Statement,
    pub(super) mailboxes: mailboxes::Statements,
    pub(super) forget_requests: Statement,
    pub(super) forget_salts: Statement,
    pub(super) forget_counts: Statement,
    pub(super) now: Statement,
    pub(super) write_nothing_new: Statement,
}

impl Session {
    pub(super) async fn prepare(mut client: Client) -> Result<Self, Unavailable> {
        migrate(&mut client).await?;
        client.batch_execute(LIMITS).await?;
        let [add_key, put_key] = statements_that_write_a_key();
        // Side by side: a distant database takes its time for each.
        let keys = select_keys("");
        let (payments, mailboxes) = tokio::try_join!(
            subscription::Statements::prepare(&client),
            mailboxes::Statements::prepare(&client, &keys)
        )?;
        Ok(Self {
            add_key: client.prepare(&add_key).await?,
            put_key: client.prepare(&put_key).await?,
            find_keys: client.prepare(&select_keys("where digest = any($1)")).await?,
            keys: client.prepare(&select_keys("order by created, id")).await?,
            keys_of_subscription: client.prepare(&select_keys("where subscription = $1 order by created, id")).await?,
            expiring_keys: client
                .prepare(&select_keys(
                    "where expires > $1 and expires < $2 and (revoked is null or revoked > $1) \
                     order by expires, id",
                ))
                .await?,
            change_terms: client.prepare(CHANGE_TERMS).await?,
            set_noticed: client
                .prepare("update api_keys set noticed = $3 where id = $1 and noticed is not distinct from $2")
                .await?,
            usage: client
                .prepare(
                    "select day, used from daily_counts where subject = $1 and day >= $2 and used > 0 order by day",
                )
                .await?,
            payments,
            revoke_key: client.prepare("update api_keys set revoked = least(revoked, $2) where id = $1").await?,
            extend_keys: client.prepare_typed(EXTEND_KEYS, &[Type::UUID_ARRAY, Type::INT8_ARRAY]).await?,
            remove_keys: client.prepare("delete from api_keys where id = any($1)").await?,
            remove_digests: client.prepare("delete from api_keys where digest = any($1)").await?,
            salt: client.prepare(SALT).await?,
            count: client.prepare(&count()).await?,
            mailboxes,
            forget_requests: client
                .prepare(&format!("delete from key_requests where created < ({KEPT})::bigint * 86400"))
                .await?,
            forget_salts: client.prepare(&format!("delete from daily_salts where day < {KEPT}")).await?,
            forget_counts: client
                .prepare(&format!(
                    "delete from daily_counts where (day, subject) in \
                     (select day, subject from daily_counts where day < {KEPT} \
                      and (subject >= '\\x80'::bytea or day < {KEPT} + 1 - {USAGE_DAYS}) limit $2)"
                ))
                .await?,
            now: client.prepare("select (extract(epoch from clock_timestamp()) * 1000)::bigint").await?,
            write_nothing_new: client.prepare(WRITE_NOTHING_NEW).await?,
            client,
        })
    }
}

/// Selects keys, each column by name, since nodes of two versions may share a database.
pub(super) fn select_keys(condition: &str) -> String {
    format!("select {} from api_keys {condition}", KEY_COLUMNS.join(", "))
}

const CHANGE_TERMS: &str = "
    update api_keys set plan = $2, email = $3, expires = $4, renews = $5,
        noticed = case when expires is not distinct from $4 then noticed end,
        mailbox = case when plan = $2 and email = $3 then mailbox end
    where account = $1";

/// Shorter than a caller [waits](super::link) by more than a distant database is away: a statement that waits for a
/// lock is cancelled there, and cannot succeed after the caller was answered that it failed.
const LIMITS: &str = "set statement_timeout = 350";

/// The first day that is kept: yesterday, by the clock of the database, or by that of the node if it is
/// behind.
const KEPT: &str = "least($1::int, floor(extract(epoch from now()) / 86400)::int) - 1";

/// In order, as below.
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
    update bareme_migrations set version = version where version = (select max(version) from bareme_migrations)";

/// Every count in one statement, so that a distant database costs one way there and back: rows that are missing are
/// created with their first calls, the others are locked and changed. All nodes do both in the order of the rows, the
/// new ones first, so that none waits for another that waits for it. A row that another node creates at the same
/// moment is neither: it is not in the answer, and nothing was counted.
fn count() -> String {
    format!(
        "with asked as (
            select * from unnest($1::int[], $2::bytea[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
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
            update daily_counts counts set total = locked.total + locked.allowed, used = counts.used + locked.used
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

/// The salt of a day, which is added if there is none; no row if another node adds one at the same moment.
const SALT: &str = "
    with added as (insert into daily_salts (day, salt) values ($1, $2) on conflict do nothing returning salt)
    select salt from added union all select salt from daily_salts where day = $1";

async fn migrate(client: &mut Client) -> Result<(), Unavailable> {
    let transaction = client.transaction().await?;
    transaction.execute("select pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK]).await?;
    transaction
        .batch_execute("create table if not exists bareme_migrations (version integer not null primary key)")
        .await?;
    let row = transaction.query_one("select coalesce(max(version), 0) from bareme_migrations", &[]).await?;
    let done: i32 = row.try_get(0)?;
    if usize::try_from(done).is_ok_and(|done| done > MIGRATIONS.len()) {
        return Err(Unavailable(format!("its tables have version {done}, this program knows {}", MIGRATIONS.len())));
    }
    let steps = (1_i32..).zip(MIGRATIONS).skip_while(|(version, _)| *version <= done);
    for (version, migration) in steps {
        transaction.batch_execute(migration).await?;
        transaction.execute("insert into bareme_migrations (version) values ($1)", &[&version]).await?;
        tracing::info!(version, "database schema migrated");
    }
    Ok(transaction.commit().await?)
}
