//! The command `keys`, beside a service that runs: what it lists, refuses and keeps.

use harness::{Server, eventually};
use serde_json::Value;

use crate::desk::{A, B, Desk, with_key};

#[test]
fn keys_are_given_beside_a_service_that_runs() {
    let desk = Desk::new();
    let server: Server = desk.serve(&[]);
    let key = desk.issue("b", "enterprise");
    assert_eq!(with_key(&server, B, &key).status, 200);
    let pro = desk.issue("a", "pro");

    for _ in 0..3 {
        with_key(&server, A, &pro);
    }

    let id = desk.id(&pro);
    eventually("its calls are shown", || {
        let shown = desk.keys(&["show", &id, "--format", "json"]);
        serde_json::from_slice::<Value>(&shown.stdout).unwrap()["calls_today"] == 3
    });
    let listed = String::from_utf8(desk.keys(&["list"]).stdout).unwrap();
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(
        lines[0].starts_with("ID ")
            && lines[2].contains("a pro")
            && lines[2].ends_with("claire@example.org")
    );
    assert!(!listed.contains(&pro) && !listed.contains(&key));
    let nobody = desk.keys(&["list", "--email", "nobody@example.org", "--format", "json"]);
    assert_eq!(String::from_utf8(nobody.stdout).unwrap(), "[]\n");
}

#[test]
fn what_cannot_be_done_is_reported() {
    let desk = Desk::new();
    for (arguments, message) in [
        (
            &["issue", "--plan", "gold", "--email", "a@b.fr"][..],
            "no plan `gold`; known plans: a free, a pro",
        ),
        (
            &[
                "issue",
                "--plan",
                "scale",
                "--variant",
                "b",
                "--email",
                "a@b.fr",
            ],
            "no plan `b scale`",
        ),
        (
            &["issue", "--plan", "pro", "--email", "nonsense"],
            "`nonsense` is not an e-mail address",
        ),
        (
            &["revoke", "0199b7f0-0000-7000-8000-000000000000"],
            "no key with id",
        ),
        (
            &["show", "0199b7f0-0000-7000-8000-000000000000"],
            "no key with id",
        ),
        (
            &["rotate", "0199b7f0-0000-7000-8000-000000000000"],
            "no key with id",
        ),
        (
            &[
                "issue",
                "--plan",
                "pro",
                "--email",
                "a@b.fr",
                "--smtp",
                "smtp://localhost",
            ],
            "--mail-from",
        ),
    ] {
        let output = desk.keys(arguments);
        let reported = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && output.stdout.is_empty(),
            "{arguments:?}"
        );
        assert!(reported.contains(message), "{reported}");
    }
}

#[test]
fn the_file_is_for_nobody_else() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::new();
    let key = desk.issue("a", "free");
    assert_eq!(
        std::fs::metadata(desk.file()).unwrap().permissions().mode() & 0o777,
        0o600
    );
    for file in std::fs::read_dir(desk.place()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let found = bytes
            .windows(30)
            .any(|window| window == &key.as_bytes()[4..34]);
        assert!(!found, "the key itself is kept");
    }
}
