//! The unit of systemd.

use std::fs;
use std::net::TcpListener;
use std::time::Duration;

use harness::{GOOD, Server, binary, get, repository};

use crate::restarts::activated;
use crate::{program, run, text};

const UNIT: &str = "bareme-server.service";
const SOCKET: &str = "bareme-server.socket";

#[test]
fn systemd_reads_the_unit_and_finds_it_well_shut() {
    let Some(mut analyze) = program("systemd-analyze", "systemd") else { return };
    let place = tempfile::tempdir().unwrap();
    let unit = place.path().join(UNIT);
    let installed = binary().to_str().unwrap();
    fs::write(&unit, text(UNIT).replace("/usr/local/bin/bareme-server", installed)).unwrap();
    let socket = place.path().join(SOCKET);
    fs::write(&socket, text(SOCKET)).unwrap();
    let said = run(analyze.arg("verify").arg(&unit).arg(&socket));
    assert!(!said.contains("bareme-server"), "{said}");

    // From 0 to 10, what could still be done by somebody who got in.
    let mut analyze = program("systemd-analyze", "systemd").unwrap();
    run(analyze.args(["security", "--offline=true", "--threshold=15"]).arg(&unit));
}

#[test]
fn the_program_runs_with_the_settings_of_the_unit() {
    let unit = text(UNIT);
    let settings = unit.lines().filter_map(|line| line.strip_prefix("Environment="));
    let settings: Vec<(&str, &str)> = settings.map(|setting| setting.split_once('=').unwrap()).collect();
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
    command.envs(settings.iter().map(|(name, value)| (name, here(value))));
    let mut server = Server::spawn(&mut command);
    assert_eq!(server.address(), socket.local_addr().unwrap());

    assert_eq!(server.get(GOOD).status, 200);
    let admin = server.logged(|event| event["message"] == "admin listener open");
    assert_eq!(get(admin["address"].as_str().unwrap().parse().unwrap(), "/readyz").status, 200);
    assert!(state.path().join("bareme.db").exists());
    server.terminate();
    assert_eq!(server.ended_within(Duration::from_secs(10)).code(), Some(0));
}
