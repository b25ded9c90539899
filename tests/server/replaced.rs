//! Rules that change as a whole: links swapped, folders replaced, `git checkout`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use harness::{Load, Rules, Server, copy_folder, eventually};
use serde_json::Value;

const SCALE: &str = "salaire-net/ci/2026-01-01.yaml";
const PAY: &str = "/api/v1/salaire-net?pays=ci&brut=350000&date=2026-06-30";

/// The text that names the sources: a test may change it without contradicting a case.
fn source(answer: &Value) -> String {
    answer["source"].as_str().unwrap().to_owned()
}

/// A second release of the rules, whose Ivorian source is this word.
fn release(from: &Path, to: &Path, word: &str) {
    copy_folder(from, to);
    cite(to, word);
}

fn cite(rules: &Path, word: &str) {
    let text = fs::read_to_string(rules.join(SCALE)).unwrap();
    let lines = text.lines().map(|line| {
        if line.starts_with("citation:") {
            format!("citation: \"{word}\"\n")
        } else {
            format!("{line}\n")
        }
    });
    fs::write(rules.join(SCALE), lines.collect::<String>()).unwrap();
    // Cases may expect the old words.
    let cases = rules.join("salaire-net/ci/cases.yaml");
    if cases.exists() {
        fs::remove_file(cases).unwrap();
    }
}

fn shows(server: &Server, word: &str) -> impl FnMut() -> bool {
    let (address, word) = (server.address(), word.to_owned());
    move || harness::get(address, PAY).json()["source"] == word.as_str()
}

#[test]
fn a_rename_over_a_file() {
    let rules = Rules::copy();
    cite(&rules.root(), "un");
    let server = Server::with(&rules.root(), &[]);
    // Twice: the second one replaces a file that the watch has never seen.
    for word in ["deux", "trois"] {
        let text = rules.read(SCALE);
        let edited = text
            .replace("citation: \"un\"", "citation: \"deux\"")
            .replace("citation: \"deux\"", &format!("citation: \"{word}\""));
        let draft = rules.root().join("salaire-net/ci/.draft");
        fs::write(&draft, edited).unwrap();
        fs::rename(&draft, rules.root().join(SCALE)).unwrap();
        eventually("the renamed file is in force", shows(&server, word));
    }
}

#[test]
fn the_whole_folder_is_a_link_that_is_swapped() {
    let rules = Rules::copy();
    release(&rules.root(), &rules.beside("releases/1"), "un");
    release(&rules.root(), &rules.beside("releases/2"), "deux");
    release(&rules.root(), &rules.beside("releases/3"), "trois");
    symlink("releases/1", rules.beside("current")).unwrap();
    let server = Server::with(&rules.beside("current"), &["--log", "info,access=off"]);
    let load = Load::start(server.address(), PAY, source);
    for (number, word) in [(2, "deux"), (3, "trois"), (1, "un")] {
        symlink(format!("releases/{number}"), rules.beside("next")).unwrap();
        fs::rename(rules.beside("next"), rules.beside("current")).unwrap();
        eventually("the other release is in force", shows(&server, word));
    }
    // Editing inside the folder that the link shows is noticed too.
    cite(&rules.beside("releases/1"), "quatre");
    eventually("the edit is in force", shows(&server, "quatre"));
    let seen = load.stop();
    assert!(
        seen.keys()
            .all(|word| ["un", "deux", "trois", "quatre"].contains(&word.as_str())),
        "{seen:?}"
    );
}

#[test]
fn a_kubernetes_mount() {
    let rules = Rules::copy();
    let mount = rules.beside("mount");
    release(&rules.root(), &mount.join("..2026_01"), "un");
    symlink("..2026_01", mount.join("..data")).unwrap();
    for entry in fs::read_dir(mount.join("..2026_01")).unwrap() {
        let name = entry.unwrap().file_name();
        symlink(Path::new("..data").join(&name), mount.join(&name)).unwrap();
    }
    let server = Server::with(&mount, &["--log", "info,access=off"]);
    let load = Load::start(server.address(), PAY, source);
    for (old, new, word) in [
        ("..2026_01", "..2026_02", "deux"),
        ("..2026_02", "..2026_03", "trois"),
    ] {
        release(&rules.root(), &mount.join(new), word);
        symlink(new, mount.join("..data_tmp")).unwrap();
        fs::rename(mount.join("..data_tmp"), mount.join("..data")).unwrap();
        fs::remove_dir_all(mount.join(old)).unwrap();
        eventually("the new mount is in force", shows(&server, word));
    }
    let seen = load.stop();
    assert_eq!(
        seen.keys().map(String::as_str).collect::<Vec<_>>(),
        ["deux", "trois", "un"]
    );
}

#[test]
fn the_folder_itself_is_moved_away_and_another_put_in_its_place() {
    let rules = Rules::copy();
    release(&rules.root(), &rules.beside("other"), "deux");
    let server = Server::with(&rules.root(), &["--log", "info,access=off"]);
    let load = Load::start(server.address(), PAY, source);
    fs::rename(rules.root(), rules.beside("old")).unwrap();
    eventually("the loss is reported", || {
        server.get("/readyz").json()["reload"]["etat"] == "refuse"
    });
    fs::rename(rules.beside("other"), rules.root()).unwrap();
    eventually("the other folder is in force", shows(&server, "deux"));
    assert_eq!(load.stop().len(), 2);
}

#[test]
fn a_checkout_that_touches_every_file() {
    let rules = Rules::copy();
    let root = rules.root();
    let git = |arguments: &[&str]| {
        let settings = [
            "-c",
            "user.name=test",
            "-c",
            "user.email=test@example.org",
            "-c",
            "init.defaultBranch=main",
        ];
        let done = Command::new("git")
            .args(settings)
            .args(arguments)
            .current_dir(&root)
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "git {arguments:?}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
    };
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "one"]);
    git(&["tag", "one"]);
    let touched = comment_every_file(&root);
    assert!(touched >= 50, "{touched} files");
    cite(&root, "deux");
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "two"]);
    git(&["tag", "two"]);

    let server = Server::with(&root, &["--log", "info,access=off"]);
    let version = |server: &Server| server.get("/readyz").json()["version"].clone();
    let two = version(&server);
    let load = Load::start(server.address(), PAY, source);
    git(&["checkout", "--quiet", "one"]);
    eventually("the first commit is in force", || version(&server) != two);
    let one = version(&server);
    for (commit, wanted) in [("two", &two), ("one", &one), ("two", &two)] {
        git(&["checkout", "--quiet", commit]);
        eventually("the commit is in force", || version(&server) == *wanted);
    }
    assert_eq!(load.stop().len(), 2);
    // Never anything between the two commits.
    let taken = || -> Vec<Value> {
        let log = server
            .log()
            .into_iter()
            .filter(|event| event["message"] == "rules in force");
        log.map(|event| event["version"].clone()).collect()
    };
    eventually("each is logged", || taken().len() >= 5);
    assert_eq!(taken(), [two.clone(), one.clone(), two.clone(), one, two]);
}

/// Adds a comment to every rule file, and returns how many there are.
fn comment_every_file(folder: &Path) -> usize {
    let mut touched = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().unwrap() != ".git" {
            touched += comment_every_file(&path);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            fs::write(
                &path,
                format!("{}\n# touched\n", fs::read_to_string(&path).unwrap()),
            )
            .unwrap();
            touched += 1;
        }
    }
    touched
}
