//! A PostgreSQL cluster for one test, on a free port.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use crate::{Distance, free_port};

/// A cluster that runs until it is dropped.
pub struct Cluster {
    place: tempfile::TempDir,
    port: u16,
    owner: Option<(u32, u32)>,
}

impl Cluster {
    /// Starts one with an empty database; `None` where PostgreSQL is not installed.
    pub fn start() -> Option<Self> {
        if Command::new(find("initdb"))
            .arg("--version")
            .output()
            .is_err()
        {
            assert!(
                std::env::var_os("CI").is_none(),
                "initdb is missing (Debian package postgresql)"
            );
            eprintln!("skipped: PostgreSQL is not installed");
            return None;
        }
        let port = free_port();
        let cluster = Self {
            place: tempfile::tempdir().unwrap(),
            port,
            owner: owner(),
        };
        if let Some((user, group)) = cluster.owner {
            std::os::unix::fs::chown(cluster.place.path(), Some(user), Some(group)).unwrap();
        }
        let data = cluster.data();
        cluster.run(
            "initdb",
            &[
                "-D",
                &data,
                "-U",
                "bareme",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--locale=C",
                "--no-sync",
            ],
        );
        cluster.resume();
        Some(cluster)
    }

    /// The address of the database.
    pub fn address(&self) -> String {
        self.address_by(self.port)
    }

    /// The address of the database through a [proxy](crate::Distance) that delays answers by
    /// `round_trip`.
    pub fn far_away(&self, round_trip: Duration) -> (Distance, String) {
        let way = Distance::to(SocketAddr::from(([127, 0, 0, 1], self.port)), round_trip);
        let address = self.address_by(way.address().port());
        (way, address)
    }

    fn address_by(&self, port: u16) -> String {
        format!("postgres://bareme@127.0.0.1:{port}/postgres?sslmode=disable")
    }

    /// The address of the database for clients that require TLS.
    pub fn tls_address(&self) -> String {
        format!(
            "postgres://bareme@localhost:{}/postgres?sslmode=require",
            self.port
        )
    }

    /// Turns on TLS, with a self-signed certificate; returns its path.
    pub fn certify(&self) -> PathBuf {
        let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let file = |name: &str, text: &str| {
            let path = self.place.path().join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            if let Some((user, group)) = self.owner {
                std::os::unix::fs::chown(&path, Some(user), Some(group)).unwrap();
            }
            path
        };
        let certificate = file("server.crt", &certified.cert.pem());
        let key = file("server.key", &certified.signing_key.serialize_pem());
        let (crt, key) = (certificate.display(), key.display());
        let settings = format!("ssl = on\nssl_cert_file = '{crt}'\nssl_key_file = '{key}'\n");
        fs::write(
            Path::new(&self.data()).join("postgresql.auto.conf"),
            settings,
        )
        .unwrap();
        self.stop();
        self.resume();
        certificate
    }

    /// Stops it abruptly, closing every connection.
    pub fn stop(&self) {
        self.run("pg_ctl", &["-D", &self.data(), "-m", "fast", "-w", "stop"]);
    }

    /// Starts it again on the same port.
    pub fn resume(&self) {
        let place = self.place.path().display();
        let options = format!(
            "-p {} -k {place} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=50",
            self.port
        );
        let log = self.place.path().join("log").display().to_string();
        self.run(
            "pg_ctl",
            &[
                "-D",
                &self.data(),
                "-o",
                &options,
                "-l",
                &log,
                "-w",
                "start",
            ],
        );
    }

    /// One value of the database as text.
    pub fn value(&self, query: &str) -> String {
        let output = self.run("psql", &["-X", "-A", "-t", "-c", query, &self.address()]);
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// A program of a client of the database, not started, which finds it and its own kind by the
    /// environment.
    pub fn client(&self, program: &str) -> Command {
        let mut command = Command::new(find(program));
        let programs = find("initdb")
            .parent()
            .map(Path::to_owned)
            .unwrap_or_default();
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .env("PATH", format!("{}:{path}", programs.display()))
            .envs([
                ("PGHOST", "127.0.0.1"),
                ("PGUSER", "bareme"),
                ("PGDATABASE", "postgres"),
            ])
            .env("PGPORT", self.port.to_string());
        command
    }

    fn data(&self) -> String {
        self.place.path().join("data").display().to_string()
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(find(program));
        command.args(arguments).current_dir(self.place.path());
        if let Some((user, group)) = self.owner {
            command.uid(user).gid(group);
        }
        let output = command.output().unwrap();
        assert!(
            output.status.success(),
            "{program}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        output
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let mut command = Command::new(find("pg_ctl"));
        command.args(["-D", &self.data(), "-m", "immediate", "-w", "stop"]);
        if let Some((user, group)) = self.owner {
            command.uid(user).gid(group);
        }
        drop(command.output());
    }
}

/// The user that its package created, since PostgreSQL refuses to run as root.
fn owner() -> Option<(u32, u32)> {
    let ids = |line: &str| {
        let mut parts = line.split(':').skip(2).map(|part| part.parse().unwrap());
        (parts.next().unwrap(), parts.next().unwrap())
    };
    let me = std::os::unix::fs::MetadataExt::uid(&fs::metadata("/proc/self").unwrap());
    let users = fs::read_to_string("/etc/passwd").unwrap();
    (me == 0).then(|| {
        ids(users
            .lines()
            .find(|line| line.starts_with("postgres:"))
            .expect("there is a user postgres"))
    })
}

/// The path of a program: Debian installs each version outside of the usual path.
fn find(program: &str) -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    let mut found: Vec<PathBuf> = versions
        .map(|version| version.path().join("bin").join(program))
        .collect();
    found.retain(|path| path.exists());
    found.sort();
    found.pop().unwrap_or_else(|| Path::new(program).to_owned())
}
