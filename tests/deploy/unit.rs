//! The unit of systemd.

use std::fs;
use std::net::TcpListener;
use std::time::Duration;

use harness::{Connection, GOOD, Server, binary, eventually, get, repository};

use crate::restarts::activated;
use crate::{program, run, text};

const UNIT: &str = "bareme-server.service";
const SOCKET: &str = "bareme-server.socket";

const SECRETS: &str = "bareme-server.service.d/secrets.conf";

#[test]
fn systemd_reads_the_unit_and_finds_it_well_shut() {
    let place = tempfile::tempdir().unwrap();
    let unit = place.path().join(UNIT);
    let installed = binary().to_str().unwrap();
    fs::write(
        &unit,
        text(UNIT).replace("/usr/local/bin/bareme-server", installed),
    )
    .unwrap();
    let socket = place.path().join(SOCKET);
    fs::write(&socket, text(SOCKET)).unwrap();
    for with_secrets in [false, true] {
        if with_secrets {
            fs::create_dir(place.path().join("bareme-server.service.d")).unwrap();
            fs::write(place.path().join(SECRETS), text(SECRETS)).unwrap();
        }
        let Some(mut analyze) = program("systemd-analyze", "systemd") else {
            return;
        };
        let said = run(analyze.arg("verify").arg(&unit).arg(&socket));
        assert!(!said.contains("bareme-server"), "{said}");
        // From 0 to 10, what could still be done by somebody who got in.
        let mut analyze = program("systemd-analyze", "systemd").unwrap();
        run(analyze
            .args(["security", "--offline=true", "--threshold=15"])
            .arg(&unit));
    }
    // That the second file is looked at too.
    fs::write(
        place.path().join(SECRETS),
        "[Service]\nLoadCredential=\nLoadCredentials=a:/b\n",
    )
    .unwrap();
    let output = program("systemd-analyze", "systemd")
        .unwrap()
        .arg("verify")
        .arg(&unit)
        .output()
        .unwrap();
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("LoadCredentials"),
        "{output:?}"
    );
}

/// The settings of a unit file.
fn settings(file: &str) -> Vec<(String, String)> {
    let text = text(file);
    let settings = text
        .lines()
        .filter_map(|line| line.strip_prefix("Environment="));
    let settings = settings.map(|setting| setting.trim_matches('"').split_once('=').unwrap());
    settings
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// As systemd gives credentials: a copy of each file in a folder of the service, which `%d` names.
#[test]
fn the_secrets_of_the_unit_are_read_from_credentials() {
    let place = tempfile::tempdir().unwrap();
    let text = text(SECRETS);
    let loaded = text
        .lines()
        .filter_map(|line| line.strip_prefix("LoadCredential=")?.split_once(':'));
    let mut given = Vec::new();
    for (name, file) in loaded {
        assert_eq!(file, format!("/etc/bareme/credentials/{name}"));
        let secret = if name == "smtp" {
            "smtp://u:hunter2@127.0.0.1:9?tls=opportunistic\n"
        } else {
            "whsec_hunter2\n"
        };
        fs::write(place.path().join(name), secret).unwrap();
        given.push(name.to_owned());
    }
    assert_eq!(given, ["smtp", "payment-secret"]);
    let here = |value: &str| {
        let value = value.replace("%d", place.path().to_str().unwrap());
        let value = value.replace(
            "/etc/bareme/rules",
            repository().join("rules").to_str().unwrap(),
        );
        value
            .replace("/var/lib/bareme", place.path().to_str().unwrap())
            .replace(":9090", ":0")
            .replace(":9091", ":0")
    };
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut command = activated(&socket);
    command.env_clear().current_dir("/");
    command.envs(
        [UNIT, SECRETS]
            .into_iter()
            .flat_map(settings)
            .map(|(name, value)| (name, here(&value))),
    );
    let server = Server::spawn(&mut command);
    let payments = server.logged(|event| event["message"] == "payment listener open");
    let mut payments =
        Connection::open(payments["address"].as_str().unwrap().parse().unwrap()).unwrap();
    payments
        .send(b"POST /stripe HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
        .unwrap();
    assert_eq!(
        payments.receive(false).unwrap().status,
        400,
        "payments are there, and this event is not signed"
    );
    assert!(!format!("{:?}", server.log()).contains("hunter2"));
    fs::remove_file(place.path().join("smtp")).unwrap();
    drop(server);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && said.contains("--smtp: `") && !said.contains("hunter2"),
        "{said}"
    );
}

#[test]
fn the_program_runs_with_the_settings_of_the_unit() {
    let state = tempfile::tempdir().unwrap();
    let rules = repository().join("rules");
    let here = |value: &str| {
        let value = value.replace("/etc/bareme/rules", rules.to_str().unwrap());
        let value = value.replace("/var/lib/bareme", state.path().to_str().unwrap());
        value.replace(":9090", ":0")
    };
    assert!(text(SOCKET).contains("ListenStream=127.0.0.1:8080"));
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut command = activated(&socket);
    command.env_clear().current_dir("/");
    command.envs(
        settings(UNIT)
            .into_iter()
            .map(|(name, value)| (name, here(&value))),
    );
    let mut server = Server::spawn(&mut command);
    assert_eq!(server.address(), socket.local_addr().unwrap());

    assert_eq!(server.get(GOOD).status, 200);
    let admin = server.logged(|event| event["message"] == "admin listener open");
    assert_eq!(
        get(
            admin["address"].as_str().unwrap().parse().unwrap(),
            "/readyz"
        )
        .status,
        200
    );
    assert!(state.path().join("bareme.db").exists());
    eventually("backups are made", || {
        state.path().join("backups/bareme-keys.json").exists()
    });
    server.terminate();
    assert_eq!(server.ended_within(Duration::from_secs(10)).code(), Some(0));
}
