//! Copies of the file of a store: backups made and verified while the store is in use, and what can
//! still be read from a damaged file.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::super::{Record, Unavailable};
use super::file::{failing, failure, leave_to_owner};
use super::{FULL, PATIENT_WAIT, check_integrity, migrate, read};

/// A copy that was compared with the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerifiedCopy {
    /// Number of keys in the copy.
    pub keys: i64,
    /// Its size.
    pub bytes: u64,
}

/// Number of rows of each table, by name.
type Rows = BTreeMap<String, i64>;

/// Copies a store that may be in use. The copy gets its name only once it was opened again, passed
/// the integrity check, and has as many rows in every table as the original; until then it is a
/// temporary file beside it.
pub fn copy(from: &Path, to: &Path) -> Result<VerifiedCopy, Unavailable> {
    if to.symlink_metadata().is_ok() {
        return Err(failure(to, &"it exists already"));
    }
    let partial = partial_of(to);
    let copied =
        copy_to(from, &partial).and_then(|copied| put_in_place(&partial, to).map(|()| copied));
    if copied.is_err() {
        // If it cannot be removed, the next copy removes it.
        drop(fs::remove_file(&partial));
    }
    copied
}

/// The name of an unfinished copy.
pub fn partial_of(to: &Path) -> PathBuf {
    let mut name = to.file_name().unwrap_or_default().to_owned();
    name.push(PARTIAL);
    to.with_file_name(name)
}

/// Suffix of the name of an unfinished copy.
pub const PARTIAL: &str = ".partial";

fn copy_to(from: &Path, partial: &Path) -> Result<VerifiedCopy, Unavailable> {
    // Opened without creating or changing anything.
    let source = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .map_err(failing(from))?;
    source.busy_timeout(PATIENT_WAIT).map_err(failing(from))?;
    create(partial).map_err(failing(partial))?;

    // All later reads, of the copied pages too, see the same moment.
    source.execute_batch("begin").map_err(failing(from))?;
    let expected = rows(&source).map_err(failing(from))?;
    let mut copy = Connection::open(partial).map_err(failing(partial))?;
    // All pages in one step: page by page, each write of the service would start the copy again.
    let step = Backup::new(&source, &mut copy)
        .and_then(|backup| backup.step(-1))
        .map_err(failing(from))?;
    if step != StepResult::Done {
        return Err(failure(from, &"it is locked by another program"));
    }
    source.execute_batch("rollback").map_err(failing(from))?;
    // A single file, without a write-ahead log.
    copy.pragma_update(None, "journal_mode", "delete")
        .map_err(failing(partial))?;
    copy.close()
        .map_err(|(_, error)| failure(partial, &error))?;

    let copy = Connection::open_with_flags(partial, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .map_err(failing(partial))?;
    check_integrity(&copy, FULL)
        .map_err(|found| failure(from, &format!("its copy is damaged ({})", found.trim_end())))?;
    let found = rows(&copy).map_err(failing(partial))?;
    // An intact file may still be the wrong one: the numbers of rows show that it holds what was to
    // be copied.
    if found != expected {
        return Err(failure(
            from,
            &format!("its copy has {found:?} rows, not {expected:?}"),
        ));
    }
    let bytes = fs::metadata(partial).map_err(failing(partial))?.len();
    Ok(VerifiedCopy {
        keys: found.get("api_keys").copied().unwrap_or_default(),
        bytes,
    })
}

/// Creates an empty file that only its owner can read, since it will hold e-mail addresses.
fn create(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let file = OpenOptions::new()
        .create_new(true)
        .read(true)
        .write(true)
        .mode(0o600)
        .open(path)?;
    leave_to_owner(&file, path)
}

fn rows(connection: &Connection) -> rusqlite::Result<Rows> {
    let mut tables =
        connection.prepare("select name from sqlite_schema where type = 'table' order by name")?;
    let names: Vec<String> = tables
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let count = |name: String| {
        let rows =
            connection.query_row(&format!("select count(*) from \"{name}\""), [], |row| {
                row.get(0)
            })?;
        Ok((name, rows))
    };
    names.into_iter().map(count).collect()
}

/// Syncs a file to disk, renames it, then syncs its folder.
pub fn put_in_place(partial: &Path, to: &Path) -> Result<(), Unavailable> {
    let folder = to
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let put = || {
        // The content must be on disk before the name is: after a power failure the name would lead
        // to an empty file.
        File::open(partial)?.sync_all()?;
        // A rename is atomic: whoever looks sees the whole copy or none.
        fs::rename(partial, to)?;
        File::open(folder)?.sync_all()
    };
    put().map_err(failing::<io::Error>(to))
}

/// Every key of a store that may be in use, oldest first.
pub fn keys(path: &Path) -> Result<Vec<Record>, Unavailable> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .map_err(failing(path))?;
    connection
        .busy_timeout(PATIENT_WAIT)
        .map_err(failing(path))?;
    let mut statement = connection
        .prepare("select * from api_keys order by created, id")
        .map_err(failing(path))?;
    let records = statement.query_map([], read).map_err(failing(path))?;
    records.collect::<Result<_, _>>().map_err(failing(path))
}

/// Keys read from a file that may be damaged.
#[derive(Debug)]
pub(crate) struct Salvaged {
    /// The keys that could be read.
    pub records: Vec<Record>,
    /// The damage of the file, if there is any.
    pub damage: Option<String>,
}

/// Reads the keys of a file that may be damaged, or of an earlier version, from a copy: the file
/// itself is not changed.
pub(crate) fn salvage(path: &Path) -> Result<Salvaged, Unavailable> {
    // Its owner alone can read it.
    let place = tempfile::Builder::new()
        .prefix("bareme-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir();

    let place = place.map_err(failing(path))?;
    let copied = place.path().join("store.db");
    fs::copy(path, &copied).map_err(failing(path))?;
    // The last writes before the damage are in the write-ahead log.
    let log = |path: &Path| PathBuf::from(format!("{}-wal", path.display()));
    if log(path).exists() {
        fs::copy(log(path), log(&copied)).map_err(failing(path))?;
    }

    let mut connection = Connection::open(&copied).map_err(failing(path))?;
    let damage = check_integrity(&connection, FULL).err();
    if let Err(error) = migrate(&mut connection)
        && damage.is_none()
    {
        return Err(failure(path, &error));
    }

    let mut found = BTreeMap::new();
    // From both ends up to the damage.
    for order in ["asc", "desc"] {
        let sql = format!("select * from api_keys order by rowid {order}");
        let Ok(mut statement) = connection.prepare(&sql) else {
            continue;
        };
        let Ok(records) = statement.query_map([], read) else {
            continue;
        };
        // Each row of a damaged table may be read twice, from both ends: the map keeps one.
        found.extend(
            records
                .map_while(Result::ok)
                .map(|record| ((record.created, record.id), record)),
        );
    }
    Ok(Salvaged {
        records: found.into_values().collect(),
        damage,
    })
}
