//! Both descriptions of the interface against the service, by Schemathesis: what is right by the
//! description is answered as it says, what is wrong is refused.

use std::process::Command;

use harness::{Server, repository, signing_flag};

/// Where `tests/run` installs it.
const PROGRAM: &str = "target/schemathesis/bin/schemathesis";

#[test]
fn the_description_of_the_calculations_holds_for_calls_that_nobody_thought_of() {
    run("/api/v1", "40");
}

#[test]
fn the_description_of_the_data_holds_for_calls_that_nobody_thought_of() {
    // A fifth of the operations.
    run("/api-docs/v1", "15");
}

/// Runs it on a description, its fuzzing until these seconds are over; nothing may fail.
fn run(prefix: &str, seconds: &str) {
    let program = repository().join(PROGRAM);
    if !program.exists() {
        assert!(
            std::env::var_os("CI").is_none(),
            "{PROGRAM} is missing: `tests/run` installs it"
        );
        return eprintln!("skipped: {PROGRAM} is not installed");
    }
    let (settings, place) = (
        repository().join("tests/schemathesis"),
        tempfile::tempdir().unwrap(),
    );
    // Without a key, `recu=true` is refused, which the description of a parameter cannot say.
    let key = signing_flag(place.path());
    let server = Server::start_with(&["--log", "info,access=off", &key]);
    let address = format!("http://{}{prefix}/openapi.json", server.address());
    let output = Command::new("timeout")
        .arg("85")
        .arg(program)
        .arg("--config-file")
        .arg(settings.join("schemathesis.toml"))
        // The form of the keys gives five a day: clients made from the description call it.
        .args([
            "run",
            &address,
            "--exclude-path",
            "/cle",
            // Whatever a row is, the batch is answered: the row has its error. `batches.rs` sends
            // what is wrong.
            "--exclude-path-regex",
            "/lot/",
            "--max-time",
            seconds,
            "--seed",
            "1",
            "--no-color",
            "--output-truncate",
            "false",
        ])
        // It keeps what it finds beside it.
        .current_dir(place.path())
        .env("PYTHONPATH", &settings)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    println!("{said}");
    assert!(output.status.success(), "{address}: {}", output.status);
    assert!(
        server.log().iter().all(|event| event["level"] != "ERROR"),
        "{:?}",
        server.log()
    );
}
