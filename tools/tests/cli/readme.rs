//! The manual, in both languages, shows what the commands really say.
//!
//! `BAREME_UPDATE_DOCS=1 cargo test --workspace --test cli readme` refreshes them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::common::root;

const REFRESH: &str = "BAREME_UPDATE_DOCS=1 cargo test --workspace --test cli readme";

/// A folder where commands may write: it looks like the root of the project.
fn workplace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["rules", "tests"] {
        std::os::unix::fs::symlink(root().join(name), folder.path().join(name)).unwrap();
    }
    folder
}

/// Output of a line of shell, with the binary in the path.
fn said(line: &str, folder: &Path) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_bareme")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {line}")])
        .current_dir(folder)
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .env_remove("BAREME_LANG")
        .env_remove("BAREME_RULES")
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Durations are never the same twice, nor are the marks within them: `1 s` and `0,9 s`.
fn timeless(text: &str) -> String {
    let is_of_a_number = |letter: char| letter.is_ascii_digit() || letter == ',';
    let line = |line: &str| match line.split_once(" s).") {
        Some((before, _)) => format!("{}… s).", before.trim_end_matches(is_of_a_number)),
        None => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<String>>().join("\n")
}

#[test]
fn only_the_durations_of_a_line_are_left_out() {
    assert_eq!(
        timeless("370 cas, tous justes (1 s)."),
        timeless("370 cas, tous justes (0,9 s).")
    );
    assert_ne!(
        timeless("370 cas, tous justes (1 s)."),
        timeless("371 cas, tous justes (1 s).")
    );
}

/// A manual with what its commands say now, and how many there are.
fn refreshed(manual: &str, mut say: impl FnMut(&str) -> String) -> (String, usize) {
    let mut after = String::new();
    let mut lines = manual.lines();
    let mut commands = 0;
    while let Some(line) = lines.next() {
        after.push_str(line);
        after.push('\n');
        if line != "```console" {
            continue;
        }
        let command = lines.next().unwrap();
        after.push_str(&format!(
            "{command}\n{}\n```\n",
            say(command.strip_prefix("$ ").unwrap()).trim_end()
        ));
        assert!(
            lines.by_ref().any(|line| line == "```"),
            "a block has no end"
        );
        commands += 1;
    }
    (after, commands)
}

#[test]
fn every_block_is_what_its_command_says() {
    let folder = workplace();
    // The manuals show the same commands, and some of them write files.
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for name in ["README.md", "LISEZMOI.md"] {
        let path = root().join("tools").join(name);
        let before = std::fs::read_to_string(&path).unwrap();
        let (after, commands) = refreshed(&before, |command| {
            known
                .entry(command.to_owned())
                .or_insert_with(|| said(command, folder.path()))
                .clone()
        });
        assert!(commands >= 8, "{name}: {commands}");
        if std::env::var_os("BAREME_UPDATE_DOCS").is_some() {
            std::fs::write(&path, &after).unwrap();
            continue;
        }
        for (before, after) in timeless(&before).lines().zip(timeless(&after).lines()) {
            assert_eq!(before, after, "{name}: to refresh it: {REFRESH}");
        }
        assert_eq!(
            before.lines().count(),
            after.lines().count(),
            "{name}: to refresh it: {REFRESH}"
        );
    }
}
