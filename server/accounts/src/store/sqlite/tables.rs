//! The tables of a file: its connection, their migration, their integrity.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

/// Migrations of the tables, from each version to the next. Existing ones never change.
const MIGRATIONS: [&str; 7] = [
    include_str!("../migrations/sqlite/0001_keys_and_counts.sql"),
    include_str!("../migrations/sqlite/0002_life_of_keys.sql"),
    include_str!("../migrations/sqlite/0003_payments_and_mailboxes.sql"),
    include_str!("../migrations/sqlite/0004_audit_and_availability.sql"),
    include_str!("../migrations/sqlite/0005_rule_sets.sql"),
    include_str!("../migrations/sqlite/0006_corrections.sql"),
    include_str!("../migrations/sqlite/0007_publishable_keys.sql"),
];

/// How long a command waits for a locked file, or a service that starts.
pub(super) const PATIENT_WAIT: Duration = Duration::from_secs(5);

pub(super) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open(path)?;
    connection.set_transaction_behavior(TransactionBehavior::Immediate);
    connection.busy_timeout(PATIENT_WAIT)?;
    // With a write-ahead log, `keys` can read and write beside a running service.
    connection.pragma_update(None, "journal_mode", "wal")?;
    // A key that was shown must survive a power failure.
    connection.pragma_update(None, "synchronous", "full")?;
    // A deleted salt must not remain in a free page.
    connection.pragma_update(None, "secure_delete", true)?;
    Ok(connection)
}

/// The check that reads every page of a file, and the one that also compares the indexes with their
/// tables.
pub(super) const QUICK: &str = "pragma quick_check(1)";
pub(super) const FULL: &str = "pragma integrity_check(1)";

/// Reads the whole file; returns what is wrong with it.
pub(super) fn check_integrity(connection: &Connection, check: &str) -> Result<(), String> {
    match connection.query_row(check, [], |row| row.get::<_, String>(0)) {
        Ok(found) if found == "ok" => Ok(()),
        Ok(found) => Err(found),
        Err(error) => Err(error.to_string()),
    }
}

pub(super) fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// A write without effect on the data, which reaches the disk like any other.
pub(super) fn write_nothing_new(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.pragma_update(None, "user_version", version(&transaction)?)?;
    transaction.commit()
}

pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = version(&transaction)?;
    // An older program must not write tables that it does not know.
    if done as usize > MIGRATIONS.len() {
        let text = format!(
            "its tables have version {done}, this program knows {}",
            MIGRATIONS.len()
        );
        return Err(rusqlite::Error::ToSqlConversionFailure(text.into()));
    }
    // Version and tables change in one transaction: a program that dies leaves both as they were.
    for (version, migration) in (1_u32..).zip(MIGRATIONS).skip(done as usize) {
        transaction.execute_batch(migration)?;
        transaction.pragma_update(None, "user_version", version)?;
    }
    transaction.commit()
}
