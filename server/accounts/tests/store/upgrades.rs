//! Stores that earlier programs wrote, brought up to date while such a program still works with
//! them.
//!
//! `fixtures/<store>-<version>.sql` is what the program of a version of the schema left. A
//! migration that is added needs the fixture of the version before it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use bareme_accounts::store::Change;
use bareme_accounts::subject::Subject;
use tokio_postgres::NoTls;
use uuid::Uuid;

use crate::contract::second;
use crate::*;

fn folder(of: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(of)
}

fn fixture(store: &str, version: u32) -> String {
    let path = folder("tests/store/fixtures").join(format!("{store}-{version}.sql"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// How many migrations there are.
pub(crate) fn migrations(store: &str) -> u32 {
    let entries = fs::read_dir(folder("src/store/migrations").join(store)).unwrap();
    u32::try_from(entries.count()).unwrap()
}

fn id(number: u128) -> Uuid {
    Uuid::from_u128(0x0198_0000_0000_7000_8000_0000_0000_0000 + number)
}

/// The day of the counts of the fixtures, and the account that they count.
const DAY: Day = Day(20_833);
const ACCOUNT: u128 = 1;

/// Content of the fixture of a version, as the program of today reads it.
async fn is_all_there(store: &dyn Store, version: u32) {
    let keys = store.keys().await.unwrap();
    let fixed: Vec<_> = keys
        .iter()
        .filter(|key| key.created < second(1_800_000_100))
        .collect();
    let told: Vec<_> = fixed
        .iter()
        .map(|key| {
            (
                key.id,
                key.account,
                key.last_four.as_str(),
                key.plan.as_str(),
                key.email.as_str(),
            )
        })
        .collect();
    let claire = "claire@example.org";
    assert_eq!(
        told,
        [
            (id(1), id(ACCOUNT), "abc1", "pro", claire),
            (id(2), id(ACCOUNT), "abc2", "pro", claire),
            (id(3), id(3), "abc3", "free", "")
        ]
    );
    let moments: Vec<_> = fixed
        .iter()
        .map(|key| (key.created, key.expires, key.revoked))
        .collect();
    assert_eq!(
        moments,
        [
            (second(1_800_000_001), None, None),
            (second(1_800_000_002), Some(second(1_800_100_000)), None),
            (second(1_800_000_003), None, Some(second(1_800_200_000))),
        ]
    );
    let paid: Vec<_> = fixed
        .iter()
        .map(|key| (key.subscription.as_deref(), key.renews, key.noticed))
        .collect();
    let of_subscription = if version > 1 {
        (Some("sub_1"), true, Some(30))
    } else {
        (None, false, None)
    };
    assert_eq!(
        paid,
        [of_subscription, of_subscription, (None, false, None)]
    );
    assert_eq!(
        store.find_keys(vec![fixed[2].digest]).await.unwrap(),
        [fixed[2].clone()]
    );
    assert_eq!(store.salt(DAY).await.unwrap().0, [0x5a; 64]);
}

/// The counts of the fixture: what was reserved, and what was answered as far as the version knew.
fn counted(version: u32) -> (i64, i64) {
    if version > 1 { (70, 64) } else { (70, 70) }
}

/// A program of an earlier version that goes on working: one call after the other, until it is
/// stopped.
struct Older {
    stop: Arc<AtomicBool>,
    calls: Arc<AtomicU32>,
    works: thread::JoinHandle<()>,
}

impl Older {
    /// `call` makes the calls of this number.
    fn start(mut call: impl FnMut(u32) + Send + 'static) -> Self {
        let (stop, calls) = (Arc::<AtomicBool>::default(), Arc::<AtomicU32>::default());
        let (stopped, counted) = (Arc::clone(&stop), Arc::clone(&calls));
        let works = thread::spawn(move || {
            while !stopped.load(Ordering::SeqCst) {
                call(counted.load(Ordering::SeqCst));
                counted.fetch_add(1, Ordering::SeqCst);
                thread::sleep(Duration::from_millis(1));
            }
        });
        Self { stop, calls, works }
    }

    /// Waits until it has made twenty more.
    async fn goes_on(&self) {
        let before = self.calls.load(Ordering::SeqCst);
        while self.calls.load(Ordering::SeqCst) < before + 20 {
            assert!(!self.works.is_finished(), "the older program fails");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Ends it; how many calls it made. None of them failed.
    fn end(self) -> u32 {
        self.stop.store(true, Ordering::SeqCst);
        self.works.join().expect("the older program never failed");
        self.calls.load(Ordering::SeqCst)
    }
}

/// Counts of the program of today beside the older one; what finds the file locked is counted
/// again, as a caller whose call was refused for that asks again.
async fn counts_beside(store: &dyn Store, calls: u32) {
    const ATTEMPTS: u32 = 50;
    let one = Change {
        day: DAY,
        subject: Subject::account(id(ACCOUNT)),
        by: 1,
        spare: 0,
        quota: 1_000_000,
        used: 1,
    };
    for _ in 0..calls {
        let mut refused = 0;
        while let Err(error) = store.count(vec![one]).await {
            refused += 1;
            assert!(refused < ATTEMPTS, "{error:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// After both have worked with it, nothing is lost.
async fn ends_well(store: &dyn Store, version: u32, ours: u32, theirs: u32) {
    assert_eq!(store.health().unavailable_since(), None);
    is_all_there(store, version).await;
    let (total, used) = counted(version);
    let asked = Change {
        day: DAY,
        subject: Subject::account(id(ACCOUNT)),
        by: 0,
        spare: 0,
        quota: 1_000_000,
        used: 0,
    };
    let found = store.count(vec![asked]).await.unwrap()[0];
    assert_eq!(
        found.total,
        total + i64::from(ours + theirs),
        "{ours} and {theirs} calls"
    );
    // A program that does not know of answered calls reports none from the migration on.
    assert!(
        (used + i64::from(ours)..=used + i64::from(ours + theirs)).contains(&found.used),
        "{}",
        found.used
    );
    let issued = store
        .keys()
        .await
        .unwrap()
        .iter()
        .filter(|key| key.created >= second(1_900_000_000))
        .count();
    assert_eq!(issued, theirs as usize, "the keys that it issued");
}

/// The columns of a key that every version had.
const KEY: &str = "id, account, digest, last_four, variant, plan, email, created, expires, revoked";

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_each_earlier_version_is_brought_up_to_date_beside_an_older_program() {
    for version in 1..migrations("sqlite") {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("bareme.db");
        let older = rusqlite::Connection::open(&path).unwrap();
        older.execute_batch("pragma journal_mode = wal").unwrap();
        older.execute_batch(&fixture("sqlite", version)).unwrap();
        older.busy_timeout(Duration::from_secs(5)).unwrap();
        let older = Older::start(move |number| {
            let mut all = older.prepare_cached("select * from api_keys").unwrap();
            assert!(
                all.query_map([], |row| row.get::<_, String>("id"))
                    .unwrap()
                    .count()
                    >= 3
            );
            let sql = format!(
                "insert into api_keys ({KEY}) values (?, ?, randomblob(32), 'old1', 'a', 'free', '', ?, null, null)"
            );
            let name = id(1_000 + u128::from(number)).to_string();
            let created = 1_900_000_000 + i64::from(number);
            older
                .prepare_cached(&sql)
                .unwrap()
                .execute(rusqlite::params![name, name, created])
                .unwrap();
            let sql = "insert into daily_counts (day, subject, total) values (?1, ?2, 1) \
                       on conflict do update set total = total + 1";
            let row = rusqlite::params![DAY.0, Subject::account(id(ACCOUNT)).0];
            older.prepare_cached(sql).unwrap().execute(row).unwrap();
        });
        older.goes_on().await;
        let store = open(&format!("sqlite:{}", path.display())).await;
        counts_beside(store.as_ref(), 50).await;
        older.goes_on().await;
        ends_well(store.as_ref(), version, 50, older.end()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_each_earlier_version_is_brought_up_to_date_beside_an_older_node() {
    for version in 1..migrations("postgres") {
        let Some(cluster) = Cluster::start() else {
            return;
        };
        let (client, connection) = tokio_postgres::connect(&cluster.address(), NoTls)
            .await
            .unwrap();
        tokio::spawn(connection);
        client
            .batch_execute(&fixture("postgres", version))
            .await
            .unwrap();
        // As its session was prepared, before the migration. The first version read its keys by
        // `select *`, which a column that is added makes invalid: it only writes here.
        client
            .batch_execute("set statement_timeout = 350")
            .await
            .unwrap();
        let find = format!("select {KEY} from api_keys where digest = any($1)");
        let find = if version > 1 {
            Some(client.prepare(&find).await.unwrap())
        } else {
            None
        };
        let sql = format!(
            "insert into api_keys ({KEY}) values ($1, $1, $2, 'old1', 'a', 'free', '', $3, null, null)"
        );
        let add = client.prepare(&sql).await.unwrap();
        let sql = "update daily_counts set total = total + 1 where day = $1 and subject = $2";
        let count = client.prepare(sql).await.unwrap();
        let runtime = tokio::runtime::Handle::current();
        let older = Older::start(move |number| {
            runtime.block_on(async {
                let name = id(1_000 + u128::from(number));
                let digest = [number.to_be_bytes().as_slice(), &[7; 28]].concat();
                client
                    .execute(
                        &add,
                        &[&name, &digest, &(1_900_000_000 + i64::from(number))],
                    )
                    .await
                    .unwrap();
                if let Some(find) = &find {
                    assert_eq!(client.query(find, &[&vec![digest]]).await.unwrap().len(), 1);
                }
                let subject = Subject::account(id(ACCOUNT)).0;
                assert_eq!(
                    client
                        .execute(&count, &[&DAY.0, &subject.as_slice()])
                        .await
                        .unwrap(),
                    1
                );
            });
        });
        older.goes_on().await;
        let store = open(&cluster.address()).await;
        counts_beside(store.as_ref(), 50).await;
        older.goes_on().await;
        ends_well(store.as_ref(), version, 50, older.end()).await;
        assert_eq!(
            cluster.value("select max(version) from bareme_migrations"),
            migrations("postgres").to_string()
        );
    }
}

#[tokio::test]
async fn a_file_of_each_version_is_read() {
    let fixtures = fs::read_dir(folder("tests/store/fixtures")).unwrap();
    let names = fixtures.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let versions: Vec<u32> = names
        .filter_map(|name| {
            name.strip_prefix("sqlite-")?
                .strip_suffix(".sql")?
                .parse()
                .ok()
        })
        .collect();
    assert!(versions.len() >= 2, "{versions:?}");
    for version in versions {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("bareme.db");
        rusqlite::Connection::open(&path)
            .unwrap()
            .execute_batch(&fixture("sqlite", version))
            .unwrap();
        let store = open(&format!("sqlite:{}", path.display())).await;
        is_all_there(store.as_ref(), version).await;
        assert_eq!(
            store.usage(id(ACCOUNT), DAY).await.unwrap(),
            [(DAY, counted(version).1)]
        );
    }
}
