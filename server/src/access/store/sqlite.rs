//! The store in a file beside the data.
//!
//! SQLite blocks, so it lives on two threads of its own. One writes, in batches, each one
//! transaction that waits for the disk. The other reads, and waits for nobody: in a write-ahead log
//! readers and the writer do not see each other.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};

use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, TransactionBehavior, params};
use tokio::sync::oneshot;
use uuid::Uuid;

use super::{Change, Counted, Health, Pending, Purpose, Record, Sharing, Store, Unavailable};
use crate::access::day::Day;
use crate::access::key::Digest;
use crate::access::subject::Salt;

/// What brings the tables from each version to the next. One is only ever added.
const MIGRATIONS: [&str; 1] = [include_str!("migrations/sqlite/0001_keys_and_counts.sql")];

/// Most rows forgotten at a time, so that nobody waits for it.
const FORGOTTEN: u32 = 10_000;

/// The store, and the threads that it lives on.
#[derive(Debug)]
pub struct Sqlite {
    writer: Worker,
    reader: Worker,
    health: Arc<Health>,
    /// Held while we serve: two services on one file would each grant the whole quota.
    _serving: Option<File>,
}

impl Sqlite {
    /// Opens a file, which is made if there is none.
    pub fn open(path: &Path, purpose: Purpose) -> Result<Self, Unavailable> {
        // E-mail addresses are in it. SQLite gives its other files the same rights.
        let private = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path);
        drop(private.map_err(|error| failed(path, &error))?);
        let serving = match purpose {
            Purpose::Serving => Some(take_place(path)?),
            Purpose::Administration => None,
        };
        let open = || Connection::open(path).and_then(prepare).map_err(|error| failed(path, &error));
        let mut writing = open()?;
        migrate(&mut writing).map_err(|error| failed(path, &error))?;
        let reading = open()?;
        let worker = |name, connection| Worker::start(name, connection).map_err(|error| failed(path, &error));
        Ok(Self {
            writer: worker("sqlite-writer", writing)?,
            reader: worker("sqlite-reader", reading)?,
            health: Arc::default(),
            _serving: serving,
        })
    }

    fn write<T: Send + 'static>(&self, work: impl Job<T>) -> Pending<'_, T> {
        self.writer.run(&self.health, work)
    }

    fn read<T: Send + 'static>(&self, work: impl Job<T>) -> Pending<'_, T> {
        self.reader.run(&self.health, work)
    }
}

/// A piece of work on a connection.
trait Job<T>: FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static {}

impl<T, F: FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static> Job<T> for F {}

type Work = Box<dyn FnOnce(&mut Connection) + Send>;

/// A thread with a connection, that takes one piece of work after the other.
#[derive(Debug)]
struct Worker {
    queue: Option<mpsc::Sender<Work>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    fn start(name: &str, mut connection: Connection) -> io::Result<Self> {
        let (queue, waiting) = mpsc::channel::<Work>();
        let live = move || waiting.into_iter().for_each(|work| work(&mut connection));
        let thread = thread::Builder::new().name(name.to_owned()).spawn(live)?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    fn run<T: Send + 'static>(&self, health: &Arc<Health>, work: impl Job<T>) -> Pending<'static, T> {
        let (answer, answered) = oneshot::channel();
        let health = Arc::clone(health);
        let work: Work = Box::new(move |connection| {
            let done = work(connection);
            match &done {
                Ok(_) => health.recovered(),
                Err(error) => health.failed(&error.to_string()),
            }
            // Who asked may have left.
            drop(answer.send(done));
        });
        let sent = self.queue.as_ref().is_some_and(|queue| queue.send(work).is_ok());
        Box::pin(async move {
            let ended = || Unavailable("its thread has ended".to_owned());
            if !sent {
                return Err(ended());
            }
            answered.await.map_err(|_| ended())?.map_err(|error| Unavailable(error.to_string()))
        })
    }
}

/// Ends the thread after the work that was given to it.
impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl Store for Sqlite {
    fn sharing(&self) -> Sharing {
        Sharing::Alone
    }

    fn health(&self) -> &Health {
        &self.health
    }

    fn add_key(&self, record: Record) -> Pending<'_, ()> {
        self.write(move |connection| {
            let sql = "insert into api_keys (id, account, digest, last_four, variant, plan, email, created, expires, \
                       revoked) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
            let row = params![
                record.id.to_string(),
                record.account.to_string(),
                record.digest.0,
                record.last_four,
                record.variant,
                record.plan,
                record.email,
                record.created.as_second(),
                record.expires.map(Timestamp::as_second),
                record.revoked.map(Timestamp::as_second),
            ];
            connection.execute(sql, row).map(drop)
        })
    }

    fn find_key(&self, digest: Digest) -> Pending<'_, Option<Record>> {
        self.read(move |connection| {
            let mut statement = connection.prepare_cached("select * from api_keys where digest = ?")?;
            statement.query_row([digest.0], read).optional()
        })
    }

    fn keys(&self) -> Pending<'_, Vec<Record>> {
        self.read(|connection| {
            let mut statement = connection.prepare("select * from api_keys order by created, id")?;
            statement.query_map([], read)?.collect()
        })
    }

    fn revoke_key(&self, id: Uuid, from: Timestamp) -> Pending<'_, bool> {
        self.write(move |connection| {
            let sql = "update api_keys set revoked = min(coalesce(revoked, ?2), ?2) where id = ?1";
            Ok(connection.execute(sql, params![id.to_string(), from.as_second()])? > 0)
        })
    }

    fn salt(&self, day: Day) -> Pending<'_, Salt> {
        let drawn = match Salt::draw() {
            Ok(salt) => salt,
            Err(error) => return Box::pin(std::future::ready(Err(Unavailable(error.to_string())))),
        };
        self.write(move |connection| {
            let sql = "insert into daily_salts (day, salt) values (?, ?) on conflict do nothing";
            connection.execute(sql, params![day.0, drawn.0])?;
            connection.query_row("select salt from daily_salts where day = ?", [day.0], |row| row.get(0)).map(Salt)
        })
    }

    fn count(&self, changes: Vec<Change>) -> Pending<'_, Vec<Counted>> {
        // Who only asks does not wait for the disk.
        if changes.iter().all(|change| (change.by, change.spare) == (0, 0)) {
            return self.read(move |connection| {
                let counted = |change: &Change| Ok(change.counted(0, total(connection, change)?));
                changes.iter().map(counted).collect()
            });
        }
        self.write(move |connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let counted = changes.iter().map(|change| apply(&transaction, change)).collect::<Result<_, _>>()?;
            transaction.commit()?;
            Ok(counted)
        })
    }

    fn forget(&self, before: Day) -> Pending<'_, bool> {
        self.write(move |connection| {
            connection.execute("delete from daily_salts where day < ?", [before.0])?;
            let sql = "delete from daily_counts where (day, subject) in \
                       (select day, subject from daily_counts where day < ? limit ?)";
            Ok(connection.execute(sql, params![before.0, FORGOTTEN])? == FORGOTTEN as usize)
        })
    }
}

fn total(connection: &Connection, change: &Change) -> rusqlite::Result<i64> {
    let mut statement = connection.prepare_cached("select total from daily_counts where day = ? and subject = ?")?;
    let total = statement.query_row(params![change.day.0, change.subject.0], |row| row.get(0)).optional()?;
    Ok(total.unwrap_or_default())
}

fn apply(transaction: &Transaction<'_>, change: &Change) -> rusqlite::Result<Counted> {
    let total = total(transaction, change)?;
    let by = change.allowed(total);
    if by != 0 {
        let sql = "insert into daily_counts (day, subject, total) values (?1, ?2, ?3) \
                   on conflict do update set total = ?3";
        transaction.prepare_cached(sql)?.execute(params![change.day.0, change.subject.0, total + by])?;
    }
    Ok(change.counted(by, total + by))
}

fn prepare(connection: Connection) -> rusqlite::Result<Connection> {
    // With a write-ahead log, `keys` reads and writes beside a service that runs.
    connection.pragma_update(None, "journal_mode", "wal")?;
    // A key that was shown must not be lost with the power.
    connection.pragma_update(None, "synchronous", "full")?;
    // A salt that was destroyed must not be found again in a free page.
    connection.pragma_update(None, "secure_delete", true)?;
    Ok(connection)
}

fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done: u32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if done as usize > MIGRATIONS.len() {
        let text = format!("its tables have version {done}, this program knows {}", MIGRATIONS.len());
        return Err(rusqlite::Error::ToSqlConversionFailure(text.into()));
    }
    for (version, migration) in (1_u32..).zip(MIGRATIONS).skip(done as usize) {
        transaction.execute_batch(migration)?;
        transaction.pragma_update(None, "user_version", version)?;
    }
    transaction.commit()
}

fn take_place(path: &Path) -> Result<File, Unavailable> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let name = PathBuf::from(name);
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&name);
    let file = file.map_err(|error| failed(&name, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(failed(path, &"another bareme-server serves from it")),
        Err(TryLockError::Error(error)) => Err(failed(&name, &error)),
    }
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> Unavailable {
    Unavailable(format!("`{}`: {error}", path.display()))
}

fn read(row: &Row<'_>) -> rusqlite::Result<Record> {
    let uuid = |name: &str| {
        let text: String = row.get(name)?;
        let wrong = |error| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(error));
        Uuid::parse_str(&text).map_err(wrong)
    };
    let moment = |name: &str| {
        let seconds: Option<i64> = row.get(name)?;
        let wrong = |error| rusqlite::Error::FromSqlConversionFailure(0, Type::Integer, Box::new(error));
        seconds.map(Timestamp::from_second).transpose().map_err(wrong)
    };
    Ok(Record {
        id: uuid("id")?,
        account: uuid("account")?,
        digest: Digest(row.get("digest")?),
        last_four: row.get("last_four")?,
        variant: row.get("variant")?,
        plan: row.get("plan")?,
        email: row.get("email")?,
        created: moment("created")?.unwrap_or_default(),
        expires: moment("expires")?,
        revoked: moment("revoked")?,
    })
}
