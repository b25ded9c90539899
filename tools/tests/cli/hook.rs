//! The hook and the workflow for those who keep rules under git.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::{broken, root, small_rules};

fn git(folder: &Path, arguments: &[&str]) -> Output {
    let identity = [
        "-c",
        "user.name=essai",
        "-c",
        "user.email=essai@example.org",
        "-c",
        "commit.gpgsign=false",
    ];
    Command::new("git")
        .args(identity)
        .args(arguments)
        .current_dir(folder)
        .env("BAREME", env!("CARGO_BIN_EXE_bareme"))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap()
}

#[test]
fn a_commit_of_broken_rules_is_refused_and_one_of_good_rules_is_not() {
    let folder = small_rules(None);
    let here = folder.path();
    assert!(git(here, &["init", "--quiet"]).status.success());
    std::fs::copy(
        root().join("tools/ci/pre-commit"),
        here.join(".git/hooks/pre-commit"),
    )
    .unwrap();
    let commit = || {
        git(here, &["add", "rules"]);
        git(here, &["commit", "--quiet", "-m", "essai"])
    };
    let good = commit();
    assert!(good.status.success(), "{good:?}");

    let scale = here.join("rules/zz/2026-01-01.yaml");
    std::fs::copy(
        broken().join("rate-without-percent/2026-01-01.yaml"),
        &scale,
    )
    .unwrap();
    let refused = commit();
    assert!(!refused.status.success());
    let said = String::from_utf8([refused.stdout, refused.stderr].concat()).unwrap();
    assert!(
        said.contains("rules/zz/2026-01-01.yaml:9:19") && said.contains("écrire `6.3%`"),
        "{said}"
    );

    // What is committed counts, not what was fixed since without being added.
    std::fs::copy(broken().join("base/zz/2026-01-01.yaml"), &scale).unwrap();
    assert!(
        !git(here, &["commit", "--quiet", "-m", "essai"])
            .status
            .success()
    );
    // Without rules in the commit there is nothing to look at.
    git(here, &["reset", "--quiet"]);
    std::fs::write(here.join("notes.md"), "essai\n").unwrap();
    git(here, &["add", "notes.md"]);
    assert!(
        git(here, &["commit", "--quiet", "-m", "notes"])
            .status
            .success()
    );
}

#[test]
fn the_workflow_runs_commands_that_exist() {
    let workflow = std::fs::read_to_string(root().join("tools/ci/rules.yml")).unwrap();
    let commands: Vec<&str> = workflow
        .lines()
        .filter_map(|line| line.split_once("bareme "))
        .map(|(_, rest)| rest)
        .collect();
    assert!(commands.len() >= 4, "{commands:?}");
    for line in commands {
        let name = line.split_whitespace().next().unwrap();
        let help = crate::common::run(&[name, "--help", "--lang", "en"]).fine();
        for option in line
            .split_whitespace()
            .filter(|word| word.starts_with("--"))
        {
            assert!(help.contains(option), "bareme {line}: {option}");
        }
    }
}
