//! One connection to the database: its tables up to date, its statements prepared.

use tokio_postgres::types::Type;
use tokio_postgres::{Client, Statement};

use super::{CLAIM_SECONDS, EVENT_DAYS, USAGE_DAYS, Unavailable};

/// What brings the tables from each version to the next. One is only ever added.
const MIGRATIONS: [&str; 2] = [
    include_str!("migrations/postgres/0001_keys_and_counts.sql"),
    include_str!("migrations/postgres/0002_life_of_keys.sql"),
];

/// The advisory lock of a migration, so that nodes that start together take turns. Any number that no
/// other program uses: the first bytes of `bareme`.
const MIGRATION_LOCK: i64 = 0x6261_7265_6d65;

/// A connection and its statements.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) client: Client,
    pub(super) add_key: Statement,
    pub(super) find_keys: Statement,
    pub(super) keys: Statement,
    pub(super) revoke_key: Statement,
    pub(super) extend_keys: Statement,
    pub(super) remove_keys: Statement,
    pub(super) keys_of_subscription: Statement,
    pub(super) expiring_keys: Statement,
    pub(super) change_terms: Statement,
    pub(super) set_noticed: Statement,
    pub(super) usage: Statement,
    pub(super) claim_event: Statement,
    pub(super) event: Statement,
    pub(super) finish_event: Statement,
    pub(super) drop_event: Statement,
    pub(super) forget_events: Statement,
    pub(super) add_salt: Statement,
    pub(super) salt: Statement,
    pub(super) add_counts: Statement,
    pub(super) count: Statement,
    pub(super) forget_salts: Statement,
    pub(super) forget_counts: Statement,
    pub(super) now: Statement,
    pub(super) write_nothing_new: Statement,
}

impl Session {
    pub(super) async fn prepare(mut client: Client) -> Result<Self, Unavailable> {
        migrate(&mut client).await?;
        client.batch_execute(LIMITS).await?;
        Ok(Self {
            add_key: client
                .prepare(
                    "insert into api_keys (id, account, digest, last_four, variant, plan, email, created, expires, \
                     revoked, subscription, renews, noticed) \
                     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
                )
                .await?,
            find_keys: client.prepare(&format!("{KEYS} where digest = any($1)")).await?,
            keys: client.prepare(&format!("{KEYS} order by created, id")).await?,
            keys_of_subscription: client
                .prepare(&format!("{KEYS} where subscription = $1 order by created, id"))
                .await?,
            expiring_keys: client
                .prepare(&format!(
                    "{KEYS} where expires > $1 and expires < $2 and (revoked is null or revoked > $1) \
                     order by expires, id"
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
            claim_event: client.prepare(&format!("{CLAIM_EVENT} {CLAIM_SECONDS}")).await?,
            event: client.prepare("select done from payment_events where id = $1").await?,
            finish_event: client.prepare("update payment_events set done = true where id = $1").await?,
            drop_event: client.prepare("delete from payment_events where id = $1 and not done").await?,
            forget_events: client
                .prepare(&format!("delete from payment_events where claimed < ({KEPT} - {EVENT_DAYS})::bigint * 86400"))
                .await?,
            revoke_key: client.prepare("update api_keys set revoked = least(revoked, $2) where id = $1").await?,
            extend_keys: client.prepare_typed(EXTEND_KEYS, &[Type::UUID_ARRAY, Type::INT8_ARRAY]).await?,
            remove_keys: client.prepare("delete from api_keys where id = any($1)").await?,
            add_salt: client
                .prepare("insert into daily_salts (day, salt) values ($1, $2) on conflict do nothing")
                .await?,
            salt: client.prepare("select salt from daily_salts where day = $1").await?,
            add_counts: client.prepare_typed(ADD_COUNTS, &[Type::INT4_ARRAY, Type::BYTEA_ARRAY]).await?,
            count: client.prepare(COUNT).await?,
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

/// Each column by name: nodes of two versions may share a database.
const KEYS: &str = "select id, account, digest, last_four, variant, plan, email, created, expires, revoked, \
                    subscription, renews, noticed from api_keys";

const CHANGE_TERMS: &str = "
    update api_keys set plan = $2, email = $3, expires = $4, renews = $5,
        noticed = case when expires is not distinct from $4 then noticed end
    where account = $1";

/// Followed by the seconds after which a claim may be taken over.
const CLAIM_EVENT: &str = "
    insert into payment_events (id, claimed) values ($1, $2) on conflict (id) do update
    set claimed = $2 where not payment_events.done and payment_events.claimed < $2 -";

/// Shorter than a caller waits: a statement that waits for a lock is cancelled by the database, and cannot
/// succeed after the caller was answered that it failed.
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

/// Creates missing rows. Every node goes through the rows in the same order, so that none
/// waits for another that waits for it.
const ADD_COUNTS: &str = "
    insert into daily_counts (day, subject, total)
    select day, subject, 0 from unnest($1, $2) as new (day, subject) order by day, subject
    on conflict do nothing";

/// [`Change::allowed`](super::Change::allowed) in SQL, on rows that are locked in order first.
const COUNT: &str = "
    with asked as (
        select * from unnest($1::int[], $2::bytea[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
            as asked (day, subject, by, spare, quota, used)
    ), locked as (
        select counts.day, counts.subject, counts.total, asked.used,
            case when by < 0 then greatest(by, -total)
            else least(
                greatest(quota - total, 0),
                by + least(spare, greatest(greatest(quota - total, 0) - by, 0) / 16)
            ) end as allowed
        from daily_counts counts join asked using (day, subject)
        order by counts.day, counts.subject
        for update of counts
    )
    update daily_counts counts set total = locked.total + locked.allowed, used = counts.used + locked.used
    from locked where counts.day = locked.day and counts.subject = locked.subject
    returning counts.day, counts.subject, locked.allowed, counts.total, counts.used";

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
