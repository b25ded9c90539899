//! Clients that generators make from the description, and what the linters of descriptions say of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::{Server, repository};

/// Where `tests/run` installs them.
const NODE: &str = "target/clients/node_modules";
const PYTHON: &str = "target/clients-python/bin";

/// The programs below this folder; nothing where they are not installed, unless all tests must run.
fn installed(folder: &str) -> Option<PathBuf> {
    let folder = repository().join(folder);
    if folder.exists() {
        return Some(folder);
    }
    assert!(std::env::var_os("CI").is_none(), "{} is missing: `tests/run` installs it", folder.display());
    eprintln!("skipped: {} is not installed", folder.display());
    None
}

/// Runs a program to its end, within two minutes; what it printed.
fn run(place: &Path, program: &Path, arguments: &[&str]) -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("timeout")
        .arg("120")
        .arg(program)
        .args(arguments)
        .current_dir(place)
        .env("PATH", format!("{}:{path}", program.parent().unwrap().display()))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("REDOCLY_TELEMETRY", "off")
        .output()
        .unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}: {said}", program.display());
    said
}

/// A server, and a folder with the description of its first variant.
fn described() -> (Server, tempfile::TempDir) {
    let (server, place) = (Server::start_with(&["--log", "info,access=off"]), tempfile::tempdir().unwrap());
    for (prefix, name) in [("/api/v1", "a.json"), ("/api-docs/v1", "b.json")] {
        fs::write(place.path().join(name), server.get(&format!("{prefix}/openapi.json")).body).unwrap();
    }
    (server, place)
}

#[test]
fn a_client_in_python_calls_every_endpoint_and_every_country() {
    let Some(bin) = installed(PYTHON) else { return };
    let (server, place) = described();
    let place = place.path();
    let made =
        run(place, &bin.join("openapi-python-client"), &["generate", "--path", "a.json", "--output-path", "made"]);
    assert!(!made.contains("Unable to") && !made.contains("WARNING"), "{made}");
    let program = repository().join("tests/clients-python/client.py");
    let origin = format!("http://{}", server.address());
    let said = run(place, &bin.join("python"), &[program.to_str().unwrap(), &origin, "a.json", "made"]);
    println!("{said}");
}

#[test]
fn a_client_in_typescript_calls_every_endpoint_and_every_country() {
    let Some(modules) = installed(NODE) else { return };
    let (server, place) = described();
    let place = place.path();
    std::os::unix::fs::symlink(&modules, place.join("node_modules")).unwrap();
    fs::write(place.join("package.json"), "{\"type\": \"module\"}").unwrap();
    fs::copy(repository().join("tests/clients/client.ts"), place.join("client.ts")).unwrap();
    let bin = modules.join(".bin");
    run(place, &bin.join("openapi-typescript"), &["a.json", "--output", "schema.d.ts"]);
    let options = ["--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom", "--skipLibCheck"];
    run(place, &bin.join("tsc"), &[&options[..], &["client.ts"]].concat());
    let node = PathBuf::from("/usr/bin/env");
    println!("{}", run(place, &node, &["node", "client.js", &format!("http://{}", server.address())]));
}

#[test]
fn linters_find_nothing_in_the_descriptions() {
    let Some(modules) = installed(NODE) else { return };
    let (_server, place) = described();
    let (place, bin) = (place.path(), modules.join(".bin"));
    fs::write(place.join(".spectral.yaml"), "extends: [\"spectral:oas\"]\n").unwrap();
    for document in ["a.json", "b.json"] {
        let said = run(place, &bin.join("redocly"), &["lint", document, "--max-problems", "20"]);
        assert!(!said.contains("Warning was generated"), "{said}");
        run(
            place,
            &bin.join("spectral"),
            &["lint", document, "--ruleset", ".spectral.yaml", "--fail-severity", "hint"],
        );
    }
}
