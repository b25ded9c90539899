//! Backups of a store, by command and by the service itself, and what must follow a restore.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use harness::{Cluster, Server, binary, eventually, get};

use crate::desk::{A, Desk, rate_limit, with_key};

/// Runs `bareme-server backup` to its end.
pub(crate) fn back_up(desk: &Desk, to: &Path) -> Output {
    let mut command = Command::new(binary());
    command
        .args([
            "backup",
            "--store",
            &format!("sqlite:{}", desk.file().display()),
            "--to",
        ])
        .arg(to);
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned()
}

/// The files of a folder whose names have a suffix, sorted.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.to_str().unwrap().ends_with(end));
    files.sort();
    files
}

/// Replaces the store by a backup, as the manual says.
pub(crate) fn restore(desk: &Desk, backup: &Path) {
    for end in ["-wal", "-shm"] {
        drop(fs::remove_file(format!("{}{end}", desk.file().display())));
    }
    fs::copy(backup, desk.file()).unwrap();
}

fn reconcile(desk: &Desk, from: &Path) -> String {
    let output = desk.keys(&["reconcile", "--from", from.to_str().unwrap()]);
    assert!(output.status.success(), "{}", said(&output));
    said(&output)
}

#[test]
fn a_backup_is_made_beside_a_running_service_and_serves() {
    let desk = Desk::new();
    let key = desk.issue("a", "pro");
    let server = desk.serve(&[]);
    assert_eq!(with_key(&server, A, &key).status, 200);
    let to = desk.place().join("copy.db");
    let made = back_up(&desk, &to);
    assert!(
        made.status.success() && said(&made).contains("1 keys,"),
        "{}",
        said(&made)
    );
    assert_eq!(
        fs::metadata(&to).unwrap().permissions().mode() & 0o777,
        0o600,
        "e-mail addresses are in it"
    );
    assert_eq!(files(desk.place(), ".partial"), [] as [PathBuf; 0]);
    assert_eq!(
        files(desk.place(), "copy.db-wal"),
        [] as [PathBuf; 0],
        "one file holds it all"
    );

    let again = back_up(&desk, &to);
    assert!(
        !again.status.success() && said(&again).contains("exists"),
        "nothing is written over: {}",
        said(&again)
    );
    assert!(!back_up(&desk, &desk.file()).status.success());
    let folder = desk.place().join("folder");
    fs::create_dir(&folder).unwrap();
    assert!(back_up(&desk, &folder).status.success());
    assert_eq!(files(&folder, "Z.db").len(), 1);
    drop(server);

    restore(&desk, &to);
    assert_eq!(with_key(&desk.serve(&[]), A, &key).status, 200);
}

#[test]
fn a_damaged_store_gives_no_backup() {
    let desk = Desk::new();
    desk.issue("a", "free");
    fill(&desk.file());
    damage(&desk.file());
    let to = desk.place().join("copy.db");
    let refused = back_up(&desk, &to);
    assert!(!refused.status.success(), "{}", said(&refused));
    assert!(!to.exists() && files(desk.place(), ".partial").is_empty());
    let nowhere = Desk::new();
    let refused = back_up(&nowhere, &to);
    assert!(
        !refused.status.success() && !nowhere.file().exists(),
        "no store is made to be backed up: {}",
        said(&refused)
    );
}

/// Adds dummy keys, to fill several pages.
fn fill(file: &Path) {
    let connection = rusqlite::Connection::open(file).unwrap();
    let sql = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 400) \
               insert into api_keys (id, account, digest, last_four, variant, plan, email, created) \
               select printf('00000000-0000-7000-8000-%012d', i), printf('00000000-0000-7000-8000-%012d', i), \
               randomblob(32), 'none', 'a', 'free', 'nobody@example.org', 1900000000 + i from n";
    assert_eq!(connection.execute(sql, []).unwrap(), 400);
    connection
        .query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(()))
        .unwrap();
}

/// Overwrites a page that holds rows.
fn damage(file: &Path) {
    let mut bytes = fs::read(file).unwrap();
    let pages = bytes.len() / 4096;
    bytes[4096 * (pages - 2)..4096 * (pages - 1)].fill(0xa5);
    fs::write(file, bytes).unwrap();
}

fn metric(server: &Server, name: &str) -> f64 {
    let admin = server.logged(|event| event["message"] == "admin listener open");
    let answer = get(
        admin["address"].as_str().unwrap().parse().unwrap(),
        "/metrics",
    );
    let text = String::from_utf8(answer.body).unwrap();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(&format!("{name} ")));
    line.unwrap_or_else(|| panic!("no {name} in {text}"))
        .parse()
        .unwrap()
}

#[test]
fn the_service_keeps_the_last_backups_and_says_when_it_cannot() {
    let desk = Desk::new();
    let folder = desk.place().join("backups");
    let flags = [
        "--admin",
        "127.0.0.1:0",
        "--backup-every",
        "1s",
        "--backup-keep",
        "2",
        "--backup-dir",
    ];
    fs::create_dir(&folder).unwrap();
    for name in [
        "bareme-20200101T000000Z.db.partial",
        "notes.db",
        "bareme-20200101T000000Z.db",
    ] {
        fs::write(folder.join(name), "").unwrap();
    }
    let server = desk.serve(&[&flags[..], &[folder.to_str().unwrap()]].concat());
    eventually("backups are made", || {
        metric(&server, "bareme_backups_total{outcome=\"made\"}") >= 3.0
    });
    let names = files(&folder, "Z.db");
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(
        !names[0].ends_with("bareme-20200101T000000Z.db"),
        "the oldest go: {names:?}"
    );
    assert!(
        folder.join("notes.db").exists(),
        "other files are left alone"
    );
    assert!(
        files(&folder, ".partial").len() <= 1,
        "what an earlier service left is gone"
    );
    assert!(metric(&server, "bareme_backup_time_seconds") > 1.7e9);
    assert_eq!(metric(&server, "bareme_backup_period_seconds"), 1.0);
    assert_eq!(
        fs::metadata(folder.join("bareme-keys.json"))
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o600
    );

    fs::remove_dir_all(&folder).unwrap();
    fs::write(&folder, "").unwrap();
    eventually("it says so", || {
        metric(&server, "bareme_backups_total{outcome=\"failed\"}") >= 1.0
    });
    server
        .logged(|event| event["message"] == "no backup could be made" && event["level"] == "ERROR");
    assert_eq!(server.get(A).status, 200, "calls are answered all the same");
}

#[test]
fn a_restart_makes_no_backup_before_its_time() {
    let desk = Desk::new();
    let folder = desk.place().join("backups");
    for _ in 0..2 {
        let mut server = desk.serve(&["--backup-dir", folder.to_str().unwrap()]);
        eventually("the list is written", || {
            folder.join("bareme-keys.json").exists()
        });
        eventually("a backup is there", || files(&folder, "Z.db").len() == 1);
        server.terminate();
        server.ended_within(Duration::from_secs(20));
        fs::remove_file(folder.join("bareme-keys.json")).unwrap();
        std::thread::sleep(Duration::from_millis(1100));
    }
    assert_eq!(files(&folder, "Z.db").len(), 1);
    assert_eq!(
        fs::metadata(&folder).unwrap().permissions().mode() & 0o777,
        0o700
    );
}

/// Changes of keys after a backup, which a restore loses.
struct Aftermath {
    revoked: String,
    kept: String,
    removed: String,
    changed: String,
    later: String,
}

impl Aftermath {
    fn of(desk: &Desk, backup: impl FnOnce()) -> Self {
        let issue = |email: &str, plan: &str| {
            let issued = desk.keys(&["issue", "--variant", "a", "--plan", plan, "--email", email]);
            crate::desk::printed_key(&issued)
        };
        let [revoked, kept, changed] =
            ["r", "k", "c"].map(|name| issue(&format!("{name}@example.org"), "pro"));
        let removed = issue("gone@example.org", "pro");
        backup();
        let run = |arguments: &[&str]| {
            let output = desk.keys(arguments);
            assert!(output.status.success(), "{}", said(&output));
        };
        run(&["revoke", &desk.id(&revoked)]);
        run(&["erase", "--revoke", "--email", "gone@example.org"]);
        run(&["change", &desk.id(&changed), "--plan", "scale"]);
        let later = issue("later@example.org", "pro");
        Self {
            revoked,
            kept,
            removed,
            changed,
            later,
        }
    }

    /// Statuses of calls with each key, in the order above.
    fn statuses(&self, desk: &Desk) -> [u16; 5] {
        let server = desk.serve(&[]);
        [
            &self.revoked,
            &self.kept,
            &self.removed,
            &self.changed,
            &self.later,
        ]
        .map(|key| with_key(&server, A, key).status)
    }

    fn quota_of_changed(&self, desk: &Desk) -> u64 {
        rate_limit(&with_key(&desk.serve(&[]), A, &self.changed)).0
    }
}

#[test]
fn after_a_restore_one_command_brings_back_what_was_revoked_removed_changed_and_issued() {
    let desk = Desk::new();
    let folder = desk.place().join("backups");
    let backup = desk.place().join("old.db");
    let mut server = desk.serve(&["--backup-dir", folder.to_str().unwrap()]);
    let after = Aftermath::of(&desk, || assert!(back_up(&desk, &backup).status.success()));
    let list = folder.join("bareme-keys.json");
    eventually("the service lists the keys as they are", || {
        fs::read_to_string(&list).is_ok_and(|text| text.contains("later@example.org"))
    });
    server.kill();

    restore(&desk, &backup);
    assert_eq!(
        after.statuses(&desk),
        [200, 200, 200, 200, 401],
        "what a restore alone brings"
    );
    let tried = desk.keys(&["reconcile", "--dry-run", "--from", list.to_str().unwrap()]);
    assert!(
        said(&tried).contains("nothing was changed: "),
        "{}",
        said(&tried)
    );
    assert_eq!(after.statuses(&desk)[0], 200);

    let told = reconcile(&desk, &list);
    assert!(
        told.contains("1 added, 1 changed, 1 removed, 1 revoked"),
        "{told}"
    );
    assert!(
        told.contains("r@example.org") && told.contains("later@example.org"),
        "{told}"
    );
    assert_eq!(after.statuses(&desk), [401, 200, 401, 200, 200]);
    assert_eq!(after.quota_of_changed(&desk), 500_000);
    assert!(reconcile(&desk, &list).contains("nothing differs"));
}

#[test]
fn a_damaged_store_still_says_what_was_revoked() {
    let desk = Desk::new();
    let backup = desk.place().join("old.db");
    let after = Aftermath::of(&desk, || assert!(back_up(&desk, &backup).status.success()));
    // The damage is among keys that were issued later.
    fill(&desk.file());
    let damaged = desk.place().join("damaged.db");
    fs::copy(desk.file(), &damaged).unwrap();
    damage(&damaged);
    restore(&desk, &backup);
    let told = reconcile(&desk, &damaged);
    assert!(told.contains("is damaged"), "{told}");
    assert!(
        told.contains("revoked  ") && told.contains("left     "),
        "{told}"
    );
    let [revoked, kept, ..] = after.statuses(&desk);
    assert_eq!((revoked, kept), (401, 200));
}

#[test]
fn a_database_is_reconciled_with_an_exported_list() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let desk = Desk::on(cluster.address());
    let refused = Command::new(binary())
        .args(["backup", "--to", "/tmp", "--store", &cluster.address()])
        .output()
        .unwrap();
    assert!(
        !refused.status.success() && said(&refused).contains("pg_dump"),
        "{}",
        said(&refused)
    );
    let served = Command::new(binary())
        .args([
            "--listen",
            "127.0.0.1:0",
            "--backup-dir",
            "/tmp",
            "--store",
            &cluster.address(),
            "--rules",
        ])
        .arg(crate::desk::small_rules())
        .output()
        .unwrap();
    assert!(
        !served.status.success() && said(&served).contains("pg_dump"),
        "{}",
        said(&served)
    );

    let after = Aftermath::of(&desk, || {
        cluster.value("create table saved as select * from api_keys");
    });
    let list = desk.place().join("keys.json");
    fs::write(&list, desk.keys(&["export"]).stdout).unwrap();
    cluster.value("delete from api_keys");
    cluster.value("insert into api_keys select * from saved");
    assert_eq!(after.statuses(&desk), [200, 200, 200, 200, 401]);
    reconcile(&desk, &list);
    assert_eq!(after.statuses(&desk), [401, 200, 401, 200, 200]);
    fs::write(&list, "[]").unwrap();
    let refused = desk.keys(&["reconcile", "--from", list.to_str().unwrap()]);
    assert!(
        !refused.status.success() && said(&refused).contains("it is no list of keys"),
        "{}",
        said(&refused)
    );
}
