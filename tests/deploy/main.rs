//! The examples of `server/deploy`: read by the programs that they are for, and run as they say.

#![cfg(test)]

mod build;
mod kubernetes;
mod privacy;
mod prometheus;
mod proxies;
mod restarts;
mod settings;
mod unit;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A file of the examples.
fn example(name: &str) -> PathBuf {
    harness::repository().join("server/deploy").join(name)
}

/// Its text.
fn text(name: &str) -> String {
    fs::read_to_string(example(name)).unwrap()
}

/// A program that reads an example, of a Debian package. None where it is not installed.
fn program(name: &str, package: &str) -> Option<Command> {
    // Debian keeps some of them out of the path of ordinary users.
    let places = [format!("/usr/sbin/{name}"), format!("/usr/bin/{name}")];
    let found = places
        .into_iter()
        .find(|place| std::path::Path::new(place).exists());
    if found.is_none() {
        assert!(
            std::env::var_os("CI").is_none(),
            "{name} is missing (Debian package {package})"
        );
        eprintln!("skipped: {name} is not installed");
    }
    found.map(Command::new)
}

/// Runs it to its end, which must be good; what it said.
fn run(command: &mut Command) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let said = String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned();
    assert!(status.success(), "{command:?}: {said}");
    said
}
