//! The unit of systemd.

use std::fs;
use std::process::Command;
use std::time::Duration;

use harness::{GOOD, Server, binary, get, repository};

use crate::{program, run, text};

const UNIT: &str = "bareme-server.service";

#[test]
fn systemd_reads_the_unit_and_finds_it_well_shut() {
    let Some(mut analyze) = program("systemd-analyze", "systemd") else { return };
    let place = tempfile::tempdir().unwrap();
    let unit = place.path().join(UNIT);
    let installed = binary().to_str().unwrap();
    fs::write(&unit, text(UNIT).replace("/usr/local/bin/bareme-server", installed)).unwrap();
    let said = run(analyze.arg("verify").arg(&unit));
    assert!(!said.contains(UNIT), "{said}");

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
        value.replace(":8080", ":0").replace(":9090", ":0")
    };
    let mut command = Command::new(binary());
    command.env_clear().current_dir("/");
    command.envs(settings.iter().map(|(name, value)| (name, here(value))));
    let mut server = Server::spawn(&mut command);

    assert_eq!(server.get(GOOD).status, 200);
    let admin = server.logged(|event| event["message"] == "admin listener open");
    assert_eq!(get(admin["address"].as_str().unwrap().parse().unwrap(), "/readyz").status, 200);
    assert!(state.path().join("bareme.db").exists());
    server.terminate();
    assert_eq!(server.ended_within(Duration::from_secs(10)).code(), Some(0));
}
